package profiles

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/chips"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/profile"
)

// New returns a profiler that counts for the memory of chips that run the code.
func New() *profile.Profiler {
	return profile.New(func(code ir.Code) profile.Memory { return chips.Of(ISA(code)).Memory })
}

// A Live counts what the launches of a program do, which may run beside each other and whose code may be loaded again
// and again: code whose instructions that ran have the same bytes is counted together, wherever it is.
type Live struct {
	// Timed is whether launches are traced, too, for a model of their time. It is set before the first.
	Timed bool

	mu     sync.Mutex
	idle   []*profile.Profiler // their launches have ended
	list   []profile.Code
	codes  []ir.Code        // of Profiles
	at     map[string][]int // in list, by what begins the code
	kept   int              // instructions of list
	bytes  int              // of its code
	left   string           // what is not counted
	beyond totals
	traces traces
}

// totals are of code whose instructions are not kept.
type totals struct{ launches, instructions uint64 }

// Limits of what is kept; tests set others.
var (
	mostLive         = 4096    // codes
	mostInstructions = 1 << 18 // of all
	mostBytes        = 1 << 26 // of their code, with what else the program has loaded beside it
	mostLeft         = 1 << 10 // bytes of reasons
	mostIdle         = 4       // profilers, of which each has counters for all workers
)

// Dispatch returns what counts a launch, and what is called when it has ended.
func (l *Live) Dispatch() (exec.Prober, func(error)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := New()
	if n := len(l.idle) - 1; n >= 0 {
		p, l.idle = l.idle[n], l.idle[:n]
	}
	number := l.traces.begin(l.Timed, p)
	return p, func(err error) {
		l.mu.Lock()
		defer l.mu.Unlock()
		if err != nil {
			l.lacks("dispatches ended by a fault or a limit, and count as far as they ran")
		}
		if l.Timed {
			l.traces.end(p.Traces(), number, err)
		}
		if p.Crowded() || len(l.idle) >= mostIdle {
			l.add(p)
		} else {
			l.idle = append(l.idle, p)
		}
	}
}

// Wrote says that something else than a launch has written memory.
func (l *Live) Wrote(addr, size uint64) {}

// Profiles returns what the launches that have ended did, the code with most instructions first.
func (l *Live) Profiles() []Profile {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range l.idle {
		l.add(p)
	}
	l.idle = nil
	left := l.left
	if b := &l.beyond; b.launches > 0 {
		left = strings.TrimPrefix(fmt.Sprintf("%s; other programs, with %d launches and %d wave-instructions, are too many to keep", left, b.launches, b.instructions), "; ")
	}
	var list []Profile
	for i := range l.list {
		list = append(list, profileOf(&l.list[i], left))
	}
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(list[y].Instructions, list[x].Instructions) })
	var sorted []Profile
	l.codes = nil
	for _, i := range order {
		sorted, l.codes = append(sorted, list[i]), append(l.codes, l.list[i].Code)
	}
	return sorted
}

// add adds what a profiler counted, which is not used any more. The caller holds l.mu.
func (l *Live) add(counts *profile.Profiler) {
	if why := counts.Incomplete(); why != "" {
		l.lacks(why)
	}
	for _, of := range counts.Codes() {
		key := keyOf(&of)
		at, ok := l.find(key, &of)
		switch {
		case len(of.Insts) == 0:
			continue
		case ok:
			l.kept -= len(l.list[at].Insts)
			l.list[at].Add(&of, l.list[at].Entry-of.Entry)
			l.kept += len(l.list[at].Insts)
		case len(l.list) >= mostLive || l.kept+len(of.Insts) > mostInstructions || l.bytes+bytesOf(of.Code) > mostBytes:
			l.beyond.add(&of)
			continue
		default:
			if l.at == nil {
				l.at = map[string][]int{}
			}
			at = len(l.list)
			l.at[key] = append(l.at[key], at)
			l.list, l.kept, l.bytes = append(l.list, of), l.kept+len(of.Insts), l.bytes+bytesOf(of.Code)
		}
		l.traces.place(of.Code, l.list[at].Code, l.list[at].Entry-of.Entry)
	}
}

// find returns the code in the list whose instructions that ran have the same bytes.
func (l *Live) find(key string, of *profile.Code) (at int, ok bool) {
	for _, at := range l.at[key] {
		if has(&l.list[at], of) && has(of, &l.list[at]) {
			return at, true
		}
	}
	return 0, false
}

// lacks notes what is not counted.
func (l *Live) lacks(why string) {
	if !strings.Contains("; "+l.left+"; ", "; "+why+"; ") && len(l.left) < mostLeft {
		l.left = strings.TrimPrefix(l.left+"; "+why, "; ")
	}
}

func (t *totals) add(of *profile.Code) {
	for _, x := range of.Launches {
		t.launches += x.Count
	}
	for i := range of.Insts {
		t.instructions += of.Insts[i].Waves
	}
}

// bytesOf returns the size of code.
func bytesOf(code ir.Code) int {
	if p := programOf(code); p != nil {
		return len(p.Code)
	}
	return 0
}

// mostKey is how many bytes of the first instruction are in a key.
const mostKey = 8

// keyOf returns what code of the same bytes has in common: its target and its first instruction.
func keyOf(of *profile.Code) string {
	p := programOf(of.Code)
	if p == nil || of.Entry-p.Base >= uint64(len(p.Code)) {
		return fmt.Sprintf("%p", of.Code)
	}
	first := p.Code[of.Entry-p.Base:]
	return p.Target.String() + " " + string(first[:min(mostKey, len(first))])
}

// programOf returns the program of a code; nil: it is of no instruction set.
func programOf(code ir.Code) *isa.Program {
	d, _ := ir.Describe(code)
	p, _ := d.(*isa.Program)
	return p
}

// has reports whether code has the instructions that ran of another one at the same places from the entry on.
func has(c, of *profile.Code) bool {
	to, from := programOf(c.Code), programOf(of.Code)
	if to == nil || from == nil {
		return c.Code == of.Code
	}
	for i := range of.Insts {
		in := &of.Insts[i]
		a, b := bytesAt(to, in.PC-of.Entry+c.Entry, in.Size), bytesAt(from, in.PC, in.Size)
		if a == nil || !bytes.Equal(a, b) {
			return false
		}
	}
	return true
}

// bytesAt returns the bytes of an instruction; nil: the program does not have all of them.
func bytesAt(p *isa.Program, pc uint64, size int) []byte {
	at := pc - p.Base
	if at > uint64(len(p.Code)) || uint64(size) > uint64(len(p.Code))-at {
		return nil
	}
	return p.Code[at:][:size]
}
