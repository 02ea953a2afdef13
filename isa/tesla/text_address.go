package tesla

import (
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// appendAddress prints what follows the opening bracket of memory, and the closing one.
func appendAddress(dst []byte, a address) []byte {
	switch {
	case a.reg != 0:
		dst = append(dst, '$', 'a', byte('0'+a.reg))
	case a.inc:
		dst = append(dst, "0x0"...)
	default:
		return append(isa.AppendHex(dst, uint64(a.off)), ']')
	}
	switch {
	case a.inc:
		dst = isa.AppendHex(append(dst, '+', '+'), uint64(a.off))
	case a.off != 0:
		dst = isa.AppendHex(append(dst, '+'), uint64(a.off))
	}
	return append(dst, ']')
}

// readAddress reads an address after the opening text, up to its bracket.
func readAddress(s *isa.Scan, open string) (a address, ok bool) {
	if !strings.HasPrefix(s.Line[s.Pos:], open) {
		return a, s.Expect(open)
	}
	s.Pos += len(open)
	s.Space()
	fixed := true
	switch zero := strings.HasPrefix(s.Line[s.Pos:], "0x0++"); {
	case s.Peek() == '$':
		if a.reg, ok = numbered(s, "$a", NumA, "an address register"); !ok {
			return a, false
		}
		s.Space()
		fixed = s.Peek() != ']'
	case zero:
		s.Pos += len("0x0")
	}
	if strings.HasPrefix(s.Line[s.Pos:], "++") {
		a.inc = true
		s.Pos += 2
	} else if a.reg != 0 && fixed && s.Peek() != '+' && s.Peek() != '-' {
		return a, s.Expect(`"+", "++" or "]"`)
	}
	if fixed {
		if a.off, ok = s.Expr(); !ok {
			return a, false
		}
	}
	if s.Space(); !s.Byte(']') {
		return a, s.Expect(`"]"`)
	}
	return a, true
}

// A room is the range of an address.
type room struct {
	bits  uint  // of the offset
	scale int64 // its unit in bytes
	whole bool  // the offset is unsigned whatever the increment, and may wrap
	regs  uint64
}

// put writes an address into the fields that it shares with other operands, and returns the value of the offset's
// field. With an increment the offset is signed.
func (a address) put(s *isa.Scan, in *isa.Inst, at int, m room) (uint64, bool) {
	low, top, scale := int64(0), int64(1)<<m.bits, m.scale
	if a.inc && !m.whole {
		low, top = -top/2, top/2
	}
	off := a.off
	if m.whole && off < 0 {
		off += top * scale
	}
	if off%scale != 0 || off < low*scale || off >= top*scale {
		return 0, s.NoteRange(at, isa.ErrRange, "the offset is no multiple of %n from %l to %h", int(scale), int(low*scale), int((top-1)*scale))
	}
	if a.reg != 0 || a.inc {
		if !in.Has(nameAddr) || a.inc && !in.Has(nameInc) {
			return 0, s.Fail(at, isa.ErrOperand, "no address register is possible here")
		}
		if a.reg >= m.regs {
			return 0, s.Note(at, isa.ErrRange, "only $a1 to $a%n are possible here", "", int(m.regs-1))
		}
		in.Put(nameAddr, a.reg)
	}
	if a.inc {
		in.Put(nameInc, 1)
	}
	return uint64(off/scale) & (1<<m.bits - 1), true
}

// readType reads a type of memory.
func readType(s *isa.Scan) (t uint64, ok bool) {
	w := s.Word()
	for i, name := range typeNames {
		if w == name {
			s.Pos += len(w)
			s.Space()
			return uint64(i), true
		}
	}
	return 0, false
}

// addrCells appends the address register of an instruction, which an increment writes.
func addrCells(dst []isa.Span, reg uint64, inc bool) []isa.Span {
	if reg == 0 {
		return dst
	}
	sp := isa.Span{Cell: ir.Cell{File: FileA, Index: uint16(reg)}, N: 1, Role: isa.Use}
	if inc {
		sp.Role = isa.UseDef
	}
	return append(dst, sp)
}

// A full is memory with an offset of its own field, the address register of the instruction and its increment.
type full struct {
	open  string // first part of the text; "c" has a bank
	bits  uint
	scale int64
	regs  uint64 // the address registers that it can name
}

// fullOf returns the kind of such memory.
func fullOf(f full) *isa.Kind {
	words := []string{f.open[:1] + "["}
	return &isa.Kind{OneOf: words, Only: words, Name: "an address of " + strings.TrimSuffix(f.open, "[") + "[]", Samples: []uint64{0, 1, 8, 1<<f.bits - 1},
		Text: func(_ isa.Printer, dst []byte, in *isa.Inst, _ *isa.Arg, v uint64) []byte {
			dst = append(dst, f.open...)
			if f.open == "c" {
				dst = append(strconv.AppendUint(dst, in.Get(nameBank), 10), '[')
			}
			return appendAddress(dst, fullAddress(in, int64(v)*f.scale))
		},
		Parse: func(s *isa.Scan, in *isa.Inst, _ *isa.Arg) (uint64, bool) {
			at, open := s.Pos, f.open
			if f.open == "c" {
				bank, ok := numbered(s, "c", Banks, "constant memory")
				if !ok {
					return 0, false
				}
				in.Put(nameBank, bank)
				open = "["
			}
			a, ok := readAddress(s, open)
			if !ok {
				return 0, false
			}
			return a.put(s, in, at, room{f.bits, f.scale, true, f.regs})
		},
		Cells: func(dst []isa.Span, in *isa.Inst, _ *isa.Arg, _ uint64) []isa.Span {
			a := fullAddress(in, 0)
			return addrCells(dst, a.reg, a.inc)
		},
	}
}

// fullAddress returns the address of an operand that is the only one to use the address register.
func fullAddress(in *isa.Inst, off int64) address {
	return address{in.Opt(nameAddr), in.Opt(nameInc) != 0, off}
}

var (
	shared8      *isa.Kind
	shared16     *isa.Kind
	shared32     *isa.Kind
	const8       *isa.Kind
	const16      *isa.Kind
	const32      *isa.Kind
	local        *isa.Kind
	output       *isa.Kind
	attribute    *isa.Kind
	varying      *isa.Kind
	shortVarying *isa.Kind
)

// global is g[$r]: the field holds the register, the bank has a field of its own.
var global = &isa.Kind{Name: "global memory", OneOf: []string{"g["}, Only: []string{"g["}, Samples: []uint64{0, 1, 63, 127},
	Text: func(_ isa.Printer, dst []byte, in *isa.Inst, _ *isa.Arg, v uint64) []byte {
		dst = append(strconv.AppendUint(append(dst, 'g'), in.Get(nameGBank), 10), '[')
		return append(append(dst, wholeTexts[v]...), ']')
	},
	Parse: func(s *isa.Scan, in *isa.Inst, _ *isa.Arg) (uint64, bool) {
		bank, ok := numbered(s, "g", Banks, "global memory")
		if !ok {
			return 0, false
		}
		in.Put(nameGBank, bank)
		if !s.Byte('[') {
			return 0, s.Expect(`"["`)
		}
		s.Space()
		v, ok := parseRegister(s, whole)
		if !ok {
			return 0, false
		}
		if s.Space(); !s.Byte(']') {
			return 0, s.Expect(`"]": global memory is addressed by a register alone`)
		}
		return v, true
	},
	Cells: func(dst []isa.Span, _ *isa.Inst, _ *isa.Arg, v uint64) []isa.Span {
		sp := spanOf(whole, v)
		sp.Role = isa.Use
		return append(dst, sp)
	}}

// fillAddresses makes the kinds of memory whose address has a field of its own.
func fillAddresses() {
	shared8 = fullOf(full{"s[", 16, 1, NumA})
	shared16 = fullOf(full{"s[", 15, 2, NumA})
	shared32 = fullOf(full{"s[", 14, 4, NumA})
	const8 = fullOf(full{"c", 16, 1, NumA})
	const16 = fullOf(full{"c", 15, 2, NumA})
	const32 = fullOf(full{"c", 14, 4, NumA})
	local = fullOf(full{"l[", 16, 1, NumA})
	output = fullOf(full{"o[", 14, 4, NumA})
	attribute = fullOf(full{"a[", 7, 4, NumA})
	varying = fullOf(full{"v[", 8, 4, NumA})
	shortVarying = fullOf(full{"v[", 8, 4, shortRegs})
}
