package gcnrun

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/internal/exectest"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/gcn"
)

// A flatRun is a flat instruction whose lanes access global memory, local memory and scratch in turn, and the expected
// memory by the formulas here.
type flatRun struct {
	*memRun
	name          string
	glc           bool
	old           [64][6]uint32 // v[8:13] before
	global, group []byte        // expected
}

const (
	flatBase    = 0x4000 // of scratch, in global memory
	flatOffset  = 0x48   // of a lane's data in its scratch
	flatStride  = 48     // of the data of lanes in global and local memory
	flatOwnSize = 16     // limit of a lane's data
)

// TestFlatForms compares every flat load, store and atomic of both generations, with some lanes inactive, with the
// formulas.
func TestFlatForms(t *testing.T) {
	n := 0
	for _, d := range rowsOf(func(d *isa.Def) bool { return d.Enc.Name == "FLAT" }) {
		n++
		newFlatRun(t, d, uint64(n)).check()
		if t.Failed() {
			t.Fatal(rowName(d.Def), d.variant)
		}
	}
	if n < 80 {
		t.Errorf("%d rows", n)
	}
}

func newFlatRun(t *testing.T, d variantRow, seed uint64) *flatRun {
	b := &flatRun{memRun: newMemRunOn(t, d.variant), name: d.Name, glc: strings.Contains(rowName(d.Def), " glc")}
	rnd := rand.New(rand.NewPCG(seed, 9))
	for i := 0; i < 0x8000; i += 8 {
		binary.LittleEndian.PutUint64(b.memRun.global[i:], edges[rnd.IntN(len(edges))]^rnd.Uint64()>>(rnd.UintN(2)*64))
	}
	b.s(flatScratch(d.variant), 64, uint32(uint64(globalBase+flatBase)>>8))
	b.addr(1, b.address)
	b.st.Exec = 0x8421f731_0a5c3e7f
	for lane := range 64 {
		for k := range b.old[lane] {
			b.old[lane][k] = uint32(edges[rnd.IntN(len(edges))] ^ rnd.Uint64()>>(rnd.UintN(2)*64))
		}
		// The comparand matches memory.
		if size := b.atomicSize(); strings.Contains(b.name, "cmpswap") && lane%2 == 0 {
			for k := 0; k < size; k += 4 {
				m, at := b.place(lane, k)
				b.old[lane][(size+k)/4] = binary.LittleEndian.Uint32(m[at:])
			}
		}
	}
	for k := range 6 {
		b.v(8+k, func(i int) uint32 { return b.old[i][k] })
	}
	b.global, b.group = slices.Clone(b.memRun.global), slices.Clone(b.memRun.group)
	return b
}

// atomicSize returns the size of an atomic in bytes.
func (b *flatRun) atomicSize() int {
	if strings.HasSuffix(b.name, "_x2") {
		return 8
	}
	return 4
}

// where returns 0 for lanes that access global memory, 1 for local memory, 2 for scratch, which 64-bit atomics do not
// access.
func (b *flatRun) where(lane int) int {
	if w := lane % 3; w != 2 || !strings.Contains(b.name, "atomic") || b.atomicSize() == 4 {
		return w
	}
	return 0
}

// address returns the address of a lane; bytes and halves are in the middle of dwords.
func (b *flatRun) address(lane int) uint64 {
	sub := uint64(0)
	if strings.HasSuffix(b.name, "byte") {
		sub = uint64(lane % 4)
	} else if strings.HasSuffix(b.name, "short") {
		sub = uint64(lane % 2 * 2)
	}
	switch b.where(lane) {
	case 1:
		return sharedHi<<32 + uint64(lane)*flatStride + sub
	case 2:
		return privateHi<<32 + flatOffset + sub
	}
	return globalBase + 0x100 + uint64(lane)*flatStride + sub
}

// place returns the initial memory that holds byte i of a lane's access, and the offset in it. Byte o of lane l of
// scratch is byte o % 4 of dword (o / 4 * 64 + l).
func (b *flatRun) place(lane, i int) (m []byte, at int) {
	a := int(uint32(b.address(lane))) + i
	switch b.where(lane) {
	case 1:
		return b.memRun.group, a
	case 2:
		return b.memRun.global, flatBase + a/4*256 + 4*lane + a%4
	}
	return b.memRun.global, a - int(globalBase&0xffffffff)
}

// after is place for the expected memory.
func (b *flatRun) after(lane, i int) *byte {
	m, at := b.place(lane, i)
	if &m[0] == &b.memRun.group[0] {
		return &b.group[at]
	}
	return &b.global[at]
}

// before returns n bytes of a lane's initial memory as a number.
func (b *flatRun) before(lane, first, n int) (x uint64) {
	for i := n - 1; i >= 0; i-- {
		m, at := b.place(lane, first+i)
		x = x<<8 | uint64(m[at])
	}
	return x
}

func (b *flatRun) put(lane, n int, x uint64) {
	for i := range n {
		*b.after(lane, i) = byte(x >> (8 * i))
	}
}

func (b *flatRun) check() {
	b.t.Helper()
	words, text := b.old, ""
	kind, op, _ := strings.Cut(strings.TrimPrefix(b.name, "flat_"), "_")
	for lane := range 64 {
		run := b.st.Exec>>lane&1 != 0
		switch kind {
		case "load":
			text = b.load(lane, run, op, &words[lane])
		case "store":
			text = b.store(lane, run, op)
		default:
			text = b.atomic(lane, run, strings.TrimSuffix(op, "_x2"), &words[lane])
		}
	}
	b.run(text)
	for k := range 6 {
		for lane := range 64 {
			if got := b.st.Get(gcn.VGPR(8+k), lane); got != words[lane][k] {
				b.t.Errorf("%s: v%d of lane %d is %#x, want %#x", text, 8+k, lane, got, words[lane][k])
				return
			}
		}
	}
	for name, m := range map[string][2][]byte{"global": {b.memRun.global, b.global}, "local": {b.memRun.group, b.group}} {
		if diff := exectest.Differs(0, m[0], m[1]); diff != "" {
			b.t.Errorf("%s: %s memory: %s", text, name, diff)
		}
	}
}

func (b *flatRun) load(lane int, run bool, op string, words *[6]uint32) string {
	s := bufferSizes[op]
	n := (s.size + 3) / 4
	for k := 0; run && k < s.size; k += 4 {
		bits := min(s.size, 4)
		x := b.before(lane, k, bits)
		if s.signed {
			x = uint64(signExtended(8*bits, x))
		}
		words[k/4] = uint32(x)
	}
	return fmt.Sprintf("%s v[8:%d], v[1:2]", b.name, 7+n)
}

func (b *flatRun) store(lane int, run bool, op string) string {
	s := bufferSizes[op]
	for k := 0; run && k < s.size; k++ {
		*b.after(lane, k) = byte(b.old[lane][k/4] >> (8 * (k % 4)))
	}
	return fmt.Sprintf("%s v[1:2], v[8:%d]", b.name, 7+(s.size+3)/4)
}

func (b *flatRun) atomic(lane int, run bool, op string, words *[6]uint32) string {
	size := b.atomicSize()
	value := func(w []uint32) uint64 {
		if size == 4 {
			return uint64(w[0])
		}
		return uint64(w[1])<<32 | uint64(w[0])
	}
	if run {
		m := b.before(lane, 0, size)
		b.put(lane, size, atomicOps[op](8*size, m, value(b.old[lane][:]), value(b.old[lane][size/4:])))
		if b.glc {
			words[0] = uint32(m)
			if size == 8 {
				words[1] = uint32(m >> 32)
			}
		}
	}
	n := size / 4
	if strings.HasSuffix(op, "cmpswap") {
		n *= 2
	}
	if b.glc {
		return fmt.Sprintf("%s v[8:%d], v[1:2], v[8:%d] glc", b.name, 7+size/4, 7+n)
	}
	return fmt.Sprintf("%s v[1:2], v[8:%d]", b.name, 7+n)
}
