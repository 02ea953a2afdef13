package gen

import (
	"github.com/heddle-gpu/heddle/internal/jit/x86"
	"github.com/heddle-gpu/heddle/internal/lower"
)

// Footprints. If the memory accesses of waves are recorded, they are marked before they happen: a byte for each word,
// in a page of marks that the site's table names. The code exits before the access if there is no such page, or if a
// lane's access is on two pages; then the caller records it.

// A footprintEmitter emits the marks of an access in the footprint. It uses the registers of the access itself, except
// regBits, which holds the table. For a uniform access it needs rax, rcx, regHost, regFirst and regBits.
type footprintEmitter struct {
	*accessor
	table      x86.Operand
	base, last x86.Operand // of the segment
}

// markFootprint emits the marks of the access, if it may have to be marked.
func (w *accessor) markFootprint() {
	if !w.s.Recorded || w.s.TransferKind.Do == lower.CheckOnly {
		return
	}
	a, done := w.a, w.a.NewLabel()
	n := &footprintEmitter{w, regBits, wordAt(w.s.Site + lower.SiteBase), wordAt(w.s.Site + lower.SiteLast)}
	a.Emit(x86.MOV, n.table, wordAt(w.s.Site+lower.SiteMarks))
	a.Emit(x86.TEST, n.table, n.table)
	a.Emit(x86.JE, x86.To(done))
	if w.s.Mask.Kind == 0 { // once per wave
		a.Emit(x86.MOV, x86.RAX, wordAt(w.s.Args[0].At))
		n.markLane()
		a.Bind(done)
		return
	}
	a.Emit(x86.MOV, regBase, n.base)
	a.Emit(x86.MOV, regLast, n.last)
	n.base, n.last = regBase, regLast
	w.loadMask(done)
	if n.marksVectors() {
		n.markConsecutive(done)
	}
	if n.c.b.Lanes%8 == 0 {
		n.markEights(done)
	}
	again := a.NewLabel()
	a.Emit(x86.MOV, regIndex, regMask)
	a.Align(16)
	a.Bind(again)
	a.Emit(x86.TZCNT, x86.RCX, regIndex)
	a.Emit(x86.BLSR, regIndex, regIndex)
	w.address(x86.RAX, x86.R32(0), w.laneAddress(x86.RCX))
	n.markLane()
	a.Emit(x86.TEST, regIndex, regIndex)
	a.Emit(x86.JNE, x86.To(again))
	a.Bind(done)
}

// bytes returns the bytes that a lane accesses.
func (n *footprintEmitter) bytes() int32 { return int32(n.s.Access.Bytes) }

// markLane marks the access of one lane, whose address is in rax.
func (n *footprintEmitter) markLane() {
	a := n.a
	n.loadOffset()
	a.Emit(x86.LEA, x86.RCX, x86.At(x86.RAX, n.bytes()-1))
	a.Emit(x86.MOV, regFirst, x86.RAX)
	a.Emit(x86.SHR, regFirst, x86.Imm(lower.PageShift))
	a.Emit(x86.MOV, regHost, x86.RCX)
	a.Emit(x86.SHR, regHost, x86.Imm(lower.PageShift))
	a.Emit(x86.CMP, regHost, regFirst)
	a.Emit(x86.JNE, x86.To(n.leave))
	n.loadPage()
	n.wordNumber(0)
	n.wordNumber(1)
	n.markWords()
	a.Emit(x86.MOV, x86.At(regFirst, 0).Index(x86.RCX, 1).Size(1), x86.Imm(1)) // the last word of a misaligned access
}

// markWords marks the words of a lane from number rax on.
func (n *footprintEmitter) markWords() {
	a, marks := n.a, x86.At(regFirst, 0).Index(x86.RAX, 1)
	left := (n.bytes() + 3) / 4
	for at := int32(0); left > 0; {
		size := min(left, 4)
		if size == 3 {
			size = 2
		}
		ones := [...]int64{1: 1, 2: 0x101, 4: 0x1010101}[size]
		a.Emit(x86.MOV, marks.Plus(at).Size(int(size)), x86.Imm(ones))
		at, left = at+size, left-size
	}
}

// loadOffset makes the address in rax an offset in the segment. It exits if the access will be rejected.
func (n *footprintEmitter) loadOffset() {
	if n.s.Align > 1 {
		n.a.Emit(x86.TEST, x86.RAX, x86.Imm(int64(n.s.Align-1)))
		n.a.Emit(x86.JNE, x86.To(n.leave))
	}
	n.a.Emit(x86.SUB, x86.RAX, n.base)
	n.a.Emit(x86.CMP, x86.RAX, n.last)
	n.a.Emit(x86.JA, x86.To(n.leave))
}

// loadPage replaces the page number in regFirst by the address of its marks.
func (n *footprintEmitter) loadPage() {
	n.a.Emit(x86.MOV, regFirst, x86.At(n.table, 0).Index(regFirst, 8))
	n.a.Emit(x86.TEST, regFirst, regFirst)
	n.a.Emit(x86.JE, x86.To(n.leave))
}

// wordNumber replaces an offset by the number of its word in its page.
func (n *footprintEmitter) wordNumber(reg int) {
	n.a.Emit(x86.AND, x86.R32(reg), x86.Imm(1<<lower.PageShift-1))
	n.a.Emit(x86.SHR, x86.R32(reg), x86.Imm(lower.WordShift))
}

// waveWords returns how many words a wave of consecutive lanes marks.
func (n *footprintEmitter) waveWords() int32 { return int32(n.c.b.Lanes) * n.bytes() / 4 }

// marksVectors reports whether such waves can be marked as vectors.
func (n *footprintEmitter) marksVectors() bool {
	return n.c.b.Lanes%16 == 0 && n.waveWords()%16 == 0 && n.waveWords()*4 <= 1<<lower.PageShift && n.s.Access.Bytes%n.s.Align == 0
}

// markConsecutive marks a wave whose lanes are all active, consecutive and on one page. It continues at done, or falls
// through for other waves.
func (n *footprintEmitter) markConsecutive(done x86.Label) {
	a, others := n.a, n.a.NewLabel()
	if !n.allLanes() {
		a.Emit(x86.CMP, regMask, arg(argFull))
		a.Emit(x86.JNE, x86.To(others))
	}
	n.address(x86.RAX, x86.R32(0), n.firstLaneAddress())
	a.Emit(x86.TEST, x86.RAX, x86.Imm(1<<lower.WordShift-1))
	a.Emit(x86.JNE, x86.To(others))
	(&access256{accessor: n.accessor}).unlessWhole(n.bytes(), others)
	if !n.addr64() { // addresses of 32 bits wrap
		a.Emit(x86.MOV, x86.R32(1), x86.R32(0))
		a.Emit(x86.ADD, x86.R32(1), x86.Imm(int64(n.waveWords()*4-n.bytes())))
		a.Emit(x86.JB, x86.To(others))
	}
	n.loadOffset()
	a.Emit(x86.LEA, x86.RCX, x86.At(x86.RAX, n.waveWords()*4-n.bytes()))
	a.Emit(x86.CMP, x86.RCX, n.last)
	a.Emit(x86.JA, x86.To(n.leave))
	a.Emit(x86.MOV, regFirst, x86.RAX)
	a.Emit(x86.SHR, regFirst, x86.Imm(lower.PageShift))
	n.wordNumber(0)
	a.Emit(x86.CMP, x86.RAX, x86.Imm(int64(1<<(lower.PageShift-lower.WordShift)-n.waveWords())))
	a.Emit(x86.JA, x86.To(others)) // the end is on the next page
	n.loadPage()
	a.Emit(x86.VPCMPEQD, x86.Y(0), x86.Y(0), x86.Y(0))
	for at := int32(0); at < n.waveWords(); {
		v, size := x86.Y(0), int32(32)
		if n.waveWords()-at < 32 {
			v, size = x86.X(0), 16
		}
		a.Emit(x86.VMOVDQU, x86.At(regFirst, at).Index(x86.RAX, 1), v)
		at += size
	}
	a.Emit(x86.JMP, x86.To(done))
	a.Bind(others)
}
