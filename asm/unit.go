package asm

import "github.com/heddle-gpu/heddle/isa"

// Units are what a layout requests of the instructions of a file: the form and the padding of each. An instruction is
// read again only if the layout changes its request. In one round, instructions of one text are read once, unless the
// text names an address.

// layout asks the set for forms and padding with the addresses of this round. It returns false if nothing changes.
func (a *assembler) layout() bool {
	if a.target.Layout == nil || a.pairs || a.exact || len(a.errs) > 0 {
		return false
	}
	for i := range a.units {
		if len(a.units[i].Bundle.Parts) == 0 {
			return false // it has an error, which is reported
		}
	}
	a.wants = a.wants[:0]
	for i := range a.units {
		a.wants = append(a.wants, want{a.units[i].Long, a.units[i].Pad})
	}
	if !a.target.Layout(a.target, a.units) {
		return false
	}
	for i := range a.stmts.n {
		if st := a.stmts.at(i); st.unit != 0 {
			if u := &a.units[st.unit-1]; a.wants[st.unit-1] != (want{u.Long, u.Pad}) {
				st.enc = nil // another form or padding
			}
		}
	}
	return true
}

// A want is what a layout requests for an instruction.
type want struct {
	long bool
	pad  uint8
}

// plainUnit reports whether the layout requests nothing for an instruction.
func (a *assembler) plainUnit(u *isa.Unit) bool { return !u.Long && u.Pad == 0 && a.prog == nil }

// alike assembles an instruction as one of the same text that this round has read, if there is one and its text means
// the same at any address.
func (a *assembler) alike(st *stmt, u *isa.Unit) bool {
	if u == nil || !a.plainUnit(u) {
		return false
	}
	like := a.met[st.text]
	if like == nil {
		return false
	}
	from := &a.units[like.unit-1]
	u.Bundle.Parts, u.Bundle.Pad = append(u.Bundle.Parts[:0], from.Bundle.Parts...), from.Bundle.Pad
	for i := range u.Bundle.Parts {
		u.Bundle.Parts[i].Addr += u.Addr - from.Addr
	}
	st.enc = like.enc
	a.out = append(a.out, st.enc...)
	return true
}

// unitAt returns the unit of a statement at an address, nil if units are not used.
func (a *assembler) unitAt(st *stmt, addr uint64) *isa.Unit {
	if st.unit == 0 {
		if (a.target.Layout == nil || a.pairs) && !a.opt.TextOnly {
			return nil
		}
		a.units = append(a.units, isa.Unit{Bundle: a.newBundle()})
		st.unit = int32(len(a.units))
	}
	u := &a.units[st.unit-1]
	u.Addr, u.Label = addr, a.apart
	return u
}

// newBundle returns a bundle with room for one part.
func (a *assembler) newBundle() *isa.Bundle {
	if len(a.bundles) == 0 {
		n := min(max(8, len(a.units)), 512)
		a.bundles, a.parts = make([]isa.Bundle, n), make([]isa.Inst, n)
	}
	b := &a.bundles[0]
	b.Parts = a.parts[:0:1]
	a.bundles, a.parts = a.bundles[1:], a.parts[1:]
	return b
}

// moved gives the instructions of a unit that is not read again its present address.
func (a *assembler) moved(u *isa.Unit) {
	by := a.pc() - u.Addr
	u.Addr = a.pc()
	for i := range u.Bundle.Parts {
		u.Bundle.Parts[i].Addr += by
	}
}

// forget empties met: texts change their meaning from here on.
func (a *assembler) forget() {
	if len(a.met) > 0 || a.met == nil {
		a.met = map[string]*stmt{}
	}
}
