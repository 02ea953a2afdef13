package exec_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/exectest"
	"github.com/heddle-gpu/heddle/internal/pass"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/mem"
)

// machine has files whose sizes leave gaps, with kinds in alternating order.
var machine = &ir.Machine{
	Name: "m",
	Files: []ir.File{
		{Name: "a", Kind: ir.Lane32, Count: 3}, {Name: "s", Kind: ir.Wave32, Count: 5},
		{Name: "p", Kind: ir.Lane1, Count: 3}, {Name: "f", Kind: ir.Wave1, Count: 2},
		{Name: "b", Kind: ir.Lane32, Count: 2}, {Name: "exec", Kind: ir.ExecMask, Count: 1},
		{Name: "q", Kind: ir.Lane1, Count: 1},
	},
	Widths: []int{7, 1, 33, 64}, Control: ir.LowestPC, ModeMask: 6, Mode: ir.Cell{File: 1, Index: 4},
}

// TestCells: bits of different cells do not overlap, and Diff names each.
func TestCells(t *testing.T) {
	for _, lanes := range machine.Widths {
		st, err := exec.NewState(machine, lanes)
		if err != nil {
			t.Fatal(err)
		}
		zero := st.Snapshot()
		for fi, f := range machine.Files {
			for i := range f.Count {
				c := ir.Cell{File: uint8(fi), Index: uint16(i)}
				for lane := range lanes {
					st.Set(c, lane, ^uint32(0))
					want := ^uint32(0)
					name := fmt.Sprintf("%s[%d] lane %d: %#x, 0x0", f.Name, i, lane, want)
					switch f.Kind {
					case ir.Lane1:
						want, name = 1, fmt.Sprintf("%s[%d] lane %d: 0x1, 0x0", f.Name, i, lane)
					case ir.Wave32:
						name = fmt.Sprintf("%s[%d]: %#x, 0x0", f.Name, i, want)
					case ir.Wave1:
						want, name = 1, fmt.Sprintf("%s[%d]: 0x1, 0x0", f.Name, i)
					case ir.ExecMask:
						want, name = 1, fmt.Sprintf("exec: %#x, 0x0", uint64(1)<<lane)
					}
					if d := st.Diff(zero, 9); st.Get(c, lane) != want || len(d) != 1 || d[0] != name {
						t.Fatalf("%d lanes, %s[%d] lane %d: %#x, differs in %q", lanes, f.Name, i, lane, st.Get(c, lane), d)
					}
					st.Set(c, lane, 0)
				}
			}
		}
		if !st.Equal(zero) {
			t.Errorf("%d lanes: not zeros again", lanes)
		}
	}
	if _, err := exec.NewState(machine, 8); err == nil || err.Error() != "exec: machine m has waves of [7 1 33 64] lanes, not 8" {
		t.Error(err)
	}
}

// TestStart: lanes beyond the wave are dropped, the key has the mode's bits, Reset restores the initial state.
func TestStart(t *testing.T) {
	st, _ := exec.NewState(machine, 0)
	zero := st.Snapshot()
	st.S[4] = 0xffff
	st.Start(0x40, ^uint64(0))
	st.SetMask(ir.Cell{File: 6}, ^uint64(0))
	if st.Lanes != 7 || st.Live != 0x7f || st.Exec != 0x7f || st.Mask(ir.Cell{File: 6}) != 0x7f || st.At.Key != (ir.Key{PC: 0x40, Mode: 6}) {
		t.Errorf("%+v", st)
	}
	st.LanePC[3], st.Clock, st.Stack = 9, 9, append(st.Stack, exec.Token{})
	if d := zero.Diff(st, 99); len(d) != 6+7+1 { // exec, live, at, clock, stack, lane pcs; q, s[4]
		t.Errorf("%q", d)
	}
	st.Reset()
	if d := zero.Diff(st, 9); d != nil {
		t.Errorf("%q", d)
	}
}

// writes is code of one block that writes cell 1 of file b.
type writes struct{}

func (writes) Machine() *ir.Machine  { return machine }
func (writes) Text(pc uint64) string { return "text" }
func (writes) Block(at ir.Key) (*ir.Block, error) {
	return &ir.Block{Key: at, Ops: []ir.Inst{{Op: ir.Set, Cell: ir.Cell{File: 4, Index: 1}}}}, nil
}

// TestResetFor zeroes what a block, the methods of State and Restore have written.
func TestResetFor(t *testing.T) {
	p := exec.NewProgram(writes{})
	if _, err := p.Block(ir.Key{}); err != nil {
		t.Fatal(err)
	}
	st, _ := exec.NewState(machine, 33)
	zero, full := st.Snapshot(), st.Snapshot()
	for i := range full.V {
		full.V[i] = 1
	}
	for _, write := range []func(){
		func() { st.V[st.Index(ir.Cell{File: 4, Index: 1})*st.Stride+32] = 1 },
		func() { st.Set(ir.Cell{File: 0, Index: 2}, 32, 1) },
		func() { st.Row(ir.Cell{File: 4})[32] = 1 },
		func() { st.Set(ir.Cell{File: 1, Index: 4}, 0, 1) },
		func() { st.Set(ir.Cell{File: 3, Index: 1}, 0, 1) },
		func() { st.SetMask(ir.Cell{File: 2, Index: 2}, 1<<32) },
		func() { st.Start(8, 1<<32); st.LanePC[7], st.Clock, st.Stack = 9, 9, append(st.Stack, exec.Token{}) },
		func() { st.Restore(full) },
	} {
		write()
		if st.Equal(zero) {
			t.Error("nothing was written")
		}
		st.ResetFor(p)
		if d := zero.Diff(st, 9); d != nil {
			t.Errorf("%q", d)
		}
	}
}

// several is code of two blocks: one writes a cell of each kind except the execution mask, the other a file by
// index.
type several struct{}

func (several) Machine() *ir.Machine  { return machine }
func (several) Text(pc uint64) string { return "text" }
func (several) Block(at ir.Key) (*ir.Block, error) {
	b := &ir.Block{Key: at}
	if at.PC == 0 {
		b.Ops = []ir.Inst{{Op: ir.SetX, Cell: ir.Cell{File: 4, Index: 1}}}
		return b, nil
	}
	for file, op := range []ir.Op{ir.Set, ir.SetLast, ir.Set, ir.SetLast} {
		b.Ops = append(b.Ops, ir.Inst{Op: op, Cell: ir.Cell{File: uint8(file), Index: 1}})
	}
	b.Ops = append(b.Ops, ir.Inst{Op: ir.GetX, Cell: ir.Cell{File: 0, Index: 2}}, ir.Inst{Op: ir.Set, Cell: ir.Cell{File: 5}})
	return b, nil
}

// TestResetAfter: all lanes of the cells that the lifted blocks write are zero again, whatever wrote them, and so
// is the position. All other cells keep what others have set.
func TestResetAfter(t *testing.T) {
	written := map[ir.Cell]uint64{ // by cell: the number of blocks after which it counts as written
		{File: 0, Index: 1}: 8, {File: 1, Index: 1}: 8, {File: 2, Index: 1}: 8, {File: 3, Index: 1}: 8,
		{File: 4, Index: 0}: 0, {File: 4, Index: 1}: 0,
	}
	for _, lanes := range machine.Widths {
		p := exec.NewProgram(several{})
		for _, pc := range []uint64{0, 8} {
			if _, err := p.Block(ir.Key{PC: pc}); err != nil {
				t.Fatal(err)
			}
			st, _ := exec.NewState(machine, lanes)
			want := st.Snapshot()
			for fi, f := range machine.Files {
				for i := range f.Count {
					c := ir.Cell{File: uint8(fi), Index: uint16(i)}
					from, gone := written[c]
					for lane := range lanes {
						st.Set(c, lane, 1)
						if f.Kind != ir.ExecMask && !(gone && from <= pc) {
							want.Set(c, lane, 1)
						}
					}
				}
			}
			st.Start(8, ^uint64(0))
			st.LanePC[0], st.Clock, st.Stack = 9, 9, append(st.Stack, exec.Token{})
			st.ResetAfter(p)
			if d := want.Diff(st, 9); d != nil {
				t.Errorf("%d lanes, blocks up to %d: %q", lanes, pc, d)
			}
		}
	}
}

// counted is code that counts the requests for each block; pc 0 has none.
type counted struct {
	mu    sync.Mutex
	asked map[ir.Key]int
}

func (c *counted) Machine() *ir.Machine  { return machine }
func (c *counted) Text(pc uint64) string { return "text" }
func (c *counted) Block(at ir.Key) (*ir.Block, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked[at]++
	if at.PC == 0 {
		return nil, errors.New("nothing here")
	}
	return &ir.Block{Key: at}, nil
}

// TestProgram: with many goroutines, each block is lifted once for each mode, and there is one form for all.
func TestProgram(t *testing.T) {
	code := &counted{asked: map[ir.Key]int{}}
	p := exec.NewProgram(code)
	var wg sync.WaitGroup
	var mu sync.Mutex
	seen := map[*string]bool{}
	for range 8 {
		wg.Go(func() {
			forms := exec.FormsOf(p, "e", func(p *exec.Program, at ir.Key) (*string, error) {
				b, err := p.Block(at)
				if err != nil {
					return nil, err
				}
				s := fmt.Sprint(b.Key)
				return &s, nil
			})
			for i := range uint64(100) {
				s, err := forms.Get(ir.Key{PC: 1 + i/2, Mode: uint32(i % 2)})
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				seen[s] = true
				mu.Unlock()
			}
			if _, err := forms.Get(ir.Key{}); err == nil {
				t.Error("a block where there is none")
			}
		})
	}
	wg.Wait()
	if p.Lifts() != 100 || len(seen) != 100 {
		t.Errorf("%d lifts, %d forms, want 100", p.Lifts(), len(seen))
	}
	for at, n := range code.asked {
		if at.PC != 0 && n != 1 {
			t.Errorf("%v lifted %d times", at, n)
		}
	}
}

// gated is code whose blocks at pc 1 and 2 can only be lifted concurrently; the lift of pc 3 panics.
type gated struct {
	counted
	both sync.WaitGroup
}

func (g *gated) Block(at ir.Key) (*ir.Block, error) {
	switch at.PC {
	case 1, 2:
		g.both.Done()
		g.both.Wait()
	case 3:
		panic("no lift")
	}
	return g.counted.Block(at)
}

// TestLiftsTogether: no lift waits for that of another block, and a lift that panics leaves no goroutine waiting.
func TestLiftsTogether(t *testing.T) {
	code := &gated{counted: counted{asked: map[ir.Key]int{}}}
	code.both.Add(2)
	p := exec.NewProgram(code)
	var wg sync.WaitGroup
	for i := range uint64(8) {
		wg.Go(func() {
			if b, err := p.Block(ir.Key{PC: 1 + i%2}); err != nil || b.Key.PC != 1+i%2 {
				t.Error(b, err)
			}
		})
	}
	wg.Wait()
	if p.Lifts() != 2 {
		t.Errorf("%d lifts, want 2", p.Lifts())
	}
	for range 2 {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			p.Block(ir.Key{PC: 3})
		}()
	}
}

// TestGraph: all callers share one graph, which grows with what they request; a returned graph does not change.
func TestGraph(t *testing.T) {
	p := exectest.Parse(exectest.Machine(ir.MaskData), `block 0x100
mark 0x100 size 4
  jump 0x200
block 0x200
mark 0x200 size 4
  end
block 0x300
mark 0x300 size 4
  jump 0x200
`)
	graph := func(pc uint64) *pass.Graph {
		g, err := p.Graph(ir.Key{PC: pc})
		if err != nil || !g.Has(ir.Key{PC: pc}) {
			t.Errorf("%#x: %v, %+v", pc, err, g)
		}
		return g
	}
	var wg sync.WaitGroup
	for i := range uint64(6) {
		wg.Go(func() { graph(0x100 + i%3*0x100) })
	}
	wg.Wait()
	first := graph(0x100)
	n := len(first.Nodes)
	both := graph(0x300)
	if graph(0x100) != both || graph(0x200) != both || len(both.Nodes) != 3 || len(first.Nodes) != n || p.Lifts() != 3 {
		t.Errorf("%d nodes, then %d; %d lifts", n, len(both.Nodes), p.Lifts())
	}
	if _, err := p.Graph(ir.Key{PC: 0x999}, ir.Key{PC: 0x100}); err == nil {
		t.Error("an entry without a block")
	}
	if graph(0x100) != both {
		t.Error("an entry without a block made another graph")
	}
}

// TestLiveOut: what is known of waves that begin at one entry has no block of another one, so that many entries do not
// cost each as much as all.
func TestLiveOut(t *testing.T) {
	text := ""
	for i := range 9 {
		text += fmt.Sprintf("block %#x\nmark %#x size 4\n  jump 0x900\n", 0x100*i, 0x100*i)
	}
	p := exectest.Parse(exectest.Machine(ir.MaskData), text+"block 0x900\nmark 0x900 size 4\n  end\n")
	for i := range uint64(9) {
		at := ir.Key{PC: 0x100 * i}
		g, live, ok := p.LiveOut(at).Live(at)
		if !ok || len(g.Nodes) != 2 || len(live.Been) != 2 || !g.Has(at) || !g.Has(ir.Key{PC: 0x900}) {
			t.Errorf("%#x: %t, %+v", at.PC, ok, g)
		}
	}
	if p.Lifts() != 10 {
		t.Errorf("%d lifts", p.Lifts())
	}
}

// TestFaultText: the text of each kind, with and without a launch.
func TestFaultText(t *testing.T) {
	code := &counted{}
	env := &exec.Env{Where: exec.Where{Kernel: "matmul", Wave: 2}}
	out := &mem.Extent{Name: "out", Base: 0x1000, Size: 0x1000}
	memory := &mem.Fault{Kind: mem.OutOfRange, Space: "group", Op: "load", Addr: 0x1ffe, Size: 4, Nearest: out}
	for _, c := range []struct {
		f    exec.Fault
		want string
	}{
		{exec.Fault{Kind: exec.FaultMemory, Lane: 13, Addr: 0x1ffe, Mem: memory}, `kernel matmul pc 0x40 "text" group (0,0,0) wave 2 lane 13: group load of 4 bytes at 0x1ffe: ends past "out" (0x1000-0x2000)`},
		{exec.Fault{Kind: exec.FaultMemory, Lane: 0, Addr: 0x90000, Mem: memory}, `kernel matmul pc 0x40 "text" group (0,0,0) wave 2 lane 0: flat address 0x90000: group load of 4 bytes at 0x1ffe: ends past "out" (0x1000-0x2000)`},
		{exec.Fault{Kind: exec.FaultTrap, Lane: -1, Trap: ir.TrapGuest}, `kernel matmul pc 0x40 "text" group (0,0,0) wave 2: guest`},
	} {
		f := exec.NewFault(c.f.Kind, env, code, 0x40)
		f.Lane, f.Addr, f.Mem, f.Trap = c.f.Lane, c.f.Addr, c.f.Mem, c.f.Trap
		if f.Error() != c.want {
			t.Errorf("%v, want\n%s", f, c.want)
		}
		var m *mem.Fault
		if errors.As(f, &m) != (f.Kind == exec.FaultMemory) {
			t.Errorf("%v: as a memory fault: %v", f, m)
		}
	}
	f := exec.NewFault(exec.FaultCode, &exec.Env{}, code, 0x40)
	f.Err = errors.New("past the end")
	if f.Error() != "pc 0x40 wave 0: no code here: past the end" {
		t.Error(f)
	}
}

// TestCosts: constants, casts, markers, values that only probes read, and the terminator's lanes cost nothing.
func TestCosts(t *testing.T) {
	b := ir.NewBuilder(machine, ir.Key{})
	v := ir.Cell{}
	b.Mark(0, 4, 0)
	b.Set(v, b.Get(v, ir.I32).Add(b.I32(1)), b.Exec()) // get, add, get exec, set
	b.Mark(4, 4, 0)
	b.Issue(0, []ir.Span{{Cell: v, Count: 1}}, nil)
	s := ir.Cell{File: 1}
	once := b.Get(s, ir.I32)
	b.Probe(7, nil, b.Exec().And(b.Exec())) // only the probe needs these
	b.Set(s, once, ir.V{})                  // get, set: once per wave
	b.End()
	c := exec.Costs(b.Finish())
	if len(c) != 3 || c[0] != (exec.Cost{}) || c[1] != (exec.Cost{Ops: 4, LaneOps: 4}) || c[2] != (exec.Cost{Ops: 7, LaneOps: 4}) {
		t.Errorf("%+v", c)
	}
}
