// Package costs models how long code takes on a chip, from its text alone: for each basic block the clocks of each
// unit, those that a wave waits for results, and which of them bounds it. The figures are those of package chips; what
// code reads and writes are the operands and implicit registers of its rows. Nothing is measured.
//
// A wave issues its instructions in order. One issues when the units that it needs, the instruction before it and the
// results that it reads allow, and a result is there its latency later; that is the time of a wave alone. It waits as
// its lifts say for operations that it has begun, which end in order. Memory does not depend on memory. Of waves that
// share a SIMD each unit serves one after another, and they hide each other's latency: N of them take as long as the
// unit with most work, or as a wave alone takes divided by N. A block that branches to itself is modelled in the long
// run.
package costs

import (
	"cmp"
	"slices"

	"github.com/heddle-gpu/heddle/internal/chips"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// An Inst is the model of an instruction.
type Inst struct {
	Addr  uint64   `json:"address"`
	Text  string   `json:"text"`
	To    *uint64  `json:"target,omitempty"` // of a branch
	Units []string `json:"units"`
	// Issue is the clocks of its unit, of the share that a SIMD has; of several units those of the slowest.
	Issue float64 `json:"issue"`
	// At is the clock at which a wave alone issues it, from the begin of the block, in its first round.
	At float64 `json:"at"`
	// Latency is the clocks until another instruction can use its result; absent: no source has it.
	Latency  *float64 `json:"latency,omitempty"`
	Critical bool     `json:"critical"`       // it is in the longest chain of results
	Lack     string   `json:"lack,omitempty"` // what no source says of it
}

// A Unit is the work of a unit in a block, or of what limits it.
type Unit struct {
	Name   string  `json:"unit"`
	Clocks float64 `json:"clocks"` // of a SIMD for each wave
}

// What bounds a block besides units.
const (
	ByIssue   = "issue"   // the instructions of so few waves
	ByLatency = "latency" // results that so few waves wait for
)

// A Block is the model of a basic block.
type Block struct {
	Addr uint64 `json:"address"`
	Name string `json:"name,omitempty"`
	Loop bool   `json:"loop"` // it branches to itself: clocks are those of a round
	// Of are the blocks of a loop of several, as if a round went through each once, in the order of addresses.
	Of    []uint64 `json:"blocks,omitempty"`
	Insts []Inst   `json:"instructions"`
	// Units are those that the block uses, with most clocks first.
	Units []Unit `json:"units"`
	// Path is the longest chain of results through registers; Alone the clocks of a wave that has the SIMD for itself;
	// absent if no source has latencies.
	Path  *float64 `json:"critical_path,omitempty"`
	Alone *float64 `json:"wave_alone,omitempty"`
	// Clocks are those of a SIMD for each wave, if so many share it. Bound is what they are spent on: a unit, ByIssue or
	// ByLatency.
	Clocks float64 `json:"clocks"`
	Bound  string  `json:"bottleneck"`
	Lacks  int     `json:"instructions_without_figure"`
}

// rounds is the number of rounds of a loop that are modelled; the last one counts.
const rounds = 12

// A model is the state of a block.
type model struct {
	t     *isa.Target
	chip  *chips.Chip
	block *Block
	steps []step
	units map[string]float64
}

// A step is what the model knows of an instruction.
type step struct {
	reads, writes []ir.Cell
	costs         []isa.Cost
	times         []chips.Time
	hold, latency float64 // clocks until the next instruction, and until the result
	held          float64 // clocks of each unit alone
	issues        []operation
	waits         []wait
}

// An operation is what an instruction begins: its counter, and whether it only reads registers, and ends once they are
// read.
type operation struct {
	counter int
	reads   bool
}

// A wait is for operations of a counter, until so many are left.
type wait struct{ counter, left int }

// queues notes the operations that an instruction begins or waits for, as its lift says.
func (s *step) queues(t *isa.Target, b *isa.Bundle) {
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
			s.issues = append(s.issues, operation{counter(op.Imm), len(writes) == 0 && len(reads) > 0})
		case ir.Wait:
			s.waits = append(s.waits, wait{counter(op.Imm), int(op.Alt)})
		}
	}
}

// pending are the clocks at which operations end, by counter.
type pending map[int][]float64

// begin adds the operations of an instruction. Those of a counter end in the order in which they began.
func (p pending) begin(s *step, now float64) {
	for _, o := range s.issues {
		end := now + s.latency
		if o.reads {
			end = now + s.held
		}
		if before := p[o.counter]; len(before) > 0 {
			end = max(end, before[len(before)-1])
		}
		p[o.counter] = append(p[o.counter], end)
	}
}

// wait returns when an instruction has waited.
func (p pending) wait(s *step, now float64) float64 {
	for _, w := range s.waits {
		if n := len(p[w.counter]) - w.left; n > 0 {
			now = max(now, p[w.counter][n-1])
			p[w.counter] = p[w.counter][n:]
		}
	}
	return now
}

// Of models a block: its instructions in order, and whether it branches to itself.
func Of(t *isa.Target, chip *chips.Chip, waves int, bundles []isa.Bundle, loop bool) Block {
	b := Block{Addr: bundles[0].Addr(), Loop: loop}
	m := &model{t: t, chip: chip, block: &b, units: map[string]float64{}}
	for i := range bundles {
		m.add(&bundles[i])
	}
	for name, clocks := range m.units {
		b.Units = append(b.Units, Unit{name, clocks})
	}
	slices.SortFunc(b.Units, func(x, y Unit) int { return cmp.Or(cmp.Compare(y.Clocks, x.Clocks), cmp.Compare(x.Name, y.Name)) })
	if len(b.Units) > 0 {
		b.Clocks, b.Bound = b.Units[0].Clocks, b.Units[0].Name
	}
	if !chip.Timed() {
		return b
	}
	path, alone, busy := m.path(), m.run(true), m.run(false)
	b.Path, b.Alone = &path, &alone
	if each := alone / float64(waves); each > b.Clocks {
		b.Clocks, b.Bound = each, ByLatency
		if alone <= busy {
			b.Bound = ByIssue
		}
	}
	return b
}

// add adds an instruction.
func (m *model) add(b *isa.Bundle) {
	late := false
	s := step{costs: m.t.Costs(m.t, b), hold: m.chip.Value("wave.issue")}
	s.reads, s.writes = m.touches(b)
	s.queues(m.t, b)
	in := Inst{Addr: b.Addr(), Text: oneLine(m.t, b)}
	for i := range b.Parts {
		if m.t.Branch == nil {
			break
		}
		if to, ok := m.t.Branch(b, i); ok {
			in.To = &to
		}
	}
	for i := range s.costs {
		c := &s.costs[i]
		x := m.chip.Time(c)
		in.Units = append(in.Units, c.Unit)
		in.Issue = max(in.Issue, x.Issue)
		s.times = append(s.times, x)
		s.held = max(s.held, x.Alone)
		if s.latency = max(s.latency, x.Latency); x.Late {
			late = true
		}
		switch {
		case x.Known:
			m.units[c.Unit] += x.Issue
		case m.chip.Idle(c.Unit):
		case in.Lack == "":
			in.Lack = cmp.Or(c.Lack, "no source has a figure of "+c.Unit)
			m.block.Lacks++
		}
	}
	s.hold, s.latency = max(s.hold, s.held), max(s.latency, s.held)
	if late {
		latency := s.latency
		in.Latency = &latency
	}
	m.steps = append(m.steps, s)
	m.block.Insts = append(m.block.Insts, in)
}

// touches returns the cells that an instruction reads and writes, by its rows.
func (m *model) touches(b *isa.Bundle) (reads, writes []ir.Cell) {
	add := func(list *[]ir.Cell, c ir.Cell, n int) {
		for i := range n {
			if x := (ir.Cell{File: c.File, Index: c.Index + uint16(i)}); !slices.Contains(*list, x) {
				*list = append(*list, x)
			}
		}
	}
	r, w := m.t.OperandsOf(b)
	for _, s := range r {
		add(&reads, s.Cell, int(s.Count))
	}
	for _, s := range w {
		add(&writes, s.Cell, int(s.Count))
	}
	for i := range b.Parts {
		for _, x := range b.Parts[i].Def.Implicit {
			if x.Role == isa.Use || x.Role == isa.UseDef {
				add(&reads, x.Cell, x.N)
			}
			if x.Role == isa.Define || x.Role == isa.UseDef {
				add(&writes, x.Cell, x.N)
			}
		}
	}
	return reads, writes
}

// run returns the clocks of a wave alone, with or without waits for results, and notes in which it issues each
// instruction.
func (m *model) run(waits bool) float64 {
	now, before := 0.0, 0.0
	ready, free, begun := map[ir.Cell]float64{}, map[string]float64{}, pending{}
	for round := range m.rounds() {
		before = now
		for i := range m.steps {
			s := &m.steps[i]
			for _, c := range s.reads {
				if waits {
					now = max(now, ready[c])
				}
			}
			for k := range s.costs {
				now = max(now, free[s.costs[k].Unit])
			}
			if waits {
				now = begun.wait(s, now)
				begun.begin(s, now)
			}
			if round == 0 && waits {
				m.block.Insts[i].At = now
			}
			for k := range s.costs {
				free[s.costs[k].Unit] = now + s.times[k].Alone
			}
			for _, c := range s.writes {
				ready[c] = now + s.latency
			}
			now += s.hold
		}
		if m.block.Loop {
			now += max(0, m.chip.Value("branch.taken")-m.steps[len(m.steps)-1].hold)
		}
	}
	if m.block.Loop {
		return now - before
	}
	for _, at := range ready {
		if waits {
			now = max(now, at)
		}
	}
	return now
}

// rounds returns how many rounds of the block are modelled.
func (m *model) rounds() int {
	if m.block.Loop {
		return rounds
	}
	return 1
}

// A link is an instruction in a chain of results: its clocks up to here, and the number of the one before it; -1: none.
type link struct {
	depth  float64
	before int
}

// path returns the clocks of the longest chain of results, of a loop those that a round adds to it, and marks its
// instructions.
func (m *model) path() float64 {
	n := len(m.steps)
	chain, last := []link{}, map[ir.Cell]int{}
	deepest, ends := -1, [2]float64{} // the depth after the last rounds but one, and after all
	for range m.rounds() {
		for i := range m.steps {
			s := &m.steps[i]
			l := link{0, -1}
			for _, c := range s.reads {
				if from, ok := last[c]; ok && chain[from].depth > l.depth {
					l = link{chain[from].depth, from}
				}
			}
			if len(s.writes) > 0 {
				l.depth += s.latency
			} else {
				l.depth += s.held
			}
			for _, c := range s.writes {
				last[c] = len(chain)
			}
			if deepest < 0 || l.depth > chain[deepest].depth {
				deepest = len(chain)
			}
			chain = append(chain, l)
		}
		ends[0], ends[1] = ends[1], chain[deepest].depth
	}
	for at := deepest; at >= 0 && chain[deepest].depth > 0; at = chain[at].before {
		if m.block.Loop && at < n*(rounds/2) {
			break
		}
		m.block.Insts[at%n].Critical = true
	}
	if m.block.Loop {
		return ends[1] - ends[0]
	}
	return ends[1]
}
