package gcnrun

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/internal/exectest"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/gcn"
)

// bufferSizes are loads and stores by the suffix of their names: bytes, and whether a load sign-extends.
var bufferSizes = map[string]struct {
	size   int
	signed bool
}{
	"ubyte": {1, false}, "sbyte": {1, true}, "ushort": {2, false}, "sshort": {2, true}, "byte": {1, false}, "short": {2, false},
	"dword": {4, false}, "dwordx2": {8, false}, "dwordx3": {12, false}, "dwordx4": {16, false},
}

// atomicOps compute the new value of memory from its old value, the data and the comparand, all of n bits and
// zero-extended. docs/reference/gcn.md 8.1.
var atomicOps = map[string]func(n int, m, d, c uint64) uint64{
	"swap": func(_ int, _, d, _ uint64) uint64 { return d },
	"cmpswap": func(_ int, m, d, c uint64) uint64 {
		if m == c {
			return d
		}
		return m
	},
	"fcmpswap": func(n int, m, d, c uint64) uint64 {
		if floatOf(n, m) == floatOf(n, c) {
			return d
		}
		return m
	},
	"fmin": func(n int, m, d, _ uint64) uint64 { return lesser(n, m, d, false) },
	"fmax": func(n int, m, d, _ uint64) uint64 { return lesser(n, m, d, true) },
	"rsub": func(_ int, m, d, _ uint64) uint64 { return d - m },
	"add":  func(_ int, m, d, _ uint64) uint64 { return m + d },
	"sub":  func(_ int, m, d, _ uint64) uint64 { return m - d },
	"umin": func(_ int, m, d, _ uint64) uint64 { return min(m, d) },
	"umax": func(_ int, m, d, _ uint64) uint64 { return max(m, d) },
	"smin": func(n int, m, d, _ uint64) uint64 { return uint64(min(signExtended(n, m), signExtended(n, d))) },
	"smax": func(n int, m, d, _ uint64) uint64 { return uint64(max(signExtended(n, m), signExtended(n, d))) },
	"and":  func(_ int, m, d, _ uint64) uint64 { return m & d },
	"or":   func(_ int, m, d, _ uint64) uint64 { return m | d },
	"xor":  func(_ int, m, d, _ uint64) uint64 { return m ^ d },
	"inc": func(_ int, m, d, _ uint64) uint64 {
		if m >= d {
			return 0
		}
		return m + 1
	},
	"dec": func(_ int, m, d, _ uint64) uint64 {
		if m == 0 || m > d {
			return d
		}
		return m - 1
	},
}

// floatOf returns the float of n bits, 32 or 64.
func floatOf(n int, x uint64) float64 {
	if n == 32 {
		return float64(math.Float32frombits(uint32(x)))
	}
	return math.Float64frombits(x)
}

// lesser returns the smaller or the larger of two floats: a number is preferred to a NaN, and -0 is below +0.
func lesser(n int, m, d uint64, larger bool) uint64 {
	x, y := floatOf(n, m), floatOf(n, d)
	switch {
	case y != y:
		return m
	case x != x:
		return d
	case x == y && math.Signbit(x) == math.Signbit(y):
		return m
	case (x < y || x == y && math.Signbit(x)) != larger:
		return m
	}
	return d
}

func signExtended(n int, x uint64) int64 { return int64(x<<(64-n)) >> (64 - n) }

// A bufferRun is an instruction through a buffer, and the expected memory by the formulas here.
type bufferRun struct {
	*memRun
	r             sharp
	name          string
	has           map[string]bool // modifiers
	global, group []byte          // expected
	old           [64][6]uint32   // v[8:13] before
}

// TestBufferForms compares every load, store and atomic through a buffer with the formulas, in every addressing mode,
// with tfe, lds and glc, some lanes inactive and some out of range.
func TestBufferForms(t *testing.T) {
	rows := rowsOf(func(d *isa.Def) bool {
		return d.Enc.Name == "MUBUF" && !strings.HasPrefix(d.Name, "buffer_wbinvl1") && !strings.Contains(d.Name, "_format_")
	})
	for i, d := range rows {
		newBufferRun(t, d, uint64(i)).check()
		if t.Failed() {
			t.Fatal(rowName(d.Def), gcn.Set().Variants[d.variant].Name)
		}
	}
	if len(rows) < 900 {
		t.Errorf("%d rows", len(rows))
	}
}

func newBufferRun(t *testing.T, d variantRow, seed uint64) *bufferRun {
	b := &bufferRun{memRun: newMemRunOn(t, d.variant), name: d.Name, has: map[string]bool{}}
	for _, w := range strings.Fields(rowName(d.Def))[2:] {
		b.has[w] = true
	}
	rnd := rand.New(rand.NewPCG(seed, 3))
	for i := 0; i < len(b.memRun.global); i += 8 {
		binary.LittleEndian.PutUint64(b.memRun.global[i:], edges[rnd.IntN(len(edges))]^rnd.Uint64()>>(rnd.UintN(2)*64))
	}
	b.r = sharp{base: globalBase, stride: 32, records: 0x300, variant: d.variant}
	if d.variant != gfx8 {
		b.r.records = 20
	}
	w := b.r.words()
	b.s(4, w[:]...)
	b.s(8, 0x40)
	b.v(1, func(i int) uint32 { return uint32(b.first(i)) })
	b.v(2, func(i int) uint32 { return uint32(b.offset(i)) })
	if b.has["addr64"] { // bits above 48 are ignored
		b.v(2, all(0xabcd0000))
	}
	b.st.Set(gcn.CellM0, 0, 0xabcd0100)
	b.st.Exec = 0x8421f731_0a5c3e7f
	for lane := range 64 {
		for k := range b.old[lane] {
			b.old[lane][k] = uint32(edges[rnd.IntN(len(edges))] ^ rnd.Uint64()>>(rnd.UintN(2)*64))
		}
	}
	if strings.Contains(b.name, "cmpswap") { // half of the comparands match memory
		for lane := 0; lane < 64; lane += 2 {
			at, _ := b.at(lane, 0)
			size := b.atomicSize()
			for k := 0; k < size; k += 4 {
				b.old[lane][(size+k)/4] = b.word(int(at) + k)
			}
		}
	}
	for k := range 6 {
		b.v(8+k, func(i int) uint32 { return b.old[i][k] })
	}
	b.global, b.group = slices.Clone(b.memRun.global), slices.Clone(b.memRun.group)
	return b
}

// edges are bit patterns near limits of comparison and counting.
var edges = []uint64{0, 1, 2, ^uint64(0), 1 << 63, 1<<63 - 1, 0x80000000_80000000, 0x7fffffff_7fffffff, 0x00000001_00000000}

// first returns the first address register: an index, or the offset if there is no index.
func (b *bufferRun) first(lane int) uint64 {
	if b.has["idxen"] {
		return uint64(lane % 7 * 5)
	}
	return b.offset(lane)
}

func (b *bufferRun) offset(lane int) uint64 { return uint64(lane % 5 * 16) }

// at returns the offset in global memory of a byte of the access in a lane, and whether it is in range.
func (b *bufferRun) at(lane, byte int) (at uint64, ok bool) {
	index, offset := uint64(0), uint64(16+byte)
	if b.has["addr64"] {
		return 0x40 + offset + b.offset(lane), true
	}
	if b.has["idxen"] {
		index = b.first(lane)
	}
	if b.has["offen"] {
		offset += b.offset(lane)
	}
	at, ok = b.r.bufferAddr(uint64(lane), 0x40, index, offset)
	return at - globalBase, ok
}

func (b *bufferRun) atomicSize() int {
	if strings.HasSuffix(b.name, "_x2") {
		return 8
	}
	return 4
}

// text returns the instruction with n data registers.
func (b *bufferRun) text(n int) string {
	text := b.name + " "
	if !b.has["lds"] {
		text += fmt.Sprintf("v[8:%d], ", 7+n)
	}
	switch {
	case b.has["idxen"] && b.has["offen"], b.has["addr64"]:
		text += "v[1:2], "
	case b.has["idxen"] || b.has["offen"]:
		text += "v1, "
	case b.name != "buffer_store_lds_dword":
		text += "off, "
	}
	text += "s[4:7], s8 offset:16"
	for _, w := range []string{"idxen", "offen", "addr64", "glc", "tfe", "lds"} {
		if b.has[w] {
			text += " " + w
		}
	}
	return text
}

func (b *bufferRun) check() {
	b.t.Helper()
	words := b.old
	kind, op, _ := strings.Cut(strings.TrimPrefix(b.name, "buffer_"), "_")
	n := 1
	for lane := range 64 {
		if b.st.Exec>>lane&1 == 0 {
			continue
		}
		switch kind {
		case "load":
			n = b.load(lane, op, &words[lane])
		case "store":
			n = b.store(lane, op)
		default:
			n = b.atomic(lane, strings.TrimSuffix(op, "_x2"), &words[lane])
		}
	}
	text := b.text(n)
	b.run(text)
	for k := range 6 {
		b.wantV(8+k, func(i int) uint32 { return words[i][k] })
		for lane := range 64 {
			if got := b.st.Get(gcn.VGPR(8+k), lane); b.st.Exec>>lane&1 == 0 && got != b.old[lane][k] {
				b.t.Errorf("v%d of lane %d, which is off, becomes %#x", 8+k, lane, got)
			}
		}
	}
	for name, m := range map[string][2][]byte{"global": {b.memRun.global, b.global}, "local": {b.memRun.group, b.group}} {
		if diff := exectest.Differs(0, m[0], m[1]); diff != "" {
			b.t.Errorf("%s: %s memory: %s", text, name, diff)
		}
	}
	if b.t.Failed() {
		b.t.Log(text)
	}
}

// load returns the expected data registers of a lane, and how many the instruction names.
func (b *bufferRun) load(lane int, op string, words *[6]uint32) int {
	s := bufferSizes[op]
	var data [4]uint32
	for k := 0; k < s.size; k += 4 {
		at, ok := b.at(lane, k)
		if !ok {
			continue
		}
		x, bits := b.word(int(at)), 8*min(s.size, 4)
		data[k/4] = x << (32 - bits) >> (32 - bits)
		if s.signed {
			data[k/4] = uint32(signExtended(bits, uint64(x)))
		}
	}
	if b.has["lds"] {
		binary.LittleEndian.PutUint32(b.group[0x100+16+4*lane:], data[0])
		return 0
	}
	n := copy(words[:], data[:(s.size+3)/4])
	if b.has["tfe"] {
		words[n] = 0
		n++
	}
	return n
}

func (b *bufferRun) store(lane int, op string) int {
	if op == "lds_dword" { // the last lane's value remains
		if at, ok := b.at(lane, 0); ok {
			copy(b.global[at:], b.group[0x100+16+4*lane:][:4])
		}
		return 0
	}
	s := bufferSizes[op]
	for k := range s.size {
		if _, ok := b.at(lane, k&^3); ok {
			at, _ := b.at(lane, k)
			b.global[at] = byte(b.old[lane][k/4] >> (8 * (k % 4)))
		}
	}
	return (s.size + 3) / 4
}

func (b *bufferRun) atomic(lane int, op string, words *[6]uint32) int {
	size := b.atomicSize()
	value := func(w []uint32) uint64 {
		if size == 4 {
			return uint64(w[0])
		}
		return uint64(w[1])<<32 | uint64(w[0])
	}
	n := size / 4
	if strings.HasSuffix(op, "cmpswap") {
		n *= 2
	}
	before := uint64(0)
	if at, ok := b.at(lane, 0); ok {
		var m [8]byte
		copy(m[:], b.global[at:int(at)+size])
		before = binary.LittleEndian.Uint64(m[:])
		binary.LittleEndian.PutUint64(m[:], atomicOps[op](8*size, before, value(b.old[lane][:]), value(b.old[lane][size/4:])))
		copy(b.global[at:], m[:size])
	}
	if b.has["glc"] {
		words[0] = uint32(before)
		if size == 8 {
			words[1] = uint32(before >> 32)
		}
	}
	return n
}

// TestCacheInstructions: instructions that write back and invalidate caches change neither registers nor memory.
func TestCacheInstructions(t *testing.T) {
	rows := rowsOf(func(d *isa.Def) bool { return strings.HasPrefix(d.Name, "buffer_wbinvl1") })
	for _, d := range rows {
		m := newMemRunOn(t, d.variant)
		for k := range 8 {
			m.v(k, perLane(0x01010101))
			m.s(k, 0x12345678)
		}
		m.st.Exec = 0x123456789abcdef0
		before, global, group := m.st.Snapshot(), string(m.global), string(m.group)
		m.run(d.Name)
		m.st.At, m.st.Clock = before.At, before.Clock
		if diff := m.st.Diff(before, 3); diff != nil || string(m.global) != global || string(m.group) != group {
			t.Errorf("%s: %q", d.Name, diff)
		}
	}
	if len(rows) != 6 {
		t.Errorf("%d rows", len(rows))
	}
}
