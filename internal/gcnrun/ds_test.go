package gcnrun

import (
	"fmt"
	"math"
	"testing"

	"github.com/heddle-gpu/heddle/isa/gcn"
)

func TestLocalRead(t *testing.T) {
	m := newMemRun(t)
	m.group[0x41] = 0x85
	m.v(1, perLane(4))
	m.run("ds_read_b32 v2, v1 offset:0x80")
	m.wantV(2, func(i int) uint32 { return ^uint32(i + 0x20) })
	m.run("ds_read_b128 v[4:7], v1 offset:8")
	m.wantV(4, func(i int) uint32 { return m.local(4*i + 8) })
	m.wantV(7, func(i int) uint32 { return m.local(4*i + 20) })
	m.run("ds_read2_b32 v[4:5], v1 offset0:1 offset1:255")
	m.wantV(4, func(i int) uint32 { return m.local(4*i + 4) })
	m.wantV(5, func(i int) uint32 { return m.local(4*i + 4*255) })
	m.run("ds_read2st64_b64 v[4:7], v1 offset0:1 offset1:2")
	m.wantV(5, func(i int) uint32 { return m.local(4*i + 512 + 4) })
	m.wantV(6, func(i int) uint32 { return m.local(4*i + 1024) })
	m.v(1, all(0x41))
	m.run("ds_read_i8 v2, v1")
	m.wantV(2, all(0xffffff85))
	m.run("ds_read_u8 v2, v1")
	m.wantV(2, all(0x85))
	m.run("ds_read_u16 v2, v1 offset:1")
	m.wantV(2, all(m.local(0x40)>>16))
	m.v(1, all(0xffffffff)) // the sum wraps
	m.run("ds_read_b32 v2, v1 offset:5")
	m.wantV(2, all(^uint32(1)))
}

// TestLocalLimit: accesses that end above M0 load 0 and store nothing; below it, accesses past the end of memory fault.
func TestLocalLimit(t *testing.T) {
	m := newMemRun(t)
	m.st.Set(gcn.CellM0, 0, 0x80)
	m.v(1, perLane(4))
	m.run("ds_read_b64 v[2:3], v1")
	m.wantV(3, func(i int) uint32 {
		if 4*i+8 > 0x80 {
			return 0
		}
		return m.local(4*i + 4)
	})
	m.v(2, all(7))
	m.run("ds_write_b32 v1, v2 offset:0x70")
	if m.local(0x7c) != 7 || m.local(0x80) != ^uint32(0x20) {
		t.Errorf("around the limit: %#x, %#x", m.local(0x7c), m.local(0x80))
	}
	m.run("ds_add_rtn_u32 v3, v1, v2 offset:0x78")
	m.wantV(3, func(i int) uint32 {
		if i < 2 {
			return 7
		}
		return 0
	})
	m.st.Set(gcn.CellM0, 0, 0xffffffff)
	m.v(1, perLane(groupSize/32))
	if m.try("ds_read_b32 v2, v1") == nil {
		t.Error("a load past the end of local memory does not fault")
	}
	if m.try("ds_write2_b32 v1, v2, v2 offset1:1") == nil {
		t.Error("a store past the end of local memory does not fault")
	}
	if m.local(0x100) != ^uint32(0x40) {
		t.Error("a store that faults changed memory")
	}
}

func TestLocalWrite(t *testing.T) {
	m := newMemRun(t)
	m.st.Exec = 0xff
	m.v(1, perLane(16))
	for i := range uint32(4) {
		m.v(int(2+i), func(lane int) uint32 { return 0x01020300 + i + uint32(lane)<<28 })
	}
	m.run("ds_write_b96 v1, v[2:4] offset:4")
	m.wantLocal(0x10, ^uint32(4))
	m.wantLocal(0x14, 0x11020300)
	m.wantLocal(0x1c, 0x11020302)
	m.run("ds_write_b8 v1, v5 offset:2")
	m.run("ds_write_b16 v1, v5")
	m.wantLocal(0, 0xff030303)
	m.run("ds_write2_b64 v1, v[2:3], v[4:5] offset0:1 offset1:1") // the second store wins
	m.wantLocal(8, 0x01020302)
	m.wantLocal(12, 0x01020303)
	m.run("ds_write2st64_b32 v1, v2, v3 offset0:1 offset1:2")
	m.wantLocal(0x100, 0x01020300)
	m.wantLocal(0x210, 0x11020301)
}

// TestLocalAtomics: in one lane, the new contents of memory and the returned value.
func TestLocalAtomics(t *testing.T) {
	f := math.Float32bits
	for _, c := range []struct {
		op            string
		old, d, e     uint32
		after         uint32
		two, noReturn bool
	}{
		{op: "add_rtn_u32", old: 5, d: 7, after: 12},
		{op: "sub_rtn_u32", old: 5, d: 7, after: 0xfffffffe},
		{op: "rsub_rtn_u32", old: 5, d: 7, after: 2},
		{op: "inc_rtn_u32", old: 6, d: 7, after: 7},
		{op: "inc_rtn_u32", old: 7, d: 7, after: 0},
		{op: "dec_rtn_u32", old: 0, d: 7, after: 7},
		{op: "dec_rtn_u32", old: 9, d: 7, after: 7},
		{op: "dec_rtn_u32", old: 3, d: 7, after: 2},
		{op: "min_rtn_i32", old: 0xffffffff, d: 7, after: 0xffffffff},
		{op: "min_rtn_u32", old: 0xffffffff, d: 7, after: 7},
		{op: "max_rtn_i32", old: 0xffffffff, d: 7, after: 7},
		{op: "max_rtn_u32", old: 0xffffffff, d: 7, after: 0xffffffff},
		{op: "and_rtn_b32", old: 12, d: 10, after: 8},
		{op: "or_rtn_b32", old: 12, d: 10, after: 14},
		{op: "xor_rtn_b32", old: 12, d: 10, after: 6},
		{op: "mskor_rtn_b32", old: 0xff, d: 0xf0, e: 0x30, after: 0x3f, two: true},
		{op: "wrxchg_rtn_b32", old: 5, d: 7, after: 7},
		{op: "cmpst_rtn_b32", old: 5, d: 5, e: 9, after: 9, two: true},
		{op: "cmpst_rtn_b32", old: 5, d: 9, e: 5, after: 5, two: true},
		{op: "cmpst_rtn_f32", old: 1 << 31, d: 0, e: 9, after: 9, two: true},
		{op: "wrap_rtn_b32", old: 7, d: 5, e: 9, after: 2, two: true},
		{op: "wrap_rtn_b32", old: 4, d: 5, e: 9, after: 13, two: true},
		{op: "add_rtn_f32", old: f(1.5), d: f(2), after: f(3.5)},
		{op: "min_rtn_f32", old: f(1.5), d: f(-2), after: f(-2)},
		{op: "max_rtn_f32", old: f(1.5), d: f(-2), after: f(1.5)},
		{op: "add_u32", old: 5, d: 7, after: 12, noReturn: true},
		{op: "cmpst_b32", old: 5, d: 5, e: 9, after: 9, two: true, noReturn: true},
	} {
		m := newMemRun(t)
		m.st.Exec = 1 << 3
		m.v(1, all(0x20))
		m.v(2, all(c.d))
		m.v(3, all(c.e))
		m.run("ds_write_b32 v1, v4") // v4 is 0
		m.v(4, all(c.old))
		m.run("ds_write_b32 v1, v4")
		text := fmt.Sprintf("ds_%s v5, v1, v2", c.op)
		if c.noReturn {
			text = fmt.Sprintf("ds_%s v1, v2", c.op)
		}
		if c.two {
			text += ", v3"
		}
		m.run(text)
		if got := m.local(0x20); got != c.after {
			t.Errorf("%s of %#x, %#x, %#x leaves %#x, want %#x", c.op, c.old, c.d, c.e, got, c.after)
		}
		if !c.noReturn {
			m.wantV(5, all(c.old))
		}
	}
}

func TestLocalAtomics64(t *testing.T) {
	m := newMemRun(t)
	m.v(1, all(0x20))
	m.v(2, all(0xffffffff))
	m.v(3, all(0))
	m.v(4, func(int) uint32 { return 1 })
	m.v(5, all(0))
	m.run("ds_write_b64 v1, v[2:3]")
	m.run("ds_add_rtn_u64 v[6:7], v1, v[4:5]") // lane by lane
	m.wantV(6, func(i int) uint32 { return uint32(0xffffffff + uint64(i)) })
	m.wantV(7, func(i int) uint32 { return uint32(min(i, 1)) })
	m.wantLocal(0x20, 63)
	m.wantLocal(0x24, 1)
	m.st.Exec = 1
	m.run("ds_wrxchg2_rtn_b64 v[8:11], v1, v[2:3], v[4:5] offset1:1")
	m.wantV(8, all(63))
	m.wantV(10, all(^uint32(10)))
	m.wantLocal(0x20, 0xffffffff)
	m.wantLocal(0x28, 1)
}

// TestLocalCount: append and consume count the active lanes at M0[31:16] + offset.
func TestLocalCount(t *testing.T) {
	m := newMemRun(t)
	m.st.Set(gcn.CellM0, 0, 0x40<<16)
	m.st.Exec = 0xf0f0
	m.run("ds_append v1 offset:4")
	m.wantV(1, all(^uint32(0x11)))
	m.run("ds_consume v1 offset:4")
	m.wantV(1, all(^uint32(0x11)+8))
	m.wantLocal(0x44, ^uint32(0x11))
	m.st.Exec = 0
	m.run("ds_append v1 offset:4")
	if m.local(0x44) != ^uint32(0x11) {
		t.Errorf("with no lane memory becomes %#x", m.local(0x44))
	}
}

func TestPermute(t *testing.T) {
	m := newMemRun(t)
	m.st.Exec = 0xffffffff_fffffffe
	m.v(1, func(i int) uint32 { return uint32(4*(63-i) + 3 + 256*i) })
	m.v(2, perLane(1))
	m.run("ds_permute_b32 v3, v1, v2")
	m.wantV(3, func(i int) uint32 {
		if i == 63 {
			return 0 // lane 0 does not send
		}
		return uint32(63 - i)
	})
	m.run("ds_bpermute_b32 v3, v1, v2 offset:4")
	m.wantV(3, func(i int) uint32 { return uint32(64-i) & 63 }) // lane 0 is read only by lane 64-0
	m.v(1, all(20))
	m.run("ds_permute_b32 v3, v1, v2") // the highest sender wins
	m.wantV(3, func(i int) uint32 {
		if i == 5 {
			return 63
		}
		return 0
	})
}

func TestSwizzle(t *testing.T) {
	for _, c := range []struct {
		pattern string
		from    func(i int) int
	}{
		{"swizzle(QUAD_PERM,3,2,1,1)", func(i int) int { return i&^3 | []int{3, 2, 1, 1}[i&3] }},
		{"swizzle(SWAP,16)", func(i int) int { return i ^ 16 }},
		{"swizzle(REVERSE,8)", func(i int) int { return i ^ 7 }},
		{"swizzle(BROADCAST,8,4)", func(i int) int { return i&^7 | 4 }},
		{`swizzle(BITMASK_PERM,"01pip")`, func(i int) int { return i&32 | 8 | i&4 | ^i&2 | i&1 }},
		{`swizzle(BITMASK_PERM,"p0001")`, func(i int) int { return i&48 | 1 }},
		{`swizzle(BITMASK_PERM,"00000")`, func(i int) int { return i & 32 }},
		{"0x0c52", func(i int) int { return i&48 | 1 }},
	} {
		m := newMemRun(t)
		m.st.Exec = ^uint64(1 << 20)
		m.v(1, perLane(3))
		m.run("ds_swizzle_b32 v2, v1 offset:" + c.pattern)
		m.wantV(2, func(i int) uint32 {
			if c.from(i) == 20 {
				return 0
			}
			return uint32(3 * c.from(i))
		})
	}
}
