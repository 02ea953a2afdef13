package gen

import (
	"sync"

	"github.com/heddle-gpu/heddle/internal/lower"
)

// The tables are reused: a compiler clears and refills them as it needs them.
type tables struct {
	made   table[int]   // see makers; while a block is partitioned, rows that the loop of the segment makes
	stale  table[bool]  // see inactiveSkip; while blocks are partitioned, rows that the segment reads in other lanes
	defs   table[def]   // see readers
	reads  table[int]   // of each word and mask: the number of readers
	words  table[phase] // of the segment: the phase in which a word is made
	stored table[bool]  // of the block: masks that steps after a loop read
	inputs table[bool]  // of the segment: rows that its loop reads before it writes them
	fast   *tables      // of the fast plan
}

var spare = sync.Pool{New: func() any { return new(tables) }}

// A table maps places to values. Places are few and dense, so a lookup is an index: with maps, lookups took a third of
// the compile time.
type table[T any] struct {
	age  uint32
	list [8][]entry[T] // by kind
}

type entry[T any] struct {
	age   uint32 // the table's age when the value was put in; an entry of another age is absent
	value T
}

// clear removes all values.
func (t *table[T]) clear() {
	if t.age++; t.age == 0 {
		*t = table[T]{age: 1}
	}
}

// slotOf is the index of a place among those of its kind.
func slotOf(p lower.Place) int {
	if p.At < 0 {
		return 2*int(^p.At) + 1
	}
	return 2 * int(p.At)
}

// get returns the value of a place; false if there is none.
func (t *table[T]) get(p lower.Place) (v T, ok bool) {
	list := t.list[p.Kind&7]
	if i := slotOf(p); i < len(list) && list[i].age == t.age {
		return list[i].value, true
	}
	return v, false
}

// put sets the value of a place.
func (t *table[T]) put(p lower.Place, v T) {
	list, i := &t.list[p.Kind&7], slotOf(p)
	if i >= len(*list) {
		*list = append(*list, make([]entry[T], max(i+1-len(*list), len(*list), 64))...)
	}
	(*list)[i] = entry[T]{t.age, v}
}

// drop removes the value of a place.
func (t *table[T]) drop(p lower.Place) {
	if list, i := t.list[p.Kind&7], slotOf(p); i < len(list) {
		list[i].age = t.age - 1
	}
}
