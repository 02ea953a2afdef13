package teslarun

import (
	"fmt"
	"testing"

	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/tesla"
)

// Flags as bits of a number. docs/reference/tesla.md 3.2.
const (
	flagZ = 1 << iota
	flagS
	flagC
	flagO
)

// conditionNames are the conditions by code; "" does not decode, or is not printed.
var conditionNames = [32]string{"never", "l", "e", "le", "g", "lg", "ge", "lge", "u", "lu", "eu", "leu", "gu", "lgu", "geu", "",
	"o", "c", "a", "s", "", "", "", "", "", "", "", "", "ns", "na", "nc", "no"}

// holds reports whether a condition holds. docs/reference/tesla.md 4.1.
func holds(code int, flags uint8) bool {
	z, s, c, o := flags&flagZ != 0, flags&flagS != 0, flags&flagC != 0, flags&flagO != 0
	switch code {
	case 0:
		return false
	case 1:
		return (s && !z) != o
	case 2:
		return z && !s
	case 3:
		return s != (z || o)
	case 4:
		return !z && s == o
	case 5:
		return !z
	case 6:
		return s == o
	case 7:
		return !z || !s
	case 8:
		return z && s
	case 9:
		return s != o
	case 10:
		return z
	case 11:
		return z || s != o
	case 12:
		return !s != (z || o)
	case 13:
		return !z || s
	case 14:
		return (!s || z) != o
	case 15:
		return true
	}
	return map[int]bool{16: o, 17: c, 18: c && !z, 19: s, 28: !s, 29: z || !c, 30: !c, 31: !o}[code]
}

// TestConditionsOfComparisons: for the flags of a comparison without overflow, the codes 1 to 14 have the meaning of
// their names.
func TestConditionsOfComparisons(t *testing.T) {
	outcome := map[uint8]byte{0: 'g', flagZ: 'e', flagS: 'l', flagZ | flagS: 'u'}
	for code := 1; code < 15; code++ {
		for flags, what := range outcome {
			name, want := conditionNames[code], false
			for i := range name {
				want = want || name[i] == what
			}
			if holds(code, flags) != want {
				t.Errorf("%s of %04b is %t", name, flags, !want)
			}
		}
	}
}

// TestPredicates: every condition with all flags, on each $c, for a predicated instruction of each kind.
func TestPredicates(t *testing.T) {
	for code, name := range conditionNames {
		if name == "" && code != 15 {
			continue
		}
		for c := range 4 {
			guard := fmt.Sprintf("(%s $c%d) ", name, c)
			if code == 15 {
				guard = ""
			}
			w := newWarp(t, tesla.G80, tesla.CP)
			flags := func(lane int) uint8 { return uint8(lane & 15) }
			w.setFlags(c, flags)
			for other := range 4 {
				if other != c {
					w.setFlags(other, func(lane int) uint8 { return ^flags(lane) & 15 })
				}
			}
			for lane := range tesla.Lanes {
				w.st.Set(addr(1), lane, 7)
			}
			w.set(1, thread)
			w.set(3, always(1000))
			w.program(guard + "add b32 $r1 $r1 $r3\n" +
				guard + "add $a1 $a1 0x10\n" +
				guard + "st b32 s[0x40] $r1\n" +
				"cvt u32 $r9 u32 $r2\n" +
				guard + "bra taken\n" +
				"add b32 $r5 $r5 $r3\n" +
				"taken: exit nop")
			add := func(from, n uint32, when bool) func(lane int) uint32 {
				return func(lane int) uint32 {
					if holds(code, flags(lane)) == when {
						return from + n
					}
					return from
				}
			}
			w.want(1, func(lane int) uint32 { return add(uint32(lane), 1000, true)(lane) })
			w.want(5, add(0, 1000, false))
			for lane := range tesla.Lanes {
				if got := w.st.Get(addr(1), lane); got != add(7, 16, true)(lane) {
					t.Errorf("%s$a1 of thread %d is %d", guard, lane, got)
				}
			}
			w.wantStore(code, c, flags)
			if t.Failed() {
				t.Fatalf("condition %q", guard)
			}
		}
	}
}

// wantStore: the highest thread whose condition is true stored last.
func (w *warp) wantStore(code, c int, flags func(int) uint8) {
	want := uint32(0)
	for lane := range tesla.Lanes {
		if holds(code, flags(lane)) {
			want = uint32(lane) + 1000
		}
	}
	if got := word(w.shared, 0x40); got != want {
		w.t.Errorf("s[0x40] is %d, want %d", got, want)
	}
}

// TestNoSuchConditions: the codes in between do not decode.
func TestNoSuchConditions(t *testing.T) {
	for code := range uint64(32) {
		word := uint64(0x20000001) | (0x04000000|code<<7)<<32 // add b32 $r0 $r0 $r0
		var b isa.Bundle
		var raw [8]byte
		putSized(raw[:], word, 8)
		err := tesla.Set().At(tesla.G80, tesla.CP).DecodeBundle(raw[:], 0, &b)
		if (err == nil) != (conditionNames[code] != "" || code == 15) {
			t.Errorf("code %d: %v", code, err)
		}
	}
}
