package valhallrun

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/valhall"
)

// Branches by docs/reference/valhall.md 6.1.

// conditionsTested are the conditions of a branch, by the words after its source.
var conditionsTested = map[string]func(v uint32) bool{
	"":         func(v uint32) bool { return v != 0 },
	".h0":      func(v uint32) bool { return v%0x10000 != 0 },
	".h1":      func(v uint32) bool { return v/0x10000 != 0 },
	".and":     func(v uint32) bool { return v == 0xffffffff },
	".lowbits": func(v uint32) bool { return v>>3%(1<<18) != 0 && v>>3%(1<<18) != 1<<18-1 },
}

func TestBranches(t *testing.T) {
	rnd := rand.New(rand.NewPCG(8, 8))
	for text, holds := range conditionsTested {
		for eq, negated := range map[string]bool{"": false, ".eq": true} {
			for _, flow := range []string{"", ".reconverge", ".wait012", ".wait"} {
				w := newWarp(t, nil)
				w.set(4, func(int) uint32 { return 7 })
				w.set(8, func(int) uint32 {
					return []uint32{0, 1, 8, 0x10000, 0x20003, 0x1ffff8, 0xffffffff, 0xffe00007, 0xffff0000, rnd.Uint32()}[rnd.IntN(10)]
				})
				if f := w.program("BRANCHZ" + eq + flow + " r8" + text + ", offset:1\nIADD_IMM.i32.reconverge r4, 0x0, #0x1\nNOP.end\n"); f != nil {
					t.Fatal(f)
				}
				for lane := range 16 {
					want := uint32(1)
					if holds(w.get(8, lane)) != negated {
						want = 7
					}
					if got := w.get(4, lane); got != want {
						t.Errorf("BRANCHZ%s%s r8%s of %#x: r4 is %d, want %d", eq, flow, text, w.get(8, lane), got, want)
					}
				}
			}
		}
	}
	traps(t, nil, "no source says", "BRANCHZ.end r8, offset:0", "BRANCHZI.absolute.end r8, r12", "BARRIER.slot7.reconverge")
}

// TestBranchesEndHelpers: with flow discard, discarded threads end at a branch, whether or not they would take it; the
// others branch as without it, also to address 0. At a barrier the others wait.
func TestBranchesEndHelpers(t *testing.T) {
	const helpers = 0xa5c3
	for _, c := range []struct {
		head string
		to   uint32 // in r12
	}{{"BRANCHZ.discard r8, offset:-3", 0}, {"BRANCHZI.discard r8, r12", 0xffffffe8}} {
		w := newWarp(t, nil)
		w.st.SetMask(ir.Cell{File: valhall.FileHelper}, helpers)
		w.set(4, func(int) uint32 { return 0 })
		w.set(8, func(lane int) uint32 { return uint32(lane%3 + 1) })
		w.set(12, func(int) uint32 { return c.to })
		if f := w.program("IADD_IMM.i32 r4, r4, #0x1\nIADD_IMM.i32 r8, r8, #0xffffffff\n" + c.head + "\nIADD_IMM.i32.end r4, r4, #0x20\n"); f != nil {
			t.Fatalf("%s: %v", c.head, f)
		}
		for lane := range valhall.Lanes {
			want := uint32(1)
			if helpers>>lane&1 == 0 {
				want = 0x20 + uint32(lane%3+1)
			}
			if got := w.get(4, lane); got != want {
				t.Errorf("%s: lane %d: r4 is %#x, want %#x", c.head, lane, got, want)
			}
		}
	}
	w := newWarp(t, nil)
	if w.run("BARRIER.slot7.discard"); w.stop.Reason != exec.StopBarrier {
		t.Errorf("a barrier with discard stops by %v", w.stop.Reason)
	}
}

// TestBarrierOfParts: threads that meet before a BARRIER arrive there once. Threads of a warp that has parted arrive
// part by part, those that run first without the others.
func TestBarrierOfParts(t *testing.T) {
	const all, low = 1<<valhall.Lanes - 1, 1<<5 - 1 // lanes 0 to 4 do not branch
	for flow, want := range map[string][]uint64{".reconverge": {all}, "": {low, all &^ low}} {
		w := newWarp(t, nil)
		w.set(8, func(lane int) uint32 { return uint32(lane / 5) })
		a, errs := asm.Assemble(w.target, []byte("BRANCHZ r8, offset:1\nNOP"+flow+"\nBARRIER.slot7.wait\nNOP.end\n"), asm.Options{File: "program"})
		if errs != nil {
			t.Fatal(errs)
		}
		r := w.runner(a.Code)
		var came []uint64
		for w.steps(r, stepLimit); w.stop.Reason == exec.StopBarrier; w.stop = r.Run(w.st, &w.env, exec.Budget{Steps: stepLimit}) {
			came = append(came, w.st.Exec)
		}
		if w.stop.Reason != exec.StopEnd || !slices.Equal(came, want) {
			t.Errorf("NOP%s: %#x come to the barrier, then %v; want %#x", flow, came, w.stop, want)
		}
	}
}

// TestBranchesToRegisters: each lane branches to the address in its register, and lanes that branch to address 0 end.
func TestBranchesToRegisters(t *testing.T) {
	const (
		begin  = 0x18 // the branch, after a block
		behind = begin + 8
	)
	// Blocks that identify themselves: at 8, at 0x20 after the branch, at 0x28 and 0x30.
	program := func(head string) string {
		return "BRANCHZ.eq 0x0, offset:2\nIADD_IMM.i32.end r4, 0x0, #0x1\nNOP.end\n" + head +
			" r8, r12\nIADD_IMM.i32.end r4, 0x0, #0x2\nIADD_IMM.i32.end r4, 0x0, #0x3\nIADD_IMM.i32.end r4, 0x0, #0x4\n"
	}
	blocks := map[uint32]uint32{8: 1, behind: 2, behind + 8: 3, behind + 16: 4}
	for _, c := range []struct {
		head     string
		options  map[string]string
		register func(to uint32) uint32
		ends     bool
	}{
		{"BRANCHZI.absolute", nil, func(to uint32) uint32 { return to }, true},
		{"BRANCHZI.absolute.reconverge", nil, func(to uint32) uint32 { return to }, true},
		{"BRANCHZI.eq.absolute.wait0", nil, func(to uint32) uint32 { return to }, true},
		{"BRANCHZI.reconverge", nil, func(to uint32) uint32 { return to - behind }, false},
		{"BRANCHZI.eq", map[string]string{"branch-distance": "words"}, func(to uint32) uint32 { return uint32(int32(to-behind) / 8) }, false},
	} {
		rnd := rand.New(rand.NewPCG(3, uint64(len(c.head))))
		for range 20 {
			w := newWarp(t, c.options)
			var to [16]uint32
			for lane := range to {
				to[lane] = []uint32{8, behind, behind + 8, behind + 16, 0}[rnd.IntN(5)]
				if to[lane] == 0 && !c.ends {
					to[lane] = 8
				}
				w.st.Set(reg(8), lane, uint32(rnd.IntN(2)))
				w.st.Set(reg(4), lane, 99)
				value := c.register(to[lane])
				if to[lane] == 0 {
					value = 0
				}
				w.st.Set(reg(12), lane, value)
			}
			if f := w.program(program(c.head)); f != nil {
				t.Fatalf("%s: %v", c.head, f)
			}
			for lane := range to {
				taken := (w.get(8, lane) != 0) == (c.head[:11] != "BRANCHZI.eq")
				want := uint32(2)
				switch {
				case taken && to[lane] == 0:
					want = 99
				case taken:
					want = blocks[to[lane]]
				}
				if got := w.get(4, lane); got != want {
					t.Fatalf("%s: lane %d of r8 %d to %#x is in block %d, want %d", c.head, lane, w.get(8, lane), to[lane], got, want)
				}
			}
		}
	}
}

// TestBranchWaits: a branch waits for the slots of its flow.
func TestBranchWaits(t *testing.T) {
	w := newWarp(t, nil)
	for flow, want := range map[string]string{"": "", ".wait0": "0 ", ".wait12": "1 2 ", ".wait0126": "0 1 2 6 ", ".wait": "0 1 2 6 7 "} {
		for _, text := range []string{"BRANCHZ.eq" + flow + " r8, offset:0", "BRANCHZI.absolute" + flow + " r8, r12"} {
			var b isa.Bundle
			if err := w.target.Parse(text, 0, &b); err != nil {
				t.Fatal(err)
			}
			note(&b)
			got := ""
			for _, in := range w.target.LiftOne(&b, 0).Ops {
				if in.Op == ir.Wait {
					got += fmt.Sprint(in.Imm, " ")
				}
			}
			if got != want {
				t.Errorf("%s waits for slots %s, want %s", text, got, want)
			}
		}
	}
}
