package draw

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/heddle-gpu/heddle/ir"
)

// TestScan: the quads of a triangle in a tile, taken in any portions, are those with pixels inside all edges and
// the box, with the edge functions of integer arithmetic; with and without assembly.
func TestScan(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	cv := &Canvas{Width: 300, Height: 200}
	found, inside := 0, 0
	for range 4000 {
		d := &Call{Viewport: Viewport{X: rnd.IntN(3), Y: rnd.IntN(3), W: 290 + rnd.IntN(9), H: 190 + rnd.IntN(9)}, TopDown: rnd.IntN(2) == 0}
		var c [3]corner
		reach := int64(1) << (8 + rnd.IntN(15)) // up to the guard band
		for i := range c {
			c[i] = corner{x: int32(rnd.Int64N(2*reach) - reach/2), y: int32(rnd.Int64N(2*reach) - reach/2)}
		}
		if rnd.IntN(2) == 0 {
			toCentres(rnd, &c)
		}
		var r triangle
		if !d.setUp(&r, &c[0], &c[1], &c[2], 0, cv) {
			continue
		}
		x, y, x1, y1 := r.ends()
		x, y = max(x, rnd.IntN(5)*maxTile)&^1, max(y, rnd.IntN(3)*maxTile)&^1
		x1, y1 = min(x1, x/maxTile*maxTile+maxTile-1)&^1, min(y1, y/maxTile*maxTile+maxTile-1)&^1
		if x1 < x || y1 < y {
			continue
		}
		var plain scan
		plain.begin(&r, x, y, (x1-x)/2, (y1-y)/2)
		if plain.inside {
			inside++
		}
		plain.sameSpans(t, (x1-x)/2, (y1-y)/2)
		plain.sameStarts(t, x, y, x1-x+1, y1-y+1)
		ours := [2]scan{plain, plain}
		left := r.coveredQuads(x, y, x1, y1)
		for !plain.ended() {
			var got, want [3][ir.MaxLanes]float32
			var quads [ir.MaxLanes / 4]quad
			lane := 4 * rnd.IntN(ir.MaxLanes/4)
			plain.cover(&want, &quads, lane, ir.MaxLanes)
			for i, cover := range coverings() {
				got = [3][ir.MaxLanes]float32{}
				var places [ir.MaxLanes / 4]quad
				cover(&ours[i], &got, &places, lane, ir.MaxLanes)
				ours[i].same(t, &plain)
				plain.check(t, &r, &got, places[lane/4:], lane, left)
			}
			plain.check(t, &r, &want, quads[lane/4:], lane, left)
			left = left[plain.found:]
			found += plain.found
		}
		if len(left) > 0 {
			t.Fatalf("triangle %+v: %d quads are left, from %+v on", r, len(left), left[0])
		}
	}
	if found < 10_000 || inside < 100 {
		t.Errorf("only %d quads, %d tiles inside", found, inside)
	}
}

// toCentres moves corners to centres of pixels, some aligned along an axis, so that centres are on edges.
func toCentres(rnd *rand.Rand, c *[3]corner) {
	const half = 1 << (subBits - 1)
	for i := range c {
		c[i].x, c[i].y = c[i].x&^(2*half-1)+half, c[i].y&^(2*half-1)+half
	}
	if rnd.IntN(2) == 0 {
		c[1].x = c[0].x
	}
	if rnd.IntN(2) == 0 {
		c[2].y = c[1].y
	}
}

// sameSpans compares the spans of a scan with those of the Go version.
func (s *scan) sameSpans(t *testing.T, columns, rows int) {
	t.Helper()
	if !hasVectors() || columns < fewestSpans || s.ended() {
		return
	}
	want := *s
	want.spans(columns, rows)
	if !slices.Equal(s.firsts[:rows+1], want.firsts[:rows+1]) || !slices.Equal(s.lasts[:rows+1], want.lasts[:rows+1]) {
		t.Fatalf("slopes %+v: rows from %v to %v, want %v to %v", s.slopes, s.firsts[:rows+1], s.lasts[:rows+1], want.firsts[:rows+1], want.lasts[:rows+1])
	}
}

// sameStarts compares the start of the scan at a pixel with the Go version.
func (s *scan) sameStarts(t *testing.T, x, y, wide, high int) {
	t.Helper()
	want := *s
	outside, crossed := want.starts(x, y, wide, high)
	if s.start != want.start || s.down != want.down || s.ended() != (outside != 0) || !s.ended() && s.inside && crossed != 0 {
		t.Fatalf("from %d, %d: starts at %v, %v down, ended %v, inside %v; want %v, %v, outside of %b, crossed by %b", x, y, s.start, s.down, s.ended(), s.inside,
			want.start, want.down, outside, crossed)
	}
	if !hasVectors() {
		return
	}
	got := *s
	if o, c := startQuads(&got, x, y, wide, high); o != outside || c != crossed || got.start != want.start || got.down != want.down {
		t.Fatalf("from %d, %d: outside of %b, crossed by %b, want %b and %b", x, y, o, c, outside, crossed)
	}
}

// coverings are the versions of cover in assembly that this machine can run.
func coverings() (list []func(s *scan, e *[3][ir.MaxLanes]float32, quads *[ir.MaxLanes / 4]quad, lane, lanes int)) {
	if hasVectors() {
		list = append(list, coverQuads)
	}
	if hasWide() {
		list = append(list, coverWide)
	}
	return list
}

// same compares the results and the position of two scans.
func (s *scan) same(t *testing.T, want *scan) {
	t.Helper()
	within := !want.ended() && want.column <= int(want.lasts[want.row])
	if s.ended() != want.ended() || !s.ended() && (s.row != want.row || s.start != want.start) || within && (s.column != want.column || s.at != want.at) ||
		!within && !s.ended() && s.column <= int(s.lasts[s.row]) || s.found != want.found || s.covered != want.covered {
		t.Fatalf("%+v, want %+v", s, want)
	}
}

// coveredQuads returns the quads with pixels in the triangle, from x, y to x1, y1.
func (r *triangle) coveredQuads(x, y, x1, y1 int) (list []quad) {
	for at := y; at <= y1; at += 2 {
		for column := x; column <= x1; column += 2 {
			if r.inside(column, at) != 0 {
				list = append(list, quad{int32(column), int32(at)})
			}
		}
	}
	return list
}

// check compares the quads that were found with the expected ones, and the lanes starting at one with integer
// arithmetic.
func (s *scan) check(t *testing.T, r *triangle, got *[3][ir.MaxLanes]float32, quads []quad, lane int, next []quad) {
	t.Helper()
	for n := range s.found {
		x, y, covered := int(quads[n].x), int(quads[n].y), uint8(s.covered>>(lane+4*n)&15)
		if n >= len(next) || next[n] != quads[n] || covered != r.inside(x, y) {
			t.Fatalf("triangle %+v: quad %d is at %d, %d, pixels %b: %+v", r, n, x, y, covered, next)
		}
		for k := range 4 {
			for i, e := range r.edges(x+k&1, y+k>>1) {
				if at := lane + 4*n + k; got[i][at] != float32(math.Ldexp(float64(e), 1-bits.Len64(uint64(r.area)))) {
					t.Fatalf("edge %d of lane %d is %g, want %d of the unit of area %d", i, at, got[i][at], e, r.area)
				}
			}
		}
	}
}

// inside returns which pixels of a quad are in the triangle and its box, by integer arithmetic.
func (r *triangle) inside(x, y int) (covered uint8) {
	x0, y0, x1, y1 := r.ends()
	for k := range 4 {
		px, py := x+k&1, y+k>>1
		in := px >= x0 && px <= x1 && py >= y0 && py <= y1
		for i, e := range r.edges(px, py) {
			in = in && (e > 0 || e == 0 && r.least[i] == 0)
		}
		if in {
			covered |= 1 << k
		}
	}
	return covered
}

// TestQuadDepths: depths of quads are tested, and written, as those of lanes one after the other, also if quads
// overlap.
func TestQuadDepths(t *testing.T) {
	if !hasVectors() {
		t.Skip("there is no assembly for this processor: nothing is tested")
	}
	rnd := rand.New(rand.NewPCG(1, 9))
	passed := 0
	for n := range 2000 {
		cv := &Canvas{Width: 18, Height: 6, Depth: rowOf(rnd, 18*6)}
		d := &Call{Shader: &WaveShader{}, Depth: DepthTest{Func: Compare(n % 8)}}
		p := &painter{d: d, t: cv, compares: d.Depth.Func.table(), pairs: true}
		w := &p.wave
		w.waveRows, w.quads, w.vectors = new(waveRows), &p.flights[0].quads, true
		w.Lanes = 4 * (1 + rnd.IntN(ir.MaxLanes/4))
		z := rowOf(rnd, ir.MaxLanes)
		for lane := range z {
			if z[lane] != z[lane] || rnd.IntN(4) == 0 {
				z[lane] = cv.Depth[rnd.IntN(len(cv.Depth))]
			}
		}
		w.depth = [ir.MaxLanes]float32(z)
		someQuads(rnd, w.quads)
		lanes := rnd.Uint64() & (^uint64(0) >> (64 - w.Lanes))
		if n%5 == 0 {
			lanes |= ^uint64(0) >> (64 - w.Lanes)
		}
		from, write := 4*rnd.IntN(w.Lanes/4), n%16 < 8
		before := slices.Clone(cv.Depth)
		p.pairs = false
		want := p.test(from, lanes, write)
		depths := slices.Clone(cv.Depth)
		p.pairs = true
		for _, w.wide = range ways() {
			copy(cv.Depth, before)
			got := p.test(from, lanes, write)
			if passed += int(got & 1); got != want || !slices.Equal(bitsOf(depths), bitsOf(cv.Depth)) {
				t.Fatalf("test %d from lane %d: %x of %x pass, want %x; depths %x, want %x", d.Depth.Func, from, got, lanes, want, bitsOf(cv.Depth), bitsOf(depths))
			}
		}
	}
	if passed < 50 {
		t.Errorf("lane 0 passes %d times", passed)
	}
}

// ways are without and, if this machine has them, with vectors of 512 bits.
func ways() []bool { return []bool{false, true}[:1+len(coverings())/2] }

// someQuads are quads of a canvas 18 pixels wide and 6 high, each anywhere or next to the previous one.
func someQuads(rnd *rand.Rand, quads *[ir.MaxLanes / 4]quad) {
	for i := range quads {
		quads[i] = quad{2 * rnd.Int32N(9), 2 * rnd.Int32N(3)}
		if i > 0 && quads[i-1].x < 16 && rnd.IntN(8) > 0 {
			quads[i] = quad{quads[i-1].x + 2, quads[i-1].y}
		}
	}
}

// TestQuadPixels: pixels of quads are written as those of lanes.
func TestQuadPixels(t *testing.T) {
	if !hasQuads {
		t.Skip("there is no assembly for this processor: nothing is tested")
	}
	rnd := rand.New(rand.NewPCG(2, 9))
	for n := range 2000 {
		cv, pitch := &Canvas{Width: 40, Height: 6, Turned: n%2 == 1, Color: make([]byte, 4*40*6)}, 40
		if cv.Turned {
			pitch = -pitch
		}
		for i := range cv.Color {
			cv.Color[i] = byte(rnd.Uint32())
		}
		p := &painter{t: cv}
		w := &p.wave
		w.waveRows, w.quads = new(waveRows), &p.flights[0].quads
		w.Lanes = 4 * (1 + rnd.IntN(ir.MaxLanes/4))
		someQuads(rnd, w.quads)
		channels, truncate := [4][]uint32{}, n%3 == 0
		for k := range channels {
			channels[k] = bitsOf(rowOf(rnd, ir.MaxLanes))
		}
		plainBytes(w.pixels[:], &channels, truncate)
		lanes := (rnd.Uint64() | rnd.Uint64()) & (^uint64(0) >> (64 - w.Lanes))
		if n%8 < 2 {
			lanes |= ^uint64(0) >> (64 - w.Lanes)
		}
		if k := n % 8; k == 1 || k == 2 { // a row of quads, possibly without one
			w.Lanes, lanes = ir.MaxLanes, ^uint64(0)
			x, y := 2*rnd.Int32N(5), 2*rnd.Int32N(3)
			for i := range w.quads {
				w.quads[i] = quad{x + 2*int32(i), y}
			}
			if n%16 < 8 {
				w.quads[rnd.IntN(16)] = quad{2 * rnd.Int32N(20), 2 * rnd.Int32N(3)}
			}
		}
		before := slices.Clone(cv.Color)
		p.store(&flight{quads: *w.quads}, lanes)
		want := slices.Clone(cv.Color)
		for _, wide := range ways() {
			copy(cv.Color, before)
			store := storeQuads
			if wide {
				store = storeWide
			}
			if store(w.quads, &cv.Color[4*cv.rowOf(0)], pitch, w.Lanes, lanes, &p.wave.pixels); !slices.Equal(cv.Color, want) {
				t.Fatalf("lanes %x of %+v: %x, want %x", lanes, w.quads, cv.Color, want)
			}
		}
		if !hasVectors() {
			continue
		}
		copy(cv.Color, before)
		if paintQuads(w.quads, &cv.Color[4*cv.rowOf(0)], pitch, w.Lanes, lanes, &channels, truncate); !slices.Equal(cv.Color, want) {
			t.Fatalf("colours of lanes %x of %+v: %x, want %x", lanes, w.quads, cv.Color, want)
		}
	}
}

// edges returns the edge functions at the centre of a pixel as integers: corner i has the weight e[i]/area.
func (r *triangle) edges(x, y int) (e [3]int64) {
	for i := range e {
		a, b := &r.c[(i+1)%3], &r.c[(i+2)%3]
		e[i] = int64(b.x-a.x)*(int64(y)*sub+sub/2-int64(a.y)) - int64(b.y-a.y)*(int64(x)*sub+sub/2-int64(a.x))
	}
	return e
}

// TestPack: packing with and without assembly gives the same quads.
func TestPack(t *testing.T) {
	if !hasQuads {
		t.Skip("there is no assembly for this processor: nothing is tested")
	}
	rnd := rand.New(rand.NewPCG(4, 21))
	for range 2000 {
		var quads [2][ir.MaxLanes / 4]quad
		someQuads(rnd, &quads[0])
		var rows [2]waveRows
		for i := range rows[0].e {
			rows[0].e[i] = [ir.MaxLanes]float32(rowOf(rnd, ir.MaxLanes))
		}
		rows[0].depth = [ir.MaxLanes]float32(rowOf(rnd, ir.MaxLanes))
		rows[1], quads[1] = rows[0], quads[0]
		to := 4 * rnd.IntN(ir.MaxLanes/4)
		left := (rnd.Uint64() & rnd.Uint64()) >> to << to
		stay := quadsOf(left)
		got, want := packQuads(&rows[0], &quads[0], to, stay, left), plainPack(&rows[1], &quads[1], to, stay, left)
		if n := bits.OnesCount64(left); got != want || bits.OnesCount64(got) != n {
			t.Fatalf("from lane %d: lanes %x are %x, want %x", to, left, got, want)
		}
		same := quads[0] == quads[1] && slices.Equal(bitsOf(rows[0].depth[:]), bitsOf(rows[1].depth[:]))
		for i := range rows[0].e {
			same = same && slices.Equal(bitsOf(rows[0].e[i][:]), bitsOf(rows[1].e[i][:]))
		}
		if !same {
			t.Fatalf("from lane %d, of lanes %x: %v %v, want %v %v", to, left, quads[0], rows[0].depth, quads[1], rows[1].depth)
		}
	}
}
