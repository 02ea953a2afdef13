package exectest

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
)

// A path is a program of control steps and the way the lanes of a wave take through it. Its text has
// an instruction a line, each a block of its own:
//
//	ADDR STEP [pN] [TARGET]   a step of the policy, by name, for the running lanes or those of p[N]
//	ADDR STEPx [pN]           the same with v[0] as the target of each lane
//	ADDR retire [pN]          ends lanes
//	ADDR jump TARGET
//	ADDR link ADDR            v[0] = ADDR
//	ADDR swap                 v[1] = v[0] of the lane whose number differs in bit 0, 0 if that does not run
//	ADDR shift                p[0] = p[1], p[1] = p[2], p[2] = p[3], p[3] = 0
//	ADDR nop
//	ADDR end
//
// Lanes 4k to 4k+3 do the same for every k: masks are four bits, lane 0 the lowest.
type path struct {
	name  string
	text  string
	p     [4]uint64 // contents of p[0] to p[3]
	v     [4]uint32 // contents of v[0]
	trace string    // ADDR:MASK of each instruction that runs, then end or the text of a fault
	want  [4]uint32 // contents of v[1] at the end, if any
}

const everyQuad = 0x1111_1111_1111_1111

// pathCode makes the program of a path. With checked, each step is preceded by a check and an effect: v[2] becomes
// 7 in the active lanes.
func pathCode(m *ir.Machine, text string, checked bool) *exec.Program {
	var b strings.Builder
	for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
		w := strings.Fields(line)
		pc, err := strconv.ParseUint(w[0], 16, 64)
		if err != nil {
			panic("exectest: " + line)
		}
		fmt.Fprintf(&b, "block %#x\nmark %#x size 4\n", pc, pc)
		pathLine(&b, pc+4, w[1], w[2:])
	}
	code := b.String()
	if n := strings.Count(code, "  ctl "); checked && n != len(ctlLine.FindAllString(code, -1)) {
		panic("exectest: not all steps are checked in\n" + code)
	} else if checked {
		code = ctlLine.ReplaceAllString(code, "  ctlcheck $1 $2\n  %c = const.i32 7\n  set.i32 v[2], %c, %e\n$0")
	}
	return Parse(m, code)
}

var ctlLine = regexp.MustCompile(`(?m)^  ctl (\w+) (%\w+).*$`)

func pathLine(b *strings.Builder, next uint64, op string, args []string) {
	mask := "exec"
	if len(args) > 0 && args[0][0] == 'p' {
		mask, args = "p["+args[0][1:]+"]", args[1:]
	}
	target := ""
	if len(args) > 0 {
		target = ", 0x" + args[0]
	}
	fmt.Fprintf(b, "  %%e = get.i1 exec\n")
	switch base, each := strings.CutSuffix(op, "x"); {
	case op == "nop":
		fmt.Fprintf(b, "  jump %#x\n", next)
	case op == "end":
		fmt.Fprintf(b, "  end\n")
	case op == "jump":
		fmt.Fprintf(b, "  jump 0x%s\n", args[0])
	case op == "link":
		fmt.Fprintf(b, "  %%a = const.i32 0x%s\n  set.i32 v[0], %%a, %%e\n  jump %#x\n", args[0], next)
	case op == "swap":
		fmt.Fprintf(b, "  %%l = laneid.i32\n  %%k = const.i32 1\n  %%n = xor.i32 %%l, %%k\n  %%v = get.i32 v[0]\n"+
			"  %%r:%%ok = shuffle.i32 %%v, %%n, %%e\n  set.i32 v[1], %%r, %%e\n  jump %#x\n", next)
	case op == "shift":
		fmt.Fprintf(b, "  %%1 = get.i1 p[1]\n  %%2 = get.i1 p[2]\n  %%3 = get.i1 p[3]\n  %%z = const.i1 0\n"+
			"  set.i1 p[0], %%1, %%e\n  set.i1 p[1], %%2, %%e\n  set.i1 p[2], %%3, %%e\n  set.i1 p[3], %%z, %%e\n  jump %#x\n", next)
	case op == "retire":
		fmt.Fprintf(b, "  %%m = get.i1 %s\n  retire %%m, %#x\n", mask, next)
	case each:
		fmt.Fprintf(b, "  %%m = get.i1 %s\n  %%v = get.i32 v[0]\n  %%a = zext.i64 %%v\n  ctlx %s %%a, %%m\n", mask, base)
	default:
		fmt.Fprintf(b, "  %%m = get.i1 %s\n  ctl %s %%m%s\n", mask, op, target)
	}
}

// start is a state at the start of a path.
func (c *path) start(m *ir.Machine, lanes int) *exec.State {
	st, err := exec.NewState(m, lanes)
	if err != nil {
		panic(err)
	}
	st.Start(entry, st.Full)
	for i, p := range c.p {
		st.SetMask(cellOf(fileP, i), p*everyQuad)
	}
	for lane := range lanes {
		st.Set(cellOf(fileV, 0), lane, c.v[lane%4])
	}
	return st
}

// follow runs one instruction after another, each in a runner of its own and on a copy of the state, and returns
// the trace and the last state.
func (c *path) follow(t *testing.T, e exec.Engine, p *exec.Program, st *exec.State) (string, *exec.State) {
	var way []string
	for range 200 {
		pc, ran := st.At.Key.PC, st.Exec
		if ran != ran&15*everyQuad&st.Full {
			t.Errorf("%s, %d lanes: %#x run at %#x", c.name, st.Lanes, ran, pc)
		}
		for lane := range st.Lanes {
			if _, waits := st.WaitsAt(lane); waits != (st.Live&^st.Exec>>lane&1 != 0) {
				t.Errorf("%s, %d lanes: lane %d, live %#x, running %#x, waits is %t", c.name, st.Lanes, lane, st.Live, st.Exec, waits)
			}
		}
		way = append(way, fmt.Sprintf("%x:%x", pc, ran&15))
		st = st.Snapshot()
		switch stop := e.NewRunner(p).Run(st, &exec.Env{}, exec.Budget{Steps: 1, Exact: true}); stop.Reason {
		case exec.StopBudget:
		case exec.StopEnd:
			return strings.Join(append(way, "end"), " "), st
		case exec.StopFault:
			return strings.Join(append(way, stop.Fault.Error()), " "), st
		default:
			t.Fatalf("%s: stop %v", c.name, stop)
		}
	}
	return strings.Join(way, " "), st
}

// run follows the path in waves of every width, step by step and at once.
func (c *path) run(t *testing.T, e exec.Engine, m *ir.Machine) {
	for _, checked := range []bool{false, true} {
		c.runCode(t, e, m, pathCode(m, c.text, checked))
	}
}

func (c *path) runCode(t *testing.T, e exec.Engine, m *ir.Machine, p *exec.Program) {
	for _, lanes := range m.Widths {
		if lanes < 4 {
			continue
		}
		got, last := c.follow(t, e, p, c.start(m, lanes))
		if want := strings.Join(strings.Fields(c.trace), " "); got != want {
			t.Errorf("%s, %d lanes:\n%s, want\n%s", c.name, lanes, got, want)
		}
		whole := c.start(m, lanes)
		e.NewRunner(p).Run(whole, &exec.Env{}, exec.Budget{Steps: 1000})
		if d := last.Diff(whole, 3); d != nil {
			t.Errorf("%s, %d lanes: step by step, at once: %q", c.name, lanes, d)
		}
		for lane := range lanes {
			if got, want := whole.Get(cellOf(fileV, 1), lane), c.want[lane%4]; got != want {
				t.Errorf("%s, %d lanes: lane %d has %d, want %d", c.name, lanes, lane, got, want)
			}
		}
	}
}

// testPaths: which lanes run which instructions, in which order, under both policies.
func testPaths(t *testing.T, e exec.Engine) {
	for _, c := range stackPaths {
		c.run(t, e, Machine(ir.MaskStack))
	}
	for _, c := range lowestPaths {
		c.run(t, e, Machine(ir.LowestPC))
	}
}

// testControlFaults: a step that the stack does not allow is a fault that names the instruction, and changes
// nothing.
func testControlFaults(t *testing.T, e exec.Engine) {
	m := Machine(ir.MaskStack)
	for _, c := range faultPaths {
		c.run(t, e, m)
		c.refused(t, e, m, false)
		c.refused(t, e, m, true)
	}
}

// refused runs the last instruction of the path, which is refused.
func (c *path) refused(t *testing.T, e exec.Engine, m *ir.Machine, checked bool) {
	r := e.NewRunner(pathCode(m, c.text, checked))
	st := c.start(m, 4)
	for n := strings.Count(c.trace, ":f ") - 1; n > 0; n-- {
		r.Run(st, &exec.Env{}, exec.Budget{Steps: 1, Exact: true})
	}
	before := st.Snapshot()
	stop := r.Run(st, &exec.Env{}, exec.Budget{Steps: 1})
	if f := stop.Fault; stop.Reason != exec.StopFault || f.Kind != exec.FaultControl || f.Lane != -1 {
		t.Errorf("%s: stop %v", c.name, stop)
	}
	if d := before.Diff(st, 3); d != nil {
		t.Errorf("%s: the fault changed %q", c.name, d)
	}
}
