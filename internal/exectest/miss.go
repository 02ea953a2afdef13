package exectest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/mem"
)

// A host maps pages of 256 bytes from 0x1000 to 0x2000 on demand, and has devices from 0x4000 to 0x5000 and for
// accesses across the end of a page. It records requests.
type host struct {
	rnd   *rand.Rand
	pages map[uint64][]byte
	asked []string
	done  []string          // by the device
	words map[uint64]uint32 // of the device, by address
}

const pageBytes = 256

func newHost(rnd *rand.Rand) *host {
	return &host{rnd: rnd, pages: map[uint64][]byte{}, words: map[uint64]uint32{}}
}

func (h *host) space(t *testing.T) *mem.Space {
	s, err := mem.NewSpace("global", mem.NewSegment("fixed", 0x800, 0x800, mem.Read))
	if err != nil {
		t.Fatal(err)
	}
	s.Miss = h.miss
	return s
}

func (h *host) miss(_ *mem.Space, addr, size uint64, want mem.Rights) mem.Reply {
	h.asked = append(h.asked, fmt.Sprintf("%#x+%d %d", addr, size, want))
	page := addr &^ (pageBytes - 1)
	switch {
	case addr >= 0x4000 && addr < 0x5000:
		return mem.Reply{Device: h}
	case addr < 0x1000 || addr >= 0x2000:
		return mem.Reply{}
	case addr+size > page+pageBytes:
		return mem.Reply{Device: h}
	}
	g := mem.NewSegment(fmt.Sprintf("page %#x", page), page, pageBytes, mem.ReadWrite)
	for i := range g.Data {
		g.Data[i] = byte(h.rnd.Uint32())
	}
	h.pages[page] = g.Data
	return mem.Reply{Segment: g}
}

// Load implements mem.Device.
func (h *host) Load(addr uint64, p []byte) {
	h.done = append(h.done, fmt.Sprintf("load %#x+%d", addr, len(p)))
	for i := 0; i < len(p); i += 4 {
		mem.Store(p[i:i+4], uint64(h.words[addr+uint64(i)]))
	}
}

// Store implements mem.Device.
func (h *host) Store(addr uint64, p []byte) {
	h.done = append(h.done, fmt.Sprintf("store %#x+%d", addr, len(p)))
	for i := 0; i < len(p); i += 4 {
		h.words[addr+uint64(i)] = uint32(mem.Load(p[i : i+4]))
	}
}

// Atomic implements mem.Device.
func (h *host) Atomic(addr uint64, size int, op mem.AtomicOp, data, _ uint64) uint64 {
	h.done = append(h.done, fmt.Sprintf("%v %#x+%d", op, addr, size))
	old := h.words[addr]
	h.words[addr] += uint32(data)
	return uint64(old)
}

// once runs the access for all of 4 lanes.
func (h *host) once(t *testing.T, e exec.Engine, a reach, s *mem.Space, policy exec.Policy, addrs [4]uint64) (*exec.State, exec.Stop, *exec.Env) {
	t.Helper()
	m := Machine(ir.MaskData)
	st, _ := exec.NewState(m, 4)
	fill(st, h.rnd)
	for lane, x := range addrs {
		home{t: ir.I64}.put(st, lane, x)
	}
	st.Start(entry, st.Full)
	env := envOf(s)
	env.Policy = policy
	stop := e.NewRunner(Parse(m, a.text("global"))).Run(st, env, exec.Budget{Steps: 1})
	return st, stop, env
}

func (h *host) want(t *testing.T, what string, asked, done []string) {
	t.Helper()
	if !slices.Equal(h.asked, asked) || !slices.Equal(h.done, done) {
		t.Errorf("%s: asked %q, want %q; done %q, want %q", what, h.asked, asked, h.done, done)
	}
	h.asked, h.done = nil, nil
}

// testMissPages: a page is requested once, at the first access to it, and never if a segment contains the access; a
// declined request is a fault, in the lanes that were declined.
func testMissPages(t *testing.T, e exec.Engine) {
	h := newHost(rand.New(rand.NewPCG(16, 16)))
	s := h.space(t)
	load, store := reach{"load", 4, 1}, reach{"store", 4, 1}
	st, stop, _ := h.once(t, e, load, s, exec.TrapFaults, [4]uint64{0x1010, 0x1310, 0x10fc, 0x800})
	h.want(t, "pages", []string{"0x1010+4 1", "0x1310+4 1"}, nil)
	for lane, w := range [][]byte{h.pages[0x1000][0x10:], h.pages[0x1300][0x10:], h.pages[0x1000][0xfc:]} {
		if got := st.Get(cellOf(fileV, 6), lane); stop.Reason != exec.StopBudget || got != uint32(mem.Load(w[:4])) {
			t.Errorf("lane %d reads %#x; stop %v", lane, got, stop.Fault)
		}
	}
	st, stop, _ = h.once(t, e, store, s, exec.TrapFaults, [4]uint64{0x1014, 0x1210, 0x1314, 0x1014})
	h.want(t, "one more page", []string{"0x1210+4 2"}, nil)
	if got := uint32(mem.Load(h.pages[0x1000][0x14:0x18])); stop.Reason != exec.StopBudget || got != st.Get(cellOf(fileV, 2), 3) {
		t.Errorf("stored %#x; stop %v", got, stop.Fault)
	}
	_, stop, _ = h.once(t, e, store, s, exec.TrapFaults, [4]uint64{0x1014, 0x3000, 0x1018, 0x7000})
	h.want(t, "declined", []string{"0x3000+4 2", "0x7000+4 2"}, nil)
	if f := stop.Fault; f == nil || f.Lanes != 0b1010 || !strings.HasSuffix(f.Error(), `lane 1: global store of 4 bytes at 0x3000: no segment; nearest is "page 0x1300" (0x1300-0x1400), 0x1c00 bytes below`) {
		t.Errorf("declined: %v", stop.Fault)
	}
	_, stop, _ = h.once(t, e, store, s, exec.TrapFaults, [4]uint64{0x1014, 0x800, 0x1018, 0x1018})
	h.want(t, "no right", nil, nil)
	if f := stop.Fault; f == nil || f.Lanes != 0b0010 || f.Mem.Kind != mem.ReadOnly {
		t.Errorf("no right: %v", stop.Fault)
	}
	_, stop, env := h.once(t, e, load, s, exec.RobustFaults, [4]uint64{0x1410, 0x3000, 0x1018, 0x1018})
	h.want(t, "robust", []string{"0x1410+4 1", "0x3000+4 1"}, nil)
	if stop.Reason != exec.StopBudget || env.Count.Dropped != 1 {
		t.Errorf("robust: %v, %+v", stop.Fault, env.Count)
	}
}

// testMissDevice: a device is called lane by lane, once for each access, and not at all if a lane faults.
func testMissDevice(t *testing.T, e exec.Engine) {
	h := newHost(rand.New(rand.NewPCG(17, 17)))
	s := h.space(t)
	st, stop, env := h.once(t, e, reach{"store", 4, 2}, s, exec.TrapFaults, [4]uint64{0x4010, 0x10fc, 0x1020, 0x4010})
	h.want(t, "store", []string{"0x4010+8 2", "0x10fc+8 2", "0x1020+8 2", "0x4010+8 2"}, []string{"store 0x4010+8", "store 0x10fc+8", "store 0x4010+8"})
	v := func(i, lane int) uint32 { return st.Get(cellOf(fileV, i), lane) }
	if stop.Reason != exec.StopBudget || h.words[0x4010] != v(2, 3) || h.words[0x4014] != v(3, 3) || h.words[0x10fc] != v(2, 1) || env.Count.Total().Written != 32 {
		t.Errorf("store: stop %v, device has %#x, counters %+v", stop.Fault, h.words, env.Count)
	}
	st, stop, env = h.once(t, e, reach{"load", 4, 3}, s, exec.TrapFaults, [4]uint64{0x400c, 0x800, 0x4014, 0x1020})
	h.want(t, "load", []string{"0x400c+12 1", "0x4014+12 1"}, []string{"load 0x400c+12", "load 0x4014+12"})
	if stop.Reason != exec.StopBudget || v(6, 0) != 0 || v(7, 0) != h.words[0x4010] || v(8, 0) != h.words[0x4014] || v(6, 2) != h.words[0x4014] || env.Count.Total().Read != 48 {
		t.Errorf("load: stop %v, counters %+v", stop.Fault, env.Count)
	}
	was := h.words[0x4014]
	st, stop, _ = h.once(t, e, reach{"atomic", 4, 1}, s, exec.TrapFaults, [4]uint64{0x4014, 0x1020, 0x4014, 0x4014})
	h.want(t, "atomic", []string{"0x4014+4 3", "0x4014+4 3", "0x4014+4 3"}, []string{"add 0x4014+4", "add 0x4014+4", "add 0x4014+4"})
	sum := was + v(2, 0) + v(2, 2)
	if stop.Reason != exec.StopBudget || v(6, 0) != was || v(6, 2) != was+v(2, 0) || v(6, 3) != sum || h.words[0x4014] != sum+v(2, 3) {
		t.Errorf("atomic: stop %v, device has %#x", stop.Fault, h.words)
	}
	_, stop, _ = h.once(t, e, reach{"load", 4, 1}, s, exec.TrapFaults, [4]uint64{0x4010, 0x4010, 0x9000, 0x4010})
	h.want(t, "a lane at fault", []string{"0x4010+4 1", "0x4010+4 1", "0x9000+4 1", "0x4010+4 1"}, nil)
	if stop.Fault == nil || stop.Fault.Lanes != 0b0100 {
		t.Errorf("a lane at fault: %v", stop.Fault)
	}
}

// testPadding: results do not depend on the padding of rows of a state.
func testPadding(t *testing.T, e exec.Engine) {
	padded := 0
	for seed := range uint64(400) {
		tr := newTrial(rand.New(rand.NewPCG(seed, 18)), []ir.Control{ir.MaskStack, ir.LowestPC, ir.MaskData}[seed%3])
		st := tr.start
		if st.Stride == st.Lanes {
			continue
		}
		padded++
		want := tr.run(e, tr.block, false)
		for i := range st.V {
			if i%st.Stride >= st.Lanes {
				st.V[i] = ^st.V[i]
			}
		}
		got := tr.run(e, tr.block, false)
		if d := want.diff(&got, true); d != "" {
			t.Fatalf("seed %d, %d lanes: with other padding: %s\n%s", seed, st.Lanes, d, ir.Print(tr.m, tr.block))
		}
	}
	if padded < 100 {
		t.Errorf("%d states with padding", padded)
	}
}
