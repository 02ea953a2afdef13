package lint

import (
	"cmp"
	"hash/maphash"
	"slices"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/loc"
)

// Code is machine code, and its entry points.
type Code struct {
	Target  *isa.Target
	Base    uint64 // address of Bytes[0]
	Bytes   []byte
	Map     *loc.Map // finds the places of findings, by addresses as Base is one; nil: findings have only an address
	Entries []Entry  // if empty, waves begin at Base
	// Guess also takes unreachable instructions for entries, one after another: the entries of bare code are unknown.
	Guess bool
}

// An Entry is an address at which execution begins.
type Entry struct {
	Addr     uint64
	Name     string
	Function bool // it is called, and returns; else waves begin here
	// Begins are the cells that the launch initialises; nil: unknown, and no register counts as unset.
	Begins []ir.Span
	Limits []Limit // of a kernel
	Group  uint64  // bytes of workgroup memory that it declares
	Grows  bool    // the launch may provide more workgroup memory, or the size is unknown

	guessed bool // see Code.Guess: it is unknown whether waves begin here
}

// A Limit is the number of registers of a run that a kernel has.
type Limit struct {
	Rule  string  // the rule broken by a higher register
	First ir.Cell // of the run
	Count int     // cells of the run
	Have  int     // available cells, from the first on
	What  string  // in messages: "12 vector registers"
}

// Options of Run.
type Options struct {
	// Rules selects the rules to check; nil: all.
	Rules func(id string) bool
	// Least is the lowest severity that is reported: SeverityNote is all.
	Least isa.Severity
	// Most is how many findings of one rule are kept; 0: 1000. The others are counted.
	Most int
	// Keeps says whether the subject of a finding, a register that is pending or that nothing has written, is
	// reported again at its next use. The finding is given by its rule, its address and that of its other
	// instruction, or its own twice if there is no other. nil: no finding. Without it, one missing wait is one
	// finding on each path, whatever else reads the register.
	Keeps func(rule string, addr, other uint64) bool
}

// A Finding is a rule that the code breaks, and the instruction that breaks it.
type Finding struct {
	isa.Finding
	Instruction
	Other *Instruction // the other instruction that the rule is about, or nil
}

// An Instruction is one that a finding names.
type Instruction struct {
	Addr uint64
	Text string // "": the bytes are no instruction
	// Branch says that the text names a code address, which changes with the code around it.
	Branch bool
	Place  loc.Place // with Addr; see Code.Map
}

// A Report is the findings, by address.
type Report struct {
	Findings     []Finding
	Left         int // findings beyond Options.Most
	Instructions int // that were checked
	Reached      int // those reachable from an entry
	Kernels      int // entries at which waves begin
	Functions    int // entries that are called
	Bytes        int
}

// Add adds the findings in another part of a file.
func (r *Report) Add(o *Report) {
	r.Findings = append(r.Findings, o.Findings...)
	r.Left += o.Left
	r.Instructions += o.Instructions
	r.Reached += o.Reached
	r.Kernels += o.Kernels
	r.Functions += o.Functions
	r.Bytes += o.Bytes
}

// Count returns the number of findings of a severity.
func (r *Report) Count(s isa.Severity) (n int) {
	for i := range r.Findings {
		if r.Findings[i].Severity == s {
			n++
		}
	}
	return n
}

// Run checks code. Its time is linear in the length of the code for all code that compilers and people write; code
// that is too tangled is reported as such. It never fails: bytes that are no code give findings.
func Run(c Code, o Options) *Report {
	o.Most = o.most()
	return begin(c, &o).run()
}

func (a *analysis) run() *Report {
	a.explore()
	a.report()
	a.sweep()
	slices.SortStableFunc(a.rep.Findings, func(x, y Finding) int {
		return cmp.Or(cmp.Compare(x.Addr, y.Addr), cmp.Compare(x.Rule, y.Rule))
	})
	return a.rep
}

// begin returns an analysis of the code before any work.
func begin(c Code, o *Options) *analysis {
	if left := -c.Base; c.Base != 0 && uint64(len(c.Bytes)) >= left { // nothing leads past the last address
		c.Bytes = c.Bytes[:left-1]
	}
	if c.Entries = slices.Clone(c.Entries); len(c.Entries) == 0 {
		c.Entries = []Entry{{Addr: c.Base, Grows: true}}
	}
	a := &analysis{code: &c, opt: o, t: c.Target, m: c.Target.Machine(), flow: c.Target.Flow, rules: rulesOf(c.Target),
		rep: &Report{Bytes: len(c.Bytes)}, found: map[string]int{}, each: stepsEach, free: stepsMore}
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
	hazards []hazard     // of the variant and the selected rules
	needs   []need       // of the selected rules
	waits   [][]int      // by queue with a counter: the queues that count in it

	places   []*places
	count    int // of places
	forms    forms
	each     int // stepsEach
	free     int // stepsMore
	targets  []uint64
	at       []int32    // by unit: 1 + the step that begins there
	longest  int        // of the bundles, in bytes
	seen     isa.Traits // of all steps
	watch    isa.Traits
	watched  []int32 // the steps with traits of watch
	spans    arena[ir.Span]
	firsts   arena[recent]
	faults   map[uint64]error // reached bytes that do not decode
	blocks   []block
	parts    []bool           // by block: threads may diverge at its end
	order    []int32          // of the blocks that are reached; see findOrder
	position []int32          // by block: its index in order
	remade   int              // forms that were made again
	group    map[int32]uint64 // by step: the end of an access of workgroup memory at a known address
	entered  map[uint64]bool  // addresses of entries
	begun    uint64           // bits: queues on which operations may be outstanding when a wave begins
	some     uint64           // bits: queues that must not be waited for without need
	stack    *stacks          // of machines with a control stack, else nil

	touched isa.Touched
	bundle  isa.Bundle
	ops     []isa.Operation
	buf     []ir.Span
	buf2    []ir.Span
	begins  []recent
}

// A hazard is one of the set's with its index.
type hazard struct {
	*isa.Hazard
	rule *isa.Rule
}

// prepare looks up what depends only on the target.
func (a *analysis) prepare() {
	for i := range a.m.Files {
		a.bases = append(a.bases, a.cells)
		a.cells += a.m.Files[i].Count
	}
	a.unit = max(a.t.Unit, 1)
	a.forms = forms{kept: keptForms, byHash: make([]hashed, hashForms), seed: maphash.MakeSeed()}
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
	a.watch = isa.TraitBarrier
	for i := range a.flow.Parted {
		a.watch |= a.flow.Parted[i].Traits
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

// rule returns a rule that the variant has and that is selected, or nil.
func (a *analysis) rule(id string) *isa.Rule {
	if r := a.has(id); r != nil && a.asked(r) {
		return r
	}
	return nil
}

// has returns a rule that the variant has, or nil.
func (a *analysis) has(id string) *isa.Rule {
	if r := a.rules[id]; r != nil && r.In(a.t.Variant) {
		return r
	}
	return nil
}

// asked reports whether the options select a rule.
func (a *analysis) asked(r *isa.Rule) bool {
	return r.Severity <= a.opt.Least && (a.opt.Rules == nil || a.opt.Rules(r.ID))
}

// keeps reports whether what breaks a rule at a step remains after it: because the options leave the rule out, or
// want it reported again. other is the other step of the finding, or -1.
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
	return a.opt.Keeps(r.ID, a.look(i).addr, a.look(other).addr)
}

// index numbers the cells of the machine from 0.
func (a *analysis) index(c ir.Cell) int { return a.bases[c.File] + int(c.Index) }

// cellAt returns the cell of a number.
func (a *analysis) cellAt(i int) ir.Cell {
	f := len(a.bases) - 1
	for a.bases[f] > i {
		f--
	}
	return ir.Cell{File: uint8(f), Index: uint16(i - a.bases[f])}
}

// name returns how users of the set write a cell.
func (a *analysis) name(c ir.Cell) string {
	switch {
	case a.flow.Name != nil:
		return a.flow.Name(a.t.Variant, c)
	case a.t.CellName != nil:
		return a.t.CellName(c)
	}
	return a.m.CellName(c)
}
