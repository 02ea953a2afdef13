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

// A sense is rows of an instruction with the same description and semantics, whatever their bits.
type sense struct {
	doc  string
	rows []*row
	// forms are rows with different formulas, one for each. Rows that differ only in text for their bits are not
	// separate forms.
	forms []*row
}

// senses groups rows by their description.
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

// silent ranks how little a page shows: pages with a formula come first, then those without, then those that cannot
// run.
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

// instructionPage returns the page of an instruction, the k-th of its book.
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

// senses writes what an instruction does, with examples.
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

// original returns the instruction that the text of in assembles to, if in never decodes; nil if it does decode.
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

// heading writes the top of the page of an instruction: its location and description.
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

// fidelityClass returns the CSS class for the fidelity of an instruction.
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

// shortMeaning is the number of lines of formulas that are not folded.
const shortMeaning = 14

// meaning writes the semantics of rows, in infix form and as IR.
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

// mostIR limits the bytes of IR on a page: loads of all formats would be as long as the rest of the site.
const mostIR = 2600

// ir writes the semantics as IR.
func (t *text) ir(pg *manual.Page) {
	whole, more := manual.ShortIR(pg.IR), ""
	if len(whole) > mostIR {
		end := mostIR + strings.IndexByte(whole[mostIR:], '\n') + 1
		more = fmt.Sprintf("<p class=note>%d lines more: heddle explain --ir", strings.Count(whole[end:], "\n"))
		whole = whole[:end]
	}
	t.f("<details><summary>As IR</summary><pre class=ir>%s</pre>%s</details>\n", t.irText(whole), more)
}

// mostOthers limits the bytes of formulas of other forms on a page: for loads in all addressing modes they would be
// many times as long as the rest.
const mostOthers = 800

// otherForms writes the semantics of forms that differ from the first, if short: only the lines that differ.
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

// differing returns the lines of a formula that another does not have.
func differing(lines, other []string) string {
	var list []string
	for _, line := range lines {
		if !slices.Contains(other, line) {
			list = append(list, line)
		}
	}
	return strings.Join(list, "\n")
}

// formula writes the semantics in infix form.
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

// irText returns the source of IR with a link at the first use of each op on the page, except for ops of hundreds of
// instructions, which site.js links.
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

// encodings writes the layouts of an instruction, with what distinguishes its rows.
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

// variants returns the mask of the variants of a layout's rows.
func (l *layout) variants() (mask uint32) {
	for _, r := range l.rows {
		mask |= r.variants()
	}
	return mask
}

// encoding returns a link to the page of a layout's encoding.
func (t *text) encoding(b *book, l *layout) string {
	return t.once(fmt.Sprintf("enc/%s.html", b.encs.at(l.enc.Name).file), l.enc.Name)
}

// once returns a link at its first use on the page, and the words alone afterwards.
func (t *text) once(to, words string) string {
	if t.linked[to] {
		return esc(words)
	}
	t.linked[to] = true
	return fmt.Sprintf("<a href=%s>%s</a>", to, esc(words))
}

// A form is rows of a layout that print alike except for their variants.
type form struct {
	variants    uint32
	opcode      uint64
	stages      uint32
	text, bytes string
}

// forms writes the rows of layouts: encoding, variants, opcode, an instruction, its bytes.
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

// forms returns the rows of a layout, grouped by what they print.
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

// stageNames returns the names of the stages of a mask; 0 means all.
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

// operands writes all operands and modifiers of the rows, and other state that they access.
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

// modifiers writes a list of modifiers, followed by words; the page of kinds describes them.
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

// isModifier reports whether an operand is a modifier.
func (o *operand) isModifier() bool {
	return o.kind != "" && len(o.roles) == 1 && o.roles[0] == "modifier"
}

// kind returns a link to the page of a kind.
func (t *text) kind(b *book, name string) string {
	return t.once(b.kinds.at(name).kindFile(), name)
}

// operandTable writes the table of operands; of returns the encodings that have one, if not all do.
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

// findOperand returns the operand of a name and kind in a list, adding it if needed, and records that the encoding has
// it.
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

// add merges the operand as a row has it.
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
