package profiles

import (
	"cmp"
	"crypto/sha256"
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
// and again: code of the same bytes is counted together, wherever it is.
type Live struct {
	mu     sync.Mutex
	idle   []*profile.Profiler // their launches have ended
	list   []profile.Code
	at     map[[sha256.Size]byte]int // in list
	kept   int                       // instructions of list
	bytes  int                       // of its code
	left   string                    // what is not counted
	beyond totals
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
	return p, func(err error) {
		l.mu.Lock()
		defer l.mu.Unlock()
		if err != nil {
			l.lacks("dispatches ended by a fault or a limit, and count as far as they ran")
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
func (l *Live) Profiles() (list []Profile) {
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
	for i := range l.list {
		list = append(list, profileOf(&l.list[i], left))
	}
	slices.SortStableFunc(list, func(x, y Profile) int { return cmp.Compare(y.Instructions, x.Instructions) })
	return list
}

// add adds what a profiler counted, which is not used any more. The caller holds l.mu.
func (l *Live) add(counts *profile.Profiler) {
	if why := counts.Incomplete(); why != "" {
		l.lacks(why)
	}
	for _, of := range counts.Codes() {
		key, base := keyOf(of.Code)
		at, ok := l.at[key]
		switch {
		case len(of.Insts) == 0:
		case ok:
			_, first := keyOf(l.list[at].Code)
			l.kept -= len(l.list[at].Insts)
			l.list[at].Add(&of, first-base)
			l.kept += len(l.list[at].Insts)
		case len(l.list) >= mostLive || l.kept+len(of.Insts) > mostInstructions || l.bytes+bytesOf(of.Code) > mostBytes:
			l.beyond.add(&of)
		default:
			if l.at == nil {
				l.at = map[[sha256.Size]byte]int{}
			}
			l.at[key] = len(l.list)
			l.list, l.kept, l.bytes = append(l.list, of), l.kept+len(of.Insts), l.bytes+bytesOf(of.Code)
		}
	}
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
	d, _ := ir.Describe(code)
	if p, ok := d.(*isa.Program); ok {
		return len(p.Code)
	}
	return 0
}

// keyOf returns what code of the same bytes has in common, and its address.
func keyOf(code ir.Code) (key [sha256.Size]byte, base uint64) {
	d, _ := ir.Describe(code)
	p, ok := d.(*isa.Program)
	if !ok {
		return sha256.Sum256(fmt.Appendf(nil, "%T %p", d, d)), 0
	}
	return sha256.Sum256(append([]byte(p.Target.String()+" "), p.Code...)), p.Base
}
