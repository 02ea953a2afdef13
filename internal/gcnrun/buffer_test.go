package gcnrun

import (
	"testing"

	"github.com/heddle-gpu/heddle/isa/gcn"
)

// A sharp is a buffer resource in parts, and bufferAddr computes the address and range check as in
// docs/reference/gcn.md 8.1, without the transformations of the lift.
type sharp struct {
	base            uint64
	stride, records uint32
	swizzle, addTID bool
	elem, index     uint32 // codes
	variant         int
	bytes           bool // option buffer-range is bytes
}

func (r sharp) words() [4]uint32 {
	w := [4]uint32{uint32(r.base), uint32(r.base>>32) | r.stride<<16, r.records, r.elem<<19 | r.index<<21}
	if r.swizzle {
		w[1] |= 1 << 31
	}
	if r.addTID {
		w[3] |= 1 << 23
	}
	return w
}

func (r sharp) bufferAddr(lane, soffset, index, offset uint64) (addr uint64, ok bool) {
	if r.addTID {
		index += lane
	}
	stride, records := uint64(r.stride), uint64(r.records)
	room := max(records, soffset) - soffset
	addr = index*stride + offset
	if r.swizzle {
		is, es := uint64(8)<<r.index, uint64(2)<<r.elem
		addr = (index/is*stride+offset/es*es)*is + index%is*es + offset%es
	}
	switch {
	case stride == 0:
		ok = offset < room
	case r.swizzle:
		ok = index < records && offset < stride
	case r.variant == gfx8:
		ok = index*stride+offset < room
	case r.bytes:
		ok = offset < room
	default:
		ok = index < records
	}
	return (r.base + soffset + addr) & (1<<48 - 1), ok
}

// TestBufferAddresses compares loads with many resources and addressing modes with the formulas of the reference, on
// each generation.
func TestBufferAddresses(t *testing.T) {
	for _, r := range []sharp{
		{base: globalBase, records: 0xffffffff},
		{base: globalBase, records: 0x130},
		{base: globalBase, records: 0x4c}, // the first dword of one lane is in range, the second is not
		{base: globalBase, records: 0x4d},
		{base: globalBase, records: 0},
		{base: globalBase - 0x40, stride: 12, records: 0x240, addTID: true},
		{base: globalBase, stride: 16, records: 21},
		{base: globalBase, stride: 16, records: 21, addTID: true},
		{base: globalBase, stride: 16, records: 40, swizzle: true, elem: 1, index: 1},
		{base: globalBase, stride: 64, records: 64, swizzle: true, elem: 2, index: 0},
		{base: globalBase, stride: 32, records: 99, swizzle: true, addTID: true, elem: 0, index: 2},
		{base: globalBase, stride: 20, records: 99, swizzle: true, elem: 1, index: 0}, // the offset is out of range
		{base: globalBase, records: 0x54, swizzle: true, addTID: true, elem: 1, index: 1},
		{base: globalBase, records: 0xffffffff, swizzle: true, addTID: true, elem: 1, index: 3}, // scratch
	} {
		for r.variant = range gcn.Set().Variants {
			for _, r.bytes = range []bool{false, true} {
				for _, mode := range []string{"", " idxen", " offen", " idxen offen"} {
					if r.addresses(t, mode); t.Failed() {
						t.Fatalf("%+v%s", r, mode)
					}
				}
			}
		}
	}
}

// addresses loads two dwords through the resource.
func (r sharp) addresses(t *testing.T, mode string) {
	w := r.words()
	m := newMemRun(t).on(r.variant, map[string]string{"buffer-range": map[bool]string{false: "records", true: "bytes"}[r.bytes]})
	m.s(4, w[:]...)
	m.s(8, 0x40)
	index := func(i int) uint64 { return uint64(i % 7 * 5) }
	offset := func(i int) uint64 { return uint64(i % 5 * 4) }
	vaddr, ix, off := "off", func(int) uint64 { return 0 }, func(int) uint64 { return 0 }
	switch mode {
	case " idxen":
		vaddr, ix = "v1", index
		m.v(1, func(i int) uint32 { return uint32(index(i)) })
	case " offen":
		vaddr, off = "v1", offset
		m.v(1, func(i int) uint32 { return uint32(offset(i)) })
	case " idxen offen":
		vaddr, ix, off = "v[1:2]", index, offset
		m.v(1, func(i int) uint32 { return uint32(index(i)) })
		m.v(2, func(i int) uint32 { return uint32(offset(i)) })
	}
	m.run("buffer_load_dwordx2 v[4:5], " + vaddr + ", s[4:7], s8" + mode + " offset:8")
	for k := range 2 {
		m.wantV(4+k, func(i int) uint32 {
			addr, ok := r.bufferAddr(uint64(i), 0x40, ix(i), off(i)+8+4*uint64(k))
			if !ok {
				return 0
			}
			return m.word(int(addr - globalBase))
		})
	}
}

// TestBufferScratch: what a kernel stores to scratch is loaded back, also in parts, and is where flat addresses expect
// it.
func TestBufferScratch(t *testing.T) {
	m := newMemRun(t)
	r := sharp{base: globalBase, records: 0xffffffff, swizzle: true, addTID: true, elem: 1, index: 3}
	w := r.words()
	m.s(0, w[:]...)
	m.s(32, 0x400)
	m.v(1, perLane(0x01010101))
	m.v(2, perLane(7))
	m.run("buffer_store_dwordx2 v[1:2], off, s[0:3], s32 offset:4")
	m.v(3, func(i int) uint32 { return uint32(i % 4) })
	m.run("buffer_load_ubyte v4, v3, s[0:3], s32 offen offset:4")
	m.wantV(4, perLane(1))
	for i := range 64 {
		m.wantWord(0x400+512+4*i, uint32(7*i))
	}
	m.run("buffer_store_short v2, off, s[0:3], s32 offset:6")
	m.run("buffer_load_dword v4, off, s[0:3], s32 offset:4")
	m.wantV(4, func(i int) uint32 { return uint32(i)*0x0101&0xffff | uint32(7*i)<<16 })
}

func TestBufferStatusAndLDS(t *testing.T) {
	m := newMemRun(t)
	r := sharp{base: globalBase, records: 0x40}
	w := r.words()
	m.s(4, w[:]...)
	m.v(1, perLane(4))
	m.v(6, all(5))
	m.run("buffer_load_dword v[5:6], v1, s[4:7], 0 offen tfe")
	inside := func(i int) uint32 {
		if i < 16 {
			return uint32(i)
		}
		return 0
	}
	m.wantV(5, inside)
	m.wantV(6, all(0))
	m.st.Set(gcn.CellM0, 0, 0xffff0100)
	m.st.Exec = ^uint64(2)
	m.run("buffer_load_dword v1, s[4:7], 0 offen offset:8 lds")
	for i := range 64 {
		want := uint32(0)
		if i == 1 {
			want = ^uint32(0x42 + 1)
		} else if i < 14 {
			want = uint32(i + 2)
		}
		if got := m.local(0x108 + 4*i); got != want {
			t.Errorf("lane %d: local memory is %#x, want %#x", i, got, want)
		}
	}
}

func TestBufferAtomics(t *testing.T) {
	m := newMemRun(t)
	w := sharp{base: globalBase, records: 0x80}.words()
	m.s(4, w[:]...)
	m.v(1, perLane(4))
	m.v(2, all(100))
	m.run("buffer_atomic_add v2, v1, s[4:7], 0 offen glc")
	m.wantV(2, func(i int) uint32 {
		if i < 32 {
			return uint32(i)
		}
		return 0
	})
	m.wantWord(4, 101)
	m.wantWord(0x80, 0x20)
	m.st.Exec = 1
	m.v(2, all(55))
	m.v(3, all(100))
	m.run("buffer_atomic_cmpswap v[2:3], off, s[4:7], 0 glc")
	m.wantV(2, all(100))
	m.wantV(3, all(100))
	m.run("buffer_atomic_cmpswap v[2:3], off, s[4:7], 0")
	m.wantWord(0, 55)
	m.run("buffer_atomic_swap_x2 v[2:3], off, s[4:7], 8")
	m.wantWord(8, 100)
	m.wantWord(12, 100)
}
