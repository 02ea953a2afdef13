package gen

import (
	"github.com/heddle-gpu/heddle/internal/jit/code"
	"github.com/heddle-gpu/heddle/internal/jit/x86"
	"github.com/heddle-gpu/heddle/internal/lower"
	"github.com/heddle-gpu/heddle/ir"
)

// An access of a wholly compiled block uses the segment that it used at the previous visit, which is cached in the
// block's words. The code checks all lanes first. If one is out of bounds, or no segment is cached, it exits before
// the access, which the caller then carries out.

// General registers of accesses, besides regV, regRows, regVecs and regWords.
var (
	regMask  = x86.R8
	regIndex = x86.R9 // of rows: 64 bytes for 16 lanes
	regBase  = x86.R10
	regLast  = x86.R11
	regHost  = x86.R12 // host address of the segment, then of guest address 0
	regFirst = x86.R13 // address that lane 0 would have if the lanes were consecutive
)

// An exitStub is an exit of the code before a step.
type exitStub struct {
	label  x86.Label
	step   int
	again  x86.Label // where the code may resume
	caller bool      // if the caller has carried out the step; otherwise it tries the step again
}

// callerStep is a bit of Context.What: the caller has to carry out the step.
const callerStep = 1 << 30

// exit returns the label of an exit before step i. What may exit begins here.
func (c *assembly) exit(i int) x86.Label {
	x := exitStub{label: c.a.NewLabel(), step: i, again: c.a.NewLabel()}
	c.a.Bind(x.again)
	c.exits = append(c.exits, x)
	return x.label
}

// access emits an access.
func (c *assembly) access(s *lower.Step) {
	i := c.now
	w := &accessor{c, c.a, s, c.exit(c.exitBefore(i))}
	c.a.Emit(x86.MOV, regWords, x86.At(x86.RDI, code.OffConsts))
	w.markFootprint()
	switch c.choices[i].form {
	case formLoadOnce:
		c.loadOnce(s, w.leave)
		c.countOne(s)
	case formAtomic:
		c.atomic(w)
	case formVectors:
		c.vectorAccess(w, i, i).write()
	default:
		w.write()
	}
}

// exitForCaller exits to the caller, which carries out the step.
func (c *assembly) exitForCaller(s *lower.Step) {
	x := exitStub{label: c.a.NewLabel(), step: c.now, again: c.a.NewLabel(), caller: true}
	if s.Op == ir.CtlCheck && c.b.Ending.Stack {
		(&terminator{c}).unlessFaults(ir.ControlKind(s.Imm), x.again)
	}
	c.a.Emit(x86.JMP, x86.To(x.label))
	c.a.Bind(x.again)
	c.exits = append(c.exits, x)
}

// loads emits n checks and n loads from step i on.
func (c *assembly) loads(i, n int) {
	leave := c.exit(c.exitBefore(i))
	c.a.Emit(x86.MOV, regWords, x86.At(x86.RDI, code.OffConsts))
	var list []*vectorAccess
	for k := range n {
		w := &accessor{c, c.a, &c.b.Steps[i+n+k], leave}
		w.markFootprint()
		list = append(list, c.vectorAccess(w, i+n+k, i+k))
	}
	loadAll(list)
}

// exitStubs emits the exits before steps.
func (c *assembly) exitStubs() {
	if len(c.exits) == 0 {
		return
	}
	out := c.a.NewLabel()
	for _, x := range c.exits {
		c.a.Bind(x.label)
		c.packAddresses(x.step)
		c.guardMasks(x.step)
		what := x.step + 1
		if x.caller {
			what |= callerStep
		}
		c.a.Emit(x86.MOV, x86.At(x86.RDI, code.OffWhat).Size(4), x86.Imm(int64(what)))
		c.a.Emit(x86.LEA, x86.RAX, x86.RIP(x.again))
		c.a.Emit(x86.MOV, x86.At(x86.RDI, code.OffResume), x86.RAX)
		c.a.Emit(x86.JMP, x86.To(out))
	}
	c.a.Bind(out)
	c.returnToCaller()
}

// loadOnce emits a load that is uniform for the wave. The caller counts the bytes read.
func (c *assembly) loadOnce(s *lower.Step, leave x86.Label) {
	a := c.a
	a.Emit(x86.MOV, x86.RAX, wordAt(s.Args[0].At))
	if s.Align > 1 {
		a.Emit(x86.TEST, x86.RAX, x86.Imm(int64(s.Align-1)))
		a.Emit(x86.JNE, x86.To(leave))
	}
	a.Emit(x86.SUB, x86.RAX, wordAt(s.Site+lower.SiteBase))
	a.Emit(x86.CMP, x86.RAX, wordAt(s.Site+lower.SiteLast))
	a.Emit(x86.JA, x86.To(leave))
	a.Emit(x86.MOV, regHost, wordAt(s.Site+lower.SiteHost))
	a.Emit(x86.TEST, regHost, regHost)
	a.Emit(x86.JE, x86.To(leave))
	a.Emit(x86.ADD, x86.RAX, regHost)
	for k, p := range s.Res {
		loadElement(a, s.TransferKind, rcx, x86.At(x86.RAX, int32(k)*int32(s.TransferKind.Bytes)))
		a.Emit(x86.MOV, wordAt(p.At), x86.RCX)
	}
}

// hoistedLoads emits the loads that come before all steps. If one has no cached segment, nothing has been changed yet.
func (c *assembly) hoistedLoads() {
	var leave x86.Label
	first := true
	for i := range c.b.Steps {
		s := &c.b.Steps[i]
		if !s.Hoistable {
			continue
		}
		if first {
			leave, first = c.exit(0), false
			c.a.Emit(x86.MOV, regWords, x86.At(x86.RDI, code.OffConsts))
		}
		c.loadOnce(s, leave)
	}
}

// A counter is one of an access's space, which for flat addresses is that of the cached segment.
type counter struct {
	space ir.SpaceID
	site  int32 // of flat addresses
	off   int32 // in code.Traffic
}

func counterOf(s *lower.Step, off int32) counter {
	if s.Space == ir.FlatSpace {
		return counter{s.Space, s.Site, off}
	}
	return counter{s.Space, 0, off}
}

// add adds to a counter. It needs no register: for flat addresses rdi moves to the counters of the space and back.
func (c *assembly) add(to counter, n x86.Operand) {
	at := x86.At(x86.RDI, code.OffMemory+to.off)
	if to.space != ir.FlatSpace {
		c.a.Emit(x86.ADD, at.Plus(int32(to.space)*code.SizeTraffic).Size(8), n)
		return
	}
	c.a.Emit(x86.ADD, x86.RDI, wordAt(to.site+lower.SiteSpace))
	c.a.Emit(x86.ADD, at.Size(8), n)
	c.a.Emit(x86.SUB, x86.RDI, wordAt(to.site+lower.SiteSpace))
}

// countBytes adds the bytes that the lanes of a mask access to a counter.
func (c *assembly) countBytes(mask x86.Operand, bytes uint64, to counter) {
	c.a.Emit(x86.POPCNT, x86.RAX, mask)
	c.a.Emit(x86.IMUL, x86.RAX, x86.RAX, x86.Imm(int64(bytes)))
	c.add(to, x86.RAX)
}

// countOne counts the bytes of a load that is one for the wave.
func (c *assembly) countOne(s *lower.Step) {
	if !s.Silent {
		c.add(counterOf(s, code.OffRead), x86.Imm(int64(s.Access.Bytes)))
	}
}

// loadElement loads an element into a general register, zero-extended.
func loadElement(a *x86.Asm, k lower.TransferKind, reg int, from x86.Operand) {
	whole := x86.R32(reg)
	if k.Wide {
		whole = x86.R64(reg)
	}
	switch {
	case k.Bytes == 8:
		a.Emit(x86.MOV, x86.R64(reg), from)
	case k.Bytes == 4 && k.Signed && k.Wide:
		a.Emit(x86.MOVSXD, whole, from.Size(4))
	case k.Bytes == 4:
		a.Emit(x86.MOV, x86.R32(reg), from)
	case k.Signed:
		a.Emit(x86.MOVSX, whole, from.Size(int(k.Bytes)))
	default:
		a.Emit(x86.MOVZX, x86.R32(reg), from.Size(int(k.Bytes)))
	}
}

// moveElement moves an element of a lane between guest memory and a value, through a general register.
func moveElement(a *x86.Asm, k lower.TransferKind, reg int, guest, value x86.Operand) {
	whole := x86.R32(reg)
	if k.Wide {
		whole = x86.R64(reg)
	}
	if k.Do == lower.LoadElems {
		loadElement(a, k, reg, guest)
		a.Emit(x86.MOV, value, whole)
	} else {
		a.Emit(x86.MOV, whole, value)
		a.Emit(x86.MOV, guest, x86.G(8*int(k.Bytes), reg))
	}
}

// An accessor emits a per-lane access.
type accessor struct {
	c     *assembly
	a     *x86.Asm
	s     *lower.Step
	leave x86.Label
}

// allLanes reports whether all lanes take part and fill the iterations.
func (w *accessor) allLanes() bool { return w.s.Full && w.c.b.Lanes%16 == 0 }

func (w *accessor) load() bool { return w.s.TransferKind.Do == lower.LoadElems }

// values returns the locations of the values that are stored or loaded.
func (w *accessor) values() []lower.Place {
	switch w.s.TransferKind.Do {
	case lower.LoadElems, lower.AtomicElem:
		return w.s.Res
	case lower.StoreElems:
		return w.s.Args[1 : 1+w.s.Count]
	}
	return nil
}

// addr64 reports whether addresses have 64 bits.
func (w *accessor) addr64() bool { return w.s.Args[0].Kind == lower.InVec }

// elemBytes returns the bytes of an element.
func (w *accessor) elemBytes() int32 { return int32(w.s.TransferKind.Bytes) }

// single reports whether each lane moves one element as wide as its value.
func (w *accessor) single() bool {
	return w.s.TransferKind.Do != lower.AtomicElem && w.s.Count == 1 && (w.elemBytes() == 4 && !w.s.Wide || w.elemBytes() == 8)
}

func (w *accessor) write() {
	a := w.a
	none, done := a.NewLabel(), a.NewLabel()
	w.loadLanes(none)
	if n, ok := w.access256(); ok && n.byEights() {
		n.write(done)
	} else {
		w.writeLanes(done)
	}
	if w.load() && !w.allLanes() {
		a.Emit(x86.JMP, x86.To(done))
		a.Bind(none)
		w.zeroResults()
	} else {
		a.Bind(none)
	}
	a.Bind(done)
}

// writeLanes emits an access that moves lane by lane, or with mask registers. It may continue at done.
func (w *accessor) writeLanes(done x86.Label) {
	all := func(n *access256) {
		switch {
		case w.s.TransferKind.Do == lower.CheckOnly:
		case w.s.Count > maxUnrolled:
			w.begin()
			w.moveEachLane()
		default:
			w.begin()
			n.moveLanes()
		}
	}
	if !w.checkWave(done, all) && w.s.TransferKind.Do != lower.CheckOnly {
		w.move(done)
	}
}

// begin counts the bytes of all lanes and makes regHost the host address of guest address 0.
func (w *accessor) begin() {
	w.count()
	w.a.Emit(x86.SUB, regHost, regBase)
}

// move moves the elements of all lanes.
func (w *accessor) move(done x86.Label) {
	a := w.a
	w.begin()
	if w.single() && w.c.wide() {
		lanes := a.NewLabel()
		w.unlessConsecutive(lanes)
		w.moveConsecutive()
		a.Emit(x86.JMP, x86.To(done))
		a.Bind(lanes)
	}
	if w.c.wide() && w.usesGather() {
		w.iterations(w.gatherLanes)
		return
	}
	w.moveEachLane()
	if w.load() && !w.allLanes() {
		w.zeroInactive()
	}
}

// loadLanes loads the mask, the segment and the address of the first lane into registers. It jumps to none if no lane
// takes part.
func (w *accessor) loadLanes(none x86.Label) {
	a := w.a
	w.loadMask(none)
	w.loadSegment()
	if w.allLanes() {
		w.address(x86.R64(13), x86.R32(13), w.firstLaneAddress())
		return
	}
	a.Emit(x86.TZCNT, x86.RCX, regMask)
	w.address(x86.R64(13), x86.R32(13), w.laneAddress(x86.RCX))
	a.Emit(x86.IMUL, x86.RCX, x86.RCX, x86.Imm(int64(w.s.Access.Bytes)))
	a.Emit(x86.SUB, regFirst, x86.RCX)
}

// loadMask loads the mask into a register. It jumps to none if no lane takes part.
func (w *accessor) loadMask(none x86.Label) {
	a, s := w.a, w.s
	a.Emit(x86.MOV, regV, x86.At(x86.RDI, code.OffV))
	a.Emit(x86.MOV, regRows, x86.At(x86.RDI, code.OffRows))
	a.Emit(x86.MOV, regVecs, x86.At(x86.RDI, code.OffVecs))
	if w.allLanes() {
		a.Emit(x86.MOV, regMask, arg(argFull))
		return
	}
	a.Emit(x86.MOV, regMask, wordAt(s.Mask.At))
	if s.Mask.Kind == lower.InWord {
		a.Emit(x86.AND, regMask, x86.Imm(1))
		a.Emit(x86.NEG, regMask)
		a.Emit(x86.AND, regMask, arg(argFull))
	}
	a.Emit(x86.TEST, regMask, regMask)
	a.Emit(x86.JE, x86.To(none))
}

// loadSegment loads the cached segment into registers.
func (w *accessor) loadSegment() {
	a, s := w.a, w.s
	a.Emit(x86.MOV, regHost, wordAt(s.Site+lower.SiteHost))
	a.Emit(x86.TEST, regHost, regHost)
	a.Emit(x86.JE, x86.To(w.leave))
	a.Emit(x86.MOV, regBase, wordAt(s.Site+lower.SiteBase))
	a.Emit(x86.MOV, regLast, wordAt(s.Site+lower.SiteLast))
}

// address loads an address: into all of d, or into d32 if it has 32 bits.
func (w *accessor) address(d, d32, from x86.Operand) {
	if w.addr64() {
		w.a.Emit(x86.MOV, d, from)
	} else {
		w.a.Emit(x86.MOV, d32, from)
	}
}

// firstLane is the operand of the first lane of a row or vector.
func (w *accessor) firstLane(p lower.Place) x86.Operand {
	if p.Kind == lower.InVec {
		return x86.At(regVecs, p.At*8*ir.MaxLanes)
	}
	return x86.At(regOf(p), w.c.rowOffset(p))
}

func (w *accessor) firstLaneAddress() x86.Operand { return w.firstLane(w.s.Args[0]) }

// lane is the operand of a value in the lane whose number a register holds.
func (w *accessor) lane(p lower.Place, r x86.Operand) x86.Operand {
	if p.Kind == lower.InVec {
		return w.firstLane(p).Index(r, 8)
	}
	return w.firstLane(p).Index(r, 4)
}

func (w *accessor) laneAddress(r x86.Operand) x86.Operand { return w.lane(w.s.Args[0], r) }

// eightLanesOf is the operand of a value in 8 lanes of the iteration: the lower or upper half of 16.
func (w *accessor) eightLanesOf(p lower.Place, half int) x86.Operand {
	if p.Kind == lower.InVec {
		return w.firstLane(p).Plus(int32(64*half)).Index(regIndex, 2)
	}
	return w.firstLane(p).Plus(int32(32*half)).Index(regIndex, 1)
}

// count adds the bytes of all lanes to the counters.
func (w *accessor) count() {
	if w.s.Silent {
		return
	}
	to := code.OffWritten
	if w.load() {
		to = code.OffRead
	}
	w.c.countBytes(regMask, w.s.Access.Bytes, counterOf(w.s, to))
}

// An addressOps is the vector instructions on addresses of 32 or 64 bits; vectors is how many vectors hold as many
// addresses as one holds words.
type addressOps struct {
	vectors                                                                int
	add, sub, mul, shift, max, or, compare, equal, test, broadcast, extend x86.Op
}

var (
	addresses32 = addressOps{1, x86.VPADDD, x86.VPSUBD, x86.VPMULLD, x86.VPSLLD, x86.VPMAXUD, x86.VPORD, x86.VPCMPUD, x86.VPCMPEQD,
		x86.VPTESTMD, x86.VPBROADCASTD, x86.VPMOVZXBD}
	addresses64 = addressOps{2, x86.VPADDQ, x86.VPSUBQ, x86.VPMULUDQ, x86.VPSLLQ, x86.VPMAXUQ, x86.VPORQ, x86.VPCMPUQ, x86.VPCMPEQQ,
		x86.VPTESTMQ, x86.VPBROADCASTQ, x86.VPMOVZXBQ}
)

// addressOpsOf returns the instructions for addresses of 64 bits, or of 32.
func addressOpsOf(addr64 bool) *addressOps {
	if addr64 {
		return &addresses64
	}
	return &addresses32
}

// iterations emits a loop over the wave, 16 lanes per iteration, with their bits of the mask in k1 and k2 if there are
// mask registers.
func (w *accessor) iterations(body func()) {
	a := w.a
	n := (w.c.b.Lanes + 15) / 16
	a.Emit(x86.XOR, x86.R32(9), x86.R32(9))
	a.Emit(x86.MOV, x86.RAX, regMask)
	again := a.NewLabel()
	if n > 1 {
		a.Bind(again)
	}
	if w.c.wide() {
		a.Emit(x86.KMOVW, x86.K(1), x86.R32(0))
		a.Emit(x86.KSHIFTRW, x86.K(2), x86.K(1), x86.Imm(8))
	}
	body()
	if n > 1 {
		a.Emit(x86.SHR, x86.RAX, x86.Imm(16))
		a.Emit(x86.ADD, regIndex, x86.Imm(64))
		a.Emit(x86.CMP, regIndex, x86.Imm(int64(64*n)))
		a.Emit(x86.JB, x86.To(again))
	}
}

// broadcastNumber puts a number into all lanes of z.
func (w *accessor) broadcastNumber(z int, v int64) {
	w.a.Emit(x86.MOV, x86.RCX, x86.Imm(v))
	w.a.Emit(x86.VPBROADCASTQ, x86.Z(z), x86.RCX)
}

// check512 checks all lanes with vectors of 512 bits; see checkLanes.
func (w *accessor) check512() {
	a, s := w.a, w.s
	a.Emit(x86.VPBROADCASTQ, x86.Z(0), regBase)
	a.Emit(x86.VPBROADCASTQ, x86.Z(1), regLast)
	if s.Align > 1 {
		w.broadcastNumber(2, int64(s.Align-1))
	}
	w.broadcastNumber(3, int64(s.Access.Bytes))
	a.Emit(x86.VPBROADCASTQ, x86.Z(4), regFirst)
	checkLanes(a, s.Align > 1, w.c.table(laneNumbers8), w.leave, w.iterations, w.addresses)
}

// checkLanes checks the lanes of k1 and k2 in each iteration of a loop, with vectors of 512 bits. Vectors 0 to 4 hold
// the segment's first address, the largest permitted offset, the bits that are 0 in aligned addresses, the distance of
// consecutive lanes, and the address of lane 0 if lanes are consecutive; numbers are those of 8 lanes as bytes. It
// jumps to rejected if a lane is rejected. Then k6 is not 0 if lanes are not consecutive.
func checkLanes(a *x86.Asm, aligned bool, numbers x86.Operand, rejected x86.Label, loop func(func()), addresses func(z x86.Operand, half int)) {
	a.Emit(x86.VPMOVZXBQ, x86.Z(5), numbers)
	a.Emit(x86.VPMULUDQ, x86.Z(5), x86.Z(5), x86.Z(3))
	a.Emit(x86.VPADDQ, x86.Z(5), x86.Z(5), x86.Z(4)) // the addresses of consecutive lanes
	a.Emit(x86.VPSLLQ, x86.Z(3), x86.Z(3), x86.Imm(3))
	a.Emit(x86.KXORW, x86.K(5), x86.K(5), x86.K(5))
	a.Emit(x86.KXORW, x86.K(6), x86.K(6), x86.K(6))
	loop(func() {
		for h, k := range [2]x86.Operand{x86.K(1), x86.K(2)} {
			off := x86.Z(6 + h)
			addresses(off, h)
			if aligned {
				a.Emit(x86.VPTESTMQ, x86.K(3).Mask(k), off, x86.Z(2))
				a.Emit(x86.KORW, x86.K(5), x86.K(5), x86.K(3))
			}
			a.Emit(x86.VPCMPUQ, x86.K(4).Mask(k), off, x86.Z(5), x86.Imm(4))
			a.Emit(x86.VPADDQ, x86.Z(5), x86.Z(5), x86.Z(3))
			a.Emit(x86.VPSUBQ, off, off, x86.Z(0))
			a.Emit(x86.KORW, x86.K(6), x86.K(6), x86.K(4))
			a.Emit(x86.VPCMPUQ, x86.K(4).Mask(k), off, x86.Z(1), x86.Imm(6))
			a.Emit(x86.KORW, x86.K(5), x86.K(5), x86.K(4))
		}
	})
	a.Emit(x86.KORTESTW, x86.K(5), x86.K(5))
	a.Emit(x86.JNE, x86.To(rejected))
}

// addresses is the operand of the addresses of half of an iteration.
func (w *accessor) addresses(z x86.Operand, half int) {
	p := w.s.Args[0]
	if w.addr64() {
		w.a.Emit(x86.VMOVUPS, z, w.eightLanesOf(p, half))
	} else {
		w.a.Emit(x86.VPMOVZXDQ, z, w.eightLanesOf(p, half))
	}
}

// checkEachLane checks lane by lane.
func (w *accessor) checkEachLane() {
	a, s := w.a, w.s
	again := a.NewLabel()
	a.Emit(x86.MOV, x86.RAX, regMask)
	a.Align(16)
	a.Bind(again)
	a.Emit(x86.TZCNT, x86.RCX, x86.RAX)
	a.Emit(x86.BLSR, x86.RAX, x86.RAX)
	w.address(x86.RBX, x86.R32(3), w.laneAddress(x86.RCX))
	if s.Align > 1 {
		a.Emit(x86.TEST, x86.RBX, x86.Imm(int64(s.Align-1)))
		a.Emit(x86.JNE, x86.To(w.leave))
	}
	a.Emit(x86.SUB, x86.RBX, regBase)
	a.Emit(x86.CMP, x86.RBX, regLast)
	a.Emit(x86.JA, x86.To(w.leave))
	a.Emit(x86.TEST, x86.RAX, x86.RAX)
	a.Emit(x86.JNE, x86.To(again))
	a.Emit(x86.MOV, regWords, x86.At(x86.RDI, code.OffConsts))
}

// unlessConsecutive jumps if the lanes are not consecutive in memory.
func (w *accessor) unlessConsecutive(to x86.Label) {
	w.a.Emit(x86.KORTESTW, x86.K(6), x86.K(6))
	w.a.Emit(x86.JNE, x86.To(to))
}
