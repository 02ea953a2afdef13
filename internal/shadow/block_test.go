package shadow_test

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/exectest"
	"github.com/heddle-gpu/heddle/internal/irgen"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/internal/shadow"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/mem"
)

// blocks is code of one block.
type blocks struct {
	m *ir.Machine
	b *ir.Block
}

func (c blocks) Machine() *ir.Machine { return c.m }
func (c blocks) Text(uint64) string   { return "" }
func (c blocks) Block(at ir.Key) (*ir.Block, error) {
	if at != c.b.Key {
		return nil, fmt.Errorf("no block at %#x", at.PC)
	}
	return c.b, nil
}

// A world is the memory of a wave and, on a machine with a shadow, its shadow.
type world struct {
	env  exec.Env
	data [][]byte // by window; those of the shadow follow
}

func newWorld(m *ir.Machine, lanes int) *world {
	w := &world{}
	if s := m.Shadow; s != nil {
		w.env.Shadow = s.Banks
		w.add(ir.Spaces{}, lanes)
		w.add(s.Banks, lanes)
	} else {
		w.add(ir.Spaces{}, lanes)
	}
	for _, x := range exectest.Windows() {
		if x.Space == ir.FlatSpace {
			w.env.Windows = []exec.Window{{Base: x.Base, Size: x.Size, Space: ir.GroupSpace}}
		}
	}
	return w
}

// add adds the windows, in banks from first on.
func (w *world) add(first ir.Spaces, lanes int) {
	for _, x := range exectest.Windows() {
		bank := int(x.Bank) + first[x.Space]
		switch x.Space {
		case ir.FlatSpace:
			continue
		case ir.PrivateSpace:
			p, err := mem.NewPrivate(mem.Extent{Name: "private", Base: x.Base, Size: x.Size, Rights: mem.ReadWrite}, lanes, 4)
			if err != nil {
				panic(err)
			}
			for len(w.env.Private) <= bank {
				w.env.Private = append(w.env.Private, nil)
			}
			w.env.Private[bank], w.data = p, append(w.data, p.Data)
			continue
		case ir.ConstSpace:
			if first != (ir.Spaces{}) {
				continue
			}
		}
		g := mem.NewSegment("window", x.Base, int(x.Size), mem.ReadWrite)
		s, err := mem.NewSpace(x.Space.String(), g)
		if err != nil {
			panic(err)
		}
		banks := &w.env.Spaces[x.Space]
		for len(*banks) <= bank {
			*banks = append(*banks, nil)
		}
		(*banks)[bank], w.data = s, append(w.data, g.Data)
	}
}

// listener notes whether an undefined value mattered.
type listener struct {
	code    *shadow.Code
	matters bool
}

func (l *listener) Observe(e exec.Event) {
	for _, p := range e.Probes {
		if s, ok := l.code.Site(p.Kind); ok && s.Kind.Matters() {
			l.matters = true
		}
	}
}

// A run is the end of a wave.
type run struct {
	*world
	st   *exec.State
	stop exec.Stop
}

func runOn(code ir.Code, start *exec.State, w *world) run {
	st := start.Snapshot()
	stop := ref.New().NewRunner(exec.NewProgram(code)).Run(st, &w.env, exec.Budget{})
	return run{w, st, stop}
}

// sparse returns a word with few bits.
func sparse(r *rand.Rand) uint32 {
	if r.IntN(3) != 0 {
		return 0
	}
	return r.Uint32() & r.Uint32() & r.Uint32()
}

// setFile sets each cell of a file.
func setFile(st *exec.State, file int, word func() uint32) {
	m := st.Machine
	for i := range m.Files[file].Count {
		c := ir.Cell{File: uint8(file), Index: uint16(i)}
		lanes := 1
		if m.Files[file].Kind.PerLane() {
			lanes = st.Lanes
		}
		for lane := range lanes {
			st.Set(c, lane, word())
		}
	}
}

var rounds = flag.Int("rounds", 3000, "number of random blocks")

// TestBlocks runs random blocks with undefined bits in registers and memory, and the same blocks without a shadow on
// two states that differ in such bits. What differs at the end must be marked undefined, unless an undefined value
// mattered before. The shadow must change nothing else.
func TestBlocks(t *testing.T) {
	compared := 0
	for seed := range uint64(*rounds) {
		if tryBlock(t, seed) {
			compared++
		}
		if t.Failed() {
			return
		}
	}
	if t.Logf("%d of %d blocks compared", compared, *rounds); compared < *rounds/6 {
		t.Error("too few blocks end without a use of an undefined value")
	}
}

// A try is a random block with undefined bits, without a shadow, and once more with some of those bits inverted.
type try struct {
	m, sm     *ir.Machine
	text      string
	code      *shadow.Code
	plain, b  *exec.State // at the start: without a shadow, and with bits inverted
	both      *exec.State // with the shadow
	wp, wb, w *world      // their memory
}

func tryBlock(t *testing.T, seed uint64) bool {
	r := rand.New(rand.NewPCG(seed, 5))
	x := newTry(r, seed)
	heard := &listener{code: x.code}
	x.w.env.Probes = &exec.ProbeLog{Observer: heard}
	plain := blocks{x.m, x.code.Unwrap().(blocks).b}
	got, a, b := runOn(x.code, x.both, x.w), runOn(plain, x.plain, x.wp), runOn(plain, x.b, x.wb)
	if got.stop.Reason != a.stop.Reason {
		t.Fatalf("%v with a shadow, %v without: %v %v\n%s", got.stop.Reason, a.stop.Reason, got.stop.Fault, a.stop.Fault, x.text)
	}
	x.compareCells(t, got, a, b, heard.matters)
	x.checkSome(t, got.st)
	x.compareMemory(t, got, a, b, heard.matters)
	if heard.matters {
		return false
	}
	if a.st.Exec != b.st.Exec || a.stop.Reason != b.stop.Reason {
		t.Fatalf("exec %#x and %#x, stop %v and %v\n%s", a.st.Exec, b.st.Exec, a.stop.Reason, b.stop.Reason, x.text)
	}
	return true
}

// TestLikely compares the block that expects defined values with the block that it replaces, where no mask of its
// Unlikely ops has a lane: registers, memory and the shadow of both are the same, and nothing is told.
func TestLikely(t *testing.T) {
	compared := 0
	for seed := range uint64(*rounds / 3) {
		r := rand.New(rand.NewPCG(seed, 6))
		x := newTry(r, seed)
		for f := range x.m.Files { // other registers than few are defined
			if s := x.sm.Shadow.Files[f]; s != 0 && r.IntN(8) != 0 {
				setFile(x.both, s, func() uint32 { return 0 })
			}
		}
		x.both.SumShadow()
		b, err := x.code.Block(x.both.At.Key)
		if err != nil {
			t.Fatal(err)
		}
		if b.Likely == nil {
			continue
		}
		const unlikely = 1 << 40
		fast := *b.Likely
		fast.Ops = slices.Clone(fast.Ops)
		for i := range fast.Ops {
			if in := &fast.Ops[i]; in.Op == ir.Unlikely {
				*in = ir.Inst{Op: ir.Probe, Imm: unlikely, Args: in.Args}
			}
		}
		heard, told := &kinds{}, &kinds{}
		w := x.w.clone(x.sm, x.both.Lanes)
		w.env.Probes, x.w.env.Probes = &exec.ProbeLog{Observer: heard}, &exec.ProbeLog{Observer: told}
		got := runOn(blocks{x.sm, &fast}, x.both, w)
		if slices.Contains(heard.list, unlikely) {
			continue
		}
		want := runOn(blocks{x.sm, b}, x.both, x.w)
		if d := want.st.Diff(got.st, 5); d != nil || got.stop.Reason != want.stop.Reason || !slices.Equal(heard.list, told.list) {
			t.Fatalf("stop %v and %v, probes %v and %v, states differ: %q\n%s", want.stop.Reason, got.stop.Reason, told.list, heard.list, d, x.text)
		}
		for k := range want.data {
			if !bytes.Equal(want.data[k], got.data[k]) {
				t.Fatalf("memory %d differs\n%s", k, x.text)
			}
		}
		compared++
	}
	if t.Logf("%d blocks compared", compared); compared < *rounds/10 {
		t.Error("too few blocks have only defined values")
	}
}

// kinds is the kinds of probes.
type kinds struct{ list []uint64 }

func (k *kinds) Observe(e exec.Event) {
	for _, p := range e.Probes {
		k.list = append(k.list, p.Kind)
	}
}

// clone returns a world with the same bytes.
func (w *world) clone(m *ir.Machine, lanes int) *world {
	c := newWorld(m, lanes)
	for k := range w.data {
		copy(c.data[k], w.data[k])
	}
	return c
}

func newTry(r *rand.Rand, seed uint64) *try {
	m := irgen.Machine()
	o := irgen.Options{Exec: true, Serial: true, Marks: 1 + r.IntN(4), Ops: 1 + r.IntN(6), Without: []ir.Op{ir.FSin, ir.FCos, ir.FSinRev, ir.FCosRev}}
	if r.IntN(3) != 0 {
		o.Memory = exectest.Windows()
	}
	b := irgen.Block(r, m, o)
	x := &try{m: m, code: shadow.New(blocks{m, b}, 1)}
	x.sm = x.code.Machine()
	lanes := m.Widths[r.IntN(len(m.Widths))]
	x.text = fmt.Sprintf("seed %d, %d lanes\n%s", seed, lanes, ir.Print(m, b))
	x.plain, x.both = start(m, b, lanes, r.Uint64()), start(x.sm, b, lanes, r.Uint64())
	x.b = x.plain.Snapshot()
	for f := range m.Files {
		copyFile(x.both, x.plain, f)
		if s := x.sm.Shadow.Files[f]; s != 0 && m.Files[f].Name != "mode" {
			setFile(x.both, s, func() uint32 { return sparse(r) })
			flipFile(x.b, x.both, f, s, r)
		}
	}
	x.both.SumShadow()
	x.both.Exec, x.both.Live, x.both.At = x.plain.Exec, x.plain.Live, x.plain.At
	x.wp, x.wb, x.w = newWorld(m, lanes), newWorld(m, lanes), newWorld(x.sm, lanes)
	for k, data := range x.wp.data {
		for i := range data {
			v := byte(r.Uint32())
			x.wp.data[k][i], x.wb.data[k][i], x.w.data[k][i] = v, v, v
		}
		shadow := x.shadowOf(k)
		for i := range shadow {
			shadow[i] = byte(sparse(r))
			x.wb.data[k][i] ^= shadow[i] & byte(r.Uint32())
		}
	}
	return x
}

// shadowOf returns the shadow of a window; nil: constant memory has none.
func (x *try) shadowOf(window int) []byte {
	at := len(x.wp.data)
	k := 0
	for _, w := range exectest.Windows() {
		switch {
		case w.Space == ir.FlatSpace:
			continue
		case k == window && w.Space == ir.ConstSpace:
			return nil
		case k == window:
			return x.w.data[at]
		case w.Space != ir.ConstSpace:
			at++
		}
		k++
	}
	panic("no such window")
}

// compareCells compares registers: with a shadow they are as without, and those that differ are undefined, unless an
// undefined value mattered.
func (x *try) compareCells(t *testing.T, got, a, b run, mattered bool) {
	for f, file := range x.m.Files {
		for i := range file.Count {
			c := ir.Cell{File: uint8(f), Index: uint16(i)}
			s, ok := x.sm.Shadow.Cell(c)
			for lane := range a.st.Lanes {
				va, vb := a.st.Get(c, lane), b.st.Get(c, lane)
				if v := got.st.Get(c, lane); v != va {
					t.Fatalf("%s lane %d: %#x with a shadow, %#x without\n%s", x.m.CellName(c), lane, v, va, x.text)
				}
				if ok && !mattered && (va^vb)&^got.st.Get(s, lane) != 0 {
					t.Fatalf("%s lane %d: %#x and %#x, undefined %#x\n%s", x.m.CellName(c), lane, va, vb, got.st.Get(s, lane), x.text)
				}
			}
		}
	}
}

// checkSome checks that the shadow of a cell is 0 if its bit of ir.Shadowing.Some is.
func (x *try) checkSome(t *testing.T, st *exec.State) {
	for f, file := range x.m.Files {
		for i := range file.Count {
			c := ir.Cell{File: uint8(f), Index: uint16(i)}
			some, bit, ok := x.sm.Shadow.Bit(c)
			if !ok || st.Get(some, 0)&bit != 0 {
				continue
			}
			s, _ := x.sm.Shadow.Cell(c)
			for lane := range st.Lanes {
				if v := st.Get(s, lane); v != 0 {
					t.Fatalf("%s lane %d: undefined %#x, but some %#x\n%s", x.m.CellName(c), lane, v, st.Get(some, 0), x.text)
				}
			}
		}
	}
}

// compareMemory is compareCells for memory.
func (x *try) compareMemory(t *testing.T, got, a, b run, mattered bool) {
	for k := range a.data {
		shadow := x.shadowOf(k)
		for i := range a.data[k] {
			if got.data[k][i] != a.data[k][i] {
				t.Fatalf("window %d byte %d: %#x with a shadow, %#x without\n%s", k, i, got.data[k][i], a.data[k][i], x.text)
			}
			u := byte(0)
			if shadow != nil {
				u = shadow[i]
			}
			if !mattered && (a.data[k][i]^b.data[k][i])&^u != 0 {
				t.Fatalf("window %d byte %d: %#x and %#x, undefined %#x\n%s", k, i, a.data[k][i], b.data[k][i], u, x.text)
			}
		}
	}
}

// start returns a state of random registers at a block.
func start(m *ir.Machine, b *ir.Block, lanes int, seed uint64) *exec.State {
	st, err := exec.NewState(m, lanes)
	if err != nil {
		panic(err)
	}
	exectest.RandomState(rand.New(rand.NewPCG(seed, 7)), st, b.Key)
	return st
}

// copyFile sets a file to what it is in another state.
func copyFile(to, from *exec.State, file int) {
	for i := range from.Machine.Files[file].Count {
		c := ir.Cell{File: uint8(file), Index: uint16(i)}
		for lane := range from.Lanes {
			to.Set(c, lane, from.Get(c, lane))
		}
	}
}

// flipFile inverts some of the bits of a file that are undefined in the state s.
func flipFile(st, s *exec.State, file, undefined int, r *rand.Rand) {
	for i := range st.Machine.Files[file].Count {
		c, u := ir.Cell{File: uint8(file), Index: uint16(i)}, ir.Cell{File: uint8(undefined), Index: uint16(i)}
		lanes := 1
		if st.Machine.Files[file].Kind.PerLane() {
			lanes = st.Lanes
		}
		for lane := range lanes {
			st.Set(c, lane, st.Get(c, lane)^s.Get(u, lane)&r.Uint32())
		}
	}
}
