package asm

import (
	mathbits "math/bits"
	"slices"

	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/isa"
)

// A bitset is a set of numbers from 0 up.
type bitset []uint64

// cleared returns an empty set of numbers below n, in the memory of b if there is room.
func (b bitset) cleared(n int) bitset {
	n = (n + 63) / 64
	b = slices.Grow(b[:0], n)[:n]
	clear(b)
	return b
}

func (b bitset) has(i int) bool { return b[i/64]>>(i%64)&1 != 0 }
func (b bitset) add(i int)      { b[i/64] |= 1 << (i % 64) }

// next returns the lowest element above i.
func (b bitset) next(i int) int {
	i++
	if w := b[i/64] >> (i % 64); w != 0 {
		return i + mathbits.TrailingZeros64(w)
	}
	for k := i/64 + 1; ; k++ {
		if b[k] != 0 {
			return 64*k + mathbits.TrailingZeros64(b[k])
		}
	}
}

// A memory caches the texts of instructions by their bytes. Only instructions are cached whose bytes decode the same
// whatever follows, and whose text is the same at any address. Tables do not grow: of two instructions with the same
// index the later one stays. The entries in use fit in the processor's cache.
type memory struct {
	shift  uint8 // of a hash, to make it an index
	begins []begin
	texts  []text
}

// newMemory returns a memory for up to most instructions of the shortest kind; most have twice that size.
func newMemory(most int) *memory {
	lg := min(max(mathbits.Len(uint(most/4)), 8), 16)
	return &memory{uint8(64 - lg), make([]begin, 1<<lg), make([]text, 1<<lg)}
}

// A begin is the first four bytes of instructions that are no branch.
type begin struct {
	word uint32
	size uint8 // in bytes, of the last one read; 0: none
}

// A text is the text of an instruction. It has the size of two cache lines, of which most use one.
type text struct {
	word bits.Word
	size uint8 // in bytes; 0: none
	n    uint8 // 0: not known yet, or too long
	text [110]byte
}

func hash(w bits.Word) uint64 { return (w.Lo ^ w.Hi<<1) * 0x9e3779b97f4a7c15 }

// beginning returns the entry for instructions that begin with w.
func (m *memory) beginning(w uint64) *begin {
	return &m.begins[w&0xffffffff*0x9e3779b97f4a7c15>>(m.shift&63)]
}

// find returns the text of the instruction of n bytes at the start of code, nil if it is not cached. The next address
// to look at does not depend on the result, so that a processor can run ahead.
func (m *memory) find(code []byte, n int) *text {
	w := bits.Load(code).First(n)
	if t := &m.texts[hash(w)>>(m.shift&63)]; int(t.size) == n && t.word == w && n != 0 {
		return t
	}
	return nil
}

// keep caches an instruction that decodes the same whatever follows and is no branch, with its text unless that is
// too long.
func (m *memory) keep(in *isa.Inst, line []byte) {
	t := &m.texts[hash(in.Word)>>(m.shift&63)]
	t.word, t.size, t.n = in.Word, in.Size, 0
	if len(line) <= len(t.text) {
		t.n = uint8(copy(t.text[:], line))
	}
}
