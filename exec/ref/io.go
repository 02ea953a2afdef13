package ref

import (
	"math"
	"math/bits"

	"github.com/heddle-gpu/heddle/exec"
)

// ask fills in what input and output ops have in common.
func (r *runner) ask(o *op) *exec.IOCall {
	c := &r.io
	c.IOAttr, c.Type, c.Width, c.Lanes = o.in.IO, o.in.Type, r.st.Lanes, r.mask(o.mask)
	slot := &o.args[0]
	for lane := range r.st.Lanes {
		c.Slot[lane&63] = uint32(r.vec(slot)[lane&slot.wide])
	}
	return c
}

func input(r *runner, o *op) bool {
	r.clear(o)
	c := r.ask(o)
	if c.Lanes == 0 {
		return true
	}
	if len(o.args) == 3 {
		x, y := &o.args[1], &o.args[2]
		for lane := range r.st.Lanes {
			c.X[lane&63] = math.Float32frombits(uint32(r.vec(x)[lane&x.wide]))
			c.Y[lane&63] = math.Float32frombits(uint32(r.vec(y)[lane&y.wide]))
		}
	}
	refused, err := r.env.Input(c)
	l := lost{refused, err}
	if !l.forgiven(r, o) {
		return false
	}
	for i, s := range o.res {
		for m := c.Lanes &^ refused; m != 0; m &= m - 1 {
			lane := bits.TrailingZeros64(m) & 63
			r.slots[s][lane] = uint64(c.Value[i&3][lane])
		}
	}
	return true
}

func output(r *runner, o *op) bool {
	c := r.ask(o)
	for i := range o.args[1:] {
		p := &o.args[1+i]
		for lane := range r.st.Lanes {
			c.Value[i&3][lane&63] = uint32(r.vec(p)[lane&p.wide])
		}
	}
	for c.Lanes != 0 {
		refused, err := r.env.Output(c)
		if refused == 0 {
			break
		}
		if l := (lost{refused, err}); !l.forgiven(r, o) {
			return false
		}
		c.Lanes &^= refused
	}
	return true
}

// probe records what its lanes hold, if somebody observes.
func probe(r *runner, o *op) bool {
	l, m := r.env.Probes, r.mask(o.mask)
	if l == nil || m == 0 {
		return true
	}
	values := l.Record(r.env, o.in.Imm, r.at.marks[o.mark].pc, m, len(o.args))
	for i := 0; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m)
		for k := range o.args {
			values[i] = r.lane(&o.args[k], o.from, lane)
			i++
		}
	}
	return true
}
