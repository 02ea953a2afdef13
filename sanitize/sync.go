package sanitize

import (
	"cmp"
	"fmt"
	"maps"
	"math/bits"
	"slices"
	"strings"
	"sync"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
)

// Sync finds barriers that not all of a group come to in the same way, and waves that wait for what cannot happen. It
// observes barriers, the ends of waves and faults, no accesses. It is an exec.Observer, and may observe any number of
// launches, one after another.
type Sync struct {
	mu     sync.Mutex
	codes  kept[ir.Code, *syncing]
	code   *syncing // of the launch
	groups map[[3]uint32]*gathering
	found  map[syncKey]*Unsynced
	was    map[syncKey]*Unsynced // at save
	tell   func(Finding)
}

// A SyncKind says what is wrong.
type SyncKind uint8

const (
	Missed    SyncKind = iota // waves have ended without coming to a barrier where others wait: it is passed without them
	Different                 // waves release each other at different barrier instructions
	Divergent                 // some lanes of a wave come to a barrier, and others do not
	Stuck                     // a wave waits at a barrier to which no other can come
	Spins                     // a wave reached the limit of steps in a loop that does nothing but read
)

var syncNames = [...]string{Missed: "missed", Different: "different", Divergent: "divergent", Stuck: "stuck", Spins: "spins"}

func (k SyncKind) String() string { return syncNames[k] }

// An Unsynced is a barrier, or a loop; it describes the first time.
type Unsynced struct {
	Kind   SyncKind
	Kernel string
	Group  [3]uint32
	Wave   int
	Lanes  uint64      // Divergent: those that do not come; Spins: those that read
	At     Instruction // the barrier; Spins: what reads
	With   Instruction // Missed: the end of OtherWave; Different: its barrier
	Other  int         // the other wave of the group
	Addr   uint64      // Spins: what is read; with Register it is the register's value
	Space  string      // Spins: the space of Addr
	// Register is what a loop reads that waits for a register which waves share, such as a mutex.
	Register string
	// Lock is the bits of Register for which the loop waits, if they are locks, and Holder the wave that has locked them;
	// -1: none is known. It may be the wave itself, or have ended.
	Lock   uint32
	Holder int
	Others string // Stuck and Spins: where the other waves of the group are
	Count  uint64
}

// syncRules are the rules of kinds.
var syncRules = [...]string{Missed: "sync-missed", Different: "sync-different", Divergent: "sync-divergent", Stuck: "sync-stuck", Spins: "sync-spins"}

// Finding returns it as a finding.
func (u *Unsynced) Finding() Finding {
	f := Finding{Rule: syncRules[u.Kind], Kernel: u.Kernel, Group: u.Group, Count: u.Count, Unit: "time", At: Side{"barrier", u.At, u.Group, u.Wave, -1, nil}}
	if u.With.Text != "" {
		f.Others = []Side{{"barrier", u.With, u.Group, u.Other, -1, nil}}
	}
	switch u.Kind {
	case Missed:
		f.Others[0].Role = "end"
		f.Msg = fmt.Sprintf("the barrier releases wave %d although wave %d has not come there: it has ended", u.Wave, u.Other)
	case Different:
		f.Msg = fmt.Sprintf("waves %d and %d are at different barriers, which release each other", u.Wave, u.Other)
	case Divergent:
		f.Msg = fmt.Sprintf("wave %d is in divergent flow at a barrier: lanes %#x do not come there", u.Wave, u.Lanes)
	case Stuck:
		f.Msg = fmt.Sprintf("wave %d waits at a barrier to which no other wave can come; %s", u.Wave, u.Others)
	case Spins:
		what := fmt.Sprintf("%#x of %s memory", u.Addr, u.Space)
		if f.Space, f.Addr = u.Space, u.Addr; u.Register != "" {
			f.Register, f.Addr = u.Register, 0
			what = fmt.Sprintf("%s, which is %#x", u.Register, u.Addr)
		}
		if u.Lock != 0 {
			what += ": " + u.holder()
		}
		f.At.Role, f.At.Lane = "load", bits.TrailingZeros64(u.Lanes)
		f.Msg = fmt.Sprintf("wave %d waits in a loop that reads %s until the limit of steps; %s", u.Wave, what, u.Others)
	}
	return f
}

// holder says who has what a loop waits for.
func (u *Unsynced) holder() string {
	locks := fmt.Sprintf("lock %d", bits.TrailingZeros32(u.Lock))
	switch {
	case u.Holder < 0:
		return locks + ", which no wave of the group holds,"
	case u.Holder == u.Wave:
		return locks + ", which it holds itself,"
	}
	return fmt.Sprintf("%s, which wave %d has taken and not released,", locks, u.Holder)
}

type syncKey struct {
	kind     SyncKind
	at, with uint64
}

// A gathering is the waves of a group that runs.
type gathering struct {
	waves []attendance  // by number
	here  map[int][]int // waves that have arrived at a barrier, by its number
	came  map[int][]int // those that have arrived without waiting
}

// An attendance is where a wave is: at the barrier of an instruction, or after its end.
type attendance struct {
	at, end uint64 // addresses; 0: nowhere, or it runs
	number  int    // of the barrier at
	ended   bool
	state   *exec.State // until it has ended
	held    []uint32    // locks when it ended, by file
}

// firstSync is the kind of the probe before the end of a wave.
const firstSync = 1 << 35

// Watch returns code to run in place of a launch's.
func (s *Sync) Watch(code ir.Code, _ []exec.Window) ir.Code {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.code = s.codes.of(code, func(int) *syncing {
		p := &syncing{Code: code, s: s, before: map[uint64]uint64{}}
		p.program = exec.NewProgram(p)
		return p
	})
	s.groups = map[[3]uint32]*gathering{}
	if s.found == nil {
		s.found = map[syncKey]*Unsynced{}
	}
	return s.code.program
}

// Found returns the findings, by the addresses of their instructions.
func (s *Sync) Found() []*Unsynced {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.SortedFunc(maps.Values(s.found), func(x, y *Unsynced) int {
		return cmp.Or(cmp.Compare(x.At.PC, y.At.PC), cmp.Compare(x.Kind, y.Kind), cmp.Compare(x.With.PC, y.With.PC))
	})
}

// Findings is Found in the form that all checks share.
func (s *Sync) Findings() []Finding { return findings(s.Found()) }

func (s *Sync) part(tell func(Finding)) { s.tell = tell }

func (s *Sync) save() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.was = copied(s.found)
}

func (s *Sync) again() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.found = copied(s.was)
}

// Observe handles an event.
func (s *Sync) Observe(e exec.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch e.Kind {
	case exec.GroupStart:
		s.groups[e.Group] = &gathering{here: map[int][]int{}, came: map[int][]int{}}
	case exec.GroupEnd:
		delete(s.groups, e.Group)
	}
	g := s.groups[e.Group]
	if g == nil {
		return
	}
	switch e.Kind {
	case exec.WaveStart:
		for len(g.waves) <= e.Wave {
			g.waves = append(g.waves, attendance{})
		}
		g.waves[e.Wave].state = e.State
	case exec.Probed:
		for i := range e.Probes {
			if e.Probes[i].Kind == firstSync {
				g.waves[e.Wave].end = e.Probes[i].PC
			}
		}
	case exec.WaveEnd:
		x := &g.waves[e.Wave]
		x.ended, x.held, x.state = true, s.heldBy(e.State), nil
	case exec.BarrierReached:
		s.reached(g, &e)
	case exec.BarrierReleased:
		s.released(g, &e)
	case exec.FaultRaised:
		s.fault(g, &e)
	}
}

// reached handles a wave that comes to a barrier.
func (s *Sync) reached(g *gathering, e *exec.Event) {
	pc := s.code.before[e.State.At.Key.PC]
	if e.Barrier.Kind != ir.BarrierArrive {
		g.waves[e.Wave].at, g.waves[e.Wave].number = pc, e.Barrier.Number
	} else {
		g.came[e.Barrier.Number] = append(g.came[e.Barrier.Number], e.Wave)
	}
	if e.Barrier.Lanes == 0 && e.Barrier.Kind == ir.BarrierSync { // others need not be for all waves
		g.here[e.Barrier.Number] = append(g.here[e.Barrier.Number], e.Wave)
	}
	if missing := e.State.Live &^ e.State.Exec; s.code.Machine().Control != ir.MaskData && missing != 0 {
		s.find(syncKey{Divergent, pc, 0}, Unsynced{Kernel: e.Kernel, Group: e.Group, Wave: e.Wave, Lanes: missing})
	}
}

// released handles a barrier that lets its waves go on.
func (s *Sync) released(g *gathering, e *exec.Event) {
	here, came := g.here[e.Barrier.Number], g.came[e.Barrier.Number]
	delete(g.here, e.Barrier.Number)
	delete(g.came, e.Barrier.Number)
	for _, w := range here {
		first, at := here[0], &g.waves[w]
		if other := g.waves[first].at; at.at != other && other != 0 && !s.sameLine(at.at, other) {
			s.find(syncKey{Different, other, at.at}, Unsynced{Kernel: e.Kernel, Group: e.Group, Wave: first, Other: w})
		}
	}
	if len(here) > 0 {
		for w := range g.waves {
			if x := &g.waves[w]; x.ended && !slices.Contains(came, w) {
				s.find(syncKey{Missed, g.waves[here[0]].at, x.end}, Unsynced{Kernel: e.Kernel, Group: e.Group, Wave: here[0], Other: w})
			}
		}
	}
	for w := range g.waves {
		if x := &g.waves[w]; x.number == e.Barrier.Number {
			x.at = 0
		}
	}
}

// sameLine reports whether a compiler has made two instructions for one place of the source, as where it copies a
// barrier to both sides of a branch.
func (s *Sync) sameLine(x, y uint64) bool {
	a, b := ir.PlaceOf(s.code.Code, x).Source, ir.PlaceOf(s.code.Code, y).Source
	return a.Known() && a == b
}

// find counts a finding, and completes its description the first time.
func (s *Sync) find(k syncKey, u Unsynced) {
	if x := s.found[k]; x != nil {
		x.Count++
		return
	}
	u.Kind, u.At, u.Count = k.kind, instructionAt(s.code.Code, k.at), 1
	if k.with != 0 {
		u.With = instructionAt(s.code.Code, k.with)
	}
	s.found[k] = &u
	if s.tell != nil {
		s.tell(u.Finding())
	}
}

// fault handles the end of a wave that waits for others: at a barrier, or in a loop.
func (s *Sync) fault(g *gathering, e *exec.Event) {
	switch e.Fault.Kind {
	case exec.FaultBarrier:
		at := s.code.before[e.Fault.PC]
		s.find(syncKey{Stuck, at, 0}, Unsynced{Kernel: e.Kernel, Group: e.Group, Wave: e.Wave, Others: s.others(g, e.Wave)})
	case exec.FaultLimit:
		if p := s.polled(e.State); p != nil {
			p.Kernel, p.Group, p.Wave, p.Others = e.Kernel, e.Group, e.Wave, s.others(g, e.Wave)
			p.Holder = s.holder(g, p.Lock)
			s.find(syncKey{Spins, p.At.PC, 0}, *p)
		}
	}
}

// heldBy returns the locks that a wave holds, by file; nil: there are none.
func (s *Sync) heldBy(st *exec.State) (held []uint32) {
	if st == nil {
		return nil
	}
	for _, f := range s.code.Machine().Files {
		if f.Held != 0 {
			held = append(held, st.Get(ir.Cell{File: f.Held}, 0))
		}
	}
	return held
}

// holder returns the wave that holds locks; -1: none does.
func (s *Sync) holder(g *gathering, locks uint32) int {
	for w := range g.waves {
		held := g.waves[w].held
		if st := g.waves[w].state; st != nil {
			held = s.heldBy(st)
		}
		if slices.ContainsFunc(held, func(x uint32) bool { return x&locks != 0 }) {
			return w
		}
	}
	return -1
}

// maxOthers limits the waves that a finding lists.
const maxOthers = 8

// others describes where the other waves of a group are.
func (s *Sync) others(g *gathering, wave int) string {
	var list []string
	for w := range g.waves {
		x := &g.waves[w]
		switch {
		case w == wave:
		case len(list) == maxOthers:
			return strings.Join(append(list, "and others"), ", ")
		case x.ended:
			list = append(list, fmt.Sprintf("wave %d has ended", w))
		case x.at != 0:
			list = append(list, fmt.Sprintf("wave %d waits at %v", w, instructionAt(s.code.Code, x.at)))
		default:
			list = append(list, fmt.Sprintf("wave %d runs", w))
		}
	}
	if list == nil {
		return "the group has no other wave"
	}
	return strings.Join(list, ", ")
}

// syncing is code with a probe before the end of waves. It remembers where barriers are.
type syncing struct {
	ir.Code
	s       *Sync
	program *exec.Program
	before  map[uint64]uint64 // addresses of barriers, by the address behind
}

// Unwrap returns the code without probes.
func (p *syncing) Unwrap() ir.Code { return p.Code }

// Block returns the block with its probe.
func (p *syncing) Block(at ir.Key) (*ir.Block, error) {
	b, err := p.Code.Block(at)
	if err != nil || len(b.Marks) == 0 {
		return b, err
	}
	last := len(b.Ops) - 1
	switch t := &b.Ops[last]; t.Op {
	case ir.Barrier:
		p.s.mu.Lock()
		p.before[t.Imm] = b.Marks[len(b.Marks)-1].PC
		p.s.mu.Unlock()
	case ir.End, ir.Retire:
		n := *b
		n.Ops, n.Vals = slices.Clone(b.Ops[:last]), slices.Clone(b.Vals)
		live, err := n.Add(p.Machine(), ir.Inst{Op: ir.Live, Type: ir.I1})
		if err == nil {
			_, err = n.Add(p.Machine(), ir.Inst{Op: ir.Probe, Imm: firstSync, Args: []ir.Val{live}})
		}
		n.Ops = append(n.Ops, *t)
		return &n, err
	}
	return b, nil
}
