package check

import (
	"errors"
	"fmt"
	"slices"

	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/launch"
)

// A frameProgram is a program of a frame that is prepared for many runs.
type frameProgram struct {
	platform *launch.Platform
	target   *isa.Target
	state    *casefile.StateCase
	code     ir.Code
	program  *exec.Program // that runs
	k        *launch.Case
	watched  *frameWatch // nil: nothing looks at the runs
	found    *Watched    // nil: no check of the sanitizer does
	counts   *counting   // nil: nothing counts them
	ended    error       // the fault of a run; nil: there is none
	outputs  []string    // registers that a run may write, without component
	inexact  bool
	regs     map[string]launch.Register
	values   int    // number of outputs compared
	worst    uint64 // largest difference among them, in ULPs
}

// prepare makes a case of the program that every run starts from.
func (t *frame) prepare(platform *launch.Platform, target *isa.Target, i int, r *Result) (*frameProgram, error) {
	f := &t.Programs[i]
	lanes := 1
	if f.Stage == "fragment" {
		lanes = 4
	}
	s := &casefile.StateCase{Name: t.Name, ISA: t.ISA, Variant: t.variant, Stage: f.Stage, Code: f.Code, Asm: f.Asm,
		Launch: casefile.CaseLaunch{Lanes: lanes}, Initial: &casefile.State{Uniform: f.Uniform}}
	p := &frameProgram{platform: platform, target: target, state: s, regs: map[string]launch.Register{}}
	if what := listing(target, s); len(s.Asm) > 0 && what != "" {
		return nil, errors.New(what)
	}
	var err error
	if p.code, err = program(platform, target, s); err != nil {
		return nil, err
	}
	if p.k, err = platform.Case(p.code, target.Variant, s); err != nil {
		return nil, err
	}
	if len(p.k.Waves) != 1 {
		return nil, fmt.Errorf("%s: %d lanes make %d waves, want one", t.ISA, lanes, len(p.k.Waves))
	}
	p.program = exec.NewProgram(p.code)
	if err := p.findOutputs(t, i); err != nil {
		return nil, err
	}
	if p.found = Watch(t.Sanitize&InDraws, nil); p.found != nil {
		err = p.watch(t, i, p.found)
	} else if p.counts = t.counting(r); p.counts != nil {
		err = p.watch(t, i, p.counts)
	}
	if err != nil {
		return nil, err
	}
	p.inexact, err = p.uses(platform.Captures.Inexact)
	return p, err
}

// maxOutputs limits the search for registers of a kind.
const maxOutputs = 256

// findOutputs finds the registers of the kinds that the runs wrote; those that a run does not list must be 0.
func (p *frameProgram) findOutputs(t *frame, i int) error {
	heads := map[string]bool{}
	for k := range t.Runs {
		if t.Runs[k].Program != i {
			continue
		}
		for _, regs := range t.Runs[k].Out {
			for name := range regs {
				head, _, tail, ok := split(name)
				if !ok || tail != "" {
					return fmt.Errorf("run %d: output %q is no register and its number", k, name)
				}
				heads[head] = true
			}
		}
	}
	for head := range heads {
		for n := range maxOutputs {
			name := fmt.Sprintf("%s%d", head, n)
			if _, err := p.platform.Register(p.target.Variant, name+".x"); err != nil {
				break
			}
			p.outputs = append(p.outputs, name)
		}
	}
	slices.SortFunc(p.outputs, compareNames)
	return nil
}

// uses reports whether the program has one of the named instructions.
func (p *frameProgram) uses(names []string) (bool, error) {
	var b isa.Bundle
	found := false
	for at := 0; at < len(p.state.Code); at += b.Size() {
		if err := p.target.DecodeBundle(p.state.Code[at:], uint64(at), &b); err != nil {
			return false, err
		}
		for i := range b.Parts {
			found = found || slices.Contains(names, b.Parts[i].Def.Name)
		}
	}
	return found, nil
}

// sameAs reports whether another variant lifts the program to the same blocks. It visits blocks from the first byte to
// the last, whatever branches there are.
func (p *frameProgram) sameAs(variant string) (bool, error) {
	t, err := lookup(p.state.ISA, variant)
	if err != nil {
		return false, err
	}
	other, err := program(p.platform, t, p.state)
	if err != nil {
		return false, err
	}
	for at := uint64(0); at < uint64(len(p.state.Code)); {
		key := ir.Key{PC: at, Mode: p.k.Waves[0].State.Mode()}
		a, err := p.code.Block(key)
		if err != nil {
			return false, err
		}
		b, err := other.Block(key)
		if err != nil || !a.Equal(b) {
			return false, err
		}
		if a.Next <= at {
			return false, fmt.Errorf("the block at %#x ends at %#x", at, a.Next)
		}
		at = a.Next
	}
	return true, nil
}

// register finds a register by name and caches it for further runs.
func (p *frameProgram) register(name string) (launch.Register, error) {
	if r, ok := p.regs[name]; ok {
		return r, nil
	}
	r, err := p.platform.Register(p.target.Variant, name)
	if err == nil {
		p.regs[name] = r
	}
	return r, err
}

// enter starts a run in a state, and sets its inputs.
func (p *frameProgram) enter(st *exec.State, in []casefile.Vectors) error {
	st.Start(0, ^uint64(0)>>(64-len(in)))
	p.platform.Cases.Init(0, st)
	for lane, regs := range in {
		for name, v := range regs {
			for i, comp := range components {
				r, err := p.register(name + comp)
				if err != nil {
					return err
				}
				r.Set(st, lane, uint64(v[i]))
			}
		}
	}
	st.Goto(0)
	return nil
}

// get returns the value of a register in a lane, after a run.
func (p *frameProgram) get(name string, lane int) (uint32, error) {
	r, err := p.register(name)
	if err != nil {
		return 0, err
	}
	return uint32(r.Get(p.k.Waves[0].State, lane)), nil
}

// components name the words of a register.
var components = [4]string{".x", ".y", ".z", ".w"}

// vector returns the value of a register of four words in a lane, after a run.
func (p *frameProgram) vector(name string, lane int) (v [4]uint32, err error) {
	for i, c := range components {
		if v[i], err = p.get(name+c, lane); err != nil {
			return v, err
		}
	}
	return v, nil
}
