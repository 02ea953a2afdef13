package spec

import "slices"

// A Count is the number of items of one kind in a document.
type Count struct {
	What  string
	N     int
	About string // details
}

// Counts returns the numbers of a document.
func (d *Document) Counts() []Count {
	told := 0
	for i := range d.Rows {
		r := &d.Rows[i]
		if !r.Alias && !r.Private && d.tells(&d.Forms[r.Form]) {
			told++
		}
	}
	return []Count{
		{"encodings", len(d.Encodings), "layouts: fixed bits, opcode, fields, literal"},
		{"kinds", len(d.Kinds), "what fields hold: reserved values, texts"},
		{"forms", len(d.Forms), "operands and modifiers that rows share"},
		{"rows", len(d.Rows), "instructions in one encoding"},
		{"rows told", told, "rows that decode, of which all words print by the document alone"},
		{"options", len(d.Options), "choices where sources are silent"},
		{"rules", len(d.Rules), "what programs must keep to"},
		{"gaps", len(d.Gaps), "what is known of words that no row has"},
	}
}

// tells reports whether the document has all texts of a form.
func (d *Document) tells(f *Form) bool {
	open := func(kind int) bool { return d.Kinds[kind].Needs != nil }
	return !slices.ContainsFunc(f.Args, func(a Arg) bool {
		return open(a.Kind) || slices.ContainsFunc(a.Parts, func(p Part) bool { return open(p.Kind) })
	})
}
