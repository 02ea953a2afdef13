package differ

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/linter"
	"github.com/heddle-gpu/heddle/internal/sets"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/lint"
	"github.com/heddle-gpu/heddle/object"
	"github.com/heddle-gpu/heddle/sanitize"
)

// agreement counts what the linter and a run say of compiled code from which a wait was removed.
type agreement struct{ dropped, both, lint, neither int }

// TestWaitsAgree: of compiled code in which one wait is replaced by s_nop, a run finds no missing wait that the linter
// does not, at least in a note, whichever wait it is; and of the code as it is neither finds one, but for notes. The
// linter may find more: it sees paths that the run does not take. A run finds the same if it looks at each instruction
// as if it looks ahead.
func TestWaitsAgree(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	var sum agreement
	eachKernel(t, true, func(m *casefile.Manifest, b *casefile.Build, number int) {
		each := 13 // one of so many waits
		if strings.HasSuffix(b.File, ".O0.hsaco") {
			each = 199
		}
		sum.build(t, m, b, each, number)
	})
	t.Logf("%d waits removed: both find %d, the linter alone %d, none %d", sum.dropped, sum.both, sum.lint, sum.neither)
	if sum.dropped < 100 || sum.both*2 < sum.dropped {
		t.Errorf("of %d removed waits both find %d", sum.dropped, sum.both)
	}
}

// build looks at one build: as it is, and without each of some waits in turn.
func (a *agreement) build(t *testing.T, m *casefile.Manifest, b *casefile.Build, each, first int) {
	t.Helper()
	o := objectOf(t, m, b)
	target, err := sets.Lookup(o.Target)
	if err != nil {
		t.Fatal(err)
	}
	w, linted := waitsOf(t, m, o, false), lintedOf(target, o, isa.SeverityWarning)
	if len(w.Found())+len(linted) > 0 {
		t.Errorf("%s: missing waits %v in the run, at and for %#x by the linter", b.File, w.Found(), slices.Sorted(maps.Keys(linted)))
	}
	blind := waitsOf(t, m, o, true)
	if got, want := countsOf(w.Found()), countsOf(blind.Found()); !maps.Equal(got, want) {
		t.Errorf("%s: missing waits %v; without a look ahead %v", b.File, got, want)
	}
	idle := map[uint64]uint64{}
	for _, x := range blind.Idle() {
		idle[x.At.PC] = x.Count
	}
	for _, x := range w.Idle() {
		if idle[x.At.PC] != x.Count {
			t.Errorf("%s: %v, in %d waves; without a look ahead in %d", b.File, x, x.Count, idle[x.At.PC])
		}
	}
	n := first
	w.words(o, func(code []byte, addr uint64) {
		if code[3] != 0xbf || code[2] != 0x8c { // s_waitcnt
			return
		}
		if n++; n%each != 0 {
			return
		}
		old := [4]byte(code)
		copy(code, []byte{0, 0, 0x80, 0xbf}) // s_nop 0
		found, linted := waitsOf(t, m, o, false).Found(), lintedOf(target, o, isa.SeverityNote)
		for _, e := range found {
			if !linted[e.At.Place.Addr] && !linted[e.From.Place.Addr] {
				t.Errorf("%s without the wait at %#x: %v; the linter finds none at or for %#x", b.File, addr, e, slices.Sorted(maps.Keys(linted)))
			}
		}
		if got, want := countsOf(found), countsOf(waitsOf(t, m, o, true).Found()); !maps.Equal(got, want) {
			t.Errorf("%s without the wait at %#x: missing waits %v; without a look ahead %v", b.File, addr, got, want)
		}
		a.count(len(found) > 0, len(linted) > 0)
		copy(code, old[:])
	})
}

// countsOf returns how often each was found, by the addresses of the instructions.
func countsOf(found []*sanitize.Early) map[[2]uint64]uint64 {
	counts := map[[2]uint64]uint64{}
	for _, e := range found {
		counts[[2]uint64{e.At.PC, e.From.PC}] = e.Count
	}
	return counts
}

func (a *agreement) count(ran, linted bool) {
	a.dropped++
	switch {
	case ran:
		a.both++
	case linted:
		a.lint++
	default:
		a.neither++
	}
}

// A waitingRun is a sanitizer of waits and what ran of the code.
type waitingRun struct {
	sanitize.Waits
	blind bool            // it does not know where waves begin, and so looks at each instruction as it runs
	ran   map[uint64]bool // by address in memory
	from  uint64          // an address of it
	at    uint64          // the same in the file
}

// Begins passes on where waves begin.
func (w *waitingRun) Begins(at ir.Key) {
	if !w.blind {
		w.Waits.Begins(at)
	}
}

// Watch wraps the code so that what is run is known.
func (w *waitingRun) Watch(code ir.Code, windows []exec.Window) ir.Code {
	return ranCode{w.Waits.Watch(code, windows), w}
}

// base returns by how much addresses in memory exceed those in the file.
func (w *waitingRun) base() uint64 { return w.from - w.at }

type ranCode struct {
	ir.Code
	w *waitingRun
}

func (c ranCode) Unwrap() ir.Code { return c.Code }

func (c ranCode) Block(at ir.Key) (*ir.Block, error) {
	b, err := c.Code.Block(at)
	if err == nil {
		for _, m := range b.Marks {
			c.w.ran[m.PC], c.w.from = true, m.PC
		}
		c.w.at = ir.PlaceOf(c.Code, c.w.from).Addr
	}
	return b, err
}

// words calls f with each word of code that has run: the code from there on, which f may change, and its address.
func (w *waitingRun) words(o *object.CodeObject, f func(code []byte, addr uint64)) {
	for _, s := range o.Segments {
		code, ok := o.Bytes(s.Addr, s.Size)
		for off := 0; ok && s.Exec && off+4 <= len(code); off += 4 {
			if addr := s.Addr + uint64(off); w.ran[w.base()+addr] {
				f(code[off:], addr)
			}
		}
	}
}

// waitsOf runs the launches of a manifest on a code object.
func waitsOf(t *testing.T, m *casefile.Manifest, o *object.CodeObject, blind bool) *waitingRun {
	t.Helper()
	w := &waitingRun{ran: map[uint64]bool{}, blind: blind}
	if _, err := launchAll(t, m, o, launch.Settings{Watcher: w}); err != nil {
		t.Fatal(err)
	}
	return w
}

// lintedOf returns the addresses of instructions that the linter finds to miss a wait, and of those for which they do.
func lintedOf(target *isa.Target, o *object.CodeObject, least isa.Severity) map[uint64]bool {
	rules := []string{isa.RulePendingRead, isa.RulePendingWrite, isa.RulePendingSource, isa.RulePendingDoubt, isa.RuleBarrierStore}
	at := map[uint64]bool{}
	for _, f := range linter.Object(target, o, lint.Options{Least: least}).Findings {
		if slices.Contains(rules, f.Rule) && f.Other != nil {
			at[f.Addr], at[f.Other.Addr] = true, true
		}
	}
	return at
}
