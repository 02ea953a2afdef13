//go:build linux && amd64

package amdgpu

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/heddle-gpu/heddle/internal/gpu/amdgpu/cp"
	"github.com/heddle-gpu/heddle/internal/gpu/amdgpu/pm4"
	"github.com/heddle-gpu/heddle/internal/gpu/drm"
)

// A queue executes the jobs of a context for a ring, one after another.
type queue struct {
	executor
	x    *gpuContext
	ring ring
	proc *cp.Processor
	jobs chan *job

	mu     sync.Mutex
	seq    uint64                // of the last job
	fences map[uint64]*drm.Fence // of jobs that may not have ended
	oldest uint64                // all before it have ended
}

// mostQueued limits the jobs of a queue that wait. A program that submits more waits itself.
const mostQueued = 1024

// rings of package cp by kind.
var rings = [...]cp.Ring{ipGraphics: cp.Graphics, ipCompute: cp.Compute, ipDMA: cp.DMA}

// enqueue gives a job to its queue, which starts if it is new, and returns its number.
func (c *client) enqueue(x *gpuContext, j *job) (uint64, error) {
	r := j.ibs[0].ring
	if r.kind > ipDMA || r.instance != 0 || r.index > 3 {
		return 0, unix.EINVAL
	}
	x.mu.Lock()
	q := x.queues[r]
	if q == nil {
		if q = c.newQueue(x, r); q != nil {
			x.queues[r] = q
		}
	}
	x.mu.Unlock()
	if q == nil {
		return 0, unix.ENOMEM
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.jobs) == cap(q.jobs) {
		return 0, unix.EAGAIN
	}
	q.seq++
	j.seq = q.seq
	q.fences[j.seq] = j.fence
	for ; q.oldest <= q.seq && (q.fences[q.oldest] == nil || q.fences[q.oldest].Signalled()); q.oldest++ {
		delete(q.fences, q.oldest)
	}
	for _, set := range j.out {
		set(j.fence)
	}
	if j.user != nil {
		j.user.Retain()
	}
	j.mem = c.VM.Begin() // programs may unmap what a job uses as soon as it is submitted
	q.jobs <- j
	return j.seq, nil
}

// newQueue starts a queue; nil if there are too many.
func (c *client) newQueue(x *gpuContext, r ring) *queue {
	c.running.mu.Lock()
	defer c.running.mu.Unlock()
	if len(c.running.queues) >= mostQueues {
		return nil
	}
	q := &queue{executor: executor{c: c, share: c.gds}, x: x, ring: r, jobs: make(chan *job, mostQueued), fences: map[uint64]*drm.Fence{}, oldest: 1}
	q.proc = cp.New(c.d.chip.Gen, &q.executor, &q.executor)
	q.proc.GDS, q.proc.RenderBackends = &drm.Memory{Space: c.gds}, c.d.chip.RBs*c.d.chip.Engines
	if c.d.opt.Trace != nil {
		q.proc.Trace = q.trace
	}
	c.running.queues[q] = true
	c.work.Go(q.run)
	return q
}

// close ends the queues of a context when they have executed what was submitted.
func (x *gpuContext) close() {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, q := range x.queues {
		close(q.jobs)
	}
}

// lost reports whether work of the context has failed.
func (x *gpuContext) lost() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.guilty
}

// latest stands for the last job of a queue where a number is asked for.
const latest = ^uint64(0)

// fenceOf returns the fence of a job; nil if it has ended long ago, or if there is no job.
func (x *gpuContext) fenceOf(r ring, seq uint64) (*drm.Fence, error) {
	x.mu.Lock()
	q := x.queues[r]
	x.mu.Unlock()
	if q == nil {
		if seq == 0 || seq == latest {
			return nil, nil
		}
		return nil, unix.EINVAL
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if seq == latest {
		seq = q.seq
	}
	if seq > q.seq {
		return nil, unix.EINVAL
	}
	return q.fences[seq], nil
}

// pending returns the fences of all jobs of the file that have not ended.
func (c *client) pending() (list []*drm.Fence) {
	c.running.mu.Lock()
	defer c.running.mu.Unlock()
	for q := range c.running.queues {
		q.mu.Lock()
		for _, f := range q.fences {
			if !f.Signalled() {
				list = append(list, f)
			}
		}
		q.mu.Unlock()
	}
	return list
}

// run executes jobs until the queue is closed.
func (q *queue) run() {
	for j := range q.jobs {
		q.finish(j, q.job(j))
	}
	q.c.running.mu.Lock()
	defer q.c.running.mu.Unlock()
	delete(q.c.running.queues, q)
}

// job executes a job when what it waits for has ended.
func (q *queue) job(j *job) error {
	for _, f := range j.waits {
		select {
		case <-f.Done():
		case <-q.c.ctx.Done():
			return unix.ECANCELED
		}
	}
	if q.x.lost() || q.c.ctx.Err() != nil {
		return unix.ECANCELED
	}
	ctx := q.c.ctx
	if limit := q.c.d.opt.Hang; limit > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, limit)
		defer stop()
	}
	q.mem, q.share = j.mem, q.c.gds
	if j.share != nil {
		q.share = j.share
	}
	q.proc.GDS = &drm.Memory{Space: q.share}
	q.c.d.Stats.Submissions.Add(1)
	for _, b := range j.ibs {
		before := q.proc.Packets
		err := q.proc.Run(ctx, rings[q.ring.kind], b.va, b.bytes/4)
		q.c.d.Stats.Packets.Add(q.proc.Packets - before)
		if err != nil {
			return err
		}
	}
	return nil
}

// finish tells the end of a job: memory first, what programs wait for last.
func (q *queue) finish(j *job, err error) {
	if err != nil && q.c.ctx.Err() == nil && !errors.Is(err, unix.ECANCELED) {
		q.fail(err)
	}
	q.c.VM.End(j.mem)
	j.give()
	if j.user != nil {
		binary.LittleEndian.PutUint64(j.user.Bytes()[j.at:], j.seq)
		j.user.Release()
	}
	j.fence.Signal(err)
}

// fail reports an error of a job. The context is lost.
func (q *queue) fail(err error) {
	d := q.c.d
	d.Stats.Faults.Add(1)
	q.x.mu.Lock()
	q.x.guilty = true
	q.x.mu.Unlock()
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("hang: a submission has not ended after %v (see --hang): %w", d.opt.Hang, err)
	}
	q.c.Log("open %d, context %d: %v; the context is lost", q.c.Number, q.x.id, err)
}

// trace writes a packet to the trace.
func (q *queue) trace(depth int, p pm4.Packet) {
	q.c.d.tracePacket(fmt.Sprintf("%d.%d %v%d", q.c.Number, q.x.id, rings[q.ring.kind], q.ring.index), depth, p)
}

// tracePacket writes a packet of a queue to the trace.
func (d *Driver) tracePacket(queue string, depth int, p pm4.Packet) {
	d.traceMu.Lock()
	defer d.traceMu.Unlock()
	for i, line := range pm4.Describe(d.chip.Gen, p) {
		indent := 2 * depth
		if i > 0 {
			indent += 4
		}
		fmt.Fprintf(d.opt.Trace, "%s %#010x %*s%s\n", queue, p.Addr, indent, "", line)
	}
}
