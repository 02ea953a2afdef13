package exectest

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/mem"
)

// spacesText reads a byte from spaces and banks, at the address v[0] of the lane.
const spacesText = `
block 0x100
mark 0x100 size 4
  %a = get.i32 v[0]
  %e = get.i1 exec
  check load global[1] %a, %e
  check load global:15[1] %a, %e
  check load group[1] %a, %e
  check load group:1[1] %a, %e
  check load private[1] %a, %e
  check load private:1[1] %a, %e
  check load const[1] %a, %e
  check load const:2[1] %a, %e
  %v1 = load.i32 global[1] %a, %e
  %v2 = load.i32 global:15[1] %a, %e
  %v3 = load.i32 group[1] %a, %e
  %v4 = load.i32 group:1[1] %a, %e
  %v5 = load.i32 private[1] %a, %e
  %v6 = load.i32 private:1[1] %a, %e
  %v7 = load.i32 const[1] %a, %e
  %v8 = load.i32 const:2[1] %a, %e
  set.i32 v[1], %v1, %e
  set.i32 v[2], %v2, %e
  set.i32 v[3], %v3, %e
  set.i32 v[4], %v4, %e
  set.i32 v[5], %v5, %e
  set.i32 v[6], %v6, %e
  set.i32 v[7], %v7, %e
  set.i32 v[8], %v8, %e
mark 0x104 size 4
  %lo = get.i32 v[10]
  %hi = get.i32 v[11]
  %f = pack.i64 %lo, %hi
  %e2 = get.i1 exec
  %x = load.i32 flat[1] %f, %e2
  set.i32 v[9], %x, %e2
  jump 0x100
`

// testSpaces: spaces, banks and lanes are separate; flat addresses go through their windows.
func testSpaces(t *testing.T, e exec.Engine) {
	m := Machine(ir.MaskData)
	rnd := rand.New(rand.NewPCG(6, 6))
	r := e.NewRunner(Parse(m, spacesText))
	env := &exec.Env{Windows: []exec.Window{
		{Base: 0x5000_0000_0000, Size: 0x100, Space: ir.GroupSpace, Bank: 1, Offset: 0x10},
		{Base: 0x6000_0000_0000, Size: 0x20, Space: ir.PrivateSpace, Bank: 1},
	}}
	add := func(id ir.SpaceID, bank int) []byte {
		s, data := space(id.String(), 0, 64, rnd)
		for len(env.Spaces[id]) <= bank {
			env.Spaces[id] = append(env.Spaces[id], nil)
		}
		env.Spaces[id][bank] = s
		return data
	}
	g0, g15 := add(ir.GlobalSpace, 0), add(ir.GlobalSpace, 15)
	l0, l1 := add(ir.GroupSpace, 0), add(ir.GroupSpace, 1)
	c0, c2 := add(ir.ConstSpace, 0), add(ir.ConstSpace, 2)
	st, _ := exec.NewState(m, 4)
	var parts [2][][]byte
	for i, unit := range []int{0, 4} {
		p, lanes := private(t, mem.Extent{Name: "own", Size: 64, Rights: mem.Read}, 4, unit, rnd)
		env.Private, parts[i] = append(env.Private, p), lanes
	}
	st.Start(entry, 0b0111)
	for lane, x := range []uint64{0x5000_0000_0008, 0x6000_0000_001f, 63, 1 << 40} {
		st.Set(cellOf(fileV, 0), lane, uint32(20+lane))
		home{t: ir.I64, first: 5}.put(st, lane, x)
	}
	want := st.Snapshot()
	want.Clock += 2
	for lane := range 3 {
		for i, d := range [][]byte{g0, g15, l0, l1, parts[0][lane], parts[1][lane], c0, c2} {
			want.Set(cellOf(fileV, 1+i), lane, uint32(d[20+lane]))
		}
		want.Set(cellOf(fileV, 9), lane, uint32([]byte{l1[0x18], parts[1][1][0x1f], g0[63]}[lane]))
	}
	stop := r.Run(st, env, exec.Budget{Steps: 2})
	if d := want.Diff(st, 3); stop.Reason != exec.StopBudget || d != nil {
		t.Errorf("stop %v %v; want, got: %q", stop.Reason, stop.Fault, d)
	}
}

// private makes private memory with random contents, and returns the contents per lane.
func private(t *testing.T, e mem.Extent, lanes, unit int, rnd *rand.Rand) (*mem.Private, [][]byte) {
	t.Helper()
	p, err := mem.NewPrivate(e, lanes, unit)
	if err != nil {
		t.Fatal(err)
	}
	p.Space = "private"
	parts := make([][]byte, lanes)
	for lane := range parts {
		for at := range e.Size {
			b := byte(rnd.Uint32())
			p.Data[p.Offset(lane, e.Base+at)] = b
			parts[lane] = append(parts[lane], b)
		}
	}
	return p, parts
}

// faultText performs an access that faults in lanes with a bad address v[0], in the second mark.
const faultText = `
block 0x100
mark 0x100 size 4
  %k = const.i32 7
  %e = get.i1 exec
  set.i32 v[9], %k, %e
mark 0x104 size 4
  %a = get.i32 v[0]
  %x = get.i32 v[1]
  %y = get.i32 v[2]
  %m = get.i1 exec
  ACCESS
  set.i32 v[3], %a, %m
  jump 0x100
`

var faultCases = []struct {
	access string
	addr   uint32 // of lane 2
	text   string
}{
	{"store global[4 x 2] %a, %x, %y, %m", 0x107c, `global store of 8 bytes at 0x107c: ends past "buf" (0x1000-0x1080)`},
	{"%z:%w = load.i32 global[4 x 2] %a, %m", 0x107c, `global load of 8 bytes at 0x107c: ends past "buf" (0x1000-0x1080)`},
	{"%z = atomic.i32 global[4 add] %a, %x, %m", 0x1042, "global atomic of 4 bytes at 0x1042: address is not a multiple of 4"},
	{"%z = load.i32 global[4 align 4] %a, %m", 0x1041, "global load of 4 bytes at 0x1041: address is not a multiple of 4"},
	{"check store global[4] %a, %m", 0xfff, `global store of 4 bytes at 0xfff: starts before "buf" (0x1000-0x1080)`},
	{"store group[1] %a, %x, %m", 0, ""}, // no group memory: lane 1 faults already
}

// testFaults: an access that faults in one lane changes neither memory nor state nor counters, and the report names
// the lanes and the place.
func testFaults(t *testing.T, e exec.Engine) {
	m := Machine(ir.MaskData)
	rnd := rand.New(rand.NewPCG(7, 7))
	for _, c := range faultCases {
		p := Parse(m, strings.Replace(faultText, "ACCESS", c.access, 1))
		st, env, data := faultState(m, c.addr, rnd)
		env.Where = exec.Where{Kernel: "k", Group: [3]uint32{1, 2, 3}, Wave: 5}
		before, count := bytes.Clone(data), exec.Counters{Instructions: 1, Ops: 2, LaneOps: 2 * 3}
		want := st.Snapshot()
		want.Clock, want.At.Mark = 1, 1
		for _, lane := range []int{1, 2} {
			want.Set(cellOf(fileV, 9), lane, 7)
		}
		stop := e.NewRunner(p).Run(st, env, exec.Budget{Steps: 9})
		if d := want.Diff(st, 3); d != nil || !bytes.Equal(before, data) || env.Count != count {
			t.Errorf("%s: state %q, counters %+v, want %+v; %s", c.access, d, env.Count, count, Differs(0x1000, data, before))
		}
		f := stop.Fault
		if stop.Reason != exec.StopFault || f == nil || f.Kind != exec.FaultMemory || f.PC != 0x104 || f.Where != env.Where {
			t.Errorf("%s: stop %v %+v", c.access, stop.Reason, f)
			continue
		}
		lane, head := 2, `kernel k pc 0x104 "at104" group (1,2,3) wave 5 lane 2: `
		if c.text == "" {
			lane, head = 1, strings.Replace(head, "lane 2", "lane 1", 1)
			c.text = "group store of 1 byte at 0x1004: the space has no segments"
		}
		if f.Lane != lane || f.Error() != head+c.text || f.Addr != f.Mem.Addr {
			t.Errorf("%s: fault\n%v, want\n%s", c.access, f, head+c.text)
		}
	}
}

// faultState has lanes 1 and 2 of 4 active, lane 2 with that address, lane 1 with a good one, and lane 0, which is
// inactive, with a bad one; lane 3 does not exist.
func faultState(m *ir.Machine, addr uint32, rnd *rand.Rand) (*exec.State, *exec.Env, []byte) {
	st, _ := exec.NewState(m, 4)
	fill(st, rnd)
	global, data := space("global", 0x1000, 0x80, rnd)
	env := envOf(global)
	for lane, x := range []uint32{3, 0x1004, addr, 0} {
		st.Set(cellOf(fileV, 0), lane, x)
	}
	st.Start(entry, 0b0111)
	st.Exec = 0b0110
	return st, env, data
}

// testRobust: under the robust policy the lane at fault reads 0 or writes nothing; others continue.
func testRobust(t *testing.T, e exec.Engine) {
	m := Machine(ir.MaskData)
	rnd := rand.New(rand.NewPCG(8, 8))
	for _, c := range faultCases[:5] {
		access, dropped := c.access, uint64(1)
		if strings.HasPrefix(access, "check") { // the access after it will count
			dropped = 0
		}
		text := strings.Replace(faultText, "ACCESS", access, 1)
		if strings.HasPrefix(access, "%z") {
			text = strings.Replace(text, "v[3], %a", "v[3], %z", 1)
		}
		st, env, data := faultState(m, c.addr, rnd)
		env.Policy = exec.RobustFaults
		before := bytes.Clone(data)
		stop := e.NewRunner(Parse(m, text)).Run(st, env, exec.Budget{Steps: 2})
		got := st.Get(cellOf(fileV, 3), 2)
		if stop.Reason != exec.StopBudget || env.Count.Dropped != dropped {
			t.Errorf("%s: stop %v %v, %d dropped", access, stop.Reason, stop.Fault, env.Count.Dropped)
		}
		if strings.HasPrefix(access, "%z") && got != 0 {
			t.Errorf("%s: lane at fault reads %#x", access, got)
		}
		if good := bytes.Equal(before[:4], data[:4]) && bytes.Equal(before[12:], data[12:]); !good {
			t.Errorf("%s: memory changed outside of lane 1's place", access)
		}
		if strings.HasPrefix(access, "store") && bytes.Equal(before, data) {
			t.Errorf("%s: the good lane's store is lost", access)
		}
	}
}

// testWaveLoad: an op that runs once per wave does so with an empty mask; an op that runs per lane does not.
func testWaveLoad(t *testing.T, e exec.Engine) {
	m := Machine(ir.MaskData)
	r := e.NewRunner(Parse(m, `
block 0x100
mark 0x100 size 4
  %a = get.i32 s[0]
  %x = load.i32 global[4] %a
  set.i32 s[1], %x
mark 0x104 size 4
  %b = get.i32 s[2]
  %e = get.i1 exec
  %y = load.i32 global[4] %b, %e
  set.i32 v[0], %y, %e
  jump 0x100
`))
	rnd := rand.New(rand.NewPCG(9, 9))
	global, data := space("global", 0, 64, rnd)
	st, _ := exec.NewState(m, 16)
	st.Start(entry, st.Full)
	st.Exec = 0
	st.Set(cellOf(fileS, 0), 0, 8)
	st.Set(cellOf(fileS, 2), 0, 1<<30)
	env := envOf(global)
	stop := r.Run(st, env, exec.Budget{Steps: 2})
	if stop.Reason != exec.StopBudget || st.Get(cellOf(fileS, 1), 0) != uint32(mem.Load(data[8:12])) || env.Count.Total().Read != 4 {
		t.Errorf("exec 0: stop %v %v, s[1] = %#x, %d bytes", stop.Reason, stop.Fault, st.Get(cellOf(fileS, 1), 0), env.Count.Total().Read)
	}
	st.Set(cellOf(fileS, 0), 0, 1<<30)
	if stop := r.Run(st, env, exec.Budget{Steps: 2}); stop.Reason != exec.StopFault || stop.Fault.Lane != -1 {
		t.Errorf("wave load at fault: stop %v %+v", stop.Reason, stop.Fault)
	}
}
