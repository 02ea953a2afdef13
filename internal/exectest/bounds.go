package exectest

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/mem"
)

// arenaBytes is the size of the memory that accesses go to, and beyond.
const arenaBytes = 64

// top is the address of memory at the end of the address space.
const top = 1<<64 - arenaBytes

// An arena is memory in some space, and how code names it.
type arena struct {
	space string
	id    ir.SpaceID
	base  uint64 // of its first byte, as code uses it
	at    uint64 // the same in its space; differs for a flat address
	lanes bool   // private to each lane
	env   *exec.Env
	data  []byte                            // all of it
	place func(lane int, offset uint64) int // index in data
}

// arenas returns memory in each kind of space, in other banks, at the end of the address space, in a window, and in
// private memory of each layout.
func arenas(t *testing.T, lanes int, rnd *rand.Rand) (as []arena) {
	shared := func(name string, id ir.SpaceID, bank int, base, at uint64, windows ...exec.Window) {
		s, data := space(id.String(), at, arenaBytes, rnd)
		env := &exec.Env{Windows: windows}
		env.Spaces[id] = make([]*mem.Space, bank+1)
		env.Spaces[id][bank] = s
		as = append(as, arena{space: name, id: id, base: base, at: at, env: env, data: data, place: func(_ int, off uint64) int { return int(off) }})
	}
	shared("global", ir.GlobalSpace, 0, 0x1000, 0x1000)
	shared("global:15", ir.GlobalSpace, 15, 0x1_2345_6780, 0x1_2345_6780)
	shared("global:3", ir.GlobalSpace, 3, top, top)
	shared("group:1", ir.GroupSpace, 1, 0, 0)
	shared("const:2", ir.ConstSpace, 2, 0x100, 0x100)
	shared("flat", ir.GroupSpace, 1, 0x7000_0000_0000, 0x10, exec.Window{Base: 0x7000_0000_0000, Size: arenaBytes, Space: ir.GroupSpace, Bank: 1, Offset: 0x10})
	for _, unit := range []int{0, 1, 4, 8, 16} {
		for _, base := range []uint64{0, 0x104} {
			p, _ := private(t, mem.Extent{Name: "own", Base: base, Size: arenaBytes, Rights: mem.ReadWrite}, lanes, unit, rnd)
			as = append(as, arena{space: "private:1", id: ir.PrivateSpace, base: base, at: base, lanes: true, env: &exec.Env{Private: []*mem.Private{nil, p}},
				data: p.Data, place: func(lane int, off uint64) int { return p.Offset(lane, p.Base+off) }})
		}
	}
	return as
}

// A reach is one instruction that accesses memory at the address in v[0] and v[1]: data in v[2] and following
// cells, results in v[6] and following.
type reach struct {
	op    string // "load", "store", "atomic"
	elem  int
	count int
}

var reaches = []reach{
	{"load", 1, 1}, {"load", 4, 1}, {"load", 4, 3}, {"load", 2, 2},
	{"store", 1, 1}, {"store", 4, 1}, {"store", 4, 2}, {"store", 2, 3},
	{"atomic", 4, 1},
}

// size is the number of bytes of the access.
func (a reach) size() uint64 { return uint64(a.elem * a.count) }

// text is the block of the instruction. The result cells are set to 7 first and must be overwritten.
func (a reach) text(space string) string {
	var b strings.Builder
	b.WriteString("block 0x100\nmark 0x100 size 4\n  %lo = get.i32 v[0]\n  %hi = get.i32 v[1]\n  %a = pack.i64 %lo, %hi\n  %e = get.i1 exec\n")
	var data, results []string
	for i := range a.count {
		fmt.Fprintf(&b, "  %%d%d = get.i32 v[%d]\n", i, 2+i)
		data, results = append(data, fmt.Sprintf("%%d%d", i)), append(results, fmt.Sprintf("%%r%d", i))
	}
	switch a.op {
	case "load":
		fmt.Fprintf(&b, "  %s = load.i32 %s[%d x %d] %%a, %%e\n", strings.Join(results, ":"), space, a.elem, a.count)
	case "store":
		fmt.Fprintf(&b, "  store.i32 %s[%d x %d] %%a, %s, %%e\n", space, a.elem, a.count, strings.Join(data, ", "))
	case "atomic":
		fmt.Fprintf(&b, "  %%r0 = atomic.i32 %s[4 add] %%a, %%d0, %%e\n", space)
	}
	for i := 0; i < a.count && a.op != "store"; i++ {
		fmt.Fprintf(&b, "  set.i32 v[%d], %%r%d, %%e\n", 6+i, i)
	}
	b.WriteString("  jump 0x100\n")
	return b.String()
}

// good reports whether the access is in bounds, with numbers that cannot overflow.
func (a reach) good(r *arena, addr uint64) bool {
	if a.op == "atomic" && addr%uint64(a.elem) != 0 {
		return false
	}
	off, borrow := bits.Sub64(addr, r.base, 0)
	return borrow == 0 && off < arenaBytes && off+a.size() <= arenaBytes
}

// addresses are those at and around both ends of the arena, and those that wrap around.
func (a reach) addresses(r *arena, rnd *rand.Rand) []uint64 {
	n, end := a.size(), r.base+arenaBytes
	return []uint64{
		r.base, r.base + 1, end - n, end - n + 1, end - 1, end, end + 1, r.base - 1, r.base - n, r.base - n + 1,
		^uint64(0), ^uint64(0) - n + 1, ^uint64(0) - n + 2, 0, 1 << 63, r.base + 4*rnd.Uint64N(8), r.base + 4*rnd.Uint64N(8),
	}
}

// testBounds: accesses at the first and last byte, across both ends, around the end of the address space, in every
// space, bank and layout, with good and bad lanes mixed, under every policy.
func testBounds(t *testing.T, e exec.Engine) {
	m := Machine(ir.MaskData)
	rnd := rand.New(rand.NewPCG(15, 15))
	for _, lanes := range []int{16, 4, 64} {
		for _, r := range arenas(t, lanes, rnd) {
			for _, a := range reaches {
				if r.space == "const:2" && a.op != "load" {
					continue
				}
				run := e.NewRunner(Parse(m, a.text(r.space)))
				for _, policy := range []exec.Policy{exec.TrapFaults, exec.RobustFaults, exec.RecordFaults} {
					for range 4 {
						c := boundsCase{reach: a, arena: r, policy: policy}
						c.begin(m, lanes, rnd)
						c.run(t, run)
					}
				}
			}
		}
	}
}

// A boundsCase is one run.
type boundsCase struct {
	reach
	arena
	policy exec.Policy
	st     *exec.State
	addr   []uint64 // per lane
	bad    uint64   // lanes of the mask whose access is out of bounds
}

func (c *boundsCase) begin(m *ir.Machine, lanes int, rnd *rand.Rand) {
	c.st, _ = exec.NewState(m, lanes)
	fill(c.st, rnd)
	c.st.Start(entry, c.st.Full)
	ms := masks(c.st, rnd)
	c.st.Exec = ms[rnd.IntN(len(ms))]
	c.addr = make([]uint64, lanes)
	some := c.addresses(&c.arena, rnd)
	allGood := rnd.IntN(3) == 0
	for lane := range lanes {
		x := some[rnd.IntN(len(some))]
		if allGood && !c.good(&c.arena, x) {
			x = c.base
		}
		c.addr[lane] = x
		home{t: ir.I64}.put(c.st, lane, x)
		if c.st.Exec>>lane&1 != 0 && !c.good(&c.arena, x) {
			c.bad |= 1 << lane
		}
	}
	for i := range c.data {
		c.data[i] = byte(rnd.Uint32())
	}
	c.env.Policy, c.env.Count, c.env.Faults = c.policy, exec.Counters{}, exec.FaultLog{}
}

func (c *boundsCase) run(t *testing.T, run exec.Runner) {
	t.Helper()
	want, data := c.st.Snapshot(), append([]byte(nil), c.data...)
	count := exec.Counters{Dropped: uint64(bits.OnesCount64(c.bad))}
	stops := c.policy == exec.TrapFaults && c.bad != 0
	if stops {
		count.Dropped = 0
	} else {
		c.expect(want, data, &count)
	}
	stop := run.Run(c.st, c.env, exec.Budget{Steps: 1})
	what := fmt.Sprintf("%s %dx%d %s, %d lanes, policy %d, exec %#x, bad %#x", c.op, c.elem, c.count, c.space, c.st.Lanes, c.policy, want.Exec, c.bad)
	got := c.env.Count
	got.Instructions, got.Ops, got.LaneOps = 0, 0, 0
	if d := want.Diff(c.st, 3); d != nil || string(data) != string(c.data) || got != count {
		t.Fatalf("%s: want, got: %q; counters %+v, want %+v; %v; in all of its memory %s", what, d, got, count, stop.Fault, Differs(0, c.data, data))
	}
	switch {
	case !stops && stop.Reason != exec.StopBudget || stops && stop.Reason != exec.StopFault:
		t.Fatalf("%s: stop %v %v", what, stop.Reason, stop.Fault)
	case stops:
		c.fault(t, what, stop.Fault)
	}
	recorded := c.policy == exec.RecordFaults && c.bad != 0
	if l := c.env.Faults; !recorded && (len(l.List) > 0 || l.Count > 0) || recorded && (len(l.List) != 1 || l.Count != count.Dropped || l.List[0].Count != count.Dropped) {
		t.Fatalf("%s: recorded %+v", what, l)
	} else if recorded {
		c.fault(t, what, l.List[0].Fault)
	}
}

// fault checks the report of the lanes at fault.
func (c *boundsCase) fault(t *testing.T, what string, f *exec.Fault) {
	t.Helper()
	first := bits.TrailingZeros64(c.bad)
	at := c.addr[first]
	if off := at - c.base; off < arenaBytes {
		at = off + c.at
	}
	if f.Kind != exec.FaultMemory || f.PC != entry || f.Lane != first || f.Lanes != c.bad || f.Addr != c.addr[first] || f.Mem.Addr != at || f.Mem.Op != c.op || f.Mem.Size != c.size() {
		t.Fatalf("%s: fault %+v of %+v", what, f, f.Mem)
	}
	for lane := range c.addr {
		x := uint64(0)
		if c.bad>>lane&1 != 0 {
			x = c.addr[lane]
		}
		if len(f.Addrs) != len(c.addr) || f.Addrs[lane] != x {
			t.Fatalf("%s: addresses %#x, want that of lane %d %#x", what, f.Addrs, lane, x)
		}
	}
}

// expect performs the accesses of the lanes of the mask, the lowest first; a lane at fault reads 0 and writes
// nothing.
func (c *boundsCase) expect(st *exec.State, data []byte, count *exec.Counters) {
	st.Clock++
	n := &count.Memory[c.id]
	for lane := range st.Lanes {
		switch {
		case st.Exec>>lane&1 == 0:
			continue
		case c.bad>>lane&1 != 0:
			for i := 0; i < c.count && c.op != "store"; i++ {
				st.Set(cellOf(fileV, 6+i), lane, 0)
			}
			continue
		}
		for i := range c.count {
			old := uint32(0)
			for k := c.elem - 1; k >= 0; k-- {
				old = old<<8 | uint32(data[c.place(lane, c.addr[lane]-c.base+uint64(i*c.elem+k))])
			}
			x := st.Get(cellOf(fileV, 2+i), lane)
			if c.op == "atomic" {
				x += old
			}
			for k := 0; k < c.elem && c.op != "load"; k++ {
				data[c.place(lane, c.addr[lane]-c.base+uint64(i*c.elem+k))] = byte(x >> (8 * k))
			}
			if c.op != "store" {
				st.Set(cellOf(fileV, 6+i), lane, old)
			}
		}
		if c.op != "store" {
			n.Read += c.size()
		}
		if c.op != "load" {
			n.Written += c.size()
		}
		if c.op == "atomic" {
			n.Atomics++
		}
	}
}
