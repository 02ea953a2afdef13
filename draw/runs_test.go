package draw

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/heddle-gpu/heddle/ir"
)

// someRuns is a wave of runs of triangles with random numbers.
func someRuns(rnd *rand.Rand) *Wave {
	list := outsOf(rnd.Uint32()&(1<<Varyings-1) | 1<<rnd.IntN(Varyings))
	o := &list
	w := &Wave{waveRows: new(waveRows), Lanes: 4 * rnd.IntN(17), outs: o}
	for i := range w.e {
		w.e[i] = *(*[ir.MaxLanes]float32)(rowOf(rnd, ir.MaxLanes))
	}
	for i := range w.p {
		w.p[i] = *(*[ir.MaxLanes]float32)(rowOf(rnd, ir.MaxLanes))
	}
	for from := 0; from < w.Lanes; {
		to := min(w.Lanes, from+4+4*rnd.IntN(6))
		r := &triangle{scaled: 1 + rnd.Float32()}
		for i := range r.c {
			x := rowOf(rnd, 2)
			var v Vertex
			for n := range v.Out {
				v.Out[n] = Vec4(rowOf(rnd, 4))
			}
			r.c[i].z, r.c[i].invW, r.c[i].out = x[0], x[1], o.add(&v)
		}
		w.runs = append(w.runs, run{r, from, to})
		from = to
	}
	w.depths = 4 * rnd.IntN(w.Lanes/4+1)
	return w
}

// TestRuns: interpolation by runs gives the same bits as the Go version, and changes nothing else; NaNs may differ.
func TestRuns(t *testing.T) {
	if !hasVectors() {
		t.Skip("NOT TESTED: no vectors of 256 bits, or no assembly")
	}
	testRuns(t, byRuns{depthRuns, weightRuns, shareRuns, mixRuns})
	if !hasWide() {
		t.Skip("NOT TESTED: no vectors of 512 bits")
	}
	testRuns(t, byRuns{depthWide, weightWide, shareWide, mixWide})
}

// TestFirst: weights and the first varying computed together equal those computed one after the other.
func TestFirst(t *testing.T) {
	if !hasVectors() {
		t.Skip("NOT TESTED: no vectors of 256 bits, or no assembly")
	}
	testFirst(t, byRuns{shares: shareRuns, mix: mixRuns}, firstRuns)
	if !hasWide() {
		t.Skip("NOT TESTED: no vectors of 512 bits")
	}
	testFirst(t, byRuns{shares: shareWide, mix: mixWide}, firstWide)
}

func testFirst(t *testing.T, f byRuns, both func(w *Wave, to *vector, first *Vec4, stride int)) {
	t.Helper()
	rnd := rand.New(rand.NewPCG(9, 16))
	for range 1000 {
		got := someRuns(rnd)
		if got.Lanes == 0 {
			continue
		}
		rows := *got.waveRows
		want, n := *got, bits.TrailingZeros32(got.outs.used)
		want.waveRows = &rows
		first, stride := got.outs.of(0, n), 16*got.outs.size
		both(got, &got.mixed[n], first, stride)
		f.shares(&want)
		f.mix(&want, &want.mixed[n], first, stride)
		if !slices.Equal(bitsOf(got.p[0][:]), bitsOf(want.p[0][:])) || !slices.Equal(bitsOf(got.p[1][:]), bitsOf(want.p[1][:])) || got.mixed != want.mixed {
			t.Fatalf("%d lanes: %v and %x, want %v and %x", got.Lanes, got.p, got.mixed[n], want.p, want.mixed[n])
		}
	}
}

// byRuns are the functions that interpolate.
type byRuns struct {
	depths, weights, shares func(w *Wave)
	mix                     func(w *Wave, to *vector, first *Vec4, stride int)
}

func testRuns(t *testing.T, f byRuns) {
	t.Helper()
	rnd := rand.New(rand.NewPCG(9, 10))
	numbers := 0
	for range 2000 {
		w := someRuns(rnd)
		same := func(what string, got, want *[ir.MaxLanes]float32) {
			t.Helper()
			for lane, x := range got {
				if y := want[lane]; math.Float32bits(x) != math.Float32bits(y) && (x == x || y == y) {
					t.Fatalf("%s: lane %d of %d is %g, %#x, want %g", what, lane, w.Lanes, x, math.Float32bits(x), y)
				} else if x == x {
					numbers++
				}
			}
		}
		rows := *w.waveRows
		got, want := *w, *w
		want.waveRows = &rows
		got.low, got.high = float32(-3*rnd.IntN(2)), float32(2*rnd.IntN(2))
		f.depths(&got)
		plainDepths(&want)
		plainClamp(want.depth[want.depths:want.Lanes], got.low, got.high)
		same("depth", &got.depth, &want.depth)
		f.weights(&got)
		plainWeights(&want)
		same("1/w", &got.invW, &want.invW)
		n := bits.TrailingZeros32(w.outs.used)
		if w.Lanes > 0 {
			f.mix(&got, &got.mixed[n], w.outs.of(0, n), 16*w.outs.size)
		}
		plainVector(&want, &want.mixed[n], n)
		for k := range got.mixed[n] {
			var x, y [ir.MaxLanes]float32
			for lane := range x {
				x[lane], y[lane] = math.Float32frombits(got.mixed[n][k][lane]), math.Float32frombits(want.mixed[n][k][lane])
			}
			same("varying", &x, &y)
		}
		f.shares(&got)
		plainShares(&want)
		same("second share", &got.p[0], &want.p[0])
		same("third share", &got.p[1], &want.p[1])
		if got.Lanes != want.Lanes || got.Covered != 0 || got.depths != w.depths || got.mixes != 0 {
			t.Fatal("the wave has changed")
		}
	}
	if numbers < 100_000 {
		t.Errorf("%d results are numbers", numbers)
	}
}

// TestPlanes: planes of four components computed together have the same bits as those of the Go version; NaNs may
// differ. The same holds for the centres of quads.
func TestPlanes(t *testing.T) {
	rnd := rand.New(rand.NewPCG(11, 12))
	numbers := 0
	for range 2000 {
		var quads [ir.MaxLanes / 4]quad
		for i := range quads {
			quads[i] = quad{2 * rnd.Int32N(MaxSide/2), 2 * rnd.Int32N(MaxSide/2)}
		}
		var x, y, wantX, wantY [ir.MaxLanes]uint32
		n := rnd.IntN(len(quads) + 1)
		centreRows(&x, &y, &quads, n)
		if plainCentres(&wantX, &wantY, &quads, n); x != wantX || y != wantY {
			t.Fatalf("centres of %d quads: %x %x, want %x %x", n, x, y, wantX, wantY)
		}
		if !hasVectors() {
			continue
		}
		s := Setup{x: rnd.NormFloat64(), y: rnd.NormFloat64(), dx: [2]float64{rnd.NormFloat64(), rnd.NormFloat64()},
			dy: [2]float64{rnd.NormFloat64(), rnd.NormFloat64()}, invW: [3]float64{rnd.Float64(), rnd.Float64(), rnd.Float64()}}
		s.area = s.dx[0]*s.dy[1] - s.dx[1]*s.dy[0]
		v := [3]Vec4{Vec4(rowOf(rnd, 4)), Vec4(rowOf(rnd, 4)), Vec4(rowOf(rnd, 4))}
		got, want := PlaneSet{3: 1}, PlaneSet{3: 2}
		planeRows(&got, &s, &v[0], &v[1], &v[2])
		plainPlanes(&want, &s, &v[0], &v[1], &v[2])
		for i := range got {
			if a, b := math.Float32frombits(got[i]), math.Float32frombits(want[i]); got[i] != want[i] && (a == a || b == b) {
				t.Fatalf("word %d of the planes of %v: %g, want %g", i, v, a, b)
			} else if a == a && i%4 != 3 {
				numbers++
			}
		}
	}
	if hasVectors() && numbers < 5000 {
		t.Errorf("%d results are numbers", numbers)
	}
}
