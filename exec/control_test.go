package exec_test

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
)

func controlMachine(c ir.Control) *ir.Machine {
	return &ir.Machine{
		Name: "control", Files: []ir.File{{Name: "exec", Kind: ir.ExecMask, Count: 1}},
		Widths: []int{16, 1, 3, 64}, Control: c, StackDepth: 12, CallLimit: 2,
	}
}

// somewhere checks that each live lane is active or waits in exactly one place, and other invariants of the lanes
// of a state.
func somewhere(st *exec.State) error {
	helpers := false
	var waits uint64
	for i, t := range st.Stack {
		if both := waits & t.Parked & st.Live; both != 0 {
			return fmt.Errorf("lanes %#x wait in token %d and below it", both, i)
		}
		waits |= t.Parked
		helpers = helpers || t.Kind == exec.TokenQuad
		if t.Kind == exec.TokenQuad && i != len(st.Stack)-1 {
			return fmt.Errorf("token %d is %s, and not the last", i, t.Kind)
		}
	}
	for i, pc := range st.LanePC {
		waiting := st.Live&^st.Exec>>i&1 != 0
		if waiting {
			waits |= 1 << i
		} else if pc != 0 {
			return fmt.Errorf("lane %d runs or has ended, and waits at %#x", i, pc)
		}
	}
	if lost := st.Live &^ st.Exec &^ waits; lost != 0 {
		return fmt.Errorf("lanes %#x neither run nor wait", lost)
	}
	if both := st.Live & st.Exec & waits; both != 0 && !helpers {
		return fmt.Errorf("lanes %#x run and wait", both)
	}
	if st.Exec&^st.Live != 0 && !helpers || st.Live != 0 && st.Exec == 0 {
		return fmt.Errorf("lanes %#x run, live are %#x", st.Exec, st.Live)
	}
	return nil
}

// ender makes a block that ends in a random step of the policy, its mask and its addresses per lane.
func ender(r *rand.Rand, st *exec.State) (*ir.Block, uint64, *ir.Vec) {
	m := st.Machine
	x := r.Uint64() & st.Full
	switch r.IntN(6) {
	case 0:
		x = 0
	case 1:
		x = st.Exec
	case 2, 3:
		x &= st.Exec
	}
	in := ir.Inst{Op: ir.Retire, Imm: 8 * r.Uint64N(6)}
	var at *ir.Vec
	if r.IntN(12) != 0 {
		k := ir.ControlKind(1 + r.IntN(ir.Controls()-1))
		for !k.In(m.Control) {
			k = ir.ControlKind(1 + r.IntN(ir.Controls()-1))
		}
		in.Op, in.Alt = ir.CtlStep, uint64(k)
		if k.EachTarget() && r.IntN(3) == 0 {
			in.Op, at = ir.CtlStepX, new(ir.Vec)
			for i := range at {
				at[i] = 8 * r.Uint64N(3)
			}
		}
	} else if r.IntN(3) != 0 {
		x &= r.Uint64() & r.Uint64()
	}
	return &ir.Block{Ops: []ir.Inst{in}, Next: 8 * (6 + r.Uint64N(4))}, x, at
}

// walks takes random steps from many states, and counts the cases that occurred.
type walks struct {
	t       *testing.T
	seen    map[met]int
	faults  map[ir.ControlKind]int
	cleared bool // inactive lanes were removed from the last step's mask
}

type met struct {
	kind ir.ControlKind
	op   ir.Op
	fast bool
}

// step takes one random step and reports whether the wave continues.
func (w *walks) step(seed uint64, r *rand.Rand, st *exec.State) bool {
	t := w.t
	b, x, at := ender(r, st)
	in := b.Term()
	pc, fast := exec.Fast(b, st.Live, st.Exec, x)
	if w.cleared = !w.cleared; w.cleared {
		pc, fast = exec.Fast(b, st.Live, st.Exec, x&st.Exec)
	}
	before := st.Snapshot()
	var asked error
	if in.Op == ir.CtlStep {
		asked = st.Refuses(ir.ControlKind(in.Alt), x)
	}
	reason, err := st.Leave(b, x, at)
	w.seen[met{ir.ControlKind(in.Alt), in.Op, fast}]++
	what := fmt.Sprintf("seed %d: %s %s %#x of %#x live %#x, stack %v, pcs %v", seed, in.Op, ir.ControlKind(in.Alt), x, before.Exec, before.Live, before.Stack, before.LanePC)
	if in.Op == ir.CtlStep && fmt.Sprint(asked) != fmt.Sprint(err) {
		t.Fatalf("%s: asked before: %v, refused: %v", what, asked, err)
	}
	if fast {
		after := before.Snapshot()
		after.Goto(pc)
		if d := after.Diff(st, 3); d != nil || reason != 0 || err != nil {
			t.Fatalf("%s: alone, shared: %q, %v %v", what, d, reason, err)
		}
	}
	if (err != nil) != (reason == exec.StopFault) || (reason == exec.StopEnd) != st.Ended() {
		t.Fatalf("%s: reason %v, error %v", what, reason, err)
	}
	if err != nil {
		w.faults[ir.ControlKind(in.Alt)]++
		if d := before.Diff(st, 3); d != nil {
			t.Fatalf("%s: refused (%v), and changed %q", what, err, d)
		}
		return true
	}
	if err := somewhere(st); err != nil {
		t.Fatalf("%s: %v; now %#x, stack %v, pcs %v", what, err, st.Exec, st.Stack, st.LanePC)
	}
	if st.Ended() && (st.Exec != 0 || len(st.Stack) != 0 || st.At != before.At) {
		t.Fatalf("%s: ended at %v with %#x, stack %v", what, st.At, st.Exec, st.Stack)
	}
	return !st.Ended()
}

// TestFast: where an engine may execute a step itself, the state is the same as after the shared step; every
// shortcut occurs, both holding and not. No lane gets lost. A refused step changes nothing, and Refuses predicts it
// with the same text.
func TestFast(t *testing.T) {
	w := &walks{t: t, seen: map[met]int{}, faults: map[ir.ControlKind]int{}}
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 3))
		m := controlMachine([]ir.Control{ir.MaskStack, ir.LowestPC}[seed%2])
		st, err := exec.NewState(m, m.Widths[r.IntN(len(m.Widths))])
		if err != nil {
			t.Fatal(err)
		}
		st.Start(0, r.Uint64()|1)
		for n := 0; n < 40 && w.step(seed, r, st); n++ {
		}
	}
	shortcuts := map[ir.ControlKind]bool{
		0: true, ir.CtlCall: true, ir.CtlCallLimited: true, ir.CtlDiverge: true, ir.CtlBreak: true, ir.CtlReturn: true, ir.CtlReconverge: true,
	}
	for k := range ir.ControlKind(ir.Controls()) {
		op := ir.CtlStep
		if k == 0 {
			op = ir.Retire
		}
		if n := w.seen[met{k, op, true}]; (n > 50) != shortcuts[k] || w.seen[met{k, op, false}] < 50 {
			t.Errorf("%s %s: %d times alone, %d not", op, k, n, w.seen[met{k, op, false}])
		}
		if faulty := k != 0 && k.In(ir.MaskStack); faulty != (w.faults[k] > 0) {
			t.Errorf("%s: %d faults", k, w.faults[k])
		}
	}
	diverge, reconverge := w.seen[met{ir.CtlDiverge, ir.CtlStepX, true}], w.seen[met{ir.CtlReconverge, ir.CtlStepX, true}]
	if diverge < 50 || reconverge != 0 {
		t.Errorf("ctlx: diverge %d times alone, reconverge %d", diverge, reconverge)
	}
}

// TestShortcuts: the rule itself, for every small combination of masks.
func TestShortcuts(t *testing.T) {
	for live := range uint64(8) {
		for running := range uint64(8) {
			for mask := range uint64(8) {
				none, all := mask == 0, mask == running
				for s, want := range map[exec.Shortcut]bool{
					exec.NoShortcut: false, exec.IfNone: none, exec.IfAgreed: none || all, exec.IfWhole: live == running && (none || all),
				} {
					if got := s.Holds(live, running, mask); got != want {
						t.Errorf("shortcut %d, live %b, running %b, mask %b: %t", s, live, running, mask, got)
					}
				}
			}
		}
	}
}

// TestOneTarget: under LowestPC a step with one target has the same effect as a step whose targets per lane are all
// equal, with any lanes active, waiting (some of them at the target), and ended.
func TestOneTarget(t *testing.T) {
	met := map[int]int{}
	for seed := range uint64(4000) {
		r := rand.New(rand.NewPCG(seed, 4))
		m := controlMachine(ir.LowestPC)
		pcs := []uint64{4, 8, 12, 16}
		one, err := exec.NewState(m, m.Widths[r.IntN(len(m.Widths))])
		if err != nil {
			t.Fatal(err)
		}
		one.Start(8, ^uint64(0)>>(64-one.Lanes))
		live, exe := r.Uint64()|r.Uint64(), r.Uint64()
		if r.IntN(2) == 0 {
			exe = live
		}
		one.Live &= live
		one.Exec &= exe
		if r.IntN(8) > 0 {
			one.Exec &= one.Live
		}
		for lane := range one.LanePC {
			if one.Exec>>lane&1 == 0 {
				one.LanePC[lane] = pcs[r.IntN(len(pcs))]
			}
		}
		each := one.Snapshot()
		k := []ir.ControlKind{ir.CtlDiverge, ir.CtlReconverge}[r.IntN(2)]
		mask, target, next := r.Uint64()&one.Exec, pcs[r.IntN(len(pcs))], pcs[r.IntN(len(pcs))]
		var at ir.Vec
		for lane := range at {
			at[lane] = target
		}
		b := &ir.Block{Ops: []ir.Inst{{Op: ir.CtlStep, Alt: uint64(k), Imm: target}}, Next: next}
		x := &ir.Block{Ops: []ir.Inst{{Op: ir.CtlStepX, Alt: uint64(k)}}, Next: next}
		r1, err1 := one.Leave(b, mask, nil)
		r2, err2 := each.Leave(x, mask, &at)
		if diff := one.Diff(each, 4); r1 != r2 || err1 != nil || err2 != nil || len(diff) > 0 {
			t.Fatalf("seed %d, %s: %v %v, %v %v: %v", seed, k, r1, r2, err1, err2, diff)
		}
		met[bits.OnesCount64(one.Exec)]++
	}
	if len(met) < 40 {
		t.Errorf("only %d numbers of lanes run", len(met))
	}
}

// TestStackDepth: a machine sets the depth of its stack.
func TestStackDepth(t *testing.T) {
	m := controlMachine(ir.MaskStack)
	m.StackDepth = 0
	if _, err := exec.NewState(m, 1); err == nil || err.Error() != "exec: machine control has the policy MaskStack and a control stack of 0 tokens" {
		t.Error(err)
	}
}

// TestKilledWhileWaiting: a lane that is terminated from outside while it waits does not run again.
func TestKilledWhileWaiting(t *testing.T) {
	leave := func(st *exec.State, k ir.ControlKind, mask, target uint64) {
		t.Helper()
		b := &ir.Block{Ops: []ir.Inst{{Op: ir.CtlStep, Alt: uint64(k), Imm: target}}, Next: st.At.Key.PC + 4}
		if reason, err := st.Leave(b, mask, nil); reason != 0 || err != nil {
			t.Fatalf("%s: %v %v", k, reason, err)
		}
	}
	st, _ := exec.NewState(controlMachine(ir.MaskStack), 16)
	st.Start(0, 7)
	leave(st, ir.CtlPushBreak, st.Exec, 0x40)
	leave(st, ir.CtlBreak, 3, 0)
	st.Live &^= 1
	leave(st, ir.CtlBreak, 4, 0)
	if st.Exec != 6 || st.At.Key.PC != 0x40 {
		t.Errorf("stack: %#x run at %#x", st.Exec, st.At.Key.PC)
	}

	st, _ = exec.NewState(controlMachine(ir.LowestPC), 16)
	st.Start(0, 7)
	leave(st, ir.CtlDiverge, 3, 0x40)
	st.Live &^= 1
	leave(st, ir.CtlReconverge, 4, 0x40)
	if st.Exec != 6 || st.At.Key.PC != 0x40 {
		t.Errorf("lowest pc: %#x run at %#x", st.Exec, st.At.Key.PC)
	}
}

// TestLink: lanes whose target is Nowhere end, the others of the mask go to their targets, and the remaining lanes
// continue.
func TestLink(t *testing.T) {
	st, _ := exec.NewState(controlMachine(ir.LowestPC), 16)
	st.Start(0, 0xff)
	leave := func(mask uint64, to ...uint64) exec.StopReason {
		t.Helper()
		var at ir.Vec
		copy(at[:], to)
		b := &ir.Block{Ops: []ir.Inst{{Op: ir.CtlStepX, Alt: uint64(ir.CtlLink)}}, Next: st.At.Key.PC + 4}
		reason, err := st.Leave(b, mask, &at)
		if err != nil {
			t.Fatal(err)
		}
		return reason
	}
	check := func(what string, live, running, pc uint64) {
		t.Helper()
		if st.Live != live || st.Exec != running || st.At.Key.PC != pc {
			t.Errorf("%s: live %#x, %#x run at %#x; want %#x, %#x at %#x", what, st.Live, st.Exec, st.At.Key.PC, live, running, pc)
		}
	}
	const no = ir.Nowhere
	leave(0x0f, no, 0x40, no, 0x80)
	check("two of four end", 0xfa, 0xf0, 4)
	leave(0xf0, 0, 0x10, 0, 0, no, no, no, no)
	check("all that run end", 0x0a, 2, 0x40)
	leave(8, no, no, no, no)
	check("a lane that waits takes no step", 0x0a, 2, 0x44)
	leave(2, no, 0x90)
	check("the lowest goes on", 0x0a, 8, 0x80)
	leave(8, no, no, no, 0)
	check("0 is a place", 0x0a, 8, 0)
	if leave(8, no, no, no, no) != 0 || st.Exec != 2 {
		t.Errorf("%#x run", st.Exec)
	}
	if leave(0xff, no, no) != exec.StopEnd || !st.Ended() {
		t.Errorf("%#x live", st.Live)
	}
}

// TestReturnUncalled: lanes that return outside of a call end, whatever other tokens they wait in; the others
// continue.
func TestReturnUncalled(t *testing.T) {
	st, _ := exec.NewState(controlMachine(ir.MaskStack), 16)
	st.Start(0, 15)
	leave := func(k ir.ControlKind, mask uint64) exec.StopReason {
		t.Helper()
		b := &ir.Block{Ops: []ir.Inst{{Op: ir.CtlStep, Alt: uint64(k), Imm: 0x40}}, Next: st.At.Key.PC + 4}
		reason, err := st.Leave(b, mask, nil)
		if err != nil {
			t.Fatal(err)
		}
		return reason
	}
	leave(ir.CtlDiverge, 3) // 2 and 3 wait
	leave(ir.CtlReturn, 1)
	if st.Live != 14 || st.Exec != 2 || st.At.Key.PC != 0x44 {
		t.Errorf("%#x live, %#x run at %#x", st.Live, st.Exec, st.At.Key.PC)
	}
	leave(ir.CtlReturn, 2)
	if st.Live != 12 || st.Exec != 12 || st.At.Key.PC != 4 {
		t.Errorf("%#x live, %#x run at %#x", st.Live, st.Exec, st.At.Key.PC)
	}
	leave(ir.CtlCall, 12)
	if leave(ir.CtlReturn, 12); st.Live != 12 || st.Exec != 12 || st.At.Key.PC != 8 {
		t.Errorf("called: %#x live, %#x run at %#x", st.Live, st.Exec, st.At.Key.PC)
	}
	if r := leave(ir.CtlReturn, 12); r != exec.StopEnd || !st.Ended() {
		t.Errorf("the last lanes: %v, %#x live", r, st.Live)
	}
}

// TestStartAgain: a wave that is started again has no waiting lanes left from before.
func TestStartAgain(t *testing.T) {
	for _, c := range []ir.Control{ir.MaskStack, ir.LowestPC} {
		st, _ := exec.NewState(controlMachine(c), 16)
		fresh := st.Snapshot()
		st.Start(0, 7)
		b := &ir.Block{Ops: []ir.Inst{{Op: ir.CtlStep, Alt: uint64(ir.CtlDiverge), Imm: 0x40}}, Next: 4}
		if reason, err := st.Leave(b, 3, nil); reason != 0 || err != nil {
			t.Fatalf("%s: %v %v", c, reason, err)
		}
		if _, waits := st.WaitsAt(0); st.Exec == 7 || waits == (st.Exec&1 != 0) {
			t.Errorf("%s: %#x run, lane 0 waits is %t", c, st.Exec, waits)
		}
		st.Start(8, 5)
		fresh.Start(8, 5)
		if d := fresh.Diff(st, 3); d != nil {
			t.Errorf("%s: %q", c, d)
		}
	}
}
