package gen

import (
	"github.com/heddle-gpu/heddle/internal/jit/code"
	"github.com/heddle-gpu/heddle/internal/jit/x86"
	"github.com/heddle-gpu/heddle/internal/lower"
)

// loadAll emits loads of the same lanes, one after the other. Nothing is loaded before all addresses have been
// checked.
func loadAll(ws []*vectorAccess) {
	w := ws[0]
	a := w.a
	none, done := a.NewLabel(), a.NewLabel()
	w.loadMask(none)
	if len(ws) == 1 {
		w.loadAlone(done)
	} else {
		for i, l := range ws {
			l.base, l.joint = vBases+i, true
			l.checkJoint(i)
		}
		for i, l := range ws {
			l.loadJoint(i)
		}
	}
	if !w.allLanes() {
		a.Emit(x86.JMP, x86.To(done))
		a.Bind(none)
		for _, l := range ws {
			l.zeroResults()
		}
	}
	a.Bind(done)
}

// loadAlone emits a load that is not joint with others.
func (w *vectorAccess) loadAlone(done x86.Label) {
	a := w.a
	w.prepare()
	if w.mayBeConsecutive() {
		byIterations := a.NewLabel()
		w.checkConsecutive(byIterations)
		w.count()
		w.loadPermutations()
		w.loadConsecutive()
		a.Emit(x86.JMP, x86.To(done))
		a.Bind(byIterations)
	}
	w.checkAddresses()
	w.count()
	w.loadPermutations()
	w.eachIteration(w.loadIteration)
}

// startOf is the operand where load i of several stores its host address if all lanes are consecutive, else 0.
func startOf(i int) x86.Operand { return x86.At(x86.RDI, code.OffRoom+int32(8*i)) }

// maxJointLoads is how many joint loads there is room for.
const maxJointLoads = 8

// checkJoint checks the addresses of load i of several.
func (w *vectorAccess) checkJoint(i int) {
	a, found := w.a, w.a.NewLabel()
	w.prepare()
	if w.mayBeConsecutive() {
		byIterations := a.NewLabel()
		w.checkConsecutive(byIterations)
		a.Emit(x86.MOV, startOf(i), regFirst)
		a.Emit(x86.JMP, x86.To(found))
		a.Bind(byIterations)
		a.Emit(x86.MOV, startOf(i).Size(8), x86.Imm(0))
	}
	w.checkAddresses()
	a.Bind(found)
}

// loadJoint loads what checkJoint has checked.
func (w *vectorAccess) loadJoint(i int) {
	a, next := w.a, w.a.NewLabel()
	w.count()
	w.loadPermutations()
	if w.mayBeConsecutive() {
		byIterations := a.NewLabel()
		a.Emit(x86.MOV, regFirst, startOf(i))
		a.Emit(x86.TEST, regFirst, regFirst)
		a.Emit(x86.JE, x86.To(byIterations))
		w.loadConsecutive()
		a.Emit(x86.JMP, x86.To(next))
		a.Bind(byIterations)
	}
	a.Emit(x86.MOV, regHost, wordAt(w.s.Site+lower.SiteHost))
	w.eachIteration(w.loadIteration)
	a.Bind(next)
}

// loadConsecutive loads all iterations from regFirst on.
func (w *vectorAccess) loadConsecutive() {
	for r := range w.n {
		w.loadVectors(r, regFirst, int32(16*r)*w.bytes())
	}
}

func (w *vectorAccess) zero(z x86.Operand) { w.a.Emit(x86.VPXORD, z, z, z) }

func elemVector(i int) x86.Operand { return x86.Z(vElems + i) }

// loadIteration loads the elements of an iteration that has an active lane.
func (w *vectorAccess) loadIteration() {
	a := w.a
	differ, gather, next := a.NewLabel(), a.NewLabel(), a.NewLabel()
	w.offsets()
	other := differ
	if w.s.Count == 4 {
		w.ifInactiveLane(differ)
		other = a.NewLabel()
	}
	w.unlessConsecutiveIteration(other)
	w.prefetchIteration()
	w.loadVectors(current, x86.RAX, 0)
	a.Emit(x86.JMP, x86.To(next))
	if w.s.Count == 4 {
		a.Bind(other)
		w.overlapping(differ, next)
	}
	a.Bind(differ)
	w.unlessEqual(vOff, gather)
	w.loadBroadcast()
	a.Emit(x86.JMP, x86.To(next))
	a.Bind(gather)
	w.gather()
	a.Bind(next)
}

// loadInactive is an iteration without an active lane.
func (w *vectorAccess) loadInactive() {
	var zeros []x86.Operand
	w.zero(elemVector(0))
	for range w.vectors() {
		zeros = append(zeros, elemVector(0))
	}
	w.writeResults(current, zeros)
}

// writeResults writes the values that an iteration has loaded.
func (w *vectorAccess) writeResults(r int, loaded []x86.Operand) {
	for i, z := range loaded {
		w.a.Emit(x86.VMOVUPS, w.valueAt(r, i), z)
	}
}

// overlapping loads four words per lane of an iteration, of which two are also those of the next lane: neighbours in a
// grid of 8 bytes.
func (w *vectorAccess) overlapping(other, next x86.Label) {
	a := w.a
	a.Emit(x86.VPSRLD, x86.Z(vLow), x86.Z(vLanes), x86.Imm(1))
	a.Emit(x86.VPSUBD, x86.Z(vFirstOff), x86.Z(vOff), x86.Z(vLow))
	w.unlessEqual(vFirstOff, other)
	outs := []x86.Operand{x86.Z(vOff), elemVector(0), x86.Z(vFirstOff), elemVector(2)}
	for h := range 2 {
		x, y := elemVector(2*h), elemVector(1)
		a.Emit(x86.VMOVUPS, x, x86.At(x86.RAX, int32(8*h)))
		a.Emit(x86.VMOVUPS, y, x86.At(x86.RAX, int32(8*h+64)))
		w.permute(outs[2*h], x, y)
	}
	w.writeResults(current, outs)
	a.Emit(x86.JMP, x86.To(next))
}

// movesPairs reports whether a lane moves 8 bytes per vector.
func (w *vectorAccess) movesPairs() bool { return w.bytes() == 8 }

// laneMask returns the mask of vector i of the current iteration.
func (w *vectorAccess) laneMask(i int) x86.Operand {
	if i > 0 && w.movesPairs() {
		w.a.Emit(x86.KSHIFTRW, x86.K(kTest), x86.K(kLanes), x86.Imm(8))
		return x86.K(kTest)
	}
	return x86.K(kLanes)
}

// zeroingInactive returns z as the result of the active lanes of vector i: others get 0. Iterations outside of the
// loop have all lanes.
func (w *vectorAccess) zeroingInactive(z x86.Operand, r, i int) x86.Operand {
	if w.allLanes() || r != current {
		return z
	}
	return z.Zero(w.laneMask(i))
}

// loadBroadcast loads all lanes of an iteration from a single address.
func (w *vectorAccess) loadBroadcast() {
	var loaded []x86.Operand
	for i := range w.vectors() {
		op, at := x86.VPBROADCASTD, x86.At(x86.RAX, int32(4*i))
		lanes := 0
		if w.elemBytes() == 8 {
			op, at, lanes = x86.VPBROADCASTQ, x86.At(x86.RAX, 0), i
		}
		loaded = append(loaded, elemVector(i))
		w.a.Emit(op, w.zeroingInactive(elemVector(i), current, lanes), at)
	}
	w.writeResults(current, loaded)
}

// gatherMask copies the mask of vector i of an iteration to kTest, which gathers and scatters clear.
func (w *vectorAccess) gatherMask(i int) x86.Operand {
	a, k := w.a, x86.K(kTest)
	if w.allLanes() {
		a.Emit(x86.KXNORW, k, k, k)
	} else if m := w.laneMask(i); m != k {
		a.Emit(x86.KMOVW, k, m)
	}
	return k
}

// gather loads each lane of an iteration from its own address. Two words are gathered as one of 64 bits, which takes
// half as many loads.
func (w *vectorAccess) gather() {
	a := w.a
	if w.bytes() == 4 {
		z := elemVector(0)
		w.zero(z)
		a.Emit(x86.VPGATHERDD, z.Mask(w.gatherMask(0)), x86.At(regHost, 0).Index(x86.Z(vOff), 1))
		w.writeResults(current, []x86.Operand{z})
		return
	}
	var loaded []x86.Operand
	w.upperOffsets()
	for i := 0; i < w.vectors(); i += 2 {
		for h, index := range [2]int{vOff, vFirstOff} {
			z := elemVector(i + h)
			w.zero(z)
			a.Emit(x86.VPGATHERDQ, z.Mask(w.halfMask(h)), x86.At(regHost, int32(4*i)).Index(x86.Y(index), 1))
		}
		x, y := elemVector(i), elemVector(i+1)
		if w.s.Count > 1 {
			w.permute(x86.Z(vLow+i/2), x, y)
			loaded = append(loaded, x86.Z(vLow+i/2), x)
		} else {
			loaded = append(loaded, x, y)
		}
	}
	w.writeResults(current, loaded)
}

// upperOffsets moves the offsets of the iteration's upper 8 lanes to vFirstOff.
func (w *vectorAccess) upperOffsets() {
	w.a.Emit(x86.VEXTRACTI64X4, x86.Y(vFirstOff), x86.Z(vOff), x86.Imm(1))
}

// halfMask loads the mask of half of an iteration into kTest.
func (w *vectorAccess) halfMask(h int) x86.Operand {
	k := x86.K(kTest)
	switch {
	case w.allLanes():
		w.a.Emit(x86.KXNORW, k, k, k)
	case h == 0:
		w.a.Emit(x86.KMOVW, k, x86.K(kLanes))
	default:
		w.a.Emit(x86.KSHIFTRW, k, x86.K(kLanes), x86.Imm(8))
	}
	return k
}

// loadVectors loads lanes of an iteration that are consecutive from off(at) on.
func (w *vectorAccess) loadVectors(r int, at x86.Operand, off int32) {
	a := w.a
	var loaded []x86.Operand
	for i := range w.vectors() {
		op, z := x86.VMOVUPS, elemVector(i)
		if w.movesPairs() {
			op = x86.VMOVUPD
		}
		loaded = append(loaded, z)
		if w.s.Count < 4 { // with four there is no mask: all lanes are active
			z = w.zeroingInactive(z, r, i)
		}
		a.Emit(op, z, x86.At(at, off+int32(64*i)))
	}
	z := loaded
	switch w.s.Count {
	case 2:
		w.permute(x86.Z(vLow), z[0], z[1])
		loaded = []x86.Operand{x86.Z(vLow), z[0]}
	case 4:
		low, high, first, second := x86.Z(vLow), x86.Z(vHigh), x86.Z(vOff), x86.Z(vFirstOff)
		w.permute(low, z[0], z[1])  // elements 0 and 2 of lanes 0 to 7, and 1 and 3
		w.permute(high, z[2], z[3]) // the same for lanes 8 to 15
		w.permute(first, low, high)
		w.permute(second, z[0], z[2])
		loaded = []x86.Operand{first, second, low, z[0]}
	}
	w.writeResults(r, loaded)
}

// permute permutes the elements of x and y: by vPermA to d, by vPermB to x.
func (w *vectorAccess) permute(d, x, y x86.Operand) {
	w.a.Emit(x86.VMOVDQA64, d, x86.Z(vPermA))
	w.a.Emit(x86.VPERMI2D, d, x, y)
	w.a.Emit(x86.VPERMT2D, x, x86.Z(vPermB), y)
}

// valueAt is the operand of vector i of an iteration's values.
func (w *vectorAccess) valueAt(r, i int) x86.Operand {
	if w.elemBytes() == 8 {
		return w.at(w.values()[0], r, i)
	}
	return w.at(w.values()[i], r, 0)
}

// storeIteration stores the elements of an iteration that has an active lane.
func (w *vectorAccess) storeIteration() {
	a := w.a
	differ, next := a.NewLabel(), a.NewLabel()
	w.offsets()
	if w.s.Count == 4 {
		w.ifInactiveLane(differ)
	}
	w.unlessConsecutiveIteration(differ)
	w.prefetchIteration()
	w.storeVectors(current, x86.RAX, 0)
	a.Emit(x86.JMP, x86.To(next))
	a.Bind(differ)
	w.scatter()
	a.Bind(next)
}

// storeVectors stores the values of an iteration to lanes that are consecutive from off(at) on.
func (w *vectorAccess) storeVectors(r int, at x86.Operand, off int32) {
	for i, z := range w.storedVectors(r) {
		to, op := x86.At(at, off+int32(64*i)), x86.VMOVUPS
		if w.movesPairs() {
			op = x86.VMOVUPD
		}
		if r == current && !w.allLanes() && w.s.Count < 4 {
			to = to.Mask(w.laneMask(i))
		}
		w.a.Emit(op, to, z)
	}
}

// storedVectors returns the values of an iteration in memory order for consecutive lanes.
func (w *vectorAccess) storedVectors(r int) []x86.Operand {
	var z []x86.Operand
	for i := range w.vectors() {
		z = append(z, elemVector(i))
		w.loadValue(z[i], r, i)
	}
	switch w.s.Count {
	case 2:
		w.permute(x86.Z(vLow), z[0], z[1])
		return []x86.Operand{x86.Z(vLow), z[0]}
	case 4:
		low, high, first, third := x86.Z(vLow), x86.Z(vHigh), x86.Z(vOff), x86.Z(vFirstOff)
		w.permute(low, z[0], z[2])  // elements 0 and 2 interleaved, of lanes 0 to 7 and 8 to 15
		w.permute(high, z[1], z[3]) // elements 1 and 3
		w.permute(first, low, high)
		w.permute(third, z[0], z[1])
		return []x86.Operand{first, low, third, z[0]}
	}
	return z
}

// loadValue loads vector i of the values that an iteration stores.
func (w *vectorAccess) loadValue(z x86.Operand, r, i int) {
	p := w.values()[min(i, len(w.values())-1)]
	switch {
	case p.Kind != lower.InWord:
		w.a.Emit(x86.VMOVUPS, z, w.valueAt(r, i))
	case w.elemBytes() == 8:
		w.a.Emit(x86.VPBROADCASTQ, z, wordAt(p.At))
	default:
		w.a.Emit(x86.VPBROADCASTD, z, wordAt(p.At))
	}
}

// scatter stores each lane of an iteration to its own address. The processor does so in the order of lanes.
func (w *vectorAccess) scatter() {
	a := w.a
	switch {
	case w.s.Count == 4:
		w.scatterEachLane()
	case w.bytes() == 4:
		z := w.storedVectors(current)[0]
		a.Emit(x86.VPSCATTERDD, x86.At(regHost, 0).Index(x86.Z(vOff), 1).Mask(w.gatherMask(0)), z)
	default:
		z := w.storedVectors(current)
		w.upperOffsets()
		for h, index := range [2]int{vOff, vFirstOff} {
			a.Emit(x86.VPSCATTERDQ, x86.At(regHost, 0).Index(x86.Y(index), 1).Mask(w.halfMask(h)), z[h])
		}
	}
}

// scatterEachLane stores the lanes of an iteration one after the other, each with all its elements.
func (w *vectorAccess) scatterEachLane() {
	a, left, at := w.a, x86.R32(11), regFirst
	again := a.NewLabel()
	if w.allLanes() {
		a.Emit(x86.MOV, left, x86.Imm(0xffff))
	} else {
		a.Emit(x86.KMOVW, left, x86.K(kLanes))
	}
	a.Bind(again)
	a.Emit(x86.TZCNT, x86.R32(13), left)
	a.Emit(x86.BLSR, left, left)
	a.Emit(x86.LEA, at, x86.At(regIndex, 0).Index(at, 4))
	in := func(p lower.Place) x86.Operand {
		if p.Kind == lower.InVec {
			return w.firstLane(p).Index(at, 2)
		}
		return w.firstLane(p).Index(at, 1)
	}
	if base := wordAt(w.s.Site + lower.SiteBase); w.addr64() {
		a.Emit(x86.MOV, x86.RAX, in(w.low))
		a.Emit(x86.SUB, x86.RAX, base)
	} else {
		a.Emit(x86.MOV, x86.R32(0), in(w.low))
		a.Emit(x86.SUB, x86.R32(0), base.Size(4))
	}
	a.Emit(x86.ADD, x86.RAX, regHost)
	for e, p := range w.values() {
		value := wordAt(p.At)
		if p.Kind != lower.InWord {
			value = in(p)
		}
		w.moveElement(x86.At(x86.RAX, int32(e)*w.elemBytes()), value)
	}
	a.Emit(x86.TEST, left, left)
	a.Emit(x86.JNE, x86.To(again))
}
