package launch

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/mem"
)

// A Target begins the groups and waves of one instruction set and launch. Its methods are called
// by several goroutines.
type Target interface {
	// NewGroup may change what the group's waves reach. env is a copy of Launch.Env with Where
	// filled in and Group set to zeroed memory of Launch.GroupBytes, in each bank.
	NewGroup(g *Group, env *exec.Env) error
	// InitWave fills the cells of a wave. st is zeros, its lanes that exist live, executing and at
	// Launch.Entry; env is the wave's own copy of the group's. A mode cell set here takes effect.
	InitWave(g *Group, wave int, st *exec.State, env *exec.Env) error
}

// A Steady target changes no environment: NewGroup and InitWave leave env as it is. Then those of a slot's waves are made once for all groups. And
// waves of one number begin alike in all groups of one size, but for what the place of the group is.
type Steady interface {
	Target
	// Again sets what depends on the group in a wave that begins as that of its number did in another group of the same size. That has all been
	// set by InitWave then.
	Again(g *Group, wave int, st *exec.State)
}

// A Launch is a grid to run, and how. It is not changed by Run.
type Launch struct {
	Kernel     string // for reports
	Program    *exec.Program
	Entry      ir.Key
	Engine     exec.Engine
	Grid       Grid
	Lanes      int // of a wave; 0: the machine's default
	Target     Target
	Env        exec.Env // Spaces, Windows, Policy
	GroupBytes int      // of group memory, at address 0 of its space
	GroupBanks int      // of group memory, each of GroupBytes; 0: one
	// Own is a segment that the wave of that number in its group has for itself in bank 0 of Env's global
	// space, zeros as it begins. nil: there is none.
	Own func(wave int) mem.Extent
	// Private is the private memory of a lane in bank 0, zeros as its wave begins; Size 0: there is none.
	// PrivateUnit says how those of a wave's lanes lie: see mem.NewPrivate.
	Private     mem.Extent
	PrivateUnit int
	Limits      exec.Limits
	Workers     int  // at most; 0: as many as the host has processors
	Relaxed     bool // groups in any order even if results may depend on it
	Counted     bool // counters are exact, even if that is slower: else see exec.Counters.About
	Observer    exec.Observer
	Watcher     Watcher // nil: nobody
	// Done counts the groups that have run to their end, as they do; nil: nobody wants to know. What launches before have counted stays. A launch
	// that begins again takes back what it has counted.
	Done *atomic.Int64
}

// A Watcher looks at what the waves of launches do, by probes in their code. It is an observer, too.
type Watcher interface {
	exec.Observer
	// Watch gives the code to run in place of a launch's. windows are those of its flat address space.
	Watch(code ir.Code, windows []exec.Window) ir.Code
}

// watched is the launch with the watcher's code, and it and the observer told of events.
func (l *Launch) watched() *Launch {
	w := *l
	w.Program, w.Watcher = exec.NewProgram(l.Watcher.Watch(l.Program.Code, l.Env.Windows)), nil
	if w.Observer = l.Watcher; l.Observer != nil {
		w.Observer = observers{l.Observer, l.Watcher}
	}
	return &w
}

// observers are told the same.
type observers []exec.Observer

func (os observers) Observe(e exec.Event) {
	for _, o := range os {
		o.Observe(e)
	}
}

// DefaultMemory is the limit of a launch's memory when none is given, in bytes.
const DefaultMemory = 16 << 30

// A Result says what a launch did. It is valid beside an error too.
type Result struct {
	exec.Counters
	Groups  uint64 // run to their end
	Waves   uint64 // begun
	Workers int
	Serial  bool // groups ran in order on one worker because of Why
	Faults  exec.FaultLog
	Why     string // what makes results depend on the order of groups; set for Relaxed launches too
	Time    time.Duration
}

// Run runs the grid. If groups that run beside each other meet in memory, it begins the launch again, with its groups
// in order, on memory as it was; an Observer sees both. Without an Observer it may begin several times before, as
// [mem.Footprints] learn. The error is the *exec.Fault of the first group that has one, in order of
// dispatch, whatever the number of workers; memory then holds what the groups have done so far.
func (l *Launch) Run(ctx context.Context) (*Result, error) {
	start := time.Now()
	res := &Result{}
	defer func() { res.Time = time.Since(start) }()
	d := &dispatch{}
	defer func() { d.close() }()
	for {
		s, err := l.Begin(ctx)
		if err != nil {
			return res, err
		}
		*res = Result{}
		d = &dispatch{Session: s, res: res, prints: d.prints}
		d.setWorkers()
		d.run()
		if d.met == nil {
			return res, d.err
		}
		if l.Done != nil {
			l.Done.Add(-int64(res.Groups))
		}
		if d.prints.Undo(); !d.met.Uncertain {
			break
		}
	}
	s, err := l.Begin(ctx)
	if err != nil {
		return res, err
	}
	*res = Result{Workers: 1, Serial: true}
	d.close()
	d = &dispatch{Session: s, res: res, prints: l.footprints(false)}
	d.run()
	if res.Why = "groups that run beside each other meet in memory"; d.met != nil {
		res.Why = d.met.String()
	}
	return res, d.err
}

// Each worker takes groups some at a time: a part of what is left for it, or as many as mostAtOnce. So groups that run one after another
// are neighbours, and share pages, and towards the end no worker has many that another could run.
const (
	parts      = 4
	mostAtOnce = 64
)

// A dispatch is a launch whose groups run by themselves.
type dispatch struct {
	*Session
	next atomic.Uint64 // group to start
	stop atomic.Uint64 // no group above this index matters any more
	over atomic.Bool   // no group does: they have met

	mu  sync.Mutex
	res *Result
	err error // of group d.stop

	prints *mem.Footprints // nil: groups may meet in memory
	met    *meeting        // the first of those that were found; guarded by mu
}

// close gives back what the footprints have.
func (d *dispatch) close() {
	if d.prints != nil {
		d.prints.Close()
	}
}

// A meeting is where a group meets another in memory.
type meeting struct {
	group [3]uint32
	*mem.Conflict
}

func (m *meeting) String() string {
	return fmt.Sprintf("group (%d,%d,%d) %v", m.group[0], m.group[1], m.group[2], m.Conflict)
}

// shared are the spaces that groups share.
func (l *Launch) shared() []*mem.Space {
	return slices.DeleteFunc(slices.Concat(l.Env.Spaces[ir.GlobalSpace], l.Env.Spaces[ir.ConstSpace]), func(s *mem.Space) bool { return s == nil })
}

// mapped says that the order of groups may show because somebody is asked about memory, "" if nobody is.
func (l *Launch) mapped() string {
	for _, s := range l.shared() {
		if s.Asks() {
			return "memory or devices are mapped as groups come to them"
		}
	}
	return ""
}

// footprints watches the memory that groups share. Whether what they learn makes a run begin again depends on which groups end first, so they do
// not where somebody looks on.
func (l *Launch) footprints(keep bool) *mem.Footprints {
	f := mem.NewFootprints(keep, l.shared()...)
	if l.Observer == nil {
		f.Learn()
	}
	return f
}

// run runs the groups.
func (d *dispatch) run() {
	d.stop.Store(^uint64(0))
	var wg sync.WaitGroup
	var defect atomic.Pointer[string]
	work := func() {
		defer func() {
			if p := recover(); p != nil { // who launched may know what to do about it, and nobody else is still at work then
				text := fmt.Sprintf("%v\n%s", p, debug.Stack())
				defect.CompareAndSwap(nil, &text)
				d.stop.Store(0)
			}
		}()
		d.work()
	}
	for range d.res.Workers - 1 {
		wg.Go(work)
	}
	work() // here: waking another goroutine takes longer than a small launch
	wg.Wait()
	if text := defect.Load(); text != nil {
		panic(*text)
	}
	d.End()
}

// setWorkers decides how many workers the launch gets.
func (d *dispatch) setWorkers() {
	workers := d.l.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	d.res.Workers = int(min(uint64(workers), d.groups, d.room))
	if d.groups > 1 {
		if d.res.Why = orderMatters(d.l.Program, d.l.Entry); d.res.Why == "" {
			d.res.Why = d.l.mapped()
		}
		if d.res.Serial = d.res.Why != "" && !d.l.Relaxed; d.res.Serial {
			d.res.Workers = 1
		}
	}
	if d.res.Workers > 1 && !d.l.Relaxed && d.prints == nil {
		d.prints = d.l.footprints(true)
	}
}

// compare finds out whether the group of the slot has met another. Then groups that run beside each other need not go
// on, and nobody has to watch those that run in order.
func (d *dispatch) compare(w *Slot) {
	if w.foot == nil {
		return
	}
	m := w.foot.End()
	if m == nil {
		return
	}
	w.foot = nil
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.met == nil || m.Uncertain {
		d.met = &meeting{w.Group.ID, m}
	}
	if d.res.Workers > 1 {
		d.over.Store(true)
	}
}

func (d *dispatch) fail(i uint64, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if i < d.stop.Load() || d.err == nil {
		d.stop.Store(i)
		d.err = err
	}
}
