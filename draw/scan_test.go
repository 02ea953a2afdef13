package draw

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/heddle-gpu/heddle/ir"
)

// TestScan: a row of quads, taken in any portions, finds those of which pixels are inside all edges and the box, with the edge functions that
// whole numbers give; with and without assembly.
func TestScan(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	cv := &Canvas{Width: 300, Height: 200}
	found := 0
	for range 3000 {
		d := &Call{Viewport: Viewport{X: rnd.IntN(3), Y: rnd.IntN(3), W: 290 + rnd.IntN(9), H: 190 + rnd.IntN(9)}, TopDown: rnd.IntN(2) == 0}
		var c [3]corner
		reach := int64(1) << (8 + rnd.IntN(15)) // up to the guard band
		for i := range c {
			c[i] = corner{x: rnd.Int64N(2*reach) - reach/2, y: rnd.Int64N(2*reach) - reach/2}
		}
		r, ok := d.setUp(c, nil, cv)
		if !ok {
			continue
		}
		x, y := max(r.x0, rnd.IntN(5)*tileSide)&^1, max(r.y0, rnd.IntN(3)*tileSide)&^1
		x1, y1 := min(r.x1, x/tileSide*tileSide+tileSide-1)&^1, min(r.y1, y+tileSide-1)
		if x1 < x {
			continue
		}
		var ours, plain scan
		for ; y <= y1; y += 2 {
			e := r.edges(x, y)
			for _, s := range []*scan{&ours, &plain} {
				s.begin(&r, x, (x1-x)/2)
				s.row(&e, r.rows(y))
			}
			for ours.column <= ours.last {
				var got, want [3][ir.MaxLanes]float32
				lane := 4 * rnd.IntN(ir.MaxLanes/4)
				before := plain.column
				plain.cover(&want, lane, ir.MaxLanes)
				if got = want; hasVectors() {
					got = [3][ir.MaxLanes]float32{}
					coverQuads(&ours, &got, lane, ir.MaxLanes)
				} else {
					ours = plain
				}
				if ours.column != plain.column || ours.at != plain.at || !slices.Equal(ours.columns[:ours.found], plain.columns[:plain.found]) ||
					!slices.Equal(ours.covered[:ours.found], plain.covered[:plain.found]) {
					t.Fatalf("row %d: %+v, want %+v", y, ours, plain)
				}
				seen := plain.check(t, &r, &got, x, y, before, lane)
				if found += seen; seen != plain.found {
					t.Fatalf("row %d: %d quads, want %d: %+v", y, plain.found, seen, plain)
				}
			}
		}
	}
	if found < 10_000 {
		t.Errorf("only %d quads", found)
	}
}

// check holds the quads found in columns from one on, in a row at x, y, against whole numbers; it gives how many there are.
func (s *scan) check(t *testing.T, r *triangle, got *[3][ir.MaxLanes]float32, x, y, from, lane int) (seen int) {
	t.Helper()
	for column := from; column < s.column; column++ {
		inside := r.inside(x+2*column, y)
		if inside == 0 {
			continue
		}
		if seen == s.found || int(s.columns[seen]) != column || s.covered[seen] != inside {
			t.Fatalf("triangle %+v: quad at %d,%d: pixels %b are inside: %+v", r, x+2*column, y, inside, s)
		}
		for k := range 4 {
			for i, e := range r.edges(x+2*column+k&1, y+k>>1) {
				if at := lane + 4*seen + k; got[i][at] != float32(e) {
					t.Fatalf("edge %d of lane %d is %g, want %d", i, at, got[i][at], e)
				}
			}
		}
		seen++
	}
	return seen
}

// inside is which pixels of a quad belong to the triangle and its box, by whole numbers.
func (r *triangle) inside(x, y int) (covered uint8) {
	for k := range 4 {
		px, py := x+k&1, y+k>>1
		in := px >= r.x0 && px <= r.x1 && py >= r.y0 && py <= r.y1
		for i, e := range r.edges(px, py) {
			in = in && e >= r.inclusive[i]
		}
		if in {
			covered |= 1 << k
		}
	}
	return covered
}

// TestQuadDepths: depths of quads are tested, and written, as those of lanes one after the other: also where quads lie over each other.
func TestQuadDepths(t *testing.T) {
	if !hasQuads {
		t.Skip("there is no assembly for this processor: nothing is tested")
	}
	rnd := rand.New(rand.NewPCG(1, 9))
	passed := 0
	for n := range 2000 {
		cv := &Canvas{Width: 8, Height: 6, Depth: rowOf(rnd, 48)}
		d := &Call{Shader: &WaveShader{}, Depth: DepthTest{Func: Compare(n % 8)}}
		p := &painter{d: d, t: cv, compares: d.Depth.Func.table(), pairs: true}
		p.outcomes = p.compares.masks()
		w := &p.wave
		w.Lanes = 4 * (1 + rnd.IntN(ir.MaxLanes/4))
		z := rowOf(rnd, ir.MaxLanes)
		for lane := range z {
			if z[lane] != z[lane] || rnd.IntN(4) == 0 {
				z[lane] = cv.Depth[rnd.IntN(len(cv.Depth))]
			}
		}
		w.depth = [ir.MaxLanes]float32(z)
		for i := range w.quads {
			w.quads[i] = quad{x: 2 * rnd.IntN(4), y: 2 * rnd.IntN(3)}
		}
		lanes := rnd.Uint64() & (^uint64(0) >> (64 - w.Lanes))
		from, write := 4*rnd.IntN(w.Lanes/4), n%16 < 8
		before := slices.Clone(cv.Depth)
		got := p.test(from, lanes, write)
		depths := slices.Clone(cv.Depth)
		copy(cv.Depth, before)
		p.pairs = false
		want := p.test(from, lanes, write)
		if passed += int(got & 1); got != want || !slices.Equal(bitsOf(depths), bitsOf(cv.Depth)) {
			t.Fatalf("test %d from lane %d: %x of %x pass, want %x; depths %x, want %x", d.Depth.Func, from, got, lanes, want, bitsOf(depths), bitsOf(cv.Depth))
		}
	}
	if passed < 50 {
		t.Errorf("lane 0 passes %d times", passed)
	}
}
