package cp

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/heddle-gpu/heddle/internal/gpu/amdgpu/pm4"
)

// ram is memory from an address on.
type ram struct {
	base uint64
	data []byte
}

func (m *ram) at(va uint64, n int) ([]byte, error) {
	off := va - m.base
	if off > uint64(len(m.data)) || uint64(n) > uint64(len(m.data))-off {
		return nil, fmt.Errorf("nothing is mapped at %#x", va)
	}
	return m.data[off:][:n], nil
}

func (m *ram) Read(va uint64, p []byte) error {
	b, err := m.at(va, len(p))
	copy(p, b)
	return err
}

func (m *ram) Write(va uint64, p []byte) error {
	b, err := m.at(va, len(p))
	copy(b, p)
	return err
}

func (m *ram) put(va uint64, words ...uint32) {
	for i, w := range words {
		binary.LittleEndian.PutUint32(m.data[va-m.base+4*uint64(i):], w)
	}
}

func (m *ram) get(va uint64) uint32 { return binary.LittleEndian.Uint32(m.data[va-m.base:]) }

// recorder is a device that records what it is asked for.
type recorder struct {
	log []string
	err error
}

func (d *recorder) Dispatch(_ context.Context, s *State, x Dispatch) error {
	d.log = append(d.log, fmt.Sprintf("dispatch %v %#x from %#x pc %#x", x.Groups, x.Initiator, x.Indirect, uint64(s.Reg(0xb830))<<8))
	return d.err
}

func (d *recorder) Draw(_ context.Context, s *State, x Draw) error {
	d.log = append(d.log, fmt.Sprintf("%s %d x %d %t base %#x max %d type %d indices %x number %d user %d %d %d", x.Packet.Name, x.Count, x.Instances, x.Indexed,
		x.IndexBase, x.IndexMax, x.IndexType, x.Indices, x.Number, s.Reg(0xb138), s.Reg(0xb13c), s.Reg(0xb140)))
	return d.err
}

func (d *recorder) Now() uint64 { return 0x123456789a }

// Addresses in the tests' memory.
const (
	base   = 0x1_0000_0000
	stream = base
	second = base + 0x1000
	third  = base + 0x2000
	data   = base + 0x4000
	dataLo = uint32(0x4000)
	dataHi = uint32(1)
)

// p3 is a header of type 3 for n words with its low bits: 1 for the predicate, 2 for compute.
func p3(op, n, low uint32) uint32 { return 3<<30 | (n-1)<<16 | op<<8 | low }

type bench struct {
	*Processor
	m *ram
	d *recorder
}

func newBench(gen int) *bench {
	m, d := &ram{base: base, data: make([]byte, 0x8000)}, &recorder{}
	return &bench{New(gen, m, d), m, d}
}

func (b *bench) run(words ...uint32) error { return b.on(Graphics, words...) }

func (b *bench) on(ring Ring, words ...uint32) error {
	b.m.put(stream, words...)
	ctx, stop := context.WithTimeout(context.Background(), 10*time.Second)
	defer stop()
	return b.Run(ctx, ring, stream, uint32(len(words)))
}

// must runs words that have no error.
func (b *bench) must(t *testing.T, words ...uint32) {
	t.Helper()
	if err := b.run(words...); err != nil {
		t.Fatal(err)
	}
}

// The numbers of registers and fields here and below are those of AMD's programming guides.
func TestSetRegisters(t *testing.T) {
	for _, gen := range []int{6, 7, 8} {
		b := newBench(gen)
		b.must(t, p3(0x76, 3, 2), 0x20c, 0x2025, 0, // COMPUTE_PGM_LO, HI
			p3(0x69, 2, 0), 0x8e, 0xf, // CB_TARGET_MASK
			p3(0x69, 2, 0), 0x2f9|2<<28, 5, // PA_SU_VTX_CNTL with an index
			1<<16|0x2e07, 64, 1) // type 0: COMPUTE_NUM_THREAD_X, Y
		for addr, want := range map[uint32]uint32{0xb830: 0x2025, 0x28238: 0xf, 0x28be4: 5, 0xb81c: 64, 0xb820: 1, 0xb824: 0} {
			if got := b.State.Reg(addr); got != want {
				t.Errorf("gfx%d %#x: %#x, want %#x", gen, addr, got, want)
			}
		}
	}
	b := newBench(6)
	b.must(t, p3(0x68, 2, 0), 0x256, 4) // VGT_PRIMITIVE_TYPE
	if got := b.State.Reg(0x8958); got != 4 {
		t.Errorf("gfx6 VGT_PRIMITIVE_TYPE: %d", got)
	}
	b = newBench(8)
	b.must(t, p3(0x79, 2, 0), 0x242, 17, p3(0x51, 3, 0), 0x8e, 0xff00, 0x12345678) // CONTEXT_REG_RMW of CB_TARGET_MASK
	if got := b.State.Reg(0x30908); got != 17 {
		t.Errorf("gfx8 VGT_PRIMITIVE_TYPE: %d", got)
	}
	if got := b.State.Reg(0x28238); got != 0xffff56ff {
		t.Errorf("CB_TARGET_MASK: %#x", got)
	}
}

// CLEAR_STATE gives what the kernel's lists have, and leaves what they lack.
func TestClearState(t *testing.T) {
	for gen, reuse := range map[int]uint32{6: 0xe, 7: 0xe, 8: 0x1e} {
		b := newBench(gen)
		for a := uint32(0x28000); a < 0x29000; a += 4 {
			b.State.Set(a, 0xabcd)
		}
		b.must(t, p3(0x12, 1, 0), 0)
		want := map[uint32]uint32{
			0x28034: 0x40004000, 0x28204: 0x80000000, 0x28208: 0x40004000, 0x2820c: 0xffff, 0x28230: 0xaa99aaaa, 0x28238: 0xffffffff, 0x2823c: 0xffffffff,
			0x28240: 0x80000000, 0x28244: 0x40004000, 0x28400: 0xffffffff, 0x286d8: 2, 0x28810: 0x90000, 0x28814: 4, 0x28a54: 0x100, 0x28a58: 0x80, 0x28a5c: 2,
			0x28aa8: 0xff, 0x28bdc: 0x1000, 0x28be4: 5, 0x28be8: 0x3f800000, 0x28bec: 0x3f800000, 0x28bf0: 0x3f800000, 0x28bf4: 0x3f800000,
			0x28c38: 0xffffffff, 0x28c3c: 0xffffffff, 0x28c58: reuse, 0x28c5c: reuse + 2,
		}
		for i := range uint32(16) {
			want[0x28250+8*i], want[0x28254+8*i], want[0x282d4+8*i] = 0x80000000, 0x40004000, 0x3f800000
		}
		for i := range uint32(4) {
			want[0x28214+8*i] = 0x40004000
		}
		values, kept := 0, 0
		for a := uint32(0x28000); a < 0x29000; a += 4 {
			got := b.State.Reg(a)
			switch {
			case got == 0xabcd:
				kept++
			case got != want[a]:
				t.Errorf("gfx%d %#x: %#x, want %#x", gen, a, got, want[a])
			case got != 0:
				values++
			}
		}
		// 79 values, in as many registers as the lists have
		if reset := 0x400 - kept; values != 79 || gen == 6 && reset != 882 || gen != 6 && reset != 885 {
			t.Errorf("gfx%d: %d values in %d registers", gen, values, reset)
		}
		if b.State.Reg(0x28350) != 0xabcd {
			t.Errorf("gfx%d: PA_SC_RASTER_CONFIG is cleared", gen)
		}
	}
}

func TestIndirectBuffers(t *testing.T) {
	b := newBench(8)
	b.m.put(second, p3(0x76, 2, 0), 0x240, 1, p3(0x3f, 3, 0), uint32(third&0xffffffff), 1, 3|1<<20|1<<23) // chains to the third
	b.m.put(third, p3(0x76, 2, 0), 0x241, 2)
	b.must(t, p3(0x3f, 3, 0), uint32(second&0xffffffff), 1, 7|1<<23, p3(0x76, 2, 0), 0x242, 3, 0xffff1000)
	for i := range uint32(3) {
		if got := b.State.Reg(0xb900 + 4*i); got != i+1 {
			t.Errorf("COMPUTE_USER_DATA_%d: %d", i, got)
		}
	}
	// What follows a chain is not executed.
	b = newBench(8)
	b.m.put(third, p3(0x76, 2, 0), 0x241, 2)
	b.must(t, p3(0x3f, 3, 0), uint32(third&0xffffffff), 1, 3|1<<20, p3(0x76, 2, 0), 0x240, 3)
	if b.State.Reg(0xb900) != 0 || b.State.Reg(0xb904) != 2 {
		t.Errorf("after a chain: %d, %d", b.State.Reg(0xb900), b.State.Reg(0xb904))
	}
}

// Streams that do not end are stopped, by limits and by the context.
func TestEndless(t *testing.T) {
	b := newBench(7)
	err := b.run(p3(0x3f, 3, 0), uint32(stream&0xffffffff), 1, 4|1<<20)
	if err == nil || !strings.Contains(err.Error(), "more than 1048576 indirect buffers in one submission: an endless loop?") {
		t.Errorf("a chain to itself: %v", err)
	}
	b.m.put(second, p3(0x3f, 3, 0), uint32(third&0xffffffff), 1, 4)
	if err = b.run(p3(0x3f, 3, 0), uint32(second&0xffffffff), 1, 4); err == nil || !strings.Contains(err.Error(), "they nest 2 deep") {
		t.Errorf("nested: %v", err)
	}
	ctx, stop := context.WithCancel(context.Background())
	b.m.put(stream, p3(0x3c, 6, 0), 3|1<<4, dataLo, dataHi, 1, 0xffffffff, 4)
	go func() { time.Sleep(20 * time.Millisecond); stop() }()
	if err := b.Run(ctx, Graphics, stream, 7); !errors.Is(err, context.Canceled) {
		t.Errorf("a wait for ever: %v", err)
	}
}

func TestMemoryPackets(t *testing.T) {
	b := newBench(8)
	b.must(t,
		p3(0x37, 5, 0), 5<<8|1<<20, dataLo, dataHi, 0x11, 0x22, // WRITE_DATA
		p3(0x37, 5, 0), 5<<8|1<<16, dataLo+8, dataHi, 0x33, 0x44, // all to one address
		p3(0x37, 5, 0), 0, 0x2e40, 0, 0x55, 0x66, // to registers: COMPUTE_USER_DATA_0 is number 0xb900/4
		p3(0x40, 5, 0), 1|1<<16, dataLo, dataHi, 0x2e42, 0, // COPY_DATA, memory to two registers
		p3(0x40, 5, 0), 5<<8, 0x2e40, 0, dataLo+0x10, dataHi, // register to memory
		p3(0x40, 5, 0), 5<<8|5|1<<16, 0xaaaa, 0xbbbb, dataLo+0x18, dataHi, // immediate
		p3(0x40, 5, 0), 1<<8|9|1<<16, 0, 0, dataLo+0x20, dataHi, // clock
		p3(0x50, 6, 0), 2<<29, 0xfeedface, 0, dataLo+0x40, dataHi, 16, // DMA_DATA fill
		p3(0x50, 6, 0), 3<<29|3<<20, dataLo, dataHi, dataLo+0x60, dataHi, 12, // copy
		p3(0x50, 6, 0), 3<<29|3<<20, 0x100, 0x77, 0x100, 0x77, 64, // prefetch of what is not mapped
		p3(0x50, 6, 0), 1<<31, 0x100, 0x77, 0x200, 0x77, 0, // wait
	)
	for off, want := range map[uint64]uint32{0: 0x11, 4: 0x22, 8: 0x44, 12: 0, 0x10: 0x55, 0x18: 0xaaaa, 0x1c: 0xbbbb, 0x20: 0x3456789a, 0x24: 0x12,
		0x3c: 0, 0x40: 0xfeedface, 0x4c: 0xfeedface, 0x50: 0, 0x60: 0x11, 0x64: 0x22, 0x68: 0x44, 0x6c: 0} {
		if got := b.m.get(data + off); got != want {
			t.Errorf("memory at +%#x: %#x, want %#x", off, got, want)
		}
	}
	for i, want := range []uint32{0x55, 0x66, 0x11, 0x22} {
		if got := b.State.Reg(0xb900 + 4*uint32(i)); got != want {
			t.Errorf("COMPUTE_USER_DATA_%d: %#x, want %#x", i, got, want)
		}
	}
	b = newBench(6)
	b.must(t, p3(0x41, 5, 0), 0xcafe, 2<<29, dataLo, dataHi, 8, p3(0x41, 5, 0), dataLo, dataHi, dataLo+0x10, dataHi, 4) // CP_DMA fill, copy
	if b.m.get(data+4) != 0xcafe || b.m.get(data+8) != 0 || b.m.get(data+0x10) != 0xcafe || b.m.get(data+0x14) != 0 {
		t.Errorf("CP_DMA: %x", b.m.data[0x4000:0x4018])
	}
}

func TestAtomics(t *testing.T) {
	for _, c := range []struct {
		op                       uint32
		old, data, compare, want uint64
	}{
		{15 + 0x40, 0xffffffff, 2, 0, 1},            // ADD_32
		{0x10, 1, 2, 0, 0xffffffff},                 // SUB_RTN_32
		{0x48, 5, 9, 5, 9},                          // CMPSWAP_32
		{0x48, 6, 9, 5, 6},                          //
		{0x51, 0xffffffff, 1, 0, 0xffffffff},        // SMIN_32: -1
		{0x52, 0xffffffff, 1, 0, 1},                 // UMIN_32
		{0x53, 0xffffffff, 1, 0, 1},                 // SMAX_32
		{0x54, 0xffffffff, 1, 0, 0xffffffff},        // UMAX_32
		{0x58, 7, 7, 0, 0},                          // INC_32 wraps at the limit
		{0x58, 6, 7, 0, 7},                          //
		{0x59, 0, 7, 0, 7},                          // DEC_32
		{0x59, 9, 7, 0, 7},                          //
		{0x59, 5, 7, 0, 4},                          //
		{0x6f, 0xffffffff, 1, 0, 1 << 32},           // ADD_64
		{0x67, 1, 0x1234567890, 0, 0x1234567890},    // SWAP_64
		{0x77, 0xff00ff00ff, 0xff, 0, 0xff00ff0000}, // XOR_64
	} {
		b := newBench(8)
		b.m.put(data, uint32(c.old), uint32(c.old>>32))
		b.must(t, p3(0x1e, 8, 0), c.op, dataLo, dataHi, uint32(c.data), uint32(c.data>>32), uint32(c.compare), uint32(c.compare>>32), 0)
		if got := binary.LittleEndian.Uint64(b.m.data[data-base:]); got != c.want {
			t.Errorf("%#x of %#x, %#x, %#x: %#x, want %#x", c.op, c.old, c.data, c.compare, got, c.want)
		}
	}
}

// swapper counts what it swaps, and lets another writer get ahead once.
type swapper struct {
	*ram
	swaps int
}

func (s *swapper) CompareAndSwap(va uint64, size int, old, new uint64) (bool, error) {
	if s.swaps++; s.swaps == 1 {
		s.put(va, 100)
	}
	if uint64(s.get(va)) != old || size != 4 {
		return false, nil
	}
	s.put(va, uint32(new))
	return true, nil
}

func TestSwapper(t *testing.T) {
	b := newBench(8)
	s := &swapper{ram: b.m}
	b.Memory = s
	b.must(t, p3(0x1e, 8, 0), 0x4f, dataLo, dataHi, 5, 0, 0, 0, 0)
	if b.m.get(data) != 105 || s.swaps != 2 {
		t.Errorf("%d after %d swaps", b.m.get(data), s.swaps)
	}
}

func TestEvents(t *testing.T) {
	b := newBench(8)
	b.must(t,
		p3(0x46, 1, 0), 7|4<<8, p3(0x46, 1, 0), 44, p3(0x46, 1, 0), 25,
		p3(0x47, 5, 0), 20|5<<8|1<<17, dataLo, dataHi|1<<29|2<<24, 0x11, 0x99, // 32 bits
		p3(0x47, 5, 0), 45|5<<8, dataLo+8, dataHi|2<<29, 0x22, 0x33, // 64 bits
		p3(0x47, 5, 0), 40|5<<8, dataLo+0x10, dataHi|3<<29, 0, 0, // clock
		p3(0x47, 5, 0), 45|5<<8, 0, 0, 0, 0, // nothing
		p3(0x48, 4, 0), 47|6<<8, dataLo+0x18, dataHi|2<<29, 0x44,
		p3(0x49, 6, 2), 20|5<<8, 2<<29, dataLo+0x20, dataHi, 0x55, 0x66, // RELEASE_MEM
		p3(0x43, 4, 0), 0x28c40000, 0xffffffff, 0, 10, p3(0x58, 6, 2), 0x28c40000, 0xffffffff, 0xff, 0, 0, 10,
		p3(0x58, 6, 2), 0xa8c40000, 0xffffffff, 0xffffff, 0, 0, 10, p3(0x42, 1, 0), 0,
		p3(0x79, 2, 0), 0x3f, 0, p3(0x46, 1, 0), 31, p3(0x3c, 6, 0), 3, 0x300fc/4, 0, 1, 1, 4, // stream output is flushed
	)
	for off, want := range map[uint64]uint32{0: 0x11, 4: 0, 8: 0x22, 12: 0x33, 0x10: 0x3456789a, 0x14: 0x12, 0x18: 0x44, 0x1c: 0, 0x20: 0x55, 0x24: 0x66} {
		if got := b.m.get(data + off); got != want {
			t.Errorf("memory at +%#x: %#x, want %#x", off, got, want)
		}
	}
}

func TestPredication(t *testing.T) {
	for _, c := range []struct {
		value uint64
		flags uint32
		runs  bool
	}{
		{0, 3<<16 | 1<<8, false}, {1, 3<<16 | 1<<8, true}, {1 << 40, 3<<16 | 1<<8, true}, {0, 3 << 16, true}, {1, 3 << 16, false}, {0, 0, true},
	} {
		b := newBench(8)
		b.m.put(data, uint32(c.value), uint32(c.value>>32))
		b.must(t, p3(0x20, 2, 0), dataLo, dataHi|c.flags, p3(0x2d, 2, 1), 3, 2, p3(0x15, 4, 3), 1, 1, 1, 1, p3(0x76, 2, 0), 0x240, 7)
		if got := len(b.d.log) == 2; got != c.runs || b.State.Reg(0xb900) != 7 {
			t.Errorf("%#x with %#x: %q", c.value, c.flags, b.d.log)
		}
	}
}

func TestConditions(t *testing.T) {
	b := newBench(7)
	b.m.put(data, 0, 1)
	b.must(t,
		p3(0x22, 4, 0), dataLo, dataHi, 0, 3, p3(0x76, 2, 0), 0x240, 7, // COND_EXEC of 0
		p3(0x22, 4, 0), dataLo+4, dataHi, 0, 3, p3(0x76, 2, 0), 0x241, 7,
		p3(0x23, 1, 0), 3|1<<24, p3(0x76, 2, 0), 0x242, 7, // PRED_EXEC: this device
		p3(0x23, 1, 0), 3|2<<24, p3(0x76, 2, 0), 0x243, 7, // another
		p3(0x45, 8, 0), 3|1<<4|1<<8, dataLo+4, dataHi, 1, 0xff, dataLo+8, dataHi, 5, // COND_WRITE
		p3(0x45, 8, 0), 4|1<<4|1<<8, dataLo+4, dataHi, 1, 0xff, dataLo+12, dataHi, 6,
		p3(0x3c, 6, 0), 5|1<<4, dataLo+4, dataHi, 1, 0xff, 4, // WAIT_REG_MEM, which holds
	)
	for i, want := range []uint32{0, 7, 7, 0} {
		if got := b.State.Reg(0xb900 + 4*uint32(i)); got != want {
			t.Errorf("COMPUTE_USER_DATA_%d: %d, want %d", i, got, want)
		}
	}
	if b.m.get(data+8) != 5 || b.m.get(data+12) != 0 {
		t.Errorf("COND_WRITE: %d, %d", b.m.get(data+8), b.m.get(data+12))
	}
	b = newBench(6) // the form of three words
	b.must(t, p3(0x22, 3, 0), dataLo, dataHi, 3, p3(0x76, 2, 0), 0x240, 7)
	if b.State.Reg(0xb900) != 0 {
		t.Error("gfx6 COND_EXEC")
	}
}

// A wait ends when another writes.
func TestWait(t *testing.T) {
	b := newBench(8)
	m := &sharedRAM{ram: b.m, after: 3}
	b.Memory = m
	b.must(t, p3(0x3c, 6, 0), 6|1<<4, dataLo, dataHi, 4, 0xffff, 4)
	if m.reads != 4 {
		t.Errorf("%d reads", m.reads)
	}
}

// sharedRAM changes after some reads of its data.
type sharedRAM struct {
	*ram
	reads, after int
}

func (m *sharedRAM) Read(va uint64, p []byte) error {
	if va == data {
		if m.reads++; m.reads > m.after {
			m.put(va, 0x10005)
		}
	}
	return m.ram.Read(va, p)
}

// A semaphore is a number of 64 bits: signals count one more, or write 1, and waits count one less when it is not 0.
// The bits of the packets are those of the kernel's cikd.h, tonga_sdma_pkt_open.h and si_dma.c.
func TestSemaphores(t *testing.T) {
	const old = 5<<32 | 0xffffffff
	for _, c := range []struct {
		gen   int
		ring  Ring
		words []uint32
		want  uint64
	}{
		{6, Graphics, []uint32{p3(0x39, 2, 0), dataLo, dataHi | 6<<29}, old + 1},
		{7, Compute, []uint32{p3(0x39, 2, 0), dataLo, dataHi | 6<<29 | 1<<20}, 1},
		{8, Graphics, []uint32{p3(0x39, 2, 0), dataLo, dataHi | 7<<29}, old - 1},
		{8, DMA, []uint32{7 | 1<<30, dataLo, dataHi}, old + 1},
		{7, DMA, []uint32{7 | 1<<30 | 1<<29, dataLo, dataHi}, 1},
		{7, DMA, []uint32{7, dataLo, dataHi}, old - 1},
		{6, DMA, []uint32{5<<28 | 1<<22, dataLo, dataHi}, old + 1},
		{6, DMA, []uint32{5 << 28, dataLo, dataHi}, old - 1},
	} {
		b := newBench(c.gen)
		b.m.put(data, 0xffffffff, 5)
		if err := b.on(c.ring, c.words...); err != nil {
			t.Errorf("gfx%d %v: %v", c.gen, c.ring, err)
			continue
		}
		if got := binary.LittleEndian.Uint64(b.m.data[data-base:]); got != c.want {
			t.Errorf("gfx%d %v, %#x: %#x, want %#x", c.gen, c.ring, c.words, got, c.want)
		}
	}
	b := newBench(8)
	b.Memory = &sharedRAM{ram: b.m, after: 3} // 0x10005 from then on
	b.must(t, p3(0x39, 2, 0), dataLo, dataHi|7<<29)
	if got := binary.LittleEndian.Uint64(b.m.data[data-base:]); got != 0x10004 {
		t.Errorf("%#x after a wait", got)
	}
}

func TestLoads(t *testing.T) {
	b := newBench(8)
	b.m.put(data, 0x11, 0x22)
	b.m.put(data+0x323*4, 0x33, 0x44)
	b.must(t, p3(0x9f, 4, 0), dataLo, dataHi, 0x323, 2) // LOAD_CONTEXT_REG_INDEX: CB_COLOR0_CLEAR_WORD0
	if b.State.Reg(0x28c8c) != 0x11 || b.State.Reg(0x28c90) != 0x22 {
		t.Errorf("CB_COLOR0_CLEAR_WORD: %#x, %#x", b.State.Reg(0x28c8c), b.State.Reg(0x28c90))
	}
	b.must(t, p3(0x61, 4, 0), dataLo, dataHi, 0x323, 2) // LOAD_CONTEXT_REG, not enabled
	if b.State.Reg(0x28c8c) != 0x11 {
		t.Error("LOAD_CONTEXT_REG loads without being enabled")
	}
	b.must(t, p3(0x28, 2, 0), 1<<31|2, 1<<31, p3(0x61, 4, 0), dataLo, dataHi, 0x323, 2)
	if b.State.Reg(0x28c8c) != 0x33 || b.State.Reg(0x28c90) != 0x44 {
		t.Errorf("LOAD_CONTEXT_REG: %#x, %#x", b.State.Reg(0x28c8c), b.State.Reg(0x28c90))
	}
}

func TestDispatches(t *testing.T) {
	b := newBench(7)
	b.m.put(data, 5, 6, 7)
	b.must(t,
		p3(0x76, 2, 2), 0x20c, 0x2025, p3(0x15, 4, 2), 4, 2, 1, 0x45,
		p3(0x15, 4, 2), 4, 0, 1, 5, // no groups
		p3(0x11, 3, 2), 1, dataLo-8, dataHi, p3(0x16, 2, 2), 8, 7, // SET_BASE, DISPATCH_INDIRECT
		p3(0x16, 3, 2), dataLo, dataHi, 5)
	want := []string{"dispatch [4 2 1] 0x45 from 0x0 pc 0x202500", "dispatch [5 6 7] 0x7 from 0x100004000 pc 0x202500", "dispatch [5 6 7] 0x5 from 0x100004000 pc 0x202500"}
	if fmt.Sprint(b.d.log) != fmt.Sprint(want) {
		t.Errorf("%q", b.d.log)
	}
	if b.State.Reg(0xb800) != 5 || b.State.Reg(0xb804) != 5 || b.State.Reg(0xb80c) != 7 {
		t.Errorf("COMPUTE_DISPATCH_INITIATOR and COMPUTE_DIM: %#x %d %d", b.State.Reg(0xb800), b.State.Reg(0xb804), b.State.Reg(0xb80c))
	}
}

func TestDraws(t *testing.T) {
	b := newBench(8)
	b.m.put(data, 3, 2, 10, 20)                              // vertices
	b.m.put(data+0x20, 6, 1, 4, 30, 40, 9, 2, 0, 50, 60, 99) // indices, twice, and the number of draws elsewhere
	b.m.put(data+0x80, 2)
	b.must(t, p3(0x2f, 1, 0), 5, p3(0x2a, 1, 0), 1, p3(0x26, 2, 0), 0x1000, 2, p3(0x13, 1, 0), 8,
		p3(0x2d, 2, 0), 3, 2,
		p3(0x2d, 2, 0), 0, 2, // no vertices
		p3(0x27, 5, 0), 12, 0x3000, 2, 6, 0,
		p3(0x26, 2, 0), 0x1000, 2, p3(0x35, 4, 0), 8, 5, 6, 0,
		p3(0x11, 3, 2), 1, 0x1000, 0, p3(0x11, 3, 0), 1, dataLo, dataHi, // the base of dispatches is another
		p3(0x24, 4, 0), 0, 0x4e, 0x4f, 2,
		p3(0x38, 9, 0), 0x20, 0x4e, 0x4f, 0x50|1<<30|1<<31, 100, dataLo+0x80, dataHi, 20, 0)
	want := []string{
		"DRAW_INDEX_AUTO 3 x 5 false base 0x0 max 0 type 1 indices [] number 0 user 0 0 0",
		"DRAW_INDEX_2 6 x 5 true base 0x200003000 max 12 type 1 indices [] number 0 user 0 0 0",
		"DRAW_INDEX_OFFSET_2 6 x 5 true base 0x200001014 max 3 type 1 indices [] number 0 user 0 0 0",
		"DRAW_INDIRECT 3 x 2 false base 0x0 max 0 type 1 indices [] number 0 user 10 20 0",
		"DRAW_INDEX_INDIRECT_MULTI 6 x 1 true base 0x200001010 max 4 type 1 indices [] number 0 user 30 40 0",
		"DRAW_INDEX_INDIRECT_MULTI 9 x 2 true base 0x200001000 max 8 type 1 indices [] number 1 user 50 60 1",
	}
	if got := strings.Join(b.d.log, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("got\n%s", got)
	}
	b = newBench(6)
	b.must(t, p3(0x2e, 4, 0), 3, 0, 0x10000, 2)
	if want := "DRAW_INDEX_IMMD 3 x 1 true base 0x0 max 0 type 0 indices [10000 2] number 0 user 0 0 0"; len(b.d.log) != 1 || b.d.log[0] != want {
		t.Errorf("%q", b.d.log)
	}
}

func TestTrace(t *testing.T) {
	b := newBench(8)
	var got bytes.Buffer
	b.Trace = func(depth int, p pm4.Packet) { fmt.Fprintf(&got, "%d %s %#x, ", depth, p.Name, p.Addr) }
	b.m.put(second, 0xffff1000)
	b.must(t, p3(0x3f, 3, 0), uint32(second&0xffffffff), 1, 1, p3(0x12, 1, 0), 0)
	if want := "0 INDIRECT_BUFFER 0x100000000, 1 NOP 0x100001000, 0 CLEAR_STATE 0x100000010, "; got.String() != want || b.Packets != 3 {
		t.Errorf("%d packets: %s", b.Packets, got.String())
	}
}
