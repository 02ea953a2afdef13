package cp

import (
	"context"
	"encoding/binary"
	"errors"
	"strings"
	"testing"
	"time"
)

// A faulty stream, and the error that it has.
type faulty struct {
	gen   int
	ring  Ring
	built bool // whether it is an error of the stream, not something that is not built
	words []uint32
	want  string
}

func faults() []faulty {
	return []faulty{
		{8, Graphics, true, []uint32{p3(0xfe, 1, 0), 0}, "PKT3_0xfe 00000000: gfx8 has no packet with opcode 0xfe"},
		{6, Graphics, true, []uint32{p3(0x50, 1, 0), 0}, "PKT3_0x50 00000000: gfx6 has no packet with opcode 0x50"},
		{8, Graphics, true, []uint32{p3(0x15, 3, 0), 1, 2, 3}, "DISPATCH_DIRECT 00000001 00000002 00000003: a body of 3 words does not fit"},
		{8, Graphics, true, []uint32{p3(0x39, 2, 0), dataLo, dataHi}, "MEM_SEMAPHORE addr=0x100004000: operation 0 is reserved"},
		{8, Graphics, false, []uint32{p3(0x39, 2, 0), dataLo, dataHi | 6<<29 | 1<<16}, "MEM_SEMAPHORE with mailbox=0x1 is not built"},
		{8, Graphics, false, []uint32{p3(0x34, 5, 0), 1 << 1, 0, 0, 0, 0}, "STRMOUT_BUFFER_UPDATE with source=FILLED_SIZE is not built"},
		{8, Graphics, false, []uint32{p3(0x12, 1, 0), 0x10}, "what bits 0x10 of word 0 mean is not built"},
		{8, Graphics, false, []uint32{p3(0x12, 1, 0), 1}, "CLEAR_STATE with command=0x1 is not built"},
		{8, Graphics, false, []uint32{p3(0x46, 1, 0), 30 | 2<<8}, "event SAMPLE_PIPELINESTAT by EVENT_WRITE is not built"},
		{8, Graphics, false, []uint32{p3(0x46, 3, 0), 21 | 1<<8, dataLo, dataHi}, "event ZPASS_DONE by EVENT_WRITE is not built"},
		{8, Graphics, true, []uint32{p3(0x46, 1, 0), 63}, "gfx8 has no event 63"},
		{8, Graphics, false, []uint32{p3(0x47, 5, 0), 7, 0, 0, 0, 0}, "event CS_PARTIAL_FLUSH by EVENT_WRITE_EOP is not built"},
		{8, Graphics, false, []uint32{p3(0x47, 5, 0), 20, dataLo, dataHi | 5<<29, 0, 0}, "EVENT_WRITE_EOP with data_sel=GDS is not built"},
		{8, Graphics, false, []uint32{p3(0x48, 4, 0), 47, dataLo, dataHi, 0}, "EVENT_WRITE_EOS with data_sel=APPEND_COUNT is not built"},
		{8, Graphics, false, []uint32{p3(0x37, 4, 0), 3 << 8, 0, 0, 1}, "WRITE_DATA with dst_sel=GDS is not built"},
		{8, Graphics, true, []uint32{p3(0x37, 4, 0), 5 << 8, dataLo + 2, dataHi, 1}, "the address is not a multiple of 4"},
		{8, Graphics, false, []uint32{p3(0x40, 5, 0), 4 | 5<<8, 0, 0, dataLo, dataHi}, "COPY_DATA with src_sel=PERF is not built"},
		{8, Graphics, false, []uint32{p3(0x50, 6, 0), 1 << 29, 0, 0, dataLo, dataHi, 4}, "DMA_DATA with src_sel=GDS is not built"},
		{8, Graphics, false, []uint32{p3(0x50, 6, 0), 2<<29 | 1<<20, 0, 0, dataLo, dataHi, 4}, "DMA_DATA with dst_sel=GDS is not built"},
		{8, Graphics, false, []uint32{p3(0x50, 6, 0), 2 << 29, 0, 0, dataLo, dataHi, 4 | 1<<27}, "DMA_DATA with dst_space=0x1 is not built"},
		{8, Graphics, true, []uint32{p3(0x50, 6, 0), 2 << 29, 0, 0, dataLo, dataHi, 5}, "a fill of 5 bytes, not a multiple of 4"},
		{8, Graphics, true, []uint32{p3(0x50, 6, 0), 0, 0x100, 0, dataLo, dataHi, 4}, "nothing is mapped at 0x100"},
		{8, Graphics, false, []uint32{p3(0x20, 2, 0), dataLo, dataHi | 1<<16}, "SET_PREDICATION with op=ZPASS is not built"},
		{8, Graphics, false, []uint32{p3(0x20, 2, 0), dataLo, dataHi | 2<<16}, "SET_PREDICATION with op=PRIMCOUNT is not built"},
		{8, Graphics, false, []uint32{p3(0x20, 2, 0), dataLo, dataHi | 3<<16 | 1<<31}, "SET_PREDICATION with continue=0x1 is not built"},
		{8, Graphics, true, []uint32{p3(0x3c, 6, 0), 3, 0xb900 / 4, 0, 1, 1, 4}, "it waits for ever: the register is 0x0"},
		{8, Graphics, true, []uint32{p3(0x3c, 6, 0), 7 | 1<<4, dataLo, dataHi, 1, 1, 4}, "function 7 is reserved"},
		{8, Graphics, false, []uint32{p3(0x3c, 6, 0), 3 | 1<<6, dataLo, dataHi, 1, 1, 4}, "WAIT_REG_MEM with operation=0x1 is not built"},
		{8, Graphics, true, []uint32{p3(0x22, 4, 0), dataLo, dataHi, 0, 3, 0}, "it skips 3 dwords, and 1 are left"},
		{8, Graphics, true, []uint32{p3(0x1e, 8, 0), 5, dataLo, dataHi, 0, 0, 0, 0, 0}, "atomic operation 0x5 is reserved"},
		{8, Graphics, false, []uint32{p3(0x1e, 8, 0), 0x42, dataLo, dataHi, 0, 0, 0, 0, 0}, "ATOMIC_MEM with atomic=FMIN_32 is not built"},
		{8, Graphics, true, []uint32{p3(0x1e, 8, 0), 0x6f, dataLo + 4, dataHi, 0, 0, 0, 0, 0}, "the address of an atomic operation is not a multiple of its size"},
		{8, Graphics, true, []uint32{p3(0x15, 4, 2), 1, 1, 1, 4}, "COMPUTE_SHADER_EN of the initiator is 0"},
		{8, Graphics, false, []uint32{p3(0x11, 3, 0), 3, 0, 0}, "SET_BASE with index=CE_PARTITION is not built"},
		{8, Graphics, true, []uint32{p3(0x2a, 1, 0), 3, p3(0x35, 4, 0), 8, 5, 6, 0}, "gfx8 has no index type 3"},
		{7, Graphics, true, []uint32{p3(0x2a, 1, 0), 2, p3(0x35, 4, 0), 8, 5, 6, 0}, "gfx7 has no index type 2"},
		{8, Compute, true, []uint32{p3(0x2d, 2, 0), 3, 2}, "the compute ring has no DRAW_INDEX_AUTO"},
		{8, Graphics, true, []uint32{p3(0x69, 2, 0), 0x3ff, 1}, "gfx8 has no register at 0x28ffc that packets may write"},
		{8, Graphics, true, []uint32{p3(0x69, 2, 0), 0xffff, 1}, "gfx8 has no register at 0x67ffc that packets may write"},
		{7, Graphics, true, []uint32{p3(0x69, 2, 0), 0x20c, 1}, "gfx7 has no register at 0x28830 that packets may write"}, // Polaris only
		{8, Graphics, false, []uint32{p3(0x79, 2, 0), 0x1808, 1}, "writing CP_PERFMON_CNTL is not built"},
		{8, Graphics, false, []uint32{p3(0x40, 5, 0), 0 | 5<<8, 0x36020 / 4, 0, dataLo, dataHi}, "reading CP_PERFMON_CNTL is not built"},
		{8, Graphics, false, []uint32{p3(0x79, 2, 0), 0x200, 0x60000001}, "writing registers of some engines only: GRBM_GFX_INDEX INSTANCE_INDEX=1 SH_BROADCAST_WRITES=1 INSTANCE_BROADCAST_WRITES=1 is not built"},
		{7, Compute, false, []uint32{p3(0x79, 4, 0), 0x41d, 0, 0, 1 << 31}, "writing GDS_OA_ADDRESS with ENABLE=1 is not built"},
		{8, Graphics, true, []uint32{1 << 30}, "packets of type 1 are reserved"},
		{8, Graphics, false, []uint32{p3(0x3f, 3, 0), 0x1002, 1, 4}, "what bits 0x2 of word 0 mean is not built"}, // byte order
		{8, Graphics, true, []uint32{p3(0x3f, 3, 0), 0x7ffc, 1, 4}, "packet at 0x100007ffc: reading the indirect buffer of 4 dwords: nothing is mapped at 0x100007ffc"},
		{8, DMA, true, []uint32{0x3f}, "no packet has this opcode"},
		{8, DMA, false, []uint32{1 | 1<<8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, "COPY_TILED is not built"},
		{8, DMA, true, append([]uint32{1 | 4<<8 | 5<<29}, make([]uint32, 12)...), "texels of 32 bytes, which do not exist"},
		{8, DMA, false, []uint32{1 | 1<<27, 4, 0, dataLo, dataHi, dataLo + 8, dataHi}, "COPY_LINEAR with broadcast=0x1 is not built"},
		{8, DMA, false, []uint32{11 | 1<<30, dataLo, dataHi, 0, 4}, "CONSTANT_FILL with unit=0x1 is not built"},
		{6, DMA, false, []uint32{9 << 28, 0, 0}, "SRBM_WRITE is not built"},
		{6, DMA, false, []uint32{2<<28 | 1<<26 | 1, dataLo, dataHi, 0}, "WRITE with flags=0x40 is not built"},
	}
}

// What is not built, not known or wrong is an error that names it.
func TestFaults(t *testing.T) {
	for _, c := range faults() {
		b := newBench(c.gen)
		err := b.on(c.ring, c.words...)
		var fault *Fault
		var not *NotBuilt
		if !errors.As(err, &fault) || !strings.Contains(err.Error(), c.want) || errors.As(err, &not) == c.built || fault.Ring != c.ring {
			t.Errorf("gfx%d %x: %v, want %s", c.gen, c.words, err, c.want)
		}
	}
}

// A fault has the place and the text of the packet, also in a called buffer, and the device's error.
func TestFaultText(t *testing.T) {
	b := newBench(7)
	b.d.err = errors.New("the shader divides by zero")
	b.m.put(second, 0xffff1000, p3(0x15, 4, 2), 1, 2, 3, 5)
	err := b.run(0xffff1000, p3(0x3f, 3, 0), 0x1000, 1, 6)
	want := "graphics ring, indirect buffer 0x100001000, packet at 0x100001004: DISPATCH_DIRECT (compute) x=1 y=2 z=3 initiator=COMPUTE_SHADER_EN|FORCE_START_AT_000: the shader divides by zero"
	if err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	var fault *Fault
	if !errors.As(err, &fault) || fault.Depth != 1 || fault.IB != second || fault.At != second+4 || !errors.Is(err, b.d.err) {
		t.Errorf("%+v", fault)
	}
	// The processor goes on with its next run.
	b.d.err = nil
	b.must(t, p3(0x76, 2, 0), 0x240, 7)
	if b.State.Reg(0xb900) != 7 {
		t.Error("after a fault")
	}
}

func TestDMARings(t *testing.T) {
	b := newBench(6)
	b.m.put(data+0x100, 1, 2, 3, 4)
	b.m.put(second, 6<<28, dataLo+0x60, dataHi, 0x77)
	if err := b.on(DMA,
		2<<28|2, dataLo, dataHi, 0xa, 0xb, // WRITE
		3<<28|2, dataLo+0x10, dataLo+0x100, dataHi, dataHi, // COPY of dwords
		3<<28|0x40<<20|5, dataLo+0x20, dataLo+0x100, dataHi, dataHi, // and of bytes
		13<<28|2, dataLo+0x30, 0xdeadbeef, dataHi<<16, // CONSTANT_FILL
		6<<28, dataLo+0x40, dataHi, 0x55, 7<<28, 15<<28, // FENCE, TRAP, NOP
		4<<28, 0x1000, 4<<12|1, // INDIRECT_BUFFER
		14<<28|1<<27, dataLo+0x40, dataHi, 0xff, 0x55, 3<<28, // POLL_REG_MEM
	); err != nil {
		t.Fatal(err)
	}
	b.check(t, map[uint64]uint32{0: 0xa, 4: 0xb, 8: 0, 0x10: 1, 0x14: 2, 0x18: 0, 0x20: 1, 0x24: 2, 0x30: 0xdeadbeef, 0x34: 0xdeadbeef, 0x38: 0, 0x40: 0x55, 0x60: 0x77})

	b = newBench(8)
	b.m.put(data+0x100, 1, 2, 3, 4)
	b.m.put(second, 5, dataLo+0x80, dataHi, 0x77)
	if err := b.on(DMA,
		2, dataLo, dataHi, 2, 0xa, 0xb, // WRITE
		1, 6, 0, dataLo+0x100, dataHi, dataLo+0x10, dataHi, // COPY of 6 bytes
		11|2<<30, dataLo+0x30, dataHi, 0xdeadbeef, 8, // CONSTANT_FILL with dwords
		11, dataLo+0x40, dataHi, 0x12, 3, // and with bytes
		5, dataLo+0x50, dataHi, 0x55, 6, 0, 1<<16, 0xffffffff, // FENCE, TRAP, NOP with a word
		13|2<<8, dataLo+0x58, dataHi, // TIMESTAMP
		8|3<<28|1<<31, dataLo+0x50, dataHi, 0x55, 0xff, 0, // POLL_REG_MEM
		10|0x4f<<25, dataLo+0x50, dataHi, 1, 0, 0, 0, 0, // ATOMIC
		9, dataLo+0x50, dataHi, 0x55, 4, 5, dataLo+0x60, dataHi, 1, // COND_EXEC that skips
		9, dataLo+0x50, dataHi, 0x56, 4, 5, dataLo+0x70, dataHi, 1, // and one that does not
		4, 0x1000, 1, 4, 0, 0, // INDIRECT_BUFFER
	); err != nil {
		t.Fatal(err)
	}
	b.check(t, map[uint64]uint32{0: 0xa, 4: 0xb, 0x10: 1, 0x14: 2, 0x30: 0xdeadbeef, 0x34: 0xdeadbeef, 0x38: 0, 0x40: 0x121212, 0x50: 0x56, 0x58: 0x3456789a, 0x5c: 0x12,
		0x60: 0, 0x70: 1, 0x80: 0x77})
}

func (b *bench) check(t *testing.T, want map[uint64]uint32) {
	t.Helper()
	for off, w := range want {
		if got := b.m.get(data + off); got != w {
			t.Errorf("gfx%d: memory at +%#x: %#x, want %#x", b.State.Gen, off, got, w)
		}
	}
}

// Any stream ends without a panic, with no error or with a fault.
func FuzzRun(f *testing.F) {
	add := func(gen, ring uint8, words ...uint32) { f.Add(gen, ring, dwords(words)) }
	add(8, 0, p3(0x76, 3, 2), 0x20c, 0x2025, 0, p3(0x15, 4, 2), 4, 2, 1, 0x45)
	add(8, 0, p3(0x37, 5, 0), 5<<8, dataLo, dataHi, 0x11, 0x22, p3(0x40, 5, 0), 5<<8|1, dataLo, dataHi, dataLo, dataHi)
	add(7, 0, p3(0x3f, 3, 0), uint32(second&0xffffffff), 1, 7|1<<20)
	add(6, 0, p3(0x41, 5, 0), 0xcafe, 2<<29, dataLo, dataHi, 8, 2<<30)
	add(8, 0, p3(0x38, 9, 0), 0x20, 0x4e, 0x4f, 0x50|1<<30|1<<31, 100, dataLo+0x80, dataHi, 20, 0)
	add(8, 1, p3(0x3c, 6, 0), 3|1<<4, dataLo, dataHi, 1, 0xffffffff, 4)
	add(8, 2, 10|0x48<<25|1<<16, dataLo, dataHi, 1, 0, 0, 0, 0)
	add(6, 2, 3<<28|2, dataLo, dataLo+0x100, dataHi, dataHi)
	add(8, 0, p3(0x1e, 8, 0), 0x148, dataLo, dataHi, 1, 0, 0, 0, 0)
	f.Fuzz(func(t *testing.T, gen, ring uint8, stream []byte) {
		if len(stream) > 0x4000 {
			return
		}
		b := newBench(6 + int(gen)%3)
		words := make([]uint32, len(stream)/4)
		for i := range words {
			words[i] = binary.LittleEndian.Uint32(stream[4*i:])
		}
		b.m.put(base, words...)
		ctx, stop := context.WithTimeout(context.Background(), 50*time.Millisecond)
		defer stop()
		err := b.Run(ctx, Ring(ring%3), base, uint32(len(words)))
		var fault *Fault
		if err != nil && !errors.As(err, &fault) && !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("%T: %v", err, err)
		}
		if err != nil && err.Error() == "" || fault != nil && len(fault.Packet) > mostText+16 {
			t.Fatalf("fault %q", err)
		}
	})
}

// A submission says how large its buffer is by 32 bits; no memory is allocated for one that INDIRECT_BUFFER cannot
// name.
func TestLargeBuffer(t *testing.T) {
	for _, n := range []uint32{1 << 20, 1<<32 - 1} {
		err := newBench(8).Run(context.Background(), Graphics, stream, n)
		if want := "its size has 20 bits"; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%d dwords: %v, want %s", n, err, want)
		}
	}
}
