package valhallrun

import (
	"math/big"
	"testing"

	"github.com/heddle-gpu/heddle/internal/reals"
)

// toInteger rounds a value to an integer of so many bits, saturated; a NaN gives 0.
func toInteger(x real, mode big.RoundingMode, bits int, signed bool) uint64 {
	low, high := new(big.Int), new(big.Int).Lsh(big.NewInt(1), uint(bits))
	if signed {
		high.Rsh(high, 1)
		low.Neg(high)
	}
	high.Sub(high, big.NewInt(1))
	if x == nil {
		return 0
	}
	n := low
	switch {
	case reals.IsInf(x) && !reals.IsNeg(x):
		n = high
	case !reals.IsInf(x):
		n, _ = reals.Integer(x, mode).Int(nil)
		if n.Cmp(low) < 0 {
			n = low
		}
		if n.Cmp(high) > 0 {
			n = high
		}
	}
	return uint64(n.Int64()) & (^uint64(0) >> (64 - bits))
}

// fromInt converts a number to a format, rounded as the mnemonic says.
func (o *operands) fromInt(f format, n int64) uint64 { return f.Write(reals.Whole(n), o.rounding()) }

func fieldsOf(f func(o *operands, v uint64) uint64) func(o *operands) uint64 {
	return func(o *operands) uint64 {
		return both(func(a, _, _ uint64) uint64 { return f(o, a) })(o)
	}
}

func toHalfOf(signed bool) func(o *operands, v uint64) uint64 {
	return func(o *operands, v uint64) uint64 {
		if signed {
			return o.fromInt(half, int64(int16(v)))
		}
		return o.fromInt(half, int64(v))
	}
}

func same(o *operands) uint64 { return o.a }

func fromSigned(o *operands) uint64   { return o.fromInt(single, int64(int32(o.a))) }
func fromUnsigned(o *operands) uint64 { return o.fromInt(single, int64(o.a)) }

var conversions = []inst{
	{name: "S8_TO_S32", srcs: "B", result: 'i', f: same},
	{name: "U8_TO_U32", srcs: "b", result: 'i', f: same},
	{name: "S8_TO_F32", srcs: "B", result: 'i', f: fromSigned},
	{name: "U8_TO_F32", srcs: "b", result: 'i', f: fromUnsigned},
	{name: "V2S8_TO_V2S16", srcs: "D", result: 'i', f: same},
	{name: "V2U8_TO_V2U16", srcs: "d", result: 'i', f: same},
	{name: "V2S8_TO_V2F16", srcs: "D", result: 'i', f: fieldsOf(toHalfOf(true))},
	{name: "V2U8_TO_V2F16", srcs: "d", result: 'i', f: fieldsOf(toHalfOf(false))},
	{name: "S16_TO_S32", srcs: "H", result: 'i', f: same},
	{name: "U16_TO_U32", srcs: "h", result: 'i', f: same},
	{name: "S16_TO_F32", srcs: "H", result: 'i', f: fromSigned},
	{name: "U16_TO_F32", srcs: "h", result: 'i', f: fromUnsigned},
	{name: "V2S16_TO_V2F16", mods: []string{anyRound}, srcs: "V", result: 'i', f: fieldsOf(toHalfOf(true))},
	{name: "V2U16_TO_V2F16", mods: []string{anyRound}, srcs: "v", result: 'i', f: fieldsOf(toHalfOf(false))},
	{name: "S32_TO_F32", mods: []string{anyRound}, srcs: "W", result: 'i', f: fromSigned},
	{name: "U32_TO_F32", mods: []string{anyRound}, srcs: "w", result: 'i', f: fromUnsigned},
	{name: "F32_TO_S32", mods: []string{anyRound}, srcs: "F", result: 'i', f: func(o *operands) uint64 { return toInteger(single.Read(o.a), o.rounding(), 32, true) }},
	{name: "F32_TO_U32", mods: []string{anyRound}, srcs: "F", result: 'i', f: func(o *operands) uint64 { return toInteger(single.Read(o.a), o.rounding(), 32, false) }},
	{name: "FROUND.f32", mods: []string{anyRound}, srcs: "f", result: 'f', f: func(o *operands) uint64 { return single.Near(reals.Integer(single.Read(o.a), o.rounding())) }},
	{name: "V2F32_TO_V2F16", mods: []string{clampMods, roundMods}, srcs: "FF", result: 'e', f: func(o *operands) uint64 {
		to := func(v uint64) uint64 { return half.Near(o.clamp(half.Read(half.Write(single.Read(v), o.rounding())))) }
		return to(o.a) | to(o.b)<<16
	}},
}

// ofHalves are conversions of f16, which are tested on all f16.
var ofHalves = []inst{
	{name: "F16_TO_S32", mods: []string{anyRound}, srcs: "k", result: 'i', f: func(o *operands) uint64 { return toInteger(half.Read(o.a), o.rounding(), 32, true) }},
	{name: "F16_TO_U32", mods: []string{anyRound}, srcs: "k", result: 'i', f: func(o *operands) uint64 { return toInteger(half.Read(o.a), o.rounding(), 32, false) }},
	{name: "F16_TO_F32", mods: []string{roundMods}, srcs: "K", result: 'f', f: func(o *operands) uint64 { return single.Near(half.Read(o.a)) }},
	{name: "V2F16_TO_V2S16", mods: []string{anyRound}, srcs: "e", result: 'i', f: fieldsOf(func(o *operands, v uint64) uint64 { return toInteger(half.Read(v), o.rounding(), 16, true) })},
	{name: "V2F16_TO_V2U16", mods: []string{anyRound}, srcs: "e", result: 'i', f: fieldsOf(func(o *operands, v uint64) uint64 { return toInteger(half.Read(v), o.rounding(), 16, false) })},
	{name: "FROUND.v2f16", mods: []string{anyRound}, srcs: "e", result: 'e', f: fieldsOf(func(o *operands, v uint64) uint64 { return half.Near(reals.Integer(half.Read(v), o.rounding())) })},
}

func TestConversions(t *testing.T) {
	checkAll(t, conversions)
	checkAll(t, ofHalves)
}

// everyHalf runs an instruction with one source on all f16 and with all modifiers of its mnemonic. If it reads two at
// once, one of them is negative.
func everyHalf(t *testing.T, n *inst) {
	t.Helper()
	step, end := 1, 1<<16
	if testing.Short() {
		step = 7
	}
	if n.srcs != "k" && n.srcs != "K" {
		end = 1 << 15
	}
	var words []uint32
	for i := 0; i < end; i += step {
		words = append(words, uint32(i)|uint32(i)<<16^1<<31)
	}
	lane := kinds[rune(n.srcs[0])].lanes[0]
	for _, mods := range n.combinations() {
		o := operands{mods: mods}
		text := n.head(mods) + " r4, r8" + lane.text
		w := newWarpOf(t, n.arch(), nil)
		w.each(text, [][]uint32{words}, func(i int, got uint32) bool {
			o.a = lane.f(uint64(words[i]))
			want := n.f(&o)
			if n.result == 'k' {
				want |= want << 16
			}
			if n.quiet(uint64(got), 0xffffffff) == n.quiet(want, 0xffffffff) {
				return true
			}
			t.Errorf("%s: %#x gives %#x, want %#x", text, words[i], got, want)
			return false
		})
	}
}

// TestEveryHalf: conversions and splits of all f16.
func TestEveryHalf(t *testing.T) {
	for i := range ofHalves {
		everyHalf(t, &ofHalves[i])
	}
	for _, name := range []string{"FREXPM.v2f16", "FREXPE.v2f16"} {
		for i := range splits {
			if splits[i].name == name {
				everyHalf(t, &splits[i])
			}
		}
	}
	for i := range conversions {
		if n := &conversions[i]; n.name == "V2S16_TO_V2F16" || n.name == "V2U16_TO_V2F16" {
			everyHalf(t, n)
		}
	}
}
