package gen

import (
	"github.com/heddle-gpu/heddle/internal/jit/code"
	"github.com/heddle-gpu/heddle/internal/jit/x86"
	"github.com/heddle-gpu/heddle/internal/lower"
)

// guard emits an exit that is taken if the mask has a lane.
func (c *assembly) guard(s *lower.Step) {
	leave := c.exit(c.exitBefore(c.now))
	c.ifAny(s.Mask, leave)
}

// probe emits an exit to the caller, which carries out the step, that is taken if the mask has a lane.
func (c *assembly) probe(s *lower.Step) {
	x := exitStub{label: c.a.NewLabel(), step: c.now, again: c.a.NewLabel(), caller: true}
	c.ifAny(s.Mask, x.label)
	c.a.Bind(x.again)
	c.exits = append(c.exits, x)
}

// ifAny jumps if a mask has a lane.
func (c *assembly) ifAny(mask lower.Place, to x86.Label) {
	c.a.Emit(x86.MOV, regWords, x86.At(x86.RDI, code.OffConsts))
	switch {
	case mask.Kind == lower.InWord:
		c.a.Emit(x86.TEST, wordAt(mask.At).Size(4), x86.Imm(1))
	case c.hasMaskParts():
		c.testMaskParts(mask.At)
	default:
		c.a.Emit(x86.CMP, wordAt(mask.At).Size(8), x86.Imm(0))
	}
	c.a.Emit(x86.JNE, x86.To(to))
}

// exclude exits if the segment of an access has addresses for which the guard would exit. A window concerns all
// addresses of the segment, which has one upper half.
func (g *impliedGuard) exclude(w *vectorAccess) {
	a := w.a
	if g.kind == guardWindow {
		a.Emit(x86.MOV, x86.RAX, regBase)
		a.Emit(x86.SHR, x86.RAX, x86.Imm(32))
		a.Emit(x86.CMP, x86.R32(0), wordAt(g.words[0].At).Size(4))
		a.Emit(x86.JE, x86.To(w.leave))
		return
	}
	a.Emit(x86.LEA, x86.RCX, x86.At(regBase, 0).Index(regLast, 1))
	a.Emit(x86.MOV, x86.R32(0), wordAt(g.words[1].At))
	a.Emit(x86.ADD, x86.RCX, x86.RAX)
	a.Emit(x86.MOV, x86.R32(0), wordAt(g.words[0].At))
	a.Emit(x86.CMP, x86.RCX, x86.RAX)
	a.Emit(x86.JA, x86.To(w.leave))
}

// guardMasks computes the masks of guards without code that the caller reads from step i on.
func (c *assembly) guardMasks(i int) {
	for n := range c.guards {
		if x := &c.guards[n]; i <= x.first {
			for m := range x.guards {
				if g := &x.guards[m]; g.steps[1] < i { // its mask would have been computed before
					c.guardMask(g)
				}
			}
		}
	}
}

// guardMask computes the mask of a guard.
func (c *assembly) guardMask(g *impliedGuard) {
	a := c.a
	a.Emit(x86.MOV, regV, x86.At(x86.RDI, code.OffV))
	a.Emit(x86.MOV, regRows, x86.At(x86.RDI, code.OffRows))
	a.Emit(x86.MOV, regWords, x86.At(x86.RDI, code.OffConsts))
	a.Emit(x86.VPBROADCASTD, x86.Z(0), wordAt(g.words[0].At))
	if g.kind == guardLimit {
		a.Emit(x86.VPBROADCASTD, x86.Z(1), wordAt(g.words[1].At))
	}
	a.Emit(x86.XOR, x86.R32(rax), x86.R32(rax))
	for i := c.maskParts() - 1; i >= 0; i-- {
		at := c.row(g.at).Plus(int32(64 * i))
		if g.kind == guardLimit {
			a.Emit(x86.VPMAXUD, x86.Z(2), x86.Z(0), at)
			a.Emit(x86.VPSUBD, x86.Z(2), x86.Z(2), at)
			a.Emit(x86.VPCMPUD, x86.K(1), x86.Z(2), x86.Z(1), x86.Imm(1))
		} else {
			a.Emit(x86.VPCMPEQD, x86.K(1), x86.Z(0), at)
		}
		a.Emit(x86.KMOVW, x86.R32(1), x86.K(1))
		a.Emit(x86.SHL, x86.RAX, x86.Imm(16))
		a.Emit(x86.OR, x86.RAX, x86.RCX)
	}
	a.Emit(x86.AND, x86.RAX, wordAt(g.lanes.At))
	a.Emit(x86.MOV, wordAt(g.mask.At), x86.RAX)
}
