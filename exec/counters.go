package exec

import (
	"slices"

	"github.com/heddle-gpu/heddle/ir"
)

// Counters count what a run did. Unless About is set they depend on the code and its input, not on the engine. Ops
// and LaneOps are of the IR, for tests of engines: they change with the way in which meanings are written.
type Counters struct {
	Instructions uint64 // guest instructions (marks), counted once per wave
	Ops          uint64 // IR ops, counted once per wave; without constants, casts and markers
	LaneOps      uint64 // IR ops that run per lane, times the live lanes
	// Memory is the traffic of each space but the flat one: a flat address counts in the space of its window. Fetches
	// of attributes count as global memory; texels of textures and images are not counted.
	Memory   [ir.FlatSpace]Traffic
	Barriers uint64 // counted once per wave
	Dropped  uint64 // lane accesses that memory refused and the policy tolerated
	About    bool   // the numbers are not exact, because Budget.Counted was not set; Barriers is always exact
}

// Add adds o to c.
func (c *Counters) Add(o *Counters) {
	c.Instructions += o.Instructions
	c.Ops += o.Ops
	c.LaneOps += o.LaneOps
	for i := range c.Memory {
		c.Memory[i].Add(&o.Memory[i])
	}
	c.Barriers += o.Barriers
	c.Dropped += o.Dropped
	c.About = c.About || o.About
}

// Traffic is what lanes have read from memory and written to it. A load for the wave as a whole counts once, an access
// of lanes for each active lane, even if several access the same bytes. An atomic reads and writes.
type Traffic struct {
	Read, Written uint64 // bytes
	Atomics       uint64 // of lanes
}

// Add adds o to t.
func (t *Traffic) Add(o *Traffic) {
	t.Read += o.Read
	t.Written += o.Written
	t.Atomics += o.Atomics
}

// Total returns the traffic of all spaces.
func (c *Counters) Total() (sum Traffic) {
	for i := range c.Memory {
		sum.Add(&c.Memory[i])
	}
	return sum
}

// A Cost is what marks add to Counters.Ops, and to Counters.LaneOps for each live lane.
type Cost struct{ Ops, LaneOps uint32 }

// Costs returns the cost of the marks before mark i, for i from 0 to the number of marks. Probes cost nothing, nor
// do ops whose results only probes use, nor a shadow: counters are the same with and without observers.
func Costs(b *ir.Block) []Cost {
	for b.Plain != nil {
		b = b.Plain
	}
	watch := probeOnly(b)
	sums := make([]Cost, max(len(b.Marks), 1)+1)
	var sum Cost
	mark := 0
	for i := range b.Ops {
		for mark+1 < len(b.Marks) && int(b.Marks[mark+1].Op) <= i {
			mark++
			sums[mark] = sum
		}
		in := &b.Ops[i]
		class := in.Op.Info().Class
		if class == ir.Marker || in.Op == ir.Const || in.Op == ir.Cast || watch != nil && watch[i] {
			continue
		}
		sum.Ops++
		if !in.Wave && class != ir.Ctl {
			sum.LaneOps++
		}
	}
	for mark++; mark < len(sums); mark++ {
		sums[mark] = sum
	}
	return sums
}

// probeOnly returns which ops of a block have results that only probes use; nil if there are none.
func probeOnly(b *ir.Block) (ops []bool) {
	if !slices.ContainsFunc(b.Ops, func(in ir.Inst) bool { return in.Op.Told() }) {
		return nil
	}
	ops = make([]bool, len(b.Ops))
	used, probed := make([]bool, len(b.Vals)), make([]bool, len(b.Vals))
	for i := len(b.Ops) - 1; i >= 0; i-- {
		in := &b.Ops[i]
		result := func(of []bool) bool { return slices.Contains(of[in.Res:int(in.Res)+int(in.NRes)], true) }
		class := in.Op.Info().Class
		ops[i] = in.Op.Told() || in.NRes > 0 && class != ir.Memory && class != ir.Resource && result(probed) && !result(used)
		for _, v := range in.Args {
			if ops[i] {
				probed[v] = true
			} else {
				used[v] = true
			}
		}
	}
	return ops
}
