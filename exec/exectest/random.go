package exectest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/irgen"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/ir/pass"
	"github.com/heddle-gpu/heddle/mem"
)

// windowBytes is the size of each piece of memory that random blocks access.
const windowBytes = 256

var windows = []irgen.Window{
	{Space: ir.GlobalSpace, Base: 0x1_0000_0000, Size: windowBytes},
	{Space: ir.GroupSpace, Base: 0, Size: windowBytes},
	{Space: ir.PrivateSpace, Bank: 1, Base: 0x100, Size: windowBytes},
	{Space: ir.ConstSpace, Bank: 2, Base: 0, Size: windowBytes},
	{Space: ir.FlatSpace, Base: 0x7000_0000_0000, Size: windowBytes},
	{Space: ir.GlobalSpace, Bank: 2, Base: 0x2_0000_0000, Size: windowBytes},
}

// A trial is a random block with a state and memory to run it from.
type trial struct {
	m     *ir.Machine
	block *ir.Block
	start *exec.State
	env   exec.Env
	data  [][]byte // of env's segments
	fresh [][]byte // their contents at the start
	plug  plug     // of env
	heard hearing  // likewise
}

// An outcome is all that a run leaves behind.
type outcome struct {
	st    *exec.State
	stop  exec.Stop
	count exec.Counters
	data  []byte
}

func (t *trial) space(name string, at uint64, r *rand.Rand) *mem.Space {
	s, data := space(name, at, windowBytes, r)
	t.remember(data, r)
	return s
}

// remember makes data random, and part of what a run begins with and leaves.
func (t *trial) remember(data []byte, r *rand.Rand) {
	for i := range data {
		data[i] = byte(r.Uint32())
	}
	t.data = append(t.data, data)
	t.fresh = append(t.fresh, bytes.Clone(data))
}

func newTrial(r *rand.Rand, control ir.Control) *trial {
	t := &trial{m: irgen.Machine()}
	t.m.Control = control
	t.block = irgen.Block(r, t.m, irgen.Options{Memory: windows, Handles: randomHandles, Control: true, Exec: true, Serial: true, Faults: r.IntN(2) == 0})
	t.env.Resources = randomResources()
	t.env.Inputs, t.env.Outputs = &t.plug, &t.plug
	t.env.Probes = &exec.ProbeLog{Observer: &t.heard}
	t.env.Spaces = exec.Spaces{
		ir.GlobalSpace: {t.space("global", windows[0].Base, r), nil, t.space("global 2", windows[5].Base, r)},
		ir.GroupSpace:  {t.space("group", 0, r)},
		ir.ConstSpace:  {2: t.space("const", 0, r)},
	}
	t.env.Windows = []exec.Window{{Base: windows[4].Base, Size: windowBytes, Space: ir.GroupSpace}}
	t.env.Policy = exec.Policy(r.IntN(3))
	st, err := exec.NewState(t.m, t.m.Widths[r.IntN(len(t.m.Widths))])
	if err != nil {
		panic(err)
	}
	private, err := mem.NewPrivate(mem.Extent{Name: "private", Base: windows[2].Base, Size: windowBytes, Rights: mem.ReadWrite}, st.Lanes, []int{0, 4, 16}[r.IntN(3)])
	if err != nil {
		panic(err)
	}
	t.env.Private = []*mem.Private{nil, private}
	t.remember(private.Data, r)
	fill(st, r)
	for i := range st.V { // numbers that mean something as index, count or float are rare among random ones
		if r.IntN(2) == 0 {
			st.V[i] = uint32(irgen.Bits(r, 32))
		}
	}
	st.Set(t.m.Mode, 0, t.block.Key.Mode|r.Uint32()&^t.m.ModeMask)
	st.Start(t.block.Key.PC, r.Uint64()|1)
	if ms := masks(st, r); r.IntN(4) != 0 {
		st.Exec = ms[r.IntN(len(ms))]
	}
	t.start = st
	return t
}

// run runs the block b, the trial's or one made from it, to its end; each gives runs of one mark
// in fresh runners.
func (t *trial) run(e exec.Engine, b *ir.Block, each bool) outcome {
	for i := range t.data {
		copy(t.data[i], t.fresh[i])
	}
	t.plug, t.heard = plug{n: randomHandles}, hearing{}
	p := exec.NewProgram(NewCode(t.m, b))
	o := outcome{st: t.start.Snapshot()}
	env := t.env
	r := e.NewRunner(p)
	if each {
		for i := 1; i < len(b.Marks) && o.stop.Reason == 0; i++ {
			s := e.NewRunner(p).Run(o.st, &env, exec.Budget{Steps: 1, Exact: true})
			if s.Reason != exec.StopBudget {
				o.stop = s
			}
			o.st = o.st.Snapshot()
		}
	}
	if o.stop.Reason == 0 {
		o.stop = r.Run(o.st, &env, exec.Budget{Steps: 1})
	}
	o.count = env.Count
	o.data = append(bytes.Join(t.data, nil), strings.Join(append(t.plug.log, t.heard.all...), "\n")...)
	return o
}

// diff says how two outcomes differ; "" if they do not. Counters of ops differ between a block and
// one made from it; those of instructions and memory do not.
func (o *outcome) diff(p *outcome, sameBlock bool) string {
	a, b := o.count, p.count
	if !sameBlock {
		a.Ops, a.LaneOps, b.Ops, b.LaneOps = 0, 0, 0, 0
	}
	switch d := o.st.Diff(p.st, 4); {
	case d != nil:
		return fmt.Sprintf("%q", d)
	case !bytes.Equal(o.data, p.data):
		return "memory"
	case a != b:
		return fmt.Sprintf("counters %+v, %+v", a, b)
	case o.stop.Reason != p.stop.Reason || o.stop.At != p.stop.At:
		return fmt.Sprintf("stop %v, %v", o.stop.Reason, p.stop.Reason)
	case o.stop.Fault != nil && o.stop.Fault.Error() != p.stop.Fault.Error():
		return fmt.Sprintf("fault %v, %v", o.stop.Fault, p.stop.Fault)
	}
	return ""
}

func optimise(m *ir.Machine, b *ir.Block) *ir.Block { return pass.Optimise(m, b, pass.Options{}) }

// Random compares the engine with an oracle on n random blocks with partial masks, and with itself:
// stopped at every mark, and on blocks whose values were forwarded over marks. The oracle may be the
// engine, which leaves the other comparisons.
func Random(t *testing.T, e, oracle exec.Engine, n int) {
	reasons := map[exec.StopReason]int{}
	for seed := range uint64(n) {
		r := rand.New(rand.NewPCG(seed, 11))
		tr := newTrial(r, []ir.Control{ir.MaskStack, ir.LowestPC, ir.MaskData}[seed%3])
		want := tr.run(oracle, tr.block, false)
		reasons[want.stop.Reason]++
		marks, whole := tr.run(e, tr.block, true), tr.run(e, tr.block, false)
		if d := want.diff(&whole, true); d != "" {
			t.Fatalf("seed %d: oracle, engine: %s\n%s", seed, d, ir.Print(tr.m, tr.block))
		}
		if d := want.diff(&marks, true); d != "" {
			t.Fatalf("seed %d: at once, mark by mark: %s\n%s", seed, d, ir.Print(tr.m, tr.block))
		}
		for _, rewrite := range []func(*ir.Machine, *ir.Block) *ir.Block{pass.Forward, optimise} {
			b := rewrite(tr.m, tr.block)
			got := tr.run(e, b, false)
			if d := want.diff(&got, false); d != "" {
				t.Fatalf("seed %d: canonical, rewritten: %s\n%s\n%s", seed, d, ir.Print(tr.m, tr.block), ir.Print(tr.m, b))
			}
		}
	}
	for _, r := range []exec.StopReason{exec.StopEnd, exec.StopBarrier, exec.StopBudget, exec.StopFault} {
		if reasons[r] == 0 {
			t.Errorf("no block of %d stopped for %v", n, r)
		}
	}
}
