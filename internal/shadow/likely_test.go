package shadow_test

import (
	"errors"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/irgen"
	"github.com/heddle-gpu/heddle/internal/shadow"
	"github.com/heddle-gpu/heddle/ir"
)

// several are blocks of code.
type several struct {
	m  *ir.Machine
	at map[ir.Key]*ir.Block
}

func (c several) Machine() *ir.Machine { return c.m }
func (c several) Text(uint64) string   { return "" }

func (c several) Block(at ir.Key) (*ir.Block, error) {
	if b := c.at[at]; b != nil {
		return b, nil
	}
	return nil, errors.New("there is none")
}

// block returns a block of one instruction with these ops.
func blockOf(t *testing.T, m *ir.Machine, pc uint64, ops func(add func(ir.Inst) ir.Val)) *ir.Block {
	t.Helper()
	b := &ir.Block{Key: ir.Key{PC: pc}, Next: pc + 4, Marks: []ir.Mark{{PC: pc, Size: 4}}}
	ops(func(in ir.Inst) ir.Val {
		v, err := b.Add(m, in)
		if err != nil {
			t.Fatal(err)
		}
		return v
	})
	return b
}

// registersOf returns the first register with a value per lane, and the first with one per wave that is no mode.
func registersOf(m *ir.Machine) (lane, wave ir.Cell) {
	for i := len(m.Files) - 1; i >= 0; i-- {
		c := ir.Cell{File: uint8(i)}
		switch f := &m.Files[i]; {
		case f.Group:
		case f.Kind == ir.Lane32:
			lane = c
		case f.Kind == ir.Wave32 && (m.ModeMask == 0 || m.Mode.File != c.File):
			wave = c
		}
	}
	return lane, wave
}

// TestLikelyMasks: a register of which only an unlikely mask depends is one that the likely form reads. Where it is
// undefined the two forms agree, or the likely form says that it does not expect that.
func TestLikelyMasks(t *testing.T) {
	m := irgen.Machine()
	from, scalar := registersOf(m)
	to := from
	from.Index, to.Index = 1, 2
	active, _ := m.Exec()
	b := blockOf(t, m, 0x100, func(add func(ir.Inst) ir.Val) {
		e := add(ir.Inst{Op: ir.Get, Type: ir.I1, Cell: active})
		zero := add(ir.Inst{Op: ir.Const, Type: ir.I32})
		is := add(ir.Inst{Op: ir.Ne, Type: ir.I32, Args: []ir.Val{add(ir.Inst{Op: ir.Get, Type: ir.I32, Cell: scalar}), zero}})
		rare := add(ir.Inst{Op: ir.And, Type: ir.I1, Args: []ir.Val{e, is}})
		add(ir.Inst{Op: ir.Unlikely, Args: []ir.Val{rare}})
		x := add(ir.Inst{Op: ir.Get, Type: ir.I32, Cell: from})
		y := add(ir.Inst{Op: ir.Select, Type: ir.I32, Args: []ir.Val{rare, zero, x}})
		add(ir.Inst{Op: ir.Set, Type: ir.I32, Cell: to, Args: []ir.Val{y, e}})
		add(ir.Inst{Op: ir.End})
	})
	code := shadow.New(several{m, map[ir.Key]*ir.Block{b.Key: b}}, 1)
	n, err := code.Block(b.Key)
	if err != nil {
		t.Fatal(err)
	}
	some, bit, ok := code.Machine().Shadow.Bit(scalar)
	if !ok {
		t.Fatal("the register has no bit")
	}
	tested := uint32(0)
	for i := range n.Likely.Ops {
		in := &n.Likely.Ops[i]
		if in.Op != ir.And || in.Type != ir.I32 {
			continue
		}
		if get, mask := definition(n.Likely, in.Args[0]), definition(n.Likely, in.Args[1]); get.Op == ir.Get && get.Cell == some && mask.Op == ir.Const {
			tested |= uint32(mask.Imm)
		}
	}
	if tested&bit == 0 {
		t.Errorf("the likely form tests %#x of the undefined registers, want %#x too", tested, bit)
	}
}

// definition returns the op that has a value as result.
func definition(b *ir.Block, v ir.Val) *ir.Inst {
	for i := range b.Ops {
		if in := &b.Ops[i]; v >= in.Res && v < in.Res+ir.Val(in.NRes) {
			return in
		}
	}
	return &ir.Inst{}
}

// TestLikelyLive: what a likely form reads of the undefined registers is live before its block, although the block
// itself reads it only to write it.
func TestLikelyLive(t *testing.T) {
	m := irgen.Machine()
	m.Control = ir.MaskData
	v1, _ := registersOf(m)
	v2 := v1
	v1.Index, v2.Index = 1, 2
	active, _ := m.Exec()
	copies := func(add func(ir.Inst) ir.Val, to, from ir.Cell, first bool) {
		e := add(ir.Inst{Op: ir.Get, Type: ir.I1, Cell: active})
		x := add(ir.Inst{Op: ir.Get, Type: ir.I32, Cell: from})
		if !first {
			add(ir.Inst{Op: ir.Store, Type: ir.I32, Mem: ir.Mem{Space: ir.GlobalSpace, Elem: 4, Count: 1}, Args: []ir.Val{x, x, e}})
		}
		add(ir.Inst{Op: ir.Set, Type: ir.I32, Cell: to, Args: []ir.Val{x, e}})
	}
	a := blockOf(t, m, 0x100, func(add func(ir.Inst) ir.Val) {
		copies(add, v1, v2, true)
		add(ir.Inst{Op: ir.Jump, Imm: 0x104})
	})
	b := blockOf(t, m, 0x104, func(add func(ir.Inst) ir.Val) {
		copies(add, v2, v1, false)
		add(ir.Inst{Op: ir.End})
	})
	code := shadow.New(several{m, map[ir.Key]*ir.Block{a.Key: a, b.Key: b}}, 1)
	g, live, ok := exec.NewProgram(code).LiveOut(a.Key).Live(b.Key)
	if !ok {
		t.Fatal("what is live is not known")
	}
	if some, _, _ := code.Machine().Shadow.Bit(v1); !live.Out[g.At[a.Key]].Either().Has(some) {
		t.Error("the block before may drop which registers are undefined")
	}
}
