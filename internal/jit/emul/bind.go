package emul

import (
	"errors"
	"fmt"
	"sync"

	"github.com/heddle-gpu/heddle/internal/jit/x86"
)

// A sort is the kind of an operand.
type sort uint8

const (
	nothing sort = iota
	general
	vector
	maskReg
	memory
	gathered
	immediate
)

// An arg is an operand.
type arg struct {
	sort        sort
	reg         uint8
	base, index uint8 // of a memory operand; noReg: none
	scale       uint8
	bcst        uint8 // bytes of the one element for many; 0: none
	lanes       bool  // only the elements of the mask are read
	size        int   // bytes
	imm         uint64
}

// A row is the semantics of an instruction: bind completes a step for its operands.
type row struct {
	name string
	bind func(s *step)
}

// rows are the tables by op.
var rows = sync.OnceValue(func() map[x86.Op]func(s *step) {
	ops := map[string]x86.Op{}
	for op := x86.Op(0); int(op) < x86.Ops(); op++ {
		ops[op.String()] = op
	}
	made := map[x86.Op]func(s *step){}
	for _, table := range [][]row{generals(), masks(), moves(), integers(), shifts(), permutes(), compares(), floats(), conversions(), gathers()} {
		for _, r := range table {
			op, ok := ops[r.name]
			if !ok || made[op] != nil {
				panic("emul: row of " + r.name)
			}
			made[op] = r.bind
		}
	}
	return made
})

// Knows reports whether the instruction is supported with these operands.
func Knows(in *x86.Inst) bool {
	var s step
	return s.bind(in, 0x1000) == nil
}

// newStep returns the instruction at an address.
func newStep(at uintptr) (s step) {
	var in x86.Inst
	if err := decode(at, &in); err != nil {
		panic(fmt.Sprintf("emul: %#x: %x: %v", at, bytesAt(at, untilPage(at)), err))
	}
	from := at
	locked := in.Op == x86.LOCK
	if locked {
		at += uintptr(in.Len)
		if err := decode(at, &in); err != nil {
			panic(fmt.Sprintf("emul: %#x: behind lock: %x: %v", at, bytesAt(at, untilPage(at)), err))
		}
	}
	if err := s.bind(&in, at); err != nil {
		panic(fmt.Sprintf("emul: %s: %v", describe(at), err))
	}
	s.at = from
	if locked {
		if s.change == nil || s.dst.sort != memory {
			panic(fmt.Sprintf("emul: lock of %s", describe(at)))
		}
		s.run = lockedChange
	}
	return s
}

// bind completes the step of an instruction at an address.
func (s *step) bind(in *x86.Inst, at uintptr) error {
	bind := rows()[in.Op]
	if bind == nil {
		return errors.New("not emulated")
	}
	*s = step{at: at, next: at + uintptr(in.Len), round: 4, bytes: in.Bits / 8}
	k := 0
	for i, o := range in.Args[:in.N] {
		a := argOf(o.View(), s)
		switch {
		case i == 0:
			s.dst = a
		case a.sort == immediate && i == in.N-1:
			s.imm, s.hasImm = a.imm, true
			fallthrough
		default:
			s.src[k] = a
			k++
		}
	}
	if in.N > 0 {
		v := in.Args[0].View()
		s.mask, s.zero = uint8(v.Mask), v.Zero
	}
	if r := in.Round.View(); r.What == x86.Rounding {
		s.round = uint8(r.Num)
	}
	s.sort = s.dst.sort
	s.size = uint(8 * s.dst.size)
	bind(s)
	if s.run == nil {
		return errors.New("not emulated with these operands")
	}
	return nil
}

// argOf returns an operand of a step.
func argOf(v x86.View, s *step) (a arg) {
	a.size = v.Size
	switch v.What {
	case x86.General:
		a.sort, a.reg, a.size = general, uint8(v.Num), v.Bits/8
	case x86.Vector:
		a.sort, a.reg, a.size = vector, uint8(v.Num), v.Bits/8
	case x86.MaskReg:
		a.sort, a.reg, a.size = maskReg, uint8(v.Num), 8
	case x86.Immediate:
		a.sort, a.imm = immediate, uint64(v.Imm)
	case x86.Target:
		s.target = s.next + uintptr(v.Imm)
	case x86.Memory, x86.Gathered:
		a.sort, a.base, a.index, a.scale, a.imm = memory, uint8(v.Base), uint8(v.Index), uint8(v.Scale), uint64(v.Imm)
		if v.Bcst != 0 {
			a.bcst = uint8(v.Size)
		}
		switch v.Base {
		case x86.NextIP:
			a.base = noReg
			a.imm += uint64(s.next)
		case x86.NoRegister:
			a.base = noReg
		}
		switch {
		case v.What == x86.Gathered:
			a.sort, a.reg, a.index = gathered, a.index, noReg
		case v.Index == x86.NoRegister:
			a.index = noReg
		}
	}
	return a
}

// addr returns the address of a memory operand.
func (m *Machine) addr(a *arg) uint64 {
	return m.R[a.base] + m.R[a.index]<<a.scale + a.imm
}

// get returns the number in a general register or in memory, or the immediate.
func (m *Machine) get(a *arg) uint64 {
	switch a.sort {
	case general:
		return m.R[a.reg] & (1<<(8*uint(a.size)-1)<<1 - 1)
	case memory:
		return read(m.addr(a), a.size)
	}
	return a.imm
}

// put stores a number in a general register or in memory. 32-bit numbers are zero-extended.
func (m *Machine) put(a *arg, v uint64) {
	if a.sort == memory {
		write(m.addr(a), a.size, v)
		return
	}
	r := &m.R[a.reg]
	switch a.size {
	case 8:
		*r = v
	case 4:
		*r = uint64(uint32(v))
	case 2:
		*r = *r&^0xffff | v&0xffff
	default:
		*r = *r&^0xff | v&0xff
	}
}
