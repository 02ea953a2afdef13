package rogue

import (
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/rogue/internal/group"
	"github.com/heddle-gpu/heddle/isa/rogue/internal/listing"
)

// isHigh reports whether FTE is the high word of a 64-bit integer.
func isHigh(b *isa.Bundle) bool {
	in := group.Find(b, group.P0)
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
	case info(in).name == "fred" && rt.src[group.FirstUpper] != reg{}: // else the text has _
		u |= 1 << group.FirstUpper
	case in.Def.Class == group.Count && in.Get(nameCountSrc) == 0:
		u |= 1 << 2
	case in.Has(nameLOD) && sharedLOD(in):
		u |= 1 << group.FirstUpper
	}
	return u
}

// impliedRouting returns what the text of a group in the dialect of the reference implies about its routing.
// docs/reference/rogue.md 9.
func impliedRouting(b *isa.Bundle, rt *routing) (t listing.InText) {
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
	t.High = isHigh(b)
	t.FTE = rt.reads&readIS0 != 0 && mentions(b, rt, t.High) && rt.is0 < 6
	t.Sources = placed | picked
	if in := group.Find(b, group.P0); in != nil && info(in).name == "fred" { // its data prints as _ if it is 0
		t.Sources |= 1 << group.FirstUpper
	}
	if t.FTE {
		t.Sources |= 1 << rt.is0
	}
	taken := placed
	for n, r := range rt.src {
		if t.Sources>>n&1 == 0 && (r != reg{} || rt.used>>n&1 != 0) {
			taken |= 1 << n
		}
	}
	t.Picks, taken = plainPicks(b, rt, taken)
	if !t.Picks {
		t.Sources &^= picked &^ placed
		taken |= picked
	}
	if t.FTE {
		src := rt.operands()
		n, ok := listing.Slot(&src, taken, src[rt.is0])
		t.IS0 = uint8(n)
		if !ok {
			t.IS0 = 0xff
		}
	}
	return t
}

// mentions reports whether the text names the source that FTE selects.
func mentions(b *isa.Bundle, rt *routing, high bool) bool {
	if high {
		return takesIS0(b)
	}
	if in := group.Find(b, group.Pack); in != nil && info(in).reads&readIS0 != 0 {
		return true
	}
	if rt.reads&readIS1 != 0 && rt.iss[1] != 0 || rt.reads&readIS2 != 0 && rt.iss[2] != 0 || rt.reads&readIS3 != 0 && rt.iss[3] == group.FTE {
		return true
	}
	if m := moveOf(b); m != nil {
		return m.Get(nameMov0) == group.FTE || m.Get(nameMov1) == group.FTE || rt.iss[4] == group.FTE || info(m).name != "movwm" && rt.iss[5] == group.FTE
	}
	for i := range rt.has {
		if rt.iss[4+i] == group.FTE && rt.reads&(writeW0<<i) == 0 && (!rt.has[i] || i == 0 || rt.has[0]) && rt.reads&(readIS4<<i) != 0 {
			return true
		}
	}
	return false
}

// moveOf is the move of phase 2 that chooses the values of w0 and w1, or nil.
func moveOf(b *isa.Bundle) *isa.Inst {
	if in := group.Find(b, group.Move); in != nil && in.Has(nameMov0) {
		return in
	}
	return nil
}

// takesIS0 reports whether a 64-bit integer instruction reads the source that IS0 selects.
func takesIS0(b *isa.Bundle) bool {
	in := group.Find(b, group.P0)
	return in != nil && info(in).reads&readIS0 != 0
}

// plainPicks reports whether the registers that instructions select are read back as the same sources. now is taken
// with these added.
func plainPicks(b *isa.Bundle, rt *routing, taken uint8) (plain bool, now uint8) {
	now = taken
	src := rt.operands()
	for i := range b.Parts {
		in := &b.Parts[i]
		var list []uint8
		for j := range in.Def.Args {
			if v, ok := picks(in, &in.Def.Args[j]); ok {
				list = append(list, v)
			}
		}
		if info(in).sop != nil {
			now, plain = plainSOP(src, now, list)
			if !plain {
				return false, taken
			}
			continue
		}
		for _, v := range list {
			n, ok := listing.Slot(&src, now, src[v])
			if !ok || n != int(v) {
				return false, taken
			}
			now |= 1 << v
		}
	}
	return true, now
}

// plainSOP is plainPicks of a sum of products.
func plainSOP(src [6]group.Operand, taken uint8, list []uint8) (now uint8, plain bool) {
	regs := make([]group.Operand, len(list))
	for i, v := range list {
		regs[i] = src[v]
	}
	at, ok := listing.Spread(&src, &taken, regs)
	for i, v := range list {
		if !ok || at[i] != v {
			return taken, false
		}
	}
	return taken, true
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
		if impliedRouting(p.Bundle, &rt).Picks {
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
	src, taken := listing.Picked(s)
	n, ok := listing.Slot(&src, taken, r.operand())
	if !ok {
		return 0, s.Fail(at, isa.ErrOperand, "no source is left that can be "+string(appendReg(nil, r, 1, Seed)))
	}
	listing.Pick(s, n, r.operand())
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
