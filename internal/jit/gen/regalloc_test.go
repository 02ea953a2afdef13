package gen

import (
	"fmt"
	"slices"
	"testing"

	"github.com/heddle-gpu/heddle/internal/lower"
)

// A distant policy evicts the value with the most distant last use; values last used before now are dead. It records
// what is spilled.
type distant struct {
	f       *regFile
	now     int
	spilled []int
}

func (d *distant) evictCost(r *register) int {
	switch {
	case r.used == d.now:
		return -1
	case r.last < d.now:
		return 0
	}
	return 100 - r.last
}

func (d *distant) spill(i int) bool {
	dirty := d.f.regs[i].dirty
	if dirty {
		d.spilled = append(d.spilled, i)
	}
	return dirty
}

// newFile returns a file of n registers, of which the first cannot be allocated, and what happens to it.
func newFile(n int) (f *regFile, d *distant, events *[]string) {
	d, events = &distant{now: 10}, new([]string)
	f = &regFile{regs: make([]register, n), first: 1, policy: d}
	f.trace = func(f *regFile, e regEvent, i int) {
		*events = append(*events, fmt.Sprint(e, " ", i, " row ", f.regs[i].loc.At))
	}
	d.f = f
	return f, d, events
}

func rowAt(at int32) lower.Place { return lower.Place{Kind: lower.InRow, At: at} }

// TestAlloc checks which register is allocated, and what becomes of the value that it holds.
func TestAlloc(t *testing.T) {
	for _, c := range []struct {
		name    string
		regs    []register // from register 1 on
		pinned  uint32
		want    int
		spilled []int
		events  []string
	}{
		{"free", []register{{loc: rowAt(1), last: 20}, {}, {}}, 0, 2, nil, nil},
		{"dead", []register{{loc: rowAt(1), last: 20}, {loc: rowAt(2), last: 9, dirty: true}, {}}, 0, 2, nil, []string{"evict 2 row 2"}},
		{"most distant", []register{{loc: rowAt(1), last: 20}, {loc: rowAt(2), last: 40}, {loc: rowAt(3), last: 30}}, 0, 2, nil, []string{"evict 2 row 2"}},
		{"first of equals", []register{{loc: rowAt(1), last: 20}, {loc: rowAt(2), last: 20}}, 0, 1, nil, []string{"evict 1 row 1"}},
		{"dirty", []register{{loc: rowAt(1), last: 20, dirty: true}}, 0, 1, []int{1}, []string{"spill 1 row 1"}},
		{"pinned", []register{{loc: rowAt(1), last: 20}, {loc: rowAt(2), last: 40}, {}}, 1<<2 | 1<<3, 1, nil, []string{"evict 1 row 1"}},
		{"in use", []register{{loc: rowAt(1), last: 90, used: 10}, {loc: rowAt(2), last: 20, dirty: true}}, 0, 2, []int{2}, []string{"spill 2 row 2"}},
	} {
		f, d, events := newFile(1 + len(c.regs))
		copy(f.regs[1:], c.regs)
		got := f.alloc(c.pinned)
		if got != c.want || f.regs[got] != (register{}) || !slices.Equal(d.spilled, c.spilled) || !slices.Equal(*events, c.events) {
			t.Errorf("%s: register %d, %+v; spilled %v, events %v; want %d, free; %v, %v", c.name, got, f.regs[got], d.spilled, *events, c.want, c.spilled, c.events)
		}
	}
}

// TestAssign checks that a value is found in the register that holds it, until it is dropped, replaced or the file is
// reset.
func TestAssign(t *testing.T) {
	f, _, events := newFile(4)
	f.assign(2, register{loc: rowAt(7), last: 12})
	f.assign(3, register{loc: rowAt(-1), last: 12})
	if f.find(rowAt(7)) != 2 || f.find(rowAt(-1)) != 3 || f.find(rowAt(1)) != -1 || f.find(lower.Place{Kind: lower.InVec, At: 7}) != -1 {
		t.Errorf("%+v", f.regs)
	}
	f.assign(2, register{loc: rowAt(8)}) // a result in the register of a dead operand
	f.drop(rowAt(-1))
	f.drop(rowAt(5)) // in no register
	if f.find(rowAt(7)) != -1 || f.find(rowAt(8)) != 2 || f.find(rowAt(-1)) != -1 {
		t.Errorf("%+v", f.regs)
	}
	if want := []string{"assign 2 row 7", "assign 3 row -1", "assign 2 row 8"}; !slices.Equal(*events, want) {
		t.Errorf("events %v, want %v", *events, want)
	}
	if f.reset(); f.find(rowAt(8)) != -1 {
		t.Error("a register holds a value after a reset")
	}
}
