package profile

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
)

// Memory is how the memory of a chip works, as far as counts depend on it.
type Memory struct {
	Line int  `json:"line,omitempty"` // bytes of a line, a power of two from 4 to 4096; 0: not known, and lines are not counted
	Rule Rule `json:"rule,omitempty"` // other than by lines it wants lines of 128 bytes
	// Banks of group memory, a power of two up to 64, each of four bytes; 0: not known, and conflicts are not counted.
	// Pass is the number of lanes, from a multiple of it on, whose accesses are served at once if they do not conflict.
	Banks int `json:"banks,omitempty"`
	Pass  int `json:"pass,omitempty"`
	// OneWord is that of words that several lanes read one at a time is passed to all of them, and any other to one lane.
	OneWord bool `json:"one_word,omitempty"`
}

// checked panics if counts cannot depend on it.
func (m Memory) checked() Memory {
	switch {
	case m.Banks < 0 || m.Banks > 64 || m.Banks&(m.Banks-1) != 0 || m.Banks > 0 && (m.Pass <= 0 || m.Pass > ir.MaxLanes):
		panic(fmt.Sprintf("profile: memory %+v: a power of two of banks, at most 64, with a number of lanes in a pass", m))
	case m.Line < 0 || m.Line > 0 && m.Line < minLine || m.Line > maxLine || m.Line&(m.Line-1) != 0:
		panic(fmt.Sprintf("profile: memory %+v: lines of a power of two from 4 to 4096", m))
	case m.Rule != ByLine && (m.Line != 128 || m.Rule != InOrder && m.Rule != Reduced):
		panic(fmt.Sprintf("profile: memory %+v: a rule that is not known, or without lines of 128 bytes", m))
	}
	return m
}

// maxTallies is the number of counters of a profiler.
const maxTallies = 1 << 16

// maxCodes is the number of codes of a profiler that is not crowded.
const maxCodes = 256

// A Profiler counts what the waves of launches do. It is a launch.Watcher, of any number of launches, one after
// another.
type Profiler struct {
	memory func(ir.Code) Memory

	mu              sync.Mutex
	codes           []*code
	blocks          []*block        // of all codes
	given, accesses int             // counters of blocks, and their accesses
	left            bool            // blocks are not counted since there are not enough counters
	serial          map[uint64]bool // instructions that run lane by lane, which are not counted
	sites           []*site         // by the kind of their probe
	slots           [][]uint64      // counters by slot, since the sum was taken
	shards          []*shard
	free            []*shard // those that no goroutine uses
	stops           []stop   // since the sum was taken
	last            *code    // that was watched
	begins          ir.Key   // of the waves of what is watched next
	ran             []*code  // that were watched since the sum was taken
	sum             []uint64 // by counter
	traces          *tracing // nil: waves are not traced
}

// New returns a profiler. memory says for a code how the memory of the chip works that it counts for; nil: nothing is
// known of it.
func New(memory func(ir.Code) Memory) *Profiler {
	if memory == nil {
		memory = func(ir.Code) Memory { return Memory{} }
	}
	return &Profiler{memory: memory}
}

// Reset forgets what was watched and counted, and keeps the memory of counters, so that a profiler can be used for
// another program. Nothing may run. It does not trace afterwards.
func (p *Profiler) Reset() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.slots {
		clear(s[:p.given])
	}
	p.codes, p.blocks, p.given, p.accesses, p.left, p.serial = nil, nil, 0, 0, false, nil
	p.sites, p.shards, p.free, p.stops, p.last, p.sum, p.traces, p.ran = nil, nil, nil, nil, nil, nil, nil, nil
}

// A code is code that has been watched, and what runs in its place.
type code struct {
	ir.Code
	runs     *exec.Program
	memory   Memory
	windows  []exec.Window
	entry    uint64 // where its first waves began
	launches []Launches
	begun    map[launched]uint64 // since the sum was taken
	blocks   []*block
	sites    []*site
	entered  []*Block // of its blocks, those that tell when waves enter them
	ran      bool     // since the sum was taken
}

// Launches is how often a kernel was launched with groups of one size.
type Launches struct {
	Kernel string     `json:"kernel"`
	Count  uint64     `json:"count"`
	Sizes  exec.Sizes `json:"-"`
}

// A launched is launches that are counted together.
type launched struct {
	kernel string
	sizes  exec.Sizes
}

// Begins says where the waves of the next launch or stage begin: see exec.Beginner.
func (p *Profiler) Begins(at ir.Key) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.begins = at
}

// Watch returns the code to run in place of a launch's.
func (p *Profiler) Watch(of ir.Code, windows []exec.Window) ir.Code {
	p.mu.Lock()
	defer p.mu.Unlock()
	at := slices.IndexFunc(p.codes, func(c *code) bool { return c.Code == of && slices.Equal(c.windows, windows) })
	if at < 0 {
		c := &code{Code: of, memory: p.memory(of).checked(), windows: slices.Clone(windows), entry: p.begins.PC}
		m := *of.Machine()
		m.Tallies = maxTallies
		c.runs = exec.NewProgram(&counting{Code: of, machine: &m, p: p, of: c, made: map[ir.Key]*block{}})
		at, p.codes = len(p.codes), append(p.codes, c)
	}
	if p.last = p.codes[at]; !p.last.ran {
		p.last.ran, p.ran = true, append(p.ran, p.last)
	}
	return p.last.runs
}

// Tallies returns the counters of a slot: see exec.Tallier.
func (p *Profiler) Tallies(slot int) []uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.slots) <= slot {
		p.slots = append(p.slots, make([]uint64, maxTallies))
	}
	return p.slots[slot]
}

// Save and Again are for launch.Run: a launch begins, which may run several times; it runs again, and what it did does
// not count.
func (p *Profiler) Save() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.take()
	if p.traces != nil {
		p.traces.begun = len(p.traces.launches)
	}
}

// Again is described at Save.
func (p *Profiler) Again() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.ran {
		c.counts(p.slots, func(int, uint64) {})
		c.accesses(p.shards, func(*site, *[spaces]Access) {})
		clear(c.begun)
	}
	p.stops = nil
	if p.traces != nil {
		p.traces.again()
	}
}

// take adds what was counted since the last call to the sums. The caller holds p.mu, and nothing runs.
func (p *Profiler) take() {
	p.sum = append(p.sum, make([]uint64, p.given-len(p.sum))...)
	for _, c := range p.ran {
		c.counts(p.slots, func(at int, n uint64) { p.sum[at] += n })
		c.accesses(p.shards, func(s *site, a *[spaces]Access) {
			for k := range a {
				s.to.sum[k].add(&a[k])
			}
		})
		for _, l := range slices.SortedFunc(maps.Keys(c.begun), launched.compare) {
			c.launched(l, c.begun[l])
		}
		clear(c.begun)
		c.ran = false
	}
	p.ran = p.ran[:0]
	for _, s := range p.stops {
		s.block.stop(s)
	}
	p.stops = nil
}

// counts calls do with the counters of the code that have counted, and clears them.
func (c *code) counts(slots [][]uint64, do func(at int, n uint64)) {
	for _, s := range slots {
		for _, b := range c.blocks {
			for at := b.first; at < b.end; at++ {
				if s[at] != 0 {
					do(at, s[at])
					s[at] = 0
				}
			}
		}
	}
}

// accesses calls do with what shards have counted of the requests of the code, and clears it.
func (c *code) accesses(shards []*shard, do func(s *site, a *[spaces]Access)) {
	for _, x := range shards {
		for _, s := range c.sites {
			if s.kind < uint64(len(x.accesses)) {
				do(s, &x.accesses[s.kind])
				x.accesses[s.kind] = [spaces]Access{}
			}
		}
	}
}

// OnlyProbes says that it looks at nothing but probes, faults, and starts and ends: see exec.LooksAtWaves.
func (p *Profiler) OnlyProbes() bool { return true }

// TakesSeries says that it counts addresses that are a series faster: see exec.TakesSeries.
func (p *Profiler) TakesSeries() bool { return true }

// Observe handles an event.
func (p *Profiler) Observe(e exec.Event) {
	switch e.Kind {
	case exec.LaunchStart:
		l := launched{kernel: e.Kernel}
		if e.Sizes != nil {
			l.sizes = *e.Sizes
		}
		p.launched(l)
	case exec.WaveStart:
		if e.Stage != nil {
			p.drawn(&e)
		}
	case exec.Probed:
		s := p.shard()
		if p.traces != nil {
			s.record(p, &e)
		} else {
			for i := range e.Probes {
				s.hear(&e.Probes[i])
			}
		}
		p.mu.Lock()
		p.free = append(p.free, s)
		p.mu.Unlock()
	case exec.FaultRaised:
		p.stopped(&e)
	}
}

// launched notes a launch of the code that was watched last.
func (p *Profiler) launched(l launched) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.last == nil { // somebody observes without having watched
		return
	}
	if p.last.begun == nil {
		p.last.begun = map[launched]uint64{}
	}
	p.last.begun[l]++
	if p.traces != nil {
		p.traces.launch(p.last, l.kernel, l.sizes)
	}
}

// launched adds launches.
func (c *code) launched(of launched, n uint64) {
	at := slices.IndexFunc(c.launches, func(l Launches) bool { return launched{l.Kernel, l.Sizes} == of })
	if at < 0 {
		at, c.launches = len(c.launches), append(c.launches, Launches{Kernel: of.kernel, Sizes: of.sizes})
	}
	c.launches[at].Count += n
}

func (l launched) compare(o launched) int {
	return cmp.Or(cmp.Compare(l.kernel, o.kernel), cmp.Compare(l.sizes.Items, o.sizes.Items), cmp.Compare(l.sizes.Group, o.sizes.Group),
		cmp.Compare(l.sizes.Vector, o.sizes.Vector), cmp.Compare(l.sizes.Scalar, o.sizes.Scalar))
}

// shard returns statistics for the use of one goroutine.
func (p *Profiler) shard() *shard {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.free) == 0 {
		s := &shard{}
		p.shards, p.free = append(p.shards, s), append(p.free, s)
	}
	s := p.free[len(p.free)-1]
	p.free = p.free[:len(p.free)-1]
	s.sites = p.sites
	for len(s.accesses) < len(s.sites) {
		s.accesses = append(s.accesses, [spaces]Access{})
	}
	for len(s.shapes) < len(s.sites) {
		s.shapes = append(s.shapes, shape{})
	}
	return s
}

// stopped notes that a wave has stopped at an instruction, which it has not executed.
func (p *Profiler) stopped(e *exec.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	st, begun := e.State, true
	if f := e.Fault; f != nil {
		begun = f.Kind != exec.FaultLimit && f.Kind != exec.FaultStopped && f.Kind != exec.FaultBarrier
	}
	for _, b := range p.blocks {
		if b.of.runs.Machine() == st.Machine && b.key == st.At.Key && st.At.Mark < len(b.marks) {
			p.stops = append(p.stops, stop{b, st.At.Mark, st.Exec, begun})
			return
		}
	}
}

// passOver notes an instruction that is not counted.
func (p *Profiler) passOver(pc uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.serial == nil {
		p.serial = map[uint64]bool{}
	}
	p.serial[pc] = true
}

// Crowded reports whether further launches had better be counted by another profiler: much code has been watched, or
// half of the counters are used.
func (p *Profiler) Crowded() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.left || len(p.codes) >= maxCodes || p.given > maxTallies/2 || p.accesses > maxTallies/2
}

// Incomplete returns what has not been counted; "": nothing.
func (p *Profiler) Incomplete() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var list []string
	if p.left {
		list = append(list, fmt.Sprintf("code beyond the first %d counters is not counted", maxTallies))
	}
	if n := len(p.serial); n > 0 {
		list = append(list, fmt.Sprintf("%d instructions of the code that run lane by lane are not counted", n))
	}
	return strings.Join(list, "; ")
}
