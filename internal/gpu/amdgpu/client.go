//go:build linux && amd64

package amdgpu

import (
	"context"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/heddle-gpu/heddle/internal/gpu/drm"
	"github.com/heddle-gpu/heddle/internal/platforms/gcn"
	"github.com/heddle-gpu/heddle/mem"
)

// A client is an open file of the device.
type client struct {
	*drm.File
	d    *Driver
	ctx  context.Context // ends when the file is closed
	stop context.CancelFunc
	work sync.WaitGroup // queues
	gds  *mem.Space

	mu       sync.Mutex
	contexts map[uint32]*gpuContext
	lists    map[uint32][]uint32 // handles of buffers
	next     uint32              // of contexts and lists

	programs programs
}

// Open implements drm.Driver.
func (d *Driver) Open(f *drm.File) drm.Client {
	c := &client{File: f, d: d, contexts: map[uint32]*gpuContext{}, lists: map[uint32][]uint32{}, gds: gcn.NewGDS()}
	c.ctx, c.stop = context.WithCancel(context.Background())
	return c
}

// Close implements drm.Client.
func (c *client) Close() {
	c.stop()
	c.work.Wait()
}

// A gpuContext is a context of a program: its queues, and whether it is lost.
type gpuContext struct {
	id     uint32
	resets uint32 // of the device when it was made

	mu     sync.Mutex
	queues map[ring]*queue
	guilty bool // work of it has failed
	told   bool // the program was told so
}

// Operations on contexts.
const (
	ctxAlloc = 1 + iota
	ctxFree
	ctxQuery
	ctxQuery2
	ctxGetPState
	ctxSetPState
)

type ctxArgs struct {
	op, _, id uint32
	_         int32 // priority
}

// Answers of ctxQuery and ctxQuery2.
const (
	noReset       = 0
	guiltyReset   = 1
	innocentReset = 2

	queryReset  = 1 << 0
	queryGuilty = 1 << 2
)

func ctxOp(c *client, call *drm.Call) error {
	a := *drm.Args[ctxArgs](call)
	out := drm.Args[[4]uint32](call)
	*out = [4]uint32{}
	c.mu.Lock()
	defer c.mu.Unlock()
	if a.op == ctxAlloc {
		c.next++
		c.contexts[c.next] = &gpuContext{id: c.next, resets: c.d.resets.Load(), queues: map[ring]*queue{}}
		out[0] = c.next
		return nil
	}
	x := c.contexts[a.id]
	if x == nil {
		return unix.EINVAL
	}
	switch a.op {
	case ctxFree:
		x.close()
		delete(c.contexts, a.id)
	case ctxQuery:
		out[3] = x.status(c.d)
	case ctxQuery2:
		out[0] = x.flags(c.d)
	case ctxGetPState, ctxSetPState: // stable clocks: all are
	default:
		return unix.EINVAL
	}
	return nil
}

// status returns the reset status, and guilt only once.
func (x *gpuContext) status(d *Driver) uint32 {
	x.mu.Lock()
	defer x.mu.Unlock()
	switch {
	case x.guilty && !x.told:
		x.told = true
		return guiltyReset
	case !x.guilty && x.resets != d.resets.Load():
		x.resets = d.resets.Load()
		return innocentReset
	}
	return noReset
}

func (x *gpuContext) flags(d *Driver) (f uint32) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.guilty {
		f = queryReset | queryGuilty
	}
	return f
}

// context returns the context of an id; nil if there is none.
func (c *client) context(id uint32) *gpuContext {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.contexts[id]
}

// vmOp reserves an id of the memory management unit, for debuggers: there are enough.
func vmOp(*client, *drm.Call) error { return nil }

// sched overrides priorities: there are none.
func sched(*client, *drm.Call) error { return nil }

const (
	listCreate = iota
	listDestroy
	listUpdate
)

type listArgs struct {
	op, handle, n, size uint32
	ptr                 uint64
}

func boList(c *client, call *drm.Call) error {
	a := *drm.Args[listArgs](call)
	out := drm.Args[[2]uint32](call)
	var handles []uint32
	if a.op != listDestroy {
		entries, err := drm.Array[[2]uint32](call, a.ptr, a.n)
		if err != nil || a.size != 8 {
			return unix.EINVAL
		}
		for _, e := range entries {
			if c.Buffer(e[0]) == nil {
				return unix.ENOENT
			}
			handles = append(handles, e[0])
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	_, there := c.lists[a.handle]
	switch {
	case a.op == listCreate:
		c.next++
		a.handle = c.next
		c.lists[a.handle] = handles
	case a.op > listUpdate:
		return unix.EINVAL
	case !there:
		return unix.ENOENT
	case a.op == listDestroy:
		delete(c.lists, a.handle)
	default:
		c.lists[a.handle] = handles
	}
	*out = [2]uint32{a.handle, 0}
	return nil
}
