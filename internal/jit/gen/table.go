package gen

import (
	"sync"

	"github.com/heddle-gpu/heddle/internal/portable"
)

// The tables are those that a compiler fills anew as it needs them.
type tables struct {
	made   table[int]   // see makers; while blocks are cut, rows that the loop of the piece makes
	stale  table[bool]  // see pauser; while blocks are cut, rows that steps of the piece look at as a whole
	defs   table[def]   // see readers
	reads  table[int]   // of each word and mask, by how many
	words  table[phase] // of the piece: when a word is made
	stored table[bool]  // of the block: masks that steps behind a loop read
	inputs table[bool]  // rows that a round reads as it finds them
}

var spare = sync.Pool{New: func() any { return new(tables) }}

// A table is values by place. Places are few and close together, so looking one up is an index: maps took a third of the time of compiling.
type table[T any] struct {
	age  uint32
	list [8][]entry[T] // by kind
}

type entry[T any] struct {
	age   uint32 // of the table when the value was put in; another one: there is none
	value T
}

// clear takes all values out.
func (t *table[T]) clear() {
	if t.age++; t.age == 0 {
		*t = table[T]{age: 1}
	}
}

// slotOf is where among those of its kind a place is.
func slotOf(p portable.Place) int {
	if p.At < 0 {
		return 2*int(^p.At) + 1
	}
	return 2 * int(p.At)
}

// get is the value of a place; false if there is none.
func (t *table[T]) get(p portable.Place) (v T, ok bool) {
	list := t.list[p.Kind&7]
	if i := slotOf(p); i < len(list) && list[i].age == t.age {
		return list[i].value, true
	}
	return v, false
}

// put makes a value that of a place.
func (t *table[T]) put(p portable.Place, v T) {
	list, i := &t.list[p.Kind&7], slotOf(p)
	if i >= len(*list) {
		*list = append(*list, make([]entry[T], max(i+1-len(*list), len(*list), 64))...)
	}
	(*list)[i] = entry[T]{t.age, v}
}

// drop takes out the value of a place.
func (t *table[T]) drop(p portable.Place) {
	if list, i := t.list[p.Kind&7], slotOf(p); i < len(list) {
		list[i].age = t.age - 1
	}
}
