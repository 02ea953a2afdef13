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
}

func newPainter(d *Call, t *Canvas, r ShaderRunner) *painter {
	_, lanes := d.Shader.Lanes()
	used := d.Used
	if used == 0 {
		used = 1<<Varyings - 1
	}
	near, far := d.Viewport.depths()
	return &painter{d: d, t: t, runner: r, used: used, lanes: lanes, in: make([]Fragment, 0, lanes), out: make([]Shot, lanes),
		low: min(near, far), high: max(near, far)}
}

// tile draws the triangles in their order, as far as they are in the tile with that left lower corner.
func (p *painter) tile(x, y int, list []*triangle) error {
	for _, r := range list {
		x0, x1 := max(r.x0, x)&^1, min(r.x1, x+tileSide-1)
		y0, y1 := max(r.y0, y)&^1, min(r.y1, y+tileSide-1)
		for qy := y0; qy <= y1; qy += 2 {
			for qx := x0; qx <= x1; qx += 2 {
				if err := p.quad(r, qx, qy); err != nil {
					return err
				}
			}
		}
	}
	return p.flush()
}

// quad adds a quad to the wave if the triangle covers one of its pixels.
func (p *painter) quad(r *triangle, x, y int) error {
	var e [4][3]int64
	covered := 0
	e[0] = r.edges(x, y)
	for k := range e[0] {
		e[1][k], e[2][k] = e[0][k]+r.stepX[k], e[0][k]+r.stepY[k]
		e[3][k] = e[1][k] + r.stepY[k]
	}
	for i := range e {
		px, py := x+i&1, y+i>>1
		if r.covers(&e[i]) && px >= r.x0 && px <= r.x1 && py >= r.y0 && py <= r.y1 {
			covered |= 1 << i
		}
	}
	if covered == 0 {
		return nil
	}
	n := len(p.in)
	p.in = p.in[:n+4]
	early := p.d.Depth.Func.monotone()
	for i := range e {
		f := &p.in[n+i]
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
	if early && !p.d.LateDepth || p.d.EarlyDepth && !p.early(p.in[n:]) {
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
