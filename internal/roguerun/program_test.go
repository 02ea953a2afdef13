package roguerun

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/rogue"
)

var (
	peCell   = ir.Cell{File: rogue.FileExec}
	linkCell = ir.Cell{File: rogue.FileLink}
	dropCell = ir.Cell{File: rogue.FileDrop}
)

// cell returns cell n of a file.
func cell(file, n int) ir.Cell { return ir.Cell{File: uint8(file), Index: uint16(n)} }

// assembled assembles a program and returns a runner.
func (k *task) assembled(src string) exec.Runner {
	k.t.Helper()
	a, errs := asm.Assemble(k.target, []byte(src), asm.Options{File: "program"})
	for _, e := range errs {
		k.t.Fatal(e.Detail())
	}
	var b isa.Bundle
	for at := 0; at < len(a.Code); at += b.Size() {
		if err := k.target.DecodeBundle(a.Code[at:], uint64(at), &b); err != nil {
			k.t.Fatal(err)
		}
		for i := range b.Parts {
			noted.Note(b.Parts[i].Def)
		}
	}
	return ref.New().NewRunner(exec.NewProgram(&isa.Program{Target: k.target, Code: a.Code}))
}

// program assembles and runs a program until the task ends.
func (k *task) program(src string) {
	k.t.Helper()
	k.st.Goto(0)
	if s := k.assembled(src).Run(k.st, &k.env, exec.Budget{Steps: 1 << 20, Exact: true}); s.Fault != nil || s.Reason != exec.StopEnd {
		k.t.Fatalf("stops by %v: %v", s.Reason, s.Fault)
	}
}

// try runs one group, with its repetitions, and returns the fault.
func (k *task) try(text string) *exec.Fault {
	k.t.Helper()
	repeats := uint64(1)
	for n := range 5 {
		if n > 1 && strings.Contains(text, "repeat "+string(rune('0'+n))) {
			repeats = uint64(n)
		}
	}
	return k.step(k.group(text), repeats)
}

func (k *task) run(text string) {
	k.t.Helper()
	if f := k.try(text); f != nil {
		k.t.Fatalf("%s: %v", text, f)
	}
}

// mix sets P0 and Pe at random: in all lanes, none, or some.
func (k *task) mix(rnd *rand.Rand, lanes uint64) {
	for _, c := range []ir.Cell{p0, peCell} {
		pattern := []uint32{0, ^uint32(0), rnd.Uint32(), 1 << rnd.IntN(32), ^uint32(1 << rnd.IntN(32))}[rnd.IntN(5)]
		for lane := range rogue.Lanes {
			if lanes>>lane&1 != 0 {
				k.st.Set(c, lane, pattern>>lane&1)
			}
		}
	}
}

// about selects the instances of a group by its condition; without one by Pe.
var about = map[string]func(pe, p bool) bool{
	"":            func(pe, _ bool) bool { return pe },
	"if(p0) ":     func(pe, p bool) bool { return pe && p },
	"if(!p0) ":    func(pe, p bool) bool { return pe && !p },
	"(ignorepe) ": func(_, _ bool) bool { return true },
}

// instance returns P0 and Pe of an instance.
func (k *task) instance(lane int) (pe, p bool) {
	return k.st.Get(peCell, lane) != 0, k.st.Get(p0, lane) != 0
}

// launched are the instances of a task in these tests, in turn.
var launched = []uint64{1<<32 - 1, 0x0f0f_7331, 1}

// newTaskOf returns a task of some instances.
func newTaskOf(t *testing.T, options map[string]string, lanes uint64) *task {
	t.Helper()
	k := newTask(t, options)
	k.st.Start(0, lanes)
	return k
}

// size returns how many bytes a text assembles to.
func (k *task) size(src string) int {
	k.t.Helper()
	a, errs := asm.Assemble(k.target, []byte(src), asm.Options{File: "program"})
	for _, e := range errs {
		k.t.Fatal(e.Detail())
	}
	return len(a.Code)
}
