package laws

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// Pure checks that the lift of an instruction in a block does not depend on the previous instructions: it is the same
// as that of the instruction alone. Each row follows several others, and is followed by several.
func Pure(t testing.TB, s *isa.Set, o Options) {
	r := rand.New(rand.NewPCG(o.Seed, 2))
	each(s, func(tg *isa.Target) {
		var rows []*isa.Def
		for i := range s.Defs {
			if d := &s.Defs[i]; in(d, tg) && !d.Alias && !d.Private && d.Meaning != nil {
				rows = append(rows, d)
			}
		}
		pairs := 0
		for step := 1; step < len(rows) && step < 1<<6; step *= 2 {
			for i := range rows {
				if pure(t, tg, rows[i], rows[(i+step)%len(rows)], r, o) {
					pairs++
				}
				if t.Failed() {
					return
				}
			}
		}
		if pairs < len(rows) {
			t.Errorf("%s: only %d pairs of %d rows", tg, pairs, len(rows))
		}
	})
}

// pure lifts a word of d after one of before. It returns false if nothing can follow.
func pure(t testing.TB, tg *isa.Target, before, d *isa.Def, r *rand.Rand, o Options) bool {
	defer func() {
		if x := recover(); x != nil {
			t.Errorf("%s: %s behind %s: panic: %v", tg, rowName(d), rowName(before), x)
		}
	}()
	var bs [2]isa.Bundle
	addr := uint64(0)
	for i, row := range []*isa.Def{before, d} {
		c := newChecker(t, tg, &Report{})
		ws := Words(tg, row, o)
		code := c.complete(ws[r.IntN(len(ws))])
		if code == nil || tg.DecodeBundle(code, addr, &bs[i]) != nil {
			return false
		}
		addr += uint64(bs[i].Size())
	}
	both, alone := tg.LiftAll(bs[:], o.mode()), tg.LiftOne(&bs[1], o.mode())
	from := -1
	for i := range both.Marks {
		if both.Marks[i].PC == bs[1].Addr() {
			from = int(both.Marks[i].Op)
			break
		}
	}
	if from < 0 {
		return false // the first ends the block
	}
	got, want := renumbered(both, from), renumbered(alone, int(alone.Marks[0].Op))
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: %s lifts to another thing behind %s:\n%s\nalone:\n%s", tg, tg.Print(nil, &bs[1]), tg.Print(nil, &bs[0]),
			ir.Print(tg.Machine(), both), ir.Print(tg.Machine(), alone))
	}
	return true
}

// A tail is the last ops of a block, with all that defines their semantics.
type tail struct {
	ops   []ir.Inst
	spans []ir.Span // of issue ops
}

// renumbered returns the ops from one on, with values numbered from their first.
func renumbered(b *ir.Block, from int) (t tail) {
	ops := append([]ir.Inst(nil), b.Ops[from:]...)
	base := ir.Val(len(b.Vals))
	for i := range ops {
		if ops[i].NRes > 0 {
			base = min(base, ops[i].Res)
		}
	}
	for i := range ops {
		if ops[i].NRes > 0 {
			ops[i].Res -= base
		} else {
			ops[i].Res = 0 // irrelevant
		}
		args := ops[i].Args
		ops[i].Args = nil
		for _, a := range args {
			ops[i].Args = append(ops[i].Args, a-base)
		}
		if ops[i].Op == ir.Issue { // the position of its spans in the block's list is irrelevant
			writes, reads := b.Touched(&ops[i])
			t.spans = append(append(t.spans, writes...), reads...)
			ops[i].Alt &= 1<<32 - 1
		}
	}
	t.ops = ops
	return t
}
