package gen

import (
	"github.com/heddle-gpu/heddle/internal/jit/x86"
	"github.com/heddle-gpu/heddle/internal/portable"
	"github.com/heddle-gpu/heddle/ir"
)

// Accesses by rounds ask for what the same access will touch later: as far ahead as it is now from where it was when the wave of that number
// was here last, in the group before or the round of a loop before. A guess that is wrong costs some memory traffic, and nothing else: processors
// ignore such requests where there is no memory.

// regAhead is how far ahead.
var regAhead = x86.R14

// lineBytes is what one request asks for.
const lineBytes = 64

// asksAhead reports whether the access does so. Group memory is at hand.
func (w *rounder) asksAhead() bool {
	return w.s.TransferKind.Do != portable.CheckOnly && w.s.Space != ir.GroupSpace
}

// learn finds how far ahead to ask. Rax is free.
func (w *rounder) learn() {
	if !w.asksAhead() {
		return
	}
	a := w.a
	past := wordAt(w.s.Site+portable.SitePast).Index(regAhead, 8)
	a.Emit(x86.MOV, regAhead, arg(argWave))
	w.firstAddress()
	a.Emit(x86.MOV, x86.RCX, past)
	a.Emit(x86.MOV, past, x86.RAX)
	a.Emit(x86.MOV, regAhead, x86.RAX)
	a.Emit(x86.SUB, regAhead, x86.RCX)
}

// aheadOfRound is ahead for the loop's round, at rax. What loads that are one of several have learned is gone by then.
func (w *rounder) aheadOfRound() {
	if !w.joint {
		w.ahead(x86.RAX, 16*w.bytes())
	}
}

// ahead asks for what n bytes at a place on the host lead to expect.
func (w *rounder) ahead(at x86.Operand, n int32) {
	if !w.asksAhead() {
		return
	}
	op := x86.PREFETCHT0
	if !w.load() {
		op = x86.PREFETCHW
	}
	for i := int32(0); i < n; i += lineBytes {
		w.a.Emit(op, x86.At(at, i).Index(regAhead, 1))
	}
}
