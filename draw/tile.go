package draw

// tileSide is the side of the tiles that the picture is cut into, in pixels; even, for quads.
const tileSide = 32

// A painter rasterises triangles in one tile at a time, packs their quads into waves, and writes what
// these leave.
type painter struct {
	d      *Call
	t      *Canvas
	runner ShaderRunner
	used   uint32
	in     []Fragment
	out    []Shot
	lanes  int

	low, high float32 // depths of the viewport
	monotone  bool    // a quad whose pixels all fail the depth test fails it later, too
}

func newPainter(d *Call, t *Canvas, r ShaderRunner) *painter {
	_, lanes := d.Shader.Lanes()
	used := d.Used
	if used == 0 {
		used = 1<<Varyings - 1
	}
	near, far := d.Viewport.depths()
	return &painter{d: d, t: t, runner: r, used: used, lanes: lanes, in: make([]Fragment, 0, lanes), out: make([]Shot, lanes),
		low: min(near, far), high: max(near, far), monotone: d.Depth.Func.monotone() && !d.LateDepth}
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
	var best, most [3]int64 // an edge function is that much more in a quad, and in a row of quads, than at the first pixel
	for i := range e {
		best[i] = max(r.stepX[i], 0) + max(r.stepY[i], 0) - r.inclusive[i]
		most[i] = best[i] + max(2*int64(columns)*r.stepX[i], 0)
	}
	for row := 0; row <= rows; row++ {
		if (e[0]+most[0])|(e[1]+most[1])|(e[2]+most[2]) >= 0 {
			at := e
			for column := 0; column <= columns; column++ {
				// a sum below 0 has all pixels of the quad on the wrong side
				if (at[0]+best[0])|(at[1]+best[1])|(at[2]+best[2]) >= 0 {
					if err := p.quad(r, x+2*column, y+2*row, &at); err != nil {
						return err
					}
				}
				at[0] += 2 * r.stepX[0]
				at[1] += 2 * r.stepX[1]
				at[2] += 2 * r.stepX[2]
			}
		}
		for i := range e {
			e[i] += 2 * r.stepY[i]
		}
	}
	return nil
}

// coverage is which pixels of the quad at x, y belong to the triangle, bit by bit. e is filled in from its first.
func (r *triangle) coverage(e *[4][3]int64, x, y int) (covered int) {
	for k := range e[0] {
		e[1][k], e[2][k] = e[0][k]+r.stepX[k], e[0][k]+r.stepY[k]
		e[3][k] = e[1][k] + r.stepY[k]
	}
	for i := range e {
		covered |= r.covers(&e[i]) << i
	}
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

// quad adds a quad to the wave if the triangle covers one of its pixels. at are the edge functions of its first.
func (p *painter) quad(r *triangle, x, y int, at *[3]int64) error {
	e := [4][3]int64{*at}
	covered := r.coverage(&e, x, y)
	if covered == 0 {
		return nil
	}
	n := len(p.in)
	p.in = p.in[:n+4]
	in := (*[4]Fragment)(p.in[n:])
	early := p.monotone
	for i := range in {
		f := &in[i]
		f.X, f.Y, f.Covered = x+i&1, y+i>>1, covered>>i&1 != 0
		f.tri, f.call, f.used = r, p.d, p.used
		if p.d.Weights {
			r.weigh(f)
		} else {
			r.interpolate(f, &e[i])
		}
		f.Depth = max(p.low, min(f.Depth, p.high))
		early = early && (!f.Covered || !p.d.Depth.Func.passes(f.Depth, p.t.Depth[f.Y*p.t.Width+f.X]))
	}
	if early || p.d.EarlyDepth && !p.early(in[:]) {
		p.in = p.in[:n] // all its pixels fail now, and so they would later
		return nil
	}
	if len(p.in) == p.lanes {
		return p.flush()
	}
	return nil
}

// early tests the depths of a quad before its program runs; false if no pixel of it is left.
func (p *painter) early(quad []Fragment) (left bool) {
	for i := range quad {
		f := &quad[i]
		if !f.Covered {
			continue
		}
		stored := &p.t.Depth[f.Y*p.t.Width+f.X]
		if f.Covered = p.d.Depth.Func.passes(f.Depth, *stored); !f.Covered {
			continue
		}
		left = true
		if p.d.Depth.Write {
			*stored = f.Depth
		}
	}
	return left
}

// clampDepth keeps a depth in the viewport's range: rounding may have brought it out.
func (v *Viewport) clampDepth(z float32) float32 {
	near, far := v.depths()
	return max(min(near, far), min(z, max(near, far)))
}

// flush runs the quads of the wave and writes their pixels, in their order.
func (p *painter) flush() error {
	if len(p.in) == 0 {
		return nil
	}
	if err := p.runner.Fragments(p.in, p.out[:len(p.in)]); err != nil {
		return err
	}
	for i := range p.in {
		if f := &p.in[i]; f.Covered {
			if p.d.Capture != nil {
				p.d.Capture(f, &p.out[i])
			}
			p.write(f, &p.out[i])
		}
	}
	p.in = p.in[:0]
	return nil
}

// write is what follows a fragment program: kill, depth test, blending, colour.
func (p *painter) write(f *Fragment, s *Shot) {
	if s.Killed {
		return
	}
	at := f.Y*p.t.Width + f.X
	if !p.d.EarlyDepth && !p.late(f, s, &p.t.Depth[at]) {
		return
	}
	if len(p.t.Targets) > 0 {
		p.targets(at, s)
		return
	}
	pixel := p.t.Color[4*at : 4*at+4]
	color := s.Color
	if !p.d.Blend.On && p.d.Mask == 0 {
		*(*[4]byte)(pixel) = [4]byte{toByte(color[0], p.d.Truncate), toByte(color[1], p.d.Truncate),
			toByte(color[2], p.d.Truncate), toByte(color[3], p.d.Truncate)}
		return
	}
	if p.d.Blend.On {
		var old Vec4
		for k := range old {
			old[k] = float32(pixel[k]) / 255
		}
		color = p.d.Blend.mix(color, old)
	}
	for k := range color {
		if p.d.Mask>>k&1 == 0 {
			pixel[k] = toByte(color[k], p.d.Truncate)
		}
	}
}

// late tests the depth of a pixel after its program has run.
func (p *painter) late(f *Fragment, s *Shot, stored *float32) bool {
	z := f.Depth
	if s.HasDepth {
		z = p.d.Viewport.clampDepth(s.Depth)
	}
	if !p.d.Depth.Func.passes(z, *stored) {
		return false
	}
	if p.d.Depth.Write {
		*stored = z
	}
	return true
}
