package eval

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/engines"
	"github.com/heddle-gpu/heddle/internal/sets"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/mem"
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
		recycle(t, name, func() *Wave { return startRandom(t, target, r, fresh) })
	}
}

// recycle starts waves until one has the registers of an earlier one.
func recycle(t *testing.T, name string, start func() *Wave) {
	t.Helper()
	again, seen := 0, map[uintptr]bool{}
	for round := 0; round < 3 || again == 0 && round < 100; round++ { // finalizers may be late
		for range 12 {
			at := uintptr(unsafe.Pointer(&start().State.V[0]))
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

// TestRecycledCode: nor do waves whose code has changed.
func TestRecycledCode(t *testing.T) {
	target, err := sets.Lookup("gcn:gfx8")
	if err != nil {
		t.Fatal(err)
	}
	fresh, err := exec.NewState(target.Machine(), 0)
	if err != nil {
		t.Fatal(err)
	}
	const at, other = 0x10000, 0x20000
	old, changed := []byte{0x81, 0x02, 0x08, 0x7e}, []byte{0x81, 0x02, 0x0e, 0x7e} // v_mov_b32 v4, 1; v_mov_b32 v7, 1
	store := []byte{0, 0, 0x70, 0xdc, 0, 2, 0, 0}                                  // flat_store_dword v[0:1], v2
	for name, change := range map[string]func(w *Wave, code []byte) error{
		"write": func(w *Wave, _ []byte) error { return w.Write(at, changed) },
		"flush": func(w *Wave, code []byte) error {
			copy(code, changed)
			w.Flush()
			return nil
		},
		"unmap": func(w *Wave, _ []byte) error {
			return errors.Join(w.Unmap(at), w.Map(at, changed, mem.Read|mem.Execute, false))
		},
		"protect": func(w *Wave, code []byte) error {
			copy(code, changed)
			return w.Protect(at, mem.Read|mem.Execute)
		},
		"store": func(w *Wave, _ []byte) error {
			for i, v := range []uint32{at, 0, binary.LittleEndian.Uint32(changed)} {
				for lane := range w.State.Lanes {
					w.State.Set(ir.Cell{File: vgprs(w), Index: uint16(i)}, lane, v)
				}
			}
			return errors.Join(w.Map(other, store, mem.Read|mem.Execute, false), advance(w, other))
		},
	} {
		recycle(t, name, func() *Wave {
			w := start(t, &Program{Target: target}, fresh, engines.Use{Stepped: true})
			err := errors.Join(w.Map(at, old, mem.ReadWrite|mem.Execute, false), advance(w, at))
			g, _ := w.global().Find(at)
			if err := errors.Join(err, change(w, g.Data), advance(w, at)); err != nil {
				t.Fatal(name, err)
			}
			for _, r := range []uint16{4, 7} {
				if got := w.State.Get(ir.Cell{File: vgprs(w), Index: r}, 0); got != 1 {
					t.Fatalf("%s: v%d is %d", name, r, got)
				}
			}
			return w
		})
	}
}

// advance runs the instruction at an address.
func advance(w *Wave, at uint64) error {
	w.SetPC(at)
	_, err := w.Advance(context.Background(), Goal{Steps: 1})
	return err
}

func vgprs(w *Wave) uint8 {
	return uint8(slices.IndexFunc(w.State.Machine.Files, func(f ir.File) bool { return f.Kind == ir.Lane32 }))
}

// start starts a wave and compares its state with a fresh one.
func start(t *testing.T, p *Program, fresh *exec.State, use engines.Use) *Wave {
	t.Helper()
	w, err := p.Start(context.Background(), Setup{Steps: 50}, use)
	if err != nil {
		t.Fatal(err)
	}
	want := fresh.Snapshot()
	want.Start(0, w.lanes)
	begin(p.Target, want)
	want.Start(0, want.Exec)
	for _, d := range w.State.Diff(want, 4) {
		if !strings.HasPrefix(d, "live") && !strings.HasPrefix(d, "at") {
			t.Fatalf("%s: a new wave differs from one in a new state: %s", p.Target, d)
		}
	}
	return w
}

// startRandom starts a wave of a random program and runs it.
func startRandom(t *testing.T, target *isa.Target, r *rand.Rand, fresh *exec.State) *Wave {
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
	w := start(t, p, fresh, engines.Use{Brief: r.IntN(2) == 0, Stepped: true})
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
	return w
}

func setRandom(st *exec.State, file, count int, r *rand.Rand) {
	c := ir.Cell{File: uint8(file), Index: uint16(r.IntN(count))}
	if st.Machine.ModeMask != 0 && c == st.Machine.Mode {
		return
	}
	st.Set(c, r.IntN(st.Lanes), r.Uint32())
}
