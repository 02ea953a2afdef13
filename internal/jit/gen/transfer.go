package gen

import (
	"github.com/heddle-gpu/heddle/internal/jit/code"
	"github.com/heddle-gpu/heddle/internal/jit/x86"
	"github.com/heddle-gpu/heddle/internal/lower"
)

// General registers of transfers.
var (
	moveT     = x86.RDI // the transfer, after the context
	moveAddrs = x86.RSI
	moveMask  = x86.R8
	moveHost  = x86.R9 // host address of guest address 0
	moveLane  = x86.RCX
	moveAt    = x86.RAX // an address
)

// A transfer emits the code of one kind of transfer.
type transfer struct {
	a       *x86.Asm
	k       lower.TransferKind
	addr64  bool // addresses have 64 bits
	wide512 bool // vectors of 512 bits and mask registers are available
	bytes8  x86.Label
}

func field(off int32) x86.Operand { return x86.At(moveT, off) }

// write emits it. Context.What says whether the transfer was rejected: it is 1 until all lanes have been checked.
func (w *transfer) write() {
	a := w.a
	rejected, single := a.NewLabel(), a.NewLabel()
	a.Emit(x86.MOV, x86.At(x86.RDI, code.OffWhat).Size(4), x86.Imm(1))
	a.Emit(x86.MOV, x86.RDX, x86.RDI)
	a.Emit(x86.MOV, moveT, x86.At(x86.RDI, code.OffSpaces))
	if w.addr64 {
		a.Emit(x86.MOV, moveAddrs, field(offQuads))
	} else {
		a.Emit(x86.MOV, moveAddrs, field(offRow))
	}
	if w.wide512 {
		w.check512(rejected)
	} else {
		w.check(rejected)
	}
	a.Emit(x86.MOV, x86.At(x86.RDX, code.OffWhat).Size(4), x86.Imm(0))
	if w.k.Do != lower.CheckOnly {
		a.Emit(x86.MOV, moveHost, field(offData))
		a.Emit(x86.SUB, moveHost, field(offBase))
		if w.k.Bytes == 4 && !w.k.Wide || w.k.Bytes == 8 { // r12 is 0 if the lanes are consecutive
			w.moveConsecutive(single)
		}
		a.Bind(single)
		w.eachLane(w.moveElement)
		if w.k.Do == lower.LoadElems {
			w.zeroInactive()
		}
	} else {
		a.Bind(single)
	}
	a.Bind(rejected)
	a.Emit(x86.RET)
}

// check checks lane by lane.
func (w *transfer) check(rejected x86.Label) {
	a := w.a
	again := a.NewLabel()
	a.Emit(x86.MOV, moveMask, field(offMask))
	a.Emit(x86.MOV, x86.R10, field(offBase))
	a.Emit(x86.MOV, x86.R11, field(offLast))
	a.Emit(x86.MOV, x86.RBX, field(offFirst))
	a.Emit(x86.MOV, x86.R15, field(offSize))
	a.Emit(x86.XOR, x86.R32(12), x86.R32(12))
	a.Emit(x86.XOR, x86.R32(13), x86.R32(13))
	a.Align(16)
	a.Bind(again)
	w.nextLane()
	a.Emit(x86.OR, x86.R13, moveAt)
	a.Emit(x86.IMUL, moveLane, x86.R15)
	a.Emit(x86.ADD, moveLane, x86.RBX)
	a.Emit(x86.XOR, moveLane, moveAt)
	a.Emit(x86.OR, x86.R12, moveLane)
	a.Emit(x86.SUB, moveAt, x86.R10)
	a.Emit(x86.CMP, moveAt, x86.R11)
	a.Emit(x86.JA, x86.To(rejected))
	a.Emit(x86.TEST, moveMask, moveMask)
	a.Emit(x86.JNE, x86.To(again))
	a.Emit(x86.AND, x86.R13, field(offAlign))
	a.Emit(x86.JNE, x86.To(rejected))
}

// nextLane takes the next lane from the mask, and loads its address.
func (w *transfer) nextLane() {
	w.a.Emit(x86.TZCNT, moveLane, moveMask)
	w.a.Emit(x86.BLSR, moveMask, moveMask)
	if w.addr64 {
		w.a.Emit(x86.MOV, moveAt, x86.At(moveAddrs, 0).Index(moveLane, 8))
	} else {
		w.a.Emit(x86.MOV, x86.R32(0), x86.At(moveAddrs, 0).Index(moveLane, 4))
	}
}

// check512 checks all lanes with vectors of 512 bits; see checkLanes.
func (w *transfer) check512(rejected x86.Label) {
	a, step := w.a, int64(64)
	if w.addr64 {
		step = 128
	}
	for i, off := range [...]int32{offBase, offLast, offAlign, offSize, offFirst} {
		a.Emit(x86.VPBROADCASTQ, x86.Z(i), field(off))
	}
	a.Emit(x86.MOV, x86.R10, moveAddrs)
	loop := func(body func()) {
		w.iterations(2, func() {
			body()
			a.Emit(x86.ADD, x86.R10, x86.Imm(step))
		})
	}
	checkLanes(a, true, x86.RIP(w.bytes8), rejected, loop, func(z x86.Operand, half int) {
		if w.addr64 {
			a.Emit(x86.VMOVUPS, z, x86.At(x86.R10, int32(64*half)))
		} else {
			a.Emit(x86.VPMOVZXDQ, z, x86.At(x86.R10, int32(32*half)))
		}
	})
	a.Emit(x86.KMOVW, x86.R32(12), x86.K(6))
}

// iterations emits a loop over the wave, 8*n lanes per iteration, with their bits of the mask in k1 and k2.
func (w *transfer) iterations(n int, body func()) {
	a := w.a
	again := a.NewLabel()
	a.Emit(x86.MOV, moveMask, field(offMask))
	a.Emit(x86.MOV, moveLane, field(offLanes))
	a.Bind(again)
	if w.wide512 {
		a.Emit(x86.KMOVW, x86.K(1), x86.R32(8))
		a.Emit(x86.KSHIFTRW, x86.K(2), x86.K(1), x86.Imm(8))
		a.Emit(x86.SHR, moveMask, x86.Imm(int64(8*n)))
	}
	body()
	a.Emit(x86.SUB, moveLane, x86.Imm(int64(8*n)))
	a.Emit(x86.JA, x86.To(again))
}

// moveConsecutive moves elements of lanes that are consecutive in memory. Vectors of 256 bits have no masks: all lanes
// must be active, and fill the vectors.
func (w *transfer) moveConsecutive(single x86.Label) {
	a := w.a
	a.Emit(x86.MOV, x86.RAX, field(offSize))
	a.Emit(x86.SUB, x86.RAX, x86.Imm(int64(w.k.Bytes)))
	a.Emit(x86.OR, x86.RAX, x86.R12)
	if !w.wide512 {
		a.Emit(x86.OR, x86.RAX, field(offRest))
		a.Emit(x86.MOV, x86.RBX, field(offLanes))
		a.Emit(x86.AND, x86.R32(3), x86.Imm(7))
		a.Emit(x86.OR, x86.RAX, x86.RBX)
	}
	a.Emit(x86.TEST, x86.RAX, x86.RAX)
	a.Emit(x86.JNE, x86.To(single))
	a.Emit(x86.MOV, x86.R10, moveHost)
	a.Emit(x86.ADD, x86.R10, field(offFirst))
	a.Emit(x86.MOV, x86.R11, field(w.valuePointers()))
	n, bytes := 1, int64(32)
	if w.wide512 && w.k.Bytes == 4 {
		n = 2
	}
	if w.wide512 || w.k.Bytes == 8 {
		bytes = 64
	}
	w.iterations(n, func() {
		w.moveVectors()
		a.Emit(x86.ADD, x86.R10, x86.Imm(bytes))
		a.Emit(x86.ADD, x86.R11, x86.Imm(bytes))
	})
	a.Emit(x86.RET)
}

// moveVectors moves one vector, or two of half the length, between memory at r10 and the values at r11.
func (w *transfer) moveVectors() {
	a, load := w.a, w.k.Do == lower.LoadElems
	guest, host := x86.At(x86.R10, 0), x86.At(x86.R11, 0)
	switch {
	case w.wide512 && w.k.Bytes == 4 && load:
		a.Emit(x86.VMOVUPS, x86.Z(0).Zero(x86.K(1)), guest)
		a.Emit(x86.VMOVUPS, host, x86.Z(0))
	case w.wide512 && w.k.Bytes == 4:
		a.Emit(x86.VMOVUPS, x86.Z(0), host)
		a.Emit(x86.VMOVUPS, guest.Mask(x86.K(1)), x86.Z(0))
	case w.wide512 && load:
		a.Emit(x86.VMOVUPD, x86.Z(0).Zero(x86.K(1)), guest)
		a.Emit(x86.VMOVUPD, host, x86.Z(0))
	case w.wide512:
		a.Emit(x86.VMOVUPD, x86.Z(0), host)
		a.Emit(x86.VMOVUPD, guest.Mask(x86.K(1)), x86.Z(0))
	default:
		to, from := x86.R10, x86.R11
		if load {
			to, from = from, to
		}
		for at := int32(0); at < 8*int32(w.k.Bytes); at += 32 {
			a.Emit(x86.VMOVUPS, x86.Y(0), x86.At(from, at))
			a.Emit(x86.VMOVUPS, x86.At(to, at), x86.Y(0))
		}
	}
}

// valuePointers returns the offset of the pointers to values in the transfer.
func (w *transfer) valuePointers() int32 {
	if w.k.Wide {
		return offVecs
	}
	return offRows
}

// valueBytes returns the bytes of a value per lane.
func (w *transfer) valueBytes() int {
	if w.k.Wide {
		return 8
	}
	return 4
}

// eachLane emits loops over the lanes of the mask and the elements of each, between a lane of the value at rdx and
// memory at rax.
func (w *transfer) eachLane(element func(value x86.Operand)) {
	a := w.a
	one, many, again, inner, done := a.NewLabel(), a.NewLabel(), a.NewLabel(), a.NewLabel(), a.NewLabel()
	a.Emit(x86.MOV, moveMask, field(offMask))
	a.Emit(x86.MOV, x86.RDX, field(w.valuePointers()))
	a.Emit(x86.CMP, field(offCount).Size(8), x86.Imm(1))
	a.Emit(x86.JNE, x86.To(many))
	a.Align(16)
	a.Bind(one)
	w.nextLane()
	a.Emit(x86.ADD, moveAt, moveHost)
	element(x86.At(x86.RDX, 0).Index(moveLane, w.valueBytes()))
	a.Emit(x86.TEST, moveMask, moveMask)
	a.Emit(x86.JNE, x86.To(one))
	a.Emit(x86.JMP, x86.To(done))
	a.Align(16)
	a.Bind(many)
	a.Bind(again)
	w.nextLane()
	a.Emit(x86.ADD, moveAt, moveHost)
	a.Emit(x86.MOV, x86.R11, field(offCount))
	a.Emit(x86.LEA, x86.R10, field(w.valuePointers()))
	a.Bind(inner)
	a.Emit(x86.MOV, x86.RDX, x86.At(x86.R10, 0))
	element(x86.At(x86.RDX, 0).Index(moveLane, w.valueBytes()))
	a.Emit(x86.ADD, moveAt, x86.Imm(int64(w.k.Bytes)))
	a.Emit(x86.ADD, x86.R10, x86.Imm(8))
	a.Emit(x86.SUB, x86.R11, x86.Imm(1))
	a.Emit(x86.JNE, x86.To(inner))
	a.Emit(x86.TEST, moveMask, moveMask)
	a.Emit(x86.JNE, x86.To(again))
	a.Bind(done)
}

// moveElement moves one element between a value and memory at rax.
func (w *transfer) moveElement(value x86.Operand) {
	moveElement(w.a, w.k, rbx, x86.At(moveAt, 0), value)
}

// zeroInactive zeros the loaded values in the inactive lanes.
func (w *transfer) zeroInactive() {
	a := w.a
	again, inner, done := a.NewLabel(), a.NewLabel(), a.NewLabel()
	a.Emit(x86.MOV, moveMask, field(offRest))
	a.Emit(x86.TEST, moveMask, moveMask)
	a.Emit(x86.JE, x86.To(done))
	zero := x86.R32(3)
	if w.k.Wide {
		zero = x86.RBX
	}
	a.Emit(x86.XOR, x86.R32(3), x86.R32(3))
	a.Bind(again)
	a.Emit(x86.TZCNT, moveLane, moveMask)
	a.Emit(x86.BLSR, moveMask, moveMask)
	a.Emit(x86.MOV, x86.R11, field(offCount))
	a.Emit(x86.LEA, x86.R10, field(w.valuePointers()))
	a.Bind(inner)
	a.Emit(x86.MOV, x86.RDX, x86.At(x86.R10, 0))
	a.Emit(x86.MOV, x86.At(x86.RDX, 0).Index(moveLane, w.valueBytes()), zero)
	a.Emit(x86.ADD, x86.R10, x86.Imm(8))
	a.Emit(x86.SUB, x86.R11, x86.Imm(1))
	a.Emit(x86.JNE, x86.To(inner))
	a.Emit(x86.TEST, moveMask, moveMask)
	a.Emit(x86.JNE, x86.To(again))
	a.Bind(done)
}
