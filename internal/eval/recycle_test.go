package eval

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/engines"
	"github.com/heddle-gpu/heddle/internal/sets"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// TestRecycled: waves of random programs, whose registers are set and which run or fault, leave nothing in the states
// of later waves.
func TestRecycled(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, name := range []string{"gcn:gfx6", "gcn:gfx8", "valhall", "tesla", "rogue", "attila"} {
		target, err := sets.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		fresh, err := exec.NewState(target.Machine(), 0)
		if err != nil {
			t.Fatal(err)
		}
		again, seen := 0, map[uintptr]bool{}
		for round := 0; round < 3 || again == 0 && round < 100; round++ { // finalizers may be late
			for range 12 {
				at := startRandom(t, target, r, fresh)
				if seen[at] {
					again++
				}
				seen[at] = true
			}
			runtime.GC()
			time.Sleep(time.Millisecond) // for finalizers
		}
		if again == 0 {
			t.Errorf("%s: no buffer was used again", name)
		}
	}
}

// startRandom starts a wave of a random program, compares its state with a fresh one, and runs it. It returns the
// address of the registers.
func startRandom(t *testing.T, target *isa.Target, r *rand.Rand, fresh *exec.State) (buffer uintptr) {
	var text []string
	for len(text) < 3 {
		word := make([]byte, 32)
		for i := range word {
			word[i] = byte(r.Uint32())
		}
		var b isa.Bundle
		if target.DecodeBundle(word, 0, &b) == nil {
			text = append(text, fmt.Sprintf("%x", word[:b.Size()]))
		}
	}
	p, errs := Assemble(target, strings.Join(text, "\n"))
	if len(errs) > 0 {
		return startRandom(t, target, r, fresh)
	}
	w, err := p.Start(context.Background(), Setup{Steps: 50}, engines.Use{Brief: r.IntN(2) == 0, Stepped: true})
	if err != nil {
		t.Fatal(err)
	}
	want := fresh.Snapshot()
	want.Start(0, w.lanes)
	begin(target, want)
	want.Start(0, want.Exec)
	for _, d := range w.State.Diff(want, 4) {
		if !strings.HasPrefix(d, "live") && !strings.HasPrefix(d, "at") {
			t.Fatalf("%s: a new wave differs from one in a new state: %s", target, d)
		}
	}
	c := w.State.Machine
	for f := range c.Files {
		for range 3 {
			if n := c.Files[f].Count; n > 0 && r.IntN(2) == 0 {
				setRandom(w.State, f, n, r)
			}
		}
	}
	if r.IntN(4) == 0 {
		w.State.Restore(w.State.Snapshot())
	}
	_ = w.Run() // most fault
	return uintptr(unsafe.Pointer(&w.State.V[0]))
}

func setRandom(st *exec.State, file, count int, r *rand.Rand) {
	c := ir.Cell{File: uint8(file), Index: uint16(r.IntN(count))}
	if st.Machine.ModeMask != 0 && c == st.Machine.Mode {
		return
	}
	st.Set(c, r.IntN(st.Lanes), r.Uint32())
}
