package manual

import (
	"fmt"

	"github.com/heddle-gpu/heddle/internal/meaning"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// letters are what sources are called, in their order, as the documents do; d is what is written.
const letters = "abcefghijk"

// letter gives the operands of a bundle their letters, by part and operand.
func lettersOf(b *isa.Bundle) [][]string {
	var all [][]string
	read, written := 0, 0
	for i := range b.Parts {
		in := &b.Parts[i]
		list := make([]string, len(in.Def.Args))
		for k := range in.Def.Args {
			a := &in.Def.Args[k]
			switch role := a.RoleIn(in); {
			case role == isa.Use && read < len(letters):
				list[k] = letters[read : read+1]
				read++
			case role == isa.Define || role == isa.UseDef:
				if list[k] = "d"; written > 0 {
					list[k] = fmt.Sprintf("d%d", written)
				}
				written++
			}
		}
		all = append(all, list)
	}
	return all
}

// formulas is the meaning of a lifted bundle in the letters of its operands; what is no operand has the name of its register.
func formulas(t *isa.Target, b *isa.Bundle, blk *ir.Block) ([]string, string) {
	m := t.Machine()
	reads, writes := map[ir.Cell]string{}, map[ir.Cell]string{}
	for i, list := range lettersOf(b) {
		in := &b.Parts[i]
		for k, letter := range list {
			a := &in.Def.Args[k]
			cells := operandCells(t, in, a)
			for n, c := range cells {
				name := letter
				if len(cells) > 1 {
					name = fmt.Sprintf("%s[%d]", letter, n)
				}
				role := a.RoleIn(in)
				if _, taken := reads[c]; !taken && role != isa.Define {
					reads[c] = name
				}
				if role != isa.Use {
					writes[c] = name
				}
			}
		}
	}
	named := func(of map[ir.Cell]string) func(c ir.Cell) string {
		return func(c ir.Cell) string {
			if name := of[c]; name != "" {
				return name
			}
			if t.CellName != nil {
				if name := t.CellName(c); name != "" {
					return name
				}
			}
			return m.CellName(c)
		}
	}
	return meaning.Formulas(m, blk, meaning.Names{Read: named(reads), Written: named(writes)})
}

// operandCells are the registers that an operand stands for.
func operandCells(t *isa.Target, in *isa.Inst, a *isa.Arg) []ir.Cell {
	if a.RoleIn(in) == isa.NoRole || t.Cell == nil {
		return nil
	}
	text := argText(in, a)
	if v := a.Get(in.Word); v < uint64(len(a.Kind.Table)) && a.Kind.Table[v] != "" {
		text = a.Kind.Table[v]
	}
	cells, err := t.Set.Cell(t.Variant, text)
	if err != nil {
		return nil
	}
	return cells
}
