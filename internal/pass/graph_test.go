package pass_test

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/internal/pass"
	"github.com/heddle-gpu/heddle/ir"
)

// blocks is code given as text, one block after another.
type blocks struct {
	m  *ir.Machine
	at map[ir.Key]*ir.Block
}

func (c blocks) Machine() *ir.Machine { return c.m }
func (c blocks) Text(uint64) string   { return "" }
func (c blocks) Block(k ir.Key) (*ir.Block, error) {
	if b := c.at[k]; b != nil {
		return b, nil
	}
	return nil, errors.New("outside the code")
}

func codeOf(t *testing.T, m *ir.Machine, text string) blocks {
	c := blocks{m, map[ir.Key]*ir.Block{}}
	for _, part := range strings.Split(text, "block ")[1:] {
		b := parse(t, "block "+part)
		c.at[b.Key] = b
	}
	return c
}

const loop = `block 0
mark 0 size 4
%a = get.i32 s[0]
%b = const.i32 1
%d = isub.i32 %a, %b
set s[0], %d
set s[1], %b
mark 4 size 4
%x = get.i32 s[0]
%z = const.i32 0
%c = ne.i32 %x, %z
branch %c, 0, 8
block 8
mark 8 size 4
%e = get.i1 exec
%s = get.i32 s[2]
set v[3], %s, %e
mark 0xc size 4
end
`

func TestLoop(t *testing.T) {
	g, err := pass.Build(codeOf(t, m, loop), ir.Key{})
	if err != nil {
		t.Fatal(err)
	}
	if len(g.Nodes) != 2 || !slices.Equal(g.Nodes[0].Succ, []int{0, 1}) || !slices.Equal(g.Nodes[1].Pred, []int{0}) || !g.Nodes[1].Exit.Ends {
		t.Fatalf("%+v", g.Nodes)
	}
	out := pass.NewCellSet(m)
	out.Add(pass.Span{Cell: ir.Cell{Index: 3}, Count: 1})
	l := pass.Live(g, pass.KeepFaults, out)
	for _, tt := range []struct {
		name string
		set  pass.LiveSet
		want string
	}{
		{"in 0", l.In[0], "v[3] s[0] s[2] exec mode"},
		{"out 0", l.Out[0], "v[3] s[0] s[2] exec mode"},
		{"in 8", l.In[1], "v[3] s[2] exec"},
		{"out 8", l.Out[1], "v[3]"},
	} {
		names := []string{}
		for _, c := range tt.set.Either().Cells() {
			names = append(names, m.CellName(c))
		}
		if got := strings.Join(names, " "); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

func TestExits(t *testing.T) {
	tests := []struct{ text, want string }{
		{"jump 8", "[8] mode 0"},
		{"%c = const.i1 0\nbranch %c, 8, 0x10", "[16] mode 0"},
		{"%c = get.i1 scc\nbranch %c, 8, 8", "[8] mode 0"},
		{"%a = const.i64 0x20\njumpx %a", "[32] mode 0"},
		{"%a = const.i32 0x40\n%b = const.i32 0\n%p = pack.i64 %a, %b\njumpx %p", "[64] mode 0"},
		{"%a = const.i32 3\n%b = const.i32 3\n%c = eq.i32 %a, %b\nbranch %c, 8, 0x10", "[8] mode 0"},
		{"%a = clock\njumpx %a", "[] mode 0 open: jump"},
		{"barrier 4", "[4] mode 0"},
		{"end", "[] mode 0 ends"},
		{"trap guest \"\"", "[] mode 0 ends"},
		{"%l = live\nretire %l, 4", "[4] mode 0 open: stack ends"},
		{"%l = live\nctl push %l, 0x40", "[4 64] mode 0 open: stack"},
		{"%l = live\nctl join %l", "[4] mode 0 open: stack"},
		{"%l = live\nctl call %l, 0x40", "[4 64] mode 0 open: stack"},
		{"%l = live\nctl return %l", "[4] mode 0 open: stack ends"},
		{"%l = live\n%a = const.i64 0x40\nctlx diverge %a, %l", "[4] mode 0 open: jump"},
		{"%c = const.i32 0x145\nset mode, %c\njump 8", "[8] mode 45"},
		{"%o = get.i32 mode\n%c = const.i8 3\n%n = insert.i32 %o, %c, 8\nset mode, %n\njump 8", "[8] mode 0"},
		{"%o = get.i32 mode\n%c = const.i8 3\n%n = insert.i32 %o, %c, 0\n%k = const.i32 0xfe\n%p = and.i32 %n, %k\nset mode, %p\njump 8", "[8] mode 2"},
		{"%o = get.i32 mode\n%c = get.i32 s[0]\n%n = or.i32 %o, %c\nset mode, %n\njump 8", "[] mode 0 open: mode"},
		{"%o = get.i32 mode\n%c = const.i32 1\n%n = iadd.i32 %o, %c\nset mode, %n\nend", "[] mode 0 ends"},
	}
	for _, tt := range tests {
		e := pass.ExitOf(m, parse(t, tt.text))
		got := fmt.Sprintf("%v mode %x", e.To, e.Mode)
		got += []string{"", " open: stack", " open: outside", " open: mode", " open: jump"}[e.Open]
		if e.Ends {
			got += " ends"
		}
		if got != tt.want {
			t.Errorf("%q: %s, want %s", tt.text, got, tt.want)
		}
	}
}

// TestGrow: a grown graph is the graph of all its entries, and the old one is unchanged.
func TestGrow(t *testing.T) {
	text := "block 0\nmark 0 size 4\njump 8\nblock 8\nmark 8 size 4\njump 0x20\nblock 0x20\nmark 0x20 size 4\nend\nblock 0x40\nmark 0x40 size 4\njump 8\n"
	code := codeOf(t, m, text)
	first, err := pass.Build(code, ir.Key{PC: 8})
	if err != nil || len(first.Nodes) != 2 {
		t.Fatal(err, first.Nodes)
	}
	both, err := pass.Grow(code, first, ir.Key{PC: 0x40}, ir.Key{})
	if err != nil {
		t.Fatal(err)
	}
	whole, err := pass.Build(code, ir.Key{PC: 0x40}, ir.Key{})
	if err != nil || !reflect.DeepEqual(both, whole) {
		t.Errorf("grown %+v, built %+v", both, whole)
	}
	if len(first.Nodes) != 2 || len(first.Nodes[0].Pred) != 0 || len(both.Nodes[both.At[ir.Key{PC: 8}]].Pred) != 2 {
		t.Errorf("%+v, %+v", first.Nodes, both.Nodes)
	}
}

// TestOpen: where control may go anywhere, every cell is live; an address outside the code makes an exit open.
func TestOpen(t *testing.T) {
	g, err := pass.Build(codeOf(t, m, "block 0\nmark 0 size 4\njump 0x100"), ir.Key{}, ir.Key{PC: 4})
	if err == nil || len(g.Nodes) != 1 || g.Nodes[0].Exit.Open != pass.OpenOutside {
		t.Fatalf("%v, %+v", err, g.Nodes)
	}
	l := pass.Live(g, pass.KeepFaults, pass.NewCellSet(m))
	n := 0
	for _, f := range m.Files {
		n += f.Count
	}
	if got := len(l.In[0].Either().Cells()); got != n {
		t.Errorf("%d cells are live, want all %d", got, n)
	}
}

func TestMarkEffects(t *testing.T) {
	b := parse(t, `block 0
mark 0 size 4
%a = get.i32 v[1]
%f = get.f32 v[1]
%t = const.i1 1
%e = get.i1 exec
%x = getx.i32 z[2 + %a], %e
%l = atomic.i32 group[4 add] %a, %x, %e
set v[2], %l, %e
set v[3], %l, %t
set v[2], %l, %t
mark 4 size 4
mark 8 size 4
%b = get.i1 exec
%c = get.i32 v[0]
setx w[0 + %c], %c, %b
setlast s[0], %c, %b
end`)
	show := func(spans []pass.Span) (s string) {
		for _, sp := range spans {
			s += fmt.Sprintf(" %s+%d", m.CellName(sp.Cell), sp.Count)
			if sp.Partial {
				s += "?"
			}
		}
		return s
	}
	want := []string{
		" v[1]+1 exec+1 z[0]+5? -> v[2]+1 v[3]+1; 1 loads, 1 stores",
		" -> ; 0 loads, 0 stores",
		" exec+1 v[0]+1 -> w[0]+3? s[0]+1?; 0 loads, 0 stores",
	}
	for i, e := range pass.MarkEffects(m, b) {
		got := fmt.Sprintf("%s ->%s; %d loads, %d stores", show(e.Reads), show(e.Writes), len(e.Loads), len(e.Stores))
		if strings.Replace(want[i], "-> ;", "->;", 1) != got {
			t.Errorf("mark %d: %s, want %s", i, got, want[i])
		}
	}
}

// TestSerial: a serial block does not run if no lane is active, so its writes do not make earlier writes dead; and
// a lane may read what an earlier lane has written.
func TestSerial(t *testing.T) {
	const text = `block 0
mark 0 size 4
%c = const.i32 1
set s[0], %c
jump 0x10
block 0x10 serial
mark 0x10 size 4
%x = get.i32 s[2]
%c = const.i32 5
set s[0], %c
set s[2], %c
jump 0x20
block 0x20
mark 0x20 size 4
%x = get.i32 s[0]
set s[1], %x
end
`
	g, err := pass.Build(codeOf(t, m, text), ir.Key{})
	if err != nil {
		t.Fatal(err)
	}
	out := pass.NewCellSet(m)
	out.Add(pass.Span{Cell: ir.Cell{File: 1, Index: 1}, Count: 1})
	l := pass.Live(g, pass.KeepEnd, out)
	for i, sets := range []int{1, 2, 1} { // s[2] is read for the next lane
		n := 0
		b := pass.Optimise(m, g.Nodes[i].Block, pass.Options{Keep: pass.KeepEnd, Out: &l.Out[i], Widen: true})
		for k := range b.Ops {
			if b.Ops[k].Op == ir.Set {
				n++
			}
		}
		if n != sets || b.Serial != (i == 1) {
			t.Errorf("block %d has %d writes, want %d\n%s", i, n, sets, ir.Print(m, b))
		}
	}
}

// waiting diverges at 0: some lanes keep v[0] at 0x10, the others copy it to v[2] at 4. At 0x20 they copy v[0] and
// v[3] to v[1] and end: none reaches 0x24.
const waiting = `
block 0
mark 0 size 4
%p = live
ctl diverge %p, 0x10
block 4
mark 4 size 4
%e = get.i1 exec
%x = get.i32 v[2]
set.i32 v[0], %x, %e
jump 0x20
block 0x10
mark 0x10 size 4
%e = get.i1 exec
%x = get.i32 v[0]
set.i32 v[0], %x, %e
jump 0x20
block 0x20
mark 0x20 size 4
%e = get.i1 exec
%x = get.i32 v[3]
%y = get.i32 v[0]
%z = iadd.i32 %x, %y
set.i32 v[1], %z, %e
retire %e, 0x24
block 0x24
mark 0x24 size 4
%t = clock
jumpx %t
`

// TestLiveFrom: for a wave all of whose lanes begin at one block, the places where lanes may wait are known. Under
// lowest PC, lanes that are active at the end of a block continue only at its successors; with a stack of masks the
// next active lanes may be those that waited.
func TestLiveFrom(t *testing.T) {
	lane := func(l pass.LiveSet) string {
		names := [2][]string{}
		for k, set := range []pass.CellSet{l.Active, l.Inactive} {
			for i := range 4 {
				if set.Has(ir.Cell{Index: uint16(i)}) {
					names[k] = append(names[k], fmt.Sprint(i))
				}
			}
		}
		return strings.Join(names[0], "") + "|" + strings.Join(names[1], "")
	}
	for _, c := range []struct {
		policy ir.Control
		from   uint64
		want   map[uint64]string // per-lane registers v[0] to v[3] that are live after a block, in active and in other lanes
	}{
		{ir.LowestPC, 0, map[uint64]string{0: "023|0123", 4: "03|0123", 0x10: "03|0123", 0x20: "1|0123"}},
		{ir.MaskStack, 0, map[uint64]string{0: "023|0123", 4: "023|0123", 0x10: "023|0123", 0x20: "0123|0123"}},
		{ir.LowestPC, 0x24, map[uint64]string{0: "0123|0123", 0x20: "0123|0123"}}, // waves do not reach it
	} {
		machine := *m
		machine.Control, machine.StackDepth = c.policy, 8
		g, err := pass.Build(codeOf(t, &machine, waiting), ir.Key{}, ir.Key{PC: c.from})
		if err != nil {
			t.Fatal(err)
		}
		out := pass.NewCellSet(&machine)
		out.Add(pass.Span{Cell: ir.Cell{Index: 1}, Count: 1})
		l := pass.LiveFrom(g, ir.Key{PC: c.from}, pass.KeepEnd, nil, out)
		for at, want := range c.want {
			if got := lane(l.Out[g.At[ir.Key{PC: at}]]); got != want {
				t.Errorf("%v from %#x, behind %#x: %s, want %s", c.policy, c.from, at, got, want)
			}
		}
		if been := l.Been[g.At[ir.Key{PC: 0x24}]]; been != (c.from == 0x24) {
			t.Errorf("%v from %#x: been behind the end: %v", c.policy, c.from, been)
		}
	}
}
