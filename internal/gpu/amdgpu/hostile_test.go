//go:build linux && amd64

package amdgpu

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/heddle-gpu/heddle/internal/gpu/amdgpu/cp"
	"github.com/heddle-gpu/heddle/internal/gpu/amdgpu/pm4"
)

// Programs that use what mutated registers describe: s[0:7] an image, s[8:11] a sampler or a second buffer, s[12:15]
// where results go.
var hostilePrograms = [...]string{store, `
	v_mov_b32 v1, v0
	v_mov_b32 v2, 0
	v_mov_b32 v3, 0
	image_load v[4:7], v[0:3], s[0:7] dmask:0xf unorm
	image_get_resinfo v[8:11], v2, s[0:7] dmask:0xf
	s_waitcnt vmcnt(0)
	v_lshlrev_b32 v12, 2, v0
	buffer_store_dwordx4 v[4:7], v12, s[12:15], 0 offen
	image_store v[8:11], v[0:3], s[0:7] dmask:0xf unorm
	s_endpgm
`, `
	v_cvt_f32_u32 v0, v0
	v_mul_f32 v0, 0.5, v0
	v_mov_b32 v1, v0
	v_mov_b32 v2, 0
	v_mov_b32 v3, 0
	image_sample v[4:7], v[0:3], s[0:7], s[8:11] dmask:0xf
	image_sample_lz v[8:10], v[0:3], s[0:7], s[8:11] dmask:0x7
	image_gather4 v[12:15], v[0:3], s[0:7], s[8:11] dmask:0x2
	s_waitcnt vmcnt(0)
	buffer_store_dwordx4 v[4:7], v2, s[12:15], 0 offen
	s_endpgm
`, `
	v_mov_b32 v1, 1
	buffer_load_format_xyzw v[4:7], v0, s[0:3], 0 idxen
	tbuffer_load_format_xyzw v[8:11], v0, s[4:7], dfmt:14, nfmt:4, 0 idxen
	s_buffer_load_dwordx4 s[16:19], s[8:11], 0x10
	s_waitcnt vmcnt(0) & lgkmcnt(0)
	buffer_store_format_xyzw v[4:7], v0, s[12:15], 0 idxen
	buffer_store_dwordx2 v[8:9], v[0:1], s[12:15], 0 idxen offen
	buffer_atomic_add v1, v0, s[0:3], 0 idxen
	ds_write_b32 v0, v1
	ds_read_b32 v2, v0
	s_endpgm
`}

// Where a hostile stream finds what.
const (
	hostileCode    = 0x20000 // programs, 0x400 apart
	hostileData    = 0x30000 // to 0x80000
	hostileStreams = 0x80000 // to the end
)

// A hostile is a generator of streams that are nearly right.
type hostile struct {
	*rand.Rand
	gen int
}

// pick returns one of a list.
func pick[T any](h *hostile, list ...T) T { return list[h.IntN(len(list))] }

// word is a word as fields, numbers and addresses are, or any.
func (h *hostile) word() uint32 {
	switch h.IntN(8) {
	case 0:
		return h.Uint32()
	case 1:
		return 1 << h.IntN(32)
	case 2:
		return ^uint32(0) >> h.IntN(32)
	case 3:
		return h.address(4)
	}
	return uint32(h.IntN(9))
}

// address is one of the data, mostly.
func (h *hostile) address(align int) uint32 {
	if h.IntN(40) == 0 {
		return h.Uint32()
	}
	return uint32(hostileData+h.IntN(hostileStreams-hostileData)) &^ uint32(align-1)
}

// image is a descriptor of an image.
func (h *hostile) image() []uint32 {
	va := h.address(256) >> 8
	side := func() uint32 { return uint32(pick(h, 0, 1, 7, 15, 31, 63, h.IntN(1<<14))) }
	t := []uint32{va, uint32(h.IntN(64))<<20 | uint32(pick(h, 0, 4, 5, 7, 9, h.IntN(16)))<<26, side() | side()<<14,
		4 | 5<<3 | 6<<6 | 7<<9 | uint32(pick(h, 0, h.IntN(4)))<<16 | uint32(h.IntN(32))<<20 | uint32(8+h.IntN(8))<<28,
		uint32(pick(h, 0, 1, 5, h.IntN(1<<13))) | side()<<13, uint32(pick(h, 0, 1, 7)) | uint32(pick(h, 0, 1, 7))<<13, 0, 0}
	if h.IntN(4) != 0 {
		t[1] = t[1]&^(63<<20) | uint32(pick(h, 1, 4, 5, 10, 11, 12, 14))<<20
	}
	return h.mutate(t, 6)
}

// resource is a descriptor of a buffer.
func (h *hostile) resource() []uint32 {
	t := rawBuffer(uint64(h.address(4)), uint32(pick(h, 0, 4, 256, 1<<14, h.IntN(1<<20))))
	t[1] |= uint32(pick(h, 0, 0, 4, 16, h.IntN(1<<14))) << 16
	return h.mutate(t, 6)
}

// mutate changes some bits, about once in so many times.
func (h *hostile) mutate(words []uint32, seldom int) []uint32 {
	for h.IntN(seldom) == 0 && len(words) > 0 {
		switch i := h.IntN(len(words)); h.IntN(3) {
		case 0:
			words[i] ^= 1 << h.IntN(32)
		case 1:
			words[i] = h.word()
		default:
			words[i] = h.Uint32()
		}
	}
	return words
}

// dispatch sets compute registers and dispatches a program.
func (h *hostile) dispatch() (words []uint32) {
	s := &shader{va: hostileCode + uint64(h.IntN(len(hostilePrograms)))<<10, rsrc1: 15 | 5<<6, rsrc2: groupIDX, block: [3]uint32{64, 1, 1}}
	s.user = append(h.image(), h.resource()...)
	if h.IntN(2) == 0 {
		s.user = append(h.resource(), h.resource()...)
		s.user = append(s.user, h.resource()...)
	}
	s.user = append(s.user, rawBuffer(hostileData, 1<<14)...)
	words = s.commands([3]uint32{uint32(1 + h.IntN(3)), 1, 1})
	if h.IntN(8) == 0 {
		return h.mutate(words, 2)
	}
	return words
}

// fields fills the fields of a packet: addresses with places in memory, others with numbers that are small or not.
func (h *hostile) fields(words []uint32, parts []pm4.Part, from int) {
	for _, p := range parts {
		switch {
		case p.Word < from || p.Word >= len(words):
		case p.Rest:
			for i := p.Word; i < len(words); i++ {
				words[i] = h.word()
			}
		case p.High >= 0 && p.High < len(words):
			words[p.Word] = words[p.Word]&^p.Bits.Put(0, ^uint32(0)) | p.Bits.Put(0, p.Bits.Get(h.address(32)))
		case h.IntN(2) == 0:
			words[p.Word] |= p.Bits.Put(0, p.Bits.Get(^uint32(0))&h.word())
		}
	}
}

// packet is a packet of a graphics or compute ring.
func (h *hostile) packet(defs []*pm4.Def) []uint32 {
	d := pick(h, defs...)
	body := make([]uint32, d.Min+h.IntN(1+min(d.Max-d.Min, 6)))
	h.fields(body, d.Parts, 0)
	if len(body) == 0 {
		return []uint32{3<<30 | 0x3fff<<16 | uint32(d.Op)<<8}
	}
	return append([]uint32{3<<30 | uint32(len(body)-1)<<16 | uint32(d.Op)<<8 | uint32(h.IntN(9)/8) | uint32(h.IntN(2))<<1}, body...)
}

// dmaPacket is a packet of a DMA ring.
func (h *hostile) dmaPacket() []uint32 {
	for {
		words := make([]uint32, 40)
		if words[0] = uint32(h.IntN(16)) | uint32(h.IntN(8))<<8; h.gen == 6 {
			words[0] = uint32(h.IntN(16))<<28 | uint32(pick(h, 0, 8, 0x40))<<20 | uint32(h.IntN(8))
		}
		p, err := pm4.NextDMA(h.gen, words, 0)
		if err != nil {
			continue
		}
		h.fields(words, p.Def.Parts, 1)
		if p, err = pm4.NextDMA(h.gen, words, 0); err == nil {
			return p.Body
		}
	}
}

// stream is an indirect buffer.
func (h *hostile) stream(of cp.Ring, defs []*pm4.Def) (words []uint32) {
	for range 1 + h.IntN(8) {
		switch {
		case of == cp.DMA:
			words = append(words, h.dmaPacket()...)
		case h.IntN(4) != 0:
			words = append(words, h.dispatch()...)
		default:
			words = append(words, h.packet(defs)...)
		}
	}
	words = h.mutate(words, 3)
	return words[:len(words)-h.IntN(len(words))/pick(h, 1, 1000, 1000, 1000)]
}

// TestHostileStreams: command streams, registers and descriptors that are mutated end without a panic or a hang, and
// leave nothing behind. HEDDLE_LONG runs a million of them.
func TestHostileStreams(t *testing.T) {
	n := 2_000
	if os.Getenv("HEDDLE_LONG") != "" {
		n = 1_000_000 / 3
	}
	for _, name := range []string{"tahiti", "bonaire", "polaris10"} {
		t.Run(name, func(t *testing.T) { runHostile(t, name, n) })
	}
}

func runHostile(t *testing.T, name string, n int) {
	b := newBench(t, name, Options{Hang: 20 * time.Millisecond, Trace: io.Discard})
	for i, text := range hostilePrograms {
		b.assemble(t, hostileCode+uint64(i)<<10, text)
	}
	code := append([]uint32(nil), b.at(hostileCode)[:(hostileData-hostileCode)/4]...)
	memory := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC() // what pools keep for one more
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before, threads := memory(), runtime.NumGoroutine()
	fine, hangs := 0, 0
	causes := map[string]int{}
	for i := range n {
		h := &hostile{rand.New(rand.NewPCG(uint64(i), uint64(b.d.chip.Gen))), b.d.chip.Gen}
		copy(b.at(hostileCode), code)
		h.mutate(b.at(hostileCode)[:len(code)], 20)
		err := b.hostileRun(t, h, i)
		switch {
		case err == nil:
			fine++
		case errors.Is(err, context.DeadlineExceeded):
			hangs++
		default:
			causes[fmt.Sprintf("%T", errors.Unwrap(err))]++
		}
		b.log.Reset()
	}
	after := memory()
	if after > before+mostKept*256 { // what is made of the programs that are kept
		t.Errorf("%d MiB of memory, %d at the start", after>>20, before>>20)
	}
	if now := runtime.NumGoroutine(); now > threads+3 {
		t.Errorf("%d goroutines, %d at the start", now, threads)
	}
	t.Logf("%d mutated streams: %d without an error, %d at the time limit, others %v; %d MiB of memory, %d at the start",
		n, fine, hangs, causes, after>>20, before>>20)
	if fine < n/50 {
		t.Error("hardly any stream is executed")
	}
}

// hostileRun executes a stream on this goroutine.
func (b *bench) hostileRun(t *testing.T, h *hostile, i int) (err error) {
	of := pick(h, ring{kind: ipGraphics}, ring{kind: ipCompute}, ring{kind: ipCompute}, ring{kind: ipDMA})
	q := b.x.queues[of]
	if q == nil {
		q = b.newQueue(b.x, of)
		b.x.queues[of] = q
	}
	if h.IntN(20) == 0 {
		q.proc.State = cp.New(h.gen, q.proc.Memory, q.proc.Device).State
	}
	q.proc.Trace = nil
	if h.IntN(8) == 0 {
		q.proc.Trace = q.trace
	}
	words := h.stream(rings[of.kind], pm4.Packets(h.gen))
	copy(b.at(hostileStreams), words)
	defer func() {
		if p := recover(); p != nil {
			t.Fatalf("stream %d panics: %v\n%s", i, p, debug.Stack())
		}
	}()
	watch := time.AfterFunc(20*time.Second, func() {
		buf := make([]byte, 1<<16)
		panic(fmt.Sprintf("stream %d does not end:\n%s", i, buf[:runtime.Stack(buf, true)]))
	})
	defer watch.Stop()
	j := &job{mem: b.VM.Begin(), ibs: []indirectBuffer{{va: hostileStreams, bytes: uint32(4 * len(words))}}}
	defer b.VM.End(j.mem)
	if err = q.job(j); err != nil && strings.Contains(err.Error(), "%!") {
		t.Errorf("stream %d: %v", i, err)
	}
	return err
}
