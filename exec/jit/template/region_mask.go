package template

import (
	"github.com/heddle-gpu/heddle/exec/jit/x86"
	"github.com/heddle-gpu/heddle/exec/portable"
	"github.com/heddle-gpu/heddle/ir"
)

// Masks of a region are computed in general registers: those of a loop make long chains from turn to turn, mask registers are few, and
// what is stored of one takes long to be read again. A mask that vectors make or are written under is in a mask register besides.

// registers finds general registers that nothing else in the region needs.
func (g *regionCode) registers() {
	g.masks = []int{8}
	vecs, others := false, false // what needs registers of its own
	for _, x := range g.region.blocks {
		for i := range x.b.Steps {
			s := &x.b.Steps[i]
			for _, p := range append(s.Args[:len(s.Args):len(s.Args)], s.Res...) {
				vecs = vecs || p.Kind == portable.InVec
			}
			if s.Kind == portable.Compute && g.c.class(s) == onWave {
				switch s.Op {
				case ir.ShlX, ir.ShrUX, ir.ShrSX, ir.USubSat, ir.Bfm, ir.Ror, ir.FShr:
					others = true
				}
				others = others || len(s.Args) > 2
			}
			others = others || s.Kind == portable.MemoryAccess && s.Asked // marked: see noter
		}
	}
	if !vecs {
		g.masks = append(g.masks, 15)
	}
	if !others {
		g.masks = append(g.masks, 13, 14)
	}
}

// mask is general register i of masks.
func (g *regionCode) mask(i int) x86.Operand { return x86.R32(g.masks[i]) }

// storeMask writes general register i back.
func (g *regionCode) storeMask(i int) {
	s := &g.c.gprs[i]
	g.a.Emit(x86.MOV, g.memory(s.place), x86.G(16*g.units, g.masks[i]))
}

// memory is where a mask stands for all the lanes at hand.
func (g *regionCode) memory(p portable.Place) x86.Operand {
	return g.c.maskAt(p).Plus(int32(-2 * g.c.unit)).Size(2 * g.units)
}

// loadMask loads a mask from memory.
func (g *regionCode) loadMask(d x86.Operand, p portable.Place) {
	op := x86.MOVZX
	if g.units > 1 {
		op = x86.MOV
	}
	g.a.Emit(op, d, g.memory(p))
}

// all are the bits of the lanes at hand.
func (g *regionCode) all() x86.Operand {
	if g.units > 1 {
		return x86.Imm(-1)
	}
	return x86.Imm(0xffff)
}

// halfMask brings the unit's part of general register i into a mask register.
func (g *regionCode) halfMask(k x86.Operand, i int) {
	if g.c.unit == 0 {
		g.a.Emit(x86.KMOVW, k, g.mask(i))
		return
	}
	g.a.Emit(x86.KMOVD, x86.K(7), g.mask(i))
	g.a.Emit(x86.KSHIFTRD, k, x86.K(7), x86.Imm(16))
}

// intoMask brings the unit's part of a mask into a mask register.
func (g *regionCode) intoMask(k x86.Operand, p portable.Place) {
	c := g.c
	if i := find(c.gprs, p); i >= 0 {
		g.halfMask(k, i)
	} else if i := find(c.masks, p); i > 0 {
		g.a.Emit(x86.KMOVW, k, x86.K(i))
	} else {
		g.a.Emit(x86.KMOVW, k, c.maskAt(p))
	}
}

// inMasks is whether units have a mask in mask registers.
func (g *regionCode) inMasks(p portable.Place) (some bool) {
	g.each(func() { some = some || find(g.c.masks, p) > 0 })
	return some
}

// gather brings a mask that units have in mask registers into a general register.
func (g *regionCode) gather(d x86.Operand, p portable.Place) {
	c, a := g.c, g.a
	var part [mostUnits]x86.Operand
	g.each(func() {
		if k := find(c.masks, p); k > 0 {
			part[c.unit] = x86.K(k)
			return
		}
		part[c.unit] = x86.K(6 + c.unit)
		a.Emit(x86.KMOVW, part[c.unit], c.maskAt(p))
	})
	if g.units == 1 {
		a.Emit(x86.KMOVW, d, part[0])
		return
	}
	a.Emit(x86.KUNPCKWD, x86.K(6), part[1], part[0])
	a.Emit(x86.KMOVD, d, x86.K(6))
}

// drop forgets what mask registers have of a mask.
func (g *regionCode) drop(p portable.Place) {
	g.each(func() {
		if k := find(g.c.masks, p); k > 0 {
			g.c.masks[k] = slot{}
		}
	})
}

// takeMask is a general register for a mask. What other ones held is no longer needed there.
func (g *regionCode) takeMask(p portable.Place) int {
	c := g.c
	i := find(c.gprs, p)
	if i < 0 {
		best, rank := -1, 0
		for k := range c.gprs {
			s := &c.gprs[k]
			r := -1
			if s.place.Kind != 0 {
				r = g.soonest(s)
			}
			if !s.pinned && (best < 0 || r < rank) {
				best, rank = k, r
			}
		}
		if i = best; c.gprs[i].dirty && c.needed(&c.gprs[i], c.now-1) {
			g.storeMask(i)
		}
		c.gprs[i] = slot{place: p}
	}
	c.gprs[i].used = c.now
	return i
}

// bring brings a mask or condition into a general register.
func (g *regionCode) bring(r int, p portable.Place) {
	c, a, d := g.c, g.a, x86.R32(r)
	if i := find(c.gprs, p); i >= 0 {
		c.gprs[i].used = c.now
		a.Emit(x86.MOV, d, g.mask(i))
		return
	}
	switch {
	case p.Kind == portable.InWord:
		a.Emit(x86.MOV, d, wordAt(p.At).Size(4))
		a.Emit(x86.AND, d, x86.Imm(1))
		a.Emit(x86.NEG, d)
		a.Emit(x86.AND, d, g.all())
	case g.inMasks(p):
		g.gather(d, p)
	default:
		g.loadMask(d, p)
	}
}

// masked is a mask or condition in a general register: its own, or that one.
func (g *regionCode) masked(p portable.Place, r int) int {
	if i := find(g.c.gprs, p); i >= 0 {
		g.c.gprs[i].used = g.c.now
		return g.masks[i]
	}
	g.bring(r, p)
	return r
}

// maskResult is the general register of the step's result.
func (g *regionCode) maskResult(p portable.Place) x86.Operand {
	c := g.c
	i := g.takeMask(p)
	s := &c.gprs[i]
	s.dirty, s.end = true, int(c.ends[c.now][0])
	g.drop(p)
	return g.mask(i)
}

// moveMask carries out getLanes and setLanes.
func (g *regionCode) moveMask(s *portable.Step) {
	a, to := g.a, s.Res[0]
	from := g.masked(s.Args[0], rax)
	if to.Kind != inCell || find(g.c.gprs, to) >= 0 {
		a.Emit(x86.MOV, g.maskResult(to), x86.R32(from))
		return
	}
	a.Emit(x86.MOV, g.memory(to), x86.G(16*g.units, from))
	g.drop(to)
}

// maskOp carries out an op on masks.
func (g *regionCode) maskOp(s *portable.Step) {
	a, acc := g.a, x86.R32(rax)
	g.bring(rax, s.Args[0])
	switch s.Op {
	case ir.Not:
		a.Emit(x86.XOR, acc, g.all())
	case ir.Select: // (a^b)&c ^ b
		x, y := x86.R32(g.masked(s.Args[1], r12)), x86.R32(g.masked(s.Args[2], 1))
		a.Emit(x86.MOV, x86.R32(r12), x)
		a.Emit(x86.XOR, x86.R32(r12), y)
		a.Emit(x86.AND, acc, x86.R32(r12))
		a.Emit(x86.XOR, acc, y)
	default:
		op := [...]x86.Op{x86.AND, x86.OR, x86.XOR}[s.Op-ir.And]
		a.Emit(op, acc, x86.R32(g.masked(s.Args[1], 1)))
	}
	a.Emit(x86.MOV, g.maskResult(s.Res[0]), acc)
}

// isMaskOp reports whether the step computes a mask from masks alone.
func isMaskOp(s *portable.Step) bool {
	if s.Kind != portable.Compute || s.Type != ir.I1 || len(s.Res) != 1 || s.Res[0].Kind != portable.InMask && s.Res[0].Kind != inCell {
		return false
	}
	switch s.Op {
	case ir.And, ir.Or, ir.Xor, ir.Not, ir.Select:
		return true
	}
	return false
}
