package lsp

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/isa"
)

type actionParams struct {
	rangeParams
	Context struct {
		Only []string `json:"only"`
	} `json:"context"`
}

type codeAction struct {
	Title       string        `json:"title"`
	Kind        string        `json:"kind"`
	Diagnostics []diagnostic  `json:"diagnostics,omitempty"`
	IsPreferred bool          `json:"isPreferred,omitempty"`
	Edit        workspaceEdit `json:"edit"`
}

const quickFixKind = "quickfix"

// codeActions returns the quick fixes for problems in a range: the texts that hints of assembler and lint suggest.
// Each has been tried: the target accepts the statement with the fix.
func (d *snapshot) codeActions(p actionParams) (any, error) {
	list := []codeAction{}
	wanted := func(kind string) bool { return kind == "" || kind == quickFixKind }
	if len(p.Context.Only) > 0 && !slices.ContainsFunc(p.Context.Only, wanted) || !d.client.literal {
		return list, nil
	}
	from, to := d.offset(p.Range.Start), d.offset(p.Range.End)
	add := func(g diagnostic, title string, e asm.Extent, text string) {
		first := len(list) == 0 || list[len(list)-1].Diagnostics[0].Range != g.Range
		list = append(list, codeAction{title, quickFixKind, []diagnostic{g}, first,
			workspaceEdit{map[string][]textEdit{d.uri: {{d.rangeOf(e.From, e.To), text}}}}})
	}
	if t := d.target(); t.Target == nil {
		if t.err == nil {
			for _, name := range d.guesses() {
				add(d.ofTarget(t), "say that this is "+name, asm.Extent{}, ".isa "+name+d.lineEnd())
			}
		}
		return list, nil
	}
	for _, e := range d.built().errs {
		lo, hi := d.errorExtent(e)
		if lo > to || hi < from || e.Note != "" { // text in a macro may be right in other uses
			continue
		}
		for _, f := range d.fixes(e, asm.Extent{From: lo, To: hi}) {
			add(d.ofError(e, severityError), fmt.Sprintf("replace %q by %q", d.s[f.From:f.To], f.text), f.Extent, f.text)
		}
	}
	for _, f := range d.found() {
		line := f.diagnostic.Range.Start.Line
		if n := d.lineOf(from); line < n || line > d.lineOf(to) || f.hint == "" || !d.takes(d.target().Target, f.hint) {
			continue
		}
		start := d.lines[line]
		text := d.line(line)
		indent := text[:len(text)-len(strings.TrimLeft(text, " \t"))]
		if o := d.outline(); pieceAt(o, start) < len(o.Pieces) && o.Pieces[pieceAt(o, start)].Kind == asm.PieceLabel {
			start, indent = d.offset(f.diagnostic.Range.Start), "" // after the label
		}
		add(f.diagnostic, fmt.Sprintf("insert %q in front", f.hint), asm.Extent{From: start, To: start}, indent+f.hint+d.lineEnd()+
			map[bool]string{true: "\t"}[start != d.lines[line]])
	}
	return list, nil
}

// lineEnd returns the line ending of the document.
func (d *snapshot) lineEnd() string {
	if strings.Contains(d.s, "\r\n") {
		return "\r\n"
	}
	return "\n"
}

// A replacement is a text in place of another.
type replacement struct {
	asm.Extent
	text string
}

// fixes returns the texts that the hint of an error suggests, in place of the text at fault or of the statement.
func (d *snapshot) fixes(e *isa.Error, at asm.Extent) (list []replacement) {
	o := d.outline()
	i := pieceAt(o, at.From)
	if i == len(o.Pieces) || o.Pieces[i].From > at.From {
		return nil
	}
	p, t := &o.Pieces[i], o.Target(i)
	for _, text := range quotedIn(e.Hint) {
		part := string(o.Text[p.From:at.From]) + text + string(o.Text[at.To:p.To])
		switch {
		case p.Kind == asm.PieceDirective && d.isDirective(text):
			list = append(list, replacement{asm.Extent{From: p.From, To: p.From + p.Name}, text})
		case p.Kind != asm.PieceInstruction:
		case d.takes(t, part), e.Code == isa.ErrMnemonic && hasRow(t, text):
			list = append(list, replacement{at, text})
		case d.takes(t, text):
			list = append(list, replacement{p.Extent, text})
		}
	}
	return list
}

// quotedIn returns the quoted texts of a hint; a hint of one word is a text itself.
func quotedIn(hint string) (list []string) {
	if hint != "" && !strings.ContainsAny(hint, " \"") {
		return []string{hint}
	}
	for {
		at := strings.IndexByte(hint, '"')
		if at < 0 {
			return list
		}
		q, err := strconv.QuotedPrefix(hint[at:])
		if err != nil {
			return list
		}
		if text, err := strconv.Unquote(q); err == nil {
			list = append(list, text)
		}
		hint = hint[at+len(q):]
	}
}

func (d *snapshot) isDirective(word string) bool {
	return slices.ContainsFunc(d.directives(), func(r asm.Directive) bool { return r.Name == word })
}

// takes reports whether the assembler accepts a text as a statement of the document.
func (d *snapshot) takes(t *isa.Target, text string) bool {
	s := isa.Scan{Target: t, Symbol: d.symbol, Rules: true, Trial: true, Kinds: d.target().program}
	s.Reset(text, 0)
	var b isa.Bundle
	return s.ParseWhole(&b) == nil
}
