package site

import (
	"fmt"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/internal/manual"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// manyOf is the fraction of the instructions of a set, 1/manyOf, from which a rule counts as common: examples in each
// of them would be repetitive.
const manyOf = 4

// restrict finds the restrictions on words of all rows, and the common rules.
func (b *book) restrict() {
	count := map[string]int{}
	for _, in := range b.list {
		seen := map[string]bool{}
		for _, r := range in.rows {
			r.restrictions = manual.Restrictions(r.t, r.def)
			for _, x := range r.restrictions {
				seen[x.Rule] = true
			}
		}
		for id := range seen {
			count[id]++
		}
	}
	b.common = map[string]bool{}
	for i := range b.Rules {
		id := b.Rules[i].ID
		b.common[id] = count[id]*manyOf > len(b.list)
	}
}

// restrictions writes the restrictions on words of the instruction.
func (t *text) restrictions(b *book, in *instruction) {
	var list []string
	add := func(line string) {
		if !slices.Contains(list, line) {
			list = append(list, line)
		}
	}
	if missing := ^in.variants() & (1<<len(b.Variants) - 1); missing != 0 {
		add("Not in " + esc(b.variantNames(missing)) + ".")
	}
	var common []string
	rules, checks := map[string]bool{}, 0
	for _, r := range in.rows {
		if r.def.Private {
			add("Without public encoding: its text runs, and does not assemble to bytes.")
		}
		for _, x := range r.restrictions {
			switch {
			case b.common[x.Rule]:
				common = with(common, x.Rule)
			case x.Rule != "":
				if !rules[x.Rule] {
					rules[x.Rule] = true
					add(t.rule(b, x.Rule) + ": " + esc(strings.TrimPrefix(x.Msg, r.def.Name+": ")))
				}
			case checks < mostChecks:
				if line := "Refused: " + esc(x.Msg) + "."; !slices.Contains(list, line) {
					list = append(list, line)
					checks++
				}
			}
		}
	}
	if len(common) > 0 {
		slices.Sort(common)
		list = append(list, "<a href=rules.html>Common rules</a>: "+strings.Join(common, ", "))
	}
	if len(list) == 0 {
		return
	}
	t.WriteString("<h2 id=restrictions>Restrictions</h2>\n<ul>")
	for _, line := range list {
		t.f("<li>%s\n", line)
	}
	t.WriteString("</ul>\n")
}

// rule returns a link to a rule of the set, or the name of a rule that all sets have.
func (t *text) rule(b *book, id string) string {
	if slices.ContainsFunc(b.Rules, func(r isa.Rule) bool { return r.ID == id }) {
		return fmt.Sprintf("<a href=rules.html#%s>%s</a>", id, id)
	}
	return "<b>" + esc(id) + "</b>"
}

// mostChecks limits the rejections shown on a page: those of one check differ in their numbers.
const mostChecks = 5

// fidelity writes how exact results are, and why, if there is something to say.
func (t *text) fidelity(b *book, in *instruction) {
	var why, options []string
	for _, r := range in.rows {
		if r.def.Meaning == nil {
			why = with(why, esc(b.variantNames(r.variants())+", "+r.def.Enc.Name+": "+r.def.Lack.String()))
		}
		for _, w := range r.pg.Because {
			if what, rest, ok := strings.Cut(w, ": "); ok && strings.HasPrefix(what, "op ") {
				op := strings.TrimPrefix(what, "op ")
				if _, ok := ir.OpNamed(op); ok {
					why = with(why, fmt.Sprintf("op <a href=../ir/%s.html>%s</a>: %s", op, esc(op), esc(rest)))
				}
			}
		}
		for _, o := range r.def.Options {
			options = with(options, o)
		}
	}
	for _, o := range options {
		if i := slices.IndexFunc(b.Options, func(p isa.Option) bool { return p.Name == o }); i >= 0 {
			why = with(why, fmt.Sprintf("option <a href=options.html#%s>%s</a>", o, o)) // that section describes the option
		}
	}
	if len(why) == 0 {
		return // the top of the page has the word
	}
	t.f("<h2 id=fidelity>Fidelity</h2>\n<p><b>%s</b>:<ul>", esc(in.fidelityName()))
	for _, w := range why {
		t.f("<li>%s\n", w)
	}
	t.WriteString("</ul>\n")
}

// sources writes where rows and layouts are documented, and where documents contradict each other.
func (t *text) sources(b *book, in *instruction) {
	var list, notes []string
	for _, r := range in.rows {
		for _, s := range strings.Split(r.one().Source, "; ") {
			if s != "" {
				list = with(list, t.cite(s))
			}
		}
		if r.def.Note != "" {
			notes = with(notes, esc(r.def.Note))
		}
	}
	if len(list) > 0 {
		t.f("<h2 id=sources>Sources</h2>\n<p>Reference, %s</p>\n", strings.Join(list, "; "))
	}
	if len(notes) > 0 {
		t.f("<p>Where they err or contradict each other: %s</p>\n", strings.Join(notes, "; "))
	}
}

// with appends s if it is not in the list.
func with(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}
