package eval

import (
	"fmt"
	"slices"
	"sync"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// A span is consecutive cells of one file.
type span struct {
	first ir.Cell
	n     int
}

func (sp span) cells() (cs []ir.Cell) {
	for i := range sp.n {
		cs = append(cs, ir.Cell{File: sp.first.File, Index: sp.first.Index + uint16(i)})
	}
	return cs
}

// namesOf caches the results of registerNames by machine, because it prints thousands of texts.
var namesOf sync.Map

// registerNames returns the texts of registers: what the operand kinds of the program's rows print, looked up again to
// find their cells. The shortest name wins. The map must not be changed.
func registerNames(t *isa.Target) map[span]string {
	key := namesKey{t.Set, t.Variant}
	if names, ok := namesOf.Load(key); ok {
		return names.(map[span]string)
	}
	names := findNames(t)
	namesOf.Store(key, names)
	return names
}

// A namesKey is what register names depend on.
type namesKey struct {
	set     *isa.Set
	variant int
}

func findNames(t *isa.Target) map[span]string {
	names := map[span]string{}
	seen := map[*isa.Kind]bool{}
	if t.Cell == nil {
		return names
	}
	if t.CellName != nil {
		nameCells(t, names)
	}
	for i := range t.Defs {
		for j := range t.Defs[i].Args {
			k := t.Defs[i].Args[j].Kind
			if k == nil || seen[k] {
				continue
			}
			seen[k] = true
			for _, text := range k.Table {
				addName(t, names, text)
			}
		}
	}
	return names
}

// nameCells adds the names that the set itself gives its cells.
func nameCells(t *isa.Target, names map[span]string) {
	for f, file := range t.Machine().Files {
		for i := range file.Count {
			c := ir.Cell{File: uint8(f), Index: uint16(i)}
			if name := t.CellName(c); name != "" {
				names[span{c, 1}] = name
			}
		}
	}
}

func addName(t *isa.Target, names map[span]string, text string) {
	if text == "" || text[0] < 'A' || text[0] > 'z' {
		return
	}
	cells, err := t.Set.Cell(t.Variant, text)
	if err != nil || !consecutive(cells) {
		return
	}
	at := span{cells[0], len(cells)}
	if old, ok := names[at]; !ok || len(text) < len(old) {
		names[at] = text
	}
}

func consecutive(cs []ir.Cell) bool {
	for i := range cs {
		if cs[i].File != cs[0].File || int(cs[i].Index) != int(cs[0].Index)+i {
			return false
		}
	}
	return len(cs) > 0
}

// A Namer maps cells to the names by which Lookup finds them.
type Namer struct {
	names map[span]string
	m     *ir.Machine
}

// NewNamer finds the names of a target's registers.
func NewNamer(t *isa.Target) *Namer { return &Namer{registerNames(t), t.Machine()} }

// Name returns the name of a cell.
func (n *Namer) Name(c ir.Cell) string { return nameOf(n.names, n.m, span{c, 1}) }

// nameOf returns the name of a span; if no operand prints it, one made from the machine's own names.
func nameOf(names map[span]string, m *ir.Machine, sp span) string {
	if n, ok := names[sp]; ok {
		return n
	}
	if sp.n == 1 {
		return m.CellName(sp.first)
	}
	return fmt.Sprintf("%s[%d:%d]", m.Files[sp.first.File].Name, sp.first.Index, int(sp.first.Index)+sp.n-1)
}

// wideResults returns the spans of two cells that the program's instructions write as one operand.
func (p *Program) wideResults() (sps []span) {
	p.Each(func(b *isa.Bundle) {
		for i := range b.Parts {
			sps = append(sps, pairs(p.Target, &b.Parts[i], isa.Define, isa.UseDef)...)
		}
	}, nil)
	return sps
}

// pairs returns the operands of two cells that have one of these roles.
func pairs(t *isa.Target, in *isa.Inst, roles ...isa.Role) (sps []span) {
	for i := range in.Def.Args {
		a := &in.Def.Args[i]
		if !slices.Contains(roles, a.Role) || t.Cell == nil {
			continue
		}
		v := a.Get(in.Word)
		if v >= uint64(len(a.Kind.Table)) {
			continue
		}
		if cells, err := t.Set.Cell(t.Variant, a.Kind.Table[v]); err == nil && len(cells) == 2 && consecutive(cells) {
			sps = append(sps, span{cells[0], 2})
		}
	}
	return sps
}
