package gen

import (
	"bytes"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/exectest"
	"github.com/heddle-gpu/heddle/internal/jit/cpu"
	"github.com/heddle-gpu/heddle/internal/lower"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/mem"
)

// An affineWriter writes a block of accesses at addresses that compilers write in various ways.
type affineWriter struct {
	strings.Builder
	rnd   *rand.Rand
	names int
	marks int
	kinds [3]int // of addresses
	tells bool   // probes tell addresses
}

// line adds a line. Values that each mark defines anew have its number in their names.
func (w *affineWriter) line(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if strings.HasPrefix(text, "mark") {
		w.marks++
	}
	for _, name := range []string{"%e", "%zero", "%two", "%last"} {
		text = regexp.MustCompile(name+`\b`).ReplaceAllString(text, fmt.Sprint(name, w.marks))
	}
	w.WriteString(text + "\n")
}

// put adds a line with a new name for @, and returns the name.
func (w *affineWriter) put(format string, args ...any) string {
	w.names++
	name := fmt.Sprintf("%%n%d", w.names)
	w.line("  %s", strings.ReplaceAll(fmt.Sprintf(format, args...), "@", name))
	return name
}

// address returns the name of an address and its space: of the places that affineTarget prepares, or, of kind 5, an
// arbitrary one.
func (w *affineWriter) address(kind int) (at, space string) {
	get := func(cell string) string { return w.put("@ = get.i32 %s", cell) }
	n := w.put("@ = const.i32 %d", [...]int{4 * w.rnd.IntN(9), 64 * w.rnd.IntN(5), 2 * w.rnd.IntN(9)}[w.rnd.IntN(3)])
	pair := func(low, high string) string { return w.put("@ = pack.i64 %s, %s", low, high) }
	offset := func(a string) string {
		if w.rnd.IntN(2) == 0 {
			return a
		}
		return w.put("@ = iadd.i64 %s, %s", a, w.put("@ = zext.i64 %s", n))
	}
	switch kind {
	case 0, 1: // sums of halves with carry
		low, high := get("v[0]"), get("v[1]")
		for k := range 1 + kind {
			x, y := get("s[0]"), get("s[1]")
			if k > 0 {
				x, y = n, w.put("@ = const.i32 0")
			}
			sum := w.put("@:@c = addc.i32 %s, %s, %%zero", x, low)
			in := w.put("@ = and.i1 %%e, %sc", sum)
			low, high = sum, w.put("@:@c = addc.i32 %s, %s, %s", high, y, in)
		}
		if w.rnd.IntN(2) == 0 {
			is, other := get("s[8]"), get("s[9]")
			m := w.put("@ = and.i1 %%e, %s", w.put("@ = eq.i32 %s, %s", high, is))
			w.line("  unlikely %s", m)
			low = w.put("@ = select.i32 %s, %s, %s", m, other, low)
		}
		return pair(low, high), "global"
	case 2:
		x := w.put("@ = zext.i64 %s", get("v[2]"))
		return offset(w.put("@ = iadd.i64 %s, %s", x, pair(get("s[2]"), get("s[3]")))), "global"
	case 3:
		x := w.put("@ = sext.i64 %s", get("v[3]"))
		if w.rnd.IntN(2) == 0 {
			x = pair(get("v[3]"), w.put("@ = shrs.i32 %s, %%last", get("v[3]")))
		}
		x = w.put("@ = shl.i64 %s, %%two", x)
		if w.rnd.IntN(2) == 0 { // the same in halves
			v, by := get("v[3]"), w.put("@ = const.i32 2")
			sign := w.put("@ = shrs.i32 %s, %%last", v)
			x = pair(w.put("@ = shl.i32 %s, %s", v, by), w.put("@ = fshr.i32 %s, %s, %s", sign, v, w.put("@ = const.i32 30")))
		}
		return offset(w.put("@ = iadd.i64 %s, %s", x, pair(get("s[6]"), get("s[7]")))), "global"
	case 4:
		x := w.put("@ = iadd.i32 %s, %s", get("v[4]"), n)
		if w.rnd.IntN(3) == 0 {
			x = w.put("@ = iadd.i32 %s, %s", w.put("@ = shl.i32 %s, %s", w.put("@ = laneid.i32"), w.put("@ = const.i32 2")), n)
		}
		return x, "group"
	}
	if kind == 6 {
		return pair(get("v[14]"), get("v[15]")), "global"
	}
	at = w.put("@ = xor.i32 %s, %s", get("v[5]"), w.put("@ = const.i32 4"))
	return pair(at, w.put("@ = const.i32 7")), "global"
}

// access adds an access, and perhaps before it a check.
func (w *affineWriter) access() {
	at, space := w.address(w.kinds[w.rnd.IntN(3)])
	mask := "%e"
	if w.rnd.IntN(8) == 0 {
		mask = w.put("@ = get.i1 p[0]")
	}
	unlikely := ""
	if w.rnd.IntN(3) == 0 { // a uniform guard, of a register that the block may write
		s := w.put("@ = get.i32 s[10]")
		unlikely = w.put("@ = ult.i32 %s, %s", w.put("@ = iadd.i32 %s, %s", s, s), w.put("@ = const.i32 %d", w.rnd.IntN(5)))
		w.line("  unlikely %s", unlikely)
	}
	if w.tells && w.rnd.IntN(4) > 0 {
		w.line("  probe %d, %s, %s", w.marks, at, mask)
	}
	if w.rnd.IntN(6) == 0 {
		w.line("  check load %s[4] %s, %s", space, at, mask)
	}
	if w.rnd.IntN(3) == 0 {
		v := w.put("@ = get.i32 %s", [...]string{"s[9]", "v[10]", "v[11]", "v[8]"}[w.rnd.IntN(4)])
		w.line("  store.i32 %s[4] %s, %s, %s", space, at, v, mask)
		return
	}
	kind := [...]string{"4", "4", "4", "4 align 4", "1", "1 signed", "2", "2 signed"}[w.rnd.IntN(8)]
	v := w.put("@ = load.i32 %s[%s] %s, %s", space, kind, at, mask)
	if w.rnd.IntN(2) == 0 {
		v = w.put("@ = iadd.i32 %s, %s", v, w.put("@ = get.i32 v[10]"))
	}
	if unlikely != "" {
		v = w.put("@ = select.i32 %s, %s, %s", unlikely, w.put("@ = const.i32 77"), v)
	}
	if w.rnd.IntN(2) == 0 {
		mask = "%e" // inactive lanes have loaded 0
	}
	w.line("  set.i32 v[%d], %s, %s", 10+w.rnd.IntN(4), v, mask)
	if w.rnd.IntN(6) == 0 {
		w.line("  set.i32 s[10], %s", w.put("@ = const.i32 %d", w.rnd.IntN(4)))
	}
}

// affineBlock returns the text of a block.
func affineBlock(rnd *rand.Rand) string {
	w := &affineWriter{rnd: rnd, kinds: [...]int{rnd.IntN(5), min(5, rnd.IntN(10)), rnd.IntN(6)}, tells: rnd.IntN(2) > 0}
	kept := rnd.IntN(2)
	w.WriteString("block 0x100\n")
	for i := range 1 + kept + rnd.IntN(5) {
		w.line("mark %#x size 4\n  %%e = get.i1 exec\n  %%zero = const.i1 0\n  %%two = const.i64 2\n  %%last = const.i32 31", 0x100+4*i)
		if i == 0 && kept > 0 { // an address that later marks read from registers
			at, _ := w.address(rnd.IntN(2))
			low := w.put("@:@h = unpack.i32 %s", at)
			w.line("  set.i32 v[14], %s, %%e\n  set.i32 v[15], %sh, %%e", low, low)
			w.kinds[0] = 6
		} else {
			w.access()
		}
	}
	w.WriteString("  jump 0x100\n")
	return w.String()
}

// affineBases are the first addresses of segments of 1024 bytes: the second one has two upper halves.
var affineBases = [...]uint64{0x7_0000_1000, 0x9_ffff_fe00, 0}

// affineTarget prepares the registers of a block: lanes are consecutive, or nearly so, in or close to a segment.
func affineTarget(rnd *rand.Rand, st *exec.State) {
	base := affineBases[rnd.IntN(3)*rnd.IntN(2)]
	near := func() uint64 {
		return base + uint64([...]int{0, 128, 512, 764, 768, 772, 800, 1024, -4, 130, 257}[rnd.IntN(11)])
	}
	cell := func(file uint8, at int) ir.Cell { return ir.Cell{File: file, Index: uint16(at)} }
	row := func(at int, of func(lane int) uint32) {
		odd, n := rnd.IntN(st.Lanes), rnd.Uint32()>>uint(rnd.IntN(32))
		if rnd.IntN(30) > 0 {
			odd = -1
		}
		for lane := range st.Lanes {
			v := of(lane)
			if lane == odd {
				v += n
			}
			st.Set(cell(0, at), lane, v)
		}
	}
	words := func(at int, v uint64) {
		st.Set(cell(3, at), 0, uint32(v))
		st.Set(cell(3, at+1), 0, uint32(v>>32))
	}
	step := [...]uint64{4, 0, 1, 2, 8}[rnd.IntN(5)*rnd.IntN(2)*rnd.IntN(2)]
	edges := [...]uint64{0, 64, 0xffff_ff80, 0xffff_fff0, 0x7fff_ffe0, 0x8000_0000, uint64(rnd.Uint32())}
	sum, at := edges[rnd.IntN(7)]|uint64(rnd.IntN(3))<<32, near()
	words(0, sum)
	row(0, func(lane int) uint32 { return uint32(at - sum + uint64(lane)*step) })
	row(1, func(lane int) uint32 { return uint32((at - sum + uint64(lane)*step) >> 32) })
	first, index := edges[rnd.IntN(7)], edges[rnd.IntN(7)]
	words(2, near()-first)
	row(2, func(lane int) uint32 { return uint32(first + uint64(lane)*step) })
	words(6, near()-uint64(int64(int32(index)))*4)
	row(3, func(lane int) uint32 { return uint32(index + uint64(lane)*step/4) })
	inLDS := uint32([...]int{0, 4, 8, 128, 200, 256, 260, 300, -128, -256}[rnd.IntN([...]int{5, 5, 10}[rnd.IntN(3)])])
	row(4, func(lane int) uint32 { return inLDS + uint32(lane)*uint32(step) })
	apart := rnd.Uint32N(2) * 0x2000 // some lanes are in another segment
	row(5, func(lane int) uint32 { return 0x1000 + uint32(lane%2)*apart + 4*rnd.Uint32N(255) })
	words(8, [...]uint64{7, 9, 5, 10, 0}[rnd.IntN(5)])
	words(10, rnd.Uint64N(8))
}

// TestAffine checks that blocks with accesses of consecutive lanes leave what the reference leaves, wherever addresses
// begin and wrap, and whether or not they are what the fast plan of the block assumes.
func TestAffine(t *testing.T) {
	m, fast, known := exectest.Machine(ir.MaskData), 0, 0
	levels(t, func(t *testing.T, e exec.Engine) {
		rnd := rand.New(rand.NewPCG(3, 43))
		for n := range 400 {
			text := affineBlock(rnd)
			p := exectest.Parse(m, text)
			r, reference := e.NewRunner(p), ref.New().NewRunner(p)
			view(text, func(b *lower.Block) {
				if f := newPlan(targetOf(cpu.Level2), b, new(tables)).faster; f != nil {
					fast++
					known += len(f.logged)
				}
			})
			got, want := affineMemory(t), affineMemory(t)
			for turn := range 8 {
				if !affineAgrees(t, rnd, m, &got, &want, r, reference) {
					t.Fatalf("program %d, turn %d, of\n%s", n, turn, text)
				}
			}
		}
	})
	if fast < 350 || known < 150 {
		t.Errorf("only %d plans have a fast one, in which %d probes tell known addresses", fast, known)
	}
}

// TestFunnel: a lane's index that is shifted in halves makes an affine address; with the lower half of another register
// it does not.
func TestFunnel(t *testing.T) {
	for low, want := range map[string]bool{"%v": true, "%u": false} {
		text := fmt.Sprintf(`block 0x100
mark 0x100 size 4
  %%e = get.i1 exec
  %%v = get.i32 v[3]
  %%u = get.i32 v[4]
  %%last = const.i32 31
  %%two = const.i32 2
  %%thirty = const.i32 30
  %%sign = shrs.i32 %%v, %%last
  %%low = shl.i32 %s, %%two
  %%high = fshr.i32 %%sign, %%v, %%thirty
  %%at = pack.i64 %%low, %%high
  %%x = load.i32 global[4] %%at, %%e
  set.i32 v[5], %%x, %%e
  jump 0x100
`, low)
		got := false
		view(text, func(b *lower.Block) { got = newPlan(targetOf(cpu.Level2), b, new(tables)).faster != nil })
		if got != want {
			t.Errorf("%s: affine %v, want %v", low, got, want)
		}
	}
}

// An affineWorld is an environment, and the bytes of its segments.
type affineWorld struct {
	exec.Env
	data  [][]byte
	heard *hearing
}

// A hearing records what probes tell, in words.
type hearing struct{ all []string }

func (h *hearing) TakesSeries() bool { return true }

func (h *hearing) Observe(e exec.Event) {
	for _, p := range e.Probes {
		values := slices.Clone(p.Values)
		for m := p.Lanes; p.Values == nil && m != 0; m &= m - 1 {
			values = append(values, p.First+p.Step*uint64(bits.TrailingZeros64(m)))
		}
		h.all = append(h.all, fmt.Sprintf("%d at %#x, lanes %#x: %x", p.Kind, p.PC, p.Lanes, values))
	}
}

func affineMemory(t *testing.T) (w affineWorld) {
	t.Helper()
	w.heard = &hearing{}
	w.Probes = &exec.ProbeLog{Observer: w.heard}
	put := func(base uint64, n int) mem.Segment {
		s := mem.NewSegment(fmt.Sprint(len(w.data)), base, n, mem.ReadWrite)
		for i := range s.Data {
			s.Data[i] = byte(i * 7)
		}
		w.data = append(w.data, s.Data)
		return s
	}
	var global []mem.Segment
	for _, base := range append(affineBases[:], 0x7_0000_3000) {
		global = append(global, put(base, 1024))
	}
	for id, list := range map[ir.SpaceID][]mem.Segment{ir.GlobalSpace: global, ir.GroupSpace: {put(0, 512)}} {
		space, err := mem.NewSpace(id.String(), list...)
		if err != nil {
			t.Fatal(err)
		}
		w.Spaces[id] = []*mem.Space{space}
	}
	return w
}

// affineAgrees runs a block several times on both engines.
func affineAgrees(t *testing.T, rnd *rand.Rand, m *ir.Machine, got, want *affineWorld, r, reference exec.Runner) bool {
	t.Helper()
	st, err := exec.NewState(m, [...]int{64, 64, 32, 16}[rnd.IntN(4)])
	if err != nil {
		t.Fatal(err)
	}
	for i := range st.V {
		st.V[i] = rnd.Uint32()
	}
	st.Start(0x100, st.Full)
	affineTarget(rnd, st)
	st.M[exec.IndexOf(m, ir.Cell{File: 4})] = [...]uint64{st.Full, rnd.Uint64() & st.Full, 0}[rnd.IntN(3)]
	if rnd.IntN(2) == 0 {
		st.Exec = rnd.Uint64() & st.Full
	}
	other := st.Snapshot()
	a := r.Run(st, &got.Env, exec.Budget{Steps: 15})
	b := reference.Run(other, &want.Env, exec.Budget{Steps: 15})
	x, y := fmt.Sprint(a.Reason, " ", a.Fault, " ", got.Count), fmt.Sprint(b.Reason, " ", b.Fault, " ", want.Count)
	same := slices.EqualFunc(got.data, want.data, bytes.Equal)
	heard := slices.Equal(got.heard.all, want.heard.all)
	if d := other.Diff(st, 3); d != nil || x != y || !same || !heard {
		t.Errorf("%s, the reference %s; memory is the same: %v; probes are the same: %v; want, got: %q", x, y, same, heard, d)
		return false
	}
	return true
}

// guardedCode loads where lanes whose upper half is that of a window would load elsewhere.
const guardedCode = `
block 0x100
mark 0x100 size 4
  %e = get.i1 exec
  %no = const.i1 0
  %a = get.i32 v[0]
  %b = get.i32 v[1]
  %s = get.i32 s[0]
  %t = get.i32 s[1]
  %l:%c = addc.i32 %a, %s, %no
  %i = and.i1 %e, %c
  %h:%d = addc.i32 %b, %t, %i
  %w = get.i32 s[8]
  %q = eq.i32 %h, %w
  %m = and.i1 %e, %q
  unlikely %m
  %o = get.i32 s[9]
  %f = select.i32 %m, %o, %l
  %g = pack.i64 %f, %h
  %x = load.i32 global[4] %g, %e
  set.i32 v[2], %x, %e
  jump 0x100
`

// TestAffineGuard checks that an upper half which only the last lanes have leaves the fast path.
func TestAffineGuard(t *testing.T) {
	m := exectest.Machine(ir.MaskData)
	levels(t, func(t *testing.T, e exec.Engine) {
		p := exectest.Parse(m, guardedCode)
		got, want := affineMemory(t), affineMemory(t)
		r, reference := e.NewRunner(p), ref.New().NewRunner(p)
		for turn, window := range []uint32{5, 5, 10, 9} {
			st, err := exec.NewState(m, 64)
			if err != nil {
				t.Fatal(err)
			}
			st.Start(0x100, st.Full)
			for at, v := range map[uint16]uint32{0: 0xffff_ff00, 1: 9, 8: window, 9: 0} {
				st.Set(ir.Cell{File: 3, Index: at}, 0, v)
			}
			for lane := range 64 {
				st.Set(ir.Cell{}, lane, uint32(64+4*lane))
				st.Set(ir.Cell{Index: 1}, lane, 0)
			}
			other := st.Snapshot()
			r.Run(st, &got.Env, exec.Budget{Steps: 4})
			reference.Run(other, &want.Env, exec.Budget{Steps: 4})
			if d := other.Diff(st, 3); d != nil {
				t.Errorf("turn %d: want, got: %q", turn, d)
			}
		}
	})
}
