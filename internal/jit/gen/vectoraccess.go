package gen

import (
	"math/bits"

	"github.com/heddle-gpu/heddle/internal/jit/x86"
	"github.com/heddle-gpu/heddle/internal/lower"
)

// Accesses of whole words with vectors of 512 bits. All lanes are checked before any is moved. Then a loop runs over
// iterations of 16 lanes. Lanes of an iteration that are consecutive in memory are moved as vectors, as are loads from
// a single address; other lanes are gathered and scattered. A wave whose lanes are all consecutive is recognised by
// comparing addresses alone.

// A vectorAccess emits an access by iterations of 16 lanes.
//
// Vectors: 1 is the largest permitted offset, 2 the bits that are 0 in aligned addresses, 3 the distances of
// consecutive lanes; 4 to 11 are free; 12 to 14 are for permuting elements; 15 is free; 16 and above hold minus the
// first address of segments. Masks: 1 to 4 are the active lanes of each iteration during the checks; afterwards 1 is
// that of the iteration that is moved.
type vectorAccess struct {
	*accessor
	n     int         // the number of iterations
	low   lower.Place // the addresses, or their lower halves
	high  lower.Place // the upper halves, of kind 0 if there are none
	base  int         // the vector of minus the segment's first address
	joint bool        // it is one of several joint loads

	guards []*impliedGuard
}

// Numbers of vectors and masks.
const (
	vLast, vAlign, vLanes        = 1, 2, 3
	vLow, vHigh, vOff, vFirstOff = 4, 5, 6, 7 // halves of 64 bits; offsets in the segment; offsets of lane 0 if lanes are consecutive
	vElems                       = 8          // elements in transit, from here on
	vMost, vBits                 = 8, 9       // during the checks: the largest offset, the bits of all addresses
	vUpper, vDiffer              = 10, 11     // likewise: the segment's upper half, the bits in which lanes differ from it
	vPermA, vPermB, vEven        = 12, 13, 14
	vFirst                       = 15 // of the active lanes
	vBases                       = 16
	maxJointVectors              = 16 // the most such vectors that loads one after the other use

	kLanes, kRejected, kUpper, kTest = 1, 5, 6, 7
)

// vectorAccess returns the emitter of the access of step i by iterations, which implies the guards of an access.
func (c *assembly) vectorAccess(w *accessor, i, access int) *vectorAccess {
	at := w.s.Args[0]
	v := &vectorAccess{accessor: w, n: c.b.Lanes / 16, low: at, base: vBases, guards: c.implies(access)}
	if x := c.splitOf(i); x != nil {
		v.low, v.high = x.low, x.high
	}
	return v
}

// ops returns the instructions on addresses, or on the halves of split ones.
func (w *vectorAccess) ops() *addressOps { return addressOpsOf(w.addr64()) }

// addr64 reports whether addresses are values of 64 bits.
func (w *vectorAccess) addr64() bool { return !w.isSplit() && w.accessor.addr64() }

// isSplit reports whether the 64-bit addresses are split.
func (w *vectorAccess) isSplit() bool { return w.high.Kind != 0 }

// firstAddress loads the address of lane 0 into rax, whether that lane is active or not.
func (w *vectorAccess) firstAddress() {
	a := w.a
	switch {
	case w.isSplit():
		a.Emit(x86.MOV, x86.R32(0), w.firstLane(w.high))
		a.Emit(x86.MOV, x86.R32(1), w.firstLane(w.low))
		a.Emit(x86.SHL, x86.RAX, x86.Imm(32))
		a.Emit(x86.OR, x86.RAX, x86.RCX)
	case w.addr64():
		a.Emit(x86.MOV, x86.RAX, w.firstLane(w.low))
	default:
		a.Emit(x86.MOV, x86.R32(0), w.firstLane(w.low))
	}
}

// bytes returns the distance of consecutive lanes, shift its logarithm.
func (w *vectorAccess) bytes() int32 { return int32(w.s.Access.Bytes) }
func (w *vectorAccess) shift() int64 { return int64(bits.TrailingZeros64(w.s.Access.Bytes)) }

// vectors returns how many vectors an iteration moves.
func (w *vectorAccess) vectors() int { return int(w.bytes() / 4) }

// lanesOf returns the mask register of an iteration.
func (w *vectorAccess) lanesOf(iteration int) x86.Operand { return x86.K(1 + iteration) }

// mayBeConsecutive reports whether the wave may be one of consecutive lanes: all lanes are active, and if the first
// address is aligned all are.
func (w *vectorAccess) mayBeConsecutive() bool {
	return w.allLanes() && w.s.Access.Bytes%w.s.Align == 0
}

// write emits the access.
func (w *vectorAccess) write() {
	a, do := w.a, w.s.TransferKind.Do
	if do == lower.LoadElems {
		loadAll([]*vectorAccess{w})
		return
	}
	done := a.NewLabel()
	w.loadMask(done)
	w.prepare()
	if w.mayBeConsecutive() {
		byIterations := a.NewLabel()
		w.checkConsecutive(byIterations)
		if do == lower.StoreElems {
			w.count()
			w.loadPermutations()
			for r := range w.n {
				w.storeVectors(r, regFirst, int32(16*r)*w.bytes())
			}
		}
		a.Emit(x86.JMP, x86.To(done))
		a.Bind(byIterations)
	}
	w.checkAddresses()
	if do == lower.StoreElems {
		w.count()
		w.loadPermutations()
		w.eachIteration(w.storeIteration)
	}
	a.Bind(done)
}

// prepare loads the cached segment into registers.
func (w *vectorAccess) prepare() {
	w.loadSegment()
	for _, g := range w.guards {
		g.exclude(w)
	}
	w.checkReach()
	w.learnDistance()
}

// checkReach exits if 32-bit addresses do not reach all of the segment, or if its addresses have several upper halves.
func (w *vectorAccess) checkReach() {
	if w.addr64() {
		return
	}
	a := w.a
	if w.isSplit() {
		a.Emit(x86.MOV, x86.R32(1), x86.R32(10))
		a.Emit(x86.ADD, x86.RCX, regLast)
	} else {
		a.Emit(x86.LEA, x86.RCX, x86.At(regBase, 0).Index(regLast, 1))
	}
	a.Emit(x86.SHR, x86.RCX, x86.Imm(32))
	a.Emit(x86.JNE, x86.To(w.leave))
}

// checkAddresses checks the addresses, and exits if one is rejected. Offsets are compared as signed 32-bit numbers:
// the code exits if the segment is too large for that.
func (w *vectorAccess) checkAddresses() {
	a := w.a
	a.Emit(x86.MOV, x86.RAX, regLast)
	a.Emit(x86.SHR, x86.RAX, x86.Imm(31))
	a.Emit(x86.JNE, x86.To(w.leave))
	if w.isSplit() {
		a.Emit(x86.MOV, x86.RAX, regBase)
		a.Emit(x86.SHR, x86.RAX, x86.Imm(32))
		a.Emit(x86.VPBROADCASTD, x86.Z(vUpper), x86.R32(0))
		w.zero(x86.Z(vDiffer))
	}
	a.Emit(x86.NEG, regBase)
	w.broadcastAddress(w.base, regBase, x86.R32(10))
	w.broadcastAddress(vLast, regLast, x86.R32(11))
	w.zero(x86.Z(vMost))
	if w.s.Align > 1 {
		w.zero(x86.Z(vBits))
	}
	if !w.allLanes() {
		a.Emit(x86.KMOVQ, w.lanesOf(0), regMask)
		for r := 1; r < w.n; r++ {
			a.Emit(x86.KSHIFTRQ, w.lanesOf(r), w.lanesOf(0), x86.Imm(int64(16*r)))
		}
	}
	for r := range w.n {
		w.checkIteration(r)
	}
	rejected := x86.K(kRejected)
	a.Emit(w.ops().compare, rejected, x86.Z(vMost), x86.Z(vLast), x86.Imm(6))
	if w.s.Align > 1 {
		a.Emit(x86.MOV, x86.R32(0), x86.Imm(int64(w.s.Align-1)))
		w.broadcastAddress(vAlign, x86.RAX, x86.R32(0))
		a.Emit(w.ops().test, x86.K(kTest), x86.Z(vBits), x86.Z(vAlign))
		a.Emit(x86.KORW, rejected, rejected, x86.K(kTest))
	}
	if w.isSplit() {
		a.Emit(x86.VPTESTMD, x86.K(kTest), x86.Z(vDiffer), x86.Z(vDiffer))
		a.Emit(x86.KORW, rejected, rejected, x86.K(kTest))
	}
	a.Emit(x86.KORTESTW, rejected, rejected)
	a.Emit(x86.JNE, x86.To(w.leave))
}

// checkIteration adds the lanes of an iteration to the largest offset and the bits of all addresses.
func (w *vectorAccess) checkIteration(iteration int) {
	a, op, off, lanes := w.a, w.ops(), x86.Z(vOff), w.lanesOf(iteration)
	for h := range op.vectors {
		if h > 0 && !w.allLanes() {
			a.Emit(x86.KSHIFTRW, x86.K(kUpper), lanes, x86.Imm(8))
			lanes = x86.K(kUpper)
		}
		among := func(z int) x86.Operand {
			if w.allLanes() {
				return x86.Z(z)
			}
			return x86.Z(z).Mask(lanes)
		}
		a.Emit(op.add, off, x86.Z(w.base), w.addressesAt(iteration, h))
		a.Emit(op.max, among(vMost), x86.Z(vMost), off)
		if w.s.Align > 1 {
			a.Emit(op.or, among(vBits), x86.Z(vBits), w.addressesAt(iteration, h))
		}
		if w.isSplit() { // bits in which upper halves differ from the segment's
			a.Emit(x86.VPTERNLOGD, among(vDiffer), x86.Z(vUpper), w.at(w.high, iteration, 0), x86.Imm(0xf6))
		}
	}
}

// loadPermutations loads the permutations of elements into registers.
func (w *vectorAccess) loadPermutations() {
	a := w.a
	if w.s.Count > 1 {
		at := evenElements
		if !w.load() {
			at = lowInterleaved
		}
		a.Emit(x86.VPMOVZXBD, x86.Z(vPermA), w.c.table(at))
		a.Emit(x86.VPMOVZXBD, x86.Z(vPermB), w.c.table(at+1))
	}
}

// eachIteration emits a loop over iterations that have an active lane. In others loads give 0.
func (w *vectorAccess) eachIteration(body func()) {
	a, left := w.a, regBase
	again, next := a.NewLabel(), a.NewLabel()
	w.loadLaneDistances()
	if w.addr64() {
		a.Emit(x86.VPMOVZXBD, x86.Z(vEven), w.c.table(evenElements))
	}
	a.Emit(x86.XOR, x86.R32(9), x86.R32(9))
	if !w.allLanes() {
		a.Emit(x86.MOV, left, regMask)
	}
	if w.n > 1 {
		a.Bind(again)
	}
	if !w.allLanes() {
		a.Emit(x86.KMOVW, x86.K(kLanes), x86.R32(10))
		some := a.NewLabel()
		a.Emit(x86.KORTESTW, x86.K(kLanes), x86.K(kLanes))
		if w.load() {
			a.Emit(x86.JNE, x86.To(some))
			w.loadInactive()
			a.Emit(x86.JMP, x86.To(next))
			a.Bind(some)
		} else {
			a.Emit(x86.JE, x86.To(next))
		}
	}
	body()
	a.Bind(next)
	if w.n == 1 {
		return
	}
	a.Emit(x86.ADD, regIndex, x86.Imm(64))
	if !w.allLanes() {
		a.Emit(x86.SHR, left, x86.Imm(16))
		if !w.load() {
			a.Emit(x86.JNE, x86.To(again))
			return
		}
	}
	a.Emit(x86.CMP, regIndex, x86.Imm(int64(64*w.n)))
	a.Emit(x86.JB, x86.To(again))
}

// loadLaneDistances loads the distances of consecutive lanes from the first into vLanes.
func (w *vectorAccess) loadLaneDistances() {
	w.a.Emit(x86.VPMOVZXBD, x86.Z(vLanes), w.c.table(laneNumbers16))
	w.a.Emit(x86.VPSLLD, x86.Z(vLanes), x86.Z(vLanes), x86.Imm(w.shift()))
}

// broadcastAddress broadcasts a number, in the width of addresses.
func (w *vectorAccess) broadcastAddress(z int, r, r32 x86.Operand) {
	if w.addr64() {
		w.a.Emit(x86.VPBROADCASTQ, x86.Z(z), r)
	} else {
		w.a.Emit(x86.VPBROADCASTD, x86.Z(z), r32)
	}
}

// addressesAt returns the operand of the addresses of an iteration; half 1 is the upper half of those of 64 bits.
func (w *vectorAccess) addressesAt(iteration, half int) x86.Operand {
	return w.at(w.low, iteration, half)
}

// current stands for the current iteration of the loop.
const current = -1

// at returns the operand of a row in an iteration, or of half of a 64-bit vector.
func (w *vectorAccess) at(p lower.Place, iteration, half int) x86.Operand {
	start, wide := w.firstLane(p), p.Kind == lower.InVec
	switch {
	case iteration == current && wide:
		return start.Plus(int32(64*half)).Index(regIndex, 2)
	case iteration == current:
		return start.Index(regIndex, 1)
	case wide:
		return start.Plus(int32(128*iteration + 64*half))
	}
	return start.Plus(int32(64 * iteration))
}

// checkConsecutive computes in regFirst the address of a wave whose lanes are all consecutive; it jumps to
// byIterations if they are not, and exits if one is rejected.
func (w *vectorAccess) checkConsecutive(byIterations x86.Label) {
	a, all := w.a, x86.K(kTest)
	w.firstAddress()
	if w.s.Align > 1 {
		a.Emit(x86.TEST, x86.R32(0), x86.Imm(int64(w.s.Align-1)))
		a.Emit(x86.JNE, x86.To(byIterations))
	}
	w.compareLast(byIterations)
	w.compareAll(all)
	if w.addr64() {
		a.Emit(x86.KORTESTB, all, all)
	} else {
		a.Emit(x86.KORTESTW, all, all)
	}
	a.Emit(x86.JAE, x86.To(byIterations))
	a.Emit(x86.SUB, x86.RAX, regBase)
	a.Emit(x86.CMP, x86.RAX, regLast)
	a.Emit(x86.JA, x86.To(w.leave))
	a.Emit(x86.LEA, x86.RCX, x86.At(x86.RAX, (16*int32(w.n)-1)*w.bytes()))
	a.Emit(x86.CMP, x86.RCX, regLast)
	a.Emit(x86.JA, x86.To(w.leave))
	a.Emit(x86.LEA, regFirst, x86.At(x86.RAX, 0).Index(regHost, 1))
	w.prefetch(regFirst, 16*int32(w.n)*w.bytes())
}

// compareLast jumps if the last lane is not consecutive: that is cheaper than to compare all.
func (w *vectorAccess) compareLast(byIterations x86.Label) {
	a, c, first, at := w.a, x86.R32(1), x86.R32(0), w.firstLane(w.low).Plus(int32(64*w.n-4))
	if w.addr64() {
		c, first, at = x86.RCX, x86.RAX, w.firstLane(w.low).Plus(int32(128*w.n-8))
	}
	a.Emit(x86.MOV, c, at)
	a.Emit(x86.SUB, c, first)
	a.Emit(x86.CMP, c, x86.Imm(int64((16*int32(w.n)-1)*w.bytes())))
	a.Emit(x86.JNE, x86.To(byIterations))
}

// compareAll finds the lanes of each iteration that are consecutive with the first lane of all.
func (w *vectorAccess) compareAll(all x86.Operand) {
	a, op, want, step, lanes := w.a, w.ops(), x86.Z(vOff), x86.Z(vHigh), x86.Z(vLow)
	n := op.vectors * w.n
	a.Emit(op.extend, lanes, w.c.table(laneNumbers16))
	a.Emit(op.shift, lanes, lanes, x86.Imm(w.shift()))
	a.Emit(x86.MOV, x86.R32(1), x86.Imm(int64(16/op.vectors)*int64(w.bytes())))
	w.broadcastAddress(vOff, x86.RAX, x86.R32(0))
	w.broadcastAddress(vHigh, x86.RCX, x86.R32(1))
	a.Emit(op.add, want, want, lanes)
	for i := range n {
		k := all
		if i > 0 {
			a.Emit(op.add, want, want, step)
			k = all.Mask(all) // and the lanes that agreed before
		}
		a.Emit(op.equal, k, want, w.firstLane(w.low).Plus(int32(64*i)))
	}
	if w.isSplit() {
		a.Emit(x86.VPBROADCASTD, want, w.firstLane(w.high))
		for i := range n {
			a.Emit(op.equal, all.Mask(all), want, w.firstLane(w.high).Plus(int32(64*i)))
		}
	}
}

// offsets computes the offsets of the current iteration in vOff.
func (w *vectorAccess) offsets() {
	a := w.a
	if !w.addr64() {
		a.Emit(x86.VPADDD, x86.Z(vOff), x86.Z(w.base), w.addressesAt(current, 0))
		return
	}
	a.Emit(x86.VPADDQ, x86.Z(vOff), x86.Z(w.base), w.addressesAt(current, 0))
	a.Emit(x86.VPADDQ, x86.Z(vHigh), x86.Z(w.base), w.addressesAt(current, 1))
	a.Emit(x86.VPERMT2D, x86.Z(vOff), x86.Z(vEven), x86.Z(vHigh))
}

// unlessEqual jumps to other if z differs between active lanes of the iteration. Otherwise rax is the host address for
// that offset.
func (w *vectorAccess) unlessEqual(z int, other x86.Label) {
	a, from, differ := w.a, x86.X(z), x86.K(kTest)
	if !w.allLanes() {
		a.Emit(x86.VPCOMPRESSD, x86.Z(vFirst).Zero(x86.K(kLanes)), x86.Z(z))
		from, differ = x86.X(vFirst), differ.Mask(x86.K(kLanes))
	}
	a.Emit(x86.VPBROADCASTD, x86.Z(vHigh), from)
	a.Emit(x86.VPCMPUD, differ, x86.Z(z), x86.Z(vHigh), x86.Imm(4))
	a.Emit(x86.KORTESTW, x86.K(kTest), x86.K(kTest))
	a.Emit(x86.JNE, x86.To(other))
	a.Emit(x86.VMOVD, x86.R32(0), from)
	if z == vFirstOff && !w.allLanes() { // lane 0 may be inactive, and its address below the segment
		a.Emit(x86.MOVSXD, x86.RAX, x86.R32(0))
	}
	a.Emit(x86.ADD, x86.RAX, regHost)
}

// unlessConsecutiveIteration is unlessEqual for the offset of lane 0 if lanes are consecutive.
func (w *vectorAccess) unlessConsecutiveIteration(differ x86.Label) {
	w.a.Emit(x86.VPSUBD, x86.Z(vFirstOff), x86.Z(vOff), x86.Z(vLanes))
	w.unlessEqual(vFirstOff, differ)
}

// ifInactiveLane jumps if a lane of the iteration is inactive.
func (w *vectorAccess) ifInactiveLane(to x86.Label) {
	if !w.allLanes() {
		w.a.Emit(x86.KORTESTW, x86.K(kLanes), x86.K(kLanes))
		w.a.Emit(x86.JAE, x86.To(to))
	}
}
