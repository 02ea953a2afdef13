package toywarp

import (
	"testing"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/mem"
)

// lanes is the number of lanes of the warps in these tests.
const lanes = 8

// run assembles a program and runs a warp on it. At the start r1 is the lane number, r2 is 1, r3 is 0.
func run(t *testing.T, stage int, src string) *exec.State {
	t.Helper()
	tg := Set().At(0, stage)
	a, errs := asm.Assemble(tg, []byte(src), asm.Options{})
	for _, e := range errs {
		t.Fatal(e.Detail())
	}
	p := exec.NewProgram(&isa.Program{Target: tg, Code: a.Code})
	st, err := exec.NewState(machine, lanes)
	if err != nil {
		t.Fatal(err)
	}
	for lane := range lanes {
		st.Set(ir.Cell{File: FileR, Index: 1}, lane, uint32(lane))
		st.Set(ir.Cell{File: FileR, Index: 2}, lane, 1)
	}
	seg := mem.NewSegment("group", 0, 256, mem.ReadWrite)
	for i := range seg.Data {
		seg.Data[i] = byte(i)
	}
	space, err := mem.NewSpace("group", seg)
	if err != nil {
		t.Fatal(err)
	}
	env := &exec.Env{Spaces: exec.Spaces{ir.GroupSpace: {space}}}
	st.Start(0, 1<<lanes-1)
	if stop := ref.New().NewRunner(p).Run(st, env, exec.Budget{Steps: 10000}); stop.Reason != exec.StopEnd {
		t.Fatalf("stops by %s: %v", stop.Reason, stop.Fault)
	}
	return st
}

func expect(t *testing.T, st *exec.State, reg int, want func(lane uint32) uint32) {
	t.Helper()
	for lane := range uint32(lanes) {
		if got := st.Get(ir.Cell{File: FileR, Index: uint16(reg)}, int(lane)); got != want(lane) {
			t.Errorf("r%d lane %d is %d, want %d", reg, lane, got, want(lane))
		}
	}
}

// TestLoop: each lane leaves the loop after as many iterations as its number says; all reconverge after it.
func TestLoop(t *testing.T) {
	st := run(t, VP, `
			breakaddr out
	top:	setlt p0, r3, r1
			(!p0) break
			add r3, r3, r2
			bra top
	out:	add r4, r3, r2
			exit nop`)
	expect(t, st, 3, func(lane uint32) uint32 { return lane })
	expect(t, st, 4, func(lane uint32) uint32 { return lane + 1 })
}

// TestBranchAndCall: lanes diverge at a branch, call different functions, and reconverge at the join.
func TestBranchAndCall(t *testing.T) {
	st := run(t, VP, `
			add r5, r2, r2
			add r6, r5, r2
			joinat end
			setlt p1, r1, r6
			(p1) bra low
			call double
			bra end
	low:	add r3, r1, r5
	end:	join nop
			add r4, r3, r2
			exit nop
	double:	add r3, r1, r1
			(p3) mul r3, r3, r3
			ret`)
	expect(t, st, 4, func(lane uint32) uint32 {
		if lane < 3 {
			return lane + 2 + 1
		}
		return 2*lane + 1
	})
}

// TestQuads: a derivative uses the helper lanes of its quad between quadon and quadpop.
func TestQuads(t *testing.T) {
	st := run(t, FP, `
			mul r7, r1, r1
			setlt p0, r3, r1
			(!p0) exit nop
			quadon
			ddx r8, r7
			quadpop
			exit nop`)
	expect(t, st, 8, func(lane uint32) uint32 {
		beside := lane ^ 1
		return beside*beside - lane*lane
	})
}

// TestIncrement: the address register holds the address afterwards, in the active lanes.
func TestIncrement(t *testing.T) {
	st := run(t, VP, `
			setlt p0, r3, r1
			(p0) mov r9, s[a1++8]
			exit nop`)
	for lane := range lanes {
		want, word := uint32(8), uint32(0x0b0a0908)
		if lane == 0 {
			want, word = 0, 0
		}
		if a, r := st.Get(ir.Cell{File: FileA, Index: 1}, lane), st.Get(ir.Cell{File: FileR, Index: 9}, lane); a != want || r != word {
			t.Errorf("lane %d: a1 %d, r9 %#x; want %d, %#x", lane, a, r, want, word)
		}
	}
}
