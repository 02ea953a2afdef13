package tesla

import (
	"strconv"

	"github.com/heddle-gpu/heddle/isa"
)

// sourceOf returns the kind of a source.
func sourceOf(p place, z size) *isa.Kind {
	registers := sizes[z].texts
	k := &isa.Kind{Name: "a source", Plain: registers, Beside: []string{"sel", "mem"}, Samples: []uint64{0, 1, 4, 31, 63, 127}}
	if k.Only = append([]string{"c["}, sizes[z].words...); p == longFirst || p == shortFirst || p == immFirst {
		k.Only = append([]string{"u8 u16 s16 b32 s[ a[ p["}, sizes[z].words...)
	}
	k.Numbered = numbersOf(z)
	if p == longSecond || p == longThird {
		k.Unless = besidePrimitive
	}
	k.Text = func(_ isa.Printer, dst []byte, in *isa.Inst, _ *isa.Arg, v uint64) []byte {
		if whats[p][in.Stage][signsOf(p, in.Word.Lo)] == isRegister {
			return append(dst, registers[v]...)
		}
		s := locate(in, p, z, v)
		switch s.what {
		case isShared:
			dst = append(append(dst, typeNames[s.typ]...), " s["...)
		case isConst:
			dst = append(strconv.AppendUint(append(dst, 'c'), uint64(s.bank), 10), '[')
		case isAttribute:
			dst = append(dst, "a["...)
		case isPrimitive:
			dst = append(dst, "p["...)
		default:
			return append(dst, "???"...)
		}
		return appendAddress(dst, s.address)
	}
	k.Parse = func(s *isa.Scan, in *isa.Inst, _ *isa.Arg) (uint64, bool) {
		switch {
		case s.Peek() == '$':
			v, ok := parseRegister(s, z)
			return v, ok && noConst(s, in, p)
		case p == longFirst || p == shortFirst || p == immFirst:
			return parseFirst(s, in, p)
		}
		return parseConst(s, in, p, z)
	}
	k.Cells = func(dst []isa.Span, in *isa.Inst, _ *isa.Arg, v uint64) []isa.Span {
		s := locate(in, p, z, v)
		if s.what == isRegister {
			return append(dst, spanOf(z, v))
		}
		return addrCells(dst, s.reg, s.read().inc)
	}
	return k
}

// shortRegs is the address registers that short and immediate forms can name.
const shortRegs = 4

// Scratch of a scan: under selPrimitive the sources after the first are all registers or all constants.
const (
	scratchRegister = 1 << iota
	scratchConst
)

// besidePrimitive reports whether the first source is p[].
func besidePrimitive(in *isa.Inst) bool { return in.Get(nameSel) == selPrimitive }

// noConst records that a source after the first is a register.
func noConst(s *isa.Scan, in *isa.Inst, p place) bool {
	if p != longSecond && p != longThird || !besidePrimitive(in) {
		return true
	}
	if s.Scratch[0]&scratchConst != 0 {
		return s.Fail(s.Pos, isa.ErrIllegal, "beside p[] the other sources are all registers or all constants")
	}
	s.Scratch[0] |= scratchRegister
	in.Put(nameMem, 1)
	return true
}

// parseFirst reads memory that the first source can be.
func parseFirst(s *isa.Scan, in *isa.Inst, p place) (uint64, bool) {
	at, stage := s.Pos, s.Target.Stage
	switch c := s.Peek(); {
	case c == 'a' && (stage == VP || stage == GP) && p != immFirst:
		a, ok := readAddress(s, "a[")
		if ok && (a.reg != 0 || a.inc) {
			return 0, s.Fail(at, isa.ErrOperand, "a[] takes no address register here: see ld b32")
		}
		in.Put(nameMem, 1)
		return putFirst(s, in, a, at, ok, p)
	case c == 'p' && stage == GP:
		a, ok := readAddress(s, "p[")
		if ok && a.inc {
			return 0, s.Fail(at, isa.ErrOperand, "p[] cannot be incremented")
		}
		if p == longFirst {
			in.Put(nameSel, selPrimitive)
		} else {
			in.Put(nameMem, 1)
			if p == shortFirst {
				in.Put(nameSel, 1)
			}
		}
		return putFirst(s, in, a, at, ok, p)
	case stage == CP:
		if t, ok := readType(s); ok {
			a, ok := readAddress(s, "s[")
			if !ok {
				return 0, false
			}
			in.Put(nameMem, 1)
			m := firstRoom(p, 4)
			m.scale = typeScales[t]
			v, ok := a.put(s, in, at, m)
			return v | t<<m.bits, ok
		}
	}
	return 0, s.Expect([...]string{CP: "a register, or s[] with its type,", VP: "a register or a[]", GP: "a register, a[] or p[]", FP: "a register"}[stage])
}

// firstRoom returns the range of the offset of a first source, which has bits bits in short forms and one more in
// long ones.
func firstRoom(p place, bits uint) room {
	if p == longFirst {
		return room{bits: bits + 1, scale: 4, regs: NumA}
	}
	return room{bits: bits, scale: 4, regs: shortRegs}
}

// constRoom returns the range of the offset of a constant.
func constRoom(in *isa.Inst, p place, z size) room {
	m := room{bits: 7, scale: constScale(z), regs: NumA}
	if printsHalf(in, p, z) {
		m.scale /= 2
	}
	if p == shortSecond {
		m.bits, m.regs = 5, shortRegs
	}
	return m
}

// putFirst returns the field of a word of a[] or p[].
func putFirst(s *isa.Scan, in *isa.Inst, a address, at int, ok bool, p place) (uint64, bool) {
	if !ok {
		return 0, false
	}
	return a.put(s, in, at, firstRoom(p, 6))
}

// parseConst reads constant memory that the second or third source can be.
func parseConst(s *isa.Scan, in *isa.Inst, p place, z size) (uint64, bool) {
	at := s.Pos
	if _, ok := readType(s); ok || s.Peek() == 'a' || s.Peek() == 'p' {
		return 0, s.Fail(at, isa.ErrOperand, "only the first source can be s[], a[] or p[]")
	}
	if s.Peek() != 'c' {
		return 0, s.Expect(sizes[z].source)
	}
	bank, ok := numbered(s, "c", Banks, "constant memory")
	if !ok {
		return 0, false
	}
	a, ok := readAddress(s, "[")
	if !ok {
		return 0, false
	}
	m := constRoom(in, p, z)
	switch p {
	case shortSecond:
		if bank > 1 || in.Get(nameMem) != 0 {
			return 0, s.Fail(at, isa.ErrOperand, "short instructions reach c0 and c1 only, and not beside other memory")
		}
		in.Put(nameSel, 1)
		v, ok := a.put(s, in, at, m)
		return v | bank<<5, ok
	case longSecond:
		ok = putConst(s, in, a, at, bank, 1)
	default:
		ok = putConst(s, in, a, at, bank, 2)
	}
	if !ok {
		return 0, false
	}
	return a.put(s, in, at, m)
}

// putConst records that a long source is c[]. sel is the value of its field for that.
func putConst(s *isa.Scan, in *isa.Inst, a address, at int, bank, sel uint64) bool {
	switch was := in.Get(nameSel); {
	case was == selPrimitive && s.Scratch[0]&scratchRegister != 0:
		return s.Fail(at, isa.ErrIllegal, "beside p[] the other sources are all registers or all constants")
	case was == selPrimitive && s.Scratch[0]&scratchConst != 0 && in.Get(nameBank) != bank:
		return s.Fail(at, isa.ErrIllegal, "both constants are of one bank")
	case was == selPrimitive:
		s.Scratch[0] |= scratchConst
		in.Put(nameMem, 0)
	case was != 0:
		return s.Fail(at, isa.ErrIllegal, "only one source can be c[]")
	default:
		in.Put(nameSel, sel)
	}
	if (a.reg != 0 || a.inc) && (in.Get(nameSel) == selPrimitive || in.Stage == CP && in.Get(nameMem) != 0) {
		return s.Fail(at, isa.ErrIllegal, "the address register belongs to the first source, which is memory")
	}
	in.Put(nameBank, bank)
	return true
}

// sources are the kinds of sources by place and size.
var sources [longThird + 1][2]*isa.Kind

// fillSources makes the kinds of sources.
func fillSources() {
	for p := range sources {
		for z := range sources[p] {
			sources[p][z] = sourceOf(place(p), size(z))
		}
	}
}
