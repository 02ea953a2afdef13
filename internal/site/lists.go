package site

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/isa"
)

// pages returns all pages, in order.
func (s *site) pages() []page {
	list := []page{{"index.html", s.frontPage}, {"ir/index.html", s.opsPage}}
	if s.o.Play != nil {
		list = append(list, page{"play.html", func() ([]byte, error) { return Frame("", "Play", s.o.Play), nil }})
	}
	list = append(list, s.opPages()...)
	for _, b := range s.books {
		dir := b.Name + "/"
		list = append(list,
			page{dir + "index.html", func() ([]byte, error) { return s.setPage(b) }},
			page{dir + "encodings.html", func() ([]byte, error) { return s.encodingsPage(b) }},
			page{dir + "kinds.html", func() ([]byte, error) { return s.kindsPage(b) }},
			page{dir + "options.html", func() ([]byte, error) { return s.optionsPage(b) }},
			page{dir + "rules.html", func() ([]byte, error) { return s.rulesPage(b) }},
			page{dir + "reference.html", func() ([]byte, error) { return s.referencePage(b) }})
		for _, n := range b.encs.list {
			list = append(list, page{dir + "enc/" + n.file + ".html", func() ([]byte, error) { return s.encodingPage(b, n) }})
		}
		for _, n := range b.kinds.list {
			if !n.word {
				list = append(list, page{dir + n.kindFile(), func() ([]byte, error) { return s.kindPage(b, n) }})
			}
		}
		for k, in := range b.list {
			list = append(list, page{dir + in.file, func() ([]byte, error) { return s.instructionPage(b, k) }})
		}
	}
	return append(list, page{"errors.html", s.errorsPage}, page{"search.js", s.searchIndex})
}

// places are the pages of a set other than instructions.
var places = [...]struct{ file, name string }{
	{"index.html", "Instructions"}, {"encodings.html", "Encodings"}, {"kinds.html", "Operand kinds"}, {"options.html", "Options"}, {"rules.html", "Rules"}, {"reference.html", "Reference"},
}

// tabs writes links to the pages of a set, on one of them.
func (t *text) tabs(b *book, here string) {
	t.f("<nav class=tabs aria-label=\"%s\">", b.Name)
	for _, p := range places {
		current := ""
		if p.file == here {
			current = " aria-current=page"
		}
		t.f("<a href=%s%s>%s</a>", p.file, current, p.name)
	}
	t.WriteString("</nav>\n")
}

// above writes links to the parents of a page in a folder of a set.
func (t *text) above(b *book, file, name string) {
	t.f(pathStart+"<a href=../index.html>%s</a> · <a href=../%s>%s</a>\n", b.Name, file, name)
}

// frontPage returns the first page.
func (s *site) frontPage() ([]byte, error) {
	t := &text{s: s}
	t.WriteString("<h1>The instructions of five GPUs</h1>\n<p class=lead>What each one’s bits, operands and meaning are, what it does with values, and who says so. " +
		"Made by heddle from the tables that it runs machine code with.</p>\n")
	t.WriteString("<p class=hint>Press <kbd>/</kbd> to search: a mnemonic, an operand kind, an op, or words of the reference.</p>\n")
	t.head("Set", "Variants", "Instructions", "Exact", "Approximate", "Modelled", "Do not run")
	for _, b := range s.books {
		count := map[string]int{}
		for _, in := range b.list {
			count[in.fidelityName()]++
		}
		var names []string
		for _, v := range b.Variants {
			names = append(names, v.Name)
		}
		t.row(fmt.Sprintf("<a href=%s/index.html>%s</a><br><small>%s</small>", b.Name, b.Name, esc(b.Doc)), esc(strings.Join(names, " ")), fmt.Sprint(len(b.list)),
			fmt.Sprint(count["exact"]), fmt.Sprint(count["approximate"]), fmt.Sprint(count["modelled"]), fmt.Sprint(count["does not run"]))
	}
	t.end()
	t.WriteString("<h2>Besides</h2>\n<ul><li><a href=ir/index.html>Ops of the IR</a>: what meanings are made of\n<li><a href=errors.html>Errors of the reference documents</a>, with the evidence\n")
	for _, b := range s.books {
		t.f("<li>%s: <a href=%s/encodings.html>encodings</a>, <a href=%s/kinds.html>operand kinds</a>, <a href=%s/options.html>options</a>, <a href=%s/rules.html>rules</a>, <a href=%s/reference.html>reference</a>\n",
			b.Name, b.Name, b.Name, b.Name, b.Name, b.Name)
	}
	t.WriteString("</ul>\n<h2>How sure the results are</h2>\n<dl><dt>exact<dd>To the bit.<dt>approximate<dd>Hardware is within a bound of what is computed here.<dt>modelled<dd>An option that is named chooses " +
		"where sources are silent.<dt>does not run<dd>It assembles and disassembles; the page says why there is no meaning.</dl>\n")
	return t.page("Reference")
}

// setPage returns the index of a set: all instructions, with filters.
func (s *site) setPage(b *book) ([]byte, error) {
	t := &text{s: s, root: "../"}
	t.tabs(b, "index.html")
	t.f("<h1>%s</h1>\n<p class=lead>%s</p>\n", esc(b.Name), esc(b.Doc))
	t.head("Variant", "Also called", "")
	for _, v := range b.Variants {
		t.row(code(b.Name+":"+v.Name), esc(strings.Join(v.Aliases, ", ")), esc(v.Doc))
	}
	t.end()
	t.f("<h2>%d instructions</h2>\n", len(b.list))
	t.filters(b)
	t.WriteString("<table id=list><thead><tr><th>Instruction<th>What it does<th>Encodings<th>Runs<th>Variants<tbody>\n")
	for _, in := range b.list {
		var encs []string
		var kinds []int
		for _, r := range in.rows {
			encs = with(encs, r.def.Enc.Name)
			for i := range r.def.Args {
				if k := b.kinds.position(kindName(r.def.Args[i].Kind)); !slices.Contains(kinds, k) {
					kinds = append(kinds, k)
				}
			}
		}
		slices.Sort(kinds)
		t.f("<tr data-k=\"%s\"><td><a href=%s>%s</a><td>%s<td>%s<td>%s<td>%s\n", strings.Trim(fmt.Sprint(kinds), "[]"), in.file, esc(in.name), esc(in.doc()),
			esc(strings.Join(encs, " ")), in.fidelityName(), esc(b.variantNames(in.variants())))
	}
	t.end()
	return t.page(b.Name + ": " + b.Doc)
}

// position returns the index of a name, in order of insertion.
func (ix *index) position(name string) int {
	return slices.IndexFunc(ix.list, func(n *named) bool { return n.name == name })
}

// filters writes the controls that filter the list of instructions; they are hidden without scripts.
func (t *text) filters(b *book) {
	t.WriteString("<form id=filter hidden><label>Name or words <input name=q type=search autocomplete=off></label>")
	choice := func(name, title string, list []string, values []string) {
		t.f("<label>%s <select name=%s><option value=\"\">all", title, name)
		for i, s := range list {
			v := s
			if values != nil {
				v = values[i]
			}
			t.f("<option value=\"%s\">%s", esc(v), esc(s))
		}
		t.WriteString("</select></label>")
	}
	var encs []string
	for _, n := range b.encs.list {
		encs = append(encs, n.name)
	}
	choice("e", "Encoding", encs, nil)
	var kinds, numbers []string
	for i, n := range b.kinds.list {
		kinds, numbers = append(kinds, n.name), append(numbers, fmt.Sprint(i))
	}
	choice("k", "Operand kind", kinds, numbers)
	choice("f", "Runs", []string{"exact", "approximate", "modelled", "does not run"}, nil)
	var variants []string
	for _, v := range b.Variants {
		variants = append(variants, v.Name)
	}
	choice("v", "Variant", variants, nil)
	t.WriteString("<output aria-live=polite></output></form>\n")
}

// encodingsPage lists the encodings of a set.
func (s *site) encodingsPage(b *book) ([]byte, error) {
	t := &text{s: s, root: "../"}
	t.tabs(b, "encodings.html")
	t.f("<h1>Encodings of %s</h1>\n", b.Name)
	t.head("Encoding", "Bits", "Instructions", "Source")
	for _, n := range b.encs.list {
		var bits, sources []string
		for _, r := range n.rows {
			bits, sources = with(bits, fmt.Sprint(r.def.Enc.Bits)), with(sources, t.cite(r.def.Enc.Source))
		}
		t.row(fmt.Sprintf("<a href=enc/%s.html>%s</a>", n.file, esc(n.name)), strings.Join(bits, ", "), fmt.Sprint(len(n.in)), strings.Join(sources, "; "))
	}
	t.end()
	return t.page("Encodings of " + b.Name)
}

// encodingPage returns the page for the layouts of one name, and its instructions.
func (s *site) encodingPage(b *book, n *named) ([]byte, error) {
	t := &text{s: s, root: "../../"}
	t.above(b, "encodings.html", "encodings")
	t.f("<h1>%s <small>encoding of %s</small></h1>\n", esc(n.name), b.Name)
	var layouts []*layout
	for _, r := range n.rows {
		i := slices.IndexFunc(layouts, func(l *layout) bool { return l.enc == r.def.Enc })
		if i < 0 {
			i = len(layouts)
			layouts = append(layouts, &layout{enc: r.def.Enc})
		}
		layouts[i].rows = append(layouts[i].rows, r)
	}
	for _, l := range layouts {
		private := !slices.ContainsFunc(l.rows, func(r *row) bool { return !r.def.Private })
		t.f("<h2>%s</h2>\n", esc(b.variantNames(l.variants())))
		if private {
			t.WriteString("<p>Without public bits: its instructions run from text.</p>\n")
			continue
		}
		bits := encodingBits(l.enc)
		t.draw(n.name+": "+spoken(bits), bits)
		t.f("<p>%d bits", l.enc.Bits)
		if l.enc.Literal != nil {
			t.f("; a literal constant may follow, in bits %d to %d", l.enc.Literal.At.Hi, l.enc.Literal.At.Lo)
		}
		t.f(". Source: %s.</p>\n", t.cite(l.enc.Source))
	}
	t.opcodes(b, n)
	return t.page(n.name + ", encoding of " + b.Name)
}

// opcodes writes the instructions of an encoding with their opcodes by variant.
func (t *text) opcodes(b *book, n *named) {
	type line struct {
		in  *instruction
		ops []string
		min uint64
	}
	var list []line
	for _, r := range n.rows {
		in := b.of[r.def]
		i := slices.IndexFunc(list, func(l line) bool { return l.in == in })
		if i < 0 {
			i = len(list)
			list = append(list, line{in, make([]string, len(b.Variants)), r.def.Op})
		}
		for v := range b.Variants {
			if op := fmt.Sprintf("%#x", r.def.Op); r.def.InVariant(v) && !slices.Contains(strings.Fields(list[i].ops[v]), op) {
				list[i].ops[v] = strings.TrimSpace(list[i].ops[v] + " " + op)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b line) int { return cmp.Compare(a.min, b.min) })
	t.f("<h2>%d instructions, by opcode</h2>\n", len(list))
	head := []string{"Instruction"}
	for _, v := range b.Variants {
		head = append(head, v.Name)
	}
	t.head(head...)
	for _, l := range list {
		t.row(append([]string{fmt.Sprintf("<a href=../%s>%s</a>", l.in.file, esc(l.in.name))}, l.ops...)...)
	}
	t.end()
}

// optionsPage lists the options of a set, and what depends on them.
func (s *site) optionsPage(b *book) ([]byte, error) {
	t := &text{s: s, root: "../"}
	t.tabs(b, "options.html")
	t.f("<h1>Options of %s</h1>\n<p class=lead>Choices where the sources are silent.</p>\n", b.Name)
	for i := range b.Options {
		o := &b.Options[i]
		t.f("<h2 id=%s>%s</h2>\n<p>%s</p>\n<p>Values: %s; default %s. Source: %s.</p>\n", o.Name, esc(o.Name), esc(o.Doc), esc(strings.Join(o.Values, ", ")), code(o.Default), t.cite(o.Source))
		if n := b.opts.by[o.Name]; n != nil {
			t.usedBy(b, "", n.in, "")
		}
	}
	return t.page("Options of " + b.Name)
}

// The limits of lists of instructions: how many are visible, and how many are listed at all.
const (
	mostOpen   = 24
	mostListed = 100
)

// usedBy lists instructions: long lists are folded, and longer ones are replaced by a link to the list.
func (t *text) usedBy(b *book, folder string, list []*instruction, filter string) {
	switch n := len(list); {
	case n <= mostOpen:
		t.f("<p class=in>Used by %s</p>\n", links(folder, list))
	case n <= mostListed:
		t.f("<details class=in><summary>Used by %d instructions</summary>%s</details>\n", n, links(folder, list))
	default:
		t.f("<p class=in>Used by %d of the <a href=%sindex.html%s>%d instructions of %s</a>, for example %s</p>\n", n, folder, filter, len(b.list), b.Name, links(folder, spread(list, mostOpen)))
	}
}

// spread returns n entries of a list, at equal distances.
func spread(list []*instruction, n int) (some []*instruction) {
	for i := range n {
		some = append(some, list[i*len(list)/n])
	}
	return some
}

// rulesPage lists the rules for programs.
func (s *site) rulesPage(b *book) ([]byte, error) {
	t := &text{s: s, root: "../"}
	t.tabs(b, "rules.html")
	t.f("<h1>Rules of %s</h1>\n<p class=lead>What programs must keep to although what breaks it decodes: heddle lint reports it. Pages of instructions name rules that are common, and of the others what breaks them.</p>\n", b.Name)
	for i := range b.Rules {
		r := &b.Rules[i]
		t.f("<h2 id=%s>%s</h2>\n<p>%s</p>\n<p>%s. Source: %s.</p>\n", r.ID, esc(r.ID), esc(r.Doc), esc(ruleScope(b, r)), t.cite(r.Source))
		if r.Example != "" {
			t.f("<p>Broken by</p><pre>%s</pre>\n", esc(r.Example))
		}
	}
	return t.page("Rules of " + b.Name)
}

// ruleScope returns the severity of a rule and its variants.
func ruleScope(b *book, r *isa.Rule) string {
	s := strings.ToUpper(r.Severity.String()[:1]) + r.Severity.String()[1:]
	if r.Variants != 0 {
		s += ", of " + b.variantNames(r.Variants)
	}
	return s
}
