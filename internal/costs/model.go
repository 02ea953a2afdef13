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
	steps []Step
	units map[string]float64
}

// pending are the clocks at which operations end, by counter.
type pending map[int][]float64

// begin adds the operations of an instruction. Those of a counter end in the order in which they began.
func (p pending) begin(s *Step, now float64) {
	for _, o := range s.Begins {
		end := now + s.Latency
		if o.Reads {
			end = now + s.Held
		}
		if before := p[o.Counter]; len(before) > 0 {
			end = max(end, before[len(before)-1])
		}
		p[o.Counter] = append(p[o.Counter], end)
	}
}

// wait returns when an instruction has waited.
func (p pending) wait(s *Step, now float64) float64 {
	for _, w := range s.Waits {
		if n := len(p[w.Counter]) - w.Left; n > 0 {
			now = max(now, p[w.Counter][n-1])
			p[w.Counter] = p[w.Counter][n:]
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
	s := StepOf(m.t, m.chip, b)
	in := Inst{Addr: b.Addr(), Text: oneLine(m.t, b), Lack: s.Lack}
	for i := range b.Parts {
		if m.t.Branch == nil {
			break
		}
		if to, ok := m.t.Branch(b, i); ok {
			in.To = &to
		}
	}
	for i := range s.Costs {
		in.Units = append(in.Units, s.Costs[i].Unit)
		in.Issue = max(in.Issue, s.Times[i].Issue)
		if s.Times[i].Known {
			m.units[s.Costs[i].Unit] += s.Times[i].Issue
		}
	}
	if s.Lack != "" {
		m.block.Lacks++
	}
	if s.Late {
		latency := s.Latency
		in.Latency = &latency
	}
	m.steps = append(m.steps, s)
	m.block.Insts = append(m.block.Insts, in)
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
			for _, c := range s.Reads {
				if waits {
					now = max(now, ready[c])
				}
			}
			for k := range s.Costs {
				now = max(now, free[s.Costs[k].Unit])
			}
			if waits {
				now = begun.wait(s, now)
				begun.begin(s, now)
			}
			if round == 0 && waits {
				m.block.Insts[i].At = now
			}
			for k := range s.Costs {
				free[s.Costs[k].Unit] = now + s.Times[k].Alone
			}
			for _, c := range s.Writes {
				ready[c] = now + s.Latency
			}
			now += s.Hold
		}
		if m.block.Loop {
			now += max(0, m.chip.Value("branch.taken")-m.steps[len(m.steps)-1].Hold)
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
			for _, c := range s.Reads {
				if from, ok := last[c]; ok && chain[from].depth > l.depth {
					l = link{chain[from].depth, from}
				}
			}
			if len(s.Writes) > 0 {
				l.depth += s.Latency
			} else {
				l.depth += s.Held
			}
			for _, c := range s.Writes {
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
