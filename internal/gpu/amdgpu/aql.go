//go:build linux && amd64

package amdgpu

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/heddle-gpu/heddle/internal/gpu/amdgpu/cp"
	"github.com/heddle-gpu/heddle/internal/gpu/amdgpu/pm4"
	"github.com/heddle-gpu/heddle/internal/platforms/gcn"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/mem"
	"github.com/heddle-gpu/heddle/object"
)

// Packets of AQL queues. Source: HSA Platform System Architecture Specification, 2.9; hsa.h, amd_hsa_queue.h and
// amd_hsa_signal.h of ROCm.
const (
	packetBytes = 64

	aqlInvalid    = 1
	aqlDispatch   = 2
	aqlBarrierAnd = 3
	aqlBarrierOr  = 5

	// aqlCommands stands for a command stream of 16 words, which gfx7 and gfx8 take in place of a packet: its first
	// word is the header of a packet of type 3.
	aqlCommands = 1 << 8
)

// Codes of errors of a queue, which go into its inactive signal.
const (
	codeScratch   = 1
	codeDimension = 2
	codeGroup     = 4
	codeCode      = 8
	codeFormat    = 32
	codeSize      = 64
	codeReclaim   = 512
	codeException = 0x8000_0000
)

// A queueError is an error of a packet with its code.
type queueError struct {
	code uint64
	err  error
}

func (e *queueError) Error() string { return e.err.Error() }
func (e *queueError) Unwrap() error { return e.err }

func badPacket(code uint64, format string, args ...any) error {
	return &queueError{code, fmt.Errorf(format, args...)}
}

// Fields of an amd_queue_t.
const (
	queueRing       = 140 // COMPUTE_TMPRING_SIZE
	queueScratch    = 144 // its resource
	queueFlat       = 160 // offset of scratch
	queueLane       = 176 // bytes of scratch of a lane
	queueProperties = 180
	queueInactive   = 192 // a signal
	queueBytes      = 256

	propertyProfiling = 1 << 3
	propertyOnce      = 1 << 4 // scratch is for one dispatch
)

// Fields of an amd_signal_t.
const (
	signalValue   = 8
	signalMailbox = 16
	signalEvent   = 24
	signalStart   = 32
	signalEnd     = 40
	signalBytes   = 64
)

// packet executes the next packet of an AQL queue.
func (q *userQueue) packet() error {
	n := q.done.Load()
	at := q.ring + n*packetBytes%q.size
	kind, err := q.header(at)
	if err != nil {
		return err
	}
	if q.ctx.Err() != nil {
		return nil
	}
	q.c.d.Stats.Packets.Add(1)
	done := uint64(0) // the completion signal
	var begin, end uint64
	switch kind {
	case aqlCommands:
		err = q.commands(at)
	case aqlDispatch:
		begin = q.Now()
		done, err = q.dispatch(at, n)
		end = q.Now()
	case aqlBarrierAnd, aqlBarrierOr:
		begin = q.Now()
		done, err = q.barrier(at, kind == aqlBarrierOr)
		end = q.Now()
	default:
		err = badPacket(codeFormat, "a packet of type %d", kind)
	}
	if err == nil {
		err = q.ctx.Err()
	}
	if err != nil {
		return fmt.Errorf("packet %d: %w", n, err)
	}
	return q.complete(at, n, done, begin, end)
}

// begin begins an access to memory; what it returns ends it.
func (q *userQueue) begin() func() {
	m := q.c.VM.Begin()
	q.mem = m
	return func() { q.c.VM.End(m) }
}

// wait calls state until it is true, seldomer the longer it takes.
func (q *userQueue) wait(state func() (bool, error)) error {
	for pause := 10 * time.Microsecond; ; pause = min(2*pause, time.Millisecond) {
		end := q.begin()
		done, err := state()
		end()
		if done || err != nil {
			return err
		}
		select {
		case <-q.ctx.Done():
			return nil
		case <-time.After(pause):
		}
	}
}

// header waits until a packet is valid, and returns its type.
func (q *userQueue) header(at uint64) (kind uint, err error) {
	err = q.wait(func() (bool, error) {
		b, err := q.word(at, 4)
		if err != nil {
			return false, err
		}
		w := mem.Load(b)
		if kind = uint(w & 0xff); w>>30 == pm4.Type3 {
			kind = aqlCommands
		}
		return kind != aqlInvalid, nil
	})
	return kind, err
}

// body reads a packet.
func (q *userQueue) body(at uint64) (p [packetBytes]byte, err error) {
	defer q.begin()()
	err = q.Read(at, p[:])
	return p, err
}

// complete ends a packet: its place in the ring is free, and then its signal counts down.
func (q *userQueue) complete(at, n, signal, begin, end uint64) error {
	defer q.begin()()
	b, err := q.word(at, 4)
	if err != nil {
		return err
	}
	mem.Store(b, mem.Load(b)&^0xffff|aqlInvalid)
	q.done.Store(n + 1)
	mem.Store(q.read.word, n+1)
	if signal == 0 {
		return nil
	}
	if q.property(propertyProfiling) {
		var times [16]byte
		binary.LittleEndian.PutUint64(times[:], begin)
		binary.LittleEndian.PutUint64(times[8:], end)
		if err := q.Write(signal+signalStart, times[:]); err != nil {
			return err
		}
	}
	return q.signal(signal, func(b []byte) { mem.Atomic(b, mem.Add, ^uint64(0), 0) })
}

// signal changes the value of a signal and sets its event.
func (q *userQueue) signal(at uint64, change func(value []byte)) error {
	b, err := q.word(at+signalValue, 8)
	if err != nil {
		return fmt.Errorf("the signal at %#x: %w", at, err)
	}
	var rest [signalBytes]byte
	if err := q.Read(at, rest[:]); err != nil {
		return fmt.Errorf("the signal at %#x: %w", at, err)
	}
	change(b)
	mailbox, id := binary.LittleEndian.Uint64(rest[signalMailbox:]), binary.LittleEndian.Uint32(rest[signalEvent:])
	if mailbox == 0 {
		return nil
	}
	if err := q.Write(mailbox, binary.LittleEndian.AppendUint64(nil, uint64(id))); err != nil {
		return fmt.Errorf("the mailbox of the signal at %#x: %w", at, err)
	}
	q.k.interrupt(id)
	return nil
}

// property reports whether the amd_queue_t has a property.
func (q *userQueue) property(bit uint32) bool {
	var b [4]byte
	return q.Read(q.queue+queueProperties, b[:]) == nil && binary.LittleEndian.Uint32(b[:])&bit != 0
}

// barrier waits for signals.
func (q *userQueue) barrier(at uint64, any bool) (done uint64, err error) {
	p, err := q.body(at)
	if err != nil {
		return 0, err
	}
	var list []uint64
	for i := range 5 {
		if s := binary.LittleEndian.Uint64(p[8+8*i:]); s != 0 {
			list = append(list, s)
		}
	}
	name := "BARRIER_AND"
	if any {
		name = "BARRIER_OR"
	}
	done = binary.LittleEndian.Uint64(p[56:])
	q.trace(at, "%s signals=%#x completion=%#x", name, list, done)
	return done, q.wait(func() (bool, error) {
		for _, s := range list {
			b, err := q.word(s+signalValue, 8)
			if err != nil {
				return false, fmt.Errorf("the signal at %#x: %w", s, err)
			}
			if zero := mem.Load(b) == 0; zero == any {
				return zero, nil
			}
		}
		return !any || len(list) == 0, nil
	})
}

// trace writes a packet to the trace.
func (q *userQueue) trace(at uint64, format string, args ...any) {
	d := q.c.d
	if d.opt.Trace == nil {
		return
	}
	d.traceMu.Lock()
	defer d.traceMu.Unlock()
	fmt.Fprintf(d.opt.Trace, "%s %#010x   %s\n", q.name(), at, fmt.Sprintf(format, args...))
}

// indexAQL is the index of the event by which RELEASE_MEM frees the packet that it is in.
const indexAQL = 7

// commands executes the command stream in a packet. The RELEASE_MEM that ends it frees the packet, as complete does.
func (q *userQueue) commands(at uint64) error {
	defer q.begin()()
	var b [packetBytes]byte
	if err := q.Read(at, b[:]); err != nil {
		return err
	}
	words := make([]uint32, packetBytes/4)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	n := len(words)
	for p, err := range pm4.Parse(q.c.d.chip.Gen, words, at) {
		if err != nil {
			return &queueError{codeFormat, err}
		}
		if p.Name == "RELEASE_MEM" && p.Part("index") == indexAQL {
			n = int(p.Addr-at) / 4
			break
		}
	}
	ctx, stop := q.limited()
	defer stop()
	return q.proc.Run(ctx, cp.Compute, at, uint32(n))
}

// A aqlKernel is a kernel dispatch packet.
type aqlKernel struct {
	block          [3]uint32
	grid           [3]uint32
	private, group uint32
	code, args     uint64
	done           uint64
}

func readKernel(p []byte) (k aqlKernel) {
	le := binary.LittleEndian
	dims := le.Uint16(p[2:]) & 3
	for i := range 3 {
		k.block[i], k.grid[i] = uint32(le.Uint16(p[4+2*i:])), le.Uint32(p[12+4*i:])
		if i >= int(dims) {
			k.block[i], k.grid[i] = max(k.block[i], 1), max(k.grid[i], 1)
		}
	}
	k.private, k.group, k.code, k.args, k.done = le.Uint32(p[24:]), le.Uint32(p[28:]), le.Uint64(p[32:]), le.Uint64(p[40:]), le.Uint64(p[56:])
	return k
}

// Limits of a dispatch.
const (
	mostItems = 1024
	mostLDS   = 64 << 10
	ldsUnit   = 512 // of LDS_SIZE in COMPUTE_PGM_RSRC2, on gfx7 and gfx8
	ldsShift  = 15
	ldsMask   = 0x1ff << ldsShift
)

// check returns an error if hardware would not start the kernel.
func (k *aqlKernel) check() error {
	items := uint64(1)
	for i := range 3 {
		items *= uint64(k.block[i])
		if k.grid[i] == 0 {
			return badPacket(codeDimension, "a grid of %v work-items", k.grid)
		}
	}
	switch {
	case items == 0:
		return badPacket(codeDimension, "groups of %v work-items", k.block)
	case items > mostItems:
		return badPacket(codeSize, "groups of %v have more than %d work-items", k.block, mostItems)
	case k.group > mostLDS:
		return badPacket(codeGroup, "%d bytes of LDS of a group; there are %d", k.group, mostLDS)
	case k.code == 0:
		return badPacket(codeCode, "no kernel: its address is 0")
	}
	return nil
}

// dispatch executes a kernel dispatch packet.
func (q *userQueue) dispatch(at, n uint64) (done uint64, err error) {
	p, err := q.body(at)
	if err != nil {
		return 0, err
	}
	k := readKernel(p[:])
	q.trace(at, "KERNEL_DISPATCH grid=%v block=%v kernel=%#x args=%#x private=%d group=%d completion=%#x", k.grid, k.block, k.code, k.args, k.private, k.group, k.done)
	if err := k.check(); err != nil {
		return 0, err
	}
	queue, err := q.scratch(&k)
	if err != nil || q.ctx.Err() != nil {
		return 0, err
	}
	if err := q.kernel(&k, queue, at, n); err != nil {
		return 0, err
	}
	if binary.LittleEndian.Uint32(queue[queueProperties:])&propertyOnce != 0 && k.private != 0 {
		return k.done, q.ask(codeReclaim)
	}
	return k.done, nil
}

// scratch returns the amd_queue_t when it has enough scratch for a kernel: if it has not, the program is asked for
// more.
func (q *userQueue) scratch(k *aqlKernel) (queue []byte, err error) {
	queue = make([]byte, queueBytes)
	for q.ctx.Err() == nil {
		end := q.begin()
		err = q.Read(q.queue, queue)
		end()
		if err != nil || k.private <= binary.LittleEndian.Uint32(queue[queueLane:]) {
			return queue, err
		}
		if err := q.ask(codeScratch); err != nil {
			return nil, err
		}
	}
	return queue, nil
}

// ask stores a code in the inactive signal of the queue and waits until the program has cleared it.
func (q *userQueue) ask(code uint64) error {
	at, err := q.raise(code)
	if err != nil {
		return err
	}
	if at == 0 {
		return badPacket(code, "the queue has no signal to ask for scratch by")
	}
	gone := false
	err = q.wait(func() (bool, error) {
		b, err := q.word(at+signalValue, 8)
		if err != nil {
			return false, err
		}
		v := mem.Load(b)
		gone = v == ^uint64(0)
		return v == 0 || gone, nil
	})
	if err == nil && gone {
		err = errors.New("the program has no scratch for it")
	}
	return err
}

// raise stores a code in the inactive signal of the queue, whose address it returns, 0 if there is none.
func (q *userQueue) raise(code uint64) (at uint64, err error) {
	defer q.begin()()
	var b [8]byte
	if err := q.Read(q.queue+queueInactive, b[:]); err != nil {
		return 0, err
	}
	if at = binary.LittleEndian.Uint64(b[:]); at == 0 {
		return 0, nil
	}
	return at, q.signal(at, func(b []byte) { mem.Store(b, code) })
}

// Fields of a kernel descriptor, which older code objects have at the same places.
const (
	kernelEntry      = 16
	kernelRsrc1      = 48
	kernelRsrc2      = 52
	kernelProperties = 56
)

// kernel runs a kernel.
func (q *userQueue) kernel(k *aqlKernel, queue []byte, at, n uint64) error {
	defer q.begin()()
	var b [object.DescriptorSize]byte
	if err := q.Read(k.code, b[:]); err != nil {
		return &queueError{codeCode, fmt.Errorf("the kernel descriptor at %#x: %w", k.code, err)}
	}
	le := binary.LittleEndian
	d := &object.Descriptor{Rsrc1: le.Uint32(b[kernelRsrc1:]), Rsrc2: le.Uint32(b[kernelRsrc2:]), Properties: le.Uint16(b[kernelProperties:])}
	d.GroupCounts = uint8(d.Properties >> 7 & 7)
	initiator := uint32(0)
	if b[kernelProperties+2]&1 != 0 { // enable_ordered_append_gds
		initiator = gcn.InitOrdered
	}
	grid := launch.Cover(k.grid, k.block)
	u := &gcn.UserData{Packet: at, Queue: q.queue, Kernarg: k.args, ID: n, PrivateSegment: (k.private + 3) &^ 3, Groups: grid.Groups}
	for i := range u.Scratch {
		u.Scratch[i] = le.Uint32(queue[queueScratch+4*i:])
	}
	u.FlatScratch = [2]uint32{uint32(le.Uint64(queue[queueFlat:])), le.Uint32(queue[queueLane:])}
	l := &gcn.RegisterLaunch{Entry: k.code + le.Uint64(b[kernelEntry:]), Rsrc1: d.Rsrc1,
		Rsrc2: d.Rsrc2&^ldsMask | (k.group+ldsUnit-1)/ldsUnit<<ldsShift, User: u.Words(d), Grid: grid, GDS: q.share, Initiator: initiator}
	l.Name = fmt.Sprintf("%#x", l.Entry)
	if d.FlatScratchInit() && k.private != 0 {
		// Flat addresses of scratch are FLAT_SCRATCH, which has an offset, plus a hidden base, and launches have none.
		l.ScratchAlso = q.k.hidden.Load()
		q.mem = q.mem.Shifted(l.ScratchAlso, kfdLowest)
	}
	ctx, stop := q.limited()
	defer stop()
	return q.launch(ctx, l, le.Uint32(queue[queueRing:]))
}

// fail reports an error of the queue, which executes nothing any more: to users, and to the program as Linux would.
func (q *userQueue) fail(err error) {
	if q.ctx.Err() != nil {
		return
	}
	d := q.c.d
	d.Stats.Faults.Add(1)
	var fault *mem.Fault
	var coded *queueError
	hang := errors.Is(err, context.DeadlineExceeded)
	if hang {
		err = fmt.Errorf("hang: a dispatch has not ended after %v (see --hang): %w", d.opt.Hang, err)
	}
	q.k.Log("%s: %v; the queue is stopped", q.name(), err)
	code := uint64(codeException)
	switch {
	case hang:
		q.k.except(eventException, exceptionData{imprecise: d.gpuID()}) // reset type, cause, no memory lost, GPU
	case errors.As(err, &coded):
		code = coded.code
	case errors.As(err, &fault):
		e := exceptionData{va: fault.Addr, gpuID: d.gpuID(), notPresent: 1}
		if fault.Kind == mem.ReadOnly {
			e.notPresent, e.readOnly = 0, 1
		}
		q.k.except(eventMemory, e)
		return
	}
	if q.kind != typeAQL {
		return
	}
	if _, err := q.raise(code); err != nil {
		q.k.Log("%s: its inactive signal: %v", q.name(), err)
	}
}
