package launch

import (
	"context"
	"errors"
	"fmt"
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
	d := &dispatch{l: l, res: res, meter: exec.NewMeter(ctx, l.Limits)}
	d.stop.Store(^uint64(0))
	if err := d.prepare(); err != nil {
		return res, err
	}
	d.observe(exec.Event{Kind: exec.LaunchStart, Where: exec.Where{Kernel: l.Kernel}})
	var wg sync.WaitGroup
	for range res.Workers {
		wg.Go(d.work)
	}
	wg.Wait()
	d.observe(exec.Event{Kind: exec.LaunchEnd, Where: exec.Where{Kernel: l.Kernel}})
	return res, d.err
}

// A dispatch is a launch under way.
type dispatch struct {
	l      *Launch
	layout *exec.Layout
	groups uint64
	meter  *exec.Meter
	next   atomic.Uint64 // group to start
	stop   atomic.Uint64 // no group above this index matters any more

	mu  sync.Mutex
	res *Result
	err error // of group d.stop
}

// prepare checks the launch and decides how many workers it gets.
func (d *dispatch) prepare() (err error) {
	l := d.l
	if d.layout, err = exec.NewLayout(l.Program.Machine(), l.Lanes); err != nil {
		return err
	}
	if d.groups, err = l.Grid.check(); err != nil {
		return err
	}
	if n := l.Limits.Groups; n != 0 && d.groups > n {
		return fmt.Errorf("launch: %d groups; the limit is %d", d.groups, n)
	}
	workers := l.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	d.res.Workers = int(min(uint64(workers), d.groups))
	if d.groups > 1 {
		d.res.Why = orderMatters(l.Program, l.Entry)
		if d.res.Serial = d.res.Why != "" && !l.Relaxed; d.res.Serial {
			d.res.Workers = 1
		}
	}
	return d.fitMemory()
}

// fitMemory lowers the number of workers until their memory is within the limit.
func (d *dispatch) fitMemory() error {
	limit := d.l.Limits.Memory
	if limit == 0 {
		limit = DefaultMemory
	}
	shared := uint64(0)
	for _, banks := range d.l.Env.Spaces {
		for _, s := range banks {
			if s != nil {
				shared += s.Bytes()
			}
		}
	}
	whole := d.l.Grid.group(0, d.layout.Lanes)
	each := uint64(max(d.l.GroupBytes, 0)) + uint64(whole.Waves*d.layout.Bytes()) + d.ownBytes(whole.Waves)
	if shared+each > limit {
		return fmt.Errorf("launch: %d bytes of buffers and %d for a group in flight; the limit is %d", shared, each, limit)
	}
	d.res.Workers = int(min(uint64(d.res.Workers), (limit-shared)/each))
	return nil
}

func (d *dispatch) observe(e exec.Event) {
	if d.l.Observer != nil {
		d.l.Observer.Observe(e)
	}
}

// errPassed is the end of a group that no longer matters, because an earlier one has failed.
var errPassed = errors.New("launch: an earlier group has failed")

// work runs groups, in order of their start, until none is left or one has failed.
func (d *dispatch) work() {
	w := newWorker(d)
	for {
		i := d.next.Add(1) - 1
		if i >= d.groups || i > d.stop.Load() {
			break
		}
		if err := w.group(d.l.Grid.group(i, d.layout.Lanes)); err != nil && err != errPassed {
			d.fail(i, err)
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.res.Add(&w.count)
	d.res.Faults.Merge(&w.faults)
	d.res.Groups += w.groups
	d.res.Waves += w.waves
}

func (d *dispatch) fail(i uint64, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if i < d.stop.Load() || d.err == nil {
		d.stop.Store(i)
		d.err = err
	}
}
