package ref

import (
	"github.com/heddle-gpu/heddle/ir"
)

// frame points the call at the op's operands and results.
func (r *runner) frame(o *op, lanes int) *ir.WaveCall {
	c := &r.call
	c.Lanes, c.Width, c.Imm = lanes, o.n, o.in.Imm
	for i := range o.args {
		c.Args[i], c.Wide[i] = r.vec(&o.args[i]), o.args[i].wide
	}
	for i, s := range o.res {
		c.Res[i] = &r.slots[s]
	}
	return c
}

func (r *runner) vec(p *place) *ir.Vec {
	if p.fixed != nil {
		return p.fixed
	}
	return &r.slots[p.slot]
}

// mask is a condition as a lane mask, whether it is one a lane or one a wave.
func (r *runner) mask(p *place) uint64 {
	v := r.vec(p)[0]
	if p.wide == 0 {
		v = -(v & 1)
	}
	return v & r.st.Full
}

// once runs a pure op that is one a wave: as a wave of one lane.
func once(r *runner, o *op) bool {
	o.each(r.frame(o, 1), o)
	return true
}

// pure runs an op on all lanes, active or not.
func pure(r *runner, o *op) bool {
	o.each(r.frame(o, r.st.Lanes), o)
	return true
}

// cross runs an op whose meaning sees all lanes.
func cross(r *runner, o *op) bool {
	o.in.Op.Info().Meaning.(ir.WaveFn)(r.frame(o, r.st.Lanes))
	return true
}

// onMasks runs and, or, xor and not of conditions on whole masks.
func onMasks(r *runner, o *op) bool {
	var v uint64
	switch f := o.in.Op.Info().Meaning.(type) {
	case ir.Int1:
		v = f(64, r.mask(&o.args[0]))
	case ir.Int2:
		v = f(64, r.mask(&o.args[0]), r.mask(&o.args[1]))
	}
	r.slots[o.res[0]][0] = v & r.st.Full
	return true
}

func selectMasks(r *runner, o *op) bool {
	c, yes, no := r.mask(&o.args[0]), r.mask(&o.args[1]), r.mask(&o.args[2])
	r.slots[o.res[0]][0] = c&yes | no&^c
	return true
}

// viaLanes runs an op that has conditions among other operands or results: they are spread over
// lanes before and gathered into masks after.
func viaLanes(r *runner, o *op) bool {
	c := r.frame(o, r.st.Lanes)
	for i := range o.args {
		if o.flags>>i&1 != 0 && c.Wide[i] != 0 {
			m, v := c.Args[i][0], &r.flags[i]
			for lane := range c.Lanes {
				v[lane&63] = m >> (lane & 63) & 1
			}
			c.Args[i] = v
		}
	}
	o.each(c, o)
	for i := range o.res {
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

// loops is the loop over lanes for a meaning of this shape.
func loops(m ir.Meaning) func(c *ir.WaveCall, o *op) {
	switch f := m.(type) {
	case ir.Int1:
		return func(c *ir.WaveCall, o *op) { map1(c, o.n, f) }
	case ir.Int2:
		return func(c *ir.WaveCall, o *op) { map2(c, o.n, f) }
	case ir.Int3:
		return func(c *ir.WaveCall, o *op) { map3(c, o.n, f) }
	case ir.Int1x2:
		return func(c *ir.WaveCall, o *op) { map1x2(c, o.n, f) }
	case ir.Int2x2:
		return func(c *ir.WaveCall, o *op) { map2x2(c, o.n, f) }
	case ir.Int3x2:
		return func(c *ir.WaveCall, o *op) { map3x2(c, o.n, f) }
	case ir.IntCvt:
		return func(c *ir.WaveCall, o *op) { mapCvt(c, o.from, o.to(), f) }
	case ir.BitsAt:
		return func(c *ir.WaveCall, o *op) { mapAt(c, o.from, o.to(), f) }
	case ir.BitsInto:
		return func(c *ir.WaveCall, o *op) { mapInto(c, o.n, o.from, f) }
	case ir.Flt1:
		return func(c *ir.WaveCall, o *op) { mapFlt1(c, o, f) }
	case ir.Flt2:
		return func(c *ir.WaveCall, o *op) { mapFlt2(c, o, f) }
	case ir.Flt3:
		return func(c *ir.WaveCall, o *op) { mapFlt3(c, o, f) }
	case ir.FltCvt:
		return func(c *ir.WaveCall, o *op) { mapFltCvt(c, o, f) }
	}
	return nil
}

// to is the width of a conversion's result, which its row makes the op's type.
func (o *op) to() int { return o.n }

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

func mapFlt1(c *ir.WaveCall, o *op, f ir.Flt1) {
	n, m, a, d, ka := o.n, o.in.Mode, c.Args[0], c.Res[0], c.Wide[0]&63
	for i := range c.Lanes {
		d[i&63] = f(n, m, a[i&ka])
	}
}

func mapFlt2(c *ir.WaveCall, o *op, f ir.Flt2) {
	n, m, a, b, d := o.n, o.in.Mode, c.Args[0], c.Args[1], c.Res[0]
	ka, kb := c.Wide[0]&63, c.Wide[1]&63
	for i := range c.Lanes {
		d[i&63] = f(n, m, a[i&ka], b[i&kb])
	}
}

func mapFlt3(c *ir.WaveCall, o *op, f ir.Flt3) {
	n, m, a, b, e, d := o.n, o.in.Mode, c.Args[0], c.Args[1], c.Args[2], c.Res[0]
	ka, kb, ke := c.Wide[0]&63, c.Wide[1]&63, c.Wide[2]&63
	for i := range c.Lanes {
		d[i&63] = f(n, m, a[i&ka], b[i&kb], e[i&ke])
	}
}

func mapFltCvt(c *ir.WaveCall, o *op, f ir.FltCvt) {
	from, to, m, a, d, ka := o.from, o.to(), o.in.Mode, c.Args[0], c.Res[0], c.Wide[0]&63
	for i := range c.Lanes {
		d[i&63] = f(from, to, m, a[i&ka])
	}
}
