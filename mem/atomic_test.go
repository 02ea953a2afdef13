package mem

import (
	"math"
	"sync"
	"testing"
)

func TestLoadStore(t *testing.T) {
	for _, n := range []int{1, 2, 4, 8} {
		b := Alloc(16)
		Store(b[1:1+n], 0x8877665544332211)
		want := uint64(0x8877665544332211) << (64 - 8*n) >> (64 - 8*n)
		if got := Load(b[1 : 1+n]); got != want {
			t.Errorf("%d bytes: got %#x, want %#x", n, got, want)
		}
		if b[0] != 0 || b[1] != 0x11 || b[1+n] != 0 {
			t.Errorf("%d bytes: memory is % x", n, b)
		}
	}
}

func f(v float32) uint64 { return uint64(math.Float32bits(v)) }

const (
	minus1 = 0xffffffff
	sNaN   = 0x7f800001
	qNaN   = 0xffc00123
	negZ   = 0x80000000
)

var applyTests = []struct {
	op                   AtomicOp
	old, data, cmp, want uint64
}{
	{Add, minus1, 2, 0, 1},
	{Sub, 1, 2, 0, minus1},
	{RSub, 1, 2, 0, 1},
	{SMin, 1, minus1, 0, minus1},
	{SMax, 1, minus1, 0, 1},
	{UMin, 1, minus1, 0, 1},
	{UMax, 1, minus1, 0, minus1},
	{And, 0xc, 0xa, 0, 0x8},
	{Or, 0xc, 0xa, 0, 0xe},
	{Xor, 0xc, 0xa, 0, 0x6},
	{Inc, 4, 5, 0, 5},
	{Inc, 5, 5, 0, 0},
	{Inc, 6, 5, 0, 0},
	{Inc, minus1, minus1, 0, 0},
	{Dec, 0, 5, 0, 5},
	{Dec, 5, 5, 0, 4},
	{Dec, 6, 5, 0, 5},
	{Dec, 1, 5, 0, 0},
	{Swap, 1, 2, 0, 2},
	{CmpSwap, 1, 2, 1, 2},
	{CmpSwap, 1, 2, 3, 1},
	{MskOr, 0xff, 0x0f, 0x05, 0xf5},
	{Wrap, 7, 5, 9, 2},
	{Wrap, 4, 5, 9, 13},
	{FAdd, f(1), f(2), 0, f(3)},
	{FAdd, 1, 1, 0, 2},
	{FAdd, sNaN, f(1), 0, 0x7fc00000},
	{FAdd, f(float32(math.Inf(1))), f(float32(math.Inf(-1))), 0, 0x7fc00000},
	{FMin, 0, negZ, 0, negZ},
	{FMin, f(-2), f(-1), 0, f(-2)},
	{FMin, sNaN, f(1), 0, f(1)},
	{FMin, f(1), qNaN, 0, f(1)},
	{FMin, qNaN, sNaN, 0, qNaN},
	{FMax, negZ, 0, 0, 0},
	{FMax, f(-2), f(-1), 0, f(-1)},
	{FMax, f(-1), f(1), 0, f(1)},
	{FMax, qNaN, negZ, 0, negZ},
	{FCmpSwap, negZ, f(1), 0, f(1)},
	{FCmpSwap, f(2), f(1), f(2), f(1)},
	{FCmpSwap, qNaN, f(1), qNaN, qNaN},
	{FCmpSwap, f(2), f(1), f(3), f(2)},
}

func TestApply(t *testing.T) {
	seen := map[AtomicOp]bool{}
	for _, tt := range applyTests {
		seen[tt.op] = true
		const high = 0xdead << 32 // must not matter
		if got := tt.op.Apply(32, tt.old|high, tt.data|high, tt.cmp|high); got != tt.want {
			t.Errorf("%v(%#x, %#x, %#x) = %#x, want %#x", tt.op, tt.old, tt.data, tt.cmp, got, tt.want)
		}
	}
	for op := range numAtomicOps {
		if !seen[op] || op.String() == "" || op.Doc() == "" || !op.Valid() {
			t.Errorf("operation %d (%v) has no test, name or doc", op, op)
		}
	}
}

func TestApply64(t *testing.T) {
	f := math.Float64bits
	tests := []struct {
		op                   AtomicOp
		old, data, cmp, want uint64
	}{
		{Add, math.MaxUint64, 2, 0, 1},
		{SMin, 1 << 63, 1, 0, 1 << 63},
		{SMax, 1 << 63, 1, 0, 1},
		{Inc, math.MaxUint64, math.MaxUint64, 0, 0},
		{Dec, 0, math.MaxUint64, 0, math.MaxUint64},
		{FAdd, f(0.1), f(0.2), 0, 0x3fd3333333333334}, // 0.30000000000000004
		{FMin, f(math.NaN()), f(-1), 0, f(-1)},
		{FMax, f(math.Inf(-1)), f(-1), 0, f(-1)},
		{FCmpSwap, 1 << 63, 5, 0, 5},
		{FCmpSwap, f(math.NaN()), 5, f(math.NaN()), f(math.NaN())},
	}
	for _, tt := range tests {
		if got := tt.op.Apply(64, tt.old, tt.data, tt.cmp); got != tt.want {
			t.Errorf("%v(%#x, %#x, %#x) = %#x, want %#x", tt.op, tt.old, tt.data, tt.cmp, got, tt.want)
		}
	}
}

// TestFloatOrder: min and max of any two edge values do not depend on the order.
func TestFloatOrder(t *testing.T) {
	edges := []uint64{0, 1 << 31, 1, 0x80000001, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x3f800000, 0xbf800000}
	for _, a := range edges {
		for _, b := range edges {
			for _, op := range []AtomicOp{FMin, FMax} {
				x, y := op.Apply(32, a, b, 0), op.Apply(32, b, a, 0)
				if x != y {
					t.Errorf("%v of %#x and %#x: %#x or %#x", op, a, b, x, y)
				}
				other := a ^ b ^ x
				fx, fo := math.Float32frombits(uint32(x)), math.Float32frombits(uint32(other))
				if op == FMin && fx > fo || op == FMax && fx < fo {
					t.Errorf("%v of %#x and %#x is %#x", op, a, b, x)
				}
			}
		}
	}
}

func TestAtomicMatchesApply(t *testing.T) {
	for op := range numAtomicOps {
		for _, n := range []int{4, 8} {
			w := Alloc(n)
			old := uint64(0x4049_0fdb_c049_0fdb) << (64 - 8*n) >> (64 - 8*n)
			data := uint64(0x3ff0_0000_3f80_0000) << (64 - 8*n) >> (64 - 8*n)
			Store(w, old)
			if got := Atomic(w, op, data, old); got != old {
				t.Errorf("%v on %d bytes returned %#x, want %#x", op, n, got, old)
			}
			want := op.Apply(8*n, old, data, old)
			if got := Load(w); got != want {
				t.Errorf("%v on %d bytes left %#x, want %#x", op, n, got, want)
			}
			Store(w, old)
			AtomicFunc(w, func(v uint64) uint64 { return op.Apply(8*n, v, data, old) })
			if got := Load(w); got != want {
				t.Errorf("AtomicFunc, %v on %d bytes left %#x, want %#x", op, n, got, want)
			}
		}
	}
}

// TestAtomicsTogether: eight goroutines, with results that do not depend on their order.
func TestAtomicsTogether(t *testing.T) {
	const workers, each = 8, 2000
	s := space(t, NewSegment("x", 0x1000, 64, ReadWrite))
	var group sync.WaitGroup
	for k := range workers {
		group.Go(func() {
			var c Cursor
			at := func(addr, size uint64) []byte {
				w, f := s.AtAligned(&c, addr, size, size, ReadWrite)
				if f != nil {
					t.Error(f)
				}
				return w
			}
			for i := range each {
				id := uint64(k*each + i)
				Atomic(at(0x1000, 4), Add, 1, 0)
				Atomic(at(0x1004, 4), UMax, id, 0)
				Atomic(at(0x1008, 8), Add, id, 0)
				Atomic(at(0x1010, 8), Xor, 1<<(id%64), 0)
				Atomic(at(0x1018, 4), Inc, 6, 0)
				AtomicFunc(at(0x1020, 8), func(v uint64) uint64 { return v + 2 })
				Atomic(at(0x1028, 4), FAdd, uint64(math.Float32bits(1)), 0)
			}
		})
	}
	group.Wait()
	var c Cursor
	const n = uint64(workers * each)
	for _, tt := range []struct{ addr, size, want uint64 }{
		{0x1000, 4, n}, {0x1004, 4, n - 1}, {0x1008, 8, n * (n - 1) / 2}, {0x1010, 8, 0},
		{0x1018, 4, n % 7}, {0x1020, 8, 2 * n}, {0x1028, 4, uint64(math.Float32bits(float32(n)))},
	} {
		w, _ := s.At(&c, tt.addr, tt.size, Read)
		if got := Load(w); got != tt.want {
			t.Errorf("%#x holds %#x, want %#x", tt.addr, got, tt.want)
		}
	}
}

func TestAtomicRefusesOddWindows(t *testing.T) {
	for _, w := range [][]byte{Alloc(2), Alloc(16), Alloc(8)[1:5]} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%d bytes taken", len(w))
				}
			}()
			Atomic(w, Add, 1, 0)
		}()
	}
}

func BenchmarkAtomicAdd(b *testing.B) {
	w := Alloc(4)
	for range b.N {
		Atomic(w, Add, 1, 0)
	}
}
