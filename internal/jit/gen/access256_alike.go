package gen

import (
	"github.com/heddle-gpu/heddle/internal/jit/x86"
	"github.com/heddle-gpu/heddle/internal/lower"
)

// Waves whose lanes are all active and alike: all of them are consecutive in memory, or each eight is, as in rows of 8
// or 16 lanes, or each eight loads from one address. A few addresses then tell whether all lanes are in the segment.

// checkConsecutive jumps to others if lanes are not consecutive, first of all if the last one is not, and exits if one
// is rejected.
func (w *access256) checkConsecutive(others x86.Label) {
	a, span := w.a, int32(w.c.b.Lanes-1)*int32(w.s.Access.Bytes)
	if w.s.Align > 1 {
		a.Emit(x86.TEST, x86.R32(13), x86.Imm(int64(w.s.Align-1)))
		a.Emit(x86.JNE, x86.To(others))
	}
	last, first := x86.R32(1), x86.R32(13)
	if w.addr64() {
		last, first = x86.RCX, regFirst
	}
	a.Emit(x86.MOV, last, w.firstLaneAddress().Plus(4*int32(w.vectors()*(w.c.b.Lanes-1))))
	a.Emit(x86.SUB, last, first)
	a.Emit(x86.JB, x86.To(others)) // addresses of 32 bits wrap
	a.Emit(x86.CMP, last, x86.Imm(int64(span)))
	a.Emit(x86.JNE, x86.To(others))
	w.unlessWhole(int32(w.s.Access.Bytes), others)
	a.Emit(x86.MOV, x86.RCX, regFirst)
	a.Emit(x86.SUB, x86.RCX, regBase)
	a.Emit(x86.CMP, x86.RCX, regLast)
	a.Emit(x86.JA, x86.To(w.leave))
	a.Emit(x86.ADD, x86.RCX, x86.Imm(int64(span)))
	a.Emit(x86.CMP, x86.RCX, regLast)
	a.Emit(x86.JA, x86.To(w.leave))
}

// retryEights is how many waves do without checkEights after one that it found different. A word of the site counts
// them.
const retryEights = 32

// regStep is the distance of lanes within eights: that of consecutive ones, or 0.
var regStep = x86.R14

// checkEights jumps to others unless eights are consecutive, or all load from one address each. It exits if a lane is
// rejected.
func (w *access256) checkEights(others x86.Label) {
	a, op, start, try, unlike := w.a, w.ops(), w.a.NewLabel(), w.a.NewLabel(), w.a.NewLabel()
	y := func(n int) x86.Operand { return x86.Y(n) }
	left := wordAt(w.s.Site + lower.SitePrev).Size(8)
	a.Emit(x86.SUB, left, x86.Imm(1))
	a.Emit(x86.JS, x86.To(try))
	a.Emit(x86.JMP, x86.To(others))
	a.Bind(unlike)
	a.Emit(x86.MOV, left, x86.Imm(retryEights))
	a.Emit(x86.JMP, x86.To(others))
	a.Bind(try)
	a.Emit(x86.MOV, left, x86.Imm(0))
	w.laneDistances()
	step, first := x86.R32(14), x86.R32(13)
	if w.addr64() {
		step, first = regStep, regFirst
	}
	a.Emit(x86.MOV, step, w.firstLaneAddress().Plus(int32(4*w.vectors())))
	a.Emit(x86.SUB, step, first)
	a.Emit(x86.CMP, step, x86.Imm(int64(w.s.Access.Bytes)))
	a.Emit(x86.JE, x86.To(start))
	a.Emit(x86.TEST, step, step)
	if a.Emit(x86.JNE, x86.To(unlike)); w.load() {
		for i := range w.vectors() {
			a.Emit(x86.VPXOR, y(yWant+i), y(yWant+i), y(yWant+i))
		}
	} else {
		a.Emit(x86.JMP, x86.To(unlike))
	}
	a.Bind(start)
	w.loadLimits()
	for _, v := range [...]int{yMost, yDiffer, yBits} {
		a.Emit(x86.VPXOR, y(v), y(v), y(v))
	}
	w.iterations(func() {
		for half := range 2 {
			w.broadcast(yFree, w.laneOperand(w.s.Args[0], half, 0))
			for i := range w.vectors() {
				a.Emit(op.add, y(yOther), y(yFree), y(yWant+i))
				a.Emit(x86.VPXOR, y(yOther), y(yOther), w.addressVector(half*w.vectors()+i))
				a.Emit(x86.VPOR, y(yDiffer), y(yDiffer), y(yOther))
			}
			if w.s.Align > 1 {
				a.Emit(x86.VPOR, y(yBits), y(yBits), y(yFree))
			}
			a.Emit(op.sub, y(yFree), y(yFree), y(yBase))
			a.Emit(x86.VPMAXUD, y(yMost), y(yMost), y(yFree))
		}
	})
	a.Emit(x86.VPTEST, y(yDiffer), y(yDiffer))
	a.Emit(x86.JNE, x86.To(unlike))
	a.Emit(op.add, y(yOther), y(yMost), y(yWant+w.vectors()-1))
	a.Emit(x86.VPMAXUD, y(yMost), y(yMost), y(yOther))
	w.unlessWithin()
}

// moveAlike moves a wave of such eights. It may continue at done.
func (w *access256) moveAlike(done x86.Label) {
	a, same := w.a, w.a.NewLabel()
	if w.load() {
		a.Emit(x86.TEST, regStep, regStep)
		a.Emit(x86.JE, x86.To(same))
	}
	w.iterations(func() {
		for half := range 2 {
			w.address(x86.RCX, x86.R32(1), w.laneOperand(w.s.Args[0], half, 0))
			w.moveVectors(x86.At(x86.RCX, 0).Index(regHost, 1), half)
		}
	})
	if !w.load() {
		return
	}
	a.Emit(x86.JMP, x86.To(done))
	a.Bind(same)
	w.iterations(func() {
		for half := range 2 {
			w.address(x86.RCX, x86.R32(1), w.laneOperand(w.s.Args[0], half, 0))
			a.Emit(x86.ADD, x86.RCX, regHost)
			w.broadcastAll(half)
		}
	})
}
