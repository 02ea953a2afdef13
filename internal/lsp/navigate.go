package lsp

import (
	"fmt"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/isa"
)

func (d *snapshot) locationOf(e asm.Extent) location {
	return location{d.uri, d.rangeOf(e.From, e.To)}
}

// definition returns where the name at a position is defined: all places of one that is redefined, or defined in
// several branches of a condition.
func (d *snapshot) definition(p posParams) (any, error) {
	list := []location{}
	if at := d.names().at(d.offset(p.Position)); at != nil {
		for _, e := range at.defs {
			list = append(list, d.locationOf(e))
		}
	}
	return list, nil
}

type referenceParams struct {
	posParams
	Context struct {
		IncludeDeclaration bool `json:"includeDeclaration"`
	} `json:"context"`
}

// references returns the places of the name at a position.
func (d *snapshot) references(p referenceParams) (any, error) {
	list := []location{}
	if at := d.names().at(d.offset(p.Position)); at != nil {
		places := at.uses
		if p.Context.IncludeDeclaration {
			places = at.all()
		}
		for _, e := range places {
			list = append(list, d.locationOf(e))
		}
	}
	return list, nil
}

type documentHighlight struct {
	Range textRange `json:"range"`
	Kind  int       `json:"kind"`
}

// Kinds of highlights.
const (
	highlightText  = 1
	highlightRead  = 2
	highlightWrite = 3
)

// highlights returns the places of the name at a position, or of the register: those of all that share a cell with
// it.
func (d *snapshot) highlights(p posParams) (any, error) {
	list := []documentHighlight{}
	off := d.offset(p.Position)
	if at := d.names().at(off); at != nil {
		for _, e := range at.defs {
			list = append(list, documentHighlight{d.rangeOf(e.From, e.To), highlightWrite})
		}
		for _, e := range at.uses {
			list = append(list, documentHighlight{d.rangeOf(e.From, e.To), highlightRead})
		}
		return list, nil
	}
	o := d.outline()
	i := pieceAt(o, off)
	if i == len(o.Pieces) || o.Pieces[i].From > off || o.Pieces[i].Kind != asm.PieceInstruction {
		return list, nil
	}
	t := o.Target(i)
	sets := newRegisters(t)
	here, ok := sets.at(o.Text, &o.Pieces[i], off)
	if !ok {
		return list, nil
	}
	for j := range o.Pieces {
		q := &o.Pieces[j]
		if q.Kind != asm.PieceInstruction {
			continue
		}
		sets.each(o.Text, q, func(r register) {
			if slices.ContainsFunc(r.cells, func(c cell) bool { return slices.Contains(here.cells, c) }) {
				list = append(list, documentHighlight{d.rangeOf(r.From, r.To), highlightText})
			}
		})
	}
	return list, nil
}

type documentSymbol struct {
	Name           string           `json:"name"`
	Detail         string           `json:"detail,omitempty"`
	Kind           int              `json:"kind"`
	Range          textRange        `json:"range"`
	SelectionRange textRange        `json:"selectionRange"`
	Children       []documentSymbol `json:"children,omitempty"`
}

type symbolInformation struct {
	Name          string   `json:"name"`
	Kind          int      `json:"kind"`
	Location      location `json:"location"`
	ContainerName string   `json:"containerName,omitempty"`
}

// Kinds of symbols.
const (
	kindMethod   = 6
	kindFunction = 12
	kindVariable = 13
	kindConstant = 14
	kindKey      = 20
)

// symbolSpan is a symbol while its extent and its children are computed.
type symbolSpan struct {
	*name
	def   asm.Extent
	whole asm.Extent
	kind  int
	what  string
}

// symbols returns the labels, macros and assignments of the document. A label extends to the next one; labels within
// a function, which begin with .L, or are not declared a function in a file that declares some, are its children.
func (d *snapshot) symbols(docParams) (any, error) {
	spans := d.symbolSpans()
	if !d.client.hierarchy {
		list := []symbolInformation{}
		for _, s := range spans {
			list = append(list, symbolInformation{Name: s.text, Kind: s.kind, Location: d.locationOf(s.def)})
		}
		return list, nil
	}
	list := []documentSymbol{}
	for i, s := range spans {
		y := documentSymbol{s.text, s.what, s.kind, d.rangeOf(s.whole.From, s.whole.To), d.rangeOf(s.def.From, s.def.To), nil}
		if i > 0 && len(list) > 0 && s.kind == kindKey {
			last := &list[len(list)-1]
			if last.Kind == kindFunction && last.Detail != macroName.String() {
				last.Children = append(last.Children, y)
				last.Range.End = y.Range.End
				continue
			}
		}
		list = append(list, y)
	}
	return list, nil
}

func (d *snapshot) symbolSpans() (spans []symbolSpan) {
	o := d.outline()
	functions := d.functions()
	for _, at := range d.names().places {
		if !at.def || at.kind == paramName {
			continue
		}
		s := symbolSpan{name: at.name, def: at.Extent, kind: kindVariable, what: at.kind.String()}
		p := &o.Pieces[pieceAt(o, at.To)]
		s.whole = p.Extent
		switch at.kind {
		case labelName:
			s.kind = kindFunction
			if len(functions) > 0 && !functions[at.text] || strings.HasPrefix(at.text, ".L") {
				s.kind = kindKey
			}
			s.whole.To = d.labelEnd(at.To)
		case macroName:
			s.kind = kindFunction
			s.whole.To = o.Pieces[bodyEnd(o, pieceAt(o, at.To))].To
		case symbolName:
			if len(at.defs) == 1 {
				s.kind = kindConstant
			}
		}
		spans = append(spans, s)
	}
	return spans
}

// functions returns the names that the file declares as functions or kernels.
func (d *snapshot) functions() map[string]bool {
	o, list := d.outline(), map[string]bool{}
	for i := range o.Pieces {
		p := &o.Pieces[i]
		if p.Kind != asm.PieceDirective {
			continue
		}
		f := strings.FieldsFunc(string(o.Text[p.From:p.To]), func(r rune) bool { return r == ' ' || r == '\t' || r == ',' })
		if len(f) > 2 && f[0] == ".type" && strings.HasSuffix(f[2], "function") || len(f) > 1 && f[0] == ".amdhsa_kernel" {
			list[f[1]] = true
		}
	}
	return list
}

// labelEnd returns the end of the text after a label: before the next label or the beginning of a definition.
func (d *snapshot) labelEnd(off int) int {
	o := d.outline()
	end := off
	for i := pieceAt(o, off+1); i < len(o.Pieces); i++ {
		p := &o.Pieces[i]
		word := string(o.Text[p.From : p.From+p.Name])
		if p.Kind == asm.PieceLabel || p.Kind == asm.PieceDirective && slices.Contains(parting(), strings.ToLower(word)) {
			break
		}
		end = p.To
	}
	return end
}

// parting returns directives that end the extent of a label.
func parting() []string {
	return []string{".macro", ".text", ".data", ".bss", ".rodata", ".section", ".pushsection", ".popsection", ".previous", ".amdhsa_kernel", ".amdgpu_metadata"}
}

// bodyEnd returns the piece that ends the body of a macro or a repetition.
func bodyEnd(o *asm.Outline, i int) int {
	end := i
	for j := i + 1; j < len(o.Pieces); j++ {
		if p := &o.Pieces[j]; p.Body == i {
			end = j
		} else if p.Body <= o.Pieces[i].Body && p.Kind != asm.PieceLabel {
			break
		}
	}
	return end
}

type foldingRange struct {
	StartLine int    `json:"startLine"`
	EndLine   int    `json:"endLine"`
	Kind      string `json:"kind,omitempty"`
}

// folds returns bodies of macros and repetitions, conditions, the extents of labels, and comments of several lines.
func (d *snapshot) folds(docParams) (any, error) {
	list := []foldingRange{}
	add := func(from, to int, kind string) {
		if a, b := d.lineOf(from), d.lineOf(to); b > a {
			list = append(list, foldingRange{a, b, kind})
		}
	}
	o := d.outline()
	var conds []int
	for i := range o.Pieces {
		p := &o.Pieces[i]
		if p.Kind == asm.PieceLabel {
			add(p.From, d.labelEnd(p.To), "")
		}
		if p.Kind != asm.PieceDirective {
			continue
		}
		switch word := strings.ToLower(string(o.Text[p.From : p.From+p.Name])); {
		case word == ".macro" || strings.HasPrefix(word, ".rep") || strings.HasPrefix(word, ".irp"):
			add(p.From, o.Pieces[bodyEnd(o, i)].To, "")
		case strings.HasPrefix(word, ".if"):
			conds = append(conds, p.From)
		case word == ".endif" && len(conds) > 0:
			add(conds[len(conds)-1], p.To, "")
			conds = conds[:len(conds)-1]
		}
	}
	for i := 0; i < len(o.Comments); {
		j := i
		for j+1 < len(o.Comments) && d.lineOf(o.Comments[j+1].From) == d.lineOf(o.Comments[j].From)+1 && d.alone(o.Comments[j+1]) {
			j++
		}
		if d.alone(o.Comments[i]) {
			add(o.Comments[i].From, o.Comments[j].To, "comment")
		}
		i = j + 1
	}
	return list, nil
}

// alone reports whether only blanks precede a comment on its line.
func (d *snapshot) alone(c asm.Extent) bool {
	return strings.TrimSpace(d.s[d.lines[d.lineOf(c.From)]:c.From]) == ""
}

// A renaming is the result of prepareRename.
type renaming struct {
	Range       textRange `json:"range"`
	Placeholder string    `json:"placeholder"`
}

// prepareRename returns what would be renamed, or why nothing can be.
func (d *snapshot) prepareRename(p posParams) (any, error) {
	off := d.offset(p.Position)
	if at := d.names().at(off); at != nil {
		return renaming{d.rangeOf(at.From, at.To), at.text}, nil
	}
	text := d.outline().Text
	word := wordAt(text, off)
	if word.From == word.To {
		return nil, nil
	}
	return nil, failf(codeFailed, "%q is no label, symbol, macro or parameter of this file", text[word.From:word.To])
}

type renameParams struct {
	posParams
	NewName string `json:"newName"`
}

// rename replaces a name in all its places. The meaning of the file must not change: it is assembled with the change,
// and must give the same bytes and no other errors.
func (d *snapshot) rename(p renameParams) (any, error) {
	at := d.names().at(d.offset(p.Position))
	if at == nil {
		if _, err := d.prepareRename(p.posParams); err != nil {
			return nil, err
		}
		return nil, failf(codeFailed, "there is no name here")
	}
	if err := d.mayBe(at.name, p.NewName); err != nil {
		return nil, err
	}
	var edits []textEdit
	var after strings.Builder
	end := 0
	for _, e := range at.all() {
		edits = append(edits, textEdit{d.rangeOf(e.From, e.To), p.NewName})
		after.WriteString(d.s[end:e.From] + p.NewName)
		end = e.To
	}
	after.WriteString(d.s[end:])
	if err := d.same(after.String(), p.NewName); err != nil {
		return nil, err
	}
	return workspaceEdit{map[string][]textEdit{d.uri: edits}}, nil
}

// mayBe reports why a text cannot be the new name.
func (d *snapshot) mayBe(x *name, text string) error {
	if text == "" || isa.WordLen(text) != len(text) || text == "." || text[0] >= '0' && text[0] <= '9' {
		return failf(codeInvalidParams, "%q is no name: letters, digits, _, . and $, and no digit in front", text)
	}
	other := d.names().global[text]
	if x.kind == paramName {
		other = d.names().params[param{x.body, text}]
	}
	if other != nil && other != x {
		return failf(codeFailed, "%q is a %s already, in line %d", text, other.kind, d.lineOf(other.defs[0].From)+1)
	}
	if t := d.target(); t.Target != nil && x.kind != paramName {
		if cells, err := t.RegisterCells(text); err == nil && len(cells) > 0 {
			return failf(codeFailed, "%q is a register of %s", text, t.Name)
		}
		if x.kind == macroName && hasRow(t.Target, text) {
			return failf(codeFailed, "%q is an instruction of %s, which the macro would hide", text, t.Name)
		}
	}
	return nil
}

// same reports that a text has another meaning than the document.
func (d *snapshot) same(after, newName string) error {
	b, now := d.built(), d.with(after)
	defer now.stale()
	c := now.built()
	for _, err := range [...]error{b.err, c.err} {
		if err != nil && fmt.Sprint(b.err) != fmt.Sprint(c.err) {
			return failf(codeFailed, "with %q the file does not assemble any more: %v", newName, err)
		}
	}
	if len(c.errs) > len(b.errs) {
		return failf(codeFailed, "with %q the file has another error: line %d: %s", newName, c.errs[0].Line, c.errs[0].Msg)
	}
	if !slices.EqualFunc(d.placed(), now.placed(), func(x, y placed) bool {
		return x.line == y.line && x.addr == y.addr && x.section == y.section && slices.Equal(x.code, y.code)
	}) {
		return failf(codeFailed, "with %q the file would assemble to other bytes: it means something else there", newName)
	}
	return nil
}
