package draw

import (
	"math"
	"math/bits"
	"slices"

	"github.com/heddle-gpu/heddle/ir"
)

// A Wave is the fragments that run together: whole quads, of one triangle or several. Lanes 4q to 4q+3 are the
// pixels (x,y) (x+1,y) (x,y+1) (x+1,y+1) of quad q. Rows of values, one per lane, are computed on first use.
type Wave struct {
	*waveRows

	Lanes   int    // a multiple of 4, at most ir.MaxLanes
	Covered uint64 // lanes that their triangle covers; the others are helper lanes, for their neighbours' derivatives

	call      *Call
	outs      *outs
	drawing   *drawing // nil: none, as in tests
	low, high float32  // depths of the viewport
	vectors   bool     // hasVectors
	wide      bool     // hasWide
	between   uint32   // varyings that are interpolated between the corners, bit n for varying n
	quads     *[ir.MaxLanes / 4]quad
	runs      []run      // of quads of one triangle
	frags     []Fragment // in draws with Weights always, otherwise once Each needs them
	results   []FragmentOut

	depths          int  // number of lanes, from 0, whose depth is known
	weights, shares bool // invW, p are known

	mixes uint32 // varyings that have been interpolated, bit n for mixed[n]
}

// waveRows are the rows of a wave. They are a separate allocation, because objects of this size without pointers
// begin at a cache line; those with pointers do not.
type waveRows struct {
	e           [3][ir.MaxLanes]float32 // edge functions
	depth, invW [ir.MaxLanes]float32
	p           [2][ir.MaxLanes]float32 // weights of the second and third corner in varyings
	mixed       [Varyings]vector        // varyings; those not in mixes are of earlier waves
	pixels      [ir.MaxLanes]uint32     // as they are stored
}

// A vector is the components of a varying, as bits, one per lane.
type vector [4][ir.MaxLanes]uint32

// A quad is the position of the first of four pixels of a triangle.
type quad struct{ x, y int32 }

// A run is consecutive lanes of one triangle.
type run struct {
	r        *triangle
	from, to int
}

// clear removes all quads.
func (w *Wave) clear() {
	w.Lanes, w.Covered, w.depths, w.weights, w.shares, w.mixes, w.runs = 0, 0, 0, false, false, 0, w.runs[:0]
}

// keep removes the quads from a lane on that have none of the lanes left, and returns the number of lanes that
// remain. Only depths are known at that point, except with Weights.
func (w *Wave) keep(from int, left uint64) int {
	left = left >> from << from
	stay := quadsOf(left)
	to, runs := from, w.runs
	w.runs = w.runs[:0]
	for _, run := range runs {
		if run.to <= from {
			w.runs = append(w.runs, run)
			continue
		}
		if run.from < from {
			w.extend(run.r, run.from, from)
		}
		if n := 4 * bits.OnesCount64(stay&(1<<run.to-1)>>max(run.from, from)); n > 0 {
			w.extend(run.r, to, to+n)
			to += n
		}
	}
	covered := packQuads(w.waveRows, w.quads, from, stay, left)
	if w.call.Weights {
		w.packWeighed(from, stay)
	}
	w.Covered = w.Covered&(1<<from-1) | covered
	w.Lanes, w.depths = to, to
	return to
}

// plainPack moves the quads of the lanes stay together, starting at a lane: edge functions, depths and places. It
// returns the lanes of left at their new positions.
func plainPack(w *waveRows, quads *[ir.MaxLanes / 4]quad, to int, stay, left uint64) (covered uint64) {
	for ; stay != 0; stay &= stay - 1 {
		from := bits.TrailingZeros64(stay)
		quads[to/4] = quads[from/4]
		for _, row := range [...]*[ir.MaxLanes]float32{&w.e[0], &w.e[1], &w.e[2], &w.depth} {
			*(*[4]float32)(row[to:]) = *(*[4]float32)(row[from:])
		}
		covered |= left >> from & 15 << to
		to += 4
	}
	return covered
}

// packWeighed does the rest with Weights.
func (w *Wave) packWeighed(to int, stay uint64) {
	for ; stay != 0; stay &= stay - 1 {
		from := bits.TrailingZeros64(stay)
		*(*[4]float32)(w.invW[to:]) = *(*[4]float32)(w.invW[from:])
		copy(w.frags[to:to+4], w.frags[from:from+4])
		to += 4
	}
}

// extend adds lanes after the last to the runs of their triangle.
func (w *Wave) extend(r *triangle, from, to int) {
	if n := len(w.runs); n == 0 || w.runs[n-1].r != r {
		w.runs = append(w.runs, run{r, from, to})
	}
	w.runs[len(w.runs)-1].to = to
}

// take adds quads that have been found in a triangle, whose places and edge functions are already stored.
func (w *Wave) take(r *triangle, s *scan) {
	from := w.Lanes
	w.Lanes += 4 * s.found
	w.Covered |= s.covered
	w.extend(r, from, w.Lanes)
	for lane := from; lane < w.Lanes && w.call.Weights; lane += 4 {
		w.weigh(lane)
	}
}

// weigh computes all inputs of a quad in a draw with Weights.
func (w *Wave) weigh(from int) {
	q, r := &w.quads[from/4], w.triangle(from)
	w.frags = slices.Grow(w.frags[:from], 4)[:from+4]
	for i := range 4 {
		f := &w.frags[from+i]
		*f = Fragment{X: int(q.x) + i&1, Y: int(q.y) + i>>1, tri: r, call: w.call, outs: w.outs}
		r.weigh(f)
		f.Depth = max(w.low, min(f.Depth, w.high))
		w.depth[from+i], w.invW[from+i] = f.Depth, f.InvW
	}
	w.depths, w.weights, w.shares = w.Lanes, true, true
}

// Depth returns the depths in the window. Without Weights all interpolation is in float32, each step
// rounded:
//
//	depth = (z0 + e1*((z1-z0)/area)) + e2*((z2-z0)/area), 1/w likewise
//	b[i] = e[i] * ((1/w)[i]/area)   p[i] = b[i] / ((b0+b1)+b2)
//	value = (v0 + p1*(v1-v0)) + p2*(v2-v0)
//
// so that a value that is equal at all corners is the same inside. e and area are in the unit of their triangle (see
// unitOf). Helper lanes use the same formulas, beyond the edge.
func (w *Wave) Depth() []float32 {
	if w.depths == w.Lanes {
		return w.depth[:w.Lanes]
	}
	row := w.depth[w.depths:w.Lanes]
	switch {
	case !(w.low <= w.high):
		plainDepths(w)
		plainClamp(row, w.low, w.high)
	case w.wide:
		depthWide(w)
	case w.vectors:
		depthRuns(w)
	default:
		plainDepths(w)
		clampRow(row, w.low, w.high)
	}
	w.depths = w.Lanes
	return w.depth[:w.Lanes]
}

// InvW returns 1/w, linear in the window.
func (w *Wave) InvW() []float32 {
	switch {
	case w.weights:
	case w.wide:
		weightWide(w)
	case w.vectors:
		weightRuns(w)
	default:
		plainWeights(w)
	}
	w.weights = true
	return w.invW[:w.Lanes]
}

// OverW fills a row with component k of varying n, as Component does, times 1/w unless that is 0.
func (w *Wave) OverW(row *[ir.MaxLanes]uint32, n, k int) {
	from := row
	if w.interpolates(n) {
		from = &w.vector(n)[k&3]
		clear(row[w.Lanes:])
	} else {
		w.Component(row[:], n, k)
	}
	switch {
	case w.wide:
		scaleWide(row[:w.Lanes], from[:], w.InvW())
	case w.vectors:
		scaleRow(row[:w.Lanes], from[:], w.InvW())
	default:
		plainScale(row[:w.Lanes], from[:], w.InvW())
	}
}

// persp computes the weights of the second and third corner in varyings.
func (w *Wave) persp() {
	switch {
	case w.shares:
	case w.wide:
		shareWide(w)
	case w.vectors:
		shareRuns(w)
	default:
		plainShares(w)
	}
	w.shares = true
}

// Component fills a row with component k of varying n, as bits. Lanes beyond the fragments become 0, and so do all
// lanes of a varying that fragments do not read and in draws with Weights.
func (w *Wave) Component(row []uint32, n, k int) {
	if !w.Uses(n) || w.call.Weights {
		clear(row)
		return
	}
	clear(row[w.Lanes:])
	if w.call.Flat>>n&1 == 0 {
		copy(row[:w.Lanes], w.vector(n)[k&3][:])
		return
	}
	for i := range w.runs {
		run := &w.runs[i]
		to, r := row[run.from:run.to], run.r
		for lane := range to {
			to[lane] = math.Float32bits(w.outs.of(r.flat, n)[k])
		}
	}
}

// interpolates reports whether a varying is interpolated between the corners.
func (w *Wave) interpolates(n int) bool { return w.between>>n&1 != 0 }

// Vector fills rows with the components of varying n, as Component does with one.
func (w *Wave) Vector(rows *[4][ir.MaxLanes]uint32, n int) {
	if !w.interpolates(n) {
		for k := range rows {
			w.Component(rows[k][:], n, k)
		}
		return
	}
	w.mix((*vector)(rows), n)
	if w.Lanes < ir.MaxLanes {
		for k := range rows {
			clear(rows[k][w.Lanes:])
		}
	}
}

// vector returns the components of varying n, as bits. They are computed together on first use.
func (w *Wave) vector(n int) *vector {
	to := &w.mixed[n&(Varyings-1)]
	if w.mixes>>n&1 != 0 {
		return to
	}
	w.mixes |= 1 << n
	w.mix(to, n)
	return to
}

// mix computes the components of varying n in the lanes of quads.
func (w *Wave) mix(to *vector, n int) {
	if !w.vectors {
		w.persp()
		plainVector(w, to, n)
		return
	}
	first, stride := w.outs.of(0, n), 16*w.outs.size
	switch {
	case w.wide && w.shares:
		mixWide(w, to, first, stride)
	case w.wide:
		firstWide(w, to, first, stride)
	case w.shares:
		mixRuns(w, to, first, stride)
	default:
		firstRuns(w, to, first, stride)
	}
	w.shares = true
}

// Used returns the varyings that fragments read, bit n for varying n.
func (w *Wave) Used() uint32 { return w.outs.used & (1<<Varyings - 1) }

// Uses reports whether fragments read a varying. It is the same for all waves of a draw.
func (w *Wave) Uses(n int) bool { return w.outs.used>>n&1 != 0 }

// Pixel returns the position of a lane.
func (w *Wave) Pixel(lane int) (x, y int) { return placeOf(w.quads, lane) }

func placeOf(quads *[ir.MaxLanes / 4]quad, lane int) (x, y int) {
	q := &quads[lane/4]
	return int(q.x) + lane&1, int(q.y) + lane>>1&1
}

// triangle returns that of a lane.
func (w *Wave) triangle(lane int) *triangle {
	for i := range w.runs {
		if lane < w.runs[i].to {
			return w.runs[i].r
		}
	}
	panic("draw: a lane of no triangle")
}

// Facing returns the lanes whose triangle faces the viewer.
func (w *Wave) Facing() (lanes uint64) {
	for i := range w.runs {
		if run := &w.runs[i]; run.r.front {
			lanes |= 1<<run.to - 1<<run.from
		}
	}
	return lanes
}

// Centres fills rows with the centres of pixels, as bits of floats; lanes beyond the fragments become 0.
func (w *Wave) Centres(x, y *[ir.MaxLanes]uint32) {
	centreRows(x, y, w.quads, w.Lanes/4)
	clear(x[w.Lanes:])
	clear(y[w.Lanes:])
}

// Front reports whether the triangle of a lane faces the viewer.
func (w *Wave) Front(lane int) bool { return w.triangle(lane).front }

// Area returns the area of the triangle of a lane in pixels, negative if it is clockwise.
func (w *Wave) Area(lane int) float32 { return w.triangle(lane).signed }

// Setup returns the triangle of the first quad: of all of them, if the draw has waves of one triangle.
func (w *Wave) Setup() Setup { return newSetup(w.runs[0].r, w.call, w.outs) }

// Fragment returns the input of a lane.
func (w *Wave) Fragment(lane int) Fragment {
	if w.call.Weights {
		f := w.frags[lane]
		f.Covered = w.Covered>>lane&1 != 0
		return f
	}
	w.persp()
	x, y := w.Pixel(lane)
	r := w.triangle(lane)
	return Fragment{X: x, Y: y, Covered: w.Covered>>lane&1 != 0, Front: r.front, Depth: w.Depth()[lane], InvW: w.InvW()[lane], Area: r.signed,
		tri: r, call: w.call, outs: w.outs, p: [2]float32{w.p[0][lane], w.p[1][lane]}}
}

// Each calls run for the fragments, and stores its results, for shaders that work lane by lane.
func (w *Wave) Each(out *WaveOut, run func(in []Fragment, out []FragmentOut) error) error {
	if w.call.Weights {
		for lane := range w.frags[:w.Lanes] {
			w.frags[lane].Covered = w.Covered>>lane&1 != 0
		}
	} else {
		w.frags = append(w.frags[:0], make([]Fragment, w.Lanes)...)
		for lane := range w.frags {
			w.frags[lane] = w.Fragment(lane)
		}
	}
	if w.results == nil {
		w.results = make([]FragmentOut, ir.MaxLanes)
	}
	out.Each = w.results[:w.Lanes]
	return run(w.frags[:w.Lanes], out.Each)
}
