package asm

import (
	"encoding/binary"
	mathbits "math/bits"

	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/isa"
)

// A bitset has a bit for each of a run of numbers from 0 up.
type bitset []uint64

func newBitset(n int) bitset { return make(bitset, (n+63)/64) }

func (b bitset) has(i int) bool { return b[i/64]>>(i%64)&1 != 0 }
func (b bitset) add(i int)      { b[i/64] |= 1 << (i % 64) }

// next is the lowest number above i.
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

// A memory remembers what is said of instructions, by their bytes. Code says the same again and again; decoding, printing
// and above all parsing the text once more are most of the work. Only what stands for itself is remembered: its bytes are it
// whatever follows, its text is the same at any address. Tables do not grow: of two instructions that fall into one place
// the later one stays. A processor's cache holds what of them is in use.
type memory struct {
	shift    uint8 // of a hash, to make it a place
	begins   []begin
	texts    []text
	verdicts []verdict
}

// newMemory is a memory for so many instructions of the shortest kind; most have twice the size.
func newMemory(most int) *memory {
	lg := min(max(mathbits.Len(uint(most/4)), 8), 16)
	return &memory{uint8(64 - lg), make([]begin, 1<<lg), make([]text, 1<<lg), make([]verdict, 1<<lg)}
}

// A begin is the first four bytes of instructions that are no branch.
type begin struct {
	word uint32
	size uint8 // in bytes, of the last one met; 0: none
	all  bool  // of all of them
}

// A text is that of an instruction, in the size of two cache lines, of which most need one.
type text struct {
	word  bits.Word
	size  uint8 // in bytes; 0: none
	exact bool  // the assembler makes the same bytes of it
	n     uint8 // 0: not known yet, or too long
	text  [109]byte
}

// A verdict says whether the assembler makes the same bytes of an instruction's text.
type verdict struct {
	word  bits.Word
	size  uint8 // in bytes; 0: none
	exact bool
}

func hash(w bits.Word) uint64 { return (w.Lo ^ w.Hi<<1) * 0x9e3779b97f4a7c15 }

// beginning is where the instructions are kept that begin as w does.
func (m *memory) beginning(w uint64) *begin {
	return &m.begins[w&0xffffffff*0x9e3779b97f4a7c15>>(m.shift&63)]
}

// size is that of the instruction at the start of code, 0 if it is not known. It is no branch.
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

// begin notes how an instruction that is no branch begins, and reports whether all that begin so have its size.
func (m *memory) begin(t *isa.Target, in *isa.Inst) (all bool) {
	b := m.beginning(in.Word.Lo)
	if w := uint32(in.Word.Lo); b.word != w || b.size != in.Size {
		*b = begin{w, in.Size, in.Size >= 4 && t.Begins(in, 4)}
	}
	return b.all
}

// find is the text of the instruction of n bytes at the start of code, nil if it is not remembered. The next place to look at
// does not depend on what is found here, so that a processor can go there already.
func (m *memory) find(code []byte, n int) *text {
	w := bits.Load(code).First(n)
	if t := &m.texts[hash(w)>>(m.shift&63)]; int(t.size) == n && t.word == w && n != 0 {
		return t
	}
	return nil
}

// keep remembers an instruction that stands for itself and is no branch, with its text unless that is too long.
func (m *memory) keep(in *isa.Inst, exact bool, line []byte) {
	t := &m.texts[hash(in.Word)>>(m.shift&63)]
	t.word, t.size, t.exact, t.n = in.Word, in.Size, exact, 0
	if len(line) <= len(t.text) {
		t.n = uint8(copy(t.text[:], line))
	}
}

// verdict is where that of an instruction is kept, and whether it is there.
func (m *memory) verdict(in *isa.Inst) (at *verdict, ok bool) {
	v := &m.verdicts[hash(in.Word)>>(m.shift&63)]
	return v, v.size == in.Size && v.word == in.Word
}
