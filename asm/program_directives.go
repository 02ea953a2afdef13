package asm

import "slices"

// Directives returns those of files of the format: its own, those of programs, and those of all files that these do
// not override.
func (f *Format) Directives() (rows []Directive) {
	rows = slices.Concat(programRows, dwarfRows)
	for i := range f.Marks {
		rows = append(rows, Directive{Name: f.Marks[i].Name, Doc: f.Marks[i].Doc, Syntax: map[bool]string{true: "EXPR"}[f.Marks[i].Expr]})
	}
	for i := range f.Blocks {
		b := &f.Blocks[i]
		rows = append(rows, Directive{Name: b.Name, Doc: b.Doc}, Directive{Name: b.End, Doc: "the end of " + b.Name})
	}
	if r := f.Record; r != nil {
		rows = append(rows, Directive{Name: r.Name, Doc: r.Doc}, Directive{Name: r.End, Doc: "the end of " + r.Name})
	}
	for i := range directiveRows {
		name := directiveRows[i].Name
		if !slices.ContainsFunc(rows, func(d Directive) bool { return d.Name == name }) {
			rows = append(rows, directiveRows[i])
		}
	}
	return rows
}
