// Package reference parses the pages of docs/reference: their sections, and the citations of them in rows, options and
// comments. Source strings and comments cite a page by its path followed by sections,
//
//	docs/reference/gcn.md 7.6
//	docs/reference/gcn.md 1, 4 and 8.1
//	docs/reference/attila.md 12 no. 4      an entry of a numbered list
//
// Its tests follow every citation of the tree. Built is the list of sections for a binary, which has no pages.
package reference

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"unicode"
)

// Dir is the folder of the pages, relative to the root of the repository.
const Dir = "docs/reference"

// site is the address of the repository for readers who have only the command.
const site = "https://github.com/heddle-gpu/heddle/blob/main/"

// A Section is a numbered heading of a page.
type Section struct {
	Page   string // name of the file without .md
	Number string // "7.6"
	Title  string
	Anchor string // as GitHub makes it from the heading
}

// Path returns the path of the section, as a link relative to the root of the repository.
func (s Section) Path() string { return Dir + "/" + s.Page + ".md#" + s.Anchor }

// URL returns the address of the section.
func (s Section) URL() string { return site + s.Path() }

// An Index finds sections by page and number, "gcn 7.6".
type Index map[string]Section

// NewIndex returns the index of sections.
func NewIndex(list []Section) Index {
	ix := Index{}
	for _, s := range list {
		ix[s.Page+" "+s.Number] = s
	}
	return ix
}

// Find returns the section of a place.
func (ix Index) Find(p Place) (Section, bool) {
	s, ok := ix[p.Page+" "+p.Section]
	return s, ok
}

// Built returns the index of the pages at the time when the binary was built. All callers share it.
func Built() Index { return built() }

var built = sync.OnceValue(func() Index { return NewIndex(sections) })

// A Page is a parsed page.
type Page struct {
	Name     string
	Sections []Section       // in order
	entries  map[string]bool // "12 no. 4": section 12 has an entry 4 in a numbered list
}

var (
	heading = pattern{text: `^(#+) (?:(\d+(?:\.\d+)*)\.? )?(.+)$`}
	entry   = pattern{text: `^(\d+)\. `}
)

// Parse reads a page. Below the title every heading has a number: 7, 7.1 and 7.1.1, and follows the heading with the
// number before its last dot.
func Parse(name, text string) (*Page, error) {
	p := &Page{Name: name, entries: map[string]bool{}}
	seen, slugs, at, code := map[string]bool{"": true}, Slugs{}, "", false
	for i, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(line, "```") {
			code = !code
		}
		if code {
			continue
		}
		if m := entry.get().FindStringSubmatch(line); m != nil {
			p.entries[at+" no. "+m[1]] = true
		}
		m := heading.get().FindStringSubmatch(line)
		if m == nil {
			continue
		}
		anchor := slugs.Next(strings.TrimLeft(line, "# "))
		if len(m[1]) == 1 {
			continue // the title
		}
		at = m[2]
		if at == "" || seen[at] || !seen[parent(at)] || len(m[1]) != strings.Count(at, ".")+2 {
			return nil, fmt.Errorf("%s.md:%d: heading %q: number missing, taken, or in the wrong place", name, i+1, line)
		}
		seen[at] = true
		p.Sections = append(p.Sections, Section{Page: name, Number: at, Title: m[3], Anchor: anchor})
	}
	return p, nil
}

// parent returns the part of a number before its last dot, "" if it has none.
func parent(number string) string { return number[:max(strings.LastIndexByte(number, '.'), 0)] }

// Has reports whether the page has the place: a section, or an entry of a numbered list directly in it.
func (p *Page) Has(at Place) bool {
	if at.Section == "" {
		return true
	}
	for _, s := range p.Sections {
		if s.Number == at.Section {
			return at.Entry == 0 || p.entries[at.Section+" no. "+strconv.Itoa(at.Entry)]
		}
	}
	return false
}

// Slugs makes the anchors of a document's headings as GitHub does: letters, digits, hyphens and underscores in lower
// case, blanks as hyphens, and a number after repeated ones.
type Slugs map[string]int

// Next returns the anchor of the next heading.
func (s Slugs) Next(heading string) string {
	slug := strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return -1
	}, strings.TrimSpace(heading))
	n := s[slug]
	s[slug]++
	if n > 0 {
		slug += "-" + strconv.Itoa(n)
	}
	return slug
}
