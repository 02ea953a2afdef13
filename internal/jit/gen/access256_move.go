package gen

import (
	"math/bits"

	"github.com/heddle-gpu/heddle/internal/jit/code"
	"github.com/heddle-gpu/heddle/internal/jit/x86"
	"github.com/heddle-gpu/heddle/internal/lower"
)

// Moves of eight lanes at a time, with vectors of 256 bits. Eight lanes that are consecutive in memory are moved as
// vectors, and those that load from one address as a broadcast. Otherwise the elements of each lane are moved as one,
// and vectors of lanes are made of them, or they of vectors, by shuffles: that is faster than gather instructions.
// Inactive lanes load what the first active one does, and get 0; stores of eights with inactive lanes are made lane by
// lane.

// maxStride is the largest distance of consecutive lanes.
const maxStride = 16

// Numbers of vectors. Those of the tests are free afterwards.
const (
	yFirst        = 0     // the address of the first active lane
	yOffset, yAny = 9, 11 // two vectors each
)

// yParts hold the elements of lanes, yMore are for shuffles.
var yParts, yMore = [...]int{1, 2, 5, 6}, [...]int{7, 9, 10, 11}

// byEights reports whether the access moves eight lanes at a time.
func (w *access256) byEights() bool {
	k := w.s.TransferKind
	return k.Do == lower.LoadElems && w.whole() || k.Do == lower.StoreElems && w.mayBeConsecutive()
}

// whole reports whether elements are as wide as their values.
func (w *access256) whole() bool { return w.elemBytes() == 8 || w.elemBytes() == 4 && !w.s.Wide }

// mayBeConsecutive reports whether consecutive lanes are moved as vectors.
func (w *access256) mayBeConsecutive() bool {
	k, n := w.s.TransferKind, w.s.Count
	return (k.Do == lower.LoadElems || k.Do == lower.StoreElems) && w.whole() && (n == 1 || k.Bytes == 4 && (n == 2 || n == 4))
}

// write emits the checks and moves. It may continue at done.
func (w *access256) write(done x86.Label) {
	a := w.a
	some := w.ifInactive()
	if w.mayBeConsecutive() && w.s.Access.Bytes%w.s.Align == 0 {
		others := a.NewLabel()
		w.checkConsecutive(others)
		w.begin()
		w.moveConsecutive()
		a.Emit(x86.JMP, x86.To(done))
		a.Bind(others)
		others = a.NewLabel()
		w.checkEights(others)
		w.begin()
		w.moveAlike(done)
		a.Emit(x86.JMP, x86.To(done))
		a.Bind(others)
	}
	w.check(false)
	if !w.allLanes() {
		moves := a.NewLabel()
		a.Emit(x86.JMP, x86.To(moves))
		a.Bind(some)
		w.check(true)
		a.Bind(moves)
	}
	w.begin()
	w.moveEights()
}

// moveConsecutive moves a wave whose lanes are all consecutive, 16 lanes per iteration.
func (w *access256) moveConsecutive() {
	w.a.Emit(x86.ADD, regFirst, regHost)
	eight := 8 * int32(w.s.Access.Bytes)
	w.iterations(func() {
		for half := range int32(2) {
			w.moveVectors(x86.At(regFirst, half*eight), int(half))
		}
		w.a.Emit(x86.ADD, regFirst, x86.Imm(int64(2*eight)))
	})
}

// moveVectors moves consecutive lanes, half of an iteration, at a host address.
func (w *access256) moveVectors(at x86.Operand, half int) {
	if !w.load() {
		w.storeVectors(at, half)
		return
	}
	w.putAll(0, w.loadVectors(at), half)
}

// moveEights emits a loop over eights, two per iteration.
func (w *access256) moveEights() {
	a := w.a
	again := a.NewLabel()
	if w.mayBeConsecutive() {
		w.laneDistances()
	}
	w.some = !w.allLanes()
	if w.inRoom = w.some && w.load(); w.some {
		a.Emit(x86.TZCNT, x86.RCX, regMask)
		w.broadcast(yFirst, w.laneAddress(x86.RCX))
		a.Emit(x86.LEA, regBits, w.c.table(laneBits))
		a.Emit(x86.MOV, x86.RAX, regMask)
	}
	a.Emit(x86.XOR, x86.R32(9), x86.R32(9))
	a.Bind(again)
	for half := range 2 {
		next := a.NewLabel()
		w.moveEight(half, next)
		a.Bind(next)
		if w.some {
			a.Emit(x86.SHR, x86.RAX, x86.Imm(8))
		}
	}
	a.Emit(x86.ADD, regIndex, x86.Imm(64))
	a.Emit(x86.CMP, regIndex, x86.Imm(4*int64(w.c.b.Lanes)))
	a.Emit(x86.JB, x86.To(again))
}

// laneDistances fills yWant with the distances of consecutive lanes from the first of eight.
func (w *access256) laneDistances() {
	bytes := int32(w.s.Access.Bytes)
	w.multiplesOf(yWant, bytes)
	if w.addr64() {
		w.broadcastImm(yFree, 4*int64(bytes))
		w.a.Emit(x86.VPADDQ, x86.Y(yWant+1), x86.Y(yWant), x86.Y(yFree))
	}
}

// moveEight moves eight lanes, half of an iteration, and continues at next.
func (w *access256) moveEight(half int, next x86.Label) {
	lanes := w.a.NewLabel()
	if w.some {
		w.takeActive(half, lanes, next)
	} else if w.mayBeConsecutive() {
		w.unlessLastApart(half, lanes)
	}
	if w.some || w.mayBeConsecutive() {
		w.moveWhole(half, lanes, next)
	}
	w.a.Bind(lanes)
	if w.load() {
		w.loadEachLane(half)
	} else {
		w.storeLanes(half)
	}
}

// unlessLastApart jumps if the last of eight lanes is not as far from the first as if they were consecutive.
func (w *access256) unlessLastApart(half int, to x86.Label) {
	first, last := x86.R32(1), x86.R32(10)
	if w.addr64() {
		first, last = x86.RCX, x86.R10
	}
	w.a.Emit(x86.MOV, first, w.laneOf(half, 0))
	w.a.Emit(x86.MOV, last, w.laneOf(half, 7))
	w.a.Emit(x86.SUB, last, first)
	w.a.Emit(x86.CMP, last, x86.Imm(7*int64(w.s.Access.Bytes)))
	w.a.Emit(x86.JNE, x86.To(to))
}

// moveWhole moves eight active lanes if they are consecutive or load from one address, and continues at next, or else
// at lanes.
func (w *access256) moveWhole(half int, lanes, next x86.Label) {
	a, other := w.a, lanes
	same := w.some && w.load()
	if same {
		other = a.NewLabel()
	}
	w.loadDistances(half)
	if w.mayBeConsecutive() {
		w.ifNonZero(other, func(i int) x86.Operand {
			t := x86.Y(yAny + i)
			a.Emit(x86.VPXOR, t, x86.Y(yOffset+i), x86.Y(yWant+i))
			return t
		})
		w.moveVectors(x86.At(x86.RCX, 0), half)
		a.Emit(x86.JMP, x86.To(next))
	}
	if same {
		a.Bind(other)
		w.ifNonZero(lanes, func(i int) x86.Operand { return x86.Y(yOffset + i) })
		w.broadcastAll(half)
		a.Emit(x86.JMP, x86.To(next))
	}
}

// broadcastAll loads all elements of eight lanes from the address in rcx.
func (w *access256) broadcastAll(half int) {
	for e := range w.values() {
		w.putAll(e, w.loadBroadcast(int32(e)*w.elemBytes()), half)
	}
}

// ifNonZero jumps if one of the vectors for the addresses of eight lanes is not 0.
func (w *access256) ifNonZero(to x86.Label, vector func(i int) x86.Operand) {
	v := vector(0)
	if w.addr64() {
		w.a.Emit(x86.VPOR, v, v, vector(1))
	}
	w.a.Emit(x86.VPTEST, v, v)
	w.a.Emit(x86.JNE, x86.To(to))
}

// loadDistances loads the distances of the lanes of an eight from its first lane, whose host address is in rcx then.
func (w *access256) loadDistances(half int) {
	w.address(x86.RCX, x86.R32(1), w.laneOf(half, 0))
	w.broadcast(yFree, w.laneOf(half, 0))
	for i := range w.vectors() {
		w.a.Emit(x86.VMOVDQU, x86.Y(yOffset+i), w.laneOf(half, 0).Plus(int32(32*i)))
		w.a.Emit(w.ops().sub, x86.Y(yOffset+i), x86.Y(yOffset+i), x86.Y(yFree))
	}
	w.a.Emit(x86.ADD, x86.RCX, regHost)
}

// laneOf is the operand of the address of a lane of an eight.
func (w *access256) laneOf(half, lane int) x86.Operand {
	if !w.inRoom {
		return w.laneOperand(w.s.Args[0], half, lane)
	}
	return x86.At(x86.RDI, code.OffRoom+int32(4*w.vectors()*lane))
}

// takeActive decides what an eight does, whose lanes are in al. Stores by some lanes are made here. Loads get addresses
// for all lanes in the context's room, and which lanes are active in yActive; loads by some lanes continue at lanes.
// Continues at next if nothing is left to do.
func (w *access256) takeActive(half int, lanes, next x86.Label) {
	a, some := w.a, w.a.NewLabel()
	a.Emit(x86.MOVZX, x86.R32(1), x86.G(8, 0))
	if !w.load() {
		a.Emit(x86.CMP, x86.R32(1), x86.Imm(0xff))
		a.Emit(x86.JE, x86.To(some))
		w.storeActive(half, next)
		a.Bind(some)
		return
	}
	a.Emit(x86.TEST, x86.R32(1), x86.R32(1))
	a.Emit(x86.JNE, x86.To(some))
	zero := x86.Y(yFree)
	a.Emit(x86.VPXOR, zero, zero, zero)
	for _, p := range w.values() {
		for i := range w.halvesOf() {
			a.Emit(x86.VMOVUPS, w.valueOf(p, half, i), zero)
		}
	}
	a.Emit(x86.JMP, x86.To(next))
	a.Bind(some)
	active, t, bit := x86.Y(yActive), x86.Y(yOffset), x86.Y(yBit)
	a.Emit(x86.VMOVD, x86.X(yActive), x86.R32(1))
	a.Emit(x86.VPBROADCASTD, active, x86.X(yActive))
	a.Emit(x86.VPAND, active, active, x86.At(regBits, 0))
	a.Emit(x86.VPCMPEQD, active, active, x86.At(regBits, 0))
	at := w.eightLanesOf(w.s.Args[0], half)
	if !w.addr64() {
		a.Emit(x86.VBLENDVPS, t, x86.Y(yFirst), at, active)
		a.Emit(x86.VMOVDQU, w.laneOf(half, 0), t)
	} else {
		for i := range int32(2) {
			w.activeHalf(yBit, int(i))
			a.Emit(x86.VBLENDVPD, t, x86.Y(yFirst), at.Plus(32*i), bit)
			a.Emit(x86.VMOVDQU, w.laneOf(half, 0).Plus(32*i), t)
		}
	}
	a.Emit(x86.CMP, x86.R32(1), x86.Imm(0xff))
	a.Emit(x86.JNE, x86.To(lanes))
}

// activeHalf makes y which of four lanes of an eight are active, with 64 bits each.
func (w *access256) activeHalf(y, half int) {
	from := x86.X(yActive)
	if half > 0 {
		from = x86.X(y)
		w.a.Emit(x86.VEXTRACTI128, from, x86.Y(yActive), x86.Imm(1))
	}
	w.a.Emit(x86.VPMOVSXDQ, x86.Y(y), from)
}

// halvesOf is how many vectors hold a value of an eight.
func (w *access256) halvesOf() int {
	if w.s.Wide {
		return 2
	}
	return 1
}

// valueOf is the operand of vector i of a value of half of an iteration.
func (w *access256) valueOf(p lower.Place, half, i int) x86.Operand {
	return w.eightLanesOf(p, half).Plus(int32(32 * i))
}

// putAll writes loaded vectors to the values from number e on, with 0 in inactive lanes.
func (w *access256) putAll(e int, vectors []int, half int) {
	n := w.halvesOf()
	for i, y := range vectors {
		if w.some {
			active := x86.Y(yActive)
			if w.s.Wide {
				active = x86.Y(yBit)
				w.activeHalf(yBit, i%n)
			}
			w.a.Emit(x86.VPAND, x86.Y(y), x86.Y(y), active)
		}
		w.a.Emit(x86.VMOVUPS, w.valueOf(w.values()[e+i/n], half, i%n), x86.Y(y))
	}
}

// at loads the address of a lane of an eight, and returns its host operand from a byte on.
func (w *access256) at(half, lane int, off int32) x86.Operand {
	w.address(x86.R10, x86.R32(10), w.laneOf(half, lane))
	return x86.At(x86.R10, off).Index(regHost, 1)
}

// loadEachLane loads eight lanes from an address each, up to four words at a time. If there are more, the first of them
// may replace the addresses, which are copied therefore.
func (w *access256) loadEachLane(half int) {
	most := 4
	if w.elemBytes() == 8 {
		most = 1
	}
	if at := w.s.Args[0]; !w.inRoom && !w.addr64() && (bits.OnesCount(uint(w.s.Count)) != 1 || w.s.Count > 4) {
		w.a.Emit(x86.VMOVDQU, x86.Y(yOffset), w.laneOperand(at, half, 0))
		w.inRoom = true
		w.a.Emit(x86.VMOVDQU, w.laneOf(half, 0), x86.Y(yOffset))
	}
	for e, n := 0, most; e < w.s.Count; e += n {
		for n > w.s.Count-e {
			n /= 2
		}
		w.putAll(e, w.gathered(half, n, int32(e)*w.elemBytes()), half)
	}
	w.inRoom = w.some && w.load()
}

// gathered loads n elements of each lane, from a byte on, and returns the vectors that hold them.
func (w *access256) gathered(half, n int, off int32) []int {
	a, p := w.a, yParts
	insert := func(to int, from x86.Operand) { a.Emit(x86.VINSERTF128, x86.Y(to), x86.Y(to), from, x86.Imm(1)) }
	switch {
	case n == 4:
		for k, y := range p {
			a.Emit(x86.VMOVUPS, x86.X(y), w.at(half, k, off))
			insert(y, w.at(half, k+4, off))
		}
		return w.transpose()
	case n == 2 || w.elemBytes() == 8:
		for k, y := range p {
			a.Emit(x86.VMOVQ, x86.X(y), w.at(half, 2*k, off))
			a.Emit(x86.VMOVHPS, x86.X(y), x86.X(y), w.at(half, 2*k+1, off))
		}
		if n == 1 {
			insert(p[0], x86.X(p[1]))
			insert(p[2], x86.X(p[3]))
			return []int{p[0], p[2]}
		}
		insert(p[0], x86.X(p[2]))
		insert(p[1], x86.X(p[3]))
		return w.deinterleave()
	}
	for k, y := range p[:2] {
		x := x86.X(y)
		a.Emit(x86.VMOVD, x, w.at(half, 4*k, off))
		for lane := 1; lane < 4; lane++ {
			a.Emit(x86.VPINSRD, x, x, w.at(half, 4*k+lane, off), x86.Imm(int64(lane)))
		}
	}
	insert(p[0], x86.X(p[1]))
	return p[:1]
}

// transpose makes vectors of four words of each lane ones of a word of all lanes, or the reverse: a 128-bit half has
// four lanes.
func (w *access256) transpose() []int {
	p, m := yParts, yMore
	shuffle := func(op x86.Op, d, x, y int, imm ...x86.Operand) {
		w.a.Emit(op, append([]x86.Operand{x86.Y(d), x86.Y(x), x86.Y(y)}, imm...)...)
	}
	for k := range 2 {
		shuffle(x86.VUNPCKLPS, m[2*k], p[2*k], p[2*k+1])
		shuffle(x86.VUNPCKHPS, m[2*k+1], p[2*k], p[2*k+1])
	}
	for k := range 2 {
		shuffle(x86.VSHUFPS, p[2*k], m[k], m[k+2], x86.Imm(0x44))
		shuffle(x86.VSHUFPS, p[2*k+1], m[k], m[k+2], x86.Imm(0xee))
	}
	return p[:]
}

// deinterleave separates two words of each lane.
func (w *access256) deinterleave() []int {
	for k, words := range [...]int64{lowWords, highWords} {
		w.a.Emit(x86.VSHUFPS, x86.Y(yMore[k]), x86.Y(yParts[0]), x86.Y(yParts[1]), x86.Imm(words))
	}
	return yMore[:2]
}

// interleave joins two words of each lane: lanes 0, 1, 4 and 5, and the others.
func (w *access256) interleave() []int {
	w.a.Emit(x86.VUNPCKLPS, x86.Y(yMore[0]), x86.Y(yParts[0]), x86.Y(yParts[1]))
	w.a.Emit(x86.VUNPCKHPS, x86.Y(yMore[1]), x86.Y(yParts[0]), x86.Y(yParts[1]))
	return yMore[:2]
}

// loadVectors loads consecutive lanes.
func (w *access256) loadVectors(at x86.Operand) []int {
	a, p, n := w.a, yParts, w.s.Count
	if n == 1 {
		for k := range w.halvesOf() {
			a.Emit(x86.VMOVUPS, x86.Y(p[k]), at.Plus(int32(32*k)))
		}
		return p[:w.halvesOf()]
	}
	for k, y := range p[:n] {
		a.Emit(x86.VMOVUPS, x86.X(y), at.Plus(int32(16*k)))
		a.Emit(x86.VINSERTF128, x86.Y(y), x86.Y(y), at.Plus(int32(16*(k+n))), x86.Imm(1))
	}
	if n == 2 {
		return w.deinterleave()
	}
	return w.transpose()
}

// loadBroadcast loads an element at a distance from rcx for all lanes.
func (w *access256) loadBroadcast(off int32) []int {
	a, y, from := w.a, x86.Y(yParts[0]), x86.At(x86.RCX, off)
	if w.elemBytes() == 4 {
		a.Emit(x86.VPBROADCASTD, y, from)
		return yParts[:1]
	}
	a.Emit(x86.VPBROADCASTQ, y, from)
	a.Emit(x86.VMOVUPS, x86.Y(yParts[1]), y)
	return yParts[:2]
}

// loadValues loads what half of an iteration stores, and returns it in the order of memory for each half of a vector.
func (w *access256) loadValues(half int) []int {
	a, n := w.a, w.s.Count*w.halvesOf()
	for k, y := range yParts[:n] {
		switch p := w.values()[k/w.halvesOf()]; {
		case p.Kind != lower.InWord:
			a.Emit(x86.VMOVUPS, x86.Y(y), w.valueOf(p, half, k%w.halvesOf()))
		case w.s.Wide:
			a.Emit(x86.VPBROADCASTQ, x86.Y(y), wordAt(p.At))
		default:
			a.Emit(x86.VPBROADCASTD, x86.Y(y), wordAt(p.At))
		}
	}
	switch w.s.Count {
	case 2:
		return w.interleave()
	case 4:
		return w.transpose()
	}
	return yParts[:n]
}

// storeVectors stores consecutive lanes.
func (w *access256) storeVectors(at x86.Operand, half int) {
	a, v := w.a, w.loadValues(half)
	for k, y := range v {
		if w.s.Count == 1 {
			a.Emit(x86.VMOVUPS, at.Plus(int32(32*k)), x86.Y(y))
			continue
		}
		a.Emit(x86.VMOVUPS, at.Plus(int32(16*k)), x86.X(y))
		a.Emit(x86.VEXTRACTF128, at.Plus(int32(16*(k+len(v)))), x86.Y(y), x86.Imm(1))
	}
}

// storeLanes stores eight lanes to an address each, in their order.
func (w *access256) storeLanes(half int) {
	a := w.a
	switch w.s.Count {
	case 4:
		v := w.loadValues(half)
		for k, y := range v {
			a.Emit(x86.VMOVUPS, w.at(half, k, 0), x86.X(y))
		}
		for k, y := range v {
			a.Emit(x86.VEXTRACTF128, w.at(half, k+4, 0), x86.Y(y), x86.Imm(1))
		}
	case 2:
		v := w.loadValues(half)
		for lane := 0; lane < 8; lane += 2 {
			x := x86.X(v[lane/2%2])
			if lane >= 4 {
				a.Emit(x86.VEXTRACTF128, x, x86.Y(v[lane/2%2]), x86.Imm(1))
			}
			a.Emit(x86.VMOVLPS, w.at(half, lane, 0), x)
			a.Emit(x86.VMOVHPS, w.at(half, lane+1, 0), x)
		}
	default:
		for lane := range 8 {
			w.address(x86.R10, x86.R32(10), w.laneOf(half, lane))
			w.storeElements(func(p lower.Place) x86.Operand { return w.laneOperand(p, half, lane) })
		}
	}
}

// storeElements stores the elements of a lane, whose address is in r10; of returns the operand of a value.
func (w *access256) storeElements(of func(p lower.Place) x86.Operand) {
	for e, p := range w.values() {
		value := wordAt(p.At)
		if p.Kind != lower.InWord {
			value = of(p)
		}
		w.moveElement(x86.At(x86.R10, int32(e)*w.elemBytes()).Index(regHost, 1), value)
	}
}

// storeActive stores the lanes of an eight whose bits are set in rcx one after the other, and continues at next.
func (w *access256) storeActive(half int, next x86.Label) {
	a, left, at := w.a, x86.R32(14), x86.R11
	again := a.NewLabel()
	a.Emit(x86.MOV, left, x86.R32(1))
	a.Emit(x86.TEST, left, left)
	a.Emit(x86.JE, x86.To(next))
	a.Bind(again)
	a.Emit(x86.TZCNT, x86.R32(11), left)
	a.Emit(x86.BLSR, left, left)
	a.Emit(x86.LEA, at, x86.At(regIndex, 0).Index(at, 4))
	in := func(p lower.Place) x86.Operand {
		if p.Kind == lower.InVec {
			return w.firstLane(p).Plus(int32(64*half)).Index(at, 2)
		}
		return w.firstLane(p).Plus(int32(32*half)).Index(at, 1)
	}
	w.address(x86.R10, x86.R32(10), in(w.s.Args[0]))
	w.storeElements(in)
	a.Emit(x86.TEST, left, left)
	a.Emit(x86.JNE, x86.To(again))
	a.Emit(x86.JMP, x86.To(next))
}
