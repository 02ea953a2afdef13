package gen

import (
	"math/bits"

	"github.com/heddle-gpu/heddle/internal/jit/x86"
	"github.com/heddle-gpu/heddle/internal/lower"
)

// With vectors of 256 bits, and no mask registers, accesses check 8 lanes at a time, or 4 with addresses of 64 bits.
// Waves whose lanes are all active move 8 lanes at a time if these are consecutive in memory or load from one address.
// Other waves move lane by lane. With wider vectors this code is also used for elements of one and two bytes and for
// atomics, which are moved lane by lane anyway.

// An access256 emits such an access.
//
// Vectors: 0 is the segment's first address, 1 the largest permitted offset, 2 the largest offset found, 3 the
// addresses of consecutive lanes, 4 the distance to the next ones, 5 the bits in which addresses differ from those, 6
// the bits of all addresses; 7 and above are free.
type access256 struct{ *accessor }

// Vector numbers.
const (
	yBase, yLast, yMost, yWant, yStep, yDiffer, yBits = 0, 1, 2, 3, 4, 5, 6
	yFree, ySpread                                    = 7, 8 // the latter is that of broadcastWord
	yOther                                            = 9
	yMask, yBit, yActive                              = 10, 11, 12 // for waves with inactive lanes
)

// regBits holds the address of the table of lane bits.
var regBits = x86.R14

// maxUnrolled is the largest number of elements per lane that are moved without a loop over lanes.
const maxUnrolled = 4

// access256 returns the emitter of the access for whole waves; ok is false if there is none.
func (w *accessor) access256() (n *access256, ok bool) {
	k := w.s.TransferKind
	if w.c.wide() && k.Bytes >= 4 && k.Do != lower.AtomicElem || w.c.b.Lanes%16 != 0 {
		return nil, false
	}
	return &access256{w}, true
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

// laneDistances fills vector y with the distances from the first lane if lanes are consecutive.
func (w *access256) laneDistances(y int) { w.multiplesOf(y, w.elemBytes()) }

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
	} else if w.single() {
		w.expectConsecutive(w.elemBytes())
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

// expectConsecutive begins the test for consecutive lanes, with that many bytes each.
func (w *access256) expectConsecutive(bytes int32) {
	add := w.ops().add
	w.multiplesOf(yWant, bytes)
	w.broadcast(yFree, w.firstLaneAddress())
	w.a.Emit(add, x86.Y(yWant), x86.Y(yWant), x86.Y(yFree))
	w.broadcastImm(yStep, int64(8/w.vectors())*int64(bytes))
	w.a.Emit(x86.VPXOR, x86.Y(yDiffer), x86.Y(yDiffer), x86.Y(yDiffer))
}

// checkVector checks vector i of an iteration.
func (w *access256) checkVector(i int, some bool) {
	a, at := w.a, x86.Y(yFree)
	y := func(n int) x86.Operand { return x86.Y(n) }
	add, sub := w.ops().add, w.ops().sub
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
	if w.single() && !some {
		a.Emit(x86.VPXOR, y(yOther), y(yWant), at)
		a.Emit(x86.VPOR, y(yDiffer), y(yDiffer), y(yOther))
		a.Emit(add, y(yWant), y(yWant), y(yStep))
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
// ends beyond the reach of 32-bit addresses.
func (w *access256) loadLimits() {
	a := w.a
	a.Emit(x86.MOV, x86.RAX, regLast)
	if !w.addr64() {
		a.Emit(x86.ADD, x86.RAX, regBase)
	}
	a.Emit(x86.SHR, x86.RAX, x86.Imm(32))
	a.Emit(x86.JNE, x86.To(w.leave))
	w.broadcast(yBase, wordAt(w.s.Site+lower.SiteBase))
	w.broadcast(yLast, wordAt(w.s.Site+lower.SiteLast))
}

// addressVector is the operand of vector i of the addresses of an iteration: one of two or four.
func (w *access256) addressVector(i int) x86.Operand {
	return w.eightLanesOf(w.s.Args[0], i/w.vectors()).Plus(int32(i % w.vectors() * 32))
}

// move moves the elements of all lanes.
func (w *access256) move() {
	a := w.a
	w.count()
	a.Emit(x86.SUB, regHost, regBase)
	if !w.single() {
		if w.s.Count > maxUnrolled {
			w.moveEachLane()
			return
		}
		w.iterations(func() {
			w.moveLanes(0)
			w.moveLanes(1)
		})
		return
	}
	differ, done := a.NewLabel(), a.NewLabel()
	a.Emit(x86.VPTEST, x86.Y(yDiffer), x86.Y(yDiffer))
	a.Emit(x86.JNE, x86.To(differ))
	w.moveConsecutive()
	a.Emit(x86.JMP, x86.To(done))
	a.Bind(differ)
	w.laneDistances(yWant)
	if w.addr64() {
		w.broadcastImm(yFree, 4*int64(w.elemBytes()))
		a.Emit(x86.VPADDQ, x86.Y(yWant+1), x86.Y(yWant), x86.Y(yFree))
	}
	w.iterations(func() {
		w.moveEight(0)
		w.moveEight(1)
	})
	a.Bind(done)
}

// moveEight moves half of an iteration: as vectors if its lanes are consecutive, or load from one address.
func (w *access256) moveEight(half int) {
	a, p := w.a, w.s.Args[0]
	other, lanes, next := a.NewLabel(), a.NewLabel(), a.NewLabel()
	sub := w.ops().sub
	w.address(x86.RCX, x86.R32(1), w.eightLanesOf(p, half))
	w.broadcast(yFree, w.eightLanesOf(p, half))
	offset := func(i int) x86.Operand { return x86.Y(yOther + i) }
	for i := range w.vectors() {
		a.Emit(x86.VMOVDQU, offset(i), w.addressVector(half*w.vectors()+i))
		a.Emit(sub, offset(i), offset(i), x86.Y(yFree))
	}
	a.Emit(x86.ADD, x86.RCX, regHost)
	w.ifNonZero(other, func(i int) x86.Operand {
		t := x86.Y(yOther + 2 + i)
		a.Emit(x86.VPXOR, t, offset(i), x86.Y(yWant+i))
		return t
	})
	for off := int32(0); off < 8*w.elemBytes(); off += 32 {
		w.moveVector(x86.Y(yFree), x86.At(x86.RCX, off), w.halfValue(half, off))
	}
	a.Emit(x86.JMP, x86.To(next))
	a.Bind(other)
	if w.load() {
		w.ifNonZero(lanes, offset)
		op := x86.VPBROADCASTD
		if w.elemBytes() == 8 {
			op = x86.VPBROADCASTQ
		}
		a.Emit(op, x86.Y(yFree), x86.At(x86.RCX, 0))
		for off := int32(0); off < 8*w.elemBytes(); off += 32 {
			a.Emit(x86.VMOVUPS, w.halfValue(half, off), x86.Y(yFree))
		}
		a.Emit(x86.JMP, x86.To(next))
	}
	a.Bind(lanes)
	w.moveLanes(half)
	a.Bind(next)
}

// halfValue is the operand of what half of an iteration moves, from a byte offset on.
func (w *access256) halfValue(half int, off int32) x86.Operand {
	return w.valueVector(w.values()[0], off+int32(half)*8*w.elemBytes())
}

// ifNonZero jumps if one of the vectors is not 0.
func (w *access256) ifNonZero(to x86.Label, vector func(i int) x86.Operand) {
	v := vector(0)
	if w.addr64() {
		second := vector(1)
		t := x86.Y(yOther + 4)
		w.a.Emit(x86.VPOR, t, v, second)
		v = t
	}
	w.a.Emit(x86.VPTEST, v, v)
	w.a.Emit(x86.JNE, x86.To(to))
}

// moveLanes moves half of an iteration lane by lane.
func (w *access256) moveLanes(half int) {
	for i := range 8 {
		w.address(x86.RAX, x86.R32(0), w.laneOperand(w.s.Args[0], half, i))
		for e, p := range w.values() {
			value := wordAt(p.At)
			if p.Kind != lower.InWord {
				value = w.laneOperand(p, half, i)
			}
			w.moveElement(x86.At(x86.RAX, int32(e)*w.elemBytes()).Index(regHost, 1), value)
		}
	}
}

// laneOperand is the operand of a value in a lane of half of an iteration.
func (w *access256) laneOperand(p lower.Place, half, lane int) x86.Operand {
	size := int32(4)
	if p.Kind == lower.InVec {
		size = 8
	}
	return w.eightLanesOf(p, half).Plus(size * int32(lane))
}
