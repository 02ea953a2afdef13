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

// RegisterName returns how users of the set write a cell.
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

// ValueName is RegisterName for a value that is shown. If one text names several cells, as Tesla's $c0 does, the part
// named by Arch.CellName is added: $c0.z.
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

// RegisterCells returns the cells of a register by its name. The execution mask under its own name is one cell.
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

// operands returns the cells that the operands of a bundle read and write, in their order; implicit cells are not
// included.
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

// calls reports whether control returns to the instruction after a bundle that transfers it.
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

// Mnemonics returns the names of the target's instructions, each once, in the order of their rows.
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

// following returns the address after a bundle at pc, and whether it is a call.
func (t *Target) following(pc uint64, b *Bundle) (next uint64, call bool) {
	if b == nil {
		return pc + uint64(t.Unit), false
	}
	return pc + uint64(b.Size()), t.calls(b)
}

// From returns the origin of the code.
func (p *Program) From() *loc.Map { return p.Map }

// Extent returns the addresses of the code.
func (p *Program) Extent() (from, to uint64) { return p.Base, p.Base + uint64(len(p.Code)) }

// Operands returns the cells that the operands of the instruction at pc read and write.
func (p *Program) Operands(pc uint64) (reads, writes []ir.Span) { return p.operands(p.bundle(pc)) }

// OperandsOf returns the cells that the operands of a bundle read and write.
func (t *Target) OperandsOf(b *Bundle) (reads, writes []ir.Span) { return t.operands(b) }

// Behind returns the address after the instruction at pc, and whether it is a call.
func (p *Program) Behind(pc uint64) (next uint64, call bool) { return p.following(pc, p.bundle(pc)) }

// bundle returns the bundle at pc, or nil.
func (p *Program) bundle(pc uint64) *Bundle {
	var b Bundle
	code := p.at(pc)
	if code == nil || p.DecodeBundle(code, pc, &b) != nil {
		return nil
	}
	return &b
}

// BundleAt returns the bundle at pc. The error says why there is none.
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

// BundleAt returns the bundle at pc. The error says that there is none.
func (p *Listing) BundleAt(pc uint64) (*Bundle, error) {
	if b := p.bundle(pc); b != nil {
		return b, nil
	}
	return nil, noCode(pc)
}

// From returns the origin of the listing.
func (p *Listing) From() *loc.Map { return p.Map }

// Extent returns the addresses of the bundles.
func (p *Listing) Extent() (from, to uint64) {
	if len(p.bundles) == 0 {
		return 0, 0
	}
	return p.bundles[0].Addr(), p.end
}

// Operands returns the cells that the operands of the bundle at pc read and write.
func (p *Listing) Operands(pc uint64) (reads, writes []ir.Span) { return p.operands(p.bundle(pc)) }

// Behind returns the address after the bundle at pc, and whether it is a call.
func (p *Listing) Behind(pc uint64) (next uint64, call bool) { return p.following(pc, p.bundle(pc)) }

// bundle returns the bundle at pc, or nil.
func (p *Listing) bundle(pc uint64) *Bundle {
	if i, ok := p.at[pc]; ok {
		return &p.bundles[i]
	}
	return nil
}
