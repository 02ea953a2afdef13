package draw

import "github.com/heddle-gpu/heddle/ir"

// maxTile is the side of the tiles of a large picture, in pixels; even, for quads. Those of small pictures are
// leastTile wide, so that there are enough of them for several workers.
const (
	maxTile   = 64
	leastTile = 32
	manyTiles = 64
)

// tileSide is the side of the tiles of a picture. The larger they are, the fewer triangles are in several.
func (t *Canvas) tileSide() int {
	if t.Width*t.Height >= manyTiles*maxTile*maxTile {
		return maxTile
	}
	return leastTile
}

// A painter rasterises triangles in one tile at a time, packs their quads into waves, and writes the results.
type painter struct {
	wave   Wave
	d      *Call
	t      *Canvas
	runner ShaderRunner
	lanes  int
	sifted int // lanes whose depths have been tested before their program runs
	scan   scan

	batch BatchRunner // nil: waves run one at a time
	most  int         // number of waves that are begun before they run
	// The waves that have run, or that have been begun, and their number. The wave's quads are those of the next
	// one.
	flights [MaxBatch]flight
	results [MaxBatch]WaveOut // of flights
	begun   int

	prefetch prefetch // the next tile

	side  int  // of tiles
	pairs bool // both rows of every quad are in the canvas

	plain  bool // colours are written without blending or mask
	paints bool // paintQuads writes the colours, to the canvas whose first pixel is color, with rows pitch pixels apart
	color  *byte
	pitch  int

	compares compares
	monotone bool // a quad whose pixels all fail the depth test would also fail it later
	early    bool // depths are tested, and written, before programs run
	late     bool // or after
	sifts    bool // quads may be removed before
}

func newPainter(d *Call, t *Canvas, o *outs) *painter {
	_, lanes := d.Shader.Lanes()
	p := &painter{d: d, t: t, lanes: lanes, side: t.tileSide(), compares: d.Depth.Func.table(), monotone: d.Depth.Func.monotone() && !d.LateDepth}
	if d.Depth != (DepthTest{}) {
		p.early, p.late = d.EarlyDepth, !d.EarlyDepth
	}
	n := t.Width * t.Height
	p.pairs = t.Width%2 == 0 && t.Height%2 == 0 && len(t.Depth) >= n && (len(t.Targets) > 0 || len(t.Color) >= 4*n)
	p.sifts = p.early || p.late && p.monotone
	p.plain = d.Capture == nil && !d.Blend.On && d.Mask == 0 && len(t.Targets) == 0
	if p.plain && p.pairs {
		p.paints = hasQuads && hasVectors() && !hasWide()
		p.color, p.pitch = &t.Color[4*t.rowOf(0)], t.pitch()
	}
	if !d.Weights {
		p.wave.between = o.used &^ d.Flat
	}
	near, far := d.Viewport.depths()
	p.wave.waveRows = new(waveRows)
	p.wave.vectors, p.wave.wide, p.wave.call, p.wave.outs, p.wave.low, p.wave.high = hasVectors(), hasWide(), d, o, min(near, far), max(near, far)
	return p
}

// A flight is a wave whose pixels are not written yet.
type flight struct {
	quads   [ir.MaxLanes / 4]quad
	lanes   int
	covered uint64
	runs    []run // for faults
}

// pixel returns the position of a lane.
func (f *flight) pixel(lane int) (x, y int) { return placeOf(&f.quads, lane) }

// fly makes the wave's quads those of the flight after those that have been begun.
func (p *painter) fly(begun int) {
	p.begun = begun
	if begun < p.most {
		p.wave.quads = &p.flights[begun].quads
	}
}

// use sets the runner of programs. Waves run one at a time if the result of one decides which quads of the next
// run, or if more than its pixels is needed afterwards.
func (p *painter) use(r ShaderRunner) {
	p.runner, p.batch, p.most = r, nil, 1
	p.fly(0)
	if batch, ok := r.(BatchRunner); ok && !p.late && p.d.Capture == nil {
		if p.most = batch.BatchSize(); p.most > 1 {
			p.batch = batch
		}
	}
}

// tile draws the triangles with these numbers in their order, clipped to the tile with that lower left corner.
func (p *painter) tile(x, y int, all blocks, list []uint32) error {
	if len(list) == 0 {
		return nil
	}
	what := uint8(colorWaits)
	if p.d.Depth != (DepthTest{}) {
		what |= depthWaits
	}
	p.t.open(x, y, what)
	for _, n := range list {
		r := all.at(n)
		x0, y0, x1, y1 := r.ends()
		x0, x1 = max(x0, x)&^1, min(x1, x+p.side-1)
		y0, y1 = max(y0, y)&^1, min(y1, y+p.side-1)
		if err := p.quads(r, x0, y0, (x1-x0)/2, (y1-y0)/2); err != nil {
			return err
		}
	}
	return p.flush()
}

// quads processes the quads of a triangle starting at x, y: columns more of them to the right, rows more of them
// up.
func (p *painter) quads(r *triangle, x, y, columns, rows int) error {
	w, s := &p.wave, &p.scan
	if p.d.ByTriangle && w.Lanes > 0 {
		if err := p.next(); err != nil {
			return err
		}
	}
	for s.begin(r, x, y, columns, rows); !s.ended(); {
		if p.found(); s.found == 0 {
			continue
		}
		w.take(r, s)
		if err := p.full(); err != nil {
			return err
		}
	}
	return nil
}

// found adds quads until the wave is full. s.found is the number of quads of which the triangle covers some pixels.
func (p *painter) found() {
	switch {
	case p.wave.wide:
		coverWide(&p.scan, &p.wave.e, p.wave.quads, p.wave.Lanes, p.lanes)
	case p.wave.vectors:
		coverQuads(&p.scan, &p.wave.e, p.wave.quads, p.wave.Lanes, p.lanes)
	default:
		p.scan.cover(&p.wave.e, p.wave.quads, p.wave.Lanes, p.lanes)
	}
}

// full starts the next wave if this one is full.
func (p *painter) full() error {
	w := &p.wave
	if w.Lanes < p.lanes {
		return nil
	}
	if p.sift(); w.Lanes < p.lanes {
		return nil
	}
	return p.next()
}

// next runs the wave, or begins it if others are to run with it.
func (p *painter) next() error {
	if p.begun+1 >= p.most {
		return p.flush()
	}
	if p.sift(); p.wave.Lanes == 0 {
		return nil
	}
	return p.launch()
}

// sift tests the depths of quads that were added since the last call, and removes quads without remaining pixels:
// with EarlyDepth pixels that pass stay, and their depth is written; otherwise a quad stays as a whole or is
// removed if all its pixels fail now, and would fail later.
func (p *painter) sift() {
	if p.sifts && p.sifted != p.wave.Lanes {
		p.siftMore()
	}
}

// siftMore does so if there are any.
func (p *painter) siftMore() {
	w := &p.wave
	w.Depth()
	passed := p.test(p.sifted, w.Covered, p.early && p.d.Depth.Write)
	in := w.Covered >> p.sifted << p.sifted
	quads := quadsOf(passed)
	if !p.early {
		passed = quads * 15 & in
	}
	if quads == quadsOf(in) {
		w.Covered, p.sifted = w.Covered&^in|passed, w.Lanes
		return
	}
	p.sifted = w.keep(p.sifted, passed)
}

// quadsOf returns the quads that contain some of the lanes, as the lowest of the four bits of each.
func quadsOf(lanes uint64) uint64 {
	lanes |= lanes >> 2
	return (lanes | lanes>>1) & 0x1111_1111_1111_1111
}
