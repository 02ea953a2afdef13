package site

import (
	"encoding/json"
	"html"
	"regexp"
	"strings"
	"sync"

	"github.com/heddle-gpu/heddle/ir"
)

// A shelf is index entries of one kind, with the common prefix and suffix of the addresses of their pages.
type shelf struct {
	What, Before, After string
	Entries             []searched
}

// A searched is an entry of the index: its name, its words, and the variable part of the address of its page, "" if
// that is as slugs makes it.
type searched struct{ Name, Text, At string }

// MarshalJSON encodes the entry as a list without trailing empty strings, or as the name alone, because there are
// thousands.
func (e searched) MarshalJSON() ([]byte, error) {
	if e.At == (slugs{}).next(e.Name) {
		e.At = ""
	}
	switch {
	case e.At != "":
		return json.Marshal([]string{e.Name, e.Text, e.At})
	case e.Text != "":
		return json.Marshal([]string{e.Name, e.Text})
	}
	return json.Marshal(e.Name)
}

// MarshalJSON encodes the shelf as a list.
func (f *shelf) MarshalJSON() ([]byte, error) {
	return json.Marshal([]any{f.What, f.Before, f.After, f.Entries})
}

// searchIndex returns the script with the search index: a call with a list, because pages opened from a disk cannot
// fetch.
func (s *site) searchIndex() ([]byte, error) {
	var list []*shelf
	for _, b := range s.books {
		list = append(list, b.searched()...)
		sections, err := chapters(b.Name)
		if err != nil {
			return nil, err
		}
		f := &shelf{What: "reference of " + b.Name, Before: b.Name + "/reference.html#"}
		for _, c := range sections {
			f.add(strings.TrimSpace(c.number+" "+c.title), words(c.body), c.anchor)
		}
		list = append(list, f)
	}
	ops := &shelf{What: "op of the IR", Before: "ir/", After: ".html"}
	for op := range ir.Op(ir.Ops()) {
		ops.add(op.Info().Name, op.Info().Doc, op.Info().Name)
	}
	list = append(list, ops)
	data, err := json.Marshal(list)
	if err != nil {
		return nil, err
	}
	return append(append([]byte("heddleIndex("), data...), ")\n"...), nil
}

func (f *shelf) add(name, text, at string) {
	f.Entries = append(f.Entries, searched{name, text, at})
}

// searched returns the entries of a set.
func (b *book) searched() []*shelf {
	ins := &shelf{What: b.Name, Before: b.Name + "/", After: ".html"}
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
		ins.add(in.name, strings.Join(extra, " · "), strings.TrimSuffix(in.file, ".html"))
	}
	encs := &shelf{What: "encoding of " + b.Name, Before: b.Name + "/enc/", After: ".html"}
	for _, n := range b.encs.list {
		encs.add(n.name, "", n.file)
	}
	kinds := &shelf{What: "operand kind of " + b.Name, Before: b.Name + "/kind/", After: ".html"}
	words := &shelf{What: kinds.What, Before: b.Name + "/kinds.html#"}
	for _, n := range b.kinds.list {
		if n.word {
			words.add(n.name, "", n.file)
		} else {
			kinds.add(n.name, "", n.file)
		}
	}
	options := &shelf{What: "option of " + b.Name, Before: b.Name + "/options.html#"}
	for i := range b.Options {
		options.add(b.Options[i].Name, b.Options[i].Doc, b.Options[i].Name)
	}
	rules := &shelf{What: "rule of " + b.Name, Before: b.Name + "/rules.html#"}
	for i := range b.Rules {
		rules.add(b.Rules[i].ID, b.Rules[i].Doc, b.Rules[i].ID)
	}
	return []*shelf{ins, encs, kinds, words, options, rules}
}

var markup = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("[`*|#]+|-{3,}|\\]\\([^)]*\\)|\\s+") })

// words returns the distinct words of a Markdown text for searching, without markup, in order of their first
// occurrence.
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
