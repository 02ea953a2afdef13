package lsp

import (
	"fmt"
	"strings"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/internal/eval"
	"github.com/heddle-gpu/heddle/internal/manual"
	"github.com/heddle-gpu/heddle/internal/sets"
	"github.com/heddle-gpu/heddle/isa"
)

type completionItem struct {
	Label         string    `json:"label"`
	Kind          int       `json:"kind"`
	Detail        string    `json:"detail,omitempty"`
	Documentation *markup   `json:"documentation,omitempty"`
	SortText      string    `json:"sortText,omitempty"`
	FilterText    string    `json:"filterText,omitempty"`
	TextEdit      *textEdit `json:"textEdit,omitempty"`
	Data          *itemData `json:"data,omitempty"`
}

// An itemData is what is needed to resolve an item.
type itemData struct {
	ISA   string `json:"isa"`
	Stage int    `json:"stage"`
	Name  string `json:"name"`
}

type completionList struct {
	IsIncomplete bool             `json:"isIncomplete"`
	Items        []completionItem `json:"items"`
}

// Kinds of items.
const (
	itemMethod    = 2
	itemFunction  = 3
	itemVariable  = 6
	itemProperty  = 10
	itemValue     = 12
	itemKeyword   = 14
	itemReference = 18
	itemMember    = 20
	itemConstant  = 21
)

// mostItems limits a list; the client asks again after more letters.
const mostItems = 400

// A completer collects items that begin with what has been typed.
type completer struct {
	d     *snapshot
	list  completionList
	word  asm.Extent // to be replaced
	typed string     // the part of it before the cursor
	at    textRange
	seen  map[string]bool
}

// complete offers what may be at a position.
func (d *snapshot) complete(p posParams) (any, error) {
	off := d.offset(p.Position)
	o := d.outline()
	c := &completer{d: d, seen: map[string]bool{}, list: completionList{Items: []completionItem{}}}
	if d.target().Target == nil {
		c.sets(off)
		return c.list, nil
	}
	if d.inside(off) {
		return c.list, nil
	}
	c.word = wordAt(o.Text, off)
	c.typed = string(o.Text[c.word.From:off])
	c.at = d.rangeOf(c.word.From, c.word.To)
	i, ok := d.statementAt(off)
	t := d.target().Target
	if ok {
		t = o.Target(i)
	} else if n := pieceAt(o, off); n > 0 {
		t = o.Target(n)
	}
	switch {
	case c.word.From > 0 && o.Text[c.word.From-1] == '\\':
		c.parameters(i, ok)
	case !ok || c.word.From == o.Pieces[i].From:
		c.statements(t)
	case o.Pieces[i].Kind == asm.PieceDirective:
		c.ofDirective(t, &o.Pieces[i])
	case o.Pieces[i].Kind == asm.PieceInstruction:
		c.ofInstruction(t, &o.Pieces[i])
	default:
		c.names()
	}
	return c.list, nil
}

// sets offers the lines that declare the instruction set, if nothing else does.
func (c *completer) sets(off int) {
	d := c.d
	start := d.lines[d.lineOf(off)]
	c.typed = strings.TrimLeft(d.s[start:off], " \t")
	c.word = asm.Extent{From: off - len(c.typed), To: off}
	c.at = d.rangeOf(c.word.From, c.word.To)
	for _, s := range sets.Sets() {
		for _, v := range s.Variants {
			c.add(completionItem{Label: ".isa " + s.Name + ":" + v.Name, Kind: itemKeyword, Detail: v.Doc})
		}
	}
}

// inside reports whether an offset lies in a comment or a quoted text.
func (d *snapshot) inside(off int) bool {
	o := d.outline()
	for _, e := range o.Comments {
		if e.From < off && off <= e.To {
			return true
		}
	}
	start := d.lines[d.lineOf(off)]
	return strings.Count(string(o.Text[start:off]), `"`)%2 == 1
}

// statementAt returns the piece that text typed at an offset would belong to; false at the beginning of a statement.
func (d *snapshot) statementAt(off int) (int, bool) {
	o := d.outline()
	i := pieceAt(o, off)
	if i < len(o.Pieces) && o.Pieces[i].From < off && o.Pieces[i].Kind != asm.PieceLabel {
		return i, true
	}
	i--
	if i < 0 || o.Pieces[i].Kind == asm.PieceLabel || strings.TrimLeft(string(o.Text[o.Pieces[i].To:off]), " \t") != "" {
		return 0, false
	}
	return i, true
}

// add adds an item unless it is there already, or does not begin with what has been typed.
func (c *completer) add(it completionItem) {
	text := it.Label
	if len(text) < len(c.typed) || !strings.EqualFold(text[:len(c.typed)], c.typed) || c.seen[text] {
		return
	}
	if len(c.list.Items) == mostItems {
		c.list.IsIncomplete = true
		return
	}
	c.seen[text] = true
	it.TextEdit = &textEdit{c.at, text}
	it.FilterText = text
	c.list.Items = append(c.list.Items, it)
}

// statements offers what may begin a statement.
func (c *completer) statements(t *isa.Target) {
	c.suffixes(t)
	for _, x := range c.d.names().list {
		if x.kind == macroName {
			c.add(completionItem{Label: x.text, Kind: itemMethod, Detail: "macro", SortText: "0"})
		}
	}
	c.mnemonics(t)
	for _, r := range c.d.directives() {
		c.add(completionItem{Label: r.Name, Kind: itemKeyword, Detail: r.Syntax, Documentation: &markup{"plaintext", r.Doc}, SortText: "2"})
	}
}

func (c *completer) mnemonics(t *isa.Target) {
	for _, m := range t.Mnemonics() {
		rows := rowsOf(t, m)
		if len(rows) == 0 {
			continue
		}
		c.add(completionItem{Label: m, Kind: itemFunction, Detail: rows[0].Doc, SortText: "1",
			Data: &itemData{t.FullName(), t.Stage, m}})
		for _, a := range rows[0].Also {
			c.add(completionItem{Label: a, Kind: itemFunction, Detail: rows[0].Doc, SortText: "1",
				Data: &itemData{t.FullName(), t.Stage, a}})
		}
	}
}

// rowsOf returns the rows of a name that the target has.
func rowsOf(t *isa.Target, name string) (rows []*isa.Def) {
	for _, r := range t.Rows(name) {
		if r.InVariant(t.Variant) && r.InStage(t.Stage) {
			rows = append(rows, r)
		}
	}
	return rows
}

// parameters offers those of the macro around a statement.
func (c *completer) parameters(i int, ok bool) {
	if !ok {
		return
	}
	o := c.d.outline()
	for body := o.Pieces[i].Body; body >= 0; body = o.Pieces[body].Body {
		for _, x := range c.d.names().list {
			if x.body == body {
				c.add(completionItem{Label: x.text, Kind: itemVariable, Detail: "parameter"})
			}
		}
	}
}

// names offers labels and symbols.
func (c *completer) names() {
	for _, x := range c.d.names().list {
		switch x.kind {
		case labelName:
			c.add(completionItem{Label: x.text, Kind: itemReference, Detail: fmt.Sprintf("label, line %d", c.d.lineOf(x.defs[0].From)+1), SortText: "0"})
		case symbolName:
			c.add(completionItem{Label: x.text, Kind: itemConstant, Detail: "symbol", SortText: "0"})
		}
	}
}

// ofDirective offers what may follow a directive.
func (c *completer) ofDirective(t *isa.Target, p *asm.Piece) {
	switch strings.ToLower(string(c.d.outline().Text[p.From : p.From+p.Name])) {
	case ".isa":
		c.from(p.From + p.Name)
		for _, s := range sets.Sets() {
			for _, v := range s.Variants {
				c.add(completionItem{Label: s.Name + ":" + v.Name, Kind: itemMember, Detail: v.Doc})
			}
		}
		for _, st := range t.Stages {
			c.add(completionItem{Label: st, Kind: itemMember, Detail: "stage of " + t.Name})
		}
	case ".dialect":
		for _, n := range t.Dialects {
			c.add(completionItem{Label: n, Kind: itemMember, Detail: "dialect of " + t.Name})
		}
	case ".option":
		c.from(p.From + p.Name)
		for _, o := range t.Options {
			for _, v := range o.Values {
				c.add(completionItem{Label: o.Name + "=" + v, Kind: itemMember, Detail: o.Doc})
			}
		}
	default:
		c.names()
	}
}

// from replaces everything after the last blank following a position: what is offered is more than a word.
func (c *completer) from(at int) {
	text := c.d.outline().Text
	cursor := c.word.From + len(c.typed)
	for c.word.From > at && text[c.word.From-1] != ' ' && text[c.word.From-1] != '\t' {
		c.word.From--
	}
	c.typed = string(text[c.word.From:cursor])
	c.at.Start = c.d.position(c.word.From)
}

// resolve adds the reference page of a mnemonic.
func resolve(_ *session, it *completionItem) (any, error) {
	if it.Data == nil {
		return it, nil
	}
	t, err := sets.Lookup(it.Data.ISA)
	if err != nil || it.Data.Stage < 0 || it.Data.Stage >= max(1, len(t.Stages)) {
		return nil, failf(codeInvalidParams, "the data of this item is of none that was offered")
	}
	t = t.Move(t.Variant, it.Data.Stage)
	var b isa.Bundle
	if err := manual.Parse(t, it.Data.Name, &b); err == nil {
		it.Documentation = &markup{"markdown", manual.PageOf(t, &b, eval.StartMode(t)).Markdown()}
	}
	return it, nil
}
