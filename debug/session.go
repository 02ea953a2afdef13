package debug

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/stepping"
)

// A Run carries out the whole of what is debugged once, with a session that looks on, which [exec.Stepped] engines ask at each step. Each call must do
// the same. out takes what the run prints; what a run that begins again has printed before is dropped.
type Run func(ctx context.Context, s *Session) error

// A Listener is told what happens while a run goes on. Calls come from the goroutine of the run, or from that of who calls the session.
type Listener interface {
	// Halted is called when the run has stopped; the session may be used until it goes on.
	Halted(h *Halt)
	// Over is called when the run has come to its end, and cannot go on. Without Session.Linger it is called at most once, and last.
	Over(err error)
	// Resolved is called when code has been loaded that an earlier breakpoint is in.
	Resolved(p *Point)
	// Begun and Ended are called when a wave does.
	Begun(w *Wave)
	Ended(w *Wave)
	// Loaded is called when code runs first.
	Loaded(c *Code)
	// Say takes a line for the user.
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
	AtStart // the beginning, by going back
	AtExit  // in front of the last instruction, by Session.StopAtExit
	AtGoto
	AtEnd // after the last instruction, with Session.Linger; there is no wave
)

// A Halt is a stop of the run, in front of an instruction.
type Halt struct {
	Reason Reason
	Text   string // more about it, for the user
	Wave   *Wave
	Points []*Point          // of AtPoint and AtWatch
	Failed []*ConditionError // of Points
	Fault  *exec.Fault
	Pos    uint64 // instructions that have begun in the run before
	Step   *exec.Step
	Code   *Code
}

// A Session is a run that stops. Its methods are for one goroutine at a time, apart from Pause, and all but SetPoints, Pause and Quit only
// for while the run has stopped.
type Session struct {
	StopAtExit bool // once, in front of the last instruction
	Linger     bool // a run that is over can be gone back into: Halted is there then, with the reason AtEnd and no wave

	run     Run
	to      Listener
	orders  chan order
	halted  atomic.Pointer[Halt]
	pausing atomic.Bool
	quit    atomic.Bool
	watches atomic.Bool // there are some
	faults  atomic.Bool // stop the run
	cancel  context.CancelFunc
	done    chan struct{}

	// What follows belongs to the goroutine of the run, or while it has stopped to the caller.
	steps   uint64 // instructions that have begun in this run
	seen    uint64 // positions below have been before
	order   order
	entered bool // the run has once come to its first instruction
	exited  bool // StopAtExit has been heeded
	leaving error
	launch  int
	draws   int    // waves of draws that have begun
	drewAt  uint64 // the position at which the last did
	wave    *Wave  // whose turn it is
	code    *Code  // that ran last
	waves   []*Wave
	ids     map[Key]int
	turns   []turn
	edits   []edit
	trace   []traced
	last    *Halt  // of a search
	change  string // what a watch has seen, for the next instruction to stop at
	changed []*Point
	failed  []*ConditionError // of changed
	touched []touch           // accesses of the instruction at hand, for watches of reads
	probing map[*exec.Program]*probing
	next    func() // what follows a place that was gone back to

	mu      sync.Mutex // guards what follows
	codes   []*Code
	byCode  map[*exec.Program]*Code
	byPrint map[fingerprint]*Code
	points  []*Point
	made    int // points ever
}

// A turn is instructions of one wave, one after another.
type turn struct {
	start uint64
	id    int
}

// maxTurns bounds the turns that are remembered. Back knows no wave's instructions beyond.
const maxTurns = 1 << 22

// An edit is what the user has changed in front of an instruction.
type edit struct {
	pos  uint64
	what string
	do   func(*exec.Step)
}

// New is a session of a run that has not begun.
func New(run Run, to Listener) *Session {
	s := &Session{run: run, to: to, orders: make(chan order), done: make(chan struct{}), ids: map[Key]int{}, byCode: map[*exec.Program]*Code{},
		byPrint: map[fingerprint]*Code{}, probing: map[*exec.Program]*probing{}}
	s.faults.Store(true)
	return s
}

// Start begins the run on a goroutine of its own. It stops in front of the first instruction, always: then breakpoints can be set.
func (s *Session) Start(ctx context.Context) {
	ctx, s.cancel = context.WithCancel(ctx)
	s.order = order{kind: toTarget}
	go s.loop(ctx)
}

// loop runs until somebody quits, or the run is over.
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
		if s.change != "" { // there is no instruction behind it to stop at
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

// behindEnd reports whether a run that has come to its end is to begin again, to a place that has been found.
func (s *Session) behindEnd() bool {
	switch {
	case s.order.replays() && s.steps == s.order.target: // it began at the end
		_ = s.found()
		return true
	case s.order.kind == forLast || s.order.kind == forTrace || s.order.kind == toTarget && s.steps > 0 && s.entered:
		s.to.Say("the run did not come to where it was before: it is not the same each time")
		return false
	case s.StopAtExit && !s.exited && s.steps > 0:
		s.exited = true
		s.order = order{kind: toTarget, target: s.steps - 1, reason: AtExit}
		return true
	}
	return false
}

// begin prepares for a run, or the same once more.
func (s *Session) begin() {
	s.steps, s.leaving, s.launch, s.draws, s.wave, s.last = 0, nil, 0, 0, nil, nil
	s.turns, s.trace, s.change, s.changed, s.failed = s.turns[:0], s.trace[:0], "", nil, nil
	s.endWaves()
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.byCode)
	clear(s.probing)
	for _, p := range s.points {
		p.begin(s.order.kind == forLast)
	}
}

// endWaves takes leave of all waves.
func (s *Session) endWaves() {
	for _, w := range s.waves {
		if !s.replaying() {
			s.to.Ended(w)
		}
	}
	s.waves = s.waves[:0]
}

// Halted is where the run has stopped; nil: it goes on, or is over.
func (s *Session) Halted() *Halt { return s.halted.Load() }

// Pause stops the run in front of whatever comes next.
func (s *Session) Pause() { s.pausing.Store(true) }

// Quit ends the run, and waits until it has.
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

// Replaying reports whether the run goes through what has been before: what it prints has been printed.
func (s *Session) Replaying() bool { return s.leaving != nil || s.quit.Load() || s.replaying() }

func (s *Session) replaying() bool { return s.steps < s.seen || s.order.replays() }

// StopFaults says whether the run stops at faults; it may be called while the run goes on.
func (s *Session) StopFaults(is bool) { s.faults.Store(is) }

// Waves are those of the group at hand that have begun and not ended.
func (s *Session) Waves() []*Wave { return s.waves }

// WaveOf is the wave of an ID; nil: there is none now.
func (s *Session) WaveOf(id int) *Wave {
	for _, w := range s.waves {
		if w.ID == id {
			return w
		}
	}
	return nil
}

// Codes are the programs that have run so far.
func (s *Session) Codes() []*Code {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]*Code(nil), s.codes...)
}

// Silent is a Listener that does nothing about what it is told, to be embedded in those that want to hear some of it.
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
