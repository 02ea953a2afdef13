package manual

import (
	"fmt"
	"strings"

	"github.com/heddle-gpu/heddle/internal/meaning"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// letters are the names of sources in order, as in the documents; d is the destination.
const letters = "abcefghijk"

// lettersOf returns the letters of the operands of a bundle, by part and operand.
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

// formulas returns the semantics of a lifted bundle in the letters of its operands; state that is no operand has the
// name of its register.
func formulas(t *isa.Target, b *isa.Bundle, blk *ir.Block) ([]string, string) {
	reads, writes := map[ir.Cell]string{}, map[ir.Cell]string{}
	for i, list := range lettersOf(b) {
		in := &b.Parts[i]
		for k, letter := range list {
			a := &in.Def.Args[k]
			role := a.RoleIn(in)
			if role == isa.NoRole {
				continue
			}
			cells := operandCells(t, in, a)
			for n, c := range cells {
				name := letter
				if len(cells) > 1 {
					name = fmt.Sprintf("%s[%d]", letter, n)
				}
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
		return func(c ir.Cell) string { return orElse(of[c], t.RegisterName(c)) }
	}
	return meaning.Formulas(t.Machine(), blk, meaning.Names{Read: named(reads), Written: named(writes)})
}

// operandCells returns all cells of the register that an operand names, even if the instruction accesses only some, so
// that cell numbers are relative to the register. An operand that is no whole register, such as half of one, has none.
func operandCells(t *isa.Target, in *isa.Inst, a *isa.Arg) []ir.Cell {
	if t.Cell == nil {
		return nil
	}
	cells, err := t.Set.Cell(t.Variant, plainText(in, a))
	if err != nil {
		return nil
	}
	return cells
}

// plainText returns an operand without its modifiers.
func plainText(in *isa.Inst, a *isa.Arg) string {
	if v := a.Get(in.Word); v < uint64(len(a.Kind.Table)) && a.Kind.Table[v] != "" {
		return a.Kind.Table[v]
	}
	return argText(in, a)
}

// asLetters sets the letters by which the formulas name operands, with modifiers: -a where a is the register. Operands
// that no formula names get none.
func (pg *Page) asLetters(b *isa.Bundle) {
	words := map[string]bool{}
	for _, line := range pg.Formula {
		for _, word := range strings.FieldsFunc(line, noLetter) {
			words[word] = true
		}
	}
	for i, list := range lettersOf(b) {
		in := &b.Parts[i]
		for k, letter := range list {
			if o := &pg.Parts[i].Operands[k]; words[letter] {
				o.Letter = strings.Replace(o.Text, plainText(in, &in.Def.Args[k]), letter, 1)
			}
		}
	}
}
