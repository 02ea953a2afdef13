package pass_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/heddle-gpu/heddle/internal/irgen"
	"github.com/heddle-gpu/heddle/internal/pass"
	"github.com/heddle-gpu/heddle/ir"
)

// integers are the types of operands below, with the width of their elements.
var integers = []struct {
	name string
	bits int
	typ  ir.Type
}{{"i8", 8, ir.I8}, {"i16", 16, ir.I16}, {"i32", 32, ir.I32}, {"i64", 64, ir.I64}, {"v2i16", 16, ir.V2I16}, {"v4i8", 8, ir.V4I8}}

// TestConstantOperands: every op of two integers with a constant on either side for which it may be simplified,
// alone and twice in succession, gives the same results, with operands at all edges.
func TestConstantOperands(t *testing.T) {
	tried := 0
	for op := range ir.Op(ir.Ops()) {
		args, res := op.Slots()
		info := op.Info()
		if info.Class != ir.Pure || len(args) != 2 || len(res) != 1 || info.Flags&(ir.HasMode|ir.HasImm) != 0 || !args[0].First() || res[0].Second() {
			continue
		}
		for _, typ := range integers {
			if !args[0].Accepts(typ.typ) || res[0].Of(typ.typ, ir.NoType).Bits() != typ.typ.Bits() && res[0].Of(typ.typ, ir.NoType) != ir.I1 {
				continue
			}
			second := args[1].Of(typ.typ, typ.typ)
			for _, text := range twoOperands(op, typ.name, second) {
				for _, c := range constantsOf(typ.bits, typ.typ, second) {
					b := parse(t, constantBlock(typ.name, typ.typ, second, res[0].Of(typ.typ, ir.NoType), text, c))
					wantSame(t, b, typ.typ.Bits())
					tried++
				}
			}
		}
	}
	if tried < 2000 {
		t.Errorf("%d blocks", tried)
	}
}

// twoOperands are the uses of an op with the constants %c and %d: once on either side, and twice on the right.
func twoOperands(op ir.Op, typ string, second ir.Type) []string {
	name := op.String() + "." + typ
	texts := []string{fmt.Sprintf("%%y = %s %%x, %%c", name)}
	args, res := op.Slots()
	if second == args[0].Of(second, second) && args[1].First() {
		texts = append(texts, fmt.Sprintf("%%y = %s %%c, %%x", name), fmt.Sprintf("%%y = %s %%x, %%x", name))
	}
	if res[0].First() {
		texts = append(texts, fmt.Sprintf("%%w = %s %%x, %%c\n%%y = %s %%w, %%d", name, name), fmt.Sprintf("%%w = %s %%x, %%d\n%%y = %s %%w, %%c", name, name))
	}
	return texts
}

// constantsOf returns pairs of constants for a second operand: each edge value, with a few others.
func constantsOf(n int, first, second ir.Type) (cs [][2]uint64) {
	all := uint64(1)<<(second.Bits()-1)<<1 - 1
	elem := uint64(1)<<(n-1)<<1 - 1
	edges := []uint64{0, 1, 2, uint64(n - 1), uint64(n), uint64(n + 1), elem, elem - 1, elem >> 1, elem>>1 + 1, all, all >> 1, all>>1 + 1}
	if first.Elems() > 1 {
		edges = append(edges, all/elem, all/elem*uint64(n)) // 1 and n in all elements
	}
	for i, c := range edges {
		for _, d := range []uint64{edges[(i+1)%len(edges)], uint64(n - 1)} {
			cs = append(cs, [2]uint64{c & all, d & all})
		}
	}
	return cs
}

// constantBlock computes text of %x, which is v[0] and v[1], and puts the result into v[1] and v[2].
func constantBlock(name string, typ, second, result ir.Type, text string, c [2]uint64) string {
	s := source(name)
	if typ.Elems() > 1 {
		s = "%e = get.i1 exec\n%a = get.i32 v[0]\n%x = cast." + name + " %a"
	}
	s += fmt.Sprintf("\n%%c = const.%s %#x\n%%d = const.%s %#x\n%s\n", second, c[0], second, c[1], text)
	switch {
	case result == ir.I1:
		return s + "%one = const.i32 1\n%zero = const.i32 0\n%v = select.i32 %y, %one, %zero\nset v[1], %v, %e\nend"
	case typ.Elems() > 1:
		return s + "%v = cast.i32 %y\nset v[1], %v, %e\nend"
	}
	return s + sink(name)
}

// wantSame runs the block before and after folding and optimising, with a lane for every edge value of its width.
func wantSame(t *testing.T, b *ir.Block, bits int) {
	t.Helper()
	xs := append(irgen.Edges(max(bits, 16)), 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 0x7f, 0x80, 0xff, 0x01020304, 0x80ff7f01)
	run := func(b *ir.Block) [2][]uint64 {
		w := plainWave(xs...)
		w.run(b)
		return [2][]uint64{w.cells[ir.Cell{File: 0, Index: 1}], w.cells[ir.Cell{File: 0, Index: 2}]}
	}
	want := run(b)
	for i, f := range []*ir.Block{pass.Fold(m, b), optimise(m, b)} {
		if got := run(f); !slices.Equal(got[0], want[0]) || !slices.Equal(got[1], want[1]) {
			t.Fatalf("x = %#x: %#x, want %#x, after %s\n%s\n%s", xs, got, want, []string{"fold", "optimise"}[i], ops(b), ops(f))
		}
	}
}
