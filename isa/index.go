package isa

import (
	"slices"
	"sort"
	"strings"
	"sync"
)

// An index finds rows by their names. It is made when the first name is looked up: decoding and printing need none.
type index struct {
	once  sync.Once
	ids   map[string]int32 // in rows
	rows  [][]*Def         // by name, in the order in which they are tried
	needs [][]needs        // of these rows, if there are more than fewRows
	words func() []string  // the names, sorted
	// longest holds the maximal length of names that continue after a byte that may end one, by the part of the name
	// before the first such byte.
	longest map[string]int
}

// A knownName is the rows of a name of a set.
type knownName struct {
	rows  []*Def
	needs []needs // of the rows, if there are more than fewRows
}

// A named is a row under one of its names.
type named struct {
	id  int32
	def *Def
}

// Rows returns the rows of a mnemonic in the order in which they are tried.
func (s *Set) Rows(name string) []*Def {
	return s.lookUp(name).rows
}

// lookUp returns what is known of a name, the zero value if there is no such name.
func (s *Set) lookUp(name string) knownName {
	s.index.once.Do(s.makeIndex)
	x := &s.index
	if id, ok := x.ids[name]; ok {
		return knownName{x.rows[id], x.needs[id]}
	}
	return knownName{}
}

// stem returns the length of a word before the first byte that may end a name.
func (s *Set) stem(w string) int {
	n := 0
	if len(s.ends) == 1 {
		n = strings.IndexByte(w, s.ends[0])
	} else {
		n = strings.IndexAny(w, s.ends)
	}
	if n < 0 {
		return len(w)
	}
	return n
}

// longestIn returns the maximal length of a name at the start of a word that ends where one may end; 0: none.
func (s *Set) longestIn(w string) int {
	s.index.once.Do(s.makeIndex)
	n := s.stem(w)
	most := max(n, s.index.longest[w[:n]])
	if most >= len(w) {
		return len(w)
	}
	if most == n {
		return n
	}
	return strings.LastIndexAny(w[:most+1], s.ends)
}

// words returns all mnemonics, sorted.
func (s *Set) words() []string {
	s.index.once.Do(s.makeIndex)
	return s.index.words()
}

// eachName calls f with the names that the row accepts; a name may come twice.
func (d *Def) eachName(f func(name string)) {
	f(d.Name)
	for _, list := range [...][]string{d.Also, d.Spell} {
		for _, name := range list {
			if name != "" {
				f(name)
			}
		}
	}
}

func (s *Set) makeIndex() {
	x := &s.index
	x.ids, x.longest = make(map[string]int32, len(s.Defs)), map[string]int{}
	list, counts := make([]named, 0, 2*len(s.Defs)), make([]int32, 0, len(s.Defs))
	add := func(name string, d *Def) {
		id, ok := x.ids[name]
		if !ok {
			id = int32(len(counts))
			x.ids[name], counts = id, append(counts, 0)
			if n := s.stem(name); n < len(name) {
				x.longest[name[:n]] = max(x.longest[name[:n]], len(name))
			}
		}
		for i := len(list) - 1; i >= 0 && list[i].def == d; i-- {
			if list[i].id == id { // two names of the row are the same
				return
			}
		}
		list, counts[id] = append(list, named{id, d}), counts[id]+1
	}
	for i := range s.Defs {
		d := &s.Defs[i]
		d.eachName(func(name string) { add(name, d) })
	}
	x.fill(list, counts)
	x.words = sync.OnceValue(func() []string {
		words := make([]string, 0, len(x.ids))
		for name := range x.ids {
			words = append(words, name)
		}
		sort.Strings(words)
		return words
	})
}

// fill lists the rows by name; each list is a part of one slice.
func (x *index) fill(list []named, counts []int32) {
	room := make([]*Def, len(list))
	x.rows = make([][]*Def, len(counts))
	for id, n := range counts {
		x.rows[id], room = room[:0:n], room[n:]
	}
	for _, l := range list {
		x.rows[l.id] = append(x.rows[l.id], l.def)
	}
	x.needs = make([][]needs, len(counts))
	for id, rows := range x.rows {
		slices.SortStableFunc(rows, func(a, b *Def) int { return a.Rank - b.Rank })
		if len(rows) > fewRows {
			x.needs[id] = make([]needs, len(rows))
			for i, d := range rows {
				x.needs[id][i] = needsOf(d)
			}
		}
	}
}
