package template

import (
	"math/bits"

	"github.com/heddle-gpu/heddle/exec/jit/x86"
	"github.com/heddle-gpu/heddle/exec/portable"
)

// Accesses of whole words have code of their own where there are vectors of 512 bits. It goes by rounds of 16 lanes. Lanes of a round that
// lie side by side are moved as vectors, and so are, of a load, those that are at one place; other loads are gathers, other stores go lane
// after lane. A wave whose lanes all lie side by side is found by comparing addresses alone.
//
// Nothing is written before all lanes have been looked at: what is loaded stays in registers until then.

// A rounder writes an access by rounds.
//
// Vectors: 0 is minus the segment's first address, 1 the largest offset, 2 the bits that aligned addresses lack, 3 where lanes lie side by
// side; 4 to 11 are free; 12 and 13 are for permuting elements; from 16 on there is what is loaded. Masks: 1 to 4 are the lanes of each round.
type rounder struct {
	*accessor
	n     int  // rounds
	quads bool // addresses have 64 bits
	at    int  // of vectors from vLoaded on, the first for what is loaded
}

// Numbers of vectors and masks.
const (
	vBase, vLast, vAlign, vLanes = 0, 1, 2, 3
	vLow, vHigh, vOff, vPlace    = 4, 5, 6, 7 // offsets from the segment: halves of 64 bits, all of 32 bits; from where the first lane is
	vFirst                       = 8          // the offset of the first lane
	vElems                       = 8          // elements on their way, from here on
	vPermA, vPermB               = 12, 13
	vLoaded                      = 16
	roundVectors                 = 16 // from vLoaded on

	kRefused, kApart, kTest = 5, 6, 7
)

// rounder is how the access is written by rounds, if it can be.
func (w *accessor) rounder() (r *rounder, ok bool) {
	k, n := w.s.TransferKind, w.s.Count
	switch {
	case !w.wide || w.c.b.Lanes%16 != 0 || bits.OnesCount64(w.s.Access.Bytes) != 1:
		return nil, false
	case k.Do == portable.CheckOnly:
	case k.Bytes == 4 && !k.Wide && (n == 1 || n == 2 || n == 4) || k.Bytes == 8 && n == 1:
	default:
		return nil, false
	}
	return &rounder{accessor: w, n: w.c.b.Lanes / 16, quads: w.s.Args[0].Kind == portable.InVec}, true
}

// bytes is how far lanes that lie side by side are apart, shift its logarithm.
func (w *rounder) bytes() int32 { return int32(w.s.Access.Bytes) }
func (w *rounder) shift() int64 { return int64(bits.TrailingZeros64(w.s.Access.Bytes)) }

// vectors is how many vectors a round moves.
func (w *rounder) vectors() int { return int(w.bytes() / 4) }

// lanesOf is the mask of a round's lanes.
func (w *rounder) lanesOf(round int) x86.Operand { return x86.K(1 + round) }

// even reports whether the wave may be one whose lanes all lie side by side: all take part, and the first is aligned if all are.
func (w *rounder) even() bool { return w.whole() && w.s.Access.Bytes%w.s.Align == 0 }

// write writes the access.
func (w *rounder) write() {
	a := w.a
	switch w.s.TransferKind.Do {
	case portable.LoadElems:
		loadAll([]*rounder{w})
		return
	case portable.CheckOnly:
		none, byRounds := a.NewLabel(), a.NewLabel()
		w.begin(none)
		if w.even() {
			w.together(byRounds)
			a.Emit(x86.JMP, x86.To(none))
			a.Bind(byRounds)
		}
		for r := range w.n {
			w.ifSome(r, func() { w.offsets(r) })
		}
		a.Bind(none)
		return
	}
	done := a.NewLabel()
	w.begin(done)
	if w.even() {
		byRounds := a.NewLabel()
		w.together(byRounds)
		w.count()
		for r := range w.n {
			w.put(r, regFirst, int32(16*r)*w.bytes(), nil)
		}
		a.Emit(x86.JMP, x86.To(done))
		a.Bind(byRounds)
	}
	w.stores(done)
	a.Bind(done)
}

// begin brings what all rounds need into registers. It jumps if no lane takes part.
func (w *rounder) begin(none x86.Label) {
	w.takePart(none)
	w.prepare()
}

// prepare is begin where the mask is known.
func (w *rounder) prepare() {
	a := w.a
	w.segment()
	a.Emit(x86.MOV, x86.RAX, regLast) // offsets are signed numbers of 32 bits
	a.Emit(x86.SHR, x86.RAX, x86.Imm(31))
	a.Emit(x86.JNE, x86.To(w.leave))
	a.Emit(x86.MOV, x86.RAX, regBase)
	if !w.quads { // so are the segment's addresses
		a.Emit(x86.MOV, x86.RCX, regBase)
		a.Emit(x86.ADD, x86.RCX, regLast)
		a.Emit(x86.SHR, x86.RCX, x86.Imm(32))
		a.Emit(x86.JNE, x86.To(w.leave))
	}
	a.Emit(x86.NEG, x86.RAX)
	w.spreadNumber(vBase, x86.RAX, x86.R32(0))
	w.spreadNumber(vLast, regLast, x86.R32(11))
	if w.s.Align > 1 {
		a.Emit(x86.MOV, x86.R32(0), x86.Imm(int64(w.s.Align-1)))
		w.spreadNumber(vAlign, x86.RAX, x86.R32(0))
	}
	w.learn()
	a.Emit(x86.VPMOVZXBD, x86.Z(vLanes), w.table(0))
	a.Emit(x86.VPSLLD, x86.Z(vLanes), x86.Z(vLanes), x86.Imm(w.shift()))
	if !w.whole() {
		a.Emit(x86.KMOVQ, w.lanesOf(0), regMask)
		for r := 1; r < w.n; r++ {
			a.Emit(x86.KSHIFTRQ, w.lanesOf(r), w.lanesOf(0), x86.Imm(int64(16*r)))
		}
	}
	if w.s.Count > 1 && w.s.TransferKind.Do != portable.CheckOnly {
		at := 1 // the places of even and odd elements
		if !w.load() {
			at = 3
		}
		a.Emit(x86.VPMOVZXBD, x86.Z(vPermA), w.table(at))
		a.Emit(x86.VPMOVZXBD, x86.Z(vPermB), w.table(at+1))
	}
}

// spreadNumber puts a number into all lanes, as wide as addresses are.
func (w *rounder) spreadNumber(z int, r, r32 x86.Operand) {
	if w.quads {
		w.a.Emit(x86.VPBROADCASTQ, x86.Z(z), r)
	} else {
		w.a.Emit(x86.VPBROADCASTD, x86.Z(z), r32)
	}
}

// addressAt is where the addresses of a round stand; half is the upper half of those of 64 bits.
func (w *rounder) addressAt(round, half int) x86.Operand {
	if w.quads {
		return w.lane0().Plus(int32(128*round + 64*half))
	}
	return w.lane0().Plus(int32(64 * round))
}

// together finds in regFirst where a wave is whose lanes all lie side by side; it jumps if they do not, and leaves if one is refused.
func (w *rounder) together(byRounds x86.Label) {
	a, all := w.a, x86.K(kTest)
	w.address(x86.RAX, x86.R32(0), w.lane0())
	if w.s.Align > 1 {
		a.Emit(x86.TEST, x86.R32(0), x86.Imm(int64(w.s.Align-1)))
		a.Emit(x86.JNE, x86.To(byRounds))
	}
	w.compareAll(all)
	if w.quads {
		a.Emit(x86.KORTESTB, all, all)
	} else {
		a.Emit(x86.KORTESTW, all, all)
	}
	a.Emit(x86.JAE, x86.To(byRounds))
	a.Emit(x86.SUB, x86.RAX, regBase)
	a.Emit(x86.CMP, x86.RAX, regLast)
	a.Emit(x86.JA, x86.To(w.leave))
	a.Emit(x86.LEA, x86.RCX, x86.At(x86.RAX, (16*int32(w.n)-1)*w.bytes()))
	a.Emit(x86.CMP, x86.RCX, regLast)
	a.Emit(x86.JA, x86.To(w.leave))
	a.Emit(x86.LEA, regFirst, x86.At(x86.RAX, 0).Index(regHost, 1))
	w.ahead(regFirst, 16*int32(w.n)*w.bytes())
}

// compareAll finds the lanes of every round that lie side by side with the first lane of all.
func (w *rounder) compareAll(all x86.Operand) {
	a, want, step := w.a, x86.Z(vOff), x86.Z(vHigh)
	eq, add, lanes, n := x86.VPCMPEQD, x86.VPADDD, x86.Z(vLanes), w.n
	bytes := 16 * w.bytes()
	if w.quads {
		bytes /= 2
		eq, add, lanes, n = x86.VPCMPEQQ, x86.VPADDQ, x86.Z(vLow), 2*w.n
		a.Emit(x86.VPMOVZXBQ, lanes, w.table(0))
		a.Emit(x86.VPSLLQ, lanes, lanes, x86.Imm(w.shift()))
	}
	a.Emit(x86.MOV, x86.R32(1), x86.Imm(int64(bytes)))
	w.spreadNumber(vOff, x86.RAX, x86.R32(0))
	w.spreadNumber(vHigh, x86.RCX, x86.R32(1))
	a.Emit(add, want, want, lanes)
	for i := range n {
		k := all
		if i > 0 {
			a.Emit(add, want, want, step)
			k = all.Mask(all) // lanes that did not agree before do not now
		}
		a.Emit(eq, k, want, w.lane0().Plus(int32(64*i)))
	}
}

// offsets brings the offsets of a round into vOff, and leaves if one is refused.
func (w *rounder) offsets(round int) {
	a := w.a
	if !w.quads {
		a.Emit(x86.VPADDD, x86.Z(vOff), x86.Z(vBase), w.addressAt(round, 0))
		a.Emit(x86.VPCMPUD, w.among(kRefused, round), x86.Z(vOff), x86.Z(vLast), x86.Imm(6))
		if w.s.Align > 1 {
			a.Emit(x86.VPTESTMD, w.among(kTest, round), x86.Z(vAlign), w.addressAt(round, 0))
			a.Emit(x86.KORW, x86.K(kRefused), x86.K(kRefused), x86.K(kTest))
		}
		a.Emit(x86.KORTESTW, x86.K(kRefused), x86.K(kRefused))
		a.Emit(x86.JNE, x86.To(w.leave))
		return
	}
	for h, z := range [2]int{vLow, vHigh} {
		a.Emit(x86.VPADDQ, x86.Z(z), x86.Z(vBase), w.addressAt(round, h))
	}
	if !w.whole() {
		a.Emit(x86.KSHIFTRW, x86.K(kApart), w.lanesOf(round), x86.Imm(8))
	}
	w.halves(round, func(k x86.Operand, h int) {
		a.Emit(x86.VPCMPUQ, k, x86.Z(vLow+h), x86.Z(vLast), x86.Imm(6))
	})
	if w.s.Align > 1 {
		w.halves(round, func(k x86.Operand, h int) { a.Emit(x86.VPTESTMQ, k, x86.Z(vAlign), w.addressAt(round, h)) })
	}
	a.Emit(x86.VPMOVQD, x86.Y(vOff), x86.Z(vLow))
	a.Emit(x86.VPMOVQD, x86.Y(vPlace), x86.Z(vHigh))
	a.Emit(x86.VINSERTI64X4, x86.Z(vOff), x86.Z(vOff), x86.Y(vPlace), x86.Imm(1))
}

// halves leaves if a test of both halves of a round's addresses finds a lane. The lanes of the upper half are in kApart.
func (w *rounder) halves(round int, test func(k x86.Operand, half int)) {
	low, high := w.among(kRefused, round), x86.K(kTest)
	if !w.whole() {
		high = high.Mask(x86.K(kApart))
	}
	test(low, 0)
	test(high, 1)
	w.a.Emit(x86.KORTESTW, x86.K(kRefused), x86.K(kTest))
	w.a.Emit(x86.JNE, x86.To(w.leave))
}

// among is mask k, as the result of a test of the round's lanes.
func (w *rounder) among(k, round int) x86.Operand {
	if w.whole() {
		return x86.K(k)
	}
	return x86.K(k).Mask(w.lanesOf(round))
}

// first finds in kTest the lanes that do not lie side by side with the round's first, and in rax the offset that lane 0 then would have.
func (w *rounder) first(round int) {
	a := w.a
	from, all := x86.X(vOff), x86.Z(vFirst)
	if !w.whole() {
		a.Emit(x86.VPCOMPRESSD, x86.Z(vPlace).Zero(w.lanesOf(round)), x86.Z(vOff))
		from = x86.X(vPlace)
	}
	a.Emit(x86.VPBROADCASTD, x86.Z(vFirst), from)
	a.Emit(x86.VMOVD, x86.R32(0), from)
	if !w.whole() {
		a.Emit(x86.KMOVW, x86.R32(1), w.lanesOf(round))
		a.Emit(x86.TZCNT, x86.R32(1), x86.R32(1))
		a.Emit(x86.SHL, x86.R32(1), x86.Imm(w.shift()))
		a.Emit(x86.SUB, x86.RAX, x86.RCX)
		all = x86.Z(vPlace)
		a.Emit(x86.VPBROADCASTD, all, x86.R32(0))
	}
	a.Emit(x86.VPSUBD, x86.Z(vPlace), x86.Z(vOff), all)
	a.Emit(x86.VPCMPUD, w.among(kTest, round), x86.Z(vPlace), x86.Z(vLanes), x86.Imm(4))
	a.Emit(x86.KORTESTW, x86.K(kTest), x86.K(kTest))
}

// table is a row of 16 numbers: of lanes; of even and odd elements of two vectors; of the elements of two that are merged in turn.
func (w *rounder) table(i int) x86.Operand { return x86.RIP(w.c.sixteens(i)) }

// sixteens is row i of the table.
func (c *compiler) sixteens(i int) x86.Label {
	if c.rows[i].has {
		return c.rows[i].at
	}
	c.rows[i].at, c.rows[i].has = c.a.NewLabel(), true
	return c.rows[i].at
}

// A tableRow is a row of sixteens, if the code needs it.
type tableRow struct {
	at  x86.Label
	has bool
}

// Rows of the table: even elements of two vectors, behind them the odd ones; lower elements in turn, behind them the upper ones.
const (
	evenElements = 1
	inTurn       = 3
)

// tableRows are the numbers.
var tableRows = [5]func(i byte) byte{
	func(i byte) byte { return i },
	func(i byte) byte { return 2 * i },
	func(i byte) byte { return 2*i + 1 },
	func(i byte) byte { return i/2 + i%2*16 },
	func(i byte) byte { return i/2 + i%2*16 + 8 },
}

// writeRows writes the rows of sixteens that the code needs.
func (c *compiler) writeRows() {
	for i, r := range c.rows {
		if !r.has {
			continue
		}
		c.a.Align(16)
		c.a.Bind(r.at)
		for k := range byte(16) {
			c.a.Data(tableRows[i](k))
		}
	}
}
