package lanewise

import (
	"math"
	"math/bits"

	"github.com/heddle-gpu/heddle/exec"
)

// ask fills in what input and output ops have in common.
func (r *Runner) ask(o *Op) *exec.IOCall {
	c := &r.calls().io
	c.Value = &r.value
	c.IOAttr, c.Type, c.Width, c.Lanes = o.In.IO, o.In.Type, r.St.Lanes, r.Mask(o.Mask)
	slot := &o.Args[0]
	for lane := range r.St.Lanes {
		c.Slot[lane&63] = uint32(r.Vec(slot)[lane&slot.Wide])
	}
	return c
}

func input(r *Runner, o *Op) bool {
	r.clear(o)
	c := r.ask(o)
	if c.Lanes == 0 {
		return true
	}
	if len(o.Args) == 3 {
		x, y := &o.Args[1], &o.Args[2]
		for lane := range r.St.Lanes {
			c.X[lane&63] = math.Float32frombits(uint32(r.Vec(x)[lane&x.Wide]))
			c.Y[lane&63] = math.Float32frombits(uint32(r.Vec(y)[lane&y.Wide]))
		}
	}
	refused, err := r.Env.Input(c)
	l := badHandles{refused, err}
	if !l.tolerate(r, o) {
		return false
	}
	for i, s := range o.Res {
		for m := c.Lanes &^ refused; m != 0; m &= m - 1 {
			lane := bits.TrailingZeros64(m) & 63
			r.Slots[s][lane] = uint64(c.Value[i&3][lane])
		}
	}
	return true
}

func output(r *Runner, o *Op) bool {
	c := r.ask(o)
	for i := range o.Args[1:] {
		p := &o.Args[1+i]
		for lane := range r.St.Lanes {
			r.value[i&3][lane&63] = uint32(r.Vec(p)[lane&p.Wide])
		}
		c.Put[i&3] = &r.value[i&3]
	}
	for c.Lanes != 0 {
		refused, err := r.Env.Output(c)
		if refused == 0 {
			break
		}
		if l := (badHandles{refused, err}); !l.tolerate(r, o) {
			return false
		}
		c.Lanes &^= refused
	}
	return true
}

// tally adds a value to a counter of the observer.
func tally(r *Runner, o *Op) bool {
	r.St.Counted()[o.In.Imm] += r.Vec(&o.Args[0])[0]
	return true
}

// probe records the operands of its lanes, if there is an observer.
func probe(r *Runner, o *Op) bool {
	l, m := r.Env.Probes, r.Mask(o.Mask)
	if l == nil || m == 0 {
		return true
	}
	values := l.Record(r.Env, o.In.Imm, o.PC, m, len(o.Args))
	if len(o.Args) == 1 && o.from > 1 && o.Args[0].Wide != 0 {
		v := r.Vec(&o.Args[0])
		if len(values) == r.St.Lanes {
			copy(values, v[:])
			return true
		}
		for i := range values {
			values[i] = v[bits.TrailingZeros64(m)&63]
			m &= m - 1
		}
		return true
	}
	for i := 0; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m)
		for k := range o.Args {
			values[i] = r.lane(&o.Args[k], o.from, lane)
			i++
		}
	}
	return true
}
