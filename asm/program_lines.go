package asm

import "slices"

// A sectionSpot is where a statement begins.
type sectionSpot struct{ section, off int }

// note keeps where the present statement begins.
func (p *program) note(a *assembler) {
	if p != nil && !a.opt.NoLines {
		p.spots = append(p.spots, sectionSpot{p.now, len(a.out)})
	}
}

// programLines says where the bytes of each section come from. What is plain in front of a statement lies in the section that the
// statement finds.
func (a *assembler) programLines() {
	p, r, left := a.prog, rowReader{rows: a.rows}, a.sum
	plain := func(at sectionSpot, n int) {
		for left -= n; n > 0; {
			size := r.next()
			s := p.sects[at.section]
			s.Lines = append(s.Lines, SourceLine{at.off - n, r.at.line, r.at.col})
			n -= size
		}
	}
	for i, at := range p.spots {
		st := a.stmts.at(i)
		plain(at, int(st.before))
		next := sectionSpot{p.now, len(a.out)}
		if i+1 < len(p.spots) {
			next = p.spots[i+1]
			next.off -= int(a.stmts.at(i + 1).before)
		}
		if s := p.sects[at.section]; next.section == at.section && next.off > at.off {
			from := st.begin()
			s.Lines = append(s.Lines, SourceLine{at.off, from.line, from.col})
		}
	}
	plain(sectionSpot{p.now, len(a.out)}, left)
}

// Directives are those of files of the format: its own, those of programs, and those of all files but for the ones that these
// take the place of.
func (f *Format) Directives() (rows []Directive) {
	rows = slices.Clone(programRows)
	for i := range f.Marks {
		rows = append(rows, Directive{Name: f.Marks[i].Name, Doc: f.Marks[i].Doc, Syntax: map[bool]string{true: "EXPR"}[f.Marks[i].Expr]})
	}
	for i := range f.Blocks {
		b := &f.Blocks[i]
		rows = append(rows, Directive{Name: b.Name, Doc: b.Doc}, Directive{Name: b.End, Doc: "the end of " + b.Name})
	}
	for i := range directiveRows {
		name := directiveRows[i].Name
		if !slices.ContainsFunc(rows, func(d Directive) bool { return d.Name == name }) {
			rows = append(rows, directiveRows[i])
		}
	}
	return rows
}
