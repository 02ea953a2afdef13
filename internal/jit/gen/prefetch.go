package gen

import (
	"github.com/heddle-gpu/heddle/internal/jit/x86"
	"github.com/heddle-gpu/heddle/internal/lower"
	"github.com/heddle-gpu/heddle/ir"
)

// Software prefetch: accesses by iterations prefetch what the same access is expected to touch next. The distance is
// that from the address which the wave of the same number accessed last (in the previous workgroup or the previous
// iteration of a guest loop) to the present one. A wrong guess costs memory bandwidth only: processors ignore
// prefetches of unmapped memory.

// regAhead holds the prefetch distance.
var regAhead = x86.R14

// lineBytes is the number of bytes that one prefetch covers.
const lineBytes = 64

// prefetches reports whether the access prefetches. Workgroup memory does not need it.
func (w *vectorAccess) prefetches() bool {
	return w.s.TransferKind.Do != lower.CheckOnly && w.s.Space != ir.GroupSpace
}

// learnDistance computes the prefetch distance. It clobbers rax.
func (w *vectorAccess) learnDistance() {
	if !w.prefetches() {
		return
	}
	a := w.a
	past := wordAt(w.s.Site+lower.SitePrev).Index(regAhead, 8)
	a.Emit(x86.MOV, regAhead, arg(argWave))
	w.firstAddress()
	a.Emit(x86.MOV, x86.RCX, past)
	a.Emit(x86.MOV, past, x86.RAX)
	a.Emit(x86.MOV, regAhead, x86.RAX)
	a.Emit(x86.SUB, regAhead, x86.RCX)
}

// prefetchIteration is prefetch for the loop's iteration, whose host address is in rax. For one of several joint loads
// the distance has been overwritten by then.
func (w *vectorAccess) prefetchIteration() {
	if !w.joint {
		w.prefetch(x86.RAX, 16*w.bytes())
	}
}

// prefetch prefetches for an access of n bytes at a host address.
func (w *vectorAccess) prefetch(at x86.Operand, n int32) {
	if !w.prefetches() {
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
