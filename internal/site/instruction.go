package site

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/internal/manual"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// A sense is rows of an instruction that say the same of themselves and have the same meaning, whatever their bits.
type sense struct {
	doc  string
	rows []*row
	// forms are rows whose formulas differ, the first of each. Another text of bits that a row has is no form.
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
		if (!r.def.Alias || len(s.forms) == 0) && !slices.ContainsFunc(s.forms, func(o *row) bool { return sameMeaning(o.pg, r.pg) }) {
			s.forms = append(s.forms, r)
		}
	}
	for _, s := range list {
		slices.SortStableFunc(s.forms, func(a, b *row) int { return cmp.Compare(silent(a.pg), silent(b.pg)) })
	}
	slices.SortStableFunc(list, func(a, b *sense) int { return cmp.Compare(silent(a.forms[0].pg), silent(b.forms[0].pg)) })
	return list
}

// silent is how little a page shows: what has a formula comes before what has none, and that before what cannot run.
func silent(pg *manual.Page) int {
	switch {
	case pg.Lack != "":
		return 2
	case len(pg.Formula) == 0:
		return 1
	}
	return 0
}

func sameMeaning(a, b *manual.Page) bool {
	return a.Lack == b.Lack && a.Floats == b.Floats && slices.Equal(a.Formula, b.Formula)
}

// instructionPage is the page of an instruction, the k-th of its book.
func (s *site) instructionPage(b *book, k int) ([]byte, error) {
	in := b.list[k]
	t := &text{s: s, root: "../", here: "../" + b.Name + "/", linked: map[string]bool{}}
	s.heading(t, b, k)
	if other := b.original(in); other != nil {
		t.f("<p>Another text of <a href=%s>%s</a>, where its meaning and its bits are.</p>\n", other.file, esc(other.name))
		t.operands(b, in)
		return t.page(in.name + " (" + b.Name + ")")
	}
	if err := t.senses(b, in); err != nil {
		return nil, err
	}
	t.f("<h2 id=bits>Encodings</h2>\n")
	t.encodings(b, in)
	t.operands(b, in)
	t.restrictions(b, in)
	t.fidelity(b, in)
	t.sources(b, in)
	return t.page(in.name + " (" + b.Name + ")")
}

// senses is what an instruction does, with examples.
func (t *text) senses(b *book, in *instruction) error {
	list := senses(in.rows)
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
			return err
		}
	}
	return nil
}

// original is the instruction that the text of another one, which never decodes, assembles to; nil: the other one does decode.
func (b *book) original(in *instruction) *instruction {
	for _, r := range in.rows {
		var read isa.Bundle
		if !r.def.Alias || r.t.Parse(string(r.t.Print(nil, r.bundle)), 0, &read) != nil {
			return nil
		}
		for _, p := range read.Parts {
			if p.Def.Class == r.def.Class && !p.Def.Alias && b.of[p.Def] != in {
				return b.of[p.Def]
			}
		}
	}
	return nil
}

// heading is the top of the page of an instruction: where it is, what it is.
func (s *site) heading(t *text, b *book, k int) {
	in := b.list[k]
	t.f(pathStart+"<a href=index.html>%s</a>", esc(b.Name))
	t.f("<h1>%s</h1>\n", esc(in.name))
	if doc := in.doc(); doc != "" {
		t.f("<p class=lead>%s</p>\n", esc(doc))
	}
	t.f("<p class=chips><span class=%s>%s</span>", fidelityClass(in), esc(in.fidelityName()))
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
	case pg.IR == "" && len(pg.Waits) == 0:
		t.WriteString("<p>No effect.</p>\n")
	case len(pg.Formula) == 0 && len(pg.Waits) == 0:
		t.f("<p>It %s.</p>\n", esc(pg.NoFormula()))
	case len(pg.Formula) > 0:
		t.formula(pg)
	}
	for _, line := range pg.Waits {
		t.f("<p>%s</p>\n", esc(line))
	}
	if pg.IR != "" {
		t.ir(pg)
	}
	t.otherForms(b, sn)
}

// mostIR is how many bytes of IR a page has: what loads of all formats take is as much as all the rest of the site.
const mostIR = 2600

// ir is the meaning as IR.
func (t *text) ir(pg *manual.Page) {
	whole, more := manual.ShortIR(pg.IR), ""
	if len(whole) > mostIR {
		end := mostIR + strings.IndexByte(whole[mostIR:], '\n') + 1
		more = fmt.Sprintf("<p class=note>%d lines more: heddle explain --ir", strings.Count(whole[end:], "\n"))
		whole = whole[:end]
	}
	t.f("<details><summary>As IR</summary><pre class=ir>%s</pre>%s</details>\n", t.irText(whole), more)
}

// mostOthers is how many bytes of formulas of other forms a page has: of loads in all modes of addressing they would be many times the rest of it.
const mostOthers = 800

// otherForms are the meanings of forms that differ from the first, as far as they are short: only the lines that differ.
func (t *text) otherForms(b *book, sn *sense) {
	if len(sn.forms) < 2 {
		return
	}
	t.f("<details><summary>In other forms (%d)</summary>\n", len(sn.forms)-1)
	left, size := []string{}, 0
	for _, r := range sn.forms[1:] {
		formula := differing(r.pg.Formula, sn.forms[0].pg.Formula)
		if size += len(formula); size > mostOthers {
			left = with(left, r.pg.Text)
			continue
		}
		t.f("<p>%s, %s: ", code(r.pg.Text), esc(r.def.Enc.Name+" of "+b.variantNames(r.variants())))
		switch {
		case r.pg.Lack != "":
			t.f("cannot run: %s.\n", esc(r.pg.Lack))
		case formula == "":
			t.f("floats %s\n", esc(r.pg.Floats))
		default:
			t.f("<pre class=m>%s</pre>\n", esc(formula))
		}
	}
	if len(left) > 0 {
		t.f("<p>heddle explain shows %s", code(left[0]))
		if len(left) > 1 {
			t.f(" and %d more", len(left)-1)
		}
		t.WriteString(".\n")
	}
	t.WriteString("</details>\n")
}

// differing are the lines of a formula that another does not have.
func differing(lines, other []string) string {
	var list []string
	for _, line := range lines {
		if !slices.Contains(other, line) {
			list = append(list, line)
		}
	}
	return strings.Join(list, "\n")
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

// irText is the source of IR with a link where the page first has an op, but for ops that hundreds of instructions have: site.js links those.
func (t *text) irText(source string) string {
	var b strings.Builder
	for line := range strings.Lines(strings.ReplaceAll(source, "\n  ", "\n")) {
		line = strings.TrimPrefix(line, "  ")
		at := 0
		if _, rest, ok := strings.Cut(line, " = "); ok {
			at = len(line) - len(rest)
		}
		end := at + strings.IndexFunc(line[at:]+" ", func(r rune) bool { return r == '.' || r == ' ' || r == '\n' })
		end = min(end, len(line))
		name := line[at:end]
		if op, ok := ir.OpNamed(name); ok && !t.s.common(op) {
			b.WriteString(esc(line[:at]) + t.once(t.root+"ir/"+name+".html", name) + esc(line[end:]))
			continue
		}
		b.WriteString(esc(line))
	}
	return b.String()
}

// encodings are the layouts of an instruction, with what tells its rows apart.
func (t *text) encodings(b *book, in *instruction) {
	list := layouts(in.rows)
	if len(list) == 0 {
		t.WriteString("<p>No public encoding: it runs from text.</p>\n")
		return
	}
	t.forms(b, list)
	for _, l := range list {
		t.f("<h3>%s <small>%s, %d bits</small></h3>\n", t.encoding(b, l), esc(b.variantNames(l.variants())), len(l.bits))
		b.pictures.show(t, "Bits of "+l.enc.Name, l.bits)
	}
}

// variants are those of a layout's rows.
func (l *layout) variants() (mask uint32) {
	for _, r := range l.rows {
		mask |= r.variants()
	}
	return mask
}

// encoding is a link to the page of a layout's encoding.
func (t *text) encoding(b *book, l *layout) string {
	return t.once(fmt.Sprintf("enc/%s.html", b.encs.at(l.enc.Name).file), l.enc.Name)
}

// once is a link where the page first has it, and its words elsewhere.
func (t *text) once(to, words string) string {
	if t.linked[to] {
		return esc(words)
	}
	t.linked[to] = true
	return fmt.Sprintf("<a href=%s>%s</a>", to, esc(words))
}

// A form is rows of a layout that print alike but for their variants.
type form struct {
	variants    uint32
	opcode      uint64
	stages      uint32
	text, bytes string
}

// forms are the rows of layouts: encoding, variants, opcode, an instruction, its bytes.
func (t *text) forms(b *book, layouts []*layout) {
	staged := false
	for _, l := range layouts {
		staged = staged || slices.ContainsFunc(l.rows, func(r *row) bool { return r.def.Stages != 0 })
	}
	head := []string{"Encoding", "Variants", "Opcode", "For example", "Bytes"}
	if staged {
		head = append(head, "Stages")
	}
	t.heads("f", head...)
	for _, l := range layouts {
		last := ""
		for i, f := range l.forms() {
			name := ""
			if i == 0 {
				name = esc(l.enc.Name)
			}
			if f.text == last {
				f.text = ""
			} else {
				last = f.text
			}
			cells := []string{name, esc(b.variantNames(f.variants)), fmt.Sprintf("%#x", f.opcode), esc(f.text), f.bytes}
			if staged {
				cells = append(cells, esc(b.stageNames(f.stages)))
			}
			t.row(cells...)
		}
	}
	t.end()
}

// forms are the rows of a layout, those together that print alike.
func (l *layout) forms() (list []form) {
	for _, r := range l.rows {
		f := form{r.variants(), r.def.Op, r.def.Stages, r.pg.Text, r.pg.Hex}
		i := slices.IndexFunc(list, func(o form) bool {
			return o.opcode == f.opcode && o.stages == f.stages && o.text == f.text && o.bytes == f.bytes
		})
		if i >= 0 {
			list[i].variants |= f.variants
			continue
		}
		list = append(list, f)
	}
	return list
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

// An operand is an operand or modifier of rows, by its name and kind.
type operand struct {
	name, kind           string
	roles, parts, widths []string
	encs                 []string
}

// operands are all operands and modifiers of the rows, and what is touched besides.
func (t *text) operands(b *book, in *instruction) {
	var list []*operand
	var encs []string
	for _, r := range in.rows {
		encs = with(encs, r.def.Enc.Name)
		one := r.one()
		for i := range r.def.Args {
			a := &r.def.Args[i]
			o := findOperand(&list, a.Name, kindName(a.Kind), r.def.Enc.Name)
			o.add(a, one.Operands[i].Role)
		}
		for _, im := range one.Implicit {
			o := findOperand(&list, im.Name, "", r.def.Enc.Name)
			o.roles = with(o.roles, im.Role)
		}
	}
	if len(list) == 0 {
		return
	}
	t.WriteString("<h2 id=operands>Operands</h2>\n")
	of := func(o *operand) string {
		if len(o.encs) == len(encs) {
			return ""
		}
		return " <small>" + esc(strings.Join(o.encs, " ")) + "</small>"
	}
	t.operandTable(b, slices.DeleteFunc(slices.Clone(list), (*operand).isModifier), of)
	t.modifiers(b, slices.DeleteFunc(list, func(o *operand) bool { return !o.isModifier() }))
}

// modifiers are those of a list, with the words at its end: the page of kinds says of all of them what there is to say.
func (t *text) modifiers(b *book, list []*operand) {
	var parts, words []string
	for _, o := range list {
		switch {
		case o.kind != o.name:
			parts = append(parts, esc(o.name)+", "+t.kind(b, o.kind))
		case b.kinds.at(o.kind).word:
			words = append(words, esc(o.name))
		default:
			parts = append(parts, t.kind(b, o.kind))
		}
	}
	if len(words) > 0 {
		parts = append(parts, "<a href=kinds.html#words>words</a> "+strings.Join(words, ", "))
	}
	if len(parts) > 0 {
		t.f("<p>Modifiers: %s</p>\n", strings.Join(parts, "; "))
	}
}

// isModifier reports whether an operand stands beside the others in the text.
func (o *operand) isModifier() bool {
	return o.kind != "" && len(o.roles) == 1 && o.roles[0] == "modifier"
}

// kind is a link to the page of a kind.
func (t *text) kind(b *book, name string) string {
	return t.once(b.kinds.at(name).kindFile(), name)
}

// operandTable is the table of operands; of is which encodings have one, if not all do.
func (t *text) operandTable(b *book, list []*operand, of func(o *operand) string) {
	if len(list) == 0 {
		return
	}
	t.heads("o", "Operand", "Kind", "Role, bits")
	for _, o := range list {
		kind := "<i>not in the text</i>"
		if o.kind != "" {
			kind = t.kind(b, o.kind)
		}
		name := esc(o.name)
		if len(o.parts) > 0 {
			name += " <small>with " + esc(strings.Join(o.parts, ", ")) + "</small>"
		}
		role := strings.Join(o.roles, " or ")
		if len(o.widths) > 0 {
			role = strings.TrimPrefix(role+", "+strings.Join(o.widths, " or "), ", ")
		}
		t.row(name, kind+of(o), role)
	}
	t.end()
}

// findOperand is the operand of a name and kind in a list, added if it is not there, and noted to be in an encoding.
func findOperand(list *[]*operand, name, kind, enc string) *operand {
	i := slices.IndexFunc(*list, func(o *operand) bool { return o.name == name && o.kind == kind })
	if i < 0 {
		i = len(*list)
		*list = append(*list, &operand{name: name, kind: kind})
	}
	o := (*list)[i]
	o.encs = with(o.encs, enc)
	return o
}

// add notes the operand as a row has it.
func (o *operand) add(a *isa.Arg, role string) {
	if role == "" && a.Place != isa.Operand {
		role = "modifier"
	}
	if role != "" {
		o.roles = with(o.roles, role)
	}
	if a.Width != 0 {
		o.widths = with(o.widths, fmt.Sprint(a.Width))
	}
	for k := range a.Parts {
		if p := &a.Parts[k]; len(p.At) > 0 {
			o.parts = with(o.parts, p.Name)
		}
	}
}
