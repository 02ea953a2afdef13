// Package timing models how long a launch takes on a chip, from the trace of its waves: what each wave executed, and
// the lines and passes of its accesses. The figures are those of package chips, and what instructions need is that of
// package costs. Nothing is measured.
//
// A stage of a draw is a launch of which each wave is a group. Stages, like launches, run one after another, each when
// all of the one before has ended; what is no program takes no time.
//
// Groups go to the cores of the chip in turn, and to a core as it has room. A wave issues its instructions in order:
// each when the one before it has issued, the results that it reads are there, the operations that it waits for have
// ended, and its units are free. Of the waves of a SIMD that could issue, the one that has waited longest does. Units
// of which a core has one serve its SIMDs one after another, as does its way to memory: a request takes its figure
// for each line, and group memory its time for each pass. Operations of a counter end in order. A launch ends when
// its last wave has ended, and all that waves have begun. Cores do not slow each other down, and there are no caches:
// memory has one latency.
package timing

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/heddle-gpu/heddle/internal/chips"
	"github.com/heddle-gpu/heddle/internal/costs"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/profile"
)

// Says is what the numbers are.
const Says = "modelled from figures of the chip and the trace of the run, not measured: instructions in order, one latency of memory, no caches"

// ticks are in a clock: figures are whole numbers of them, or nearly.
const ticks = 840

// toTicks returns a number of clocks in ticks.
func toTicks(clocks float64) int64 { return int64(math.Round(clocks * ticks)) }

// clocks returns ticks in clocks.
func clocks(t int64) float64 { return float64(t) / ticks }

// An op is an instruction of a block, in the numbers of its model.
type op struct {
	inst          int32 // in model.insts
	made          uint8 // unit of its result
	barrier       uint8 // 1 + its kind
	longer        bool  // its result comes after the next instruction could issue
	uses          []use
	reads, writes []uint16 // registers that some instruction writes late
	hold, latency int64
	held          int64
	begins        []costs.Operation
	waits         []costs.Wait
}

// A use is of a unit, for so many ticks.
type use struct {
	unit int
	all  bool // one serves all SIMDs
	time int64
}

// A block is the ops of a block of the trace.
type block struct {
	ops       []op
	from, end uint64 // addresses
}

// Reasons for which time passes of a wave, before those of results by unit, of counters, and of busy units.
const (
	issue = iota // it issues
	barrier
	branch
	reasons
)

// An inst is an instruction of the code.
type inst struct {
	addr uint64 // in the listing
	pc   uint64
	lack string
}

// A model is the code of a launch on a chip.
type model struct {
	chip     *chips.Chip
	target   *isa.Target
	program  program
	units    []string // by number
	counters []string
	insts    []inst
	at       map[uint64]int32 // in insts
	cells    map[ir.Cell]uint16
	late     []bool // of cells: some instruction writes them late
	made     map[*profile.Block]*block
	blocks   []*block // by the number of the trace that is modelled
	stats    []*stats // by worker
	named    *chips.Resources
	steps    map[int32]costs.Step
	taken    int64 // ticks until the target of a branch
	line     int64 // ticks of the way to memory for a line
	lines    int   // the unit of that
}

// A program is code of an instruction set.
type program interface {
	ir.Code
	BundleAt(pc uint64) (*isa.Bundle, error)
}

// newModel returns the model of code.
func newModel(code ir.Code, chip *chips.Chip) (*model, error) {
	d, _ := ir.Describe(code)
	p, ok := d.(program)
	if !ok || isa.TargetOf(p) == nil {
		return nil, errors.New("the code is of no instruction set")
	}
	m := &model{chip: chip, target: isa.TargetOf(p), program: p, at: map[uint64]int32{}, cells: map[ir.Cell]uint16{}, steps: map[int32]costs.Step{}, made: map[*profile.Block]*block{},
		taken: toTicks(chip.Value("branch.taken")), line: toTicks(chip.Value("lines.issue"))}
	if m.target.FullName() != chip.ISA {
		return nil, fmt.Errorf("%s runs %s, and the code is of %s", chip.Name, chip.ISA, m.target.FullName())
	}
	for i := range m.target.Machine().Queues {
		m.counters = append(m.counters, m.target.Machine().Queues[i].Name)
	}
	m.lines = m.unit("lines")
	return m, nil
}

// unit returns the number of a unit.
func (m *model) unit(name string) int {
	for i, u := range m.units {
		if u == name {
			return i
		}
	}
	m.units = append(m.units, name)
	return len(m.units) - 1
}

// A placed is a block at its place in the model's code.
type placed struct {
	*profile.Block
	shift uint64
}

// read reads the blocks of traces. Which registers are written late is known when all instructions are.
func (m *model) read(runs []Run) {
	var blocks []placed
	for i := range runs {
		for _, b := range runs[i].Blocks {
			if _, ok := m.made[b]; !ok {
				m.made[b] = &block{}
				blocks = append(blocks, placed{b, runs[i].Shift})
			}
		}
	}
	slices.SortStableFunc(blocks, func(a, b placed) int { return cmp.Compare(a.Insts[0].PC+a.shift, b.Insts[0].PC+b.shift) })
	for _, b := range blocks {
		for i := range b.Insts {
			m.learn(b.Insts[i].PC + b.shift)
		}
	}
	for _, b := range blocks {
		x := m.made[b.Block]
		x.from = b.Insts[0].PC
		for i := range b.Insts {
			x.ops = append(x.ops, m.op(m.at[b.Insts[i].PC+b.shift]))
			x.end = b.Insts[i].PC + uint64(b.Insts[i].Size)
		}
	}
}

// use makes the blocks those of a trace.
func (m *model) use(t *profile.Trace) {
	for _, b := range t.Blocks {
		if n := b.Number + 1 - len(m.blocks); n > 0 {
			m.blocks = append(m.blocks, make([]*block, n)...)
		}
		m.blocks[b.Number] = m.made[b]
	}
}

// learn makes the step of the instruction at an address.
func (m *model) learn(pc uint64) {
	if _, ok := m.at[pc]; ok {
		return
	}
	at := int32(len(m.insts))
	m.at[pc] = at
	x := inst{addr: ir.PlaceOf(m.program, pc).Addr, pc: pc}
	s := costs.Step{Hold: m.chip.Value("wave.issue"), Lack: "its text is not known"}
	if b, err := m.program.BundleAt(pc); err == nil {
		s = costs.StepOf(m.target, m.chip, b)
	}
	x.lack = s.Lack
	m.insts, m.steps[at] = append(m.insts, x), s
	for i := range s.Costs {
		m.unit(s.Costs[i].Unit)
	}
	for _, c := range s.Writes {
		if n := m.cell(c); s.Latency > s.Hold {
			m.late[n] = true
		}
	}
}

// takes returns what a launch takes of a core: of registers those that the code names if nothing else is known.
func (m *model) takes(t *profile.Trace) chips.Resources {
	s := &t.Sizes
	r := chips.Resources{Vector: s.Vector, Scalar: s.Scalar, Memory: s.Group, Items: s.Items}
	p, ok := m.program.(*isa.Program)
	if r.Vector != 0 || !ok {
		return r
	}
	if m.named == nil {
		var pcs []uint64
		for i := range m.insts {
			pcs = append(pcs, m.insts[i].pc)
		}
		n := chips.RegistersOf(p, pcs...)
		m.named = &n
	}
	r.Vector, r.Scalar = m.named.Vector, m.named.Scalar
	return r
}

// cell returns the number of a register.
func (m *model) cell(c ir.Cell) uint16 {
	n, ok := m.cells[c]
	if !ok {
		n = uint16(len(m.cells))
		m.cells[c], m.late = n, append(m.late, false)
	}
	return n
}

// op returns an instruction in numbers. Of registers only those count that some instruction writes late: the results
// of the others are there whenever the next instruction can issue.
func (m *model) op(at int32) op {
	s := m.steps[at]
	o := op{inst: at, barrier: uint8(s.Barrier), hold: toTicks(s.Hold), latency: toTicks(s.Latency), held: toTicks(s.Held), begins: s.Begins, waits: s.Waits}
	o.longer = o.latency > o.hold
	slowest := int64(-1)
	for i := range s.Costs {
		u := use{unit: m.unit(s.Costs[i].Unit), all: m.chip.Value(s.Costs[i].Unit+".shared") > 1, time: toTicks(s.Times[i].Alone)}
		if t := max(u.time, toTicks(s.Times[i].Latency)); t > slowest {
			slowest, o.made = t, uint8(u.unit)
		}
		if u.time > 0 {
			o.uses = append(o.uses, u)
		}
	}
	for _, c := range s.Reads {
		if n, ok := m.cells[c]; ok && m.late[n] {
			o.reads = append(o.reads, n)
		}
	}
	for _, c := range s.Writes {
		if n := m.cells[c]; m.late[n] {
			o.writes = append(o.writes, n)
		}
	}
	return o
}
