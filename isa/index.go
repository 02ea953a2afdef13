package isa

import (
	"slices"
	"sort"
	"sync"
)

// An index finds rows by their names. It is made when a name is first looked up: decoding and printing need none.
type index struct {
	once  sync.Once
	ids   map[string]int32 // in rows
	rows  [][]*Def         // of a name, in the order in which they are tried
	needs [][]needs        // of these, where they are more than fewRows
	words func() []string  // the names, sorted
}

// A knownName is the rows of a name of a set.
type knownName struct {
	rows  []*Def
	needs []needs // of the rows, where they are more than fewRows
}

// A named is a row under one of its names.
type named struct {
	id  int32
	def *Def
}

// Rows are the rows of a mnemonic in the order in which they are tried.
func (s *Set) Rows(name string) []*Def {
	return s.lookUp(name).rows
}

// lookUp is what is known of a name; nothing, if there is no such name.
func (s *Set) lookUp(name string) knownName {
	s.index.once.Do(s.makeIndex)
	x := &s.index
	if id, ok := x.ids[name]; ok {
		return knownName{x.rows[id], x.needs[id]}
	}
	return knownName{}
}

// words are all mnemonics, sorted.
func (s *Set) words() []string {
	s.index.once.Do(s.makeIndex)
	return s.index.words()
}

// eachName calls f with the names under which the row parses; one may come twice.
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
	x.ids = make(map[string]int32, len(s.Defs))
	list, counts := make([]named, 0, 2*len(s.Defs)), make([]int32, 0, len(s.Defs))
	add := func(name string, d *Def) {
		id, ok := x.ids[name]
		if !ok {
			id = int32(len(counts))
			x.ids[name], counts = id, append(counts, 0)
		}
		for i := len(list) - 1; i >= 0 && list[i].def == d; i-- {
			if list[i].id == id { // two of the row's names are the same
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

// fill lists the rows by name, each list in its part of one slice.
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
