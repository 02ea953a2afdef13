package exec

import (
	"cmp"
	"slices"
	"sync"

	"github.com/heddle-gpu/heddle/ir"
)

// A Tally is an engine that counts how often each guest instruction runs: marks of canonical blocks, once per wave,
// as Counters.Instructions does, so the numbers are the same on every engine. It may be shared by goroutines. Its
// runners stop at the end of each block and count exactly; none is a GroupRunner.
type Tally struct {
	Engine

	mu      sync.Mutex
	runners []*tallyRunner
}

// Counting returns the engine with a tally.
func Counting(e Engine) *Tally { return &Tally{Engine: e} }

// A Ran is how often an instruction has run.
type Ran struct {
	Program *Program
	PC      uint64
	Mode    uint32 // of the block
	N       uint64 // times that it ran
	Stopped uint64 // times that it did not run because of a fault
}

// NewRunner implements Engine.
func (t *Tally) NewRunner(p *Program) Runner {
	r := &tallyRunner{Runner: t.Engine.NewRunner(p), p: p, blocks: map[ir.Key]*tallied{}}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.runners = append(t.runners, r)
	return r
}

// Ran returns the counts since the last call, by address; programs are in the order of their first runner. No
// runner may be running.
func (t *Tally) Ran() (list []Ran) {
	t.mu.Lock()
	defer t.mu.Unlock()
	type place struct {
		p    *Program
		pc   uint64
		mode uint32
	}
	var order []*Program
	at := map[place]int{}
	for _, r := range t.runners {
		if !slices.Contains(order, r.p) {
			order = append(order, r.p)
		}
		for key, b := range r.blocks {
			for i := range b.ran {
				if b.ran[i]+b.stopped[i] == 0 {
					continue
				}
				where := place{r.p, b.block.Marks[i].PC, key.Mode}
				k, ok := at[where]
				if !ok {
					k = len(list)
					at[where], list = k, append(list, Ran{Program: r.p, PC: where.pc, Mode: key.Mode})
				}
				list[k].N += b.ran[i]
				list[k].Stopped += b.stopped[i]
			}
		}
		clear(r.blocks)
	}
	slices.SortFunc(list, func(a, b Ran) int {
		return cmp.Or(slices.Index(order, a.Program)-slices.Index(order, b.Program), cmp.Compare(a.PC, b.PC), cmp.Compare(a.Mode, b.Mode))
	})
	return list
}

// A tallyRunner counts the instructions of a program that run.
type tallyRunner struct {
	Runner
	p      *Program
	blocks map[ir.Key]*tallied
}

// A tallied is a block with the number of runs and of faults of each mark.
type tallied struct {
	block        *ir.Block
	ran, stopped []uint64
}

// of returns the block at a key; nil if there is none.
func (r *tallyRunner) of(key ir.Key) *tallied {
	if t := r.blocks[key]; t != nil {
		return t
	}
	b, err := r.p.Block(key)
	if err != nil {
		return nil
	}
	t := &tallied{b, make([]uint64, len(b.Marks)), make([]uint64, len(b.Marks))}
	r.blocks[key] = t
	return t
}

// Run runs block by block. Of each block, the marks run in order from the one where it is entered to where the
// runner stops.
func (r *tallyRunner) Run(st *State, env *Env, b Budget) Stop {
	if st.Ended() {
		return Stop{Reason: StopEnd}
	}
	b.Counted = true
	one, done := b, uint64(0)
	one.Exact = true
	for {
		t, mark := r.of(st.At.Key), st.At.Mark
		if t == nil || mark >= len(t.ran) {
			return r.Runner.Run(st, env, b)
		}
		one.Steps = uint64(len(t.ran) - mark)
		if b.Exact {
			one.Steps = min(one.Steps, b.Steps-done)
		}
		before := env.Count.Instructions
		stop := r.Runner.Run(st, env, one)
		n := env.Count.Instructions - before
		for i := range min(int(n), len(t.ran)-mark) {
			t.ran[mark+i]++
		}
		if at := mark + int(n); stop.Reason == StopFault && at < len(t.stopped) {
			t.stopped[at]++
		}
		if done += n; stop.Reason != StopBudget || done >= b.Steps {
			return stop
		}
	}
}
