package vectors

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/platforms"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/mem"
)

// A setting is a target with cached data: how its waves start, and the names of its registers.
type setting struct {
	*isa.Target
	platform *launch.Platform
	machine  *ir.Machine
	names    *names
}

func newSetting(t *isa.Target) (*setting, error) {
	f := platforms.Lookup(t.Name)
	if f == nil {
		return nil, fmt.Errorf("%s: nothing of it can be run", t.Name)
	}
	return &setting{t, f, t.Machine(), newNames(t)}, nil
}

// begin makes the initial state of a test without its own registers: lanes at the instruction, and zeros except for
// what all programs of the set expect.
func (s *setting) begin(st *exec.State, pc, lanes uint64) {
	st.Reset()
	st.Start(pc, lanes)
	s.platform.Cases.Init(0, st)
	st.Goto(pc)
}

// env makes an environment with the memory and the ports, and what programs find without any launch.
func (s *setting) env(m memory, io *ports, lanes int) (*exec.Env, error) {
	env := &exec.Env{Where: exec.Where{Kernel: "vector"}}
	if err := m.put(env, lanes); err != nil {
		return nil, err
	}
	spaces := env.Spaces
	if s.platform.Cases.Prepare != nil {
		if err := s.platform.Cases.Prepare(env, &casefile.State{}); err != nil {
			return nil, err
		}
	}
	env.Spaces = spaces // only what the test lists
	env.Inputs, env.Outputs = io, io
	return env, nil
}

// step runs only the instruction at which the wave is. A fault is the error.
func step(run exec.Runner, p *exec.Program, st *exec.State, env *exec.Env) error {
	b, err := p.Block(st.At.Key)
	if err != nil {
		return err
	}
	if stop := run.Run(st, env, exec.Budget{Steps: uint64(len(b.Marks)), Exact: true, Counted: true}); stop.Reason == exec.StopFault {
		return stop.Fault
	}
	return nil
}

// maxReaches limits how often a test is run to find the memory that it accesses: once for each access whose address
// depends on an earlier access.
const maxReaches = 24

// maxTouched limits the bytes of memory that a test accesses.
const maxTouched = 1 << 13

// reach finds the memory that the instruction accesses: it runs without memory, and gets what it faults on until there
// is no fault. ready makes a wave that can start, anew for each run.
func (s *setting) reach(p *exec.Program, r exec.Runner, st *exec.State, io *ports, ready func(), fill func(place, uint64) byte) (memory, error) {
	var m memory
	for range maxReaches {
		ready()
		env, err := s.env(m, io, st.Lanes)
		if err != nil {
			return nil, err
		}
		env.Policy = exec.RecordFaults
		if err := step(r, p, st, env); err != nil {
			return nil, err
		}
		if len(env.Faults.List) == 0 {
			return m, nil
		}
		for _, f := range env.Faults.List {
			if m, err = extend(m, f.Fault, fill); err != nil {
				return nil, err
			}
		}
		if m.size() > maxTouched {
			return nil, refusal("more memory than a test may touch")
		}
	}
	return nil, refusal("its accesses lead on and on")
}

// extend adds the memory of a faulting access.
func extend(m memory, f *exec.Fault, fill func(place, uint64) byte) (memory, error) {
	if f.Kind != exec.FaultMemory || f.Mem.Kind != mem.OutOfRange {
		return nil, f
	}
	p, err := placeOf(f.Mem.Space)
	if err != nil {
		return nil, err
	}
	add := func(lane int, addr uint64) error {
		if addr>>48 != 0 || (addr+f.Mem.Size)>>48 != 0 {
			return refusal("an address of more than 48 bits")
		}
		at := p
		if p.space == ir.PrivateSpace {
			at.lane = max(lane, 0)
		}
		m = m.add(at, addr, int(f.Mem.Size), fill)
		return nil
	}
	if f.Addrs == nil {
		return m, add(f.Lane, f.Addr)
	}
	for lane, addr := range f.Addrs {
		if f.Lanes>>lane&1 != 0 {
			if err := add(lane, addr); err != nil {
				return nil, err
			}
		}
	}
	return m, nil
}

// placeOf parses the name of a space in a fault: global, const:3.
func placeOf(name string) (p place, err error) {
	head, bank, _ := strings.Cut(name, ":")
	for id := range ir.SpaceID(ir.NumSpaces) {
		if id.String() == head {
			p.space = id
		}
	}
	if bank != "" {
		n, err := strconv.ParseUint(bank, 10, 8)
		if err != nil {
			return p, err
		}
		if p.bank = uint8(n); n >= maxBanks {
			return p, refusal("bank " + bank + " of the " + head + " space")
		}
	}
	if p.space == ir.NoSpace {
		return p, errors.New("no space " + name)
	}
	return p, nil
}

func hex(v uint64) string { return "0x" + strconv.FormatUint(v, 16) }
