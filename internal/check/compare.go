package check

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/num"
)

// A rule says which values count as equal to the expected one. Equal bits always do.
type rule struct {
	typ     string // f16, f32, f64; anything else: bits only
	ulp     uint64 // meeting either bound is enough
	abs     float64
	nanAny  bool
	zeroAny bool
}

// floatWidth returns the width in bits of a float type of cases, 0 for other types.
func floatWidth(typ string) int {
	switch typ {
	case "f16":
		return 16
	case "f32":
		return 32
	case "f64":
		return 64
	}
	return 0
}

// same compares two bit patterns of the rule's type.
func (r *rule) same(want, got uint64) bool {
	n := floatWidth(r.typ)
	if want == got || n == 0 {
		return want == got
	}
	w, g := toFloat(n, want), toFloat(n, got)
	switch {
	case w != w || g != g:
		return w != w && g != g && r.nanAny
	case w == 0 && g == 0:
		return r.zeroAny || r.ulp > 0 || r.abs > 0
	case math.IsInf(w, 0) || math.IsInf(g, 0):
		return false
	}
	return ulps(n, want, got) <= r.ulp || math.Abs(w-g) <= r.abs
}

// toFloat returns the exact value of a float of n bits.
func toFloat(n int, v uint64) float64 {
	switch n {
	case 16:
		v = num.FCvt(16, 64, num.ModeSet, v)
	case 32:
		v = num.FCvt(32, 64, num.ModeSet, v)
	}
	return math.Float64frombits(v)
}

// ulps returns the distance of two floats of n bits in ULPs; +0 and -0 are the same.
func ulps(n int, a, b uint64) uint64 {
	x, y := order(n, a), order(n, b)
	if x < y {
		x, y = y, x
	}
	return uint64(x) - uint64(y)
}

// order maps floats to integers in the same order.
func order(n int, v uint64) int64 {
	sign := uint64(1) << (n - 1)
	if v&sign != 0 {
		return -int64(v &^ sign)
	}
	return int64(v)
}

// compareMemory reports the first element that differs from Final, or the first byte if the rule is not for floats. The
// elements are consecutive, from the address of the memory; bytes after the last whole element are compared as they
// are.
func compareMemory(k *launch.Case, list []casefile.Memory, r rule) string {
	for _, m := range list {
		if len(m.Data) == 0 {
			continue
		}
		got, err := k.Bytes(m.Space, m.Addr, uint64(len(m.Data)))
		if err != nil {
			return err.Error()
		}
		if at, w, g := r.firstApart(m.Data, got); at >= 0 {
			return fmt.Sprintf("%s memory at %#x is %s, want %s", m.Space, m.Addr+uint64(at), g, w)
		}
	}
	return ""
}

// firstApart returns the index of the first element, or byte, of got that differs from want, and both values as text;
// -1 if there is none.
func (r *rule) firstApart(want, got []byte) (at int, w, g string) {
	n := floatWidth(r.typ) / 8
	for at = 0; at < len(want); {
		if n == 0 || at+n > len(want) {
			if want[at] != got[at] {
				return at, fmt.Sprintf("%#02x", want[at]), fmt.Sprintf("%#02x", got[at])
			}
			at++
			continue
		}
		if x, y := littleEndian(want[at:at+n]), littleEndian(got[at:at+n]); !r.same(x, y) {
			return at, show(r.typ, 8*n, x), show(r.typ, 8*n, y)
		}
		at += n
	}
	return -1, "", ""
}

// littleEndian decodes a little-endian number of up to 8 bytes.
func littleEndian(b []byte) uint64 {
	var to [8]byte
	copy(to[:], b)
	return binary.LittleEndian.Uint64(to[:])
}

// show formats a value for a report: 0x3f800000 (1).
func show(typ string, bits int, v uint64) string {
	s := fmt.Sprintf("0x%0*x", bits/4, v)
	if n := floatWidth(typ); n == bits {
		s += fmt.Sprintf(" (%g)", toFloat(n, v))
	}
	return s
}
