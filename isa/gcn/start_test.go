package gcn

import (
	"fmt"
	"runtime"
	"slices"
	"testing"

	"github.com/heddle-gpu/heddle/isa"
)

// makeSet makes the set with the rows of a generation, its target, and the index of names.
func makeSet(tb testing.TB, gen int) *isa.Set {
	s, err := compile(gens[:], families(), 1<<gen)
	if err != nil {
		tb.Fatal(err)
	}
	s.At(gen, 0)
	s.Rows("s_nop")
	return s
}

// TestStartIsCheap: every command that names the set makes it first. Its allocations are limited, so that it takes a
// few milliseconds and does not trigger the garbage collector.
func TestStartIsCheap(t *testing.T) {
	const most, mostBytes = 14500, 6 << 20
	for gen := range numGens {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		makeSet(t, gen)
		runtime.ReadMemStats(&after)
		if n, size := after.Mallocs-before.Mallocs, after.TotalAlloc-before.TotalAlloc; n > most || size > mostBytes {
			t.Errorf("%s: making the set takes %d allocations of %d bytes, at most %d of %d are wanted", arch.Variants[gen].Name, n, size, most, mostBytes)
		}
	}
}

// TestShapes: rows that share the lists of their operands compile to the same as rows with lists of their own.
func TestShapes(t *testing.T) {
	shared, err := compile(gens[:], families(), 0)
	if err != nil {
		t.Fatal(err)
	}
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

// BenchmarkStart makes the set; one op is the cost for a command.
func BenchmarkStart(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		makeSet(b, gfx8)
	}
}

// TestOneGeneration: the set of a generation has its rows of the whole set, in the same order, and knows what others
// have.
func TestOneGeneration(t *testing.T) {
	for gen := range numGens {
		var whole, one []string
		for i := range Set().Defs {
			if d := &Set().Defs[i]; d.InVariant(gen) {
				whole = append(whole, fmt.Sprint(d.Name, d.Enc.Name, d.Mask(), d.Value(), d.Claimed(), d.Operands()))
			}
		}
		for i := range Of(gen).Defs {
			d := &Of(gen).Defs[i]
			one = append(one, fmt.Sprint(d.Name, d.Enc.Name, d.Mask(), d.Value(), d.Claimed(), d.Operands()))
		}
		if !slices.Equal(whole, one) {
			t.Errorf("%s: %d rows, %d of the whole set", arch.Variants[gen].Name, len(one), len(whole))
		}
		for other := range numGens {
			if got := Of(gen).At(other, 0); got.Variant != other || got.Only != 0 && got.Only != 1<<other {
				t.Errorf("%s asked for %s gives %s with rows %b", arch.Variants[gen].Name, arch.Variants[other].Name, got, got.Only)
			}
			if got := Of(gen).At(gen, 0).Move(other, 0); got.Variant != other || len(got.Rows("s_nop")) != 1 {
				t.Errorf("%s moved to %s is %s", arch.Variants[gen].Name, arch.Variants[other].Name, got)
			}
		}
	}
}
