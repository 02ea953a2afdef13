package eval

import (
	"cmp"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/internal/meaning"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// An Input is a register on whose value the program depends, or that is assigned.
type Input struct {
	Reg    Register
	Format meaning.Format // in which the program reads it; nil: unknown
}

// Inputs returns the registers that the program reads before it writes them, in the order of the reads; two words are
// one input if an instruction reads them as a pair. The execution mask and the mode are excluded, because every
// instruction depends on them. Machine state without a name in text is excluded, too.
func (p *Program) Inputs() (list []Input) {
	m := p.Machine()
	names := registerNames(p.Target)
	wide := map[ir.Cell]span{}
	p.Each(func(b *isa.Bundle) {
		for i := range b.Parts {
			for _, sp := range pairs(p.Target, &b.Parts[i], isa.Use, isa.UseDef) {
				for _, c := range sp.cells() {
					wide[c] = sp
				}
			}
		}
	}, nil)
	done := map[ir.Cell]bool{}
	for _, blk := range p.studied().blocks {
		for i := range blk.Ops {
			in := &blk.Ops[i]
			switch {
			case in.Op == ir.Set:
				done[in.Cell] = true
			case in.Op != ir.Get || done[in.Cell] || !input(m, in.Cell):
			default:
				sp, is := wide[in.Cell]
				if !is || done[sp.first] {
					sp = span{in.Cell, 1}
				}
				r := registerOf(names, m, sp)
				for _, c := range r.Cells {
					done[c] = true
				}
				if same, err := Lookup(p.Target, r.Name); err == nil && slices.Equal(same.Cells, r.Cells) {
					list = append(list, Input{r, p.reads(&r)})
				}
			}
		}
	}
	return together(list)
}

// together puts the components of a register next to each other: r1.x, r1.y.
func together(list []Input) []Input {
	place := map[string]int{}
	base := func(in *Input) string {
		name, _, _ := strings.Cut(in.Reg.Name, ".")
		return name
	}
	for i := range list {
		if b := base(&list[i]); place[b] == 0 {
			place[b] = len(place) + 1
		}
	}
	slices.SortStableFunc(list, func(a, b Input) int { return cmp.Compare(place[base(&a)], place[base(&b)]) })
	return list
}

// input reports whether a cell is one that a user of the program sets.
func input(m *ir.Machine, c ir.Cell) bool {
	return m.Kind(c) != ir.ExecMask && (m.ModeMask == 0 || c != m.Mode)
}

// registerOf returns the register for a span of cells.
func registerOf(names map[span]string, m *ir.Machine, sp span) Register {
	k := m.Kind(sp.first)
	r := Register{Name: nameOf(names, m, sp), Cells: sp.cells(), Lanes: k.PerLane(), Bits: 32 * sp.n}
	if k == ir.Lane1 || k == ir.Wave1 {
		r.Bits = sp.n
	}
	return r
}

// Cells returns the registers of an assignment under the names that results use, one word each, or two if the program
// reads two as a pair.
func (p *Program) Cells(a *Assign) (list []Input) {
	if a.Reg.Mask != NoMask || a.Reg.Bits <= 64 {
		in := Input{Reg: a.Reg, Format: a.Format}
		if in.Format == nil && a.Reg.Mask == NoMask {
			in.Format = p.reads(&a.Reg)
		}
		return []Input{in}
	}
	names := registerNames(p.Target)
	width := a.Reg.width()
	for i, c := range a.Reg.Cells {
		r := registerOf(names, p.Machine(), span{c, 1})
		in := Input{r, a.Format.Cut(i*width, width)}
		if in.Format == nil {
			in.Format = p.reads(&r)
		}
		list = append(list, in)
	}
	return list
}

// Apart returns an input without the cells of assigned registers: all of it, the remaining words one by one, or
// nothing.
func (p *Program) Apart(in *Input, given map[ir.Cell]bool) (list []Input) {
	if !slices.ContainsFunc(in.Reg.Cells, func(c ir.Cell) bool { return given[c] }) {
		return []Input{*in}
	}
	names := registerNames(p.Target)
	for _, c := range in.Reg.Cells {
		if !given[c] {
			r := registerOf(names, p.Machine(), span{c, 1})
			list = append(list, Input{r, p.reads(&r)})
		}
	}
	return list
}
