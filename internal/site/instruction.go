package site

import (
	"fmt"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/internal/manual"
	"github.com/heddle-gpu/heddle/isa"
)

// A sense is rows of an instruction that say the same of themselves and have the same meaning, whatever their bits.
type sense struct {
	doc  string
	rows []*row
	// forms are rows whose formulas differ, the first of each.
	forms []*row
}

// senses divides rows by what they say of themselves.
func senses(rows []*row) (list []*sense) {
	for _, r := range rows {
		i := slices.IndexFunc(list, func(s *sense) bool { return s.doc == r.def.Doc })
		if i < 0 {
			i = len(list)
			list = append(list, &sense{doc: r.def.Doc})
		}
		s := list[i]
		s.rows = append(s.rows, r)
		if !slices.ContainsFunc(s.forms, func(o *row) bool { return sameMeaning(o.pg, r.pg) }) {
			s.forms = append(s.forms, r)
		}
	}
	for _, s := range list {
		slices.SortStableFunc(s.forms, func(a, b *row) int { return compareLack(a.pg, b.pg) })
	}
	return list
}

// compareLack puts what can run before what cannot.
func compareLack(a, b *manual.Page) int {
	switch {
	case (a.Lack == "") == (b.Lack == ""):
		return 0
	case a.Lack == "":
		return -1
	}
	return 1
}

func sameMeaning(a, b *manual.Page) bool {
	return a.Lack == b.Lack && a.Floats == b.Floats && slices.Equal(a.Formula, b.Formula)
}

// instructionPage is the page of an instruction, the k-th of its book.
func (s *site) instructionPage(b *book, k int) ([]byte, error) {
	in := b.list[k]
	t := &text{s: s, root: "../"}
	s.heading(t, b, k)
	var list = senses(in.rows)
	for i, sn := range list {
		if len(list) > 1 {
			title := sn.doc
			if title == "" {
				title = fmt.Sprintf("Form %d", i+1)
			}
			t.f("<h2 id=s%d>%s</h2>\n", i+1, esc(title))
		}
		t.meaning(b, sn)
		if err := t.examples(b, sn, i == 0); err != nil {
			return nil, err
		}
	}
	t.f("<h2 id=bits>Encodings</h2>\n")
	t.encodings(b, in)
	t.operands(b, in)
	t.restrictions(b, in)
	t.fidelity(b, in)
	t.sources(b, in)
	return t.page(in.name + " (" + b.Name + ")")
}

// heading is the top of the page of an instruction: where it is, what it is, its neighbours.
func (s *site) heading(t *text, b *book, k int) {
	in := b.list[k]
	t.f("<p class=path><a href=index.html>%s</a>", esc(b.Name))
	if k > 0 {
		t.f(" · <a rel=prev href=%s>%s</a>", b.list[k-1].file, esc("← "+b.list[k-1].name))
	}
	if k+1 < len(b.list) {
		t.f(" · <a rel=next href=%s>%s</a>", b.list[k+1].file, esc(b.list[k+1].name+" →"))
	}
	t.f("<h1>%s</h1>\n", esc(in.name))
	if doc := in.doc(); doc != "" {
		t.f("<p class=lead>%s</p>\n", esc(doc))
	}
	t.f("<p class=chips><span class=\"%s\">%s</span>", fidelityClass(in), esc(in.fidelityName()))
	for v := range b.Variants {
		if in.variants()>>v&1 != 0 {
			t.f("<span>%s</span>", esc(b.Variants[v].Name))
		}
	}
	if len(in.also) > 0 {
		t.f(" also %s", esc(strings.Join(in.also, ", ")))
	}
	t.WriteString("</p>\n")
}

// fidelityClass is the class of the mark of how exactly an instruction runs.
func fidelityClass(in *instruction) string {
	switch name := in.fidelityName(); name {
	case "exact":
		return "ok"
	case "does not run":
		return "bad"
	default:
		return "mid"
	}
}

// shortMeaning is how many lines of formulas stand open.
const shortMeaning = 14

// meaning is what rows do, in infix form and as IR.
func (t *text) meaning(b *book, sn *sense) {
	first := sn.forms[0]
	pg := first.pg
	t.WriteString("<h3>Meaning</h3>\n")
	switch {
	case pg.Lack != "":
		t.f("<p>Cannot run: %s.</p>\n", esc(pg.Lack))
	case pg.IR == "":
		t.WriteString("<p>No effect.</p>\n")
	case len(pg.Formula) == 0:
		t.WriteString("<p>Nothing that stays; what it makes is for others of its bundle.</p>\n")
	default:
		t.formula(pg)
	}
	if pg.IR != "" {
		t.f("<details><summary>As IR: %s</summary><pre class=ir>%s</pre></details>\n", code(pg.Text), t.irText(pg.IR))
	}
	if len(sn.forms) < 2 {
		return
	}
	t.f("<details><summary>In its other forms (%d)</summary>\n", len(sn.forms)-1)
	for _, r := range sn.forms[1:] {
		t.f("<p>%s, %s:</p>", code(r.pg.Text), esc(r.def.Enc.Name+" of "+b.variantNames(r.variants())))
		if r.pg.Lack != "" {
			t.f("<p>Cannot run: %s.</p>\n", esc(r.pg.Lack))
			continue
		}
		t.formula(r.pg)
	}
	t.WriteString("</details>\n")
}

// formula is a meaning in infix form.
func (t *text) formula(pg *manual.Page) {
	if n := len(pg.Formula); n > shortMeaning+1 {
		t.f("<pre class=m>%s</pre><details><summary>%d lines more</summary><pre class=m>%s</pre></details>\n", esc(strings.Join(pg.Formula[:shortMeaning], "\n")),
			n-shortMeaning, esc(strings.Join(pg.Formula[shortMeaning:], "\n")))
	} else if n > 0 {
		t.f("<pre class=m>%s</pre>\n", esc(strings.Join(pg.Formula, "\n")))
	}
	if pg.Floats != "" {
		t.f("<p class=note>Floats: %s</p>\n", esc(pg.Floats))
	}
}

// irText is IR with a link at the first place of each op.
func (t *text) irText(ir string) string {
	var b strings.Builder
	seen := map[string]bool{}
	for line := range strings.Lines(strings.ReplaceAll(ir, "\n  ", "\n")) {
		line = strings.TrimPrefix(line, "  ")
		at := 0
		if _, rest, ok := strings.Cut(line, " = "); ok {
			at = len(line) - len(rest)
		}
		end := at + strings.IndexFunc(line[at:]+" ", func(r rune) bool { return r == '.' || r == ' ' || r == '\n' })
		end = min(end, len(line))
		name := line[at:end]
		if file, ok := t.s.opFile(name); ok && !seen[name] {
			seen[name] = true
			fmt.Fprintf(&b, "%s<a href=%sir/%s>%s</a>%s", esc(line[:at]), t.root, file, name, esc(line[end:]))
			continue
		}
		b.WriteString(esc(line))
	}
	return b.String()
}

// encodings are the layouts of an instruction, with what tells its rows apart.
func (t *text) encodings(b *book, in *instruction) {
	var w drawer
	list := layouts(in.rows)
	if len(list) == 0 {
		t.WriteString("<p>No public encoding: it runs from text.</p>\n")
		return
	}
	for _, l := range list {
		mask := uint32(0)
		for _, r := range l.rows {
			mask |= r.variants()
		}
		t.f("<h3><a href=enc/%s.html>%s</a> <small>%s, %d bits</small></h3>\n", b.encs.at(l.enc.Name).file, esc(l.enc.Name), esc(b.variantNames(mask)), len(l.bits))
		w.draw(t, l.enc.Name, l.bits)
		t.forms(b, l)
	}
}

// A form is rows of a layout that print alike but for their variants.
type form struct {
	variants    uint32
	opcode      uint64
	stages      uint32
	text, bytes string
}

// forms are the rows of a layout: variants, opcode, an instruction, its bytes.
func (t *text) forms(b *book, l *layout) {
	var list []form
	staged := false
	for _, r := range l.rows {
		f := form{r.variants(), r.def.Op, r.def.Stages, r.pg.Text, r.pg.Hex}
		i := slices.IndexFunc(list, func(o form) bool {
			return o.opcode == f.opcode && o.stages == f.stages && o.text == f.text && o.bytes == f.bytes
		})
		if staged = staged || f.stages != 0; i >= 0 {
			list[i].variants |= f.variants
			continue
		}
		list = append(list, f)
	}
	head := []string{"Variants", "Opcode", "For example", "Bytes"}
	if staged {
		head = append(head, "Stages")
	}
	t.head(head...)
	for _, f := range list {
		cells := []string{esc(b.variantNames(f.variants)), fmt.Sprintf("%#x", f.opcode), code(f.text), code(f.bytes)}
		if staged {
			cells = append(cells, esc(b.stageNames(f.stages)))
		}
		t.row(cells...)
	}
	t.end()
}

// stageNames are those of a mask; 0 is all.
func (b *book) stageNames(mask uint32) string {
	if mask == 0 {
		return "all"
	}
	var names []string
	for i, name := range b.Stages {
		if mask>>i&1 != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, " ")
}

// An operand is an operand of rows that are alike in it.
type operand struct {
	name, kind, role, parts string
	width                   int
	encs                    []string
}

// operands are all operands and modifiers of the rows, and what is touched besides.
func (t *text) operands(b *book, in *instruction) {
	var list []operand
	encs := []string{}
	for _, r := range in.rows {
		if !slices.Contains(encs, r.def.Enc.Name) {
			encs = append(encs, r.def.Enc.Name)
		}
		one := r.one()
		for i := range r.def.Args {
			list = addOperand(list, operandOf(r, i, one), r.def.Enc.Name)
		}
		for _, im := range one.Implicit {
			list = addOperand(list, operand{name: im.Name, role: im.Role}, r.def.Enc.Name)
		}
	}
	if len(list) == 0 {
		return
	}
	t.WriteString("<h2 id=operands>Operands</h2>\n")
	head := []string{"Operand", "Kind", "Role", "Bits"}
	if len(encs) > 1 {
		head = append(head, "Of")
	}
	t.head(head...)
	for _, o := range list {
		kind := "<i>not in the text</i>"
		if o.kind != "" {
			kind = fmt.Sprintf("<a href=kind/%s.html>%s</a>", b.kinds.at(o.kind).file, esc(o.kind))
		}
		width := ""
		if o.width != 0 {
			width = fmt.Sprint(o.width)
		}
		cells := []string{code(o.name) + o.parts, kind, o.role, width}
		if len(encs) > 1 {
			of := "all"
			if len(o.encs) < len(encs) {
				of = strings.Join(o.encs, ", ")
			}
			cells = append(cells, esc(of))
		}
		t.row(cells...)
	}
	t.end()
}

// operandOf is operand i of a row.
func operandOf(r *row, i int, one *manual.Part) operand {
	a := &r.def.Args[i]
	o := operand{name: a.Name, kind: kindName(a.Kind), role: one.Operands[i].Role, width: a.Width}
	var parts []string
	for k := range a.Parts {
		if p := &a.Parts[k]; len(p.At) > 0 {
			parts = append(parts, p.Name)
		}
	}
	if len(parts) > 0 {
		o.parts = " <small>with " + esc(strings.Join(parts, ", ")) + "</small>"
	}
	if a.Place != isa.Operand && o.role == "" {
		o.role = "modifier"
	}
	return o
}

// addOperand adds an operand of an encoding to a list, where one that is alike may stand.
func addOperand(list []operand, o operand, enc string) []operand {
	i := slices.IndexFunc(list, func(p operand) bool {
		return p.name == o.name && p.kind == o.kind && p.role == o.role && p.parts == o.parts && p.width == o.width
	})
	if i < 0 {
		o.encs = []string{enc}
		return append(list, o)
	}
	if !slices.Contains(list[i].encs, enc) {
		list[i].encs = append(list[i].encs, enc)
	}
	return list
}
