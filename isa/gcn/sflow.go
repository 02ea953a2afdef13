package gcn

import (
	"strconv"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// Control flow, and the 16-bit constants of SOPK and SOPP. docs/reference/gcn.md 4 and 5.

// liftEnd: s_endpgm.
func liftEnd(l *isa.Lift) { l.End() }

// liftBarrier: s_barrier.
func liftBarrier(l *isa.Lift) { l.Barrier(l.Next) }

// liftSleep: s_sleep.
func liftSleep(l *isa.Lift) { l.Yield(l.Next) }

// liftTrap: s_trap.
func liftTrap(l *isa.Lift) {
	l.Trap(ir.TrapGuest, "s_trap "+strconv.FormatUint(l.In.Get(nameSimm16), 10)+": no trap handler is installed")
}

// target is the address that a branch goes to: the next instruction plus four times the signed constant.
func target(in *isa.Inst) uint64 {
	return in.Addr + uint64(in.Size) + uint64(int64(int16(in.Get(nameSimm16)))*4)
}

// branchAddress is the target of an instruction that names one.
func branchAddress(b *isa.Bundle, part int) (uint64, bool) {
	in := &b.Parts[part]
	a := in.Def.Find("simm16")
	if a == nil || a.Kind != branchTarget {
		return 0, false
	}
	return target(in), true
}

// liftBranch: s_branch.
func liftBranch(l *isa.Lift) { l.Jump(target(l.In)) }

func branchIf(cond func(l *isa.Lift) V) eff {
	return func(l *isa.Lift) { l.Branch(cond(l), target(l.In), l.Next) }
}

func ifSCC1(l *isa.Lift) V   { return l.Get(CellSCC, ir.I1) }
func ifSCC0(l *isa.Lift) V   { return ifSCC1(l).Not() }
func ifVCCZ(l *isa.Lift) V   { return vccz(l) }
func ifVCCNZ(l *isa.Lift) V  { return vccz(l).Not() }
func ifEXECNZ(l *isa.Lift) V { return l.Exec().Any(l.I1(true)) }
func ifEXECZ(l *isa.Lift) V  { return ifEXECNZ(l).Not() }

// branchTarget is the constant of a branch: printed as a label where one is known, else as it is encoded. A label
// in the source is an address, a number is the constant itself.
var branchTarget = &isa.Kind{Name: "a branch target",
	Text: func(p *isa.Printer, dst []byte, in *isa.Inst, _ *isa.Arg, v uint64) []byte {
		if p != nil && p.Label != nil {
			if name, ok := p.Label(target(in)); ok {
				return append(dst, name...)
			}
		}
		return strconv.AppendUint(dst, v, 10)
	},
	Parse: func(s *isa.Scan, in *isa.Inst, _ *isa.Arg) (uint64, bool) {
		at := s.Pos
		used := s.UsedSymbol
		s.UsedSymbol = false
		v, ok := s.Expr()
		label := s.UsedSymbol
		s.UsedSymbol = used || label
		if !ok {
			return 0, false
		}
		if !label {
			return imm16(s, at, v)
		}
		d := v - int64(s.Addr) - 4
		if s.Unresolved {
			d = 0
		}
		if d&3 != 0 {
			return 0, s.Fail(at, isa.ErrRange, "the branch target is not a multiple of 4 away")
		}
		if d/4 < -0x8000 || d/4 > 0x7fff {
			return 0, s.Fail(at, isa.ErrRange, "the branch target is farther than 32768 dwords")
		}
		return uint64(d/4) & 0xffff, true
	},
	Samples: []uint64{0, 1, 0x7fff, 0x8000, 0xffff}}

// imm16 checks a 16-bit constant that may be written signed.
func imm16(s *isa.Scan, at int, v int64) (uint64, bool) {
	if v < -0x8000 || v > 0xffff {
		return 0, s.Fail(at, isa.ErrRange, "the constant does not fit 16 bits")
	}
	return uint64(v) & 0xffff, true
}

func parseImm16(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) {
	at := s.Pos
	v, ok := s.Expr()
	if !ok {
		return 0, false
	}
	return imm16(s, at, v)
}

// hex16 is a 16-bit constant in hexadecimal.
var hex16 = &isa.Kind{Name: "a 16-bit constant",
	Text: func(_ *isa.Printer, dst []byte, _ *isa.Inst, _ *isa.Arg, v uint64) []byte {
		if v < 10 {
			return append(dst, '0'+byte(v))
		}
		return isa.AppendHex(dst, v)
	},
	Parse: parseImm16, Samples: []uint64{0, 1, 9, 10, 0xffff}}

// hexAlways is hex16 with the prefix on small numbers too.
var hexAlways = &isa.Kind{Name: "a 16-bit constant",
	Text: func(_ *isa.Printer, dst []byte, _ *isa.Inst, _ *isa.Arg, v uint64) []byte {
		return isa.AppendHex(dst, v)
	},
	Parse: parseImm16, Samples: []uint64{0, 1, 0x7fff, 0x8000, 0xffff}}

// endCode is the constant of s_endpgm, which prints only when it is not 0.
var endCode = &isa.Kind{Name: "a 16-bit constant",
	Text: func(_ *isa.Printer, dst []byte, _ *isa.Inst, _ *isa.Arg, v uint64) []byte {
		if v == 0 {
			return dst[:len(dst)-1] // without the blank before it
		}
		return strconv.AppendUint(dst, v, 10)
	},
	Parse: func(s *isa.Scan, in *isa.Inst, a *isa.Arg) (uint64, bool) {
		if s.End() {
			return 0, true
		}
		return parseImm16(s, in, a)
	}, Samples: []uint64{0, 1, 0xffff}}
