package valhallrun

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/ir"
)

// Comparisons by the formulas of docs/reference/valhall.md 10.1 and 10.2.

const (
	condWords  = "eq gt ge ne lt le gtlt total"
	intConds   = "eq gt ge ne lt le"
	truthWords = "i1 f1 m1"
)

// An ordered is the order of two numbers: -1, 0, 1, or none; and whether the first is not after the second in the total
// order.
type ordered struct {
	sign  int
	nan   bool
	total bool
}

// inTotalOrder reports whether a equals b or is before it: numbers and NaNs with a sign are before those without;
// larger magnitudes, as bits, are before smaller ones if both have a sign, and after them if neither has.
func inTotalOrder(f format, a, b uint64) bool {
	sign := uint64(1) << (f.Bits - 1)
	x, y := a&^sign, b&^sign
	switch {
	case a&sign != b&sign:
		return a&sign != 0
	case a&sign != 0:
		return x >= y
	}
	return x <= y
}

func intsOrdered(n int, signed bool) func(a, b uint64) ordered {
	return func(a, b uint64) ordered { return ordered{sign: numberOf(a, n, signed).Cmp(numberOf(b, n, signed))} }
}

func floatsOrdered(f format) func(a, b uint64) ordered {
	return func(a, b uint64) ordered {
		x, y := f.Read(a), f.Read(b)
		if x == nil || y == nil {
			return ordered{nan: true, total: inTotalOrder(f, a, b)}
		}
		return ordered{sign: x.Cmp(y), total: inTotalOrder(f, a, b)}
	}
}

// meets reports whether the condition of the mnemonic is true.
func (o *operands) meets(r ordered) bool {
	switch o.condition() {
	case "eq":
		return !r.nan && r.sign == 0
	case "ne":
		return r.nan || r.sign != 0
	case "gt":
		return !r.nan && r.sign > 0
	case "ge":
		return !r.nan && r.sign >= 0
	case "lt":
		return !r.nan && r.sign < 0
	case "le":
		return !r.nan && r.sign <= 0
	case "gtlt":
		return !r.nan && r.sign != 0
	}
	return r.total
}

func (o *operands) condition() string {
	for _, c := range strings.Fields(condWords) {
		if o.has(c) {
			return c
		}
	}
	return ""
}

// truth returns the value of a true condition in n bits.
func (o *operands) truth(yes bool, n int) uint64 {
	switch {
	case !yes:
		return 0
	case o.has("m1"):
		return ^uint64(0) >> (64 - n)
	case o.has("f1") && n == 16:
		return 0x3c00
	case o.has("f1"):
		return uint64(math.Float32bits(1))
	}
	return 1
}

// comparisonOf combines a comparison of elements of n bits with the third source.
func comparisonOf(n int, and bool, how func(a, b uint64) ordered) func(o *operands) uint64 {
	return func(o *operands) uint64 {
		return elements(n, 32, func(a, b, c uint64) uint64 {
			yes := o.meets(how(a, b))
			if and {
				yes = yes && c != 0
			} else {
				yes = yes || c != 0
			}
			return o.truth(yes, n)
		})(o)
	}
}

// longComparisonOf returns the order of upper words, and if they are equal that of the lower ones, given by the sign of
// the third source.
func longComparisonOf(signed bool) func(o *operands) uint64 {
	return func(o *operands) uint64 {
		order := intsOrdered(32, signed)(o.a, o.b)
		if order.sign == 0 {
			order = intsOrdered(32, true)(o.c, 0)
		}
		if o.has("u1") {
			return uint64(uint32(int32(order.sign)))
		}
		return o.truth(o.meets(order), 32)
	}
}

// alike returns words that are often equal to others in halves, bytes, or completely.
func alike(rnd *rand.Rand) (v uint64) {
	if rnd.IntN(2) == 0 {
		return words(rnd)
	}
	for at := 0; at < 32; at += 8 {
		v |= []uint64{0, 0x7f, 0x80, 0xff}[rnd.IntN(4)] << at
	}
	return v & []uint64{0xffffffff, 0xffff, 0}[rnd.IntN(3)]
}

// alikeFloats returns f32 of which many are equal; alikeHalves pairs of f16.
func alikeFloats(rnd *rand.Rand) uint64 {
	if rnd.IntN(2) == 0 {
		return floats(rnd)
	}
	return []uint64{0, 0x80000000, 0x3f800000, 0x7f800000, 0x7fc00000, 0xff800000, 1}[rnd.IntN(7)]
}

func alikeHalves(rnd *rand.Rand) (v uint64) {
	for at := 0; at < 32; at += 16 {
		v |= []uint64{0, 0x8000, 0x3c00, 0x7c00, 0x7e00, 0xfc00, 1, half.Edge(rnd)}[rnd.IntN(8)] << at
	}
	return v
}

// truths returns results of comparisons, element by element.
func truths(rnd *rand.Rand) (v uint64) {
	if rnd.IntN(3) == 0 {
		return []uint64{0, 1, 0x3f800000, 0xffffffff}[rnd.IntN(4)]
	}
	for at := 0; at < 32; at += 16 {
		v |= []uint64{0, 0, 1, 0x3c00, 0xffff, 0x100, 0xff}[rnd.IntN(7)] << at
	}
	return v
}

func compareRows() (list []inst) {
	fills := [4]func(*rand.Rand) uint64{alike, alike, truths}
	for _, s := range shapes {
		if s.all == 64 {
			continue
		}
		types := truthWords
		if s.n == 8 {
			types = "i1 m1"
		}
		for op, and := range map[string]bool{"ICMP_OR.": false, "ICMP_AND.": true} {
			list = append(list, inst{name: op + s.name, mods: []string{intConds, types}, srcs: s.srcs + "i", result: 'i', f: comparisonOf(s.n, and, intsOrdered(s.n, s.signed)), fills: fills})
		}
		if s.n == 32 {
			if !s.signed {
				types += " u1"
			}
			list = append(list, inst{name: "ICMP_MULTI." + s.name, mods: []string{intConds, types}, srcs: s.srcs + "i", result: 'i', f: longComparisonOf(s.signed), fills: fills})
		}
	}
	for op, and := range map[string]bool{"FCMP_OR.": false, "FCMP_AND.": true} {
		list = append(list,
			inst{name: op + "f32", mods: []string{condWords, truthWords}, srcs: "ffi", result: 'i', f: comparisonOf(32, and, floatsOrdered(single)),
				fills: [4]func(*rand.Rand) uint64{alikeFloats, alikeFloats, truths}},
			inst{name: op + "v2f16", mods: []string{condWords, truthWords}, srcs: "eei", result: 'i', f: comparisonOf(16, and, floatsOrdered(half)),
				fills: [4]func(*rand.Rand) uint64{alikeHalves, alikeHalves, truths}})
	}
	return list
}

func TestComparisons(t *testing.T) {
	checkAll(t, compareRows())
	traps(t, nil, "no source says", "ICMP_OR.v4u8.eq.f1 r4, r8, r12, r16")
	traps(t, nil, "only ICMP_MULTI.u32 has", "ICMP_MULTI.s32.eq.u1 r4, r8, r12, r16", "ICMP_OR.u32.eq.u1 r4, r8, r12, r16", "FCMP_OR.f32.eq.u1 r4, r8, r12, r16")
	traps(t, nil, "integers have no condition", "ICMP_AND.s32.total.i1 r4, r8, r12, r16", "CSEL.v2u16.gtlt r4, r8, r12, r16, r20", "ICMP_MULTI.u32.gtlt.m1 r4, r8, r12, r16")
}

// selectedOf selects the third element if the comparison of the first two is true, else the fourth.
func selectedOf(n int, how func(a, b uint64) ordered) func(o *operands) uint64 {
	return func(o *operands) (v uint64) {
		all := uint64(1)<<n - 1
		for at := 0; at < 32; at += n {
			from := o.d
			if o.meets(how(o.a>>at&all, o.b>>at&all)) {
				from = o.c
			}
			v |= from & (all << at)
		}
		return v
	}
}

func selectRows() (list []inst) {
	ints, f32, f16 := [4]func(*rand.Rand) uint64{alike, alike}, [4]func(*rand.Rand) uint64{alikeFloats, alikeFloats}, [4]func(*rand.Rand) uint64{alikeHalves, alikeHalves}
	for _, c := range []struct {
		name  string
		n     int
		how   func(a, b uint64) ordered
		fills [4]func(*rand.Rand) uint64
	}{{"u32", 32, intsOrdered(32, false), ints}, {"s32", 32, intsOrdered(32, true), ints}, {"v2u16", 16, intsOrdered(16, false), ints}, {"v2s16", 16, intsOrdered(16, true), ints},
		{"f32", 32, floatsOrdered(single), f32}, {"v2f16", 16, floatsOrdered(half), f16}} {
		conds := condWords
		if c.name[0] != 'f' && c.name != "v2f16" {
			conds = intConds
		}
		list = append(list, inst{name: "CSEL." + c.name, mods: []string{conds}, srcs: "iiii", result: 'i', f: selectedOf(c.n, c.how), fills: c.fills})
	}
	return list
}

func TestSelects(t *testing.T) { checkAll(t, selectRows()) }

// TestLongComparisons compares numbers of 64 and 96 bits word by word.
func TestLongComparisons(t *testing.T) {
	rnd := rand.New(rand.NewPCG(6, 4))
	w := newWarp(t, nil)
	for _, cond := range strings.Fields("eq gt ge ne lt le") {
		for range 20 {
			var x, y [3][16]uint32
			for i := range 3 {
				for lane := range 16 {
					x[i][lane], y[i][lane] = uint32(alike(rnd)), uint32(alike(rnd))
					if rnd.IntN(2) == 0 {
						y[i][lane] = x[i][lane]
					}
				}
				w.set(20+i, func(lane int) uint32 { return x[i][lane] })
				w.set(24+i, func(lane int) uint32 { return y[i][lane] })
			}
			w.run("ICMP_MULTI.u32." + cond + ".u1 r4, r20, r24, 0x0")
			w.run("ICMP_MULTI.u32." + cond + ".u1 r5, r21, r25, r4")
			w.run("ICMP_MULTI.s32." + cond + ".m1 r6, r22, r26, r5")
			for lane := range 16 {
				a, b := numberOf(uint64(x[2][lane]), 32, true), numberOf(uint64(y[2][lane]), 32, true)
				for i := 1; i >= 0; i-- {
					a, b = add(mul(a, power(32)), numberOf(uint64(x[i][lane]), 32, false)), add(mul(b, power(32)), numberOf(uint64(y[i][lane]), 32, false))
				}
				o := operands{mods: []string{cond, "m1"}}
				if got, want := uint64(w.get(6, lane)), o.truth(o.meets(ordered{sign: a.Cmp(b)}), 32); got != want {
					t.Fatalf("%s of %v and %v gives %#x, want %#x", cond, a, b, got, want)
				}
			}
		}
	}
}

// TestIntegerOptions: undocumented integer results follow the options, and flushed subnormals are zeros in comparisons.
func TestIntegerOptions(t *testing.T) {
	w := newWarp(t, map[string]string{"segment-null": "second", "subnormals": "flush"})
	w.set(8, func(int) uint32 { return 0xffffffff })
	w.set(12, func(int) uint32 { return 0x7fffffff })
	w.set(14, func(int) uint32 { return 0 })
	w.set(15, func(int) uint32 { return 0 })
	w.set(16, func(int) uint32 { return 0x80000001 })
	for text, want := range map[string]uint32{
		"SEG_ADD.u64.preserve_null r4, r8, r14": 0,
		"SEG_ADD.u64 r4, r8, r14":               0xffffffff,
		"MUX.i32.fp_zero r4, r8, r12, r16":      0xffffffff, // a subnormal is a zero then
		"FCMP_OR.f32.eq.m1 r4, r16, 0x0, r14":   0xffffffff,
		"CSEL.f32.eq r4, r16, r14, r16, r8":     0x80000001, // the selected value is unchanged
	} {
		if w.run(text); w.get(4, 3) != want {
			t.Errorf("%s gives %#x, want %#x", text, w.get(4, 3), want)
		}
	}
}

// traps checks that instructions without semantics stop with the reason.
func traps(t *testing.T, options map[string]string, why string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		w := newWarp(t, options)
		f := w.try(text)
		if f == nil || f.Trap != ir.TrapUndefined || !strings.Contains(f.Error(), why) {
			t.Errorf("%s: %v", text, f)
		}
	}
}
