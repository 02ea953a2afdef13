package lsp

import (
	"fmt"
	"slices"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/isa"
)

type signatureHelp struct {
	Signatures      []signature `json:"signatures"`
	ActiveSignature int         `json:"activeSignature"`
	ActiveParameter int         `json:"activeParameter"`
}

type signature struct {
	Label         string          `json:"label"`
	Documentation string          `json:"documentation,omitempty"`
	Parameters    []signatureWord `json:"parameters"`
}

type signatureWord struct {
	Label         [2]int `json:"label"`
	Documentation string `json:"documentation,omitempty"`
}

// signatures returns the forms of the mnemonic before a position, with the names of their operands in the reference.
func (d *snapshot) signatures(p posParams) (any, error) {
	off := d.offset(p.Position)
	i, ok := d.statementAt(off)
	o := d.outline()
	if !ok || o.Pieces[i].Kind != asm.PieceInstruction || d.inside(off) {
		return nil, nil
	}
	t := o.Target(i)
	name, at := lastMnemonic(t, o.Text, asm.Extent{From: o.Pieces[i].From, To: off})
	if name == "" || at.To >= off {
		return nil, nil
	}
	nth, _ := operandAt(t, o.Text[at.To:off])
	h := signatureHelp{Signatures: []signature{}, ActiveParameter: max(0, nth)}
	for _, r := range rowsOf(t, name) {
		s := signatureOf(t, r, name)
		if !slices.ContainsFunc(h.Signatures, func(x signature) bool { return x.Label == s.Label }) {
			h.Signatures = append(h.Signatures, s)
		}
	}
	for k := range h.Signatures { // the first that has so many operands
		if len(h.Signatures[k].Parameters) > h.ActiveParameter {
			h.ActiveSignature = k
			break
		}
	}
	return h, nil
}

// signatureOf returns a row as a signature; optional text is in brackets.
func signatureOf(t *isa.Target, r *isa.Def, name string) signature {
	s := signature{Label: name, Documentation: r.Doc, Parameters: []signatureWord{}}
	add := func(text, sep string, a *isa.Arg) {
		from := len(s.Label) + len(sep)
		s.Label += sep + text
		doc := a.Kind.Name
		if a.Width != 0 {
			doc += fmt.Sprintf(", %d bits", a.Width)
		}
		if a.Place == isa.Operand {
			s.Parameters = append(s.Parameters, signatureWord{[2]int{from, from + len(text)}, doc})
		}
	}
	for i := range r.Operands() {
		sep := t.Sep
		if i == 0 {
			sep = " "
		}
		a := r.Operand(i)
		add(a.Name, sep, a)
	}
	for i := range r.Args {
		if a := &r.Args[i]; a.Place == isa.Modifier {
			add("["+a.Name+"]", " ", a)
		} else if a.Place == isa.Required {
			add(a.Name, " ", a)
		}
	}
	return s
}
