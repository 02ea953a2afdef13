package gen

import (
	"github.com/heddle-gpu/heddle/internal/jit/code"
	"github.com/heddle-gpu/heddle/internal/jit/x86"
	"github.com/heddle-gpu/heddle/internal/portable"
)

// Where lanes part or meet under the policy LowestPC, code carries the step out as exec.State.Leave does it: lanes wait at places of their own, and
// those run that have the lowest. What leads where no wave has gone yet is left to the caller: nothing is changed before that is known.
//
// Rcx and r8 are as in steps of the control stack; r9 are the lanes that wait, and then those of them that wait no longer, r10 is the place where lanes
// run next, r11 are the lanes that go on by the second way, r12 those that take the step.
var (
	regWaiting = x86.R9
	regLowest  = x86.R10
	regOthers  = x86.R11
	regTaking  = x86.R12
)

// placesIn is how many lanes' places are in a vector.
func (c *compiler) placesIn() int { return c.lanes / 2 }

// partsHere reports whether lanes part and meet in code at the end of the block.
func (c *compiler) partsHere() bool { return c.b.Ending.Lowest && c.b.Lanes%c.placesIn() == 0 }

// partLanes writes the step, for a wave whose lanes do not all go on together, and goes on at found.
func (c *compiler) partLanes(back, found x86.Label) {
	a, e := c.a, &c.b.Ending
	second, far, done := a.NewLabel(), a.NewLabel(), a.NewLabel()
	c.taking(back)
	if e.Turn == portable.IfAgreed { // lanes that stay together do not look at others
		c.unless(regTaking, 1, back, found)
		c.unless(regOthers, 0, back, found)
	}
	c.lowest()
	c.runs(regTaking, e.To[0])
	c.runs(regOthers, e.To[1])
	c.ifLowest(e.To[0], second)
	c.goes(0, back)
	a.Emit(x86.JMP, x86.To(done))
	a.Bind(second)
	c.ifLowest(e.To[1], far)
	c.goes(1, back)
	a.Emit(x86.JMP, x86.To(done))
	a.Bind(far)
	a.Emit(x86.MOV, x86.RDX, regLowest)
	c.farWay(back)
	a.Bind(done)
	a.Emit(x86.MOV, running, regRun)
	c.waitAt(regWaiting, 0)
	c.waitAt(regTaking, e.To[0])
	c.waitAt(regOthers, e.To[1])
	a.Emit(x86.JMP, x86.To(found))
}

// unless lets all that run go on by a way unless there are lanes.
func (c *compiler) unless(lanes x86.Operand, way int, back, found x86.Label) {
	some := c.a.NewLabel()
	c.a.Emit(x86.TEST, lanes, lanes)
	c.a.Emit(x86.JNE, x86.To(some))
	c.goes(way, back)
	c.a.Emit(x86.JMP, x86.To(found))
	c.a.Bind(some)
}

// taking finds who takes the step, who does not, and who waits. It goes back if lanes run that do not live.
func (c *compiler) taking(back x86.Label) {
	a := c.a
	a.Emit(x86.MOV, regRun, running)
	a.Emit(x86.MOV, x86.RDX, x86.At(x86.RDI, code.OffLive))
	a.Emit(x86.MOV, regWaiting, x86.RDX)
	a.Emit(x86.OR, regWaiting, regRun)
	a.Emit(x86.CMP, regWaiting, x86.RDX)
	a.Emit(x86.JNE, x86.To(back))
	a.Emit(x86.XOR, regWaiting, regRun)
	c.condMask()
	a.Emit(x86.MOV, regTaking, x86.RAX)
	a.Emit(x86.AND, regTaking, regRun)
	a.Emit(x86.MOV, regOthers, regRun)
	a.Emit(x86.XOR, regOthers, regTaking)
}

// lowest finds the lowest place of lanes, and those of the waiting that are there; r8 is they then.
func (c *compiler) lowest() {
	a, alone := c.a, c.a.NewLabel()
	a.Emit(x86.MOV, regLowest, x86.Imm(-1))
	for i, lanes := range [2]x86.Operand{regTaking, regOthers} {
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
		c.lowestWaiting()
	} else {
		c.lowestWaitingNarrow()
	}
	a.Bind(alone)
	a.Emit(x86.MOV, regWaiting, regRun)
}

// lowestWaiting makes the lowest place that of lanes that wait, if it is lower, and r8 those of them that are there.
func (c *compiler) lowestWaiting() {
	a := c.a
	a.Emit(x86.VPBROADCASTQ, x86.Z(0), regLowest)
	c.eachPlaces(regWaiting, func(places x86.Operand) {
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
	c.eachPlaces(regWaiting, func(places x86.Operand) {
		a.Emit(x86.VPCMPUQ, x86.K(2).Mask(x86.K(1)), x86.Z(0), places, x86.Imm(0))
		a.Emit(x86.KMOVB, x86.R32(0), x86.K(2))
		c.runPart()
	})
	c.ranParts()
}

// runPart adds lanes of a vector of places, the lowest bits of rax, to r8: the first ends up lowest, once ranParts has been called.
func (c *compiler) runPart() {
	c.a.Emit(x86.OR, regRun, x86.RAX)
	if c.b.Lanes > c.placesIn() {
		c.a.Emit(x86.ROR, regRun, x86.Imm(int64(c.placesIn())))
	}
}

func (c *compiler) ranParts() {
	if c.b.Lanes > c.placesIn() && c.b.Lanes < 64 {
		c.a.Emit(x86.ROL, regRun, x86.Imm(int64(c.b.Lanes)))
	}
}

// eachPlaces writes something for each vector of places; k1 are the lanes then of those given. Rdx is where places are.
func (c *compiler) eachPlaces(lanes x86.Operand, f func(places x86.Operand)) {
	size := c.placesIn()
	n := c.b.Lanes / size
	c.a.Emit(x86.KMOVQ, x86.K(1), lanes)
	for i := range n {
		f(x86.At(x86.RDX, int32(8*size*i)))
		if i < n-1 {
			c.a.Emit(x86.KSHIFTRQ, x86.K(1), x86.K(1), x86.Imm(int64(size)))
		}
	}
}

// ifLowest goes on at other if the place is not the lowest.
func (c *compiler) ifLowest(at uint64, other x86.Label) {
	c.a.Emit(x86.MOV, x86.RDX, x86.Imm(int64(at)))
	c.a.Emit(x86.CMP, regLowest, x86.RDX)
	c.a.Emit(x86.JNE, x86.To(other))
}

// runs lets lanes that go on at a place run, if it is the lowest; else they are to wait there.
func (c *compiler) runs(lanes x86.Operand, at uint64) {
	wait := c.a.NewLabel()
	c.ifLowest(at, wait)
	c.a.Emit(x86.OR, regRun, lanes)
	c.a.Emit(x86.XOR, lanes, lanes)
	c.a.Bind(wait)
}

// waitAt makes a place that of lanes. Rax stays.
func (c *compiler) waitAt(lanes x86.Operand, at uint64) {
	a, none := c.a, c.a.NewLabel()
	a.Emit(x86.TEST, lanes, lanes)
	a.Emit(x86.JE, x86.To(none))
	a.Emit(x86.MOV, x86.RDX, x86.Imm(int64(at)))
	if c.wide() {
		a.Emit(x86.VPBROADCASTQ, x86.Z(0), x86.RDX)
	} else {
		c.spread(yPlace, x86.RDX)
	}
	a.Emit(x86.MOV, x86.RDX, x86.At(x86.RDI, code.OffTokens))
	if c.wide() {
		c.eachPlaces(lanes, func(places x86.Operand) {
			a.Emit(x86.VMOVDQU64, places.Mask(x86.K(1)), x86.Z(0))
		})
	} else {
		c.eachPlacesNarrow(lanes, func(places x86.Operand) {
			a.Emit(x86.VPMASKMOVQ, places, x86.Y(yHere), x86.Y(yPlace))
		})
	}
	a.Bind(none)
}
