package lanewise

import (
	"github.com/heddle-gpu/heddle/ir"
)

// frame sets up the call with the op's operands and results.
func (r *Runner) frame(o *Op, lanes int) *ir.WaveCall {
	c := &r.call
	c.Lanes, c.Width, c.Imm = lanes, o.n, o.In.Imm
	for i := range o.Args {
		c.Args[i], c.Wide[i] = r.Vec(&o.Args[i]), o.Args[i].Wide
	}
	for i, s := range o.Res {
		c.Res[i] = &r.Slots[s]
	}
	return c
}

// Vec returns the vector at a place.
func (r *Runner) Vec(p *Place) *ir.Vec {
	if p.Fixed != nil {
		return p.Fixed
	}
	return &r.Slots[p.Slot]
}

// Mask returns a condition as a lane mask, whether it is varying or uniform.
func (r *Runner) Mask(p *Place) uint64 {
	v := r.Vec(p)[0]
	if p.Wide == 0 {
		v = -(v & 1)
	}
	return v & r.St.Full
}

// once runs a uniform pure op, as for a wave of one lane.
func once(r *Runner, o *Op) bool {
	o.each(r.frame(o, 1), o)
	return true
}

// pure runs an op on all lanes, active or not.
func pure(r *Runner, o *Op) bool {
	o.each(r.frame(o, r.St.Lanes), o)
	return true
}

// cross runs an op whose meaning sees all lanes.
func cross(r *Runner, o *Op) bool {
	o.In.Op.Info().Meaning.(ir.WaveFn)(r.frame(o, r.St.Lanes))
	return true
}

// onMasks runs and, or, xor and not of conditions on whole masks.
func onMasks(r *Runner, o *Op) bool {
	var v uint64
	switch f := o.In.Op.Info().Meaning.(type) {
	case ir.Int1:
		v = f(64, r.Mask(&o.Args[0]))
	case ir.Int2:
		v = f(64, r.Mask(&o.Args[0]), r.Mask(&o.Args[1]))
	}
	r.Slots[o.Res[0]][0] = v & r.St.Full
	return true
}

func selectMasks(r *Runner, o *Op) bool {
	c, yes, no := r.Mask(&o.Args[0]), r.Mask(&o.Args[1]), r.Mask(&o.Args[2])
	r.Slots[o.Res[0]][0] = c&yes | no&^c
	return true
}

// viaLanes runs an op with conditions among its operands or results: masks are expanded to lanes before and packed
// after.
func viaLanes(r *Runner, o *Op) bool {
	c := r.frame(o, r.St.Lanes)
	for i := range o.Args {
		if o.flags>>i&1 != 0 && c.Wide[i] != 0 {
			m, v := c.Args[i][0], &r.expand().flags[i]
			for lane := range c.Lanes {
				v[lane&63] = m >> (lane & 63) & 1
			}
			c.Args[i] = v
		}
	}
	o.each(c, o)
	for i := range o.Res {
		if o.flags>>(4+i)&1 != 0 {
			v := c.Res[i]
			m := uint64(0)
			for lane := c.Lanes - 1; lane >= 0; lane-- {
				m = m<<1 | v[lane&63]
			}
			v[0] = m
		}
	}
	return true
}

// loops returns the loop over lanes for a meaning of this shape.
func loops(m ir.Meaning) func(c *ir.WaveCall, o *Op) {
	switch f := m.(type) {
	case ir.Int1:
		return func(c *ir.WaveCall, o *Op) { map1(c, o.n, f) }
	case ir.Int2:
		return func(c *ir.WaveCall, o *Op) { map2(c, o.n, f) }
	case ir.Int3:
		return func(c *ir.WaveCall, o *Op) { map3(c, o.n, f) }
	case ir.Int1x2:
		return func(c *ir.WaveCall, o *Op) { map1x2(c, o.n, f) }
	case ir.Int2x2:
		return func(c *ir.WaveCall, o *Op) { map2x2(c, o.n, f) }
	case ir.Int3x2:
		return func(c *ir.WaveCall, o *Op) { map3x2(c, o.n, f) }
	case ir.IntCvt:
		return func(c *ir.WaveCall, o *Op) { mapCvt(c, o.from, o.to(), f) }
	case ir.BitsAt:
		return func(c *ir.WaveCall, o *Op) { mapAt(c, o.from, o.to(), f) }
	case ir.BitsInto:
		return func(c *ir.WaveCall, o *Op) { mapInto(c, o.n, o.from, f) }
	case ir.Flt1:
		return func(c *ir.WaveCall, o *Op) { mapFlt1(c, o, f) }
	case ir.Flt2:
		return func(c *ir.WaveCall, o *Op) { mapFlt2(c, o, f) }
	case ir.Flt3:
		return func(c *ir.WaveCall, o *Op) { mapFlt3(c, o, f) }
	case ir.FltCvt:
		return func(c *ir.WaveCall, o *Op) { mapFltCvt(c, o, f) }
	}
	return nil
}

// to returns the width of a conversion's result, which its row makes the op's type.
func (o *Op) to() int { return o.n }

func map1(c *ir.WaveCall, n int, f ir.Int1) {
	a, d, ka := c.Args[0], c.Res[0], c.Wide[0]&63
	for i := range c.Lanes {
		d[i&63] = f(n, a[i&ka])
	}
}

func map2(c *ir.WaveCall, n int, f ir.Int2) {
	a, b, d, ka, kb := c.Args[0], c.Args[1], c.Res[0], c.Wide[0]&63, c.Wide[1]&63
	for i := range c.Lanes {
		d[i&63] = f(n, a[i&ka], b[i&kb])
	}
}

func map3(c *ir.WaveCall, n int, f ir.Int3) {
	a, b, e, d := c.Args[0], c.Args[1], c.Args[2], c.Res[0]
	ka, kb, ke := c.Wide[0]&63, c.Wide[1]&63, c.Wide[2]&63
	for i := range c.Lanes {
		d[i&63] = f(n, a[i&ka], b[i&kb], e[i&ke])
	}
}

func map1x2(c *ir.WaveCall, n int, f ir.Int1x2) {
	a, d, d2, ka := c.Args[0], c.Res[0], c.Res[1], c.Wide[0]&63
	for i := range c.Lanes {
		d[i&63], d2[i&63] = f(n, a[i&ka])
	}
}

func map2x2(c *ir.WaveCall, n int, f ir.Int2x2) {
	a, b, d, d2, ka, kb := c.Args[0], c.Args[1], c.Res[0], c.Res[1], c.Wide[0]&63, c.Wide[1]&63
	for i := range c.Lanes {
		d[i&63], d2[i&63] = f(n, a[i&ka], b[i&kb])
	}
}

func map3x2(c *ir.WaveCall, n int, f ir.Int3x2) {
	a, b, e, d, d2 := c.Args[0], c.Args[1], c.Args[2], c.Res[0], c.Res[1]
	ka, kb, ke := c.Wide[0]&63, c.Wide[1]&63, c.Wide[2]&63
	for i := range c.Lanes {
		d[i&63], d2[i&63] = f(n, a[i&ka], b[i&kb], e[i&ke])
	}
}

func mapCvt(c *ir.WaveCall, from, to int, f ir.IntCvt) {
	a, d, ka := c.Args[0], c.Res[0], c.Wide[0]&63
	for i := range c.Lanes {
		d[i&63] = f(from, to, a[i&ka])
	}
}

func mapAt(c *ir.WaveCall, from, to int, f ir.BitsAt) {
	a, d, ka := c.Args[0], c.Res[0], c.Wide[0]&63
	for i := range c.Lanes {
		d[i&63] = f(from, to, c.Imm, a[i&ka])
	}
}

func mapInto(c *ir.WaveCall, n, piece int, f ir.BitsInto) {
	a, b, d, ka, kb := c.Args[0], c.Args[1], c.Res[0], c.Wide[0]&63, c.Wide[1]&63
	for i := range c.Lanes {
		d[i&63] = f(n, piece, c.Imm, a[i&ka], b[i&kb])
	}
}

func mapFlt1(c *ir.WaveCall, o *Op, f ir.Flt1) {
	n, m, a, d, ka := o.n, o.In.Mode, c.Args[0], c.Res[0], c.Wide[0]&63
	for i := range c.Lanes {
		d[i&63] = f(n, m, a[i&ka])
	}
}

func mapFlt2(c *ir.WaveCall, o *Op, f ir.Flt2) {
	n, m, a, b, d := o.n, o.In.Mode, c.Args[0], c.Args[1], c.Res[0]
	ka, kb := c.Wide[0]&63, c.Wide[1]&63
	for i := range c.Lanes {
		d[i&63] = f(n, m, a[i&ka], b[i&kb])
	}
}

func mapFlt3(c *ir.WaveCall, o *Op, f ir.Flt3) {
	n, m, a, b, e, d := o.n, o.In.Mode, c.Args[0], c.Args[1], c.Args[2], c.Res[0]
	ka, kb, ke := c.Wide[0]&63, c.Wide[1]&63, c.Wide[2]&63
	for i := range c.Lanes {
		d[i&63] = f(n, m, a[i&ka], b[i&kb], e[i&ke])
	}
}

func mapFltCvt(c *ir.WaveCall, o *Op, f ir.FltCvt) {
	from, to, m, a, d, ka := o.from, o.to(), o.In.Mode, c.Args[0], c.Res[0], c.Wide[0]&63
	for i := range c.Lanes {
		d[i&63] = f(from, to, m, a[i&ka])
	}
}
