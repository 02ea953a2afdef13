package exec

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// A Measured is an engine and what its runners took. It may be shared by goroutines.
type Measured struct {
	Engine

	mu       sync.Mutex
	programs []*Program
	runners  []*measuredRunner
}

// Measure is the engine with a clock: two looks at it for each call of Runner.Run.
func Measure(e Engine) *Measured { return &Measured{Engine: e} }

// A Tier is one of the ways in which an engine runs code, and the time spent in it. Those of several runners at the same time
// count each.
type Tier struct {
	Name string
	Time time.Duration
}

// Tiered is what a Runner is whose engine has several tiers. It says what its calls of Run have taken by tier; the order is that of
// the engine's tiers, the same in all its runners.
type Tiered interface{ Tiers() []Tier }

// A Taken is what the runners of an engine took, and what was made for them.
type Taken struct {
	Tiers   []Tier // at least one. Time of compiling is part of it
	Blocks  int    // lifted
	Lifting time.Duration
	// Forms are how many compiled forms there are, Compiling the time for them: with that for blocks which nobody had asked for
	// before. Code is bytes of machine code, 0 where an engine makes none.
	Forms     int
	Compiling time.Duration
	Code      int
	Lacks     string // why an engine that should make machine code makes none
}

// NewRunner implements Engine.
func (m *Measured) NewRunner(p *Program) Runner {
	r := &measuredRunner{Runner: m.Engine.NewRunner(p)}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.runners = append(m.runners, r)
	if !slices.Contains(m.programs, p) {
		m.programs = append(m.programs, p)
	}
	return r
}

// A measuredRunner is a runner with a clock.
type measuredRunner struct {
	Runner
	ns atomic.Int64
}

func (r *measuredRunner) Run(st *State, env *Env, b Budget) Stop {
	start := time.Now()
	defer func() { r.ns.Add(int64(time.Since(start))) }()
	return r.Runner.Run(st, env, b)
}

// Taken is what was taken so far. No runner of a tiered engine may be running.
func (m *Measured) Taken() Taken {
	m.mu.Lock()
	defer m.mu.Unlock()
	var t Taken
	if x, ok := m.Engine.(interface{ Lacks() string }); ok {
		t.Lacks = x.Lacks()
	}
	for _, r := range m.runners {
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

// A Work is what was made of a program so far, for all engines.
type Work struct {
	Blocks    int // lifted
	Lifting   time.Duration
	Forms     int           // compiled
	Compiling time.Duration // with lifting of blocks which nobody had asked for before
	Code      int           // bytes of machine code
}

// A labour adds up what making things took.
type labour struct{ ns, code atomic.Int64 }

func (l *labour) since(start time.Time) { l.ns.Add(int64(time.Since(start))) }

// Work is what was made of the program so far.
func (p *Program) Work() Work {
	w := Work{Blocks: p.blocks.count(), Lifting: time.Duration(p.lifting.ns.Load())}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, f := range p.forms {
		f.(interface{ work(*Work) }).work(&w)
	}
	return w
}

func (f *Forms[T]) work(w *Work) {
	w.Forms += f.made.count()
	w.Compiling += time.Duration(f.labour.ns.Load())
	w.Code += int(f.labour.code.Load())
}
