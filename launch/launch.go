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

// A Target starts the groups and waves of one instruction set and launch. Its methods are called concurrently from
// several goroutines.
type Target interface {
	// NewGroup may change what the group's waves can access. env is a copy of Launch.Env with Where filled in and Group
	// set to zeroed memory of Launch.GroupBytes, in each bank.
	NewGroup(g *Group, env *exec.Env) error
	// InitWave fills the cells of a wave. st is zeroed, with its existing lanes live, active and at Launch.Entry; env
	// is the wave's own copy of the group's. A mode cell set here takes effect.
	InitWave(g *Group, wave int, st *exec.State, env *exec.Env) error
}

// A Restartable target changes no environment: NewGroup and InitWave leave env as it is. So a slot creates the
// environments of its waves once for all groups. Waves of one number must start in the same state in all groups of
// one size, except for what depends on the group's position.
type Restartable interface {
	Target
	// Restart sets what depends on the group in a wave that starts in the state of the wave of its number in another
	// group of the same size. InitWave has initialised everything else.
	Restart(g *Group, wave int, st *exec.State)
}

// A Launch describes a grid to run, and how. Run does not change it.
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
	// Vector and Scalar are the registers of a lane and of a wave that a code object or command stream says; 0: unknown.
	Vector, Scalar int
	// Own returns a segment that only the wave of that number in its group can access, in bank 0 of Env's global space,
	// zeroed when the wave starts. nil: there is none.
	Own func(wave int) mem.Extent
	// OwnAlso, if not 0, is how far below its address that segment has a second one.
	OwnAlso uint64
	// Private is the private memory of a lane in bank 0, zeroed when its wave starts; Size 0: there is none.
	// PrivateUnit is the interleaving of a wave's lanes: see mem.NewPrivate.
	Private     mem.Extent
	PrivateUnit int
	Limits      exec.Limits
	Workers     int  // at most; 0: as many as the host has processors
	Relaxed     bool // groups run in any order even if results may depend on it
	Counted     bool // counters are exact, even if that is slower; otherwise see exec.Counters.About
	Observer    exec.Observer
	Watcher     Watcher // nil: none
	// Done is incremented for each group that runs to its end; nil: no count. It is not reset by later launches. A
	// launch that restarts subtracts what it has counted.
	Done *atomic.Int64

	unwatched *exec.Program // without what a watcher added; nil: Program
	unread    bool          // registers that the code never reads have a shadow, too
	tallier   exec.Tallier  // the watcher if its code counts; nil: it does not
}

// A Watcher observes what the waves of launches do, by probes in their code.
type Watcher = exec.Prober

// A Beginner is a Watcher that gets the place where the waves of a launch begin, before Watch or Racer.Filter.
type Beginner = exec.Beginner

// A Shadower is a Watcher whose code may be for a machine with a shadow (ir.Shadowing).
type Shadower = exec.Shadower

// watched returns the launch with the watcher's code; its events go to the watcher and to the observer.
func (l *Launch) watched() (*Launch, error) {
	if r, ok := l.Watcher.(Racer); ok {
		r.Memory(&l.Env, l.owns())
	}
	l.begins()
	return l.watchedBy(l.Watcher.Watch(l.Program.Code, l.Env.Windows), l.Watcher)
}

// begins tells the watcher where waves begin.
func (l *Launch) begins() {
	if b, ok := l.Watcher.(Beginner); ok {
		b.Begins(l.Entry)
	}
}

// watchedBy returns the launch with code of the watcher and an observer of it; nil: there is none.
func (l *Launch) watchedBy(code ir.Code, o exec.Observer) (*Launch, error) {
	w := *l
	w.unwatched, w.Watcher = l.Program, nil
	if code != l.Program.Code {
		w.Program = exec.ProgramOf(code)
	}
	if t, ok := l.Watcher.(exec.Tallier); ok && w.Program.Machine().Tallies > 0 {
		w.tallier = t
	}
	switch {
	case l.Observer == nil:
		w.Observer = o
	case o != nil:
		w.Observer = exec.Observers{l.Observer, o}
	}
	if s, ok := l.Watcher.(Shadower); ok && w.shadowing() != nil {
		if x, ok := l.Watcher.(interface{ Whole() bool }); ok {
			w.unread = x.Whole()
		}
		if err := w.Env.GiveShadow(w.shadowing(), s.Shadows()); err != nil {
			return &w, fmt.Errorf("launch: %w", err)
		}
	}
	return &w, nil
}

// DefaultMemory is the limit of a launch's memory in bytes if none is given.
const DefaultMemory = 16 << 30

// A Result describes what a launch did. It is valid together with an error, too.
type Result struct {
	exec.Counters
	Groups  uint64 // that ran to their end
	Waves   uint64 // that started
	Workers int
	Serial  bool // groups ran in order on one worker because of Why
	Faults  exec.FaultLog
	Why     string // why results depend on the order of groups; set for Relaxed launches, too
	Time    time.Duration
}

// Run runs the grid. If groups that run in parallel conflict in memory, or reach code to which their order matters, it
// restarts the launch, with its groups in order, on its initial memory; an Observer sees both runs. Without an
// Observer it may restart several times before that, as [mem.Footprints] learn. The error is the *exec.Fault of the
// first group that has one, in order of dispatch, whatever the number of workers; memory then holds what the groups
// have done so far.
func (l *Launch) Run(ctx context.Context) (*Result, error) {
	start := time.Now()
	res := &Result{}
	defer func() { res.Time = time.Since(start) }()
	l.repeater().Save()
	if r, _ := l.racer(); r != nil {
		return res, l.runRacing(ctx, res)
	}
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
		d.reachedMore()
		if d.met == nil && !d.inOrder {
			return res, d.err
		}
		if l.Done != nil {
			l.Done.Add(-int64(res.Groups))
		}
		l.repeater().Again()
		if d.prints.Undo(); d.inOrder || !d.met.Uncertain {
			break
		}
	}
	why, prints := d.res.Why, (*mem.Footprints)(nil)
	if !d.inOrder {
		prints = l.footprints(false, false)
	}
	s, err := l.Begin(ctx)
	if err != nil {
		return res, err
	}
	*res = Result{Workers: 1, Serial: true}
	d.close()
	d = &dispatch{Session: s, res: res, prints: prints}
	d.run()
	switch res.Why = why; {
	case why != "":
	case d.met != nil:
		res.Why = d.met.String()
	default:
		res.Why = "groups that run beside each other meet in memory"
	}
	return res, d.err
}

// Each worker takes several groups at a time: its share of what is left, at most mostAtOnce. So groups that run one
// after another on a worker are neighbours and share pages, and towards the end no worker holds many groups that
// another could run.
const (
	parts      = 4
	mostAtOnce = 64
)

// A dispatch is a launch whose groups run without interaction.
type dispatch struct {
	*Session
	next atomic.Uint64 // index of the next group to start
	stop atomic.Uint64 // groups above this index no longer matter
	over atomic.Bool   // no group matters any more: a conflict was found, or code to which the order of groups matters

	open    bool         // the code that waves may reach is not all known; see orderMatters
	reached atomic.Int64 // the number of exec.Program.Arrivals when they were last looked at

	mu      sync.Mutex
	res     *Result
	err     error // of group d.stop
	inOrder bool  // groups have to run again in order, because of res.Why

	collects bool            // if racing: conflicts are collected by prints
	racing   bool            // conflicts of the waves of a group count, too
	learns   bool            // footprints may learn: see Launch.footprints
	waves    mem.Waves       // where, if racing
	prints   *mem.Footprints // nil: conflicts in memory are allowed
	met      *conflict       // the first conflict that was found; guarded by mu
}

// close releases the resources of the footprints.
func (d *dispatch) close() {
	if d.prints != nil {
		d.prints.Close()
	}
}

// A conflict is a conflict of a group with another in memory.
type conflict struct {
	group [3]uint32
	*mem.Conflict
}

func (m *conflict) String() string {
	return fmt.Sprintf("group (%d,%d,%d) %v", m.group[0], m.group[1], m.group[2], m.Conflict)
}

// shared returns the spaces that groups share.
func (l *Launch) shared() []*mem.Space {
	return slices.DeleteFunc(slices.Concat(l.Env.Spaces[ir.GlobalSpace], l.Env.Spaces[ir.ConstSpace]), func(s *mem.Space) bool { return s == nil })
}

// mapped returns why results may depend on the order of groups because accesses to memory call back into the host; ""
// if none do.
func (l *Launch) mapped() string {
	for _, s := range l.shared() {
		if s.Asks() {
			return "memory or devices are mapped as groups come to them"
		}
	}
	return ""
}

// footprints records accesses to the memory that groups share. Whether what footprints learn restarts a run depends on
// which groups end first, so they do not learn if there is an observer, unless that is only one that restarts are for.
func (l *Launch) footprints(keep, restarts bool) *mem.Footprints {
	f := mem.NewFootprints(keep, l.shared()...)
	if l.Observer == nil || restarts {
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
			if p := recover(); p != nil { // passed on once no other worker is running: the caller may be able to handle it
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
	work() // on this goroutine: waking another takes longer than a small launch
	wg.Wait()
	if text := defect.Load(); text != nil {
		panic(*text)
	}
	d.End()
}

// setWorkers chooses the number of workers of the launch.
func (d *dispatch) setWorkers() {
	workers := d.l.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	d.res.Workers = int(min(uint64(workers), d.groups, d.room))
	if d.groups > 1 {
		d.reached.Store(int64(len(d.l.Program.Arrivals())))
		if d.res.Why, d.open = orderMatters(d.l.Program, d.l.Entry); d.res.Why == "" {
			d.res.Why = d.l.mapped()
		}
		if d.res.Serial = d.res.Why != "" && !d.l.Relaxed; d.res.Serial {
			d.res.Workers = 1
		}
	}
	compares := d.res.Workers > 1 && !d.l.Relaxed || d.racing && d.waves == mem.InAll
	if (d.racing || compares) && d.prints == nil {
		d.prints = d.l.footprints(true, d.learns)
	}
	if d.racing && !compares {
		d.waves = mem.InOwn
		d.prints.SaveAll()
	}
}

// reachedMore checks whether the order of groups matters to code that waves have reached since the last time.
func (d *dispatch) reachedMore() {
	if !d.open {
		return
	}
	n := int64(len(d.l.Program.Arrivals()))
	if d.reached.Swap(n) == n {
		return
	}
	why, _ := orderMatters(d.l.Program, d.l.Entry)
	d.mu.Lock()
	defer d.mu.Unlock()
	if why == "" || d.res.Why != "" {
		return
	}
	d.res.Why, d.res.Serial = why, !d.l.Relaxed
	if d.inOrder = d.res.Serial && d.res.Workers > 1; d.inOrder {
		d.over.Store(true)
	}
}

// compare checks whether the group of the slot conflicts with another. If so, groups that run in parallel need not go
// on, and groups that run in order need no further checks.
func (d *dispatch) compare(w *Slot) {
	if w.foot == nil {
		return
	}
	m := w.foot.End()
	if m == nil {
		return
	}
	if !d.collects {
		w.foot = nil
	}
	d.meet(&conflict{w.Group.ID, m})
}

// meet notes a conflict.
func (d *dispatch) meet(m *conflict) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.met == nil || m.Uncertain {
		d.met = m
	}
	if d.res.Workers > 1 || d.racing && (!d.collects || m.Uncertain) {
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
