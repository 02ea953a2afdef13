package site

import (
	"encoding/json"
	"html"
	"regexp"
	"strings"
	"sync"

	"github.com/heddle-gpu/heddle/ir"
)

// A searched is an entry of the index: its name, where it is, what it is, and its words.
type searched struct{ Name, URL, What, Text string }

// MarshalJSON makes it a list, since there are thousands. A URL that is WHAT/NAME.html is "", and words that there are none of are left out.
func (e searched) MarshalJSON() ([]byte, error) {
	if e.URL == e.What+"/"+e.Name+".html" {
		e.URL = ""
	}
	list := []string{e.Name, e.What, e.URL, e.Text}
	if e.Text == "" {
		list = list[:3]
	}
	return json.Marshal(list)
}

// searchIndex is the script that holds what can be searched: a call with a list, since pages opened from a disk cannot fetch.
func (s *site) searchIndex() ([]byte, error) {
	var list []searched
	for _, b := range s.books {
		list = append(list, b.searched()...)
		sections, err := chapters(b.Name)
		if err != nil {
			return nil, err
		}
		for _, c := range sections {
			list = append(list, searched{strings.TrimSpace(c.number + " " + c.title), b.Name + "/reference.html#" + c.anchor, "reference of " + b.Name, words(c.body)})
		}
	}
	for op := range ir.Op(ir.Ops()) {
		list = append(list, searched{op.Info().Name, "ir/" + op.Info().Name + ".html", "op of the IR", op.Info().Doc})
	}
	data, err := json.Marshal(list)
	if err != nil {
		return nil, err
	}
	return append(append([]byte("heddleIndex("), data...), ")\n"...), nil
}

// searched are the entries of a set.
func (b *book) searched() (list []searched) {
	for _, in := range b.list {
		var extra []string
		for _, r := range in.rows {
			for _, s := range []string{r.def.Doc, r.def.Note, r.def.Entry, r.def.Enc.Name} {
				if s != "" {
					extra = with(extra, s)
				}
			}
		}
		extra = append(extra, in.also...)
		list = append(list, searched{in.name, b.Name + "/" + in.file, b.Name, strings.Join(extra, " · ")})
	}
	for _, n := range b.encs.list {
		list = append(list, searched{n.name, b.Name + "/enc/" + n.file + ".html", "encoding of " + b.Name, ""})
	}
	for _, n := range b.kinds.list {
		list = append(list, searched{n.name, b.Name + "/kind/" + n.file + ".html", "operand kind of " + b.Name, ""})
	}
	for i := range b.Options {
		list = append(list, searched{b.Options[i].Name, b.Name + "/options.html#" + b.Options[i].Name, "option of " + b.Name, b.Options[i].Doc})
	}
	for i := range b.Rules {
		list = append(list, searched{b.Rules[i].ID, b.Name + "/rules.html#" + b.Rules[i].ID, "rule of " + b.Name, b.Rules[i].Doc})
	}
	return list
}

var markup = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("[`*|#]+|-{3,}|\\]\\([^)]*\\)|\\s+") })

// words is Markdown as words to be searched, without marks: each once, in the order in which they come.
func words(source string) string {
	var list []string
	seen := map[string]bool{}
	for _, w := range strings.Fields(html.UnescapeString(markup().ReplaceAllString(source, " "))) {
		w = strings.Trim(w, ".,;:()")
		if key := strings.ToLower(w); w != "" && !seen[key] {
			seen[key] = true
			list = append(list, w)
		}
	}
	return strings.Join(list, " ")
}
