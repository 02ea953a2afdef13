package site

import (
	"fmt"
	"strings"

	"github.com/heddle-gpu/heddle/internal/manual"
	"github.com/heddle-gpu/heddle/ir"
)

// common reports whether more instructions use an op than its page lists.
func (s *site) common(op ir.Op) bool {
	n := 0
	for _, u := range s.ops[op] {
		n += len(u.in)
	}
	return n > mostListed
}

// opsPage returns the index of the ops, by class.
func (s *site) opsPage() ([]byte, error) {
	t := &text{s: s, root: "../"}
	t.WriteString(pathStart + "<a href=../index.html>Start</a></p><h1>Ops of the IR</h1>\n<p class=lead>What the meanings of all instructions are made of.</p>\n")
	t.WriteString("<details><summary>How to read a type rule</summary>" + markdownText(t, manual.OpsIntro(), "../") + "</details>\n")
	for _, c := range manual.Classes() {
		t.f("<h2>%s</h2>\n<p>%s</p>\n", esc(c.Title), esc(c.About))
		t.head("Op", "Type rule", "Fidelity", "Meaning")
		for op := range ir.Op(ir.Ops()) {
			if info := op.Info(); info.Class == c.Class {
				t.row(fmt.Sprintf("<a href=%s.html>%s</a>", info.Name, info.Name), code(info.Rule), info.Fidelity.String(), esc(info.Doc))
			}
		}
		t.end()
	}
	return t.page("Ops of the IR")
}

// opPages returns the pages of the ops.
func (s *site) opPages() (list []page) {
	for op := range ir.Op(ir.Ops()) {
		list = append(list, page{"ir/" + op.Info().Name + ".html", func() ([]byte, error) { return s.opPage(op) }})
	}
	return list
}

// opPage returns the page of an op: its description, and the instructions that use it.
func (s *site) opPage(op ir.Op) ([]byte, error) {
	t := &text{s: s, root: "../"}
	info := op.Info()
	t.f(pathStart+"<a href=index.html>Ops of the IR</a></p><h1>%s <small>op of the IR</small></h1>\n<p class=lead>%s</p>\n", info.Name, esc(info.Doc))
	t.f("<dl><dt>Type rule<dd>%s<dt>Class<dd>%s<dt>Depends on<dd>%s<dt>Fidelity<dd>%s", code(info.Rule), esc(className(info.Class)), esc(info.Scope.String()), esc(info.Fidelity.String()))
	if info.Flags&ir.HasMode != 0 {
		t.WriteString("<dt>Float mode<dd>it has one")
	}
	t.WriteString("</dl>\n")
	if len(s.ops[op]) == 0 {
		t.f("<p>No instruction shown here is made of it%s.</p>\n", map[bool]string{true: "", false: " by itself"}[len(s.books) > 1])
	}
	for _, u := range s.ops[op] {
		t.f("<h2>In %s</h2>\n", u.b.Name)
		t.usedBy(u.b, "../"+u.b.Name+"/", u.in, "")
	}
	return t.page(info.Name + ", op of the IR")
}

// className returns the name of a class of ops.
func className(c ir.Class) string {
	for _, k := range manual.Classes() {
		if k.Class == c {
			return strings.ToLower(k.Title)
		}
	}
	return ""
}
