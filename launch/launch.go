package launch

import (
	"context"
	"errors"
	"runtime"
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
	// filled in and Group set to zeroed memory of Launch.GroupBytes.
	NewGroup(g *Group, env *exec.Env) error
	// InitWave fills the cells of a wave. st is zeros, its lanes that exist live, executing and at
	// Launch.Entry; env is the wave's own copy of the group's. A mode cell set here takes effect.
	InitWave(g *Group, wave int, st *exec.State, env *exec.Env) error
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

// Run runs the grid. The error is the *exec.Fault of the first group that has one, in order of
// dispatch, whatever the number of workers; memory then holds what the groups have done so far.
func (l *Launch) Run(ctx context.Context) (*Result, error) {
	start := time.Now()
	res := &Result{}
	defer func() { res.Time = time.Since(start) }()
	s, err := l.Begin(ctx)
	if err != nil {
		return res, err
	}
	d := &dispatch{Session: s, res: res}
	d.stop.Store(^uint64(0))
	d.setWorkers()
	var wg sync.WaitGroup
	for range res.Workers {
		wg.Go(d.work)
	}
	wg.Wait()
	s.End()
	return res, d.err
}

// A dispatch is a launch whose groups run by themselves.
type dispatch struct {
	*Session
	next atomic.Uint64 // group to start
	stop atomic.Uint64 // no group above this index matters any more

	mu  sync.Mutex
	res *Result
	err error // of group d.stop
}

// setWorkers decides how many workers the launch gets.
func (d *dispatch) setWorkers() {
	workers := d.l.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	d.res.Workers = int(min(uint64(workers), d.groups, d.room))
	if d.groups > 1 {
		d.res.Why = orderMatters(d.l.Program, d.l.Entry)
		if d.res.Serial = d.res.Why != "" && !d.l.Relaxed; d.res.Serial {
			d.res.Workers = 1
		}
	}
}

// work runs groups, in order of their start, until none is left or one has failed.
func (d *dispatch) work() {
	w := d.NewSlot()
	var sum Result
	for {
		i := d.next.Add(1) - 1
		if i >= d.groups || i > d.stop.Load() {
			break
		}
		err := d.group(w, i)
		count := w.Count()
		sum.Add(&count)
		for k := range w.Waves {
			sum.Faults.Merge(&w.Waves[k].Env.Faults)
		}
		sum.Waves += uint64(w.begun)
		switch err {
		case nil:
			sum.Groups++
		case errPassed:
		default:
			d.fail(i, err)
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.res.Add(&sum.Counters)
	d.res.Faults.Merge(&sum.Faults)
	d.res.Groups += sum.Groups
	d.res.Waves += sum.Waves
}

// errPassed is the end of a group that no longer matters, because an earlier one has failed.
var errPassed = errors.New("launch: an earlier group has failed")

// group runs a group to its end.
func (d *dispatch) group(w *Slot, index uint64) error {
	defer w.End()
	if err := w.Begin(index); err != nil {
		return err
	}
	for wave, ok := w.Next(); ok; wave, ok = w.Next() {
		stop := w.Turn(wave, exec.Budget{Steps: exec.Quantum})
		if stop.Reason == exec.StopFault {
			return stop.Fault
		}
		if d.stop.Load() < index {
			return errPassed
		}
	}
	return nil
}

func (d *dispatch) fail(i uint64, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if i < d.stop.Load() || d.err == nil {
		d.stop.Store(i)
		d.err = err
	}
}
