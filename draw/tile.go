package draw

import "github.com/heddle-gpu/heddle/ir"

// tileSide is the side of the tiles that the picture is cut into, in pixels; even, for quads.
const tileSide = 32

// A painter rasterises triangles in one tile at a time, packs their quads into waves, and writes what
// these leave.
type painter struct {
	d      *Call
	t      *Canvas
	runner ShaderRunner
	wave   Wave
	out    Shots
	pixels [ir.MaxLanes]uint32
	lanes  int
	sifted int // lanes whose depths have been tested before their program runs

	compares compares
	monotone bool // a quad whose pixels all fail the depth test fails it later, too
	late     bool // depths are tested once programs have run
}

func newPainter(d *Call, t *Canvas) *painter {
	_, lanes := d.Shader.Lanes()
	p := &painter{d: d, t: t, lanes: lanes, compares: d.Depth.Func.table(), monotone: d.Depth.Func.monotone() && !d.LateDepth,
		late: !d.EarlyDepth && d.Depth != DepthTest{}}
	near, far := d.Viewport.depths()
	p.wave.call, p.wave.used, p.wave.low, p.wave.high = d, d.used(), min(near, far), max(near, far)
	return p
}

// tile draws the triangles in their order, as far as they are in the tile with that left lower corner.
func (p *painter) tile(x, y int, list []*triangle) error {
	for _, r := range list {
		x0, x1 := max(r.x0, x)&^1, min(r.x1, x+tileSide-1)
		y0, y1 := max(r.y0, y)&^1, min(r.y1, y+tileSide-1)
		if err := p.quads(r, x0, y0, (x1-x0)/2, (y1-y0)/2); err != nil {
			return err
		}
	}
	return p.flush()
}

// quads goes through the quads of a triangle from the one at x, y on: columns more of them to the right, rows more of them up.
func (p *painter) quads(r *triangle, x, y, columns, rows int) error {
	e := r.edges(x, y)
	var best, least, most [3]int64 // an edge function is that much more in a quad, at most and at least, and in a row of quads, than at the first pixel
	for i := range e {
		best[i] = max(r.stepX[i], 0) + max(r.stepY[i], 0) - r.inclusive[i]
		least[i] = min(r.stepX[i], 0) + min(r.stepY[i], 0) - r.inclusive[i]
		most[i] = best[i] + max(2*int64(columns)*r.stepX[i], 0)
	}
	for row := 0; row <= rows; row++ {
		if (e[0]+most[0])|(e[1]+most[1])|(e[2]+most[2]) >= 0 {
			at := e
			for column := 0; column <= columns; column++ {
				// a sum below 0 has all pixels of the quad on the wrong side, or one of them
				if (at[0]+best[0])|(at[1]+best[1])|(at[2]+best[2]) >= 0 {
					covered := 0b1111
					if (at[0]+least[0])|(at[1]+least[1])|(at[2]+least[2]) < 0 {
						covered = r.coverage(&at)
					}
					if covered = r.box(x+2*column, y, covered); covered != 0 {
						if err := p.quad(r, x+2*column, y, &at, covered); err != nil {
							return err
						}
					}
				}
				at[0] += 2 * r.stepX[0]
				at[1] += 2 * r.stepX[1]
				at[2] += 2 * r.stepX[2]
			}
		}
		y += 2
		for i := range e {
			e[i] += 2 * r.stepY[i]
		}
	}
	return nil
}

// coverage is which pixels of a quad belong to the triangle, bit by bit. at are edge functions at its first.
func (r *triangle) coverage(at *[3]int64) (covered int) {
	e := *at
	covered = r.covers(&e)
	for i := range e {
		e[i] += r.stepX[i]
	}
	covered |= r.covers(&e) << 1
	for i := range e {
		e[i] += r.stepY[i]
	}
	covered |= r.covers(&e) << 3
	for i := range e {
		e[i] -= r.stepX[i]
	}
	return covered | r.covers(&e)<<2
}

// box takes those pixels of the quad at x, y away that are not in the box of the triangle.
func (r *triangle) box(x, y, covered int) int {
	if x < r.x0 {
		covered &= 0b1010
	}
	if x+1 > r.x1 {
		covered &= 0b0101
	}
	if y < r.y0 {
		covered &= 0b1100
	}
	if y+1 > r.y1 {
		covered &= 0b0011
	}
	return covered
}

// quad adds a quad of which the triangle covers some pixels to the wave. at are the edge functions of its first.
func (p *painter) quad(r *triangle, x, y int, at *[3]int64, covered int) error {
	w := &p.wave
	if p.d.ByTriangle && w.Lanes > 0 && w.quads[0].r != r {
		if err := p.flush(); err != nil {
			return err
		}
	}
	w.add(r, x, y, at, covered)
	if w.Lanes < p.lanes {
		return nil
	}
	if p.sift(); w.Lanes < p.lanes {
		return nil
	}
	return p.flush()
}

// sift tests the depths of quads that have come since the last time, and takes those out of which nothing is left.
func (p *painter) sift() {
	w := &p.wave
	if !p.monotone && !p.d.EarlyDepth || p.sifted == w.Lanes {
		return
	}
	z := w.Depth()
	to := p.sifted
	for lane := to; lane < w.Lanes; lane += 4 {
		if left := p.left(lane, (*[4]float32)(z[lane:])); left != 0 {
			w.move(to, lane, left)
			to += 4
		}
	}
	w.cut(to)
	p.sifted = to
}

// left is what the depth test leaves of a quad before its program runs: with EarlyDepth pixels that pass, which have their depth
// written; else all or, if they all fail now, and so would later, nothing.
func (p *painter) left(lane int, z *[4]float32) (left uint64) {
	w := &p.wave
	covered := w.Covered >> lane & 15
	x, y := w.Pixel(lane)
	at := y*p.t.Width + x
	for i := range z {
		if covered>>i&1 == 0 {
			continue
		}
		stored := &p.t.Depth[at+i&1+i>>1*p.t.Width]
		switch {
		case !p.d.EarlyDepth && p.compares.pass(z[i], *stored):
			return covered
		case p.d.EarlyDepth && p.test(z[i], stored):
			left |= 1 << i
		}
	}
	return left
}
