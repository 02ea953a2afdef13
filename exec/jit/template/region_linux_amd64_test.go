package template

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/exec/exectest"
	"github.com/heddle-gpu/heddle/exec/jit/cpu"
	"github.com/heddle-gpu/heddle/exec/portable"
	"github.com/heddle-gpu/heddle/exec/ref"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/mem"
)

// leavingLoops counts how often code leaves by an exit of a region where no way has been joined yet.
type leavingLoops struct {
	looper
	exits *int
}

func (l leavingLoops) NewWorker() portable.Worker {
	return leavingWorker{l.looper.NewWorker(), l.exits}
}

type leavingWorker struct {
	portable.Worker
	exits *int
}

func (w leavingWorker) Chain(s portable.Start, budget uint64, ran *portable.Ran) {
	w.Worker.Chain(s, budget, ran)
	if ran.Exit > 0 {
		*w.exits++
	}
}

// A regionCase is a loop, whether it runs as a region, and whether it does where somebody may look at every register.
type regionCase struct {
	name, text   string
	runs, looked bool
}

// countedLoop goes round s[0] times.
const countedLoop = `
block 0x100
mark 0x100 size 4
  %e = get.i1 exec
  %a = get.i32 v[0]
  %b = get.i32 v[1]
  %k = get.i32 s[1]
  %n = get.i32 s[0]
  %c = iadd.i32 %a, %k
  %fb = cast.f32 %b
  %fc = cast.f32 %c
  %p = fmul.f32 %fb, %fc {rne daz ftz}
  %q = fadd.f32 %p, %fb {rne daz ftz}
  %r = cast.i32 %q
  %k1 = iadd.i32 %k, %k
  %one = const.i32 1
  %n1 = isub.i32 %n, %one
  %zero = const.i32 0
  %again = ne.i32 %n1, %zero
  set.i32 v[0], %c, %e
  set.i32 v[1], %r, %e
  set.i32 s[1], %k1
  set.i32 s[0], %n1
  branch %again, 0x100, 0x110
block 0x110
mark 0x110 size 4
  end
`

// withOps is a loop with more ops, in front of the first that sets a register.
func withOps(loop, ops string) string { return strings.Replace(loop, "  set", ops+"\n  set", 1) }

// wideLoop is countedLoop with sums of 64 bits, in lanes and for the wave: they leave one general register to masks.
var wideLoop = withOps(countedLoop, `  %w = pack.i64 %a, %b
  %w2 = iadd.i64 %w, %w
  %lo:%hi = unpack.i32 %w2
  %h = get.i32 s[2]
  %carry = ult.i32 %k1, %k
  %h2:%out = addc.i32 %h, %k, %carry
  set.i32 v[2], %hi, %e
  set.i32 s[2], %h2`)

// loadingLoop is countedLoop with a load of four words by each lane.
var loadingLoop = withOps(countedLoop, `  %some = const.i32 0xff0
  %at = and.i32 %c, %some
  check load global[4 x 4] %at, %e
  %w0:%w1:%w2:%w3 = load.i32 global[4 x 4] %at, %e
  %w01 = xor.i32 %w0, %w1
  %w23 = iadd.i32 %w2, %w3
  %ws = isub.i32 %w01, %w23
  set.i32 v[2], %ws, %e
  set.i32 v[3], %w3, %e`)

// foreignLoop is countedLoop with a write to lanes of p[1], which need not run.
var foreignLoop = withOps(countedLoop, `  %m = get.i1 p[1]
  %g = get.i32 v[2]
  %g1 = iadd.i32 %g, %k
  set.i32 v[2], %g1, %m`)

// foreignLoads is loadingLoop where lanes of p[1] load, and for those that run only it is seen what.
var foreignLoads = strings.NewReplacer("%at, %e", "%at, %m", "  check", "  %m = get.i1 p[1]\n  check").Replace(loadingLoop)

// leavingLoop goes on until v[0] has come to v[1] in all lanes; those that are there stay away.
const leavingLoop = `
block 0x100
mark 0x100 size 4
  %e = get.i1 exec
  %a = get.i32 v[0]
  %l = get.i32 v[1]
  %d = get.i1 p[0]
  %one = const.i32 1
  %b = iadd.i32 %a, %one
  %ge = ule.i32 %l, %b
  %le = and.i1 %ge, %e
  %d2 = or.i1 %d, %le
  %nd = not.i1 %d2
  %x = and.i1 %e, %nd
  %t = any.i1 %x, %x
  set.i32 v[0], %b, %e
  set.i1 p[0], %d2, %e
  set.i1 exec, %x
  branch %t, 0x100, 0x110
block 0x110
mark 0x110 size 4
  %old = get.i1 p[0]
  set.i1 exec, %old
  end
`

// turnsLoop is leavingLoop, but that it counts its turns for the wave: lanes that have left would not.
var turnsLoop = withOps(leavingLoop, `  %n = get.i32 s[0]
  %n1 = iadd.i32 %n, %one
  set.i32 s[0], %n1`)

// ifLoop is leavingLoop with a block that lanes of p[1] go through, if there are any.
const ifLoop = `
block 0x100
mark 0x100 size 4
  %e = get.i1 exec
  %m = get.i1 p[1]
  %in = and.i1 %e, %m
  %all = const.i1 1
  %some = any.i1 %in, %in
  set.i1 p[2], %e, %all
  set.i1 exec, %in
  branch %some, 0x104, 0x108
block 0x104
mark 0x104 size 4
  %e1 = get.i1 exec
  %y = get.i32 v[2]
  %three = const.i32 3
  %z = iadd.i32 %y, %three
  set.i32 v[2], %z, %e1
  jump 0x108
block 0x108
mark 0x108 size 4
  %s = get.i1 p[2]
  %a = get.i32 v[0]
  %l = get.i32 v[1]
  %g = get.i32 v[2]
  %one = const.i32 1
  %b = iadd.i32 %a, %one
  %three = const.i32 3
  %g3 = and.i32 %g, %three
  %more = iadd.i32 %b, %g3
  %ge = ule.i32 %l, %more
  %nd = not.i1 %ge
  %x = and.i1 %s, %nd
  %t = any.i1 %x, %x
  set.i1 exec, %s
  set.i32 v[0], %b, %s
  set.i1 exec, %x
  branch %t, 0x100, 0x110
block 0x110
mark 0x110 size 4
  end
`

// awakeLoop is ifLoop, but that lanes which have left wake up in the next turn, if there is one.
var awakeLoop = strings.Replace(ifLoop, "set.i1 p[2], %e, %all", "set.i1 p[2], %e, %e", 1)

var regionCases = []regionCase{
	{"counted", countedLoop, true, true},
	{"counted, of 64 bits", wideLoop, true, true},
	{"counted, with loads of four words", loadingLoop, true, true},
	{"counted, with a write to other lanes", foreignLoop, true, true},
	{"counted, with loads by other lanes", foreignLoads, true, true},
	{"lanes leave", leavingLoop, true, true},
	{"turns counted for the wave", turnsLoop, true, false},
	{"an if", ifLoop, true, false},
	{"lanes that wake up", awakeLoop, false, false},
}

// TestRegion: loops run as regions where that makes no difference, and leave what the reference leaves, in waves of any width, with lanes
// that do not run, NaNs, and budgets that end within.
func TestRegion(t *testing.T) {
	if !slices.Contains(tested(t), cpu.Level512) {
		t.Skip("NOT TESTED: vectors of 512 bits")
	}
	for _, c := range regionCases {
		t.Run(c.name, func(t *testing.T) { c.run(t) })
	}
}

func (c *regionCase) run(t *testing.T) {
	m := exectest.Machine(ir.MaskData)
	p := exectest.Parse(m, c.text)
	rnd := rand.New(rand.NewPCG(5, 6))
	data := mem.NewSegment("data", 0, 4096, mem.Read)
	for i := range data.Data {
		data.Data[i] = byte(rnd.Uint32())
	}
	global, err := mem.NewSpace("global", data)
	if err != nil {
		t.Fatal(err)
	}
	spaces := exec.Spaces{ir.GlobalSpace: {global}}
	for _, unseen := range []bool{false, true} {
		exits := 0
		n := leavingLoops{looper{native: nativeOf(cpu.Level512), always: true}, &exits}
		for i := range 120 {
			lanes := []int{64, 32, 16}[i%3]
			start := c.start(t, m, lanes, rnd, i)
			e := exec.Eager(portable.With(n)).NewRunner(p)
			got, want := start.Snapshot(), start.Snapshot()
			env, oracle := &exec.Env{Spaces: spaces}, &exec.Env{Spaces: spaces}
			if unseen {
				env.Unseen = p.Unseen(start.At.Key)
			}
			for turn := 0; turn < 1000; turn++ {
				if e.Run(got, env, exec.Budget{Steps: 1 + rnd.Uint64N(1<<rnd.IntN(12))}).Reason == exec.StopEnd {
					break
				}
			}
			ref.New().NewRunner(p).Run(want, oracle, exec.Budget{Steps: math.MaxUint32})
			if env.Count != oracle.Count {
				t.Fatalf("case %d, unseen %v: counted %+v, want %+v", i, unseen, env.Count, oracle.Count)
			}
			if d := want.Diff(got, 4); d != nil && !unseen {
				t.Fatalf("case %d: wanted and got %q", i, d)
			}
		}
		if runs := c.runs && (c.looked || unseen); runs != (exits > 0) {
			t.Errorf("unseen %v: left a region %d times", unseen, exits)
		}
	}
}

// start is a state to begin in.
func (c *regionCase) start(t *testing.T, m *ir.Machine, lanes int, rnd *rand.Rand, i int) *exec.State {
	st, err := exec.NewState(m, lanes)
	if err != nil {
		t.Fatal(err)
	}
	running := st.Full
	if i%4 == 1 {
		running = rnd.Uint64() & st.Full >> (rnd.Uint64() % 60)
	}
	st.Start(0x100, running|1)
	v := func(n int) []uint32 { return st.V[n*st.Stride:][:lanes] }
	for lane := range lanes {
		v(0)[lane], v(1)[lane] = rnd.Uint32N(8), rnd.Uint32N(300)
		if i%5 == 0 {
			v(1)[lane] = uint32(40 + lane/8)
		}
	}
	if i%7 == 0 && c.text == countedLoop {
		v(1)[rnd.IntN(lanes)] = 0x7f800000 + rnd.Uint32N(3)
	}
	st.S[exec.IndexOf(m, ir.Cell{File: 3})] = 1 + rnd.Uint32N(400)
	st.S[exec.IndexOf(m, ir.Cell{File: 3, Index: 1})] = rnd.Uint32()
	st.M[exec.IndexOf(m, ir.Cell{File: 4, Index: 1})] = rnd.Uint64() & st.Full >> (rnd.Uint64() % 60)
	return st
}
