package lsp

import (
	"bytes"
	"slices"
	"sort"
	"strings"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/isa"
)

// A nameKind is what a name of a document stands for.
type nameKind uint8

const (
	labelName nameKind = iota
	symbolName
	macroName
	paramName
)

func (k nameKind) String() string {
	return [...]string{"label", "symbol", "macro", "parameter"}[k]
}

// A name is what a document defines, and all its uses.
type name struct {
	text  string
	kind  nameKind
	body  int // of a parameter: the piece of its macro; else -1
	defs  []asm.Extent
	uses  []asm.Extent
	piece int // that defines it first
}

// all returns its places in order.
func (n *name) all() []asm.Extent {
	list := slices.Concat(n.defs, n.uses)
	slices.SortFunc(list, func(a, b asm.Extent) int { return a.From - b.From })
	return list
}

// names are those of a document.
type names struct {
	list   []*name
	global map[string]*name
	params map[param]*name
	places []place // of all, in order
}

type param struct {
	body int
	name string
}

// A place is one occurrence of a name.
type place struct {
	asm.Extent
	*name
	def bool
}

// at returns the name at an offset, or directly before it.
func (n *names) at(off int) *place {
	i := sort.Search(len(n.places), func(i int) bool { return n.places[i].To >= off })
	if i < len(n.places) && n.places[i].From <= off {
		if i+1 < len(n.places) && n.places[i+1].From <= off { // it begins where the other ends
			i++
		}
		return &n.places[i]
	}
	return nil
}

// findNames finds definitions, and then uses.
func (d *snapshot) findNames() *names {
	o := d.outline()
	n := &names{global: map[string]*name{}, params: map[param]*name{}}
	for i := range o.Pieces {
		n.define(o, i)
	}
	for i := range o.Pieces {
		n.uses(o, i)
	}
	for _, x := range n.list {
		for _, e := range x.defs {
			n.places = append(n.places, place{e, x, true})
		}
		for _, e := range x.uses {
			n.places = append(n.places, place{e, x, false})
		}
	}
	slices.SortFunc(n.places, func(a, b place) int { return a.From - b.From })
	return n
}

// define records what a piece defines.
func (n *names) define(o *asm.Outline, i int) {
	p := &o.Pieces[i]
	word := string(o.Text[p.From : p.From+p.Name])
	switch p.Kind {
	case asm.PieceLabel:
		n.add(o, labelName, i, p.Extent, -1)
	case asm.PieceAssignment:
		n.add(o, symbolName, i, asm.Extent{From: p.From, To: p.From + p.Name}, -1)
	case asm.PieceDirective:
		first, _ := wordFrom(o.Text[:p.To], p.From+p.Name)
		switch strings.ToLower(word) {
		case ".set", ".equ", ".equiv":
			n.add(o, symbolName, i, first, -1)
		case ".macro":
			n.add(o, macroName, i, first, -1)
			n.parameters(o, i, first.To)
		case ".irp", ".irpc":
			n.add(o, paramName, i, first, i)
		}
	}
}

// parameters records what follows the name of a macro: NAME[:KIND][=DEFAULT], separated by commas or blanks.
func (n *names) parameters(o *asm.Outline, i, from int) {
	for text := o.Text[:o.Pieces[i].To]; from < len(text); {
		e, ok := wordFrom(text, from)
		if !ok {
			return
		}
		n.add(o, paramName, i, e, i)
		from = e.To
		depth := 0
		for from < len(text) && (depth > 0 || text[from] != ',' && text[from] != ' ' && text[from] != '\t') {
			switch text[from] {
			case '(':
				depth++
			case ')':
				depth--
			}
			from++
		}
	}
}

// wordFrom returns the next word of a text; ok is false if there is none.
func wordFrom(text []byte, at int) (e asm.Extent, ok bool) {
	for at < len(text) {
		if n := isa.WordLen(text[at:]); n > 0 {
			return asm.Extent{From: at, To: at + n}, true
		}
		at++
	}
	return asm.Extent{From: at, To: at}, false
}

func (n *names) add(o *asm.Outline, kind nameKind, piece int, e asm.Extent, body int) {
	text := string(o.Text[e.From:e.To])
	if text == "" {
		return
	}
	x := n.global[text]
	if body >= 0 {
		x = n.params[param{body, text}]
	}
	if x == nil {
		x = &name{text: text, kind: kind, body: body, piece: piece}
		n.list = append(n.list, x)
		if body >= 0 {
			n.params[param{body, text}] = x
		} else {
			n.global[text] = x
		}
	}
	x.defs = append(x.defs, e)
}

// uses finds the names in a piece.
func (n *names) uses(o *asm.Outline, i int) {
	p := &o.Pieces[i]
	from := p.From
	switch p.Kind {
	case asm.PieceLabel:
		return
	case asm.PieceInstruction, asm.PieceAssignment:
		from += p.Name
	case asm.PieceDirective:
		if from += p.Name; strings.EqualFold(string(o.Text[p.From:from]), ".macro") {
			return
		}
	}
	text := o.Text[:p.To]
	for from < len(text) {
		e, ok := n.word(text, from, p)
		if !ok {
			return
		}
		from = e.To
		n.use(o, p, e)
	}
}

// word returns the next word that may be a name, skipping quoted texts.
func (n *names) word(text []byte, from int, p *asm.Piece) (asm.Extent, bool) {
	for from < len(text) {
		switch c := text[from]; {
		case c == '"' && p.Kind != asm.PieceData:
			end := bytes.IndexByte(text[from+1:], '"')
			if end < 0 {
				return asm.Extent{}, false
			}
			from += end + 2
		case isa.WordLen(text[from:]) > 0:
			return asm.Extent{From: from, To: from + isa.WordLen(text[from:])}, true
		default:
			from++
		}
	}
	return asm.Extent{}, false
}

// kernelSuffix is the suffix of the descriptor's name in a program's metadata.
const kernelSuffix = ".kd"

func (n *names) use(o *asm.Outline, p *asm.Piece, e asm.Extent) {
	word := o.Text[e.From:e.To]
	if e.From > 0 && o.Text[e.From-1] == '\\' {
		if x := n.parameter(o, p, string(word)); x != nil {
			x.uses = append(x.uses, e)
		}
		return
	}
	x := n.global[string(word)]
	if x == nil && p.Kind == asm.PieceData && bytes.HasSuffix(word, []byte(kernelSuffix)) {
		if x = n.global[string(word[:len(word)-len(kernelSuffix)])]; x != nil {
			e.To -= len(kernelSuffix)
		}
	}
	switch {
	case x == nil, len(x.defs) > 0 && slices.Contains(x.defs, e), x.kind == macroName && p.Kind != asm.PieceMacro && p.Kind != asm.PieceDirective:
		return
	case p.Kind == asm.PieceData && x.kind != labelName:
		return
	case e.To < len(o.Text) && o.Text[e.To] == '\\' && p.Body >= 0:
		return // a part of a name that an argument completes
	}
	x.uses = append(x.uses, e)
}

// parameter returns the parameter for a name after a backslash, of the macro or the repetition around it.
func (n *names) parameter(o *asm.Outline, p *asm.Piece, word string) *name {
	for body := p.Body; body >= 0; body = o.Pieces[body].Body {
		if x := n.params[param{body, word}]; x != nil {
			return x
		}
	}
	return nil
}
