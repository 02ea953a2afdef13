package exec

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// A Measured is an engine that measures the time and the work of its runners. It may be shared by goroutines.
type Measured struct {
	Engine

	mu       sync.Mutex
	programs []*Program
	runners  []*measuredRunner
}

// Measure wraps the engine. It reads the clock twice per call of Runner.Run.
func Measure(e Engine) *Measured { return &Measured{Engine: e} }

// A Tier is one of the ways in which an engine runs code, and the time spent in it. Time of concurrent runners adds
// up.
type Tier struct {
	Name string
	Time time.Duration
}

// Tiered is a Runner of an engine with several tiers. Tiers returns the time spent in its calls of Run by tier, in
// the order of the engine's tiers, which is the same in all its runners.
type Tiered interface{ Tiers() []Tier }

// A Taken is the time and work of an engine's runners.
type Taken struct {
	Tiers   []Tier // at least one; compile time is part of it
	Blocks  int    // lifted
	Lifting time.Duration
	// Forms is the number of compiled forms, Compiling the time spent on them, with that for lifting the blocks
	// that they were first to need. Code is bytes of machine code, 0 if the engine emits none.
	Forms     int
	Compiling time.Duration
	Code      int
	Lacks     string   // why an engine that should emit machine code does not
	Slow      []SlowOp // what an engine with machine code executed without it, the most first
}

// NewRunner implements Engine.
func (m *Measured) NewRunner(p *Program) Runner {
	r := &measuredRunner{Runner: m.Engine.NewRunner(p)}
	if x, ok := r.Runner.(SlowCounter); ok {
		x.CountSlow()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.runners = append(m.runners, r)
	if !slices.Contains(m.programs, p) {
		m.programs = append(m.programs, p)
	}
	return r
}

// A measuredRunner is a runner whose time is measured.
type measuredRunner struct {
	Runner
	ns atomic.Int64
}

func (r *measuredRunner) Run(st *State, env *Env, b Budget) Stop {
	start := time.Now()
	defer func() { r.ns.Add(int64(time.Since(start))) }()
	return r.Runner.Run(st, env, b)
}

// Taken returns the time and work so far. No runner of a tiered engine may be running.
func (m *Measured) Taken() Taken {
	m.mu.Lock()
	defer m.mu.Unlock()
	var t Taken
	if x, ok := m.Engine.(interface{ Lacks() string }); ok {
		t.Lacks = x.Lacks()
	}
	for _, r := range m.runners {
		if x, ok := r.Runner.(SlowCounter); ok {
			t.Slow = addSlow(t.Slow, x.Slow())
		}
		tiers := []Tier{{m.Name(), time.Duration(r.ns.Load())}}
		if x, ok := r.Runner.(Tiered); ok {
			tiers = x.Tiers()
		}
		for _, tier := range tiers {
			t.add(tier)
		}
	}
	if t.Tiers == nil {
		t.add(Tier{Name: m.Name()})
	}
	for _, p := range m.programs {
		w := p.Work()
		t.Blocks += w.Blocks
		t.Lifting += w.Lifting
		t.Forms += w.Forms
		t.Compiling += w.Compiling
		t.Code += w.Code
	}
	return t
}

func (t *Taken) add(x Tier) {
	i := slices.IndexFunc(t.Tiers, func(have Tier) bool { return have.Name == x.Name })
	if i < 0 {
		t.Tiers = append(t.Tiers, x)
		return
	}
	t.Tiers[i].Time += x.Time
}

// A Work is what has been lifted and compiled of a program so far, for all engines.
type Work struct {
	Blocks    int // lifted
	Lifting   time.Duration
	Forms     int           // compiled
	Compiling time.Duration // including the lifting of blocks that compilation was first to need
	Code      int           // bytes of machine code
}

// A workSum adds up the time and code size of compilation.
type workSum struct{ ns, code atomic.Int64 }

func (l *workSum) since(start time.Time) { l.ns.Add(int64(time.Since(start))) }

// Work returns what has been made of the program so far.
func (p *Program) Work() Work {
	w := Work{Blocks: p.blocks.count(), Lifting: time.Duration(p.lifting.ns.Load())}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, f := range p.forms {
		f.forms.work(&w)
	}
	return w
}

func (f *Forms[T]) work(w *Work) {
	w.Forms += f.made.count()
	w.Compiling += time.Duration(f.sum.ns.Load())
	w.Code += int(f.sum.code.Load())
}
