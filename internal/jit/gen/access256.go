package gen

import (
	"math/bits"

	"github.com/heddle-gpu/heddle/internal/jit/x86"
	"github.com/heddle-gpu/heddle/internal/lower"
	"github.com/heddle-gpu/heddle/ir"
)

// With vectors of 256 bits, and no mask registers, accesses check 8 lanes at a time, or 4 with addresses of 64 bits.
// Then they move 8 lanes at a time: see access256_move.go. With wider vectors this code is also used for elements of
// one and two bytes and for atomics.

// An access256 emits such an access.
//
// Vectors: 0 is the segment's first address, 1 the largest permitted offset, 2 the largest offset found, 3 the
// addresses of consecutive lanes, 4 the distance to the next ones, 5 the bits in which addresses differ from those, 6
// the bits of all addresses; 7 and above are free.
type access256 struct {
	*accessor
	some   bool // eights may have inactive lanes, of which loads are to be 0
	inRoom bool // the addresses of the eight are in the context's room
}

// Vector numbers.
const (
	yBase, yLast, yMost, yWant, yStep, yDiffer, yBits = 0, 1, 2, 3, 4, 5, 6
	yFree, ySpread                                    = 7, 8 // the latter is that of broadcastWord
	yOther                                            = 9
	yMask, yBit, yActive                              = 10, 11, 13 // for waves with inactive lanes
)

// maxUnrolled is the largest number of elements per lane that are moved without a loop over lanes.
const maxUnrolled = 4

// regBits holds the address of the table of lane bits.
var regBits = x86.R14

// access256 returns the emitter of the access for whole waves; ok is false if there is none.
func (w *accessor) access256() (n *access256, ok bool) {
	k := w.s.TransferKind
	if w.c.wide() && k.Bytes >= 4 && k.Do != lower.AtomicElem || w.c.b.Lanes%16 != 0 {
		return nil, false
	}
	return &access256{accessor: w}, true
}

// checkWave emits the access for waves whose lanes are all active, which continues at done, and the checks for other
// waves. move emits the moves after the checks. It reports whether there are no other waves.
func (w *accessor) checkWave(done x86.Label, move func(n *access256)) bool {
	n, ok := w.access256()
	switch {
	case !ok && w.c.wide():
		w.check512()
		return false
	case !ok:
		w.checkEachLane()
		return false
	}
	some := w.ifInactive()
	n.check(false)
	move(n)
	if w.allLanes() {
		return true
	}
	w.a.Emit(x86.JMP, x86.To(done))
	w.a.Bind(some)
	n.check(true)
	return false
}

// ifInactive returns a label to which the code jumps if a lane is inactive.
func (w *accessor) ifInactive() x86.Label {
	some := w.a.NewLabel()
	if !w.allLanes() {
		w.a.Emit(x86.CMP, regMask, arg(argFull))
		w.a.Emit(x86.JNE, x86.To(some))
	}
	return some
}

// ops returns the instructions on addresses.
func (w *access256) ops() *addressOps { return addressOpsOf(w.addr64()) }

// broadcast fills a vector from memory or from its own lowest element.
func (w *access256) broadcast(y int, from x86.Operand) { w.a.Emit(w.ops().broadcast, x86.Y(y), from) }

// broadcastImm fills a vector with a number of up to 31 bits.
func (w *access256) broadcastImm(y int, n int64) {
	w.a.Emit(x86.MOV, x86.R32(1), x86.Imm(n))
	w.a.Emit(x86.VMOVD, x86.X(y), x86.R32(1))
	w.broadcast(y, x86.X(y))
}

// vectors is the number of vectors that hold the addresses of 8 lanes.
func (w *access256) vectors() int { return w.ops().vectors }

// multiplesOf fills vector y with multiples of a size below 256, starting at 0.
func (w *access256) multiplesOf(y int, bytes int32) {
	op := w.ops()
	w.a.Emit(op.extend, x86.Y(y), w.c.table(laneNumbers8))
	if n := uint32(bytes); bits.OnesCount32(n) == 1 {
		w.a.Emit(op.shift, x86.Y(y), x86.Y(y), x86.Imm(int64(bits.TrailingZeros32(n))))
		return
	}
	w.broadcastImm(yFree, int64(bytes))
	w.a.Emit(op.mul, x86.Y(y), x86.Y(y), x86.Y(yFree))
}

// check checks all lanes, or the active ones if some, and exits if one is rejected. Offsets and addresses are compared
// as 32-bit words: the upper halves must be 0.
func (w *access256) check(some bool) {
	a := w.a
	y := func(n int) x86.Operand { return x86.Y(n) }
	w.loadLimits()
	a.Emit(x86.VPXOR, y(yMost), y(yMost), y(yMost))
	a.Emit(x86.VPXOR, y(yBits), y(yBits), y(yBits))
	if some {
		a.Emit(x86.LEA, regBits, w.c.table(laneBits))
	}
	w.iterations(func() {
		if some {
			a.Emit(x86.VMOVD, x86.X(yMask), x86.R32(0))
			w.broadcast(yMask, x86.X(yMask))
		}
		for i := range 2 * w.vectors() {
			w.checkVector(i, some)
		}
	})
	w.unlessWithin()
}

// unlessWithin exits if the largest offset that was found, or the bits of all addresses, are not permitted.
func (w *access256) unlessWithin() {
	a := w.a
	y := func(n int) x86.Operand { return x86.Y(n) }
	a.Emit(x86.VPMAXUD, y(yMost), y(yMost), y(yLast))
	a.Emit(x86.VPXOR, y(yMost), y(yMost), y(yLast))
	a.Emit(x86.VPTEST, y(yMost), y(yMost))
	a.Emit(x86.JNE, x86.To(w.leave))
	if w.s.Align > 1 {
		w.broadcastImm(yFree, int64(w.s.Align-1))
		a.Emit(x86.VPTEST, y(yBits), y(yFree))
		a.Emit(x86.JNE, x86.To(w.leave))
	}
}

// unlessWhole jumps if the lanes of the wave are not consecutive, with that many bytes each.
func (w *access256) unlessWhole(bytes int32, to x86.Label) {
	a, add := w.a, w.ops().add
	y := func(n int) x86.Operand { return x86.Y(n) }
	w.multiplesOf(yWant, bytes)
	w.broadcast(yFree, w.firstLaneAddress())
	a.Emit(add, y(yWant), y(yWant), y(yFree))
	w.broadcastImm(yStep, int64(8/w.vectors())*int64(bytes))
	a.Emit(x86.VPXOR, y(yDiffer), y(yDiffer), y(yDiffer))
	for at := range int32(w.c.b.Lanes / 8 * w.vectors()) {
		if at > 0 {
			a.Emit(add, y(yWant), y(yWant), y(yStep))
		}
		a.Emit(x86.VPXOR, y(yOther), y(yWant), w.firstLaneAddress().Plus(32*at))
		a.Emit(x86.VPOR, y(yDiffer), y(yDiffer), y(yOther))
	}
	a.Emit(x86.VPTEST, y(yDiffer), y(yDiffer))
	a.Emit(x86.JNE, x86.To(to))
}

// checkVector checks vector i of an iteration.
func (w *access256) checkVector(i int, some bool) {
	a, at := w.a, x86.Y(yFree)
	y := func(n int) x86.Operand { return x86.Y(n) }
	sub := w.ops().sub
	a.Emit(x86.VMOVDQU, at, w.addressVector(i))
	if some {
		w.activeLanes(i)
	}
	if w.s.Align > 1 {
		bits := at
		if some {
			bits = y(yOther)
			a.Emit(x86.VPAND, bits, at, y(yActive))
		}
		a.Emit(x86.VPOR, y(yBits), y(yBits), bits)
	}
	a.Emit(sub, at, at, y(yBase))
	if some {
		a.Emit(x86.VPAND, at, at, y(yActive))
	}
	a.Emit(x86.VPMAXUD, y(yMost), y(yMost), at)
}

// activeLanes sets the active lanes of vector i of an iteration to ones, the others to 0.
func (w *access256) activeLanes(i int) {
	a, bit, takes := w.a, x86.Y(yBit), x86.Y(yActive)
	if w.addr64() {
		a.Emit(x86.VPMOVZXDQ, bit, x86.At(regBits, int32(16*i)))
	} else {
		a.Emit(x86.VMOVDQU, bit, x86.At(regBits, int32(32*i)))
	}
	a.Emit(x86.VPAND, takes, x86.Y(yMask), bit)
	a.Emit(w.ops().equal, takes, takes, bit)
}

// loadLimits loads the bounds of the cached segment into vectors. It exits if the segment is too large for 32 bits, or
// ends beyond the reach of 32-bit addresses, or if lanes within it may be consecutive only modulo 2^32.
func (w *access256) loadLimits() {
	a := w.a
	a.Emit(x86.LEA, x86.RAX, x86.At(regLast, ir.MaxLanes*maxStride))
	a.Emit(x86.SHR, x86.RAX, x86.Imm(32))
	a.Emit(x86.JNE, x86.To(w.leave))
	if !w.addr64() {
		a.Emit(x86.LEA, x86.RAX, x86.At(regLast, 0).Index(regBase, 1))
		a.Emit(x86.SHR, x86.RAX, x86.Imm(32))
		a.Emit(x86.JNE, x86.To(w.leave))
	}
	w.broadcast(yBase, wordAt(w.s.Site+lower.SiteBase))
	w.broadcast(yLast, wordAt(w.s.Site+lower.SiteLast))
}

// addressVector is the operand of vector i of the addresses of an iteration: one of two or four.
func (w *access256) addressVector(i int) x86.Operand {
	return w.eightLanesOf(w.s.Args[0], i/w.vectors()).Plus(int32(i % w.vectors() * 32))
}

// laneOperand is the operand of a value in a lane of half of an iteration.
func (w *access256) laneOperand(p lower.Place, half, lane int) x86.Operand {
	size := int32(4)
	if p.Kind == lower.InVec {
		size = 8
	}
	return w.eightLanesOf(p, half).Plus(size * int32(lane))
}

// moveLanes moves all lanes one after the other, each with all its elements, 16 per iteration.
func (w *access256) moveLanes() {
	w.iterations(func() {
		for lane := range 16 {
			w.address(x86.RAX, x86.R32(0), w.laneOperand(w.s.Args[0], lane/8, lane%8))
			for e, p := range w.values() {
				value := wordAt(p.At)
				if p.Kind != lower.InWord {
					value = w.laneOperand(p, lane/8, lane%8)
				}
				w.moveElement(x86.At(x86.RAX, int32(e)*w.elemBytes()).Index(regHost, 1), value)
			}
		}
	})
}
