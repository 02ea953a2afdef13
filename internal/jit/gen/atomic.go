package gen

import (
	"github.com/heddle-gpu/heddle/internal/jit/code"
	"github.com/heddle-gpu/heddle/internal/jit/x86"
	"github.com/heddle-gpu/heddle/internal/lower"
	"github.com/heddle-gpu/heddle/ir"
)

// Atomics check all lanes first, as other accesses do. Then they update memory lane by lane in ascending order, with
// locked instructions if other waves that can reach the memory may run concurrently.

// Numbers of general registers for a lane: the old value, the new value, the operands. The comparand is 0 if there is
// none.
const (
	numOld  = 0
	numData = 1
	numNew  = 13
	numCmp  = 14
)

// An atomicOp is the implementation of an atomic; n returns a register of the element's size.
type atomicOp struct {
	next func(a *x86.Asm, by x86.Op, n func(num int) x86.Operand) // computes the new value from the others
	by   x86.Op                                                   // the instruction, if next is shared by several ops
	own  x86.Op                                                   // an instruction on memory, without a result; jmp: none
}

// atomics are the atomics with code. Those of floats, and wrap, have none.
var atomics = [...]atomicOp{
	ir.AtomicAdd:     {computesBy, x86.ADD, x86.ADD},
	ir.AtomicSub:     {computesBy, x86.SUB, x86.SUB},
	ir.AtomicRSub:    {reverseSubtract, 0, x86.JMP},
	ir.AtomicSMin:    {selectsBy, x86.CMOVL, x86.JMP},
	ir.AtomicSMax:    {selectsBy, x86.CMOVG, x86.JMP},
	ir.AtomicUMin:    {selectsBy, x86.CMOVB, x86.JMP},
	ir.AtomicUMax:    {selectsBy, x86.CMOVA, x86.JMP},
	ir.AtomicAnd:     {computesBy, x86.AND, x86.AND},
	ir.AtomicOr:      {computesBy, x86.OR, x86.OR},
	ir.AtomicXor:     {computesBy, x86.XOR, x86.XOR},
	ir.AtomicInc:     {increments, 0, x86.JMP},
	ir.AtomicDec:     {decrements, 0, x86.JMP},
	ir.AtomicSwap:    {exchanges, 0, x86.JMP},
	ir.AtomicCmpSwap: {exchangesIf, 0, x86.JMP},
	ir.AtomicMskOr:   {masksOr, 0, x86.JMP},

	ir.AtomicFCmpSwap: {},
}

// computesBy computes old op data.
func computesBy(a *x86.Asm, by x86.Op, n func(int) x86.Operand) {
	a.Emit(x86.MOV, n(numNew), n(numOld))
	a.Emit(by, n(numNew), n(numData))
}

// selectsBy computes old if the condition holds between old and data, else data.
func selectsBy(a *x86.Asm, by x86.Op, n func(int) x86.Operand) {
	a.Emit(x86.MOV, n(numNew), n(numData))
	a.Emit(x86.CMP, n(numOld), n(numData))
	a.Emit(by, n(numNew), n(numOld))
}

func reverseSubtract(a *x86.Asm, _ x86.Op, n func(int) x86.Operand) {
	a.Emit(x86.MOV, n(numNew), n(numData))
	a.Emit(x86.SUB, n(numNew), n(numOld))
}

func exchanges(a *x86.Asm, _ x86.Op, n func(int) x86.Operand) { a.Emit(x86.MOV, n(numNew), n(numData)) }

// increments computes 0 if old >= data, else old + 1.
func increments(a *x86.Asm, _ x86.Op, n func(int) x86.Operand) {
	a.Emit(x86.LEA, n(numNew), x86.At(x86.R64(numOld), 1))
	a.Emit(x86.CMP, n(numOld), n(numData))
	a.Emit(x86.CMOVAE, n(numNew), n(numCmp))
}

// decrements computes data if old is 0 or above data, else old - 1: the smaller of old - 1 and data.
func decrements(a *x86.Asm, _ x86.Op, n func(int) x86.Operand) {
	a.Emit(x86.LEA, n(numNew), x86.At(x86.R64(numOld), -1))
	a.Emit(x86.CMP, n(numNew), n(numData))
	a.Emit(x86.CMOVA, n(numNew), n(numData))
}

func exchangesIf(a *x86.Asm, _ x86.Op, n func(int) x86.Operand) {
	a.Emit(x86.MOV, n(numNew), n(numOld))
	a.Emit(x86.CMP, n(numOld), n(numCmp))
	a.Emit(x86.CMOVE, n(numNew), n(numData))
}

// masksOr computes old without the bits of data, or'ed with the comparand.
func masksOr(a *x86.Asm, _ x86.Op, n func(int) x86.Operand) {
	a.Emit(x86.ANDN, n(numNew), n(numData), n(numOld))
	a.Emit(x86.OR, n(numNew), n(numCmp))
}

// An atomicAccess emits an atomic.
type atomicAccess struct {
	accessor
	atomicOp
	unread bool // the result is dead
}

// atomic emits an atomic.
func (c *assembly) atomic(w *accessor) {
	res := w.s.Res[0]
	cell := res.Kind == lower.InRow && res.At >= 0
	x := atomicAccess{*w, atomics[w.s.Atomic], c.choices[c.now].last[0] < 0 && !cell}
	x.write()
}

func (w *atomicAccess) write() {
	a := w.a
	none, done := a.NewLabel(), a.NewLabel()
	w.loadLanes(none)
	if !w.checkWave(done, w.updateAll) {
		w.loadShared()
		w.updateEachLane()
		if !w.unread && !w.allLanes() {
			w.zeroInactive()
			a.Emit(x86.JMP, x86.To(done))
			a.Bind(none)
			none = a.NewLabel()
			w.zeroResults()
		}
	}
	a.Bind(none)
	a.Bind(done)
}

// updateAll updates memory lane by lane; all lanes are active.
func (w *atomicAccess) updateAll(n *access256) {
	w.loadShared()
	w.iterations(func() {
		for i := range 16 {
			w.updateLane(func(p lower.Place) x86.Operand { return n.laneOperand(p, i/8, i%8) })
		}
	})
}

// loadShared loads what all lanes need into registers, and counts the atomics.
func (w *atomicAccess) loadShared() {
	w.count()
	w.a.Emit(x86.SUB, regHost, regBase)
	if len(w.s.Args) < 3 {
		w.a.Emit(x86.XOR, x86.R32(numCmp), x86.R32(numCmp))
	}
}

// count adds what all lanes do to the counters.
func (w *atomicAccess) count() {
	if w.s.Silent {
		return
	}
	w.a.Emit(x86.POPCNT, x86.RAX, regMask)
	w.c.add(counterOf(w.s, code.OffAtomics), x86.RAX)
	w.a.Emit(x86.IMUL, x86.RAX, x86.RAX, x86.Imm(int64(w.elemBytes())))
	w.c.add(counterOf(w.s, code.OffRead), x86.RAX)
	w.c.add(counterOf(w.s, code.OffWritten), x86.RAX)
}

// reg returns a register of the element's size.
func (w *atomicAccess) reg(num int) x86.Operand { return x86.G(8*int(w.elemBytes()), num) }

// updateEachLane updates memory for each lane of the mask.
func (w *atomicAccess) updateEachLane() {
	a := w.a
	again := a.NewLabel()
	a.Emit(x86.MOV, regBase, regMask)
	a.Align(16)
	a.Bind(again)
	a.Emit(x86.TZCNT, regIndex, regBase)
	a.Emit(x86.BLSR, regBase, regBase)
	w.updateLane(func(p lower.Place) x86.Operand { return w.lane(p, regIndex) })
	a.Emit(x86.TEST, regBase, regBase)
	a.Emit(x86.JNE, x86.To(again))
}

// updateLane updates memory for one lane; at returns the operand of a value in that lane.
func (w *atomicAccess) updateLane(at func(p lower.Place) x86.Operand) {
	a, s := w.a, w.s
	w.address(regLast, x86.R32(11), at(s.Args[0]))
	for i, num := range [...]int{numData, numCmp} {
		if 1+i >= len(s.Args) {
			break
		}
		from := s.Args[1+i]
		if from.Kind == lower.InWord {
			a.Emit(x86.MOV, w.reg(num), wordAt(from.At))
		} else {
			a.Emit(x86.MOV, w.reg(num), at(from))
		}
	}
	result := w.updateElement(x86.At(regLast, 0).Index(regHost, 1))
	if !w.unread {
		a.Emit(x86.MOV, at(s.Res[0]), w.reg(result))
	}
}

// updateElement updates an element; result is the number of the register with the old value.
func (w *atomicAccess) updateElement(guest x86.Operand) (result int) {
	a := w.a
	lock := func() {
		if !w.s.NoLock {
			a.Emit(x86.LOCK)
		}
	}
	switch {
	case w.unread && w.own != x86.JMP:
		lock()
		a.Emit(w.own, guest, w.reg(numData))
		return 0
	case w.own == x86.ADD:
		lock()
		a.Emit(x86.XADD, guest, w.reg(numData))
		return numData
	}
	a.Emit(x86.MOV, w.reg(numOld), guest)
	again := a.NewLabel()
	a.Bind(again)
	w.next(a, w.by, w.reg)
	if w.s.NoLock {
		a.Emit(x86.MOV, guest, w.reg(numNew))
		return numOld
	}
	lock()
	a.Emit(x86.CMPXCHG, guest, w.reg(numNew))
	a.Emit(x86.JNE, x86.To(again))
	return numOld
}
