package gcnrun

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/heddle-gpu/heddle/isa/gcn"
)

// place returns the addresses of a src2 instruction: A, and B = A + 4 * n, with n from the offset or the register's
// upper bits.
func place(a, offset uint32) (at, b uint32) {
	if offset>>15 != 0 {
		return a & 0x1ffff, a&0x1ffff + 4*uint32(int32(a)>>17)
	}
	n := int32(offset)
	if n >= 1<<14 {
		n -= 1 << 15
	}
	return a, a + 4*uint32(n)
}

// TestTwoPlaces: src2 instructions change the first location by the second; one of each kind of operation.
func TestTwoPlaces(t *testing.T) {
	f32 := math.Float32frombits
	for name, f := range map[string]func(m, n uint32) uint32{
		"add_src2_u32": func(m, n uint32) uint32 { return m + n }, "sub_src2_u32": func(m, n uint32) uint32 { return m - n },
		"rsub_src2_u32": func(m, n uint32) uint32 { return n - m }, "write_src2_b32": func(_, n uint32) uint32 { return n },
		"min_src2_i32": func(m, n uint32) uint32 { return uint32(min(int32(m), int32(n))) },
		"xor_src2_b32": func(m, n uint32) uint32 { return m ^ n },
		"max_src2_f32": func(m, n uint32) uint32 {
			if f32(n) > f32(m) {
				return n
			}
			return m
		},
	} {
		for _, c := range []struct{ a, offset uint32 }{{0x100, 3}, {0x100, 0x7ffd}, {0x104, 0}, {0x100 | 5<<17, 0x8000}, {0x200 | 0x7ff0<<17, 0x8003}} {
			m := newMemRun(t)
			m.st.Exec = 1 << 5
			rnd := rand.New(rand.NewPCG(uint64(c.a), 7))
			for i := 0; i < groupSize; i += 4 {
				binary.LittleEndian.PutUint32(m.group[i:], math.Float32bits(float32(rnd.NormFloat64())))
			}
			at, b := place(c.a, c.offset)
			want := f(m.local(int(at)), m.local(int(b)))
			m.v(1, all(c.a))
			m.run(fmt.Sprintf("ds_%s v1 offset:%d", name, c.offset))
			if got := m.local(int(at)); got != want {
				t.Errorf("%s of %#x, offset %#x: %#x, want %#x", name, c.a, c.offset, got, want)
			}
		}
	}
}

// TestTwoPlacesLimit: a location above the limit is not written, and reads 0.
func TestTwoPlacesLimit(t *testing.T) {
	m := newMemRun(t)
	m.st.Exec = 1
	m.st.Set(gcn.CellM0, 0, 0x40)
	m.v(1, all(0x40))
	m.run("ds_add_src2_u32 v1 offset:1")
	if got := m.local(0x40); got != ^uint32(0x10) {
		t.Errorf("above the limit stands %#x", got)
	}
	m.v(1, all(0x3c))
	m.run("ds_write_src2_b32 v1 offset:1")
	if got := m.local(0x3c); got != 0 {
		t.Errorf("from above the limit comes %#x", got)
	}
}

// TestConditionalSwap: a dword is exchanged if the top bit of its data is set, without that bit.
func TestConditionalSwap(t *testing.T) {
	for bits := range uint32(4) {
		m := newMemRun(t)
		m.st.Exec = 1 << 9
		m.v(1, all(0x26)) // the low three bits of the sum are ignored
		lo, hi := 0x123|bits&1<<31, 0x456|bits>>1<<31
		m.v(2, all(lo))
		m.v(3, all(hi))
		m.run("ds_condxchg32_rtn_b64 v[4:5], v1, v[2:3] offset:4")
		m.wantV(4, all(^uint32(10)))
		m.wantV(5, all(^uint32(11)))
		want := [2]uint32{^uint32(10), ^uint32(11)}
		if bits&1 != 0 {
			want[0] = 0x123
		}
		if bits&2 != 0 {
			want[1] = 0x456
		}
		if m.local(0x28) != want[0] || m.local(0x2c) != want[1] {
			t.Errorf("%d: memory is %#x and %#x, want %#x", bits, m.local(0x28), m.local(0x2c), want)
		}
	}
}

// share returns a word of the global data share.
func (m *memRun) share(at int) uint32 { return binary.LittleEndian.Uint32(m.gds[at:]) }

// TestGlobalShare: M0[31:16] is the start of the wave's part, M0[15:0] its size; local memory is not changed.
func TestGlobalShare(t *testing.T) {
	m := newMemRun(t)
	m.st.Set(gcn.CellM0, 0, 0x400<<16|0x80)
	m.v(1, perLane(4))
	m.v(2, perLane(3))
	m.run("ds_write_b32 v1, v2 offset:8 gds")
	for i := range 64 {
		want := uint32(3 * i)
		if 4*i+8+4 > 0x80 {
			want = 0
		}
		if got := m.share(0x400 + 8 + 4*i); got != want {
			t.Fatalf("word %d is %#x, want %#x", i, got, want)
		}
	}
	m.run("ds_read_b32 v3, v1 offset:4 gds")
	m.wantV(3, func(i int) uint32 {
		if i == 0 || 4*i+8 > 0x80 {
			return 0
		}
		return uint32(3 * (i - 1))
	})
	m.v(1, all(0x10))
	m.v(2, all(1))
	m.run("ds_add_rtn_u32 v3, v1, v2 gds")
	m.wantV(3, func(i int) uint32 { return uint32(6 + i) })
	m.st.Exec = 0xff00
	m.run("ds_append v4 offset:16 gds")
	m.wantV(4, all(70))
	m.run("ds_consume v4 offset:16 gds")
	m.wantV(4, all(78))
	if m.share(0x410) != 70 || m.local(0x10) != ^uint32(4) {
		t.Errorf("the share holds %d, local memory %#x", m.share(0x410), m.local(0x10))
	}
	m.run("ds_write2_b32 v1, v2, v1 offset0:1 offset1:2 gds")
	m.run("ds_read2_b32 v[5:6], v1 offset0:1 offset1:2 gds")
	m.wantV(5, all(1))
	m.wantV(6, all(0x10))
	m.st.Set(gcn.CellM0, 0, 0xffff<<16|0xffff)
	if m.try("ds_read_b32 v3, v1 gds") == nil {
		t.Error("a load past the end of the share does not fault")
	}
}

// resource returns the counter of a resource of global wave sync, and the other bits above it.
func (m *memRun) resource(id int) (counter, more uint32) {
	return binary.LittleEndian.Uint32(m.gws[8*id:]), binary.LittleEndian.Uint32(m.gws[8*id+4:])
}

// TestSemaphore: V adds one, BR a number, P takes one or waits; release_all lets all waiting waves pass.
func TestSemaphore(t *testing.T) {
	m := newMemRun(t)
	m.st.Set(gcn.CellM0, 0, 60<<16)
	m.st.Exec = 0xff0
	m.v(1, func(i int) uint32 { return uint32(i - 1) }) // 3 in the lowest active lane
	const id = (60 + 7) % 64
	want := func(what string, counter uint32, pc uint64) {
		t.Helper()
		m.wantPC(pc)
		if c, _ := m.resource(id); c != counter {
			t.Errorf("%s: the counter is %d, want %d", what, c, counter)
		}
	}
	m.run("ds_gws_init v1 offset:7 gds")
	want("init", 3, 8)
	m.run("ds_gws_sema_v offset:7 gds")
	want("v", 4, 8)
	m.run("ds_gws_sema_br v1 offset:7 gds")
	want("br", 7, 8)
	for i := range uint32(7) {
		m.run("ds_gws_sema_p offset:7 gds")
		want("p", 6-i, 8)
	}
	m.run("ds_gws_sema_p offset:7 gds")
	want("p of 0", 0, 0)
	m.run("ds_gws_sema_p offset:7 gds") // it still waits, once
	want("p of 0", 0, 0)
	m.run("ds_gws_sema_release_all offset:7 gds")
	want("release_all", 1, 8)
}

// TestSemaphoreQueue: a waiting wave passes when it may, and then no longer waits.
func TestSemaphoreQueue(t *testing.T) {
	m := newMemRun(t)
	m.st.Set(gcn.CellM0, 0, 0)
	m.run("ds_gws_sema_p gds")
	m.wantPC(0)
	if c, more := m.resource(0); c != 0 || more == 0 {
		t.Errorf("the resource is %d and %#x while a wave waits", c, more)
	}
	binary.LittleEndian.PutUint32(m.gws, 1)
	m.run("ds_gws_sema_p gds")
	m.wantPC(8)
	if c, more := m.resource(0); c != 0 || more != 0 {
		t.Errorf("the resource is %d and %#x behind", c, more)
	}
}

// TestGlobalBarrier: of three waves, as selected by the counter 2, the third ends the wait of the others; then the
// counter is the value that it brought. The waves are states that share a memory.
func TestGlobalBarrier(t *testing.T) {
	var waves [3]*memRun
	for i := range waves {
		waves[i] = newMemRun(t)
		waves[i].gws = waves[0].gws
		waves[i].st.Set(gcn.CellM0, 0, 0)
		waves[i].v(1, all(uint32(10+i)))
	}
	for round := range 2 {
		waves[0].v(2, all(2))
		waves[0].run("ds_gws_init v2 gds")
		for i, m := range waves {
			for range 2 { // it retries, but counts once
				m.run("ds_gws_barrier v1 gds")
				if i < 2 {
					m.wantPC(0)
				} else {
					m.wantPC(8)
					break
				}
			}
		}
		if c, _ := waves[0].resource(0); c != 12 {
			t.Errorf("round %d: the counter is %d behind the barrier", round, c)
		}
		for _, m := range waves[:2] {
			m.run("ds_gws_barrier v1 gds")
			m.wantPC(8)
		}
	}
}

// TestOrderedCount: a wave appends if the one before it is done, or has released more often; else nothing changes. The
// waves' places are what docs/reference/gcn.md 8.3 says, restated.
func TestOrderedCount(t *testing.T) {
	const wait = true
	for _, c := range []struct {
		name                        string
		offset                      uint32
		id, turn, mine, before      uint32 // at the start
		waits                       bool
		counter, turnThen, mineThen uint32
	}{
		{"first, done", 3 << 8, 0, 0, 0, 0, !wait, 107, 1, 0},
		{"done", 3 << 8, 5, 5, 2, 9, !wait, 107, 6, 0},
		{"the last number", 3 << 8, 2047, 2047, 0, 0, !wait, 107, 0, 0},
		{"the one before is not done", 3 << 8, 5, 4, 0, 1, wait, 100, 4, 0},
		{"released", 1 << 8, 5, 3, 1, 2, !wait, 107, 3, 2},
		{"the one before has not released again", 1 << 8, 5, 3, 1, 1, wait, 100, 3, 1},
		{"no release", 0, 5, 3, 1, 2, !wait, 107, 3, 1},
		{"swap", 3<<8 | 1<<12, 5, 5, 0, 0, !wait, 7, 6, 0},
		{"another counter", 3<<8 | 63<<2, 5, 5, 0, 0, !wait, 107, 6, 0},
		{"after 2047", 1 << 8, 0, 2047, 0, 1, !wait, 107, 2047, 1},
	} {
		m := newMemRun(t)
		word := func(b []byte, at uint32) uint32 { return binary.LittleEndian.Uint32(b[at:]) }
		at := 0x40 + c.offset&0xfc
		mine, before := 4+4*c.id, 4+4*((c.id+2047)%2048)
		binary.LittleEndian.PutUint32(m.gds[at:], 100)
		binary.LittleEndian.PutUint32(m.turns, c.turn)
		binary.LittleEndian.PutUint32(m.turns[before:], c.before)
		binary.LittleEndian.PutUint32(m.turns[mine:], c.mine)
		m.st.Set(gcn.CellM0, 0, 0x40<<16|c.id)
		m.st.Exec = 0x30
		m.v(1, func(i int) uint32 { return uint32(i + 3) }) // 7 in the lowest active lane
		m.v(2, all(1))
		m.run(fmt.Sprintf("ds_ordered_count v2, v1 offset:%d gds", c.offset))
		pc, old := uint64(8), uint32(100)
		if c.waits {
			pc, old = 0, 1
		}
		m.wantPC(pc)
		m.wantV(2, all(old))
		if got := [3]uint32{word(m.gds, at), word(m.turns, 0), word(m.turns, mine)}; got != [3]uint32{c.counter, c.turnThen, c.mineThen} {
			t.Errorf("%s: counter, turn and releases are %v", c.name, got)
		}
	}
}

// TestDirect: one value of local memory for all lanes, by address and type in M0.
func TestDirect(t *testing.T) {
	for _, c := range []struct{ m0, want uint32 }{
		{0x21, 0x85}, {0x20 | 1<<16, 0x85c3}, {0x20 | 2<<16, 0x7fff85c3}, {0x21 | 4<<16, 0xffffff85}, {0x20 | 5<<16, 0xffff85c3},
		{0x22 | 5<<16, 0x7fff}, {(groupSize - 1) | 4<<16 | 0xffe00000, 0xfffffffc},
	} {
		m := newMemRun(t)
		binary.LittleEndian.PutUint32(m.group[0x20:], 0x7fff85c3)
		binary.LittleEndian.PutUint32(m.group[groupSize-4:], 0xfc000000)
		m.st.Set(gcn.CellM0, 0, c.m0)
		m.st.Exec = 0xf0
		m.v(2, all(7))
		m.run("v_add_u32_e32 v1, vcc, src_lds_direct, v2")
		m.wantV(1, all(c.want+7))
		m.run("v_readfirstlane_b32 s4, src_lds_direct")
		m.wantS(4, c.want)
		m.run("v_cvt_f32_f16_e32 v1, src_lds_direct")
		if m.st.Get(gcn.VGPR(1), 0) != 0 {
			t.Error("an inactive lane is written")
		}
	}
	m := newMemRun(t)
	m.st.Set(gcn.CellM0, 0, 0x100|2<<16)
	m.run("v_mul_f32_e64 v1, -src_lds_direct, 1.0")
	m.wantV(1, all(^uint32(0x40)^1<<31|0x00400000)) // a quiet NaN, its sign turned over
	m.st.Set(gcn.CellM0, 0, groupSize-3|2<<16)
	if m.try("v_mov_b32_e32 v1, src_lds_direct") == nil {
		t.Error("a value past the end of local memory does not fault")
	}
}
