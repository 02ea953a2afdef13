// Package rowtrace records which rows of an instruction set have run, for tests that compare every row with a source.
package rowtrace

import (
	"maps"
	"slices"
	"sync"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/isa"
)

// An Engine records the rows of instructions that run on another engine without a fault. It runs only programs and
// listings of package isa.
type Engine struct {
	exec.Engine
	mu   sync.Mutex
	rows map[*isa.Def]bool
}

// New returns an engine that records what runs on e.
func New(e exec.Engine) *Engine { return &Engine{Engine: e, rows: map[*isa.Def]bool{}} }

// Note records a row that a test runs by other means.
func (e *Engine) Note(d *isa.Def) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.rows[d] = true
}

// Rows returns the recorded rows, in no particular order.
func (e *Engine) Rows() []*isa.Def {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Collect(maps.Keys(e.rows))
}

// NewRunner returns a runner that runs one instruction at a time.
func (e *Engine) NewRunner(p *exec.Program) exec.Runner {
	return &runner{Runner: e.Engine.NewRunner(p), e: e, p: p, seen: map[uint64]bool{}}
}

type runner struct {
	exec.Runner
	e    *Engine
	p    *exec.Program
	seen map[uint64]bool
}

func (r *runner) Run(st *exec.State, env *exec.Env, b exec.Budget) exec.Stop {
	one := b
	one.Steps, one.Exact = 1, true
	for n := uint64(1); ; n++ {
		pc, ok := r.next(st)
		s := r.Runner.Run(st, env, one)
		if ok && s.Reason != exec.StopFault {
			r.note(pc)
		}
		if s.Reason != exec.StopBudget || n >= b.Steps {
			return s
		}
	}
}

// next returns the address of the next instruction.
func (r *runner) next(st *exec.State) (pc uint64, ok bool) {
	b, err := r.p.Block(st.At.Key)
	if err != nil || st.At.Mark >= len(b.Marks) {
		return 0, false
	}
	return b.Marks[st.At.Mark].PC, true
}

func (r *runner) note(pc uint64) {
	if r.seen[pc] {
		return
	}
	r.seen[pc] = true
	b, err := r.p.Code.(interface {
		BundleAt(pc uint64) (*isa.Bundle, error)
	}).BundleAt(pc)
	if err != nil {
		return // the end of a listing, without an instruction
	}
	for i := range b.Parts {
		r.e.Note(b.Parts[i].Def)
	}
}
