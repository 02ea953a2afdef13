package pass

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/heddle-gpu/heddle/internal/irgen"
	"github.com/heddle-gpu/heddle/ir"
)

// TestBounds checks bounds of hand-written values.
func TestBounds(t *testing.T) {
	m := irgen.Machine()
	for _, x := range []struct {
		text string
		want uint64
	}{
		{"%r = laneid.i32", 63},
		{"%r = const.i32 77", 77},
		{"%r = get.i32 v[0]", 1<<32 - 1},
		{"%a = get.i32 v[0]\n%r = zext.i64 %a", 1<<32 - 1},
		{"%a = laneid.i32\n%k = const.i32 40\n%r = iadd.i32 %a, %k", 103},
		{"%a = laneid.i32\n%k = const.i32 0xfffffff0\n%r = iadd.i32 %a, %k", 1<<32 - 1},
		{"%a = laneid.i32\n%k = const.i32 34\n%r = shl.i32 %a, %k", 63 << 2},
		{"%a = laneid.i32\n%k = const.i32 27\n%r = shl.i32 %a, %k", 1<<32 - 1},
		{"%a = laneid.i32\n%k = const.i32 3\n%r = shru.i32 %a, %k", 7},
		{"%a = laneid.i32\n%k = const.i32 100\n%r = imul.i32 %a, %k", 6300},
		{"%a = get.i32 v[0]\n%r = imul.i32 %a, %a", 1<<32 - 1},
		{"%a = laneid.i32\n%k = const.i32 64\n%r = or.i32 %a, %k", 127},
		{"%a = get.i32 v[0]\n%k = const.i32 100\n%r = and.i32 %a, %k", 100},
		{"%a = get.i32 v[0]\n%k = const.i32 100\n%r = umin.i32 %a, %k", 100},
		{"%a = get.i32 v[0]\n%k = const.i32 5\n%r = pack.i64 %a, %k", 6<<32 - 1},
		{"%a = laneid.i32\n%k = const.i32 0\n%r = pack.i64 %a, %k", 63},
		{"%a = laneid.i32\n%k = const.i32 100\n%e = get.i1 exec\n%r = select.i32 %e, %a, %k", 100},
	} {
		b, err := ir.Parse(m, "block 0\nmark 0 size 4\n"+x.text+"\nend\n")
		if err != nil {
			t.Fatal(x.text, err)
		}
		d := defsOf(m, b)
		if got := d.atMost(ir.Val(len(b.Vals) - 1)); got != x.want {
			t.Errorf("%s: %#x, want %#x", x.text, got, x.want)
		}
	}
}

// TestBoundsHold computes random chains of ops and checks their bounds.
func TestBoundsHold(t *testing.T) {
	m := irgen.Machine()
	ops := []struct {
		op ir.Op
		f  func(a, b uint32) uint32
	}{
		{ir.IAdd, func(a, b uint32) uint32 { return a + b }},
		{ir.IMul, func(a, b uint32) uint32 { return a * b }},
		{ir.And, func(a, b uint32) uint32 { return a & b }},
		{ir.Or, func(a, b uint32) uint32 { return a | b }},
		{ir.UMin, func(a, b uint32) uint32 { return min(a, b) }},
		{ir.Shl, func(a, b uint32) uint32 { return a << (b % 32) }},
		{ir.ShrU, func(a, b uint32) uint32 { return a >> (b % 32) }},
	}
	tight := 0
	for seed := range uint64(5000) {
		r := rand.New(rand.NewPCG(seed, 1))
		text, xs := "block 0\nmark 0 size 4\n%v0 = laneid.i32\n", []uint32{r.Uint32N(64)}
		add := func(x uint32, line string, args ...any) {
			text += fmt.Sprintf("%%v%d = "+line+"\n", append([]any{len(xs)}, args...)...)
			xs = append(xs, x)
		}
		for range 6 {
			k := r.Uint32() >> r.IntN(32)
			add(k, "const.i32 %d", k)
			x, i, j := ops[r.IntN(len(ops))], r.IntN(len(xs)), r.IntN(len(xs))
			add(x.f(xs[i], xs[j]), "%v.i32 %%v%d, %%v%d", x.op, i, j)
		}
		b, err := ir.Parse(m, text+"end\n")
		if err != nil {
			t.Fatal(text, err)
		}
		d := defsOf(m, b)
		for i := range xs {
			bound := d.atMost(ir.Val(i))
			if uint64(xs[i]) > bound {
				t.Fatalf("seed %d: value %#x, bound %#x\n%s", seed, xs[i], bound, text)
			}
			if bound < 1<<32-1 {
				tight++
			}
		}
	}
	if tight < 10000 {
		t.Errorf("%d bounds say something: too few", tight)
	}
}
