package gcn

import (
	"runtime"
	"slices"
	"testing"

	"github.com/heddle-gpu/heddle/isa"
)

// made makes the set, the target of its default generation, and the index of names.
func made(tb testing.TB) *isa.Set {
	s, err := compile(gens[:], families())
	if err != nil {
		tb.Fatal(err)
	}
	s.At(gfx8, 0)
	s.Rows("s_nop")
	return s
}

// TestStartIsCheap: every command that names the set makes it first. What that allocates is bounded, so that it stays a few
// milliseconds and without setting the collector off.
func TestStartIsCheap(t *testing.T) {
	const most, mostBytes = 40000, 24 << 20
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	made(t)
	runtime.ReadMemStats(&after)
	if n, size := after.Mallocs-before.Mallocs, after.TotalAlloc-before.TotalAlloc; n > most || size > mostBytes {
		t.Errorf("making the set takes %d allocations of %d bytes, at most %d of %d are wanted", n, size, most, mostBytes)
	}
}

// TestShapes: rows that share the lists of their operands are compiled as rows are whose lists are their own.
func TestShapes(t *testing.T) {
	shared := made(t)
	a := arch
	a.Defs = slices.Clone(shared.Defs)
	for i := range a.Defs {
		d := &a.Defs[i]
		d.Args, d.Fix, d.Idle = slices.Clone(d.Args), slices.Clone(d.Fix), slices.Clone(d.Idle)
	}
	apart, err := isa.Compile(&a)
	if err != nil {
		t.Fatal(err)
	}
	lists := map[*isa.Arg]bool{}
	for i := range shared.Defs {
		d, e := &shared.Defs[i], &apart.Defs[i]
		if d.Mask() != e.Mask() || d.Value() != e.Value() || d.Claimed() != e.Claimed() || d.Operands() != e.Operands() {
			t.Errorf("%s (%s): %x %x %x, and on its own %x %x %x", d.Name, d.Enc.Name, d.Mask(), d.Value(), d.Claimed(), e.Mask(), e.Value(), e.Claimed())
		}
		if len(d.Args) > 0 {
			lists[&d.Args[0]] = true
		}
		for j := range d.Args {
			if x, y := &d.Args[j], &e.Args[j]; x == y || x.Name != y.Name || x.Kind != y.Kind || !slices.Equal(x.At, y.At) || x.Role != y.Role || x.Width != y.Width {
				t.Errorf("%s (%s): operand %s is another one on its own", d.Name, d.Enc.Name, x.Name)
			}
		}
	}
	if 3*len(lists) > len(shared.Defs) {
		t.Errorf("%d rows have %d lists of operands: they share too few", len(shared.Defs), len(lists))
	}
}

// BenchmarkStart makes the set; one op is what a command pays for it.
func BenchmarkStart(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		made(b)
	}
}
