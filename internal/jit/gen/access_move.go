package gen

import (
	"github.com/heddle-gpu/heddle/internal/jit/x86"
	"github.com/heddle-gpu/heddle/internal/lower"
)

// moveConsecutive moves one element per lane, as wide as its value, for lanes that are consecutive in memory: 16 lanes
// in one vector or two.
func (w *accessor) moveConsecutive() {
	a, v := w.a, w.values()[0]
	a.Emit(x86.ADD, regFirst, regHost)
	guest := func(off int32) x86.Operand { return x86.At(regFirst, off).Index(regIndex, int(w.elemBytes()/4)) }
	w.iterations(func() {
		for h := range w.elemBytes() / 4 {
			z, k := x86.Z(0), x86.K(1+int(h))
			if w.elemBytes() == 4 {
				w.moveMasked(x86.VMOVUPS, z, k, guest(0), w.valueVector(v, 0))
			} else {
				w.moveMasked(x86.VMOVUPD, z, k, guest(64*h), w.valueVector(v, 64*h))
			}
		}
	})
}

// valueVector is the operand of a value of the iteration from a byte offset on. A uniform value is broadcast to
// vector ySpread.
func (w *accessor) valueVector(p lower.Place, off int32) x86.Operand {
	if p.Kind == lower.InWord {
		return w.broadcastWord(p)
	}
	if p.Kind == lower.InVec {
		return w.firstLane(p).Plus(off).Index(regIndex, 2)
	}
	return w.firstLane(p).Plus(off).Index(regIndex, 1)
}

// broadcastWord broadcasts a number to all lanes of vector ySpread.
func (w *accessor) broadcastWord(p lower.Place) x86.Operand {
	d := x86.V(32*w.c.lanes, ySpread)
	if w.s.Wide {
		w.a.Emit(x86.VPBROADCASTQ, d, wordAt(p.At))
	} else {
		w.a.Emit(x86.VPBROADCASTD, d, wordAt(p.At))
	}
	return d
}

// moveVector moves a vector between guest memory and a value.
func (w *accessor) moveVector(t, guest, value x86.Operand) {
	if w.load() {
		guest, value = value, guest
	}
	if value.InMemory() {
		w.a.Emit(x86.VMOVUPS, t, value)
		value = t
	}
	w.a.Emit(x86.VMOVUPS, guest, value)
}

// moveMasked is moveVector under a mask; loads zero the other lanes.
func (w *accessor) moveMasked(op x86.Op, t, k, guest, value x86.Operand) {
	if w.allLanes() {
		w.moveVector(t, guest, value)
		return
	}
	if w.load() {
		w.a.Emit(op, t.Zero(k), guest)
		w.a.Emit(op, value, t)
		return
	}
	if value.InMemory() {
		w.a.Emit(op, t, value)
		value = t
	}
	w.a.Emit(op, guest.Mask(k), value)
}

// usesGather reports whether gather instructions are the faster way to load. For single elements of 4 bytes they are
// not.
func (w *accessor) usesGather() bool {
	return w.load() && (w.elemBytes() == 8 || w.elemBytes() == 4 && !w.s.Wide && w.s.Count > 1)
}

// gatherLanes loads the elements of an iteration by the address of each lane.
func (w *accessor) gatherLanes() {
	a := w.a
	for h := range 2 {
		at := x86.Z(6 + h)
		w.addresses(at, h)
		for e, p := range w.values() {
			op, d := x86.VPGATHERQD, x86.Y(0)
			if w.elemBytes() == 8 {
				op, d = x86.VPGATHERQQ, x86.Z(0)
			}
			a.Emit(x86.KMOVW, x86.K(3), x86.K(1+h))
			a.Emit(x86.VPXORD, x86.Z(0), x86.Z(0), x86.Z(0))
			a.Emit(op, d.Mask(x86.K(3)), x86.At(regHost, int32(e)*w.elemBytes()).Index(at, 1))
			a.Emit(x86.VMOVUPS, w.eightLanesOf(p, h), d)
		}
	}
}

// moveEachLane moves lane by lane, each with all its elements.
func (w *accessor) moveEachLane() {
	a := w.a
	again := a.NewLabel()
	a.Emit(x86.MOV, regBase, regMask)
	a.Align(16)
	a.Bind(again)
	a.Emit(x86.TZCNT, regIndex, regBase)
	a.Emit(x86.BLSR, regBase, regBase)
	w.address(x86.RAX, x86.R32(0), w.laneAddress(regIndex))
	a.Emit(x86.ADD, x86.RAX, regHost)
	for e, p := range w.values() {
		guest := x86.At(x86.RAX, int32(e)*w.elemBytes())
		value := wordAt(p.At)
		if p.Kind != lower.InWord {
			value = w.lane(p, regIndex)
		}
		w.moveElement(guest, value)
	}
	a.Emit(x86.TEST, regBase, regBase)
	a.Emit(x86.JNE, x86.To(again))
}

// moveElement moves one element of a lane between guest memory and a value.
func (w *accessor) moveElement(guest, value x86.Operand) {
	moveElement(w.a, w.s.TransferKind, rcx, guest, value)
}

// zeroResults zeros the loaded values in all lanes.
func (w *accessor) zeroResults() {
	zero := x86.Y(0)
	w.a.Emit(x86.VPXOR, zero, zero, zero)
	w.iterations(func() {
		for _, p := range w.values() {
			bytes := int32(64)
			if w.s.Wide {
				bytes = 128
			}
			for off := int32(0); off < bytes; off += 32 {
				w.a.Emit(x86.VMOVUPS, w.valueVector(p, off), zero)
			}
		}
	})
}

// zeroInactive zeros the loaded values in the inactive lanes.
func (w *accessor) zeroInactive() {
	a := w.a
	again, done := a.NewLabel(), a.NewLabel()
	a.Emit(x86.MOV, regBase, arg(argFull))
	a.Emit(x86.ANDN, regBase, regMask, regBase)
	a.Emit(x86.JE, x86.To(done))
	a.Emit(x86.XOR, x86.R32(1), x86.R32(1))
	a.Bind(again)
	a.Emit(x86.TZCNT, regIndex, regBase)
	a.Emit(x86.BLSR, regBase, regBase)
	for _, p := range w.values() {
		whole := x86.R32(1)
		if w.s.Wide {
			whole = x86.RCX
		}
		a.Emit(x86.MOV, w.lane(p, regIndex), whole)
	}
	a.Emit(x86.TEST, regBase, regBase)
	a.Emit(x86.JNE, x86.To(again))
	a.Bind(done)
}
