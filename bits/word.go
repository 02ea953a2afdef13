// Package bits holds instruction words and ranges of their bits. It knows no instruction set.
//
// Bit 0 is the lowest bit of the first byte in memory; words are little-endian and at most 128 bits long.
package bits

import (
	"encoding/binary"
	"fmt"
	mathbits "math/bits"
)

// A Word is up to 128 bits of machine code. Bits beyond an instruction's length are zero.
type Word struct{ Lo, Hi uint64 }

// A Range is the bits Lo to Hi of a word, both included.
type Range struct{ Lo, Hi uint8 }

// Span is the range of bits lo to hi.
func Span(lo, hi int) Range { return Range{uint8(lo), uint8(hi)} }

// Len is the number of bits.
func (r Range) Len() int { return int(r.Hi) - int(r.Lo) + 1 }

func (r Range) String() string {
	if r.Lo == r.Hi {
		return fmt.Sprintf("%d", r.Lo)
	}
	return fmt.Sprintf("%d-%d", r.Lo, r.Hi)
}

// Ones is the number with the low n bits set.
func Ones(n int) uint64 {
	if n >= 64 {
		return ^uint64(0)
	}
	return 1<<n - 1
}

// Mask is the word with the bits of r set.
func (r Range) Mask() Word { return Word{Lo: Ones(r.Len())}.Shl(int(r.Lo)) }

// Low is the word with the low n bits set.
func Low(n int) Word {
	if n > 64 {
		return Word{^uint64(0), Ones(n - 64)}
	}
	return Word{Lo: Ones(n)}
}

// First returns the lowest n bytes of the word, n at most 31; if n is at least 16, all of it.
func (w Word) First(n int) Word { return w.And(firstBytes[n&31]) }

var firstBytes = func() (m [32]Word) {
	for n := range m {
		m[n] = Low(8 * min(n, 16))
	}
	return m
}()

// Shl is w shifted left by n, 0 to 127.
func (w Word) Shl(n int) Word {
	if n >= 64 {
		return Word{0, w.Lo << (n - 64)}
	}
	return Word{w.Lo << n, w.Hi<<n | w.Lo>>1>>(63-n)}
}

// Shr is w shifted right by n, 0 to 127.
func (w Word) Shr(n int) Word {
	if n >= 64 {
		return Word{w.Hi >> (n - 64), 0}
	}
	return Word{w.Lo>>n | w.Hi<<1<<(63-n), w.Hi >> n}
}

// And, Or, AndNot and Xor work bit by bit.
func (w Word) And(x Word) Word    { return Word{w.Lo & x.Lo, w.Hi & x.Hi} }
func (w Word) Or(x Word) Word     { return Word{w.Lo | x.Lo, w.Hi | x.Hi} }
func (w Word) AndNot(x Word) Word { return Word{w.Lo &^ x.Lo, w.Hi &^ x.Hi} }
func (w Word) Xor(x Word) Word    { return Word{w.Lo ^ x.Lo, w.Hi ^ x.Hi} }

// IsZero reports whether no bit is set.
func (w Word) IsZero() bool { return w.Lo|w.Hi == 0 }

// Bit is bit i, 0 or 1.
func (w Word) Bit(i int) uint64 { return w.Shr(i).Lo & 1 }

// Count is the number of bits set.
func (w Word) Count() int { return mathbits.OnesCount64(w.Lo) + mathbits.OnesCount64(w.Hi) }

// Get is the number in the bits of r, at most 64 of them.
func (w Word) Get(r Range) uint64 { return w.Shr(int(r.Lo)).Lo & Ones(r.Len()) }

// Put is w with the number v in the bits of r.
func (w Word) Put(r Range, v uint64) Word {
	return w.AndNot(r.Mask()).Or(Word{Lo: v & Ones(r.Len())}.Shl(int(r.Lo)))
}

// Load reads up to 16 bytes of code.
func Load(code []byte) Word {
	if len(code) >= 16 {
		return Word{binary.LittleEndian.Uint64(code), binary.LittleEndian.Uint64(code[8:])}
	}
	var b [16]byte
	copy(b[:], code)
	return Word{binary.LittleEndian.Uint64(b[:]), binary.LittleEndian.Uint64(b[8:])}
}

// Append appends the first n bytes of w in memory order.
func (w Word) Append(dst []byte, n int) []byte {
	var b [16]byte
	binary.LittleEndian.PutUint64(b[:], w.Lo)
	binary.LittleEndian.PutUint64(b[8:], w.Hi)
	return append(dst, b[:n]...)
}

// Hex is the first n bytes of w in memory order, as hexadecimal digits.
func (w Word) Hex(n int) string {
	const digits = "0123456789abcdef"
	out := make([]byte, 0, 32)
	for _, b := range w.Append(make([]byte, 0, 16), n) {
		out = append(out, digits[b>>4], digits[b&15])
	}
	return string(out)
}

// Ranges is a field in one or more ranges of bits, the lowest bits of the number first.
type Ranges []Range

// Len is the number of bits of the field.
func (rs Ranges) Len() int {
	n := 0
	for _, r := range rs {
		n += r.Len()
	}
	return n
}

// Mask is the word with the bits of all ranges set.
func (rs Ranges) Mask() (m Word) {
	for _, r := range rs {
		m = m.Or(r.Mask())
	}
	return m
}

// Get returns the number in the ranges of w.
func (rs Ranges) Get(w Word) (v uint64) {
	at := 0
	for _, r := range rs {
		v |= w.Get(r) << at
		at += r.Len()
	}
	return v
}

// Put returns w with the number v in the ranges.
func (rs Ranges) Put(w Word, v uint64) Word {
	for _, r := range rs {
		w = w.Put(r, v)
		v >>= r.Len()
	}
	return w
}
