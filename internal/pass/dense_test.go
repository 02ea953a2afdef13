package pass_test

import (
	"math/rand/v2"

	"github.com/heddle-gpu/heddle/ir"
)

// A dense generator makes blocks like those of frontends, but with few cells: nearly every write is followed by
// another write or a read, under masks that are the execution mask, parts of it, or unrelated to it.
type dense struct {
	*ir.Builder
	r    *rand.Rand
	exec ir.V
	full bool // many writes are to all lanes, so that inactive lanes are dead as well
}

var (
	denseV    = func(i int) ir.Cell { return ir.Cell{File: 0, Index: uint16(i)} }
	denseS    = func(i int) ir.Cell { return ir.Cell{File: 1, Index: uint16(i)} }
	denseP    = func(i int) ir.Cell { return ir.Cell{File: 2, Index: uint16(i)} }
	denseSCC  = ir.Cell{File: 3}
	denseExec = ir.Cell{File: 4}
)

// denseBlock makes a block at pc that ends in the terminator that end makes of a condition.
func denseBlock(r *rand.Rand, m *ir.Machine, pc uint64, marks int, end func(b *ir.Builder, cond ir.V)) *ir.Block {
	d := &dense{Builder: ir.NewBuilder(m, ir.Key{PC: pc}), r: r, full: r.IntN(3) == 0}
	for range marks {
		d.Mark(pc, 4, 0)
		pc += 4
		d.exec = d.Exec()
		d.instruction()
	}
	d.Mark(pc, 4, 0)
	end(d.Builder, d.Get(denseSCC, ir.I1))
	return d.Finish()
}

// instruction is one guest instruction of a random kind.
func (d *dense) instruction() {
	n := d.r.IntN
	switch n(12) {
	case 0: // save a mask, narrow the execution mask
		old := d.exec.Ballot(d.I1(true))
		lo, hi := old.Unpack(ir.I32)
		e := d.Get(denseS(n(4)), ir.I32).Pack(d.Get(denseS(n(4)), ir.I32), ir.I64).And(old)
		d.Set(denseS(0), lo, ir.V{})
		d.Set(denseS(1), hi, ir.V{})
		d.Set(denseExec, e.Lanes(), ir.V{})
		d.Set(denseSCC, e.Ne(e.K(0)), ir.V{})
	case 1: // widen the execution mask, or set it to anything
		e := d.Get(denseS(0), ir.I32).Pack(d.Get(denseS(1), ir.I32), ir.I64)
		if n(2) == 0 {
			e = e.Or(d.exec.Ballot(d.I1(true)))
		}
		d.Set(denseExec, e.Lanes(), ir.V{})
	case 2: // a comparison that narrows it
		d.Set(denseExec, d.lane().ULt(d.lane()).And(d.exec), ir.V{})
	case 3: // a comparison into a word of lanes
		lo, hi := d.lane().ULt(d.lane()).Ballot(d.exec).Unpack(ir.I32)
		d.Set(denseS(n(4)), lo, ir.V{})
		if n(2) == 0 {
			d.Set(denseS(n(4)), hi, ir.V{})
		}
	case 4: // a condition per lane
		d.Set(denseP(n(3)), d.lane().ULt(d.lane()), d.mask())
	case 5: // scalar arithmetic with a flag
		x, c := d.Get(denseS(n(4)), ir.I32).AddC(d.Get(denseS(n(4)), ir.I32), d.Get(denseSCC, ir.I1))
		d.Set(denseS(n(4)), x, ir.V{})
		d.Set(denseSCC, c, ir.V{})
	case 6: // a read of other lanes
		x := d.lane()
		if n(2) == 0 {
			d.Set(denseS(n(4)), x.ReadLane(d.I32(uint32(n(64)))), ir.V{})
			return
		}
		y, ok := x.Shuffle(d.lane().And(d.I32(63)), d.mask())
		d.Set(denseV(n(4)), ok.Select(y, x), d.mask())
	case 7:
		d.Set(denseSCC, d.lane().Eq(d.lane()).Any(d.mask()), ir.V{})
	case 8:
		at := d.lane().And(d.I32(0x1c))
		x := d.Load(ir.Mem{Space: ir.GroupSpace, Elem: 4, Count: 1}, ir.I32, at, d.mask())
		d.Set(denseV(n(4)), x[0], d.exec)
	default:
		d.Set(denseV(n(4)), d.value(), d.mask())
		if n(3) == 0 {
			d.Set(denseS(n(4)), d.I32(uint32(n(3))), ir.V{})
		}
	}
}

// lane reads a varying value.
func (d *dense) lane() ir.V {
	if d.r.IntN(5) == 0 {
		return d.Get(denseS(d.r.IntN(4)), ir.I32)
	}
	return d.Get(denseV(d.r.IntN(4)), ir.I32)
}

func (d *dense) value() ir.V {
	a, b := d.lane(), d.lane()
	switch d.r.IntN(7) {
	case 0:
		return a.Sub(b)
	case 1:
		x, _ := a.AddC(b, d.Get(denseP(d.r.IntN(3)), ir.I1))
		return x
	case 2:
		return d.Get(denseP(d.r.IntN(3)), ir.I1).Select(a, b)
	case 3:
		return a.And(d.I32(0xff)).Or(b.Shl(d.I32(8)))
	case 4:
		return d.I32(uint32(d.r.IntN(3)))
	case 5:
		return a
	}
	return a.Xor(b)
}

// mask is mostly the execution mask.
func (d *dense) mask() ir.V {
	if d.full && d.r.IntN(2) == 0 {
		return d.I1(true)
	}
	p := d.Get(denseP(d.r.IntN(3)), ir.I1)
	switch d.r.IntN(9) {
	case 0:
		return d.exec.And(p)
	case 1:
		return d.exec.And(p.Not())
	case 2:
		return p
	case 3:
		return d.I1(true)
	case 4:
		return d.I64(d.r.Uint64()).Lanes()
	}
	return d.exec
}
