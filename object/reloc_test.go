package object

import (
	"encoding/binary"
	"math/bits"
	"testing"
)

// TestRelocFields: the range of the field of each relocation, by LLVM's "User Guide for AMDGPU Backend" and lld: the
// largest and the smallest value, and one beyond each. Those of a low or high half accept all values.
func TestRelocFields(t *testing.T) {
	type limits struct {
		size      int
		low, high int64 // 0, 0: any
	}
	want := map[RelocType]limits{
		1: {size: 4}, 2: {size: 4}, 3: {size: 8}, 5: {size: 8}, 8: {size: 4}, 9: {size: 4}, 10: {size: 4}, 11: {size: 4}, 13: {size: 8},
		4: {4, -1 << 31, 1<<31 - 1}, 7: {4, -1 << 31, 1<<31 - 1}, 14: {2, -1 << 15, 1<<15 - 1}, 6: {4, -1 << 31, 1<<32 - 1},
	}
	for i := range relocRules {
		r := &relocRules[i]
		l, ok := want[RelocType(i)]
		if ok != (r.size > 0) || l.size != int(r.size) {
			t.Errorf("%s: a field of %d bytes, want %d", r.name, r.size, l.size)
		}
		if !ok {
			continue
		}
		check := func(v int64, fits bool) {
			b := []byte{0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5}
			err := r.put(b, uint64(v))
			if (err == nil) != fits {
				t.Errorf("%s: %#x: %v", r.name, v, err)
			}
			var full [8]byte
			binary.LittleEndian.PutUint64(full[:], uint64(v))
			for k := range b {
				if in := k < l.size && fits; in && b[k] != full[k] || !in && b[k] != 0xa5 {
					t.Errorf("%s: %#x is written as % x", r.name, v, b)
					break
				}
			}
		}
		if l.high == 0 {
			for k := range 64 {
				check(int64(bits.RotateLeft64(3, k)), true)
			}
			continue
		}
		for _, v := range []int64{0, 1, -1, l.low, l.low + 1, l.high, l.high - 1} {
			check(v, true)
		}
		for _, v := range []int64{l.low - 1, l.high + 1, 2 * l.high, 2*l.low + 1, 1 << 62, -1 << 62} {
			check(v, false)
		}
	}
}
