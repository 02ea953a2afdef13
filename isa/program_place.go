package isa

import (
	"strings"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/loc"
)

var (
	_ ir.Described = (*Program)(nil)
	_ ir.Described = (*Listing)(nil)
)

// RegisterName is how users of the set write a cell.
func (t *Target) RegisterName(c ir.Cell) string {
	switch {
	case t.Flow != nil && t.Flow.Name != nil:
		return t.Flow.Name(t.Variant, c)
	case t.CellName != nil:
		if name := t.CellName(c); name != "" {
			return name
		}
	}
	return t.Machine().CellName(c)
}

// ValueName is RegisterName of a value that is shown. Where text names several cells at once, as Tesla's $c0, the part is that of Arch.CellName: $c0.z.
func (t *Target) ValueName(c ir.Cell) string {
	name := t.RegisterName(c)
	if t.CellName == nil {
		return name
	}
	if _, part, ok := strings.Cut(t.CellName(c), "."); ok && !strings.Contains(name, ".") {
		return name + "." + part
	}
	return name
}

// RegisterCells are those of a register by its name. The execution mask is one cell, as long as it goes by its own name.
func (t *Target) RegisterCells(name string) ([]ir.Cell, error) {
	m := t.Machine()
	if c, ok := m.Exec(); ok && name == m.Files[c.File].Name {
		return []ir.Cell{c}, nil
	}
	if t.Cell == nil {
		return nil, &Error{Code: ErrInvalid, Msg: t.Name + " has no register names"}
	}
	return t.Cell(t.Variant, name)
}

// operands are the cells that the operands of a bundle read and write, in their order; what rows touch beside operands is not among them.
func (t *Target) operands(b *Bundle) (reads, writes []ir.Span) {
	if b == nil {
		return nil, nil
	}
	var to Touched
	if t.Flow != nil && t.Flow.Touches != nil { // registers are not those of the parts
		to.Begin(b)
		t.Flow.Touches(t, b, &to)
		return to.Reads, to.Writes
	}
	for i := range b.Parts {
		in := &b.Parts[i]
		to.Begin(b)
		for k := range in.Def.Args {
			to.arg(in, &in.Def.Args[k])
		}
		reads, writes = append(reads, to.Reads...), append(writes, to.Writes...)
	}
	return reads, writes
}

// calls reports whether control comes back behind a bundle that it leaves.
func (t *Target) calls(b *Bundle) bool {
	if t.Flow == nil || t.Flow.Traits == nil {
		return false
	}
	for i := range b.Parts {
		if t.Flow.Traits(b.Parts[i].Def)&TraitCall != 0 {
			return true
		}
	}
	return false
}

// Mnemonics are the names of the target's instructions, each once, in the order of their rows.
func (t *Target) Mnemonics() (names []string) {
	known := map[string]bool{}
	for i := range t.Defs {
		if d := &t.Defs[i]; d.InVariant(t.Variant) && d.InStage(t.Stage) && !known[d.Name] {
			known[d.Name] = true
			names = append(names, d.Name)
		}
	}
	return names
}

// behind is the address behind a bundle at pc, and whether it is a call.
func (t *Target) behind(pc uint64, b *Bundle) (next uint64, call bool) {
	if b == nil {
		return pc + uint64(t.Unit), false
	}
	return pc + uint64(b.Size()), t.calls(b)
}

// From says where the code came from.
func (p *Program) From() *loc.Map { return p.Map }

// Extent is where the code lies.
func (p *Program) Extent() (from, to uint64) { return p.Base, p.Base + uint64(len(p.Code)) }

// Operands are the cells that those of the instruction at pc read and write.
func (p *Program) Operands(pc uint64) (reads, writes []ir.Span) { return p.operands(p.bundle(pc)) }

// OperandsOf are the cells that the operands of a bundle read and write.
func (t *Target) OperandsOf(b *Bundle) (reads, writes []ir.Span) { return t.operands(b) }

// Behind is the address behind the instruction at pc, and whether it is a call.
func (p *Program) Behind(pc uint64) (next uint64, call bool) { return p.behind(pc, p.bundle(pc)) }

// bundle is what stands at pc, nil if nothing does.
func (p *Program) bundle(pc uint64) *Bundle {
	var b Bundle
	code := p.at(pc)
	if code == nil || p.DecodeBundle(code, pc, &b) != nil {
		return nil
	}
	return &b
}

// BundleAt is what stands at pc. The error says why nothing does.
func (p *Program) BundleAt(pc uint64) (*Bundle, error) {
	code := p.at(pc)
	if code == nil {
		return nil, noCode(pc)
	}
	b := new(Bundle)
	if err := p.DecodeBundle(code, pc, b); err != nil {
		return nil, err
	}
	return b, nil
}

// BundleAt is the one at pc. The error says that there is none.
func (p *Listing) BundleAt(pc uint64) (*Bundle, error) {
	if b := p.bundle(pc); b != nil {
		return b, nil
	}
	return nil, noCode(pc)
}

// From says where the listing came from.
func (p *Listing) From() *loc.Map { return p.Map }

// Extent is where the bundles lie.
func (p *Listing) Extent() (from, to uint64) {
	if len(p.bundles) == 0 {
		return 0, 0
	}
	return p.bundles[0].Addr(), p.end
}

// Operands are the cells that those of the bundle at pc read and write.
func (p *Listing) Operands(pc uint64) (reads, writes []ir.Span) { return p.operands(p.bundle(pc)) }

// Behind is the address behind the bundle at pc, and whether it is a call.
func (p *Listing) Behind(pc uint64) (next uint64, call bool) { return p.behind(pc, p.bundle(pc)) }

// bundle is the one at pc, nil if there is none.
func (p *Listing) bundle(pc uint64) *Bundle {
	if i, ok := p.at[pc]; ok {
		return &p.bundles[i]
	}
	return nil
}
