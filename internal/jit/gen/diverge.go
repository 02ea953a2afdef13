package gen

import (
	"github.com/heddle-gpu/heddle/internal/jit/code"
	"github.com/heddle-gpu/heddle/internal/jit/x86"
	"github.com/heddle-gpu/heddle/internal/lower"
)

// Divergence and reconvergence under the policy LowestPC, as exec.State.Leave does them: each waiting lane has a PC of
// its own, and the lanes with the lowest PC run. Targets that no wave has reached yet are left to the caller: nothing
// is changed before that is known.
//
// Rcx and r8 are as in steps of the control stack; r9 holds the lanes that wait, and then those of them that stop
// waiting, r10 the PC of the lanes that run next, r11 the lanes that take the second way, r12 those that take the
// first.
var (
	regWaiting  = x86.R9
	regLowest   = x86.R10
	regNotTaken = x86.R11
	regTaken    = x86.R12
)

// pcsPerVector returns how many lanes' PCs are in a vector.
func (c *terminator) pcsPerVector() int { return c.lanes / 2 }

// divergesHere reports whether lanes diverge and reconverge in code at the end of the block.
func (c *terminator) divergesHere() bool { return c.b.Ending.Lowest && c.b.Lanes%c.pcsPerVector() == 0 }

// diverge emits the step for a wave whose lanes do not all go the same way, and continues at found.
func (c *terminator) diverge(back, found x86.Label) {
	a, e := c.a, &c.b.Ending
	second, far, done := a.NewLabel(), a.NewLabel(), a.NewLabel()
	c.splitLanes(back)
	if e.Kind == lower.TermIfAgreed { // lanes that do not diverge do not wait
		c.unlessEmpty(regTaken, 1, back, found)
		c.unlessEmpty(regNotTaken, 0, back, found)
	}
	c.lowestPC()
	c.activateLowest(regTaken, e.To[0])
	c.activateLowest(regNotTaken, e.To[1])
	c.unlessLowest(e.To[0], second)
	c.takeWay(0, back)
	a.Emit(x86.JMP, x86.To(done))
	a.Bind(second)
	c.unlessLowest(e.To[1], far)
	c.takeWay(1, back)
	a.Emit(x86.JMP, x86.To(done))
	a.Bind(far)
	a.Emit(x86.MOV, x86.RDX, regLowest)
	c.cachedWay(back)
	a.Bind(done)
	a.Emit(x86.MOV, execMask, regRun)
	c.setPCs(regWaiting, 0)
	c.setPCs(regTaken, e.To[0])
	c.setPCs(regNotTaken, e.To[1])
	a.Emit(x86.JMP, x86.To(found))
}

// unlessEmpty makes all running lanes take a way if the set of lanes is empty.
func (c *terminator) unlessEmpty(lanes x86.Operand, way int, back, found x86.Label) {
	some := c.a.NewLabel()
	c.a.Emit(x86.TEST, lanes, lanes)
	c.a.Emit(x86.JNE, x86.To(some))
	c.takeWay(way, back)
	c.a.Emit(x86.JMP, x86.To(found))
	c.a.Bind(some)
}

// splitLanes computes which lanes take the step, which do not, and which wait. It exits to back if lanes run that are
// not live.
func (c *terminator) splitLanes(back x86.Label) {
	a := c.a
	a.Emit(x86.MOV, regRun, execMask)
	a.Emit(x86.MOV, x86.RDX, x86.At(x86.RDI, code.OffLive))
	a.Emit(x86.MOV, regWaiting, x86.RDX)
	a.Emit(x86.OR, regWaiting, regRun)
	a.Emit(x86.CMP, regWaiting, x86.RDX)
	a.Emit(x86.JNE, x86.To(back))
	a.Emit(x86.XOR, regWaiting, regRun)
	c.condMask()
	a.Emit(x86.MOV, regTaken, x86.RAX)
	a.Emit(x86.AND, regTaken, regRun)
	a.Emit(x86.MOV, regNotTaken, regRun)
	a.Emit(x86.XOR, regNotTaken, regTaken)
}

// lowestPC finds the lowest PC of all lanes, and in r8 the waiting lanes that are there.
func (c *terminator) lowestPC() {
	a, alone := c.a, c.a.NewLabel()
	a.Emit(x86.MOV, regLowest, x86.Imm(-1))
	for i, lanes := range [2]x86.Operand{regTaken, regNotTaken} {
		none := a.NewLabel()
		a.Emit(x86.TEST, lanes, lanes)
		a.Emit(x86.JE, x86.To(none))
		a.Emit(x86.MOV, x86.RDX, x86.Imm(int64(c.b.Ending.To[i])))
		a.Emit(x86.CMP, x86.RDX, regLowest)
		a.Emit(x86.CMOVB, regLowest, x86.RDX)
		a.Bind(none)
	}
	a.Emit(x86.XOR, x86.R32(8), x86.R32(8))
	a.Emit(x86.TEST, regWaiting, regWaiting)
	a.Emit(x86.JE, x86.To(alone))
	a.Emit(x86.MOV, x86.RDX, x86.At(x86.RDI, code.OffTokens))
	if c.wide() {
		c.lowestWaitingPC()
	} else {
		c.lowestWaitingPC256()
	}
	a.Bind(alone)
	a.Emit(x86.MOV, regWaiting, regRun)
}

// lowestWaitingPC makes the lowest PC that of waiting lanes, if it is lower, and r8 the lanes that wait there.
func (c *terminator) lowestWaitingPC() {
	a := c.a
	a.Emit(x86.VPBROADCASTQ, x86.Z(0), regLowest)
	c.eachPCs(regWaiting, func(places x86.Operand) {
		a.Emit(x86.VPMINUQ, x86.Z(0).Mask(x86.K(1)), x86.Z(0), places)
	})
	a.Emit(x86.VEXTRACTI64X4, x86.Y(1), x86.Z(0), x86.Imm(1))
	a.Emit(x86.VPMINUQ, x86.Y(0), x86.Y(0), x86.Y(1))
	a.Emit(x86.VEXTRACTI128, x86.X(1), x86.Y(0), x86.Imm(1))
	a.Emit(x86.VPMINUQ, x86.X(0), x86.X(0), x86.X(1))
	a.Emit(x86.VPSHUFD, x86.X(1), x86.X(0), x86.Imm(0x4e))
	a.Emit(x86.VPMINUQ, x86.X(0), x86.X(0), x86.X(1))
	a.Emit(x86.VMOVQ, regLowest, x86.X(0))
	a.Emit(x86.VPBROADCASTQ, x86.Z(0), regLowest)
	c.eachPCs(regWaiting, func(places x86.Operand) {
		a.Emit(x86.VPCMPUQ, x86.K(2).Mask(x86.K(1)), x86.Z(0), places, x86.Imm(0))
		a.Emit(x86.KMOVB, x86.R32(0), x86.K(2))
		c.addActive()
	})
	c.alignActive()
}

// addActive adds the lanes of a vector of PCs, the lowest bits of rax, to r8: the first end up lowest, after
// alignActive.
func (c *terminator) addActive() {
	c.a.Emit(x86.OR, regRun, x86.RAX)
	if c.b.Lanes > c.pcsPerVector() {
		c.a.Emit(x86.ROR, regRun, x86.Imm(int64(c.pcsPerVector())))
	}
}

func (c *terminator) alignActive() {
	if c.b.Lanes > c.pcsPerVector() && c.b.Lanes < 64 {
		c.a.Emit(x86.ROL, regRun, x86.Imm(int64(c.b.Lanes)))
	}
}

// eachPCs emits code for each vector of PCs; k1 holds its lanes of the given ones. Rdx points to the PCs.
func (c *terminator) eachPCs(lanes x86.Operand, f func(places x86.Operand)) {
	size := c.pcsPerVector()
	n := c.b.Lanes / size
	c.a.Emit(x86.KMOVQ, x86.K(1), lanes)
	for i := range n {
		f(x86.At(x86.RDX, int32(8*size*i)))
		if i < n-1 {
			c.a.Emit(x86.KSHIFTRQ, x86.K(1), x86.K(1), x86.Imm(int64(size)))
		}
	}
}

// unlessLowest continues at other if the PC is not the lowest.
func (c *terminator) unlessLowest(at uint64, other x86.Label) {
	c.a.Emit(x86.MOV, x86.RDX, x86.Imm(int64(at)))
	c.a.Emit(x86.CMP, regLowest, x86.RDX)
	c.a.Emit(x86.JNE, x86.To(other))
}

// activateLowest makes lanes that go to a PC run, if it is the lowest; otherwise they wait there.
func (c *terminator) activateLowest(lanes x86.Operand, at uint64) {
	wait := c.a.NewLabel()
	c.unlessLowest(at, wait)
	c.a.Emit(x86.OR, regRun, lanes)
	c.a.Emit(x86.XOR, lanes, lanes)
	c.a.Bind(wait)
}

// setPCs sets the PC of lanes. It preserves rax.
func (c *terminator) setPCs(lanes x86.Operand, at uint64) {
	a, none := c.a, c.a.NewLabel()
	a.Emit(x86.TEST, lanes, lanes)
	a.Emit(x86.JE, x86.To(none))
	a.Emit(x86.MOV, x86.RDX, x86.Imm(int64(at)))
	if c.wide() {
		a.Emit(x86.VPBROADCASTQ, x86.Z(0), x86.RDX)
	} else {
		c.broadcast256(yPlace, x86.RDX)
	}
	a.Emit(x86.MOV, x86.RDX, x86.At(x86.RDI, code.OffTokens))
	if c.wide() {
		c.eachPCs(lanes, func(places x86.Operand) {
			a.Emit(x86.VMOVDQU64, places.Mask(x86.K(1)), x86.Z(0))
		})
	} else {
		c.eachPCs256(lanes, func(places x86.Operand) {
			a.Emit(x86.VPMASKMOVQ, places, x86.Y(yAt), x86.Y(yPlace))
		})
	}
	a.Bind(none)
}
