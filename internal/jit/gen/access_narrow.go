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
type access256 struct {
	*accessor
	quads bool // addresses have 64 bits
}

// Vector numbers.
const (
	yBase, yLast, yFar, yWant, yStep, yApart, yBits = 0, 1, 2, 3, 4, 5, 6
	yFree, ySpread                                  = 7, 8 // the latter is that of spread
	yOther                                          = 9
	yMask, yBit, yTakes                             = 10, 11, 12 // for waves with inactive lanes
)

// regBits holds the address of the table of lane bits.
var regBits = x86.R14

// mostUnrolled is the largest number of elements per lane that are moved without a loop over lanes.
const mostUnrolled = 4

// narrow returns the emitter of the access for whole waves; ok is false if there is none.
func (w *accessor) narrow() (n *access256, ok bool) {
	k := w.s.TransferKind
	if w.wide && k.Bytes >= 4 && k.Do != lower.AtomicElem || w.c.b.Lanes%16 != 0 {
		return nil, false
	}
	return &access256{w, w.s.Args[0].Kind == lower.InVec}, true
}

// together emits the access for waves whose lanes are all active, which continues at done, and the checks for other
// waves. move emits the moves after the checks. It reports whether there are no other waves.
func (w *accessor) together(done x86.Label, move func(n *access256)) bool {
	n, ok := w.narrow()
	switch {
	case !ok && w.wide:
		w.check512()
		return false
	case !ok:
		w.check()
		return false
	}
	some := w.ifSome()
	n.check(false)
	move(n)
	if w.whole() {
		return true
	}
	w.a.Emit(x86.JMP, x86.To(done))
	w.a.Bind(some)
	n.check(true)
	return false
}

// ifSome returns a label to which the code jumps if a lane is inactive.
func (w *accessor) ifSome() x86.Label {
	some := w.a.NewLabel()
	if !w.whole() {
		w.a.Emit(x86.CMP, regMask, arg(argFull))
		w.a.Emit(x86.JNE, x86.To(some))
	}
	return some
}

// single reports whether each lane moves one element as wide as its value.
func (w *access256) single() bool {
	return w.s.TransferKind.Do != lower.AtomicElem && w.s.Count == 1 && (w.elem() == 4 && !w.s.Wide || w.elem() == 8)
}

// broadcast fills a vector from memory or from its own lowest element.
func (w *access256) broadcast(y int, from x86.Operand) {
	op := x86.VPBROADCASTD
	if w.quads {
		op = x86.VPBROADCASTQ
	}
	w.a.Emit(op, x86.Y(y), from)
}

// number fills a vector with a number of up to 31 bits.
func (w *access256) number(y int, n int64) {
	w.a.Emit(x86.MOV, x86.R32(1), x86.Imm(n))
	w.a.Emit(x86.VMOVD, x86.X(y), x86.R32(1))
	w.broadcast(y, x86.X(y))
}

// ops returns the addition and subtraction for addresses.
func (w *access256) ops() (add, sub x86.Op) {
	if w.quads {
		return x86.VPADDQ, x86.VPSUBQ
	}
	return x86.VPADDD, x86.VPSUBD
}

// vectors is the number of vectors that hold the addresses of 8 lanes.
func (w *access256) vectors() int {
	if w.quads {
		return 2
	}
	return 1
}

// places fills vector y with the distances from the first lane if lanes are consecutive.
func (w *access256) places(y int) { w.spaced(y, w.elem()) }

// spaced fills vector y with multiples of a size below 256, starting at 0.
func (w *access256) spaced(y int, bytes int32) {
	op, sll, mul := x86.VPMOVZXBD, x86.VPSLLD, x86.VPMULLD
	if w.quads {
		op, sll, mul = x86.VPMOVZXBQ, x86.VPSLLQ, x86.VPMULUDQ
	}
	w.a.Emit(op, x86.Y(y), x86.RIP(w.c.eights()))
	if n := uint32(bytes); bits.OnesCount32(n) == 1 {
		w.a.Emit(sll, x86.Y(y), x86.Y(y), x86.Imm(int64(bits.TrailingZeros32(n))))
		return
	}
	w.number(yFree, int64(bytes))
	w.a.Emit(mul, x86.Y(y), x86.Y(y), x86.Y(yFree))
}

// check checks all lanes, or the active ones if some, and exits if one is rejected. Offsets and addresses are compared
// as 32-bit words: the upper halves must be 0.
func (w *access256) check(some bool) {
	a := w.a
	y := func(n int) x86.Operand { return x86.Y(n) }
	w.limits()
	a.Emit(x86.VPXOR, y(yFar), y(yFar), y(yFar))
	a.Emit(x86.VPXOR, y(yBits), y(yBits), y(yBits))
	if some {
		a.Emit(x86.LEA, regBits, x86.RIP(w.c.laneBits()))
	} else if w.single() {
		w.expect()
	}
	w.rounds(func() {
		if some {
			a.Emit(x86.VMOVD, x86.X(yMask), x86.R32(0))
			w.broadcast(yMask, x86.X(yMask))
		}
		for i := range 2 * w.vectors() {
			w.look(i, some)
		}
	})
	a.Emit(x86.VPMAXUD, y(yFar), y(yFar), y(yLast))
	a.Emit(x86.VPXOR, y(yFar), y(yFar), y(yLast))
	a.Emit(x86.VPTEST, y(yFar), y(yFar))
	a.Emit(x86.JNE, x86.To(w.leave))
	if w.s.Align > 1 {
		w.number(yFree, int64(w.s.Align-1))
		a.Emit(x86.VPTEST, y(yBits), y(yFree))
		a.Emit(x86.JNE, x86.To(w.leave))
	}
}

// expect begins the test for consecutive lanes.
func (w *access256) expect() {
	add, _ := w.ops()
	w.places(yWant)
	w.broadcast(yFree, w.lane0())
	w.a.Emit(add, x86.Y(yWant), x86.Y(yWant), x86.Y(yFree))
	w.number(yStep, int64(8/w.vectors())*int64(w.elem()))
	w.a.Emit(x86.VPXOR, x86.Y(yApart), x86.Y(yApart), x86.Y(yApart))
}

// look checks vector i of an iteration.
func (w *access256) look(i int, some bool) {
	a, at := w.a, x86.Y(yFree)
	y := func(n int) x86.Operand { return x86.Y(n) }
	add, sub := w.ops()
	a.Emit(x86.VMOVDQU, at, w.vector(i))
	if some {
		w.takes(i)
	}
	if w.s.Align > 1 {
		bits := at
		if some {
			bits = y(yOther)
			a.Emit(x86.VPAND, bits, at, y(yTakes))
		}
		a.Emit(x86.VPOR, y(yBits), y(yBits), bits)
	}
	if w.single() && !some {
		a.Emit(x86.VPXOR, y(yOther), y(yWant), at)
		a.Emit(x86.VPOR, y(yApart), y(yApart), y(yOther))
		a.Emit(add, y(yWant), y(yWant), y(yStep))
	}
	a.Emit(sub, at, at, y(yBase))
	if some {
		a.Emit(x86.VPAND, at, at, y(yTakes))
	}
	a.Emit(x86.VPMAXUD, y(yFar), y(yFar), at)
}

// takes sets the active lanes of vector i of an iteration to ones, the others to 0.
func (w *access256) takes(i int) {
	a, bit, takes := w.a, x86.Y(yBit), x86.Y(yTakes)
	equal := x86.VPCMPEQD
	if w.quads {
		equal = x86.VPCMPEQQ
		a.Emit(x86.VPMOVZXDQ, bit, x86.At(regBits, int32(16*i)))
	} else {
		a.Emit(x86.VMOVDQU, bit, x86.At(regBits, int32(32*i)))
	}
	a.Emit(x86.VPAND, takes, x86.Y(yMask), bit)
	a.Emit(equal, takes, takes, bit)
}

// laneBits returns the label of a table of the bits of 16 lanes, as 32-bit words.
func (c *compiler) laneBits() x86.Label {
	if !c.hasBits {
		c.bitsAt, c.hasBits = c.a.NewLabel(), true
	}
	return c.bitsAt
}

// writeBits emits the table if the code uses it.
func (c *compiler) writeBits() {
	if !c.hasBits {
		return
	}
	c.a.Align(32)
	c.a.Bind(c.bitsAt)
	for i := range 16 {
		bit := 1 << i
		c.a.Data(byte(bit), byte(bit>>8), 0, 0)
	}
}

// limits loads the bounds of the cached segment into vectors. It exits if the segment is too large for 32 bits, or
// ends beyond the reach of 32-bit addresses.
func (w *access256) limits() {
	a := w.a
	a.Emit(x86.MOV, x86.RAX, regLast)
	if !w.quads {
		a.Emit(x86.ADD, x86.RAX, regBase)
	}
	a.Emit(x86.SHR, x86.RAX, x86.Imm(32))
	a.Emit(x86.JNE, x86.To(w.leave))
	w.broadcast(yBase, wordAt(w.s.Site+lower.SiteBase))
	w.broadcast(yLast, wordAt(w.s.Site+lower.SiteLast))
}

// vector is the operand of vector i of the addresses of an iteration: one of two or four.
func (w *access256) vector(i int) x86.Operand {
	return w.eight(w.s.Args[0], i/w.vectors()).Plus(int32(i % w.vectors() * 32))
}

// move moves the elements of all lanes.
func (w *access256) move() {
	a := w.a
	w.count()
	a.Emit(x86.SUB, regHost, regBase)
	if !w.single() {
		if w.s.Count > mostUnrolled {
			w.eachLane()
			return
		}
		w.rounds(func() {
			w.lanes(0)
			w.lanes(1)
		})
		return
	}
	apart, done := a.NewLabel(), a.NewLabel()
	a.Emit(x86.VPTEST, x86.Y(yApart), x86.Y(yApart))
	a.Emit(x86.JNE, x86.To(apart))
	w.side()
	a.Emit(x86.JMP, x86.To(done))
	a.Bind(apart)
	w.places(yWant)
	if w.quads {
		w.number(yFree, 4*int64(w.elem()))
		a.Emit(x86.VPADDQ, x86.Y(yWant+1), x86.Y(yWant), x86.Y(yFree))
	}
	w.rounds(func() {
		w.eightLanes(0)
		w.eightLanes(1)
	})
	a.Bind(done)
}

// eightLanes moves half of an iteration: as vectors if its lanes are consecutive, or load from one address.
func (w *access256) eightLanes(half int) {
	a, p := w.a, w.s.Args[0]
	other, lanes, next := a.NewLabel(), a.NewLabel(), a.NewLabel()
	_, sub := w.ops()
	w.address(x86.RCX, x86.R32(1), w.eight(p, half))
	w.broadcast(yFree, w.eight(p, half))
	offset := func(i int) x86.Operand { return x86.Y(yOther + i) }
	for i := range w.vectors() {
		a.Emit(x86.VMOVDQU, offset(i), w.vector(half*w.vectors()+i))
		a.Emit(sub, offset(i), offset(i), x86.Y(yFree))
	}
	a.Emit(x86.ADD, x86.RCX, regHost)
	w.ifAny(other, func(i int) x86.Operand {
		t := x86.Y(yOther + 2 + i)
		a.Emit(x86.VPXOR, t, offset(i), x86.Y(yWant+i))
		return t
	})
	for off := int32(0); off < 8*w.elem(); off += 32 {
		w.plain(x86.Y(yFree), x86.At(x86.RCX, off), w.half(half, off))
	}
	a.Emit(x86.JMP, x86.To(next))
	a.Bind(other)
	if w.load() {
		w.ifAny(lanes, offset)
		op := x86.VPBROADCASTD
		if w.elem() == 8 {
			op = x86.VPBROADCASTQ
		}
		a.Emit(op, x86.Y(yFree), x86.At(x86.RCX, 0))
		for off := int32(0); off < 8*w.elem(); off += 32 {
			a.Emit(x86.VMOVUPS, w.half(half, off), x86.Y(yFree))
		}
		a.Emit(x86.JMP, x86.To(next))
	}
	a.Bind(lanes)
	w.lanes(half)
	a.Bind(next)
}

// half is the operand of what half of an iteration moves, from a byte offset on.
func (w *access256) half(half int, off int32) x86.Operand {
	return w.part(w.values()[0], off+int32(half)*8*w.elem())
}

// ifAny jumps if one of the vectors is not 0.
func (w *access256) ifAny(to x86.Label, vector func(i int) x86.Operand) {
	v := vector(0)
	if w.quads {
		second := vector(1)
		t := x86.Y(yOther + 4)
		w.a.Emit(x86.VPOR, t, v, second)
		v = t
	}
	w.a.Emit(x86.VPTEST, v, v)
	w.a.Emit(x86.JNE, x86.To(to))
}

// lanes moves half of an iteration lane by lane.
func (w *access256) lanes(half int) {
	for i := range 8 {
		w.address(x86.RAX, x86.R32(0), w.laneOf(w.s.Args[0], half, i))
		for e, p := range w.values() {
			value := wordAt(p.At)
			if p.Kind != lower.InWord {
				value = w.laneOf(p, half, i)
			}
			w.element(x86.At(x86.RAX, int32(e)*w.elem()).Index(regHost, 1), value)
		}
	}
}

// laneOf is the operand of a value in a lane of half of an iteration.
func (w *access256) laneOf(p lower.Place, half, lane int) x86.Operand {
	size := int32(4)
	if p.Kind == lower.InVec {
		size = 8
	}
	return w.eight(p, half).Plus(size * int32(lane))
}
