package heddle

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/eval"
	"github.com/heddle-gpu/heddle/ir"
)

// A State is the initial state of a program of a few instructions. The zero value is registers of zeros, no memory,
// and all lanes of a wave.
type State struct {
	// Regs are registers by their names in the instruction set, as bit patterns: one value for the wave or for all
	// its lanes, or one for each of the first lanes.
	Regs map[string][]uint64
	// Set are registers in text form: v1=1.5, v2=2.25,-3,inf with one value per lane, s0=-1, v[2:3]=f64:1, exec=0xff.
	// A float has the type with which the program reads it; (1 2 3 4) are the components of a register of several. No
	// two of Regs and Set may share bits, and lists must have the same length.
	Set    []string
	Lanes  int      // number of active lanes; 0: as many as the longest list has values, or all
	Global []Region // global memory
	Group  []byte   // memory of the workgroup (local, shared), from address 0
	// InPlace says that Global and Group are not copied: the program reads and changes these bytes themselves. The
	// host address and the guest address of the first byte of each must be equal modulo mem.Align, as they are for
	// memory of mem.Alloc and guest addresses that are multiples of it.
	InPlace bool
	Steps   uint64      // limit of instructions; 0: a million
	Engine  exec.Engine // nil: the fastest for one instruction at a time, which is the reference
}

// A Region is memory at an address of the program.
type Region struct {
	Name string // for messages; "": by number
	Addr uint64
	Data []byte // copied, unless State.InPlace; see Result.Memory
	// ReadOnly makes a write by the program a fault.
	ReadOnly bool
}

// A Result is the effect of a program.
type Result struct {
	Text     []string   // the program, one entry per instruction
	Changed  []Register // whose contents have changed
	Written  []Register // that an instruction has written, changed or not, then others that have changed
	Memory   []Written
	Counters exec.Counters

	result *eval.Result
}

// A Register is a register before and after a run.
type Register struct {
	Name     string
	Bits     int      // of a value, at most 64
	Was, Now []uint64 // one per lane of the wave, or one
}

// A Written is a run of bytes that a program has changed.
type Written struct {
	Region   string
	Addr     uint64
	Was, Now []byte
}

// Eval runs a few instructions on one wave whose registers are set as in v1=1.5; see State.Set. The program is as for
// Run.
func (a *ISA) Eval(program string, regs ...string) (*Result, error) {
	return a.Run(context.Background(), program, State{Set: regs})
}

// Run runs a few instructions on one wave from a given state. The program is statements of assembly with labels,
// separated by semicolons or line ends; bytes in hexadecimal are a statement, too. It ends at the end of its text, or
// when the wave terminates. The error is Errors if the text is wrong. If the program faults, it is an *exec.Fault,
// and the result holds what had changed by then.
func (a *ISA) Run(ctx context.Context, program string, s State) (*Result, error) {
	p, set, err := a.setup(program, s)
	if err != nil {
		return nil, err
	}
	r, err := p.Run(ctx, set)
	if r == nil {
		return nil, err
	}
	return resultOf(r), err
}

// setup returns a program and its initial state.
func (a *ISA) setup(program string, s State) (p *eval.Program, set eval.Setup, err error) {
	p, errs := eval.Assemble(a.target, program)
	if len(errs) > 0 {
		return nil, set, Errors(errs)
	}
	if len(p.Code) == 0 {
		return nil, set, fmt.Errorf("eval: no instruction")
	}
	set, err = s.setup(p)
	return p, set, err
}

// setup returns the initial state of a program.
func (s *State) setup(p *eval.Program) (set eval.Setup, err error) {
	regs, err := s.assign(p)
	if err != nil {
		return set, err
	}
	set = eval.Setup{Regs: regs, Lanes: s.Lanes, Steps: s.Steps, Engine: s.Engine}
	for _, g := range s.Global {
		set.Memory = append(set.Memory, eval.Region{
			Space: ir.GlobalSpace, Name: g.Name, Addr: g.Addr, Data: g.Data, InPlace: s.InPlace, ReadOnly: g.ReadOnly,
		})
	}
	if len(s.Group) > 0 {
		set.Memory = append(set.Memory, eval.Region{Space: ir.GroupSpace, Name: "group", Data: s.Group, InPlace: s.InPlace})
	}
	return set, nil
}

// assign returns the assignments of Regs, then those of Set.
func (s *State) assign(p *eval.Program) (as []eval.Assign, err error) {
	if width := p.Machine().Widths[0]; s.Lanes < 0 || s.Lanes > width {
		return nil, fmt.Errorf("eval: %d lanes; a wave has %d", s.Lanes, width)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Regs)) {
		a, err := eval.AssignWords(p.Target, name, s.Regs[name])
		if err != nil {
			return nil, err
		}
		as = append(as, a)
	}
	for _, text := range s.Set {
		a, err := p.ParseAssign(text)
		if err != nil {
			return nil, err
		}
		as = append(as, a)
	}
	return as, nil
}

func resultOf(r *eval.Result) *Result {
	res := &Result{Text: r.Program.Text(), Counters: r.Count, result: r}
	for i := range r.Changes {
		c := &r.Changes[i]
		reg := Register{c.Reg.Name, c.Reg.Bits, c.Was, c.Values}
		if res.Written = append(res.Written, reg); c.Changed() {
			res.Changed = append(res.Changed, reg)
		}
	}
	for _, m := range r.Memory {
		res.Memory = append(res.Memory, Written(m))
	}
	return res
}

// Reg returns any register of the wave by name, changed or not.
func (r *Result) Reg(name string) (Register, error) {
	reg, err := eval.Lookup(r.result.Program.Target, name)
	if err != nil {
		return Register{}, err
	}
	if reg.Bits > 64 {
		return Register{}, tooWide(name, reg.Bits)
	}
	return Register{name, reg.Bits, reg.Values(r.result.Before), reg.Values(r.result.After)}, nil
}

func tooWide(name string, bits int) error {
	return fmt.Errorf("%s has %d bits; name parts of it, of 64 bits at most", name, bits)
}

// Notes returns remarks on possible mistakes: an integer without a point for a register that the program reads as a
// float, a modifier without effect under the mode.
func (r *Result) Notes() []string { return r.result.Notes() }

// String returns the program, and what it has written or changed, in hexadecimal and in the type with which the
// program uses it.
func (r *Result) String() string { return r.result.Render(eval.Style{}) }

// Float returns the value in a lane after the run as an IEEE number of the register's width, 32 or 64 bits. It is a
// NaN for other widths.
func (r Register) Float(lane int) float64 {
	v := r.lane(lane)
	switch r.Bits {
	case 32:
		return float64(math.Float32frombits(uint32(v)))
	case 64:
		return math.Float64frombits(v)
	}
	return math.NaN()
}

// Int returns the value in a lane after the run as a signed integer.
func (r Register) Int(lane int) int64 {
	free := 64 - r.Bits
	return int64(r.lane(lane)<<free) >> free
}

// lane returns the value in a lane; a per-wave value is that of all lanes.
func (r Register) lane(i int) uint64 {
	if len(r.Now) == 1 {
		i = 0
	}
	return r.Now[i]
}
