package gcnrun

import (
	"encoding/binary"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	launched "github.com/heddle-gpu/heddle/internal/platforms/gcn"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/gcn"
	"github.com/heddle-gpu/heddle/mem"
)

// A memRun runs single memory instructions on a wave: with 64 KiB of global memory from globalBase on, and 4 KiB of
// local memory, at sharedHi<<32 in flat addresses.
type memRun struct {
	t             *testing.T
	st            *exec.State
	global, group []byte
	gds           []byte // the global data share
	gws           []byte // resources of global wave sync
	turns         []byte // whose turn it is with ordered append
	target        *isa.Target
	stop          exec.Stop // of the last run
	io            exec.Resources
}

const (
	globalBase = 0x1_2345_0000
	globalSize = 1 << 16
	groupSize  = 1 << 12
	sharedHi   = 0x10000
	privateHi  = 0x20000
)

// newMemRun makes a wave with all lanes active and no limit in M0; global memory holds word i at 4*i, local memory ^i.
func newMemRun(t *testing.T) *memRun {
	st, err := exec.NewState(gcn.Set().Machine(0), 0)
	if err != nil {
		t.Fatal(err)
	}
	m := &memRun{t: t, st: st, global: mem.Alloc(globalSize), group: mem.Alloc(groupSize), gds: mem.Alloc(gcn.GDSBytes), gws: mem.Alloc(gcn.GWSBytes), turns: mem.Alloc(gcn.OrderBytes), target: gcn.Set().At(0, 0)}
	for i := 0; i < globalSize; i += 4 {
		binary.LittleEndian.PutUint32(m.global[i:], uint32(i/4))
	}
	for i := 0; i < groupSize; i += 4 {
		binary.LittleEndian.PutUint32(m.group[i:], ^uint32(i/4))
	}
	st.Set(gcn.CellMode, 0, 0x3c0)
	st.Set(gcn.CellM0, 0, 0xffffffff)
	st.Set(gcn.CellPrivateBase, 0, privateHi)
	st.Set(gcn.CellSharedBase, 0, sharedHi)
	st.Start(0, ^uint64(0))
	return m
}

// try runs the instruction and returns the fault, if there is one.
func (m *memRun) try(text string) *exec.Fault {
	m.t.Helper()
	var b isa.Bundle
	if err := m.target.Parse(text, 0, &b); err != nil {
		m.t.Fatalf("%s: %v", text, err)
	}
	code, err := b.Encode(nil)
	if err != nil {
		m.t.Fatal(err)
	}
	return m.runCode(code)
}

// runWord runs an instruction of 64 bits.
func (m *memRun) runWord(w uint64, what string) {
	m.t.Helper()
	if f := m.runCode(binary.LittleEndian.AppendUint64(nil, w)); f != nil {
		m.t.Fatalf("%s: %v", what, f)
	}
}

// runCode runs the first instruction of the code.
func (m *memRun) runCode(code []byte) *exec.Fault {
	m.note(code)
	return m.runSteps(code, 1)
}

// runSteps runs so many instructions, from the first one on.
func (m *memRun) runSteps(code []byte, n uint64) *exec.Fault {
	space := func(name string, base uint64, data []byte) *mem.Space {
		s, err := mem.NewSpace(name, mem.Segment{Name: name, Base: base, Rights: mem.ReadWrite, Data: data})
		if err != nil {
			m.t.Fatal(err)
		}
		return s
	}
	gds := space("gds", 0, m.gds)
	if err := gds.Add(mem.Segment{Name: "gws", Base: gcn.GWSBase, Rights: mem.ReadWrite, Data: m.gws}); err != nil {
		m.t.Fatal(err)
	}
	env := &exec.Env{
		Spaces:    exec.Spaces{ir.GlobalSpace: {space("global", globalBase, m.global), gds, space("turns", 0, m.turns)}, ir.GroupSpace: {space("group", 0, m.group)}},
		Windows:   []exec.Window{{Base: sharedHi << 32, Size: 1 << 32, Space: ir.GroupSpace}},
		Resources: m.io,
	}
	env.ImageOf = launched.NewImages(env.Space(ir.GlobalSpace, 0), nil).Of
	prog := exec.NewProgram(&isa.Program{Target: m.target, Code: code})
	live := m.st.Exec
	m.st.Start(0, ^uint64(0))
	m.st.Exec = live
	m.stop = ref.New().NewRunner(prog).Run(m.st, env, exec.Budget{Steps: n, Exact: true})
	return m.stop.Fault
}

// program runs consecutive instructions until the wave ends, at most limit of them; branches count as instructions.
func (m *memRun) program(limit uint64, lines ...string) {
	m.t.Helper()
	var code []byte
	for _, text := range append(lines, "s_endpgm") {
		var b isa.Bundle
		if err := m.target.Parse(text, uint64(len(code)), &b); err != nil {
			m.t.Fatalf("%s: %v", text, err)
		}
		word, err := b.Encode(nil)
		if err != nil {
			m.t.Fatal(err)
		}
		m.note(word)
		code = append(code, word...)
	}
	if f := m.runSteps(code, limit); f != nil || m.stop.Reason != exec.StopEnd {
		m.t.Fatalf("%q: %v, %v", lines, m.stop.Reason, f)
	}
}

func (m *memRun) run(text string) {
	m.t.Helper()
	if f := m.try(text); f != nil {
		m.t.Fatalf("%s: %v", text, f)
	}
}

// v sets a vector register to f of each lane; s sets scalar registers from i on.
func (m *memRun) v(i int, f func(lane int) uint32) {
	for lane := range 64 {
		m.st.Set(gcn.VGPR(i), lane, f(lane))
	}
}

func (m *memRun) s(i int, ws ...uint32) {
	for k, w := range ws {
		m.st.Set(gcn.SGPR(i+k), 0, w)
	}
}

func (m *memRun) s64(i int, x uint64) { m.s(i, uint32(x), uint32(x>>32)) }

// wantV checks a vector register in the active lanes, wantS scalar registers from i on.
func (m *memRun) wantV(i int, f func(lane int) uint32) {
	m.t.Helper()
	for lane := range 64 {
		if got := m.st.Get(gcn.VGPR(i), lane); m.st.Exec>>lane&1 != 0 && got != f(lane) {
			m.t.Errorf("v%d of lane %d is %#x, want %#x", i, lane, got, f(lane))
			return
		}
	}
}

func (m *memRun) wantS(i int, ws ...uint32) {
	m.t.Helper()
	for k, w := range ws {
		if got := m.st.Get(gcn.SGPR(i+k), 0); got != w {
			m.t.Errorf("s%d is %#x, want %#x", i+k, got, w)
		}
	}
}

// word and local are words of global and local memory by byte offset.
func (m *memRun) word(at int) uint32  { return binary.LittleEndian.Uint32(m.global[at:]) }
func (m *memRun) local(at int) uint32 { return binary.LittleEndian.Uint32(m.group[at:]) }

// wantWord and wantLocal check words of global and local memory by byte offset.
func (m *memRun) wantWord(at int, want uint32) {
	m.t.Helper()
	m.wantIn("global", m.global, at, want)
}

func (m *memRun) wantLocal(at int, want uint32) {
	m.t.Helper()
	m.wantIn("local", m.group, at, want)
}

func (m *memRun) wantIn(space string, data []byte, at int, want uint32) {
	m.t.Helper()
	if got := binary.LittleEndian.Uint32(data[at:]); got != want {
		m.t.Errorf("%s memory at %#x is %#x, want %#x", space, at, got, want)
	}
}

func all(x uint32) func(int) uint32 { return func(int) uint32 { return x } }

func perLane(n uint32) func(int) uint32 { return func(lane int) uint32 { return uint32(lane) * n } }
