package cp

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/heddle-gpu/heddle/internal/gpu/amdgpu/pm4"
)

// Memory is the virtual address space of one client. An access may cross mappings.
type Memory interface {
	Read(va uint64, p []byte) error
	Write(va uint64, p []byte) error
}

// A Swapper is Memory whose atomic operations are atomic for all that access it. Without it, atomic packets read and
// then write.
type Swapper interface {
	// CompareAndSwap writes new to the size bytes at va, 4 or 8, if they are old, and reports whether it did.
	CompareAndSwap(va uint64, size int, old, new uint64) (bool, error)
}

// A Sampler is a Device that has counters: it writes those of an event to memory. Without it the events are not built.
type Sampler interface {
	// Sample handles ZPASS_DONE, SAMPLE_PIPELINESTAT, SAMPLE_STREAMOUTSTATS and its numbered forms, PIXEL_PIPE_STAT_DUMP.
	Sample(ctx context.Context, s *State, event string, va uint64) error
}

// An Interrupter is a Device whose program waits for interrupts of DMA rings. Without it a TRAP has no effect.
type Interrupter interface {
	Interrupt(id uint32)
}

// A Device executes what is not memory, registers or the flow of the stream. It must not keep the State.
type Device interface {
	Dispatch(ctx context.Context, s *State, d Dispatch) error
	Draw(ctx context.Context, s *State, d Draw) error
	Now() uint64 // the device's clock, in ticks
}

// Limits on a run.
const (
	mostDepth   = 1       // an indirect buffer of the submission may call others, which call none
	mostBuffers = 1 << 20 // indirect buffers that are called or chained
	mostDwords  = 1 << 30 // of all buffers

	mostInBuffer = 1<<20 - 1 // dwords, as INDIRECT_BUFFER counts them
)

// A Processor is the command processor as one queue of a client sees it: its registers stay from one run to the next.
// It must not be used by two goroutines at once.
type Processor struct {
	Memory Memory
	Device Device
	State  *State
	// Trace, if set, is called before each packet is executed, also before those that a false predicate skips. The
	// packet's body is valid during the call only.
	Trace func(depth int, p pm4.Packet)
	// Packets counts packets, also those that a false predicate skips.
	Packets uint64
	// GDS, if set, is the global data share, by its own addresses. Without it packets that access it are not built.
	GDS Memory
	// RenderBackends is how many pairs of counters the results of occlusion queries have; 0 if there are no such queries.
	RenderBackends int

	rows  *rowTable
	bytes []byte
	words [mostDepth + 1][]uint32
}

// New returns a processor of a generation, 6, 7 or 8, with the registers that the kernel starts a device with.
func New(gen int, m Memory, d Device) *Processor {
	p := &Processor{Memory: m, Device: d, State: &State{Gen: gen, Instances: 1, predicate: true}, rows: rowsOf(gen)}
	p.State.clearState()
	p.State.Set(gfxIndex(gen), allEngines)
	return p
}

// A run executes one indirect buffer of a submission, and those that it calls.
type run struct {
	*Processor
	ctx     context.Context
	ring    Ring
	depth   int
	ib      uint64 // address of the buffer
	packet  pm4.Packet
	skip    uint64 // dwords to skip after the packet
	jump    bool   // the rest of the buffer is replaced by
	next    buffer
	buffers int
	dwords  uint64
	values  [maxParts]uint64
}

// A buffer is an indirect buffer.
type buffer struct {
	va     uint64
	dwords uint32
}

// Run executes the indirect buffer of so many dwords at an address. Errors are of type *Fault, or the context's.
func (p *Processor) Run(ctx context.Context, ring Ring, va uint64, dwords uint32) error {
	r := &run{Processor: p, ctx: ctx, ring: ring}
	if err := checkSize(dwords); err != nil {
		return r.fault(va, err)
	}
	return r.execute(buffer{va, dwords})
}

// RunRing is Run for a part of a ring, which may be longer than an indirect buffer.
func (p *Processor) RunRing(ctx context.Context, ring Ring, va uint64, dwords uint32) error {
	r := &run{Processor: p, ctx: ctx, ring: ring}
	return r.execute(buffer{va, dwords})
}

// checkSize returns an error for more dwords than an indirect buffer can have.
func checkSize(dwords uint32) error {
	if dwords > mostInBuffer {
		return fmt.Errorf("an indirect buffer of %d dwords; its size has 20 bits", dwords)
	}
	return nil
}

// execute executes a buffer and what it chains to.
func (r *run) execute(b buffer) error {
	for {
		r.ib, r.jump = b.va, false
		if r.buffers++; r.buffers > mostBuffers {
			return r.fault(b.va, fmt.Errorf("more than %d indirect buffers in one submission: an endless loop?", mostBuffers))
		}
		words, err := r.fetch(b)
		if err != nil {
			return r.fault(b.va, err)
		}
		if err := r.packets(words, b); err != nil {
			return err
		}
		if !r.jump {
			return nil
		}
		b = r.next
	}
}

// fetch reads a buffer.
func (r *run) fetch(b buffer) ([]uint32, error) {
	if b.va&3 != 0 {
		return nil, errors.New("the address of the indirect buffer is not a multiple of 4")
	}
	if r.dwords += uint64(b.dwords); r.dwords > mostDwords {
		return nil, fmt.Errorf("more than %d dwords in one submission: an endless loop?", mostDwords)
	}
	n := int(b.dwords)
	if cap(r.bytes) < 4*n {
		r.bytes = make([]byte, 4*n)
	}
	if err := r.Memory.Read(b.va, r.bytes[:4*n]); err != nil {
		return nil, fmt.Errorf("reading the indirect buffer of %d dwords: %w", n, err)
	}
	words := r.Processor.words[r.depth]
	if cap(words) < n {
		words = make([]uint32, n)
	}
	words = words[:n]
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(r.bytes[4*i:])
	}
	r.Processor.words[r.depth] = words
	return words, nil
}

// packets executes the packets of a buffer.
func (r *run) packets(words []uint32, b buffer) error {
	next := pm4.Next
	if r.ring == DMA {
		next = pm4.NextDMA
	}
	for i := 0; i < len(words) && !r.jump; {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		at := b.va + uint64(i)*4
		p, err := next(r.State.Gen, words[i:], at)
		if err != nil {
			var syntax *pm4.SyntaxError
			if errors.As(err, &syntax) {
				syntax.Word = i
			}
			return r.fault(at, err)
		}
		r.packet, r.skip = p, 0
		r.Packets++
		if r.Trace != nil {
			r.Trace(r.depth, p)
		}
		if err := r.one(); err != nil {
			return r.packetFault(b, p, err)
		}
		i += p.Size()
		if r.skip > uint64(len(words)-i) {
			return r.packetFault(b, p, fmt.Errorf("it skips %d dwords, and %d are left", r.skip, len(words)-i))
		}
		i += int(r.skip)
	}
	return nil
}

// fault returns an error at an address.
func (r *run) fault(at uint64, err error) error {
	return &Fault{Ring: r.ring, IB: r.ib, At: at, Depth: r.depth, Err: err}
}

// packetFault returns an error of a packet. Errors of called buffers, and the context's, are passed on as they are.
func (r *run) packetFault(b buffer, p pm4.Packet, err error) error {
	var inner *Fault
	if errors.As(err, &inner) || r.ctx.Err() != nil && errors.Is(err, r.ctx.Err()) {
		return err
	}
	return &Fault{Ring: r.ring, IB: b.va, At: p.Addr, Depth: r.depth, Packet: textOf(r.State.Gen, p), Err: err}
}

// one executes the packet.
func (r *run) one() error {
	p := &r.packet
	switch {
	case p.Type == pm4.Type2:
		return nil
	case p.Type == pm4.Type0:
		return r.setRegisters(p.Register(), p.Body)
	case p.Predicate && !r.State.predicate:
		return nil
	case p.Def == nil && p.Name[:4] == "PKT3":
		return fmt.Errorf("gfx%d has no packet with opcode %#02x", r.State.Gen, p.Op)
	case p.Def == nil:
		return fmt.Errorf("a body of %d words does not fit", len(p.Body))
	}
	w, ok := r.rows.of[p.Def]
	if !ok {
		return &NotBuilt{p.Name}
	}
	if w.graphics && r.ring != Graphics {
		return fmt.Errorf("the %s ring has no %s", r.ring, p.Name)
	}
	if word, bits := p.Def.Undescribed(p.Body); bits != 0 {
		return &NotBuilt{fmt.Sprintf("what bits %#x of word %d mean", bits, word)}
	}
	for _, part := range w.zeros {
		if v := part.Get(p.Body); v != 0 {
			return &NotBuilt{fmt.Sprintf("%s with %s=%#x", p.Name, part.Name, v)}
		}
	}
	for i, part := range w.parts {
		r.values[i] = part.Get(p.Body)
	}
	return w.run(r, r.values[:len(w.parts)])
}

// call executes another buffer, in the place of the rest of this one if it is chained.
func (r *run) call(b buffer, chain bool) error {
	if chain {
		r.next, r.jump = b, true
		return nil
	}
	if r.depth == mostDepth {
		return fmt.Errorf("an indirect buffer that was called calls another: they nest %d deep", mostDepth+1)
	}
	if b.dwords == 0 {
		return nil
	}
	ib := r.ib
	r.depth++
	err := r.execute(b)
	r.depth--
	r.ib, r.jump, r.skip = ib, false, 0
	return err
}
