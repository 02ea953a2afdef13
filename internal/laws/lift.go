package laws

import (
	"fmt"
	"testing"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// Lifts checks that every row with semantics lifts to a block that the verifier accepts, for any operands, and that
// other rows give a reason. It returns the number of words whose lift traps, by row.
func Lifts(t testing.TB, s *isa.Set, o Options) map[string]int {
	trapped := map[string]int{}
	modes := o.Modes
	if len(modes) == 0 {
		modes = []uint32{0}
	}
	each(s, func(tg *isa.Target) {
		c := newChecker(t, tg, &Report{})
		for i := range s.Defs {
			d := &s.Defs[i]
			if !in(d, tg) || d.Alias || d.Meaning == nil {
				continue
			}
			traps, words := 0, Words(tg, d, o)
			words = append(words, plain(tg, words[0]))
			for _, w := range words {
				if d.Private && !c.sample(w) || !d.Private && c.complete(w) == nil {
					continue
				}
				for _, mode := range modes {
					if c.lift(mode) {
						traps++
						break
					}
				}
			}
			if traps > 0 {
				trapped[rowName(d)] += traps
			}
			if traps == len(words) {
				t.Errorf("%s: every word of %s traps although it has a meaning", s.Name, rowName(d))
			}
		}
	})
	return trapped
}

// plain returns a word with all modifiers at their defaults, if that is an instruction.
func plain(tg *isa.Target, w Word) Word {
	p := w
	for i := range w.Def.Args {
		a := &w.Def.Args[i]
		if a.Place == isa.Operand || len(a.At) == 0 {
			continue
		}
		if r := a.Kind.Reserved; a.Default < uint64(len(r)) && r[a.Default] {
			continue
		}
		p.Bits = a.Put(p.Bits, a.Default)
	}
	if in := p.Inst(tg); w.Def.Check != nil && w.Def.Check(&in) != "" {
		return w
	}
	return p
}

// lift lifts and verifies c.b, and reports whether the lift traps.
func (c *checker) lift(mode uint32) (traps bool) {
	blk, err := Lift(c.tg, &c.b, mode)
	if err != nil {
		c.t.Errorf("%s: %s: mode 0x%x: %v", c.tg, c.print(&c.b), mode, err)
		return false
	}
	return blk.Term().Op == ir.Trap && ir.TrapReason(blk.Term().Imm) != ir.TrapGuest
}

// Lift lifts and verifies a bundle; a panic of the lift is an error.
func Lift(tg *isa.Target, b *isa.Bundle, mode uint32) (blk *ir.Block, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	blk = tg.LiftOne(b, mode)
	return blk, ir.Verify(tg.Machine(), blk)
}
