package rogue

import (
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/rogue/internal/group"
)

// Routing that a listing leaves open: which source a register becomes if no operand position implies it.
// docs/reference/rogue.md 9.

// slots are the sources in the order in which such registers get them: the order of the codes of IS0.
var slots = [6]uint8{0, 3, 4, 5, 1, 2}

// fits reports whether source n can hold a register. docs/reference/rogue.md 2.
func fits(n int, r reg) bool {
	if n == 1 || n == 4 || n == 5 {
		return r.bank <= bankCoeff && r.n <= 255
	}
	return true
}

// slot is the source that a register becomes: one that holds it already, or the first free one that can hold it.
func slot(src *[6]reg, taken uint8, r reg) (n int, ok bool) {
	for _, n := range slots {
		if taken>>n&1 != 0 && src[n] == r {
			return int(n), true
		}
	}
	for _, n := range slots {
		if taken>>n&1 == 0 && fits(int(n), r) {
			return int(n), true
		}
	}
	return 0, false
}

// A told is what the instructions in a group's text imply about its routing.
type told struct {
	sources uint8 // sources that the text names
	is0     uint8 // the source that the text gives IS0; 0xff: none is left that can hold the register
	picks   bool  // registers replace the sources that instructions select
	high    bool  // FTE is the upper word of 64 bits
	fte     bool  // FTE is a source that the text names
}

// isHigh reports whether FTE is the high word of a 64-bit integer.
func isHigh(b *isa.Bundle) bool {
	in := find(b, group.P0)
	if in == nil {
		return false
	}
	for i := range in.Def.Args {
		if in.Def.Args[i].Name == "fte" {
			return true
		}
	}
	return false
}

// inPlace are the sources that the operands of an instruction name by position.
func inPlace(in *isa.Inst, rt *routing) (u uint8) {
	for i := range in.Def.Args {
		a := &in.Def.Args[i]
		for n, k := range sources {
			if a.Kind == k {
				u |= 1 << n
			}
		}
		if a.Kind == thirdUpper {
			u |= 1 << 2
		}
	}
	switch {
	case info(in).name == "fred" && rt.src[firstUpper] != reg{}: // else the text has _
		u |= 1 << firstUpper
	case in.Def.Class == group.Count && in.Get(nameCountSrc) == 0:
		u |= 1 << 2
	case in.Has(nameLOD) && sharedLOD(in):
		u |= 1 << firstUpper
	}
	return u
}

// tells returns what the text of a group implies.
func tells(b *isa.Bundle, rt *routing) (t told) {
	var placed, picked uint8
	for i := range b.Parts {
		in := &b.Parts[i]
		if in.Def.Class == group.Header || in.Def.Class > group.Control || omitted(b, in) {
			continue
		}
		placed |= inPlace(in, rt)
		for j := range in.Def.Args {
			if v, ok := picks(in, &in.Def.Args[j]); ok {
				picked |= 1 << v
			}
		}
	}
	t.high = isHigh(b)
	t.fte = rt.reads&readIS0 != 0 && mentions(b, rt, t.high) && rt.is0 < 6
	t.sources = placed | picked
	if in := find(b, group.P0); in != nil && info(in).name == "fred" { // its data prints as _ if it is 0
		t.sources |= 1 << firstUpper
	}
	if t.fte {
		t.sources |= 1 << rt.is0
	}
	taken := placed
	for n, r := range rt.src {
		if t.sources>>n&1 == 0 && (r != reg{} || rt.used>>n&1 != 0) {
			taken |= 1 << n
		}
	}
	t.picks, taken = plainPicks(b, rt, taken)
	if !t.picks {
		t.sources &^= picked &^ placed
		taken |= picked
	}
	if t.fte {
		n, ok := slot(&rt.src, taken, rt.src[rt.is0])
		t.is0 = uint8(n)
		if !ok {
			t.is0 = 0xff
		}
	}
	return t
}

// mentions reports whether the text names the source that FTE selects.
func mentions(b *isa.Bundle, rt *routing, high bool) bool {
	if high {
		return takesIS0(b)
	}
	if in := find(b, group.Pack); in != nil && info(in).reads&readIS0 != 0 {
		return true
	}
	if rt.reads&readIS1 != 0 && rt.iss[1] != 0 || rt.reads&readIS2 != 0 && rt.iss[2] != 0 || rt.reads&readIS3 != 0 && rt.iss[3] == codeFTE {
		return true
	}
	if m := moveOf(b); m != nil {
		return m.Get(nameMov0) == codeFTE || m.Get(nameMov1) == codeFTE || rt.iss[4] == codeFTE || info(m).name != "movwm" && rt.iss[5] == codeFTE
	}
	for i := range rt.has {
		if rt.iss[4+i] == codeFTE && rt.reads&(writeW0<<i) == 0 && (!rt.has[i] || i == 0 || rt.has[0]) && rt.reads&(readIS4<<i) != 0 {
			return true
		}
	}
	return false
}

// moveOf is the move of phase 2 that chooses the values of w0 and w1, or nil.
func moveOf(b *isa.Bundle) *isa.Inst {
	if in := find(b, group.Move); in != nil && in.Has(nameMov0) {
		return in
	}
	return nil
}

// takesIS0 reports whether a 64-bit integer instruction reads the source that IS0 selects.
func takesIS0(b *isa.Bundle) bool {
	in := find(b, group.P0)
	return in != nil && info(in).reads&readIS0 != 0
}

// plainPicks reports whether the registers that instructions select are read back as the same sources. now is taken
// with these added.
func plainPicks(b *isa.Bundle, rt *routing, taken uint8) (plain bool, now uint8) {
	now = taken
	for i := range b.Parts {
		in := &b.Parts[i]
		var list []uint8
		for j := range in.Def.Args {
			if v, ok := picks(in, &in.Def.Args[j]); ok {
				list = append(list, v)
			}
		}
		if info(in).sop != nil {
			now, plain = plainSOP(rt, now, list)
			if !plain {
				return false, taken
			}
			continue
		}
		for _, v := range list {
			n, ok := slot(&rt.src, now, rt.src[v])
			if !ok || n != int(v) {
				return false, taken
			}
			now |= 1 << v
		}
	}
	return true, now
}

// plainSOP is plainPicks of a sum of products.
func plainSOP(rt *routing, taken uint8, list []uint8) (now uint8, plain bool) {
	regs := make([]reg, len(list))
	for i, v := range list {
		regs[i] = rt.src[v]
	}
	src := rt.src
	at, ok := spread6(&src, &taken, regs)
	for i, v := range list {
		if !ok || at[i] != v {
			return taken, false
		}
	}
	return taken, true
}

// spread6 assigns sources to the registers of a sum of products, which may be any. Registers that few sources can hold
// come first.
func spread6(src *[6]reg, taken *uint8, regs []reg) (at []uint8, ok bool) {
	at = make([]uint8, len(regs))
	for _, few := range [...]bool{true, false} {
		for i, r := range regs {
			if fits(1, r) == few {
				continue
			}
			n, ok := slot(src, *taken, r)
			if !ok {
				return at, false
			}
			src[n], at[i] = r, uint8(n)
			*taken |= 1 << n
		}
	}
	return at, true
}

// picks is the source that an operand selects; ok is false if it selects none.
func picks(in *isa.Inst, a *isa.Arg) (v uint8, ok bool) {
	r := info(in)
	if r.sop != nil {
		for i := range r.sop.operands {
			if x := &r.sop.operands[i]; int(x.arg) == a.Index() {
				v = uint8(x.selector(in))
				return v, v < pickZ
			}
		}
		return 0, false
	}
	for _, n := range r.picks {
		if a.Name == names[n] {
			v = uint8(a.Get(in.Word))
			return v, v < 6
		}
	}
	return 0, false
}

// appendPick is the text of an operand that selects source n.
func appendPick(p isa.Printer, dst []byte, n int) []byte {
	if p.Dialect == Seed && p.Bundle != nil {
		var rt routing
		route(p.Bundle, &rt)
		if tells(p.Bundle, &rt).picks {
			return appendReg(dst, rt.src[n], 1, Seed)
		}
	}
	return appendName(dst, 's', n)
}

// readPick reads a register that becomes a source of its own.
func readPick(s *isa.Scan) (uint64, bool) {
	at := s.Pos
	r, ok := readOne(s)
	if !ok {
		return 0, false
	}
	var src [6]reg
	var taken uint8
	for n := range src {
		if v := s.Scratch[n]; v != 0 {
			src[n] = unpackReg(v)
			taken |= 1 << n
		}
	}
	n, ok := slot(&src, taken, r)
	if !ok {
		return 0, s.Fail(at, isa.ErrOperand, "no source is left that can be "+string(appendReg(nil, r, 1, Seed)))
	}
	s.Scratch[n] = r.pack()
	return uint64(n), true
}

// pick is an operand that selects one of the sources.
func pick(name string) *isa.Kind {
	return &isa.Kind{Name: name, Reserved: []bool{6: true, 7: true},
		Text: func(p isa.Printer, dst []byte, _ *isa.Inst, _ *isa.Arg, v uint64) []byte {
			return appendPick(p, dst, int(v))
		},
		Parse: func(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) {
			if w := s.Word(); len(w) == 2 && w[0]|0x20 == 's' && w[1] >= '0' && w[1] <= '5' {
				s.Pos += 2
				return uint64(w[1] - '0'), true
			}
			if s.Target.Dialect == Seed {
				return readPick(s)
			}
			return 0, s.Expect("one of s0 to s5")
		}}
}

// coverKind is the source of a coverage mask, or none.
func coverKind() *isa.Kind {
	const none = 7
	k := pick("a source or _")
	text, parse := k.Text, k.Parse
	k.Reserved = []bool{6: true}
	k.Text = func(p isa.Printer, dst []byte, in *isa.Inst, a *isa.Arg, v uint64) []byte {
		if v == none {
			return append(dst, '_')
		}
		return text(p, dst, in, a, v)
	}
	k.Parse = func(s *isa.Scan, in *isa.Inst, a *isa.Arg) (uint64, bool) {
		if s.Accept("_") {
			return none, true
		}
		return parse(s, in, a)
	}
	return k
}
