package exectest

import (
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
)

// add is the text of a mark that adds k to v[1] of the active lanes; the pc makes its names unique.
func add(pc, k string) string {
	return strings.NewReplacer("PC", pc, "K", k).Replace(`mark 0xPC size 4
  %aPC = get.i32 v[1]
  %kPC = const.i32 K
  %sPC = iadd.i32 %aPC, %kPC
  %ePC = get.i1 exec
  set.i32 v[1], %sPC, %ePC
`)
}

// met is the text of a mark that copies the execution mask to p[1], then the end.
const met = `mark 0x400 size 4
  %m = get.i1 exec
  set.i1 p[1], %m, %m
mark 0x404 size 4
  end
`

// stackText: odd lanes add 10, and of these lanes 3, 7, ... 100 more; even lanes add 1. Then all reconverge.
var stackText = `
block 0x100
mark 0x100 size 4
  %e = get.i1 exec
  ctl push %e, 0x300
block 0x104
mark 0x104 size 4
  %p = get.i1 p[0]
  ctl diverge %p, 0x200
block 0x108
` + add("108", "1") + `  jump 0x300
block 0x200
` + add("200", "10") + `mark 0x204 size 4
  %e = get.i1 exec
  ctl push %e, 0x218
block 0x208
mark 0x208 size 4
  %p = get.i1 p[2]
  ctl diverge %p, 0x214
block 0x20c
mark 0x20c size 4
  jump 0x218
block 0x214
` + add("214", "100") + `  jump 0x218
block 0x218
mark 0x218 size 4
  %e = get.i1 exec
  ctl join %e
block 0x21c
mark 0x21c size 4
  %e = get.i1 p[3]
  retire %e, 0x300
block 0x300
` + add("300", "1000") + `mark 0x304 size 4
  %e = get.i1 exec
  ctl join %e
block 0x308
mark 0x308 size 4
  jump 0x400
block 0x400
` + met

// testMaskStack: every lane runs each mark of its path once and all live lanes reconverge; p[3] are lanes that end
// on the way.
func testMaskStack(t *testing.T, e exec.Engine) {
	m := Machine(ir.MaskStack)
	p := Parse(m, stackText)
	for _, lanes := range m.Widths {
		for _, ends := range []uint64{0, 0x2222222222222222, 0xaaaaaaaaaaaaaaaa} {
			st, _ := exec.NewState(m, lanes)
			st.Start(entry, st.Full)
			st.M[0], st.M[2] = 0xaaaaaaaaaaaaaaaa&st.Full, 0x9999999999999999&st.Full // of which 0x1111... are not active there
			st.M[3] = ends & st.Full
			toEnd(t, e, p, st, &exec.Env{})
			for lane := range lanes {
				want := uint32([]int{1001, 1010, 1001, 1110}[lane%4])
				if ends>>lane&1 != 0 {
					want -= 1000
				}
				if got := st.Get(cellOf(fileV, 1), lane); got != want {
					t.Errorf("%d lanes, ending %#x: lane %d has %d, want %d", lanes, ends, lane, got, want)
				}
			}
			if st.M[1] != st.Full&^ends {
				t.Errorf("%d lanes, ending %#x: %#x met", lanes, ends, st.M[1])
			}
			if lanes == 1 && st.Clock != 8 {
				t.Errorf("a lane that takes no branch ran %d marks, want 8", st.Clock)
			}
		}
	}
}

// wokenText: in each iteration of a loop the lanes of p[3] retire, and then the execution mask is set to all lanes,
// including those that have ended.
const wokenText = `
block 0x100
mark 0x100 size 4
  %p = get.i1 p[3]
  retire %p, 0x104
block 0x104
mark 0x104 size 4
  %f = get.i1 f[0]
  set exec, %f
  jump 0x100
`

// testWoken: a lane that has ended remains so although the execution mask contains it again, and LaneOps counts
// live lanes only.
func testWoken(t *testing.T, e exec.Engine) {
	const turns = 300
	for _, control := range []ir.Control{ir.MaskData, ir.MaskStack} {
		m := Machine(control)
		p := Parse(m, wokenText)
		st, _ := exec.NewState(m, 32)
		st.Start(entry, st.Full)
		st.M[3] = 0x2222222
		st.Set(cellOf(fileF, 0), 0, 1)
		env := &exec.Env{}
		r := e.NewRunner(p)
		for env.Count.Instructions < 2*turns {
			left := 2*turns - env.Count.Instructions
			if stop := r.Run(st, env, exec.Budget{Steps: left, Exact: left < 16, Counted: true}); stop.Reason != exec.StopBudget {
				t.Fatalf("%v: stop %v %v", control, stop.Reason, stop.Fault)
			}
		}
		want := exec.Counters{Instructions: 2 * turns, Ops: env.Count.Ops, LaneOps: 32 + (turns-1)*25 + turns*25} // both get.i1; all lanes are live at the first
		if st.Live != 0xffffffff&^st.M[3] || st.Exec != 0xffffffff || env.Count != want {
			t.Errorf("%v: live %#x, running %#x, %+v, want %+v", control, st.Live, st.Exec, env.Count, want)
		}
	}
}

// lowestText: a loop whose trip count is the lane's number plus one, then two sides that reconverge.
var lowestText = `
block 0x100
` + add("100", "1") + `mark 0x104 size 4
  %a = get.i32 v[1]
  %l = laneid.i32
  %again = ule.i32 %a, %l
  ctl diverge %again, 0x100
block 0x108
mark 0x108 size 4
  %p = get.i1 p[0]
  ctl diverge %p, 0x200
block 0x10c
` + add("10c", "1000") + `mark 0x110 size 4
  %e = get.i1 exec
  ctl reconverge %e, 0x300
block 0x200
` + add("200", "2000") + `mark 0x204 size 4
  %e = get.i1 p[3]
  retire %e, 0x208
block 0x208
mark 0x208 size 4
  %e = get.i1 exec
  ctl reconverge %e, 0x300
block 0x300
mark 0x300 size 4
  jump 0x400
block 0x400
` + met

func testLowestPC(t *testing.T, e exec.Engine) {
	m := Machine(ir.LowestPC)
	p := Parse(m, lowestText)
	for _, lanes := range m.Widths {
		for _, ends := range []uint64{0, 0x2222222222222222, 0xaaaaaaaaaaaaaaaa} {
			st, _ := exec.NewState(m, lanes)
			st.Start(entry, st.Full)
			st.M[0], st.M[3] = 0xaaaaaaaaaaaaaaaa&st.Full, ends&st.Full
			toEnd(t, e, p, st, &exec.Env{})
			for lane := range lanes {
				if got, want := st.Get(cellOf(fileV, 1), lane), uint32(lane+1+1000*(1+lane%2)); got != want {
					t.Errorf("%d lanes: lane %d has %d, want %d", lanes, lane, got, want)
				}
			}
			if st.M[1] != st.Full&^ends {
				t.Errorf("%d lanes, ending %#x: %#x met", lanes, ends, st.M[1])
			}
		}
	}
}
