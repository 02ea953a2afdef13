package lint

import (
	"cmp"
	"slices"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/loc"
)

// Code is machine code, and where waves and callers enter it.
type Code struct {
	Target  *isa.Target
	Base    uint64 // address of Bytes[0]
	Bytes   []byte
	Map     *loc.Map // finds the places of findings, by address as Base is one; nil: they have an address alone
	Entries []Entry  // without one: waves begin at Base
	// Guess takes instructions that no entry leads to for entries, too, one after another: of bare code it is not known where it is
	// entered.
	Guess bool
}

// An Entry is an address at which execution begins.
type Entry struct {
	Addr     uint64
	Name     string
	Function bool // called, and returns; else waves begin here
	// Begins are the cells that the launch gives a value; nil: it is not known which, and no register counts as unset.
	Begins []ir.Span
	Limits []Limit // of a kernel
	Group  uint64  // bytes of group memory that it declares
	Grows  bool    // who launches it may give it more group memory, or it is not known how much it has

	guessed bool // see Code.Guess: whether waves begin here is not known
}

// A Limit is how many registers of a run a kernel has.
type Limit struct {
	Rule  string  // what it breaks that touches more
	First ir.Cell // of the run
	Count int     // cells of the run
	Have  int     // those of them that there are, from the first on
	What  string  // in messages: "12 vector registers"
}

// Options of Run.
type Options struct {
	// Rules that are looked for; nil: all.
	Rules func(id string) bool
	// Least is the least severity that is reported: SeverityNote is all.
	Least isa.Severity
	// Most findings of one rule that are kept; 0: 1000. The others are counted.
	Most int
	// Keeps says whether what a finding is about is reported again where it is met again: a register that is pending, or that nothing has
	// written. The finding is given by its rule, its address and that of its other instruction, or its own twice if there is no other. nil:
	// no finding. Without it, one missing wait is one finding on each path, whatever else reads the register.
	Keeps func(rule string, addr, other uint64) bool
}

// A Finding is a rule that the code breaks, and the instruction that does.
type Finding struct {
	isa.Finding
	Instruction
	Other *Instruction // the other instruction that the rule is about, or nil
}

// An Instruction is one that a finding names.
type Instruction struct {
	Addr uint64
	Text string // "": the bytes are none
	// Branch says that the text names a place of the code, which changes when code before or after it does.
	Branch bool
	Place  loc.Place // with Addr; see Code.Map
}

// A Report is what was found, by address.
type Report struct {
	Findings     []Finding
	Left         int // findings beyond Options.Most
	Instructions int // that were looked at
	Reached      int // of these, those that an entry leads to
	Kernels      int // entries at which waves begin
	Functions    int // entries that are called
	Bytes        int
}

// Add takes over what was found in another part of a file.
func (r *Report) Add(o *Report) {
	r.Findings = append(r.Findings, o.Findings...)
	r.Left += o.Left
	r.Instructions += o.Instructions
	r.Reached += o.Reached
	r.Kernels += o.Kernels
	r.Functions += o.Functions
	r.Bytes += o.Bytes
}

// Count is the number of findings of a severity.
func (r *Report) Count(s isa.Severity) (n int) {
	for i := range r.Findings {
		if r.Findings[i].Severity == s {
			n++
		}
	}
	return n
}

// Run looks at code. Its time is linear in the length of the code for all code that compilers and people write; what is too
// tangled is reported as such. It never fails: code that is no code has findings.
func Run(c Code, o Options) *Report {
	o.Most = o.most()
	a := begin(c, &o)
	a.explore()
	a.solve()
	a.report()
	a.sweep()
	slices.SortStableFunc(a.rep.Findings, func(x, y Finding) int {
		return cmp.Or(cmp.Compare(x.Addr, y.Addr), cmp.Compare(x.Rule, y.Rule))
	})
	return a.rep
}

// begin is an analysis that has not looked at anything yet.
func begin(c Code, o *Options) *analysis {
	if left := -c.Base; c.Base != 0 && uint64(len(c.Bytes)) >= left { // what lies beyond the last address nothing leads to
		c.Bytes = c.Bytes[:left-1]
	}
	if c.Entries = slices.Clone(c.Entries); len(c.Entries) == 0 {
		c.Entries = []Entry{{Addr: c.Base, Grows: true}}
	}
	a := &analysis{code: &c, opt: o, t: c.Target, m: c.Target.Machine(), flow: c.Target.Flow, rules: rulesOf(c.Target),
		rep: &Report{Bytes: len(c.Bytes)}, found: map[string]int{}}
	if a.flow == nil {
		a.flow = &isa.Flow{}
	}
	a.prepare()
	return a
}

// An analysis is one run over one piece of code.
type analysis struct {
	code  *Code
	opt   *Options
	t     *isa.Target
	m     *ir.Machine
	flow  *isa.Flow
	rules map[string]*isa.Rule
	rep   *Report
	found map[string]int // findings by rule

	unit    int
	bases   []int        // of the machine's files, in cells counted from 0
	cells   int          // of the machine
	traits  []isa.Traits // by Def.ID
	hazards []hazard     // of the variant and the rules asked for
	needs   []need       // of the rules asked for
	waits   [][]int      // by queue that has a counter: the queues that count there

	steps   []step
	at      []int32 // by unit: the step that begins there + 1
	spans   []ir.Span
	marks   []mark
	faults  map[uint64]error // what reached bytes are that decode to nothing
	blocks  []block
	in      []state          // by block
	group   map[int32]uint64 // by step: where an access of group memory at a known address ends
	tangle  bool             // no fixed point was found in time
	entered map[uint64]bool  // addresses of entries
	begun   uint64           // bits: queues on which something may be pending when a wave begins
	some    uint64           // bits: queues that must not be waited for without need
	stack   *stacks          // of machines that have a control stack, else nil

	touched isa.Touched
	bundle  isa.Bundle
	ops     []isa.Operation
}

// A hazard is one of the set's with its index.
type hazard struct {
	*isa.Hazard
	rule *isa.Rule
}

// prepare looks up what depends on the target alone.
func (a *analysis) prepare() {
	for i := range a.m.Files {
		a.bases = append(a.bases, a.cells)
		a.cells += a.m.Files[i].Count
	}
	a.unit = max(a.t.Unit, 1)
	a.at = make([]int32, (len(a.code.Bytes)+a.unit-1)/a.unit)
	a.faults, a.entered = map[uint64]error{}, map[uint64]bool{}
	for i := range a.code.Entries {
		a.entered[a.code.Entries[i].Addr] = true
	}
	a.traits = make([]isa.Traits, len(a.t.Defs))
	for i := range a.t.Defs {
		if a.flow.Traits != nil {
			a.traits[i] = a.flow.Traits(&a.t.Defs[i])
		} else {
			a.traits[i] = isa.TraitControl
		}
	}
	for i := range a.flow.Hazards {
		h := &a.flow.Hazards[i]
		r := a.rule(h.Rule)
		if r != nil && (h.Variants == 0 || h.Variants>>a.t.Variant&1 != 0) {
			a.hazards = append(a.hazards, hazard{h, r})
		}
	}
	for i := range a.flow.Needs {
		n := &a.flow.Needs[i]
		if r := a.rule(n.Rule); r != nil && (n.Except == nil || !n.Except(a.t)) {
			a.needs = append(a.needs, need{n, r})
			a.begun |= n.Begun
			if n.Some {
				a.some |= n.Queues
			}
		}
	}
	a.waits = make([][]int, len(a.m.Queues))
	for q := range a.m.Queues {
		n := q
		if c := a.m.Queues[q].Counter; c != 0 {
			n = c - 1
		}
		a.waits[n] = append(a.waits[n], q)
	}
}

// rule is a rule that the variant has and that is asked for, or nil.
func (a *analysis) rule(id string) *isa.Rule {
	if r := a.has(id); r != nil && a.asked(r) {
		return r
	}
	return nil
}

// has is a rule that the variant has, or nil.
func (a *analysis) has(id string) *isa.Rule {
	if r := a.rules[id]; r != nil && r.In(a.t.Variant) {
		return r
	}
	return nil
}

// asked is whether the options ask for a rule.
func (a *analysis) asked(r *isa.Rule) bool {
	return r.Severity <= a.opt.Least && (a.opt.Rules == nil || a.opt.Rules(r.ID))
}

// keeps is whether what breaks a rule at a step holds after it: it is not reported, as the options leave the rule out, or is to be reported
// again. other is the other step of the finding, or -1.
func (a *analysis) keeps(r *isa.Rule, i, other int32) bool {
	switch {
	case r == nil: // the set has no such rule
		return false
	case a.opt.Rules != nil && !a.opt.Rules(r.ID):
		return true
	case a.opt.Keeps == nil:
		return false
	}
	if other < 0 {
		other = i
	}
	return a.opt.Keeps(r.ID, a.steps[i].in.Addr, a.steps[other].in.Addr)
}

// index numbers the cells of the machine from 0.
func (a *analysis) index(c ir.Cell) int { return a.bases[c.File] + int(c.Index) }

// cellAt is the cell of a number.
func (a *analysis) cellAt(i int) ir.Cell {
	f := len(a.bases) - 1
	for a.bases[f] > i {
		f--
	}
	return ir.Cell{File: uint8(f), Index: uint16(i - a.bases[f])}
}

// name is how users of the set write a cell.
func (a *analysis) name(c ir.Cell) string {
	switch {
	case a.flow.Name != nil:
		return a.flow.Name(a.t.Variant, c)
	case a.t.CellName != nil:
		return a.t.CellName(c)
	}
	return a.m.CellName(c)
}
