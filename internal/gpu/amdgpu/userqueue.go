//go:build linux && amd64

package amdgpu

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/heddle-gpu/heddle/internal/gpu/amdgpu/cp"
	"github.com/heddle-gpu/heddle/internal/gpu/amdgpu/pm4"
	"github.com/heddle-gpu/heddle/internal/gpu/drm"
	"github.com/heddle-gpu/heddle/mem"
)

// Types of queues.
const (
	typePM4 = iota
	typeDMA
	typeAQL
	typeDMAXGMI
)

// A userQueue is a queue in memory of the program, which writes packets and then a write pointer, without a request.
type userQueue struct {
	executor
	k          *kfd
	id         uint32
	kind       uint32
	ring, size uint64 // address and bytes
	read       word64 // pointers in memory
	written    word64
	queue      uint64 // address of the amd_queue_t of an AQL queue
	proc       *cp.Processor

	ctx   context.Context
	stop  context.CancelFunc
	ended chan struct{}
	kick  chan struct{}
	busy  atomic.Bool
	off   atomic.Bool   // the program has suspended it
	done  atomic.Uint64 // packets of an AQL queue, or the place in the ring
}

// A word64 is a word of memory that stays until release.
type word64 struct {
	b    *drm.Buffer
	word []byte
}

// pin returns the word at an address.
func (k *kfd) pin(va uint64) (w word64, err error) {
	m := k.file.VM.Begin()
	defer k.file.VM.End(m)
	in, ok := m.Find(va)
	if !ok || in.Buffer == nil || va%8 != 0 {
		return w, unix.EFAULT
	}
	in.Buffer.Retain()
	return word64{in.Buffer, in.Buffer.Bytes()[in.Off+va-in.VA:][:8]}, nil
}

func (w word64) release() {
	if w.b != nil {
		w.b.Release()
	}
}

type createQueueArgs struct {
	ring, written, read, doorbell uint64
	size, gpuID, kind, percent    uint32
	priority, id                  uint32
	_                             [4]uint64 // buffers of the hardware
}

// Limits of queues.
const (
	mostUserQueues = 1024
	leastRing      = 1 << 10
	mostRing       = 1 << 32 / 2
	mostDMARing    = 64 << 20 // what is pending is read at once
	mostPercent    = 100
	mostPriority   = 15
)

func createQueue(k *kfd, c *drm.Call) error {
	a := drm.Args[createQueueArgs](c)
	switch {
	case a.gpuID != k.d.gpuID() || a.size < leastRing || a.size > mostRing || a.size&(a.size-1) != 0 || a.ring%256 != 0 || a.percent > mostPercent || a.priority > mostPriority:
		return unix.EINVAL
	case k.file == nil:
		return unix.ENODEV
	case a.kind != typeAQL && a.kind != typeDMA:
		k.Once("%s: CREATE_QUEUE of type %d is not built: AQL and SDMA queues are", kfdPath, a.kind)
		return unix.EINVAL
	case a.kind == typeDMA && a.size > mostDMARing:
		k.Once("%s: CREATE_QUEUE: an SDMA ring of more than %d MiB is not built", kfdPath, mostDMARing>>20)
		return unix.EINVAL
	}
	id := uint32(0)
	for id < mostUserQueues && k.queues[id] != nil {
		id++
	}
	if id == mostUserQueues {
		return unix.ENOSPC
	}
	doorbells, err := k.doorbells()
	if err != nil {
		return err
	}
	q := &userQueue{executor: executor{c: k.c, share: k.c.gds}, k: k, id: id, kind: a.kind, ring: a.ring, size: uint64(a.size), ended: make(chan struct{}), kick: make(chan struct{}, 1)}
	if q.read, err = k.pin(a.read); err != nil {
		return err
	}
	if q.written, err = k.pin(a.written); err != nil {
		q.read.release()
		return err
	}
	q.start(a)
	k.queues[id] = q
	a.id, a.doorbell = id, doorbells.Off
	return nil
}

// readOffset is where an amd_queue_t has its read pointer.
const readOffset = 128

// start starts the queue.
func (q *userQueue) start(a *createQueueArgs) {
	q.queue = a.read - readOffset
	q.done.Store(mem.Load(q.read.word))
	q.off.Store(a.percent == 0)
	q.proc = cp.New(q.c.d.chip.Gen, &q.executor, userDevice{&q.executor, q.k})
	q.proc.RenderBackends = q.c.d.chip.RBs * q.c.d.chip.Engines
	q.proc.Trace = func(depth int, p pm4.Packet) {
		q.mem.Renew() // packets may wait for the program, and signal it
		if q.c.d.opt.Trace != nil {
			q.c.d.tracePacket(q.name(), depth, p)
		}
	}
	q.ctx, q.stop = context.WithCancel(q.k.ctx)
	q.k.work.Go(func() {
		defer close(q.ended)
		q.run()
	})
	q.k.polling.add(q)
}

// name is the queue's for messages and the trace: numbers of the open file and of the queue.
func (q *userQueue) name() string {
	kind := "AQL"
	if q.kind == typeDMA {
		kind = "DMA"
	}
	return fmt.Sprintf("kfd%d.%d %s", q.k.number, q.id, kind)
}

// A userDevice is the device of the streams of user queues.
type userDevice struct {
	*executor
	k *kfd
}

// Interrupt implements cp.Interrupter.
func (u userDevice) Interrupt(id uint32) { u.k.interrupt(id) }

type updateQueueArgs struct {
	ring                        uint64
	id, size, percent, priority uint32
}

// updateQueue suspends or resumes a queue. Its ring stays where it is.
func updateQueue(k *kfd, c *drm.Call) error {
	a := drm.Args[updateQueueArgs](c)
	q := k.queues[a.id]
	switch {
	case q == nil || a.percent > mostPercent || a.priority > mostPriority:
		return unix.EINVAL
	case a.percent != 0 && (a.ring != q.ring || uint64(a.size) != q.size):
		k.Once("%s: UPDATE_QUEUE: another ring is not built", kfdPath)
		return unix.EINVAL
	}
	q.off.Store(a.percent == 0)
	return nil
}

// setCUMask accepts which units a queue may use: all work is done, wherever it is.
func setCUMask(k *kfd, c *drm.Call) error {
	a := drm.Args[struct {
		id, n uint32
		mask  uint64
	}](c)
	if k.queues[a.id] == nil || a.n == 0 || a.n%32 != 0 {
		return unix.EINVAL
	}
	return nil
}

// destroyQueue answers when the queue's work has ended.
func destroyQueue(k *kfd, c *drm.Call) error {
	id := *drm.Args[uint32](c)
	q := k.queues[id]
	if q == nil {
		return unix.EINVAL
	}
	delete(k.queues, id)
	q.stop()
	k.work.Go(func() {
		q.release()
		c.Done(nil)
	})
	return drm.Later
}

// release waits for the end of a queue that was stopped, and frees what it has.
func (q *userQueue) release() {
	q.k.polling.remove(q)
	<-q.ended
	q.read.release()
	q.written.release()
}

// pending reports whether the program has written packets that were not executed.
func (q *userQueue) pending() bool {
	w := mem.Load(q.written.word)
	if q.kind == typeDMA {
		return uint64(uint32(w))%q.size != q.done.Load()%q.size
	}
	return int64(w-q.done.Load()) > 0
}

// run executes packets until the queue ends or has failed.
func (q *userQueue) run() {
	for {
		select {
		case <-q.kick:
		case <-q.ctx.Done():
			return
		}
		q.busy.Store(true)
		err := q.drain()
		q.busy.Store(false)
		if err != nil {
			q.k.polling.remove(q) // nothing will be executed any more
			q.fail(err)
			return
		}
	}
}

// afterDrain is how long a queue looks for more packets when it has executed all.
const afterDrain = 30 * time.Microsecond

// drain executes what is pending.
func (q *userQueue) drain() error {
	q.c.d.Stats.Submissions.Add(1)
	for last := time.Now(); q.ctx.Err() == nil; {
		if q.off.Load() || !q.pending() {
			if time.Since(last) > afterDrain {
				return nil
			}
			runtime.Gosched()
			continue
		}
		step := q.packet
		if q.kind == typeDMA {
			step = q.transfer
		}
		if err := step(); err != nil {
			return err
		}
		last = time.Now()
	}
	return nil
}

// limited returns the context of a piece of work.
func (q *userQueue) limited() (context.Context, context.CancelFunc) {
	if limit := q.c.d.opt.Hang; limit > 0 {
		return context.WithTimeout(q.ctx, limit)
	}
	return q.ctx, func() {}
}

// transfer executes the packets of an SDMA queue: up to the end of its ring at most. One that waits for memory may wait
// for ever, for a program that has not written it yet.
func (q *userQueue) transfer() error {
	from, to := q.done.Load()%q.size, uint64(uint32(mem.Load(q.written.word)))%q.size
	if to < from {
		to = q.size
	}
	if (to-from)%4 != 0 {
		return fmt.Errorf("its write pointer %#x is not a multiple of 4", to)
	}
	q.mem = q.c.VM.Begin()
	defer q.c.VM.End(q.mem)
	before := q.proc.Packets
	err := q.proc.RunRing(q.ctx, cp.DMA, q.ring+from, uint32((to-from)/4))
	q.c.d.Stats.Packets.Add(q.proc.Packets - before)
	if err != nil {
		return err
	}
	q.done.Store(to % q.size)
	mem.Store(q.read.word, to%q.size)
	return nil
}

// A poller looks at the write pointers of the queues of a file, and wakes those that have packets. The longer nothing
// is written, the seldomer it looks, so that idle queues cost little.
type poller struct {
	k       *kfd
	now     chan struct{}
	mu      sync.Mutex
	queues  map[*userQueue]bool
	running bool
}

func newPoller(k *kfd) *poller {
	return &poller{k: k, now: make(chan struct{}, 1), queues: map[*userQueue]bool{}}
}

// wake makes the poller look now.
func (p *poller) wake() {
	select {
	case p.now <- struct{}{}:
	default:
	}
}

func (p *poller) add(q *userQueue) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.queues[q] = true
	if !p.running {
		p.running = true
		p.k.work.Go(p.run)
	}
}

func (p *poller) remove(q *userQueue) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.queues, q)
}

// look wakes queues that have packets; none: there are no queues any more, and the poller ends.
func (p *poller) look() (woken, none bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for q := range p.queues {
		if !q.busy.Load() && !q.off.Load() && q.pending() {
			woken = true
			select {
			case q.kick <- struct{}{}:
			default:
			}
		}
	}
	none = len(p.queues) == 0
	p.running = !none
	return woken, none
}

// Times between looks: the first is for programs that write packets all the time.
const (
	firstLook = 20 * time.Microsecond
	lastLook  = 25 * time.Millisecond
	perLook   = 200 // the time since the last packet is so many times as long
)

func (p *poller) run() {
	last := time.Now()
	t := time.NewTimer(firstLook)
	defer t.Stop()
	for {
		woken, none := p.look()
		if none {
			return
		}
		if woken {
			last = time.Now()
		}
		t.Reset(min(max(time.Since(last)/perLook, firstLook), lastLook))
		select {
		case <-p.now:
			last = time.Now()
		case <-t.C:
		case <-p.k.ctx.Done():
			return
		}
	}
}
