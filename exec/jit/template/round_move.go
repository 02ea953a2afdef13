package template

import (
	"github.com/heddle-gpu/heddle/exec/jit/code"
	"github.com/heddle-gpu/heddle/exec/jit/x86"
	"github.com/heddle-gpu/heddle/exec/portable"
)

// loadAll writes loads of the same lanes, one behind the other. What they load is written to its places when all have been looked at.
func loadAll(ws []*rounder) {
	w := ws[0]
	a := w.a
	none, done := a.NewLabel(), a.NewLabel()
	w.takePart(none)
	for i, l := range ws {
		if i > 0 {
			l.at = ws[i-1].at + ws[i-1].n*ws[i-1].vectors()
		}
		l.fetch()
	}
	for _, l := range ws {
		l.count()
		for r := range l.n {
			for i := range l.vectors() {
				a.Emit(x86.VMOVUPS, l.valueAt(r, i), l.loaded(r, i))
			}
		}
	}
	if !w.whole() {
		a.Emit(x86.JMP, x86.To(done))
		a.Bind(none)
		for _, l := range ws {
			l.clear()
		}
	}
	a.Bind(done)
}

// fetch loads the elements of all rounds into registers.
func (w *rounder) fetch() {
	a := w.a
	done := a.NewLabel()
	w.prepare()
	if w.even() {
		byRounds := a.NewLabel()
		w.together(byRounds)
		for r := range w.n {
			w.take(r, regFirst, int32(16*r)*w.bytes(), nil)
		}
		a.Emit(x86.JMP, x86.To(done))
		a.Bind(byRounds)
	}
	for r := range w.n {
		if !w.whole() {
			for i := range w.vectors() {
				w.zero(w.loaded(r, i))
			}
		}
		w.ifSome(r, func() { w.loadRound(r) })
	}
	a.Bind(done)
}

// loaded is where vector i of what a round loads stays.
func (w *rounder) loaded(round, i int) x86.Operand {
	return x86.Z(vLoaded + w.at + round*w.vectors() + i)
}

func (w *rounder) zero(z x86.Operand) { w.a.Emit(x86.VPXORD, z, z, z) }

// loadRound loads the elements of a round that has a lane.
func (w *rounder) loadRound(r int) {
	a := w.a
	apart, gather, next := a.NewLabel(), a.NewLabel(), a.NewLabel()
	w.offsets(r)
	w.first(r)
	a.Emit(x86.JNE, x86.To(apart))
	if !w.whole() && w.s.Count > 1 {
		a.Emit(x86.KORTESTW, w.lanesOf(r), w.lanesOf(r))
		a.Emit(x86.JAE, x86.To(apart)) // permuted vectors have other lanes
	}
	a.Emit(x86.ADD, x86.RAX, regHost)
	w.ahead(x86.RAX, 16*w.bytes())
	w.take(r, x86.RAX, 0, w.some(r))
	a.Emit(x86.JMP, x86.To(next))
	a.Bind(apart)
	if w.s.Count == 4 {
		w.overlapping(r, next)
	}
	a.Emit(x86.VPCMPUD, w.among(kTest, r), x86.Z(vOff), x86.Z(vFirst), x86.Imm(4))
	a.Emit(x86.KORTESTW, x86.K(kTest), x86.K(kTest))
	a.Emit(x86.JNE, x86.To(gather))
	a.Emit(x86.VMOVD, x86.R32(0), x86.X(vFirst))
	a.Emit(x86.ADD, x86.RAX, regHost)
	w.same(r)
	a.Emit(x86.JMP, x86.To(next))
	a.Bind(gather)
	w.gather(r)
	a.Bind(next)
}

// overlapping loads four words of each lane of a round, of which two are those of the next lane: neighbours in a grid of 8 bytes. Rax is
// the offset of the first lane, and the lanes' places are in vPlace.
func (w *rounder) overlapping(r int, next x86.Label) {
	a := w.a
	other := a.NewLabel()
	if !w.whole() {
		a.Emit(x86.KORTESTW, w.lanesOf(r), w.lanesOf(r))
		a.Emit(x86.JAE, x86.To(other))
	}
	a.Emit(x86.VPSRLD, x86.Z(vLow), x86.Z(vLanes), x86.Imm(1))
	a.Emit(x86.VPCMPUD, x86.K(kTest), x86.Z(vPlace), x86.Z(vLow), x86.Imm(4))
	a.Emit(x86.KORTESTW, x86.K(kTest), x86.K(kTest))
	a.Emit(x86.JNE, x86.To(other))
	a.Emit(x86.ADD, x86.RAX, regHost)
	for h := range 2 {
		x, y := x86.Z(vElems), x86.Z(vElems+1)
		a.Emit(x86.VMOVUPS, x, x86.At(x86.RAX, int32(8*h)))
		a.Emit(x86.VMOVUPS, y, x86.At(x86.RAX, int32(8*h+64)))
		w.permute(w.loaded(r, 2*h), x, y)
		a.Emit(x86.VMOVDQA64, w.loaded(r, 2*h+1), x)
	}
	a.Emit(x86.JMP, x86.To(next))
	a.Bind(other)
}

// A lanesFn is the mask of vector i of a round.
type lanesFn func(i int) x86.Operand

// some is the masks of a round, nil if all lanes take part.
func (w *rounder) some(r int) lanesFn {
	if w.whole() {
		return nil
	}
	return func(i int) x86.Operand {
		if i > 0 && w.elem() == 8 {
			w.a.Emit(x86.KSHIFTRW, x86.K(kTest), w.lanesOf(r), x86.Imm(8))
			return x86.K(kTest)
		}
		return w.lanesOf(r)
	}
}

// zeroed is z as the result of what some lanes do: others get 0.
func zeroed(z x86.Operand, lanes lanesFn, i int) x86.Operand {
	if lanes == nil {
		return z
	}
	return z.Zero(lanes(i))
}

// same loads all lanes of a round from one place.
func (w *rounder) same(r int) {
	for i := range w.vectors() {
		op, at := x86.VPBROADCASTD, x86.At(x86.RAX, int32(4*i))
		if w.elem() == 8 {
			op, at = x86.VPBROADCASTQ, x86.At(x86.RAX, 0)
		}
		w.a.Emit(op, zeroed(w.loaded(r, i), w.some(r), i), at)
	}
}

// gather loads each lane of a round from a place of its own.
func (w *rounder) gather(r int) {
	if w.bytes() == 4 {
		w.pick(r)
		return
	}
	if w.elem() == 4 && w.vectors()%2 == 0 {
		w.gatherPairs(r)
		return
	}
	a, k := w.a, x86.K(kTest)
	for i := range w.vectors() {
		z := w.loaded(r, i)
		if lanes := w.some(r); lanes == nil {
			a.Emit(x86.KXNORW, k, k, k)
		} else if m := lanes(i); m != k {
			a.Emit(x86.KMOVW, k, m)
		}
		w.zero(z)
		switch {
		case w.elem() == 4: // three words
			a.Emit(x86.VPGATHERDD, z.Mask(k), x86.At(regHost, int32(4*i)).Index(x86.Z(vOff), 1))
		case i == 0:
			a.Emit(x86.VPGATHERDQ, z.Mask(k), x86.At(regHost, 0).Index(x86.Y(vOff), 1))
		default:
			a.Emit(x86.VEXTRACTI64X4, x86.Y(vPlace), x86.Z(vOff), x86.Imm(1))
			a.Emit(x86.VPGATHERDQ, z.Mask(k), x86.At(regHost, 0).Index(x86.Y(vPlace), 1))
		}
	}
}

// gatherPairs is gather for two words of a lane or four: two are gathered as one of 64 bits, which takes half as many loads.
func (w *rounder) gatherPairs(r int) {
	a, k := w.a, x86.K(kTest)
	for i := 0; i < w.vectors(); i += 2 {
		for h := range 2 {
			z, index := x86.Z(vElems+h), x86.Y(vOff)
			switch {
			case w.whole():
				a.Emit(x86.KXNORW, k, k, k)
			case h == 0:
				a.Emit(x86.KMOVW, k, w.lanesOf(r))
			default:
				a.Emit(x86.KSHIFTRW, k, w.lanesOf(r), x86.Imm(8))
			}
			if h == 1 {
				index = x86.Y(vPlace)
				a.Emit(x86.VEXTRACTI64X4, index, x86.Z(vOff), x86.Imm(1))
			}
			w.zero(z)
			a.Emit(x86.VPGATHERDQ, z.Mask(k), x86.At(regHost, int32(4*i)).Index(index, 1))
		}
		w.permute(w.loaded(r, i), x86.Z(vElems), x86.Z(vElems+1))
		a.Emit(x86.VMOVDQA64, w.loaded(r, i+1), x86.Z(vElems))
	}
}

// pick is gather for single words, by loads of their own: where they miss the caches, the processor has more of them under way than of
// a gather. Lanes that take no part load what the first of the others does.
func (w *rounder) pick(r int) {
	a := w.a
	back := a.NewLabel()
	if !w.whole() {
		a.Emit(x86.VMOVDQA32, x86.Z(vFirst).Mask(w.lanesOf(r)), x86.Z(vOff))
		a.Emit(x86.VMOVUPS, x86.At(x86.RDI, code.OffRoom), x86.Z(vFirst))
	} else {
		a.Emit(x86.VMOVUPS, x86.At(x86.RDI, code.OffRoom), x86.Z(vOff))
	}
	a.Emit(x86.LEA, regIndex, x86.RIP(back))
	a.Emit(x86.JMP, x86.To(w.c.picker()))
	a.Bind(back)
	a.Emit(x86.VMOVDQA32, zeroed(w.loaded(r, 0), w.some(r), 0), x86.Z(vLow))
}

// picker is code that loads 16 words at the offsets from regHost in the context's room into vLow, and goes to regIndex.
func (c *compiler) picker() x86.Label {
	if !c.hasPicks {
		c.picks, c.hasPicks = c.a.NewLabel(), true
	}
	return c.picks
}

// writePicks writes the code of picker, if there is a use for it.
func (c *compiler) writePicks() {
	if !c.hasPicks {
		return
	}
	a := c.a
	a.Align(16)
	a.Bind(c.picks)
	parts := [4]int{vLow, vHigh, vOff, vPlace}
	for q, v := range parts {
		for k := range 4 {
			a.Emit(x86.MOV, x86.R32(0), x86.At(x86.RDI, code.OffRoom+int32(16*q+4*k)).Size(4))
			from := x86.At(regHost, 0).Index(x86.RAX, 1)
			if k == 0 {
				a.Emit(x86.VMOVD, x86.X(v), from)
			} else {
				a.Emit(x86.VPINSRD, x86.X(v), x86.X(v), from, x86.Imm(int64(k)))
			}
		}
	}
	a.Emit(x86.VINSERTI128, x86.Y(vLow), x86.Y(vLow), x86.X(vHigh), x86.Imm(1))
	a.Emit(x86.VINSERTI128, x86.Y(vOff), x86.Y(vOff), x86.X(vPlace), x86.Imm(1))
	a.Emit(x86.VINSERTI64X4, x86.Z(vLow), x86.Z(vLow), x86.Y(vOff), x86.Imm(1))
	a.Emit(x86.JMP, regIndex)
}

// take loads lanes of a round that lie side by side from off(at) on.
func (w *rounder) take(r int, at x86.Operand, off int32, lanes lanesFn) {
	a := w.a
	z := func(i int) x86.Operand { return x86.Z(vElems + i) }
	if w.s.Count == 1 {
		z = func(i int) x86.Operand { return w.loaded(r, i) }
	} else {
		lanes = nil // all take part
	}
	for i := range w.vectors() {
		op := x86.VMOVUPS
		if w.elem() == 8 {
			op = x86.VMOVUPD
		}
		a.Emit(op, zeroed(z(i), lanes, i), x86.At(at, off+int32(64*i)))
	}
	switch w.s.Count {
	case 2:
		w.permute(w.loaded(r, 0), z(0), z(1))
		a.Emit(x86.VMOVDQA64, w.loaded(r, 1), z(0))
	case 4:
		low, high := x86.Z(vLow), x86.Z(vHigh)
		w.permute(low, z(0), z(1))  // elements 0 and 2 of lanes 0 to 7, and 1 and 3
		w.permute(high, z(2), z(3)) // likewise of lanes 8 to 15
		w.permute(w.loaded(r, 0), low, high)
		a.Emit(x86.VMOVDQA64, w.loaded(r, 2), low)
		w.permute(w.loaded(r, 1), z(0), z(2))
		a.Emit(x86.VMOVDQA64, w.loaded(r, 3), z(0))
	}
}

// permute puts the first way that elements of x and y go together into d, and the second into x.
func (w *rounder) permute(d, x, y x86.Operand) {
	w.a.Emit(x86.VMOVDQA64, d, x86.Z(vPermA))
	w.a.Emit(x86.VPERMI2D, d, x, y)
	w.a.Emit(x86.VPERMT2D, x, x86.Z(vPermB), y)
}

// valueAt is where vector i of a round's values stands.
func (w *rounder) valueAt(r, i int) x86.Operand {
	if w.elem() == 8 {
		return w.start(w.values()[0]).Plus(int32(128*r + 64*i))
	}
	return w.start(w.values()[i]).Plus(int32(64 * r))
}

// put stores the values of a round to lanes that lie side by side from off(at) on.
func (w *rounder) put(r int, at x86.Operand, off int32, lanes lanesFn) {
	a := w.a
	if w.s.Count > 1 {
		lanes = nil // all take part
	}
	z := func(i int) x86.Operand { return x86.Z(vElems + i) }
	for i := range w.vectors() {
		w.value(z(i), r, i)
	}
	list := []x86.Operand{z(0), z(1)}
	switch w.s.Count {
	case 2:
		w.permute(x86.Z(vLow), z(0), z(1))
		list = []x86.Operand{x86.Z(vLow), z(0)}
	case 4:
		low, high, first, third := x86.Z(vLow), x86.Z(vHigh), x86.Z(vOff), x86.Z(vPlace)
		w.permute(low, z(0), z(2))  // elements 0 and 2 in turn, of lanes 0 to 7 and 8 to 15
		w.permute(high, z(1), z(3)) // elements 1 and 3
		w.permute(first, low, high)
		w.permute(third, z(0), z(1))
		list = []x86.Operand{first, low, third, z(0)}
	}
	for i := range w.vectors() {
		to, op := x86.At(at, off+int32(64*i)), x86.VMOVUPS
		if w.elem() == 8 {
			op = x86.VMOVUPD
		}
		if lanes != nil {
			to = to.Mask(lanes(i))
		}
		a.Emit(op, to, list[i])
	}
}

// value loads vector i of the values that a round stores.
func (w *rounder) value(z x86.Operand, r, i int) {
	p := w.values()[min(i, len(w.values())-1)]
	switch {
	case p.Kind != portable.InWord:
		w.a.Emit(x86.VMOVUPS, z, w.valueAt(r, i))
	case w.elem() == 8:
		w.a.Emit(x86.VPBROADCASTQ, z, wordAt(p.At))
	default:
		w.a.Emit(x86.VPBROADCASTD, z, wordAt(p.At))
	}
}

// places are where rounds are stored to.
var places = [4]x86.Operand{x86.R9, x86.R10, x86.R11, x86.R13}

// stores looks at all rounds, and then stores their values. Mask 0 gathers lanes that do not lie beside the others of their round.
func (w *rounder) stores(done x86.Label) {
	a, apart := w.a, x86.K(0)
	lanes := a.NewLabel()
	a.Emit(x86.KXORW, apart, apart, apart)
	for r := range w.n {
		w.ifSome(r, func() {
			w.offsets(r)
			w.first(r)
			a.Emit(x86.KORW, apart, apart, x86.K(kTest))
			if !w.whole() && w.s.Count > 1 {
				all := a.NewLabel()
				a.Emit(x86.KORTESTW, w.lanesOf(r), w.lanesOf(r))
				a.Emit(x86.JB, x86.To(all))
				a.Emit(x86.KXNORW, apart, apart, apart) // permuted vectors have other lanes
				a.Bind(all)
			}
			a.Emit(x86.LEA, places[r], x86.At(x86.RAX, 0).Index(regHost, 1))
			w.ahead(places[r], 16*w.bytes())
		})
	}
	w.count()
	a.Emit(x86.KORTESTW, apart, apart)
	a.Emit(x86.JNE, x86.To(lanes))
	for r := range w.n {
		w.ifSome(r, func() { w.put(r, places[r], 0, w.some(r)) })
	}
	a.Emit(x86.JMP, x86.To(done))
	a.Bind(lanes)
	w.segment()
	a.Emit(x86.SUB, regHost, regBase)
	w.eachLane()
}

// ifSome writes what is for a round that has a lane.
func (w *rounder) ifSome(r int, do func()) {
	none := w.a.NewLabel()
	if !w.whole() {
		w.a.Emit(x86.KORTESTW, w.lanesOf(r), w.lanesOf(r))
		w.a.Emit(x86.JE, x86.To(none))
	}
	do()
	w.a.Bind(none)
}
