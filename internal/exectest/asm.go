package exectest

import (
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
)

// An assembly is a block under construction from ops whose number of operands and types are loop variables, which
// neither ir.Builder nor the text form supports. The first error is kept.
type assembly struct {
	m   *ir.Machine
	b   *ir.Block
	err error
}

// entry is the address of the only mark of an assembly, and its jump target.
const entry = 0x100

func newAssembly(m *ir.Machine) *assembly {
	return &assembly{m: m, b: &ir.Block{
		Key: ir.Key{PC: entry}, Next: entry + 4,
		Marks: []ir.Mark{{PC: entry, Size: 4}},
	}}
}

func (a *assembly) add(in ir.Inst) ir.Val {
	v, err := a.b.Add(a.m, in)
	if err != nil && a.err == nil {
		a.err = err
	}
	return v
}

func (a *assembly) op(op ir.Op, t ir.Type, args ...ir.Val) ir.Val {
	return a.add(ir.Inst{Op: op, Type: t, Args: args})
}

// finish ends the block with a jump to its own start and verifies it.
func (a *assembly) finish() error {
	a.add(ir.Inst{Op: ir.Jump, Imm: entry})
	if a.err == nil {
		a.err = ir.Verify(a.m, a.b)
	}
	return a.err
}

// A home is the cells of an operand or a result of some type: one bit, or one or two words.
type home struct {
	t     ir.Type
	wave  bool
	first int // of v or s, p or f
}

func (h home) cell(i int) ir.Cell {
	switch {
	case h.t == ir.I1 && h.wave:
		return cellOf(fileF, h.first)
	case h.t == ir.I1:
		return cellOf(fileP, h.first)
	case h.wave:
		return cellOf(fileS, 2*h.first+i)
	}
	return cellOf(fileV, 2*h.first+i)
}

// fetch reads the operand as a value.
func (a *assembly) fetch(h home) ir.Val {
	get := func(i int, t ir.Type) ir.Val { return a.add(ir.Inst{Op: ir.Get, Type: t, Cell: h.cell(i)}) }
	n := h.t.Bits()
	if n == 1 {
		return get(0, ir.I1)
	}
	v, it := get(0, ir.I32), ir.IntOf(n)
	switch {
	case n == 64:
		v = a.op(ir.Pack, ir.I64, v, get(1, ir.I32))
	case n < 32:
		v = a.op(ir.Trunc, it, v)
	}
	if it != h.t {
		v = a.op(ir.Cast, h.t, v)
	}
	return v
}

// keep writes the cells of the result; mask is the execution mask.
func (a *assembly) keep(h home, v, mask ir.Val) {
	set := func(i int, t ir.Type, v ir.Val) {
		in := ir.Inst{Op: ir.Set, Type: t, Cell: h.cell(i), Args: []ir.Val{v}}
		if !h.wave {
			in.Args = append(in.Args, mask)
		}
		a.add(in)
	}
	n := h.t.Bits()
	if n == 1 {
		set(0, ir.I1, v)
		return
	}
	it := ir.IntOf(n)
	if it != h.t {
		v = a.op(ir.Cast, it, v)
	}
	switch {
	case n == 64:
		lo := a.op(ir.Unpack, ir.I32, v)
		set(0, ir.I32, lo)
		set(1, ir.I32, lo+1)
		return
	case n < 32:
		v = a.op(ir.ZExt, ir.I32, v)
	}
	set(0, ir.I32, v)
}

// put writes an operand's bits to its home, read reads them.
func (h home) put(st *exec.State, lane int, x uint64) {
	st.Set(h.cell(0), lane, uint32(x))
	if h.t.Bits() == 64 {
		st.Set(h.cell(1), lane, uint32(x>>32))
	}
}

func (h home) read(st *exec.State, lane int) uint64 {
	x := uint64(st.Get(h.cell(0), lane))
	if h.t.Bits() == 64 {
		x |= uint64(st.Get(h.cell(1), lane)) << 32
	}
	if n := h.t.Bits(); n < 64 {
		x &= 1<<n - 1
	}
	return x
}
