package roguerun

import (
	"fmt"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/rogue"
)

// A task is 32 instances and the memory that their groups access.
type task struct {
	t      *testing.T
	target *isa.Target
	st     *exec.State
	env    exec.Env
}

// newTask makes a task of zeros with all instances active. Options are by name; nil: the defaults.
func newTask(t *testing.T, options map[string]string) *task {
	t.Helper()
	st, err := exec.NewState(rogue.Machine(), rogue.Lanes)
	if err != nil {
		t.Fatal(err)
	}
	k := &task{t: t, st: st}
	if k.target, err = rogue.Set().At(0, 0).With(0, options); err != nil {
		t.Fatal(err)
	}
	st.Start(0, 1<<rogue.Lanes-1)
	return k
}

// p0 is the predicate.
var p0 = ir.Cell{File: rogue.FileP}

func temp(n int) ir.Cell { return ir.Cell{File: rogue.FileR, Index: uint16(n)} }

// set sets rN to f of each instance.
func (k *task) set(n int, f func(lane int) uint32) {
	for lane := range rogue.Lanes {
		k.st.Set(temp(n), lane, f(lane))
	}
}

func (k *task) get(n, lane int) uint32 { return k.st.Get(temp(n), lane) }

// group encodes a group and returns a runner.
func (k *task) group(text string) exec.Runner {
	k.t.Helper()
	var b isa.Bundle
	if err := k.target.Parse(text, 0, &b); err != nil {
		k.t.Fatalf("%s: %v", text, err)
	}
	code, err := b.Encode(nil)
	if err != nil {
		k.t.Fatalf("%s: %v", text, err)
	}
	for i := range b.Parts {
		noted.Note(b.Parts[i].Def)
	}
	return ref.New().NewRunner(exec.NewProgram(&isa.Program{Target: k.target, Code: code}))
}

// step runs the group, with its repetitions.
func (k *task) step(r exec.Runner, repeats uint64) *exec.Fault {
	k.st.Goto(0)
	return r.Run(k.st, &k.env, exec.Budget{Steps: repeats, Exact: true}).Fault
}

// A row is one set of inputs: sources and P0.
type row struct {
	a, b, c, d uint32
	p          bool
}

func (r row) String() string {
	return fmt.Sprintf("%#x, %#x, %#x, %#x, p0 %t", r.a, r.b, r.c, r.d, r.p)
}

// A result is the outputs of a group: r16, r17 and P0.
type result struct {
	w0, w1 uint32
	p      bool
}

// each runs a group on rows, 32 at a time: sources are r0 to r3, results r16 and r17.
func (k *task) each(text string, rows []row, check func(in row, got result) (want string)) {
	k.t.Helper()
	r := k.group(text)
	for at := 0; at < len(rows); at += rogue.Lanes {
		in := func(lane int) row { return rows[min(at+lane, len(rows)-1)] }
		k.set(0, func(lane int) uint32 { return in(lane).a })
		k.set(1, func(lane int) uint32 { return in(lane).b })
		k.set(2, func(lane int) uint32 { return in(lane).c })
		k.set(3, func(lane int) uint32 { return in(lane).d })
		for lane := range rogue.Lanes {
			k.st.Set(p0, lane, bit(in(lane).p))
			k.st.Set(temp(16), lane, 0xa5c3_1111)
			k.st.Set(temp(17), lane, 0xb6d4_2222)
		}
		if f := k.step(r, 1); f != nil {
			k.t.Fatalf("%s: %v", text, f)
		}
		for lane := range rogue.Lanes {
			got := result{k.get(16, lane), k.get(17, lane), k.st.Get(p0, lane) != 0}
			if want := check(in(lane), got); want != "" {
				k.t.Errorf("%s: %v gives %#x, %#x, p0 %t: want %s", text, in(lane), got.w0, got.w1, got.p, want)
				return
			}
		}
	}
}

// words compares w0 with a formula.
func (k *task) words(text string, rows []row, f func(in row) uint32) {
	k.t.Helper()
	k.each(text, rows, func(in row, got result) string {
		if want := f(in); got.w0 != want {
			return fmt.Sprintf("%#x", want)
		}
		return ""
	})
}

// traps checks that a group cannot run, and that the reason names what is missing.
func (k *task) traps(text, why string) {
	k.t.Helper()
	f := k.step(k.group(text), 1)
	if f == nil || !strings.Contains(f.Error(), why) {
		k.t.Errorf("%s: %v, want %q", text, f, why)
	}
}

func bit(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}
