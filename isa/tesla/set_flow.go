package tesla

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// newFlow returns the control flow data of the set.
func newFlow() *isa.Flow {
	return &isa.Flow{Traits: traitsOf, More: moreTraits, Unset: unsetRule, Never: unsetCells(), Name: userName,
		Alike: []ir.Cell{regCell(zeroRegisters[0]), regCell(zeroRegisters[1])}}
}

// traitsOf returns those of a row. Results from per-thread memory, inputs and atomics vary.
func traitsOf(d *isa.Def) (t isa.Traits) {
	r := d.Data.(*row)
	t = r.traits
	if enc := r.form.enc; enc == control || enc == shortControl {
		t |= isa.TraitControl
	}
	a := argNamed(d, "address", nil)
	switch {
	case a == nil:
	case a.Kind == local || a.Kind == attribute,
		a.Kind == global && argNamed(d, "src2", nil) != nil,             // atomics, one thread after another
		a.Kind == shared32 && argNamed(d, "flags", flagRegister) != nil: // of the threads that request a lock one gets it
		t |= isa.TraitVaries
	}
	return t
}

// moreTraits returns those of an instruction by its fields.
func moreTraits(in *isa.Inst, _ isa.Traits) (t isa.Traits) {
	f := rowOf(in).form
	if in.Opt(nameFlow) != 0 {
		t |= isa.TraitControl
	}
	if in.Has(nameGuard) && !f.asked && in.Get(nameGuard)&31 != condAlways {
		t |= isa.TraitPart
	}
	if in.Has(nameLanes) && in.Get(nameLanes) != 15 {
		t |= isa.TraitPart | isa.TraitVaries
	}
	for _, i := range f.located {
		if s, _ := f.origin(in, i); s.what == isAttribute || s.what == isPrimitive {
			t |= isa.TraitVaries
		}
	}
	return t
}

// unsetCells returns those that no launch initialises; $r0 of compute programs has a value: see unsetRule.
func unsetCells() (cs []ir.Cell) {
	for i := range NumR {
		cs = append(cs, regCell(i))
	}
	for i := uint64(1); i < NumA; i++ {
		cs = append(cs, addrCell(i))
	}
	return append(cs, isa.Cells(FileC, 0, flags*NumC)...)
}

// zeroRegisters are those that compilers use as 0: they are beyond the registers that the program requests.
// docs/reference/tesla.md 3.1.
var zeroRegisters = [...]int{63, 127}

// userName returns the name of a cell in text; for flags, that of the register.
func userName(_ int, c ir.Cell) string {
	if c.File == FileC {
		return flagRegister.Table[c.Index/flags]
	}
	return "$" + cellName(c)
}

// firstFlag returns the first flag of a $c that the instruction reads.
func firstFlag(in *isa.Inst, reg uint16) uint16 {
	first := flags*reg + flags
	for i := range in.Def.Args {
		a := &in.Def.Args[i]
		if a.Kind.Cells == nil || a.RoleIn(in) != isa.Use {
			continue
		}
		for _, sp := range a.Kind.Cells(nil, in, a, a.Get(in.Word)) {
			if sp.Cell.File == FileC && sp.Cell.Index/flags == reg {
				first = min(first, sp.Cell.Index)
			}
		}
	}
	return first
}

// unsetRule returns the rule about a cell that nothing wrote.
func unsetRule(in *isa.Inst, _ isa.Traits, c ir.Cell) string {
	switch c.File {
	case FileR:
		if n := int(c.Index); n == 0 && in.Stage == CP || n == zeroRegisters[0] || n == zeroRegisters[1] {
			return ""
		}
		return ruleUnsetR
	case FileC:
		if c.Index == firstFlag(in, c.Index/flags) { // all four are written together, and are reported once
			return ruleUnsetC
		}
	case FileA:
		if c.Index < 5 { // see addressRead
			return ruleUnsetA
		}
	}
	return ""
}
