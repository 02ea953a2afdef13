package sanitize

import (
	"fmt"
	"maps"
	"math/bits"
	"slices"
	"strings"
	"sync"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/spell"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/mem"
)

// A Check is a set of checks; each is a bit.
type Check uint8

const (
	CheckInit    Check = 1 << iota // undefined values: see Init
	CheckRace                      // data races: see Races
	CheckWait                      // missing waits: see Waits
	CheckLDS                       // data races in group memory, which CheckRace includes
	CheckMemory                    // accesses that a bound rules out, that memory refuses or no declaration allows: see Memory
	CheckSync                      // barriers, and loops that wait in vain: see Sync
	CheckNumeric                   // NaNs, infinities, conversions out of range and flushed denormals: see Numeric
	// CheckAll is all checks but CheckSync, which may be wrong about loops, and CheckNumeric, which tells of what code may
	// mean.
	CheckAll = CheckInit | CheckRace | CheckWait | CheckMemory
)

// checkNames are the names of the checks, by bit.
var checkNames = [...]string{"init", "race", "wait", "lds", "memory", "sync", "numeric"}

// ParseChecks reads a list of checks: their names and all, separated by commas; one with a minus before it is taken
// away again. A list that begins with that takes away from all.
func ParseChecks(list string) (c Check, err error) {
	for i, name := range strings.Split(list, ",") {
		bare, minus := strings.CutPrefix(name, "-")
		bit := Check(0)
		if k := slices.Index(checkNames[:], bare); k >= 0 {
			bit = 1 << k
		} else if bare == "all" {
			bit = CheckAll
		} else {
			return 0, fmt.Errorf("no check %q; there are %s and all", bare, strings.Join(checkNames[:], ", "))
		}
		switch {
		case minus && i == 0:
			c = CheckAll &^ bit
		case minus:
			c &^= bit
		default:
			c |= bit
		}
	}
	if c == 0 {
		return 0, fmt.Errorf("%q leaves no check", list)
	}
	return c, nil
}

// String returns the names of the checks, separated by commas.
func (c Check) String() string {
	var list []string
	for i, name := range checkNames {
		if c>>i&1 != 0 {
			list = append(list, name)
		}
	}
	return strings.Join(list, ",")
}

// A Sanitizer watches launches with several checks at once. It is a launch.Watcher, of any number of launches, one
// after another. The zero Sanitizer checks nothing.
type Sanitizer struct {
	// HostReads reports whether the host reads a buffer after the launches; nil: it reads all. Undefined values in
	// others are no findings.
	HostReads func(buffer string) bool
	// Direct watches the only run of a launch, as a debugger needs it, instead of looking for races in a second one if
	// there may be some: see launch.Racer.
	Direct bool
	Case   string // name of what runs, for Finding.Case

	parts []Part
	init  *Init
	races *Races
	nums  *Numeric
	found func(*Finding)
	mu    sync.Mutex // of found
}

// A Part is one check: Init, Races, Waits, Memory, Sync or Numeric.
type Part interface {
	exec.Observer
	Watch(code ir.Code, windows []exec.Window) ir.Code
	Findings() []Finding
	part(tell func(Finding))
	again() // drops what has been found since save
	save()
}

func (r *Races) part(tell func(Finding)) { r.tell = tell }
func (w *Waits) part(tell func(Finding)) { w.tell = tell }
func (u *Init) part(tell func(Finding))  { u.tell = tell }

// New returns a sanitizer with these checks. found, which may be nil, is called when something is found for the first
// time by its rule and instructions, one call at a time; it must not call the sanitizer. With Direct the wave is
// before or in its instruction then, without it at the latest at the end of its turn. What the host reads at the end,
// and what memory has refused, is not among these calls. Without Direct a launch may run several times, and found be
// called in each run.
func New(checks Check, found func(*Finding)) *Sanitizer {
	var parts []Part
	if checks&CheckNumeric != 0 { // below the others, whose probes follow what it says is unlikely
		parts = append(parts, &Numeric{})
	}
	if checks&(CheckRace|CheckLDS) != 0 {
		parts = append(parts, &Races{Local: checks&CheckRace == 0, Lanes: true})
	}
	if checks&CheckWait != 0 {
		parts = append(parts, &Waits{})
	}
	if checks&CheckMemory != 0 {
		parts = append(parts, &Memory{})
	}
	if checks&CheckSync != 0 {
		parts = append(parts, &Sync{})
	}
	if checks&CheckInit != 0 { // around the others, whose probes have no shadow
		parts = append(parts, &Init{})
	}
	return Combine(found, parts...)
}

// Combine is New of checks with settings of their own. Init is the last one.
func Combine(found func(*Finding), parts ...Part) *Sanitizer {
	s := &Sanitizer{parts: parts, found: found}
	for _, p := range parts {
		switch p := p.(type) {
		case *Init:
			s.init = p
		case *Races:
			s.races = p
		case *Numeric:
			s.nums = p
		}
		if found != nil {
			p.part(s.tell)
		}
	}
	return s
}

// tell passes on a finding when it is found.
func (s *Sanitizer) tell(f Finding) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f.Case = s.Case
	s.found(&f)
}

// Watch returns the code with the probes of all checks.
func (s *Sanitizer) Watch(code ir.Code, windows []exec.Window) ir.Code {
	for _, p := range s.parts {
		code = p.Watch(code, windows)
	}
	return code
}

// Observe passes an event to all checks.
func (s *Sanitizer) Observe(e exec.Event) {
	for _, p := range s.parts {
		p.Observe(e)
	}
}

// OnlyProbes reports whether no check looks at more than probes, and at groups that start and end: see
// exec.LooksAtWaves.
func (s *Sanitizer) OnlyProbes() bool {
	return !s.Direct && !slices.ContainsFunc(s.parts, func(p Part) bool { return exec.LooksAtWaves(p) })
}

// Shadows returns the shadow of memory that undefined values need; nil: they are not looked for.
func (s *Sanitizer) Shadows() *mem.Shadows {
	if s.init == nil {
		return nil
	}
	return s.init.Shadows()
}

// Keeps makes launches begin with what is kept of undefined values in memory, and keep what they leave, when Findings
// is called.
func (s *Sanitizer) Shares(k *Shared) {
	if s.init != nil {
		s.init.Shares(k)
	}
}

// Refuses says that a fault of memory has ended a launch.
func (s *Sanitizer) Refuses(f *exec.Fault) {
	for _, p := range s.parts {
		if m, is := p.(*Memory); is && f.Mem != nil {
			log := &exec.FaultLog{}
			log.Add(f, uint64(max(bits.OnesCount64(f.Lanes), 1)))
			m.Observe(exec.Event{Where: exec.Where{Kernel: f.Kernel}, Faults: log})
		}
	}
}

// Racing reports where launch.Run looks for races in two runs.
func (s *Sanitizer) Racing() (group, global bool) {
	if s.races == nil || s.Direct {
		return false, false
	}
	return s.races.Racing()
}

// Begins says where the waves of the next launch begin: see launch.Beginner.
func (s *Sanitizer) Begins(at ir.Key) {
	for _, p := range s.parts {
		if w, is := p.(*Waits); is {
			w.Begins(at)
		}
	}
}

// Memory is for launch.Run: what the next launch accesses.
func (s *Sanitizer) Memory(env *exec.Env, own func(wave int, addr uint64) bool) {
	if s.races != nil {
		s.races.Memory(env, own)
	}
	if s.nums != nil {
		s.nums.Memory(env, own)
	}
	if s.init != nil {
		s.init.Memory(env, own)
	}
}

// Filter returns the code for a run in which races are not looked for, and its observer.
func (s *Sanitizer) Filter(code ir.Code, windows []exec.Window, group bool) (ir.Code, exec.Observer) {
	var rest exec.Observers
	for _, p := range s.parts {
		if r, is := p.(*Races); is {
			var o exec.Observer
			if code, o = r.Filter(code, windows, group); o != nil {
				rest = append(rest, o)
			}
			continue
		}
		code, rest = p.Watch(code, windows), append(rest, p)
	}
	if len(rest) == 0 {
		return code, nil
	}
	return code, rest
}

// Narrow is for launch.Run: where there may be races.
func (s *Sanitizer) Narrow(group bool, global []mem.Extent) {
	if s.races != nil {
		s.races.Narrow(group, global)
	}
}

// Suspects reports whether there may be races that launch.Run cannot see.
func (s *Sanitizer) Suspects() bool { return s.races != nil && s.races.Suspects() }

// Save is for launch.Run: a launch begins, which may run several times.
func (s *Sanitizer) Save() {
	for _, p := range s.parts {
		p.save()
	}
}

// Again drops what has been found since Save: the launch runs again.
func (s *Sanitizer) Again() {
	for _, p := range s.parts {
		p.again()
	}
}

// Incomplete returns what has not been looked at; "": nothing.
func (s *Sanitizer) Incomplete() string {
	if s.races == nil || s.races.Lost() == 0 {
		return ""
	}
	return fmt.Sprintf("races were not looked for in %s: more memory is accessed than is kept track of", spell.Count(int(min(s.races.Lost(), 1<<62)), "accessed byte"))
}

// Findings returns what has been found so far, by check and then by instruction.
func (s *Sanitizer) Findings() (list []Finding) {
	if s.init != nil {
		reads := s.HostReads
		if reads == nil {
			reads = func(string) bool { return true }
		}
		s.init.HostReads(reads)
	}
	if s.nums != nil {
		s.nums.HostReads = s.HostReads
	}
	for _, p := range s.parts {
		list = append(list, p.Findings()...)
	}
	for i := range list {
		list[i].Case = s.Case
	}
	return list
}

// findings returns findings in the form that all checks share.
func findings[T interface{ Finding() Finding }](found []T) (list []Finding) {
	for _, x := range found {
		list = append(list, x.Finding())
	}
	return list
}

// Findings is Found in the form that all checks share.
func (r *Races) Findings() []Finding { return findings(r.Found()) }

// Findings is Found and Idle in the form that all checks share.
func (w *Waits) Findings() []Finding { return append(findings(w.Found()), findings(w.Idle())...) }

// Findings is Found in the form that all checks share.
func (u *Init) Findings() []Finding { return findings(u.Found()) }

// copied returns a map with copies of what another one points to.
func copied[K comparable, V any](m map[K]*V) map[K]*V {
	to := make(map[K]*V, len(m))
	for k, v := range m {
		x := *v
		to[k] = &x
	}
	return to
}

func (r *Races) save() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.before.found, r.before.lost = copied(r.found), r.lost
}

func (r *Races) again() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.found, r.lost = copied(r.before.found), r.before.lost
}

func (w *Waits) save() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ready()
	w.before.found, w.before.waits = copied(w.found), copied(w.waits)
}

func (w *Waits) again() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.found, w.waits = copied(w.before.found), copied(w.before.waits)
}

func (u *Init) save() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.ready()
	u.before.found, u.before.global = copied(u.found), maps.Clone(u.global)
}

func (u *Init) again() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.found, u.global = copied(u.before.found), maps.Clone(u.before.global)
}
