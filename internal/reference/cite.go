package reference

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// A Place is the target of a citation, and its position in the text.
type Place struct {
	Page    string
	Section string // "" for the whole page
	Entry   int    // in a numbered list of the section; 0 for none
	Lo, Hi  int    // byte range in the text; the first place of a page includes its path
}

var (
	citedPage = pattern{text: `docs/reference/([a-z0-9]+)\.md`}
	// The places after a page, one at a time: a number, optionally an entry, optionally a remark in brackets.
	firstPlace = pattern{text: `^(?: sections?)? (\d+(?:\.\d+)*)(?: no\. (\d+))?`}
	nextPlace  = pattern{text: `^(?: \([^)]*\))?(?:,? and|,) (\d+(?:\.\d+)*)(?: no\. (\d+))?`}
)

// A pattern is a regular expression that is compiled when it is first used.
type pattern struct {
	text string
	once sync.Once
	made *regexp.Regexp
}

func (p *pattern) get() *regexp.Regexp {
	p.once.Do(func() { p.made = regexp.MustCompile(p.text) })
	return p.made
}

// Cited returns the places that a text cites. A page without a section number is cited as a whole.
func Cited(text string) (ps []Place) {
	for _, m := range citedPage.get().FindAllStringSubmatchIndex(text, -1) {
		page, at := text[m[2]:m[3]], m[1]
		n := firstPlace.get().FindStringSubmatchIndex(text[at:])
		if n == nil {
			ps = append(ps, Place{Page: page, Lo: m[0], Hi: at})
			continue
		}
		for lo := m[0]; n != nil; n = nextPlace.get().FindStringSubmatchIndex(text[at:]) {
			p := Place{Page: page, Section: text[at+n[2] : at+n[3]], Lo: lo}
			if lo < 0 {
				p.Lo = at + n[2]
			}
			if n[4] >= 0 {
				p.Entry, _ = strconv.Atoi(text[at+n[4] : at+n[5]])
			}
			at += n[1]
			p.Hi, lo = at, -1
			ps = append(ps, p)
		}
	}
	return ps
}

// Markdown returns the text with a link at each place that it cites, for documents in the folder docs/.
func (ix Index) Markdown(text string) string {
	var b strings.Builder
	at := 0
	for _, p := range Cited(text) {
		s, ok := ix.Find(p)
		if !ok {
			continue
		}
		b.WriteString(text[at:p.Lo] + "[" + text[p.Lo:p.Hi] + "](reference/" + p.Page + ".md#" + s.Anchor + ")")
		at = p.Hi
	}
	return b.String() + text[at:]
}

// Lookup returns the distinct sections that a text cites.
func (ix Index) Lookup(text string) (list []Section) {
	seen := map[string]bool{}
	for _, p := range Cited(text) {
		if s, ok := ix.Find(p); ok && !seen[s.Number+" "+s.Page] {
			seen[s.Number+" "+s.Page] = true
			list = append(list, s)
		}
	}
	return list
}
