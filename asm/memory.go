package asm

import (
	"encoding/binary"
	mathbits "math/bits"

	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/isa"
)

// A bitset is a set of numbers from 0 up.
type bitset []uint64

func newBitset(n int) bitset { return make(bitset, (n+63)/64) }

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

// A memory caches the texts of instructions by their bytes. Code repeats itself, and decoding, printing and above all
// checking the text by parsing it are most of the work. Only instructions are cached whose bytes decode the same
// whatever follows, and whose text is the same at any address. Tables do not grow: of two instructions with the same
// index the later one stays. The entries in use fit in the processor's cache.
type memory struct {
	shift    uint8 // of a hash, to make it an index
	begins   []begin
	texts    []text
	verdicts []verdict
}

// newMemory returns a memory for up to most instructions of the shortest kind; most have twice that size.
func newMemory(most int) *memory {
	lg := min(max(mathbits.Len(uint(most/4)), 8), 16)
	return &memory{uint8(64 - lg), make([]begin, 1<<lg), make([]text, 1<<lg), make([]verdict, 1<<lg)}
}

// A begin is the first four bytes of instructions that are no branch.
type begin struct {
	word uint32
	size uint8 // in bytes, of the last one read; 0: none
	all  bool  // all instructions that begin so have this size
}

// A text is the text of an instruction. It has the size of two cache lines, of which most use one.
type text struct {
	word  bits.Word
	size  uint8 // in bytes; 0: none
	exact bool  // the text assembles to the same bytes
	n     uint8 // 0: not known yet, or too long
	text  [109]byte
}

// A verdict says whether an instruction's text assembles to the same bytes.
type verdict struct {
	word  bits.Word
	size  uint8 // in bytes; 0: none
	exact bool
}

func hash(w bits.Word) uint64 { return (w.Lo ^ w.Hi<<1) * 0x9e3779b97f4a7c15 }

// beginning returns the entry for instructions that begin with w.
func (m *memory) beginning(w uint64) *begin {
	return &m.begins[w&0xffffffff*0x9e3779b97f4a7c15>>(m.shift&63)]
}

// size returns the size of the instruction at the start of code, which is no branch; 0 if it is unknown.
func (m *memory) size(code []byte) int {
	if len(code) < 16 {
		return 0
	}
	w := binary.LittleEndian.Uint32(code)
	b := m.beginning(uint64(w))
	if b.word != w || !b.all && m.find(code, int(b.size)) == nil {
		return 0
	}
	return int(b.size)
}

// begin records the first bytes of an instruction that is no branch, and reports whether all that begin so have its
// size.
func (m *memory) begin(t *isa.Target, in *isa.Inst) (all bool) {
	b := m.beginning(in.Word.Lo)
	if w := uint32(in.Word.Lo); b.word != w || b.size != in.Size {
		*b = begin{w, in.Size, in.Size >= 4 && t.Begins(in, 4)}
	}
	return b.all
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
func (m *memory) keep(in *isa.Inst, exact bool, line []byte) {
	t := &m.texts[hash(in.Word)>>(m.shift&63)]
	t.word, t.size, t.exact, t.n = in.Word, in.Size, exact, 0
	if len(line) <= len(t.text) {
		t.n = uint8(copy(t.text[:], line))
	}
}

// verdict returns the entry for the verdict on an instruction, and whether it is valid.
func (m *memory) verdict(in *isa.Inst) (at *verdict, ok bool) {
	v := &m.verdicts[hash(in.Word)>>(m.shift&63)]
	return v, v.size == in.Size && v.word == in.Word
}
