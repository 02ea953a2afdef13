package site

import (
	"fmt"
	"html"
	"strings"

	"github.com/heddle-gpu/heddle/internal/reference"
)

// A text is the inner HTML of a page, with the location of the page.
type text struct {
	strings.Builder
	s    *site
	root string // from the page to the root of the site
	here string // folder of the page as in links, which omit it for pages in the same folder
	// linked are the link targets of an instruction's page so far, where one link is enough.
	linked map[string]bool
}

func (t *text) f(format string, args ...any) { fmt.Fprintf(&t.Builder, format, args...) }

// esc escapes text for an element or quotes.
func esc(s string) string { return html.EscapeString(s) }

// page returns the text in its frame.
func (t *text) page(title string) ([]byte, error) {
	return Frame(t.root, title, []byte(t.String())), nil
}

// code marks the text up as code.
func code(s string) string { return "<code>" + esc(s) + "</code>" }

// cite returns a source, with links to the sections that it names.
func (t *text) cite(source string) string {
	var b strings.Builder
	at := 0
	for _, p := range reference.Cited(source) {
		sec, ok := t.s.refs.Find(p)
		if !ok {
			continue
		}
		words := sec.Number
		if p.Entry != 0 {
			words += fmt.Sprintf(" no. %d", p.Entry)
		}
		before := source[at:p.Lo]
		b.WriteString(esc(before))
		to := t.root + p.Page + "/"
		if to == t.here {
			to = ""
		}
		fmt.Fprintf(&b, "<a href=%sreference.html#%s>%s %s</a>", to, sec.Number, esc(words), esc(sec.Title))
		at = p.Hi
	}
	return b.String() + esc(source[at:])
}

// row writes a row of a table.
func (t *text) row(cells ...string) {
	t.WriteString("<tr>")
	for _, c := range cells {
		t.WriteString("<td>" + c)
	}
	t.WriteString("\n")
}

// head starts a table.
func (t *text) head(cells ...string) { t.heads("", cells...) }

// heads starts a table with a class.
func (t *text) heads(class string, cells ...string) {
	t.f("<table%s><thead><tr>", classOf(class))
	for _, c := range cells {
		t.WriteString("<th>" + c)
	}
	t.WriteString("<tbody>\n")
}

// end ends a table.
func (t *text) end() { t.WriteString("</table>\n") }

// links returns a list of links to instructions of a book; folder is "" if the page is in the book's folder.
func links(folder string, list []*instruction) string {
	var b strings.Builder
	for i, in := range list {
		if i > 0 {
			b.WriteByte(' ')
		}
		fmt.Fprintf(&b, "<a href=%s%s>%s</a>", folder, in.file, esc(in.name))
	}
	return b.String()
}
