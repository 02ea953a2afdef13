package site

import (
	"bytes"
	"fmt"
	"path"
	"regexp"
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer/html"
	gtext "github.com/yuin/goldmark/text"

	docs "github.com/heddle-gpu/heddle/docs/reference"
	"github.com/heddle-gpu/heddle/internal/reference"
)

// markdown converts Markdown as it is used in the repository to HTML.
var markdown = sync.OnceValue(func() goldmark.Markdown {
	return goldmark.New(goldmark.WithExtensions(extension.Table), goldmark.WithRendererOptions(html.WithUnsafe()))
})

// markdownText converts Markdown to HTML; links are those of a page of docs/reference, and root leads from this page to
// the root of the site.
func markdownText(t *text, source, root string) string {
	var b bytes.Buffer
	src := []byte(source)
	doc := markdown().Parser().Parse(gtext.NewReader(src), parser.WithContext(parser.NewContext()))
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if l, ok := n.(*ast.Link); ok && entering {
			l.Destination = []byte(t.s.link(string(l.Destination), root))
		}
		return ast.WalkContinue, nil
	})
	if err := markdown().Renderer().Render(&b, src, doc); err != nil {
		return "<p>" + esc(source) + "</p>" // a writer to memory does not fail
	}
	return b.String()
}

// repository is the address of files that are not part of the site.
const repository = "https://github.com/heddle-gpu/heddle/blob/main/"

// link converts a link of a page of docs/reference to one of a page of the site.
func (s *site) link(to, root string) string {
	if strings.Contains(to, "://") || strings.HasPrefix(to, "#") {
		return to
	}
	file, anchor, _ := strings.Cut(to, "#")
	if anchor != "" {
		anchor = "#" + anchor
	}
	full := path.Join(reference.Dir, file)
	if name, ok := strings.CutPrefix(full, reference.Dir+"/"); ok && s.book(strings.TrimSuffix(name, ".md")) != nil {
		return root + strings.TrimSuffix(name, ".md") + "/reference.html" + anchor
	}
	if full == "docs/ir.md" {
		return root + "ir/index.html"
	}
	return repository + full + anchor
}

// book returns the book of a set by name; nil if it is not written.
func (s *site) book(name string) *book {
	for _, b := range s.books {
		if b.Name == name {
			return b
		}
	}
	return nil
}

// A chapter is a section of a reference page: its heading, and the text up to the next heading.
type chapter struct {
	level                       int
	number, title, anchor, body string
}

// headingLine matches a Markdown heading. It is compiled at its first use.
var headingLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(#+) (?:(\d+(?:\.\d+)*)\.? )?(.+)$`) })

// chapters returns the chapters of the reference page of a set.
func chapters(name string) ([]chapter, error) {
	source, err := docs.Pages.ReadFile(name + ".md")
	if err != nil {
		return nil, fmt.Errorf("%s has no page of reference: %w", name, err)
	}
	var list []chapter
	code, slugs := false, reference.Slugs{}
	for line := range strings.Lines(string(source)) {
		if strings.HasPrefix(line, "```") {
			code = !code
		}
		m := headingLine().FindStringSubmatch(strings.TrimRight(line, "\n"))
		if m == nil || code {
			if len(list) > 0 {
				list[len(list)-1].body += line
			}
			continue
		}
		list = append(list, chapter{level: len(m[1]), number: m[2], title: m[3], anchor: slugs.Next(strings.TrimLeft(strings.TrimRight(line, "\n"), "# "))})
	}
	return list, nil
}

// referencePage returns the page of docs/reference about a set, with the instructions that cite each section.
func (s *site) referencePage(b *book) ([]byte, error) {
	t := &text{s: s, root: "../"}
	t.tabs(b, "reference.html")
	list, err := chapters(b.Name)
	if err != nil {
		return nil, err
	}
	for i, c := range list {
		t.chapter(&c, "")
		if i == 0 {
			t.contents(list)
		}
		if n := b.cited.by[c.number]; n != nil && c.number != "" {
			t.usedBy(b, "", n.in, "")
		}
	}
	return t.page("Reference of " + b.Name)
}

// chapter writes a section at the level of its heading.
func (t *text) chapter(c *chapter, prefix string) {
	number := c.number
	if number != "" {
		number += " "
	}
	place := ""
	if prefix == "" && number != "" { // as links of pages name it, of which there are thousands
		place = "<a id=" + c.number + "></a>"
	}
	t.f("<h%d id=\"%s\">%s%s</h%d>\n", c.level, esc(prefix+c.anchor), place, esc(number+c.title), c.level)
	t.WriteString(markdownText(t, c.body, t.root))
}

// contents writes the table of contents of a page.
func (t *text) contents(list []chapter) {
	t.WriteString("<details class=toc><summary>Sections</summary><ul>")
	for _, c := range list[1:] {
		if c.level <= 3 {
			t.f("<li class=l%d><a href=#%s>%s %s</a>\n", c.level, esc(c.anchor), esc(c.number), esc(c.title))
		}
	}
	t.WriteString("</ul></details>\n")
}

// errorTitles are parts of the titles of sections about errors of documents.
var errorTitles = [...]string{"Errors of", "disagree", "departs from", "Oddities of", "What executions confirm"}

// isErrors reports whether a section is about errors of documents.
func (c *chapter) isErrors() bool {
	for _, w := range errorTitles {
		if strings.Contains(c.title, w) {
			return true
		}
	}
	return false
}

// errorsPage returns the page with the errors of the reference documents of all sets, and the choices made where they
// contradict each other.
func (s *site) errorsPage() ([]byte, error) {
	t := &text{s: s}
	t.WriteString("<p class=path><a href=index.html>Start</a></p><h1>Errors of the reference documents</h1>\n<p class=lead>What the documents say wrongly, or leave out, and who or what shows it. " +
		"The sections are those of each set’s reference, which says what its marks mean.</p>\n")
	for _, b := range s.books {
		list, err := chapters(b.Name)
		if err != nil {
			return nil, err
		}
		t.f("<h2 id=%s>%s</h2>\n", b.Name, b.Name)
		for i := range list {
			if c := list[i]; c.isErrors() {
				t.f("<h3 id=\"%s-%s\"><a href=%s/reference.html#%s>%s</a></h3>\n", b.Name, c.anchor, b.Name, c.anchor, esc(c.number+" "+c.title))
				t.WriteString(markdownText(t, c.body, ""))
			}
		}
		t.notes(b)
	}
	return t.page("Errors of the reference documents")
}

// notes writes the notes of rows about contradictions, with their instructions.
func (t *text) notes(b *book) {
	var texts []string
	by := map[string][]*instruction{}
	for _, in := range b.list {
		for _, r := range in.rows {
			note := r.def.Note
			if note == "" {
				continue
			}
			texts = with(texts, note)
			if list := by[note]; len(list) == 0 || list[len(list)-1] != in {
				by[note] = append(list, in)
			}
		}
	}
	if len(texts) == 0 {
		return
	}
	t.WriteString("<h3>Instructions of which sources say different things</h3>\n<ul>")
	for _, note := range texts {
		t.f("<li>%s: %s\n", links(b.Name+"/", by[note]), esc(note))
	}
	t.WriteString("</ul>\n")
}
