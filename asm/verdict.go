package asm

import (
	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/isa"
)

// A bitset has a bit for each of a run of numbers from 0 up.
type bitset []uint64

func newBitset(n int) bitset { return make(bitset, (n+63)/64) }

func (b bitset) has(i int) bool { return b[i/64]>>(i%64)&1 != 0 }
func (b bitset) add(i int)      { b[i/64] |= 1 << (i % 64) }

// A memory remembers what a listing says of instructions, by their bytes. Code says the same again and again; decoding,
// printing and above all parsing the text once more are most of the work. Only what stands for itself is remembered: its
// bytes are it whatever follows, its text is the same at any address. Tables have one size: of two instructions that fall
// into one place the later one stays. That of texts is small enough for a cache, that of verdicts saves what costs most.
type memory struct {
	sizes    [1 << 12]uint8 // of the last instruction with these first bytes: a guess
	texts    [1 << 14]text
	verdicts [1 << 16]verdict
}

// A text is that of an instruction, in the size of a cache line.
type text struct {
	word  bits.Word
	size  uint8 // in bytes; 0: none
	exact bool  // the assembler makes the same bytes of it
	n     uint8 // 0: not known yet
	text  [45]byte
}

// A verdict says whether the assembler makes the same bytes of an instruction's text.
type verdict struct {
	word  bits.Word
	size  uint8 // in bytes; 0: none
	exact bool
}

func hash(w bits.Word) uint64 { return (w.Lo ^ w.Hi<<1) * 0x9e3779b97f4a7c15 }

// first is a place by the first four bytes.
func first(w bits.Word) uint64 { return w.Lo & 0xffffffff * 0x9e3779b97f4a7c15 >> 52 }

// find is the text of the instruction at the start of code, nil if it is not remembered.
func (m *memory) find(code []byte) *text {
	w := bits.Load(code)
	n := m.sizes[first(w)]
	w = w.And(bits.Low(8 * int(n)))
	if t := &m.texts[hash(w)>>50]; t.size == n && t.word == w && n != 0 && int(n) <= len(code) {
		return t
	}
	return nil
}

// keep remembers an instruction that stands for itself and is no branch, with its text unless that is too long.
func (m *memory) keep(in *isa.Inst, exact bool, line []byte) {
	t := &m.texts[hash(in.Word)>>50]
	m.sizes[first(in.Word)] = in.Size
	t.word, t.size, t.exact = in.Word, in.Size, exact
	if t.n = 0; len(line) <= len(t.text) {
		t.n = uint8(copy(t.text[:], line))
	}
}

// verdict is where that of an instruction is kept, and whether it is there.
func (m *memory) verdict(in *isa.Inst) (at *verdict, ok bool) {
	v := &m.verdicts[hash(in.Word)>>48]
	return v, v.size == in.Size && v.word == in.Word
}
