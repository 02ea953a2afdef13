package valhallrun

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/internal/reals"
	"github.com/heddle-gpu/heddle/isa/valhall"
)

// Cross-lane operations, by docs/reference/valhall.md 10.4.

// absences are the values of inactive lanes.
var absences = map[string]uint32{"": 0, ".umax": 0xffffffff, ".i1": 1, ".v2i1": 0x10001, ".smin": 0x80000000, ".smax": 0x7fffffff, ".v2smin": 0x80008000,
	".v2smax": 0x7fff7fff, ".v4smin": 0x80808080, ".v4smax": 0x7f7f7f7f, ".f1": 0x3f800000, ".v2f1": 0x3c003c00, ".infn": 0xff800000, ".inf": 0x7f800000,
	".v2infn": 0xfc00fc00, ".v2inf": 0x7c007c00}

var subgroups = map[string]int{".subgroup2": 2, ".subgroup4": 4, ".subgroup8": 8, "": 16}

// A permutation is a form of CLPER: bits of an element, of the value, and how sources are extended.
type permutation struct {
	name   string
	n, all int
	lanes  []lane
}

var permutations = []permutation{{"i32", 32, 32, widened32(false)}, {"s32", 32, 32, widened32(true)}, {"v2u16", 16, 32, widened16(false)}, {"v2s16", 16, 32, widened16(true)},
	{"v4u8", 8, 32, swizzled8()}, {"v4s8", 8, 32, swizzled8()}, {"u64", 64, 64, widened64(false)}, {"s64", 64, 64, widened64(true)}}

// A lanesRun is a CLPER on 16 lanes of which some are active.
type lanesRun struct {
	permutation
	size   int
	xor    bool
	absent uint32
	mode   map[string]string
	active uint64
	a, b   [valhall.Lanes]uint64 // b is swizzled
}

// want returns the result of lane l: element by element, from the lane that the element of b names.
func (r *lanesRun) want(l int) (v uint64) {
	absent := uint64(r.absent)
	if r.all == 64 {
		absent *= 0x1_0000_0001
	}
	for at := 0; at < r.all; at += r.n {
		field := ^uint64(0) >> (64 - r.n)
		number := r.b[l] >> at & field
		inside := number % uint64(r.size)
		group := l / r.size * r.size
		source := group + int(inside)
		if r.xor {
			source = group + (l - group) ^ int(inside)
		}
		x := absent
		if r.active>>source&1 != 0 && (r.mode["lane-range"] != "inactive" || number < uint64(r.size)) {
			x = r.a[source]
		}
		v |= x & (field << at)
	}
	return v
}

// TestPermutations runs every form of CLPER with every subgroup, operation and value of inactive lanes.
func TestPermutations(t *testing.T) {
	rnd := rand.New(rand.NewPCG(16, 4))
	for _, mode := range []map[string]string{nil, {"lane-range": "inactive"}} {
		for _, p := range permutations {
			for group, size := range subgroups {
				for _, xor := range []bool{false, true} {
					for name, absent := range absences {
						r := &lanesRun{permutation: p, size: size, xor: xor, absent: absent, mode: mode, active: rnd.Uint64() & 0xffff}
						if rnd.IntN(4) == 0 || r.active == 0 {
							r.active = 0xffff
						}
						text := "CLPER." + p.name + group
						if xor {
							text += ".xor"
						}
						if !r.run(t, text+name, rnd) {
							return
						}
					}
				}
			}
		}
	}
}

// run fills the registers, runs the instruction and compares.
func (r *lanesRun) run(t *testing.T, head string, rnd *rand.Rand) bool {
	w := newWarp(t, r.mode)
	w.st.Start(0, r.active)
	swz := r.lanes[rnd.IntN(len(r.lanes))]
	for l := range valhall.Lanes {
		r.a[l] = rnd.Uint64()
		raw := rnd.Uint64() & 0x0f0f_0f0f_0f0f_0f0f
		switch rnd.IntN(4) {
		case 0:
			raw = rnd.Uint64()
		case 1:
			raw = uint64(rnd.IntN(16))
		}
		if r.all == 32 {
			r.a[l], raw = r.a[l]&0xffffffff, raw&0xffffffff
		}
		r.b[l] = swz.f(raw)
		w.st.Set(reg(8), l, uint32(r.a[l]))
		w.st.Set(reg(9), l, uint32(r.a[l]>>32))
		w.st.Set(reg(12), l, uint32(raw))
		w.st.Set(reg(13), l, uint32(raw>>32))
		w.st.Set(reg(4), l, 0xabababab)
		w.st.Set(reg(5), l, 0xcdcdcdcd)
	}
	text := head + " r4, r8, r12" + swz.text
	w.run(text)
	for l := range valhall.Lanes {
		want := uint64(0xcdcdcdcd_abababab)
		if r.active>>l&1 != 0 {
			want = r.want(l)
			if r.all == 32 {
				want |= 0xcdcdcdcd << 32
			}
		}
		if got := uint64(w.get(5, l))<<32 | uint64(w.get(4, l)); got != want {
			t.Errorf("%s with %v, lanes %#x: lane %d has %#x, want %#x; b is %#x", text, r.mode, r.active, l, got, want, r.b[l])
			return false
		}
	}
	return true
}

// TestLaneOperations: the other lane operations are undocumented.
func TestLaneOperations(t *testing.T) {
	for _, p := range permutations {
		traps(t, nil, "no source says", fmt.Sprintf("CLPER.%s.subgroup4.accumulate r4, r8, r12", p.name), fmt.Sprintf("CLPER.%s.shift r4, r8, r12", p.name))
	}
}

// TestLaneMask compares WMASK with masks computed here, with inactive and ended lanes.
func TestLaneMask(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 9))
	for _, mode := range []map[string]string{nil, {"mask-lanes": "live"}, {"mask-bits": "warp"}} {
		for group, size := range subgroups {
			for range 40 {
				live := rnd.Uint64()&0xffff | 1
				active := live & (rnd.Uint64() | 1)
				values := [valhall.Lanes]uint32{}
				w := newWarp(t, mode)
				w.st.Start(0, live)
				for l := range values {
					values[l] = []uint32{0, 0x80000000, rnd.Uint32()}[rnd.IntN(3)]
					w.st.Set(reg(8), l, values[l])
					w.st.Set(reg(12), l, uint32(active>>l&1))
					w.st.Set(reg(4), l, 0xabababab)
				}
				// The lanes that do not take the branch continue: those in active do not take it.
				if f := w.program("BRANCHZ.eq.reconverge r12, offset:1\nWMASK" + group + ".reconverge r4, r8\nNOP.end\n"); f != nil {
					t.Fatal(f)
				}
				for l := range values {
					want := uint32(0xabababab)
					if active>>l&1 != 0 {
						want = laneMask(values, live, active, l, size, mode)
					}
					if got := w.get(4, l); got != want {
						t.Fatalf("WMASK%s with %v, live %#x, active %#x: lane %d has %#x, want %#x of %#x", group, mode, live, active, l, got, want, values)
					}
				}
			}
		}
	}
}

func laneMask(values [valhall.Lanes]uint32, live, active uint64, l, size int, mode map[string]string) (want uint32) {
	counted := active
	if mode["mask-lanes"] == "live" {
		counted = live
	}
	first := l - l%size
	for i := first; i < first+size; i++ {
		at := i - first
		if mode["mask-bits"] == "warp" {
			at = i
		}
		if counted>>i&1 != 0 && values[i] != 0 {
			want |= 1 << at
		}
	}
	return want
}

// integerList returns instructions of integers, logic and comparisons that depend only on their own lane.
func integerList() []inst {
	list := append(append(shiftRows(), muxRows()...), append(compareRows(), selectRows()...)...)
	for _, s := range shapes {
		list = append(list, inst{name: "IADD." + s.name, mods: []string{"- saturate"}, srcs: s.srcs}, inst{name: "ISUB." + s.name, mods: []string{"- saturate"}, srcs: s.srcs})
		if s.product != "" {
			list = append(list, inst{name: "IMUL." + s.product, mods: []string{"- saturate"}, srcs: s.srcs}, inst{name: "HADD." + s.name, mods: []string{"- rhadd"}, srcs: s.srcs})
		}
	}
	for _, name := range []string{"CLZ.u32", "CLZ.v4u8", "IABS.v4s8", "POPCOUNT.i32", "BITREV.i32", "NOT_OLD.i32", "MOV.i32"} {
		list = append(list, inst{name: name, srcs: "i"})
	}
	return append(list, segmentRow(), inst{name: "IDP.v4s8", mods: []string{"- saturate"}, srcs: "iii"}, inst{name: "MKVEC.v2i8", srcs: "bbi"}, inst{name: "NOT_OLD.i64", srcs: "r"},
		inst{name: "IMULD.u64", srcs: "qq"}, inst{name: "SHADDX.s64", srcs: "rQ", imm: "shift:0x%X", bits: 3}, inst{name: "IADD_IMM.v2i16", srcs: "i", imm: "#0x%X", bits: 32})
}

// randomText returns one of the instructions with registers below r32; pairs are even.
func randomText(n *inst, rnd *rand.Rand) string {
	head, texts := []string{n.name}, []string{fmt.Sprintf("r%d", 2*rnd.IntN(16))}
	for _, m := range n.mods {
		words := strings.Fields(m)
		if word := words[rnd.IntN(len(words))]; word != "-" {
			head = append(head, word)
		}
	}
	for _, letter := range n.srcs {
		k := kinds[letter]
		text := fmt.Sprintf("r%d", 2*rnd.IntN(16)+rnd.IntN(2))
		if k.pair {
			text = fmt.Sprintf("r%d", 2*rnd.IntN(16))
		}
		if k.float.Bits != 0 && rnd.IntN(2) == 0 {
			text += ".neg"
		}
		text += k.lanes[rnd.IntN(len(k.lanes))].text
		if k.not && rnd.IntN(2) == 0 {
			text += ".not"
		}
		texts = append(texts, text)
	}
	if n.imm != "" {
		texts = append(texts, fmt.Sprintf(n.imm, rnd.Uint64()>>(64-n.bits)))
	}
	return strings.Join(head, ".") + " " + strings.Join(texts, ", ") + "\n"
}

// TestLaneByLane: random programs of integers, logic and comparisons have the same results in 16 lanes together as in
// one lane at a time, which does not change the others.
func TestLaneByLane(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 16))
	list := integerList()
	for range 40 {
		var src strings.Builder
		for range 30 {
			src.WriteString(randomText(&list[rnd.IntN(len(list))], rnd))
		}
		src.WriteString("NOP.end\n")
		var start [32][valhall.Lanes]uint32
		for n := range start {
			for l := range start[n] {
				start[n][l] = reals.EdgeInt(rnd)
			}
		}
		run := func(mask uint64) *warp {
			w := newWarp(t, nil)
			w.st.Start(0, mask)
			for n := range start {
				w.set(n, func(l int) uint32 { return start[n][l] })
			}
			if f := w.program(src.String()); f != nil {
				t.Fatalf("%v\n%s", f, src.String())
			}
			return w
		}
		together := run(0xffff)
		for l := range valhall.Lanes {
			alone := run(1 << l)
			for n := range start {
				for other := range valhall.Lanes {
					want := start[n][other]
					if other == l {
						want = together.get(n, l)
					}
					if got := alone.get(n, other); got != want {
						t.Fatalf("lane %d alone: r%d of lane %d is %#x, want %#x\n%s", l, n, other, got, want, src.String())
					}
				}
			}
		}
	}
}
