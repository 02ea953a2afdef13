package debug

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/stepping"
	"github.com/heddle-gpu/heddle/sanitize"
)

// A Run executes the whole program under the debugger once. The session observes it: [exec.Stepped] engines call it
// at each step. Each call must do the same. out receives what the run prints; output that a restarted run repeats is
// dropped.
type Run func(ctx context.Context, s *Session) error

// A Listener is notified while a run continues. Its methods are called on the goroutine of the run, or on that of the
// session's caller.
type Listener interface {
	// Halted is called when the run has stopped; the session may be used until it continues.
	Halted(h *Halt)
	// Over is called when the run has ended, and cannot continue. Without Session.Linger it is called at most once,
	// and last.
	Over(err error)
	// Resolved is called when code has been loaded that contains an earlier breakpoint.
	Resolved(p *Point)
	// Begun and Ended are called when a wave starts and terminates.
	Begun(w *Wave)
	Ended(w *Wave)
	// Loaded is called when code runs for the first time.
	Loaded(c *Code)
	// Say receives a line of output for the user.
	Say(text string)
}

// A Reason says why a run has stopped.
type Reason uint8

const (
	AtEntry Reason = iota + 1
	AtPoint
	AtWatch
	AfterStep
	AtPause
	AtFault
	AtStart // at the beginning, by going back
	AtExit  // before the last instruction, by Session.StopAtExit
	AtGoto
	AtLaunch  // at the first instruction of a launch
	AtFinding // before an instruction at which a sanitizer has found something; see Session.Found
	AtEnd     // after the last instruction, with Session.Linger; there is no wave
)

// A Halt is a stop of the run before an instruction.
type Halt struct {
	Reason Reason
	Text   string // details for the user
	Wave   *Wave
	Points []*Point          // for AtPoint and AtWatch
	Failed []*ConditionError // of Points
	Fault  *exec.Fault
	Found  []*sanitize.Finding // for AtFinding
	Pos    uint64              // instructions that have begun before in the run
	Step   *exec.Step
	Code   *Code
}

// A Session is a run under the debugger. Its methods must not be called concurrently, except for Pause; all but
// SetPoints, Pause and Quit may be called only while the run is stopped.
type Session struct {
	StopAtExit bool           // once, before the last instruction
	Finds      bool           // a sanitizer calls Found: instructions are skipped only on the way to a place
	Init       *sanitize.Init // in the run under way, for Origin; nil: undefined values are not looked for
	Linger     bool           // allow going back after the end: Halted then has the reason AtEnd and no wave

	run     Run
	to      Listener
	orders  chan order
	halted  atomic.Pointer[Halt]
	pausing atomic.Bool
	quit    atomic.Bool
	watches atomic.Bool // there are some
	faults  atomic.Bool // stop at faults
	entries atomic.Bool // stop where launches begin
	cancel  context.CancelFunc
	done    chan struct{}

	// What follows belongs to the goroutine of the run, or to the caller while it is stopped.
	steps   uint64 // instructions that have begun in this run
	seen    uint64 // lower positions have been reached before
	first   uint64 // the session cannot go back to lower positions
	order   order
	entered bool // the run has reached its first instruction once
	exited  bool // StopAtExit is done
	leaving error
	launch  int
	starts  bool   // the next instruction is the first of a launch
	draws   int    // waves of draws that have started
	drewAt  uint64 // the position at which the last one did
	wave    *Wave  // the running wave
	code    *Code  // that ran last
	waves   []*Wave
	ids     map[Key]int
	kept    struct{ launch, id int } // those before the position first
	turns   []turn
	edits   []edit
	trace   []traced
	last    *Halt  // of a search
	change  string // what a watchpoint has seen, for the next halt
	changed []*Point
	failed  []*ConditionError   // of changed
	finding []*sanitize.Finding // at the present instruction
	told    map[uint64]bool     // positions after instructions with findings at which the run has stopped
	touched []touch             // accesses of the present instruction, for read watchpoints
	probing map[*exec.Program]*probing
	next    func()                     // called after going back
	ran     map[*Code]map[uint64]Count // by address in memory; nil: the session does not count
	gone    <-chan struct{}            // closed when what runs is ended from outside; nil: it is not

	mu      sync.Mutex // guards what follows
	codes   []*Code
	byCode  map[*exec.Program]*Code
	byPrint map[fingerprint]*Code
	points  []*Point
	made    int // number of points ever made
}

// A turn is consecutive instructions of one wave.
type turn struct {
	start uint64
	id    int
}

// maxTurns limits the recorded turns. Back knows no wave's earlier instructions.
const maxTurns = 1 << 22

// An edit is a change by the user before an instruction.
type edit struct {
	pos  uint64
	what string
	do   func(*exec.Step)
}

// New returns a session of a run that has not begun.
func New(run Run, to Listener) *Session {
	s := &Session{run: run, to: to, orders: make(chan order), done: make(chan struct{}), ids: map[Key]int{}, byCode: map[*exec.Program]*Code{},
		byPrint: map[fingerprint]*Code{}, probing: map[*exec.Program]*probing{}}
	s.faults.Store(true)
	return s
}

// Start begins the run on its own goroutine. It always stops before the first instruction, so that breakpoints can be
// set.
func (s *Session) Start(ctx context.Context) {
	ctx, s.cancel = context.WithCancel(ctx)
	s.order = order{kind: toTarget}
	go s.loop(ctx)
}

// loop runs until Quit is called, or the run is over.
func (s *Session) loop(ctx context.Context) {
	defer close(s.done)
	defer s.cancel()
	for {
		s.begin()
		err := s.run(ctx, s)
		switch {
		case s.quit.Load() || errors.Is(s.leaving, stepping.ErrQuit):
			return
		case s.leaving != nil:
			continue
		}
		if s.behindEnd() {
			continue
		}
		if s.change != "" { // there is no further instruction to stop at
			s.to.Say("at the end: " + s.change)
		}
		s.endWaves()
		if s.Linger {
			s.halted.Store(&Halt{Reason: AtEnd, Pos: s.steps})
		}
		s.to.Over(err)
		if !s.Linger || (<-s.orders).kind == toQuit {
			return
		}
	}
}

// behindEnd reports whether a run that has ended must restart, to reach a position that has been found.
func (s *Session) behindEnd() bool {
	switch {
	case s.order.replays() && s.steps == s.order.target: // it began at the end
		_ = s.found()
		return true
	case s.strayed():
		return false
	case s.StopAtExit && !s.exited && s.steps > 0:
		s.exited = true
		s.order = order{kind: toTarget, target: s.steps - 1, reason: AtExit}
		return true
	}
	return false
}

// strayed reports whether a run that has ended has not come to a position to which it has come before, and says so.
func (s *Session) strayed() bool {
	is := s.order.replays() || s.order.kind == toTarget && s.steps > 0 && s.steps != s.order.target && s.entered
	if is {
		s.to.Say("the run did not come to where it was before: it is not the same each time")
	}
	return is
}

// begin prepares for the first or a repeated run.
func (s *Session) begin() {
	s.steps, s.leaving, s.launch, s.starts, s.draws, s.wave, s.last = s.first, nil, s.kept.launch, false, 0, nil, nil
	s.turns, s.trace, s.change, s.changed, s.failed, s.finding = s.turns[:0], s.trace[:0], "", nil, nil, nil
	s.endWaves()
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.byCode)
	clear(s.probing)
	clear(s.ran)
	for _, p := range s.points {
		p.begin(s.order.kind == forLast)
	}
}

// endWaves reports the end of all waves.
func (s *Session) endWaves() {
	for _, w := range s.waves {
		if !s.replaying() {
			s.to.Ended(w)
		}
	}
	s.waves = s.waves[:0]
}

// Halted returns where the run has stopped; nil: it is running, or is over.
func (s *Session) Halted() *Halt { return s.halted.Load() }

// Pause stops the run before the next instruction.
func (s *Session) Pause() { s.pausing.Store(true) }

// Quit ends the run, and waits for its end.
func (s *Session) Quit() {
	if s.quit.Swap(true) {
		<-s.done
		return
	}
	if s.cancel == nil {
		return // it has not begun
	}
	s.cancel()
	for {
		select {
		case s.orders <- order{kind: toQuit}:
		case <-s.done:
			return
		}
	}
}

// Replaying reports whether the run repeats earlier instructions: its output has been printed before.
func (s *Session) Replaying() bool { return s.leaving != nil || s.quit.Load() || s.replaying() }

func (s *Session) replaying() bool { return s.steps < s.seen || s.order.replays() }

// StopFaults says whether the run stops at faults; it may be called while the run continues.
func (s *Session) StopFaults(is bool) { s.faults.Store(is) }

// StopLaunches says whether the run stops where launches begin; it may be called while the run continues.
func (s *Session) StopLaunches(is bool) { s.entries.Store(is) }

// Waves returns the waves of the present workgroup that have started and not terminated.
func (s *Session) Waves() []*Wave { return s.waves }

// WaveOf returns the wave of an ID; nil: there is none at present.
func (s *Session) WaveOf(id int) *Wave {
	for _, w := range s.waves {
		if w.ID == id {
			return w
		}
	}
	return nil
}

// Codes returns the programs that have run so far.
func (s *Session) Codes() []*Code {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]*Code(nil), s.codes...)
}

// Silent is a Listener that ignores all calls, for embedding in those that need only some.
type Silent struct{}

// Halted implements Listener.
func (Silent) Halted(*Halt) {}

// Over implements Listener.
func (Silent) Over(error) {}

// Resolved implements Listener.
func (Silent) Resolved(*Point) {}

// Begun implements Listener.
func (Silent) Begun(*Wave) {}

// Ended implements Listener.
func (Silent) Ended(*Wave) {}

// Loaded implements Listener.
func (Silent) Loaded(*Code) {}

// Say implements Listener.
func (Silent) Say(string) {}
