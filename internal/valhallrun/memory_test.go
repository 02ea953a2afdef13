package valhallrun

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/exectest"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa/valhall"
	"github.com/heddle-gpu/heddle/mem"
)

// memoryAt is the address of the memory of these tests: it crosses a multiple of 2^32.
const (
	memoryAt    = 0x12_ffff_ff00
	memoryBytes = 1024
)

// withMemory gives a warp random memory. Registers hold a word that identifies register and lane.
func (w *warp) withMemory(rnd *rand.Rand) []byte {
	w.t.Helper()
	g := mem.NewSegment("memory", memoryAt, memoryBytes, mem.ReadWrite)
	for i := range g.Data {
		g.Data[i] = byte(rnd.Uint32())
	}
	space, err := mem.NewSpace("global", g)
	if err != nil {
		w.t.Fatal(err)
	}
	w.env.Spaces[ir.GlobalSpace] = []*mem.Space{space}
	for n := range 64 {
		w.set(n, func(lane int) uint32 { return uint32(n)<<24 | 0x00a5_5a00 | uint32(lane) })
	}
	return g.Data
}

// setPair sets rN and the next register.
func (w *warp) setPair(n int, f func(lane int) uint64) {
	var vs [valhall.Lanes]uint64
	for lane := range vs {
		vs[lane] = f(lane)
	}
	w.set(n, func(lane int) uint32 { return uint32(vs[lane]) })
	w.set(n+1, func(lane int) uint32 { return uint32(vs[lane] >> 32) })
}

// number returns bytes as a number.
func number(b []byte) (lo, hi uint64) {
	var all [16]byte
	copy(all[:], b)
	return binary.LittleEndian.Uint64(all[:]), binary.LittleEndian.Uint64(all[8:])
}

// loadLanes are the destinations of a narrow load: the word of the mnemonic, the first bit and the bits.
var loadLanes = map[int][]struct {
	word     string
	at, bits int
}{
	8:  {{"", 0, 8}, {".b1", 8, 8}, {".b2", 16, 8}, {".b3", 24, 8}, {".h0", 0, 16}, {".h1", 16, 16}, {".w0", 0, 32}, {".d0", 0, 64}},
	16: {{"", 0, 16}, {".h1", 16, 16}, {".w0", 0, 32}, {".d0", 0, 64}},
	24: {{"", 0, 32}},
	32: {{"", 0, 32}, {".d0", 0, 64}},
	48: {{"", 0, 64}},
}

// loaded returns four registers after a load of bytes.
func loaded(before [4]uint32, b []byte, at, bits int, unsigned bool) [4]uint32 {
	if len(b) >= 8 {
		for i := range len(b) / 4 {
			before[i] = binary.LittleEndian.Uint32(b[4*i:])
		}
		return before
	}
	v, _ := number(b)
	if n := 8 * len(b); !unsigned && v>>(n-1)&1 != 0 {
		v |= ^uint64(0) << n
	}
	for i := range bits {
		word, bit := (at+i)/32, (at+i)%32
		before[word] = before[word]&^(1<<bit) | uint32(v>>i&1)<<bit
	}
	return before
}

// eachLoad calls f with all loads of a size.
func eachLoad(size int, f func(suffix string, at, bits int, unsigned bool)) {
	lanes := loadLanes[size]
	if lanes == nil {
		lanes = append(lanes, loadLanes[32][0])
	}
	for _, l := range lanes {
		for _, unsigned := range []bool{false, true} {
			s := l.word
			if unsigned {
				s += ".unsigned"
			}
			f(s, l.at, l.bits, unsigned)
		}
	}
}

const stagingAll = "@r20:r21:r22:r23"

// TestLoads: loads of all sizes, to all lanes of registers, at addresses of any alignment, with inactive threads and
// helpers.
func TestLoads(t *testing.T) {
	rnd := rand.New(rand.NewPCG(10, 1))
	for _, size := range []int{8, 16, 24, 32, 48, 64, 96, 128} {
		eachLoad(size, func(suffix string, at, bits int, unsigned bool) {
			w := newWarp(t, nil)
			data := w.withMemory(rnd)
			off := rnd.IntN(128) - 64
			var from [valhall.Lanes]int
			w.setPair(4, func(lane int) uint64 {
				from[lane] = rnd.IntN(memoryBytes - 16)
				return uint64(memoryAt + from[lane] - off)
			})
			w.st.Set(ir.Cell{File: valhall.FileHelper}, 3, 1)
			w.st.Exec &^= 1 << 5
			text := fmt.Sprintf("LOAD.i%d%s.slot1 %s, r4, offset:%d", size, suffix, stagingAll, off)
			w.run(text)
			for lane := range valhall.Lanes {
				var want [4]uint32
				for i := range want {
					want[i] = uint32(20+i)<<24 | 0x00a5_5a00 | uint32(lane)
				}
				if lane != 5 {
					want = loaded(want, data[from[lane]:][:size/8], at, bits, unsigned)
				}
				for i := range want {
					if got := w.get(20+i, lane); got != want[i] {
						t.Fatalf("%s: lane %d r%d is %#x, want %#x of % x", text, lane, 20+i, got, want[i], data[from[lane]:][:size/8])
					}
				}
			}
		})
	}
}

// storeParts are the bits that a store writes, and the first byte of its registers.
var storeParts = []struct {
	size  int
	lane  string
	first int
}{{8, "", 0}, {8, ".b1", 1}, {8, ".b2", 2}, {8, ".b3", 3}, {16, "", 0}, {16, ".h1", 2}, {24, "", 0}, {32, "", 0}, {48, "", 0}, {64, "", 0}, {96, "", 0}, {128, "", 0}}

// TestStores: stores of all sizes and lanes; helpers store only if the access is forced, whatever the group's count.
func TestStores(t *testing.T) {
	rnd := rand.New(rand.NewPCG(10, 2))
	for _, part := range storeParts {
		for _, access := range []string{"", ".istream", ".estream", ".force"} {
			w, size := newWarp(t, nil), part.size
			data := w.withMemory(rnd)
			want := slices.Clone(data)
			order := rnd.Perm(memoryBytes/16 - 1)
			skew := rnd.IntN(16)
			w.setPair(4, func(lane int) uint64 { return uint64(memoryAt + 16*order[lane] + skew + 4096) })
			w.st.Set(ir.Cell{File: valhall.FileHelper}, 3, 1)
			w.st.Exec &^= 1 << 5
			for lane := range valhall.Lanes {
				if lane == 5 || lane == 3 && access != ".force" {
					continue
				}
				for i := range size / 8 {
					from := i + part.first
					want[16*order[lane]+skew+i] = byte(w.get(20+from/4, lane) >> (8 * (from % 4)))
				}
			}
			text := fmt.Sprintf("STORE.i%d%s%s.slot0.wait0 @r20:r21, r4, offset:-4096", size, access, part.lane)
			w.run(text)
			if diff := exectest.Differs(0, data, want); diff != "" {
				t.Errorf("%s: of its memory %s", text, diff)
			}
		}
	}
}

// TestFaults: an access that is partly unmapped in one thread changes neither memory nor registers.
func TestFaults(t *testing.T) {
	rnd := rand.New(rand.NewPCG(10, 3))
	for _, text := range []string{"LOAD.i128.slot0 " + stagingAll + ", r4, offset:0", "STORE.i128.slot0 " + stagingAll + ", r4, offset:0",
		"LOAD.i48.slot0 @r20:r21, r4, offset:12", "ATOM_RETURN.i64.slot0.aadd @r20:r21, @r22:r23, r4, offset:0x8"} {
		w := newWarp(t, nil)
		data := w.withMemory(rnd)
		before := slices.Clone(data)
		w.setPair(4, func(lane int) uint64 {
			if lane == 9 {
				return memoryAt + memoryBytes - 8
			}
			return uint64(memoryAt + 16*lane)
		})
		f := w.try(text)
		if f == nil || f.Kind != exec.FaultMemory || f.Lanes != 1<<9 {
			t.Fatalf("%s: %v, want a fault of lane 9", text, f)
		}
		if !slices.Equal(data, before) || w.get(20, 0) != 20<<24|0x00a5_5a00 {
			t.Errorf("%s: what faults has changed something", text)
		}
	}
}

// atomicOps are the operations on numbers of so many bits.
var atomicOps = map[string]func(old, v uint64, bits int) uint64{
	"aadd":  func(old, v uint64, _ int) uint64 { return old + v },
	"asmin": func(old, v uint64, bits int) uint64 { return pick(signed(old, bits) < signed(v, bits), old, v) },
	"asmax": func(old, v uint64, bits int) uint64 { return pick(signed(old, bits) > signed(v, bits), old, v) },
	"aumin": func(old, v uint64, _ int) uint64 { return min(old, v) },
	"aumax": func(old, v uint64, _ int) uint64 { return max(old, v) },
	"aand":  func(old, v uint64, _ int) uint64 { return old & v },
	"aor":   func(old, v uint64, _ int) uint64 { return old | v },
	"axor":  func(old, v uint64, _ int) uint64 { return old ^ v },
	"axchg": func(_, v uint64, _ int) uint64 { return v },
}

var atomicOneOps = map[string]func(old uint64, bits int) uint64{
	"ainc":   func(old uint64, _ int) uint64 { return old + 1 },
	"adec":   func(old uint64, _ int) uint64 { return old - 1 },
	"aumax1": func(old uint64, _ int) uint64 { return max(old, 1) },
	"asmax1": func(old uint64, bits int) uint64 { return pick(signed(old, bits) > 1, old, 1) },
	"aor1":   func(old uint64, _ int) uint64 { return old | 1 },
}

func signed(v uint64, bits int) int64 { return int64(v<<(64-bits)) >> (64 - bits) }

func pick(first bool, a, b uint64) uint64 {
	if first {
		return a
	}
	return b
}

// An atomicTest is an atomic instruction: op returns the new value from the old one, the operand and the comparand.
type atomicTest struct {
	text    string
	bits    int
	returns bool
	op      func(old, v, cmp uint64) uint64
}

func atomicTests() (list []atomicTest) {
	for _, bits := range []int{32, 64} {
		for name, op := range atomicOps {
			f := func(old, v, _ uint64) uint64 { return op(old, v, bits) }
			list = append(list, atomicTest{fmt.Sprintf("ATOM.i%d.slot2.%s @r20:r21, r4, offset:0xF0", bits, name), bits, false, f},
				atomicTest{fmt.Sprintf("ATOM_RETURN.i%d.slot2.%s @r30:r31, @r20:r21, r4, offset:0xF0", bits, name), bits, true, f})
		}
		for name, op := range atomicOneOps {
			f := func(old, _, _ uint64) uint64 { return op(old, bits) }
			list = append(list, atomicTest{fmt.Sprintf("ATOM1_RETURN.i%d.slot2.%s @r30:r31, r4, offset:0xF0", bits, name), bits, true, f},
				atomicTest{fmt.Sprintf("ATOM1_RETURN.i%d.slot2.%s @, r4, offset:0xF0", bits, name), bits, false, f},
				atomicTest{fmt.Sprintf("ATOM1.i%d.slot2.%s r4, offset:0xF0", bits, name), bits, false, f})
		}
		for _, group := range []string{"@r20", "@r20:r21:r22:r23"} { // the count need not include the comparand
			list = append(list, atomicTest{fmt.Sprintf("ATOM_RETURN.i%d.slot2.compare.axchg @r30:r31, %s, r4, offset:0xF0", bits, group), bits, true,
				func(old, v, cmp uint64) uint64 { return pick(old == cmp, v, old) }})
		}
	}
	for name, extended := range map[string]func(v uint64) uint64{"aaddu": func(v uint64) uint64 { return v & 0xffffffff }, "aadds": func(v uint64) uint64 { return uint64(signed(v, 32)) }} {
		f := func(old, v, _ uint64) uint64 { return old + extended(v) }
		list = append(list, atomicTest{fmt.Sprintf("ATOM.i64.slot2.%s @r20, r4, offset:0xF0", name), 64, false, f},
			atomicTest{fmt.Sprintf("ATOM_RETURN.i64.slot2.%s @r30:r31, @r20, r4, offset:0xF0", name), 64, true, f})
	}
	slices.SortFunc(list, func(a, b atomicTest) int { return strings.Compare(a.text, b.text) })
	return list
}

// TestAtomics: all operations of both sizes; threads with the same address run one after the other, helpers do nothing.
func TestAtomics(t *testing.T) {
	rnd := rand.New(rand.NewPCG(10, 4))
	for _, a := range atomicTests() {
		w := newWarp(t, nil)
		data := w.withMemory(rnd)
		bytes := a.bits / 8
		var at [valhall.Lanes]int
		w.setPair(4, func(lane int) uint64 {
			at[lane] = 8 * rnd.IntN(6)
			return uint64(memoryAt + at[lane] - 0xf0)
		})
		old := func(lane int) uint64 { v, _ := number(data[at[lane]:][:bytes]); return v }
		data[7] &= 0x7f // negative and positive ones, and small ones
		clear(data[8:16])
		data[8] = 1
		w.set(20, func(int) uint32 { return rnd.Uint32() })
		w.set(21, func(int) uint32 { return rnd.Uint32() })
		words := a.bits / 32
		// Half of the comparands match.
		w.set(20+words, func(lane int) uint32 { return uint32(old(lane)) ^ uint32(lane>>3) })
		if words == 2 {
			w.set(23, func(lane int) uint32 { return uint32(old(lane) >> 32) })
		}
		w.st.Set(ir.Cell{File: valhall.FileHelper}, 2, 1)
		w.st.Exec &^= 1 << 6
		want := slices.Clone(data)
		var back [valhall.Lanes]uint64
		mask := ^uint64(0) >> (64 - a.bits)
		for lane := range valhall.Lanes {
			back[lane] = uint64(w.get(30, lane)) | uint64(w.get(31, lane))<<32
			if lane == 2 || lane == 6 {
				continue
			}
			was, _ := number(want[at[lane]:][:bytes])
			v := (uint64(w.get(20, lane)) | uint64(w.get(21, lane))<<32) & mask
			cmp := (uint64(w.get(20+words, lane)) | uint64(w.get(21+words, lane))<<32) & mask
			var now [8]byte
			binary.LittleEndian.PutUint64(now[:], a.op(was, v, cmp))
			copy(want[at[lane]:], now[:bytes])
			if a.returns {
				back[lane] = back[lane]&^mask | was
			}
		}
		w.run(a.text)
		if diff := exectest.Differs(0, data, want); diff != "" {
			t.Errorf("%s: of its memory %s", a.text, diff)
		}
		for lane := range valhall.Lanes {
			if got := uint64(w.get(30, lane)) | uint64(w.get(31, lane))<<32; got != back[lane] {
				t.Errorf("%s: lane %d gets %#x, want %#x", a.text, lane, got, back[lane])
			}
		}
	}
	w := newWarp(t, nil)
	w.withMemory(rnd)
	if f := w.try("ATOM_RETURN.i32.slot0.compare.aadd @r30, @r20:r21, r4, offset:0x0"); f == nil || f.Kind != exec.FaultTrap {
		t.Errorf("aadd with compare: %v, want a trap", f)
	}
}
