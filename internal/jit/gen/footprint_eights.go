package gen

import (
	"math/bits"

	"github.com/heddle-gpu/heddle/internal/jit/code"
	"github.com/heddle-gpu/heddle/internal/jit/x86"
	"github.com/heddle-gpu/heddle/internal/lower"
)

// Lanes that are not consecutive are marked in groups of eight: if all eight are active they are checked as vectors,
// and marked one after the other if they access whole words of one page. Other lanes remain for the loop over lanes.

// Vectors of a group of eight lanes.
const (
	eightOff, eightBad, eightPage, eightFree, eightHigh, eightMore = 0, 1, 2, 3, 4, 5

	eightBase  = 8  // minus the segment's first address, in the width of addresses
	eightLast  = 9  // the largest permitted offset
	eightLacks = 10 // bits that are 0 in aligned offsets
	eightEnd   = 11 // from a lane's first byte to its last
	eightWord  = 12 // the bits of an offset in its page
)

// regRest holds the lanes that remain.
var regRest = regHost

// markEights marks lanes. Those that remain are in regMask afterwards; it jumps to done if there are none.
func (n *footprintEmitter) markEights(done x86.Label) {
	a := n.a
	again, next, others, lanes := a.NewLabel(), a.NewLabel(), a.NewLabel(), a.NewLabel()
	n.loadInvariants(lanes)
	a.Emit(x86.MOV, regIndex, regMask)
	a.Emit(x86.XOR, x86.R32(1), x86.R32(1))
	a.Emit(x86.XOR, x86.R32(12), x86.R32(12))
	a.Align(16)
	a.Bind(again)
	a.Emit(x86.MOVZX, x86.R32(0), x86.G(8, 9))
	a.Emit(x86.CMP, x86.R32(0), x86.Imm(0xff))
	a.Emit(x86.JNE, x86.To(others))
	n.eightWords(others)
	n.markEightWords()
	a.Bind(next)
	a.Emit(x86.ADD, x86.R32(1), x86.Imm(8))
	a.Emit(x86.SHR, regIndex, x86.Imm(8))
	a.Emit(x86.JNE, x86.To(again))
	a.Emit(x86.MOV, regMask, regRest)
	a.Emit(x86.TEST, regMask, regMask)
	a.Emit(x86.JE, x86.To(done))
	a.Emit(x86.JMP, x86.To(lanes))
	a.Bind(others)
	a.Emit(x86.MOVZX, x86.R32(0), x86.G(8, 9))
	a.Emit(x86.SHL, x86.RAX, x86.G(8, 1))
	a.Emit(x86.OR, regRest, x86.RAX)
	a.Emit(x86.JMP, x86.To(next))
	a.Bind(lanes)
}

// loadInvariants loads what all groups need into registers. It jumps to lanes if offsets or addresses are not 32-bit
// numbers everywhere in the segment, or if the segment is not aligned.
func (n *footprintEmitter) loadInvariants(lanes x86.Label) {
	a, y := n.a, func(i int) x86.Operand { return x86.Y(i) }
	unit := min(n.s.Access.Bytes, 1<<lower.WordShift) // within one word, or whole words
	if bits.OnesCount64(n.s.Access.Bytes) != 1 {
		unit = 1 << lower.WordShift
	}
	lacks := int64(max(n.s.Align, unit) - 1)
	a.Emit(x86.MOV, x86.RAX, regLast)
	if !n.addr64() {
		a.Emit(x86.ADD, x86.RAX, regBase) // no lane has addresses beyond 32 bits
	}
	a.Emit(x86.SHR, x86.RAX, x86.Imm(32))
	a.Emit(x86.JNE, x86.To(lanes))
	a.Emit(x86.TEST, x86.R32(10), x86.Imm(lacks))
	a.Emit(x86.JNE, x86.To(lanes))
	a.Emit(x86.MOV, x86.RAX, regBase)
	a.Emit(x86.NEG, x86.RAX)
	a.Emit(x86.VMOVQ, x86.X(eightBase), x86.RAX)
	if n.addr64() {
		a.Emit(x86.VPBROADCASTQ, y(eightBase), x86.X(eightBase))
	} else {
		a.Emit(x86.VPBROADCASTD, y(eightBase), x86.X(eightBase))
	}
	a.Emit(x86.VMOVD, x86.X(eightLast), x86.R32(11))
	a.Emit(x86.VPBROADCASTD, y(eightLast), x86.X(eightLast))
	for _, c := range []struct {
		to int
		v  int64
	}{{eightLacks, lacks}, {eightEnd, int64(n.bytes() - 1)}, {eightWord, 1<<lower.PageShift - 1}} {
		a.Emit(x86.MOV, x86.R32(0), x86.Imm(c.v))
		a.Emit(x86.VMOVD, x86.X(c.to), x86.R32(0))
		a.Emit(x86.VPBROADCASTD, y(c.to), x86.X(c.to))
	}
}

// eightOffsets computes the offsets of eight lanes in eightOff, and in eightBad the bits that must be 0 in them. Ecx
// is the first lane.
func (n *footprintEmitter) eightOffsets() {
	a, y := n.a, func(i int) x86.Operand { return x86.Y(i) }
	at := n.laneAddress(x86.RCX)
	if !n.addr64() {
		a.Emit(x86.VPADDD, y(eightOff), y(eightBase), at)
		a.Emit(x86.VPXOR, y(eightBad), y(eightBad), y(eightBad))
		return
	}
	a.Emit(x86.VPADDQ, y(eightFree), y(eightBase), at)
	a.Emit(x86.VPADDQ, y(eightMore), y(eightBase), at.Plus(32))
	n.c.gatherWords(y(eightOff), y(eightFree), y(eightMore), lowWords)
	n.c.gatherWords(y(eightBad), y(eightFree), y(eightMore), highWords)
}

// eightWords computes the words of eight lanes as numbers in their page, in the context's room, and the address of the
// page's marks in regFirst. It jumps to others if these lanes cannot be marked as a group.
func (n *footprintEmitter) eightWords(others x86.Label) {
	a, y := n.a, func(i int) x86.Operand { return x86.Y(i) }
	bad := func(v int) { a.Emit(x86.VPOR, y(eightBad), y(eightBad), y(v)) }
	n.eightOffsets()
	a.Emit(x86.VPMINUD, y(eightFree), y(eightOff), y(eightLast))
	a.Emit(x86.VPXOR, y(eightFree), y(eightFree), y(eightOff))
	bad(eightFree)
	a.Emit(x86.VPAND, y(eightFree), y(eightOff), y(eightLacks))
	bad(eightFree)
	a.Emit(x86.VPSRLD, y(eightFree), y(eightOff), x86.Imm(lower.PageShift))
	a.Emit(x86.VPBROADCASTD, y(eightPage), x86.X(eightFree))
	a.Emit(x86.VPXOR, y(eightFree), y(eightFree), y(eightPage))
	bad(eightFree)
	a.Emit(x86.VPADDD, y(eightFree), y(eightOff), y(eightEnd))
	a.Emit(x86.VPSRLD, y(eightFree), y(eightFree), x86.Imm(lower.PageShift))
	a.Emit(x86.VPXOR, y(eightFree), y(eightFree), y(eightPage))
	bad(eightFree)
	a.Emit(x86.VPTEST, y(eightBad), y(eightBad))
	a.Emit(x86.JNE, x86.To(others))
	a.Emit(x86.VMOVD, x86.R32(13), x86.X(eightPage))
	n.loadPage()
	a.Emit(x86.VPAND, y(eightOff), y(eightOff), y(eightWord))
	a.Emit(x86.VPSRLD, y(eightOff), y(eightOff), x86.Imm(lower.WordShift))
	a.Emit(x86.VMOVDQU, x86.At(x86.RDI, code.OffRoom), y(eightOff))
}

// markEightWords marks the words of eight lanes.
func (n *footprintEmitter) markEightWords() {
	for lane := range int32(8) {
		n.a.Emit(x86.MOV, x86.R32(0), x86.At(x86.RDI, code.OffRoom+4*lane).Size(4))
		n.markWords()
	}
}
