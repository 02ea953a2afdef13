// Package irgen makes random blocks of IR for tests: canonical, verified, with every op, every type, partial masks and
// reads of inactive lanes. Only tests import it.
package irgen

import (
	"math/rand/v2"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/num"
)

// Machine returns a machine with every kind of cell, range rule and address space.
func Machine() *ir.Machine {
	return &ir.Machine{
		Name: "test",
		Files: []ir.File{
			{Name: "v", Kind: ir.Lane32, Count: 16, Range: ir.RangeFault},
			{Name: "s", Kind: ir.Wave32, Count: 8, Range: ir.RangeWrap},
			{Name: "p", Kind: ir.Lane1, Count: 4, Range: ir.RangeZero},
			{Name: "scc", Kind: ir.Wave1, Count: 1},
			{Name: "exec", Kind: ir.ExecMask, Count: 1},
			{Name: "z", Kind: ir.Lane32, Count: 5, Range: ir.RangeZero},
			{Name: "w", Kind: ir.Lane32, Count: 3, Range: ir.RangeWrap},
			{Name: "mode", Kind: ir.Wave32, Count: 1},
		},
		Widths:   []int{64, 1, 4, 16, 32},
		Control:  ir.MaskStack,
		ModeMask: 0xff,
		Mode:     ir.Cell{File: 7},
		Spaces:   ir.Spaces{ir.GlobalSpace: 3, ir.GroupSpace: 2, ir.PrivateSpace: 2, ir.ConstSpace: 4, ir.FlatSpace: 1},
		Queues:   []ir.Queue{{Name: "vm", Max: 15}, {Name: "slot", Unordered: true, Max: 3}},
		Bounds:   []string{"the size", "the stride"},
		Tallies:  4,

		StackDepth: 8,
		CallLimit:  2,
	}
}

// A Window is memory that generated code may access without fault.
type Window struct {
	Space ir.SpaceID
	Bank  uint8
	Base  uint64
	Size  uint64 // in bytes, a power of two, at least 128
}

// Options control what Block generates. The zero Options give blocks without memory ops that end in ir.End.
type Options struct {
	Marks   int      // guest instructions; 0: one to eight
	Ops     int      // limit of pure and cross-lane ops tried in each; 0: up to twelve
	Memory  []Window // none: no memory ops
	Handles int      // number of texture units, streams, inputs and outputs; 0: no ops on them
	Control bool     // end in any terminator, not only ir.End
	Exec    bool     // sometimes change the execution mask
	Serial  bool     // sometimes make a block of one instruction that runs lane by lane
	Without []ir.Op  // pure and cross-lane ops to exclude
	Faults  bool     // permit register indexes out of range where that faults
}

var allTypes = []ir.Type{
	ir.I1, ir.I8, ir.I16, ir.I32, ir.I64, ir.F16, ir.F32, ir.F64, ir.V2I16, ir.V2F16, ir.V4I8,
}

// Edges returns the operand bits of width n at which float ops change their behaviour: zeros, denormals, the ends of
// the normal numbers, one and its neighbours, infinities, NaNs of both kinds.
func Edges(n int) []uint64 {
	e, m := 5, 10
	switch n {
	case 32:
		e, m = 8, 23
	case 64:
		e, m = 11, 52
	}
	one := uint64(1<<(e-1)-1) << m
	inf := uint64(1<<e-1) << m
	pos := []uint64{
		0, 1, 1<<m - 1, 1 << m, 1<<m + 1, one - 1, one, one + 1, one + 1<<(m-1), one + 1<<m, one - 1<<m,
		one + uint64(m)<<m, inf - 1, inf, inf + 1, inf + 1<<(m-1), inf + 1<<(m-1) + 5,
	}
	all := make([]uint64, 0, 2*len(pos))
	for _, p := range pos {
		all = append(all, p, p|1<<(n-1))
	}
	return all
}

// Bits returns an operand of width n: an edge value of the integers or floats of that width, a small number, or random
// bits.
func Bits(r *rand.Rand, n int) uint64 {
	top := uint64(1) << (n - 1)
	mask := top<<1 - 1
	switch r.IntN(4) {
	case 0:
		return r.Uint64() & mask
	case 1:
		if n >= 16 {
			es := Edges(n)
			return es[r.IntN(len(es))]
		}
		return r.Uint64N(70) & mask
	case 2:
		return r.Uint64N(70) & mask
	}
	return [...]uint64{0, 1, 2, mask, mask - 1, top, top - 1, top + 1, uint64(n), uint64(n - 1)}[r.IntN(10)] & mask
}

// Mode returns a random float mode.
func Mode(r *rand.Rand) num.Mode {
	m := num.Mode(0).WithRound(num.Mode(r.IntN(4))).WithNaN([...]num.Mode{num.NaNFirst, num.NaNCanon, num.NaNOnes, num.NaNSecond}[r.IntN(4)])
	for _, f := range []num.Mode{num.FlushIn, num.FlushOut, num.NaNNegative, num.IEEE, num.DX10Clamp, num.SatNaNOne, num.SatNegZero} {
		if r.IntN(3) == 0 {
			m = m.With(f)
		}
	}
	if m.Has(num.FlushOut) {
		m = m.With([...]num.Mode{0, num.FlushBefore, num.FlushUnbounded}[r.IntN(3)])
	}
	return m
}
