package draw

import "github.com/heddle-gpu/heddle/ir"

// maxTile is the side of the tiles that a large picture is cut into, in pixels; even, for quads. Those of smaller ones are leastTile wide, so that there are
// enough of them for several workers.
const (
	maxTile   = 64
	leastTile = 32
	manyTiles = 64
)

// tileSide is the side of the tiles of a picture. The larger they are, the fewer triangles lie in several.
func (t *Canvas) tileSide() int {
	if t.Width*t.Height >= manyTiles*maxTile*maxTile {
		return maxTile
	}
	return leastTile
}

// A painter rasterises triangles in one tile at a time, packs their quads into waves, and writes what
// these leave.
type painter struct {
	wave   Wave
	d      *Call
	t      *Canvas
	runner ShaderRunner
	lanes  int
	sifted int // lanes whose depths have been tested before their program runs
	scan   scan

	crew ShaderCrew // nil: waves run one by one
	most int        // how many waves are begun before they run
	// Waves that have run, or of a crew that have begun: so many. The wave's quads are those of the next.
	flights [MostTogether]flight
	shots   [MostTogether]Shots // of flights
	begun   int

	coming coming // the tile behind this one

	side  int  // of tiles
	pairs bool // pixels of a quad are all in the canvas, whichever it is

	plain  bool // colours are written as they are
	paints bool // paintQuads writes them, to the canvas whose first pixel is color, rows pitch pixels apart
	color  *byte
	pitch  int

	compares compares
	monotone bool // a quad whose pixels all fail the depth test fails it later, too
	early    bool // depths are tested, and written, before programs run
	late     bool // or once they have run
	sifts    bool // quads may be taken out before
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

// A flight is the pixels of a wave.
type flight struct {
	quads   [ir.MaxLanes / 4]quad
	lanes   int
	covered uint64
	runs    []run // for faults
}

// pixel is where a lane is.
func (f *flight) pixel(lane int) (x, y int) { return placeOf(&f.quads, lane) }

// fly lets the wave's quads be those of a flight, behind so many that have begun.
func (p *painter) fly(begun int) {
	p.begun = begun
	if begun < p.most {
		p.wave.quads = &p.flights[begun].quads
	}
}

// use lets programs be run by a runner. Waves run one by one where what one leaves decides which quads of the next run, or more than its pixels is asked for
// behind it.
func (p *painter) use(r ShaderRunner) {
	p.runner, p.crew, p.most = r, nil, 1
	p.fly(0)
	if crew, ok := r.(ShaderCrew); ok && !p.late && p.d.Capture == nil {
		if p.most = crew.Together(); p.most > 1 {
			p.crew = crew
		}
	}
}

// tile draws the triangles with these numbers in their order, as far as they are in the tile with that left lower corner.
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

// quads goes through the quads of a triangle from the one at x, y on: columns more of them to the right, rows more of them up.
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

// found goes on with quads until the wave is full: s.found are those of which the triangle covers some pixels.
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

// full goes on with the next wave if this one has no room left.
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

// sift tests the depths of quads that have come since the last time, and takes those out of which nothing is left: with EarlyDepth pixels
// stay that pass, which have their depth written; else all of a quad or, if they all fail now, and so would later, nothing.
func (p *painter) sift() {
	if p.sifts && p.sifted != p.wave.Lanes {
		p.siftMore()
	}
}

// siftMore does, where there are such.
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

// quadsOf is a bit for each quad that some of the lanes belong to: the lowest of its four.
func quadsOf(lanes uint64) uint64 {
	lanes |= lanes >> 2
	return (lanes | lanes>>1) & 0x1111_1111_1111_1111
}
