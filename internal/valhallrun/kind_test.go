package valhallrun

import (
	"fmt"
	"math/rand/v2"

	"github.com/heddle-gpu/heddle/internal/reals"
)

// A kind is the possible texts of a source, with their values, by the letters of inst.srcs.
type kind struct {
	float format // of the elements to which .neg and .abs apply; none: they are not permitted
	// lanes are the swizzles, widenings or lanes.
	lanes []lane
	pair  bool // 64 bits, from an even register
	not   bool // .not may follow
	fill  func(rnd *rand.Rand) uint64
}

// A lane is a swizzle in the text and its effect on the word, or on both words of a pair.
type lane struct {
	text string
	f    func(w uint64) uint64
}

var plain = lane{"", func(w uint64) uint64 { return w }}

// fields returns the value whose fields, each so many bits wide, are the named bytes or halves of a word, low ones
// first.
func fields(w uint64, from, to int, signed bool, at ...int) (v uint64) {
	for i, n := range at {
		x := w >> (from * n) & (1<<from - 1)
		if signed && x>>(from-1) != 0 {
			x |= ^uint64(0) << from
		}
		v |= x & (^uint64(0) >> (64 - to)) << (to * i)
	}
	return v
}

func taking(text string, from, to int, signed bool, at ...int) lane {
	return lane{text, func(w uint64) uint64 { return fields(w, from, to, signed, at...) }}
}

// widened are the swizzles of f32: a half is converted.
var widened = []lane{plain, plain, {".h0", widenHalf(0)}, {".h1", widenHalf(16)}}

func widenHalf(shift int) func(w uint64) uint64 {
	return func(w uint64) uint64 {
		h := w >> shift & 0xffff
		if half.IsNaN(h) { // made quiet, with its sign and payload
			return h>>15<<31 | single.NaN() | h&0x3ff<<13
		}
		return single.Near(half.Read(h))
	}
}

var halves = []lane{plain, taking(".h00", 16, 16, false, 0, 0), taking(".h10", 16, 16, false, 1, 0), taking(".h11", 16, 16, false, 1, 1)}

// lowOf returns swizzles of two halves of which the low one is used.
func lowOf(signed bool, to int) []lane {
	return []lane{taking("", 16, to, signed, 0), taking(".h00", 16, to, signed, 0), taking(".h10", 16, to, signed, 1), taking(".h11", 16, to, signed, 1)}
}

// widened32 returns the extensions of integers to 32 bits, widened16 to two of 16.
func widened32(signed bool) (ls []lane) {
	ls = []lane{plain, plain}
	for i := range 2 {
		ls = append(ls, taking(fmt.Sprintf(".h%d", i), 16, 32, signed, i))
	}
	return append(ls, oneByte(".b%d", signed)...)
}

func oneByte(text string, signed bool) (ls []lane) {
	for i := range 4 {
		ls = append(ls, taking(fmt.Sprintf(text, i), 8, 32, signed, i))
	}
	return ls
}

func widened16(signed bool) []lane {
	ls := append([]lane{plain}, halves...)
	for _, p := range [][2]int{{0, 0}, {2, 0}, {0, 2}, {2, 2}, {1, 1}, {3, 1}, {1, 3}, {3, 3}, {0, 1}, {2, 3}} {
		text := fmt.Sprintf(".b%d%d", p[0], p[1])
		ls = append(ls, taking(text, 8, 16, signed, p[0], p[1]))
	}
	return ls
}

func twoBytes(signed bool) (ls []lane) {
	for i := range 16 {
		ls = append(ls, taking(fmt.Sprintf(".b%d%d", i&3, i>>2), 8, 16, signed, i&3, i>>2))
	}
	return ls
}

// words returns random bits, floats f32, or two halves where the text says so; twoHalves pairs of f16.
func words(rnd *rand.Rand) uint64 { return uint64(reals.EdgeInt(rnd)) }

func floats(rnd *rand.Rand) uint64 { return single.Edge(rnd) }

func twoHalves(rnd *rand.Rand) uint64 { return half.Edge(rnd)<<16 | half.Edge(rnd) }

func shortInts(rnd *rand.Rand) uint64 {
	return uint64(uint32(int32(rnd.IntN(80) - 40)))
}

// kinds by letter: f F f32 with and without widening, g, p the same without signs; e, E v2f16 with and without signs; k
// one f16 of two, K one by its number; i a word, n a small one, m two small halves; w, W a word zero- and
// sign-extended, v, V two halves; b, B a byte extended to 32 bits; d, D two bytes extended to 16 bits; h, H a half of
// two, extended to 32 bits.
var kinds = map[rune]*kind{
	'f': {float: single, lanes: widened, fill: floats},
	'F': {float: single, lanes: []lane{plain}, fill: floats},
	'g': {lanes: widened, fill: floats},
	'p': {lanes: []lane{plain}, fill: floats},
	'e': {float: half, lanes: halves, fill: twoHalves},
	'E': {lanes: halves, fill: twoHalves},
	'T': {lanes: []lane{plain}, fill: twoHalves},
	'k': {float: half, lanes: lowOf(false, 16), fill: twoHalves},
	'K': {float: half, lanes: []lane{taking(".h0", 16, 16, false, 0), taking(".h1", 16, 16, false, 1)}, fill: twoHalves},
	'i': {lanes: []lane{plain}, fill: words},
	'n': {lanes: []lane{plain}, fill: shortInts},
	'm': {lanes: []lane{plain}, fill: func(rnd *rand.Rand) uint64 { return shortInts(rnd)&0xffff | shortInts(rnd)<<16&0xffff0000 }},
	'w': {lanes: widened32(false), fill: words},
	'W': {lanes: widened32(true), fill: words},
	'v': {lanes: widened16(false), fill: words},
	'V': {lanes: widened16(true), fill: words},
	'b': {lanes: oneByte(".b%d", false), fill: words},
	'B': {lanes: oneByte(".b%d", true), fill: words},
	'd': {lanes: twoBytes(false), fill: words},
	'D': {lanes: twoBytes(true), fill: words},
	'h': {lanes: lowOf(false, 32), fill: words},
	'H': {lanes: lowOf(true, 32), fill: words},
}

// resigned applies neg and abs to each element of a value in a format.
func resigned(f format, v uint64, neg, abs bool) uint64 {
	if f.Bits == 0 {
		return v
	}
	sign := uint64(1) << (f.Bits - 1)
	sign |= sign << 16 // the second f32 is not in the value
	sign &= 1<<32 - 1
	if f.Bits == 32 {
		sign = 1 << 31
	}
	if abs {
		v &^= sign
	}
	if neg {
		v ^= sign
	}
	return v
}
