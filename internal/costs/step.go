package costs

import (
	"cmp"
	"slices"

	"github.com/heddle-gpu/heddle/internal/chips"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// A Step is what models know of an instruction.
type Step struct {
	Reads, Writes []ir.Cell
	Costs         []isa.Cost
	Times         []chips.Time // of Costs
	Hold, Latency float64      // clocks until the next instruction of the wave, and until the result
	Held          float64      // clocks of the slowest unit
	Late          bool         // there is a latency
	Begins        []Operation
	Waits         []Wait
	Barrier       int    // 1 + the kind of barrier, such as ir.BarrierSync; 0: it is none
	Lack          string // what no source says of it
}

// An Operation is what an instruction begins: its counter, and whether it only reads registers, and ends once they are
// read.
type Operation struct {
	Counter int
	Reads   bool
}

// A Wait is for operations of a counter, until so many are left.
type Wait struct{ Counter, Left int }

// StepOf returns the step of an instruction on a chip.
func StepOf(t *isa.Target, chip *chips.Chip, b *isa.Bundle) Step {
	s := Step{Costs: t.Costs(t, b), Hold: chip.Value("wave.issue")}
	s.touches(t, b)
	s.queues(t, b)
	for i := range s.Costs {
		c := &s.Costs[i]
		x := chip.Time(c)
		s.Times = append(s.Times, x)
		s.Held = max(s.Held, x.Alone)
		s.Latency, s.Late = max(s.Latency, x.Latency), s.Late || x.Late
		if !x.Known && !chip.Idle(c.Unit) && s.Lack == "" {
			s.Lack = cmp.Or(c.Lack, "no source has a figure of "+c.Unit)
		}
	}
	s.Hold, s.Latency = max(s.Hold, s.Held), max(s.Latency, s.Held)
	return s
}

// touches notes the cells that an instruction reads and writes, by its rows.
func (s *Step) touches(t *isa.Target, b *isa.Bundle) {
	add := func(list *[]ir.Cell, c ir.Cell, n int) {
		for i := range n {
			if x := (ir.Cell{File: c.File, Index: c.Index + uint16(i)}); !slices.Contains(*list, x) {
				*list = append(*list, x)
			}
		}
	}
	r, w := t.OperandsOf(b)
	for _, x := range r {
		add(&s.Reads, x.Cell, int(x.Count))
	}
	for _, x := range w {
		add(&s.Writes, x.Cell, int(x.Count))
	}
	for i := range b.Parts {
		for _, x := range b.Parts[i].Def.Implicit {
			if x.Role == isa.Use || x.Role == isa.UseDef {
				add(&s.Reads, x.Cell, x.N)
			}
			if x.Role == isa.Define || x.Role == isa.UseDef {
				add(&s.Writes, x.Cell, x.N)
			}
		}
	}
}

// queues notes the operations that an instruction begins or waits for, as its lift says.
func (s *Step) queues(t *isa.Target, b *isa.Bundle) {
	if slices.ContainsFunc(b.Parts, func(in isa.Inst) bool { return in.Def.Meaning == nil && in.Def.Lack != isa.LackNone }) {
		return
	}
	counter := func(queue uint64) int {
		if c := t.Machine().Queues[queue].Counter; c > 0 {
			return c - 1
		}
		return int(queue)
	}
	blk := t.LiftOne(b, 0)
	for i := range blk.Ops {
		switch op := &blk.Ops[i]; op.Op {
		case ir.Issue:
			writes, reads := blk.Touched(op)
			s.Begins = append(s.Begins, Operation{counter(op.Imm), len(writes) == 0 && len(reads) > 0})
		case ir.Wait:
			s.Waits = append(s.Waits, Wait{counter(op.Imm), int(op.Alt)})
		case ir.Barrier:
			_, kind := ir.BarrierAt(op.Alt)
			s.Barrier = 1 + kind
		}
	}
}
