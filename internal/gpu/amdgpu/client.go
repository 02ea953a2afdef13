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
	look Watching // nil: nothing watches dispatches

	mu       sync.Mutex
	contexts map[uint32]*gpuContext
	lists    map[uint32][][2]uint32 // entries of lists of buffers: handles and priorities
	next     uint32                 // of contexts and lists

	running struct {
		mu     sync.Mutex
		queues map[*queue]bool // those of freed contexts, too
	}

	programs programs
}

// Open implements drm.Driver.
func (d *Driver) Open(f *drm.File) drm.Client {
	c := &client{File: f, d: d, contexts: map[uint32]*gpuContext{}, lists: map[uint32][][2]uint32{}, gds: gcn.NewGDS()}
	c.running.queues = map[*queue]bool{}
	if d.opt.Watch != nil {
		c.look = d.opt.Watch(f.VM.Shadow)
	}
	c.ctx, c.stop = context.WithCancel(context.Background())
	return c
}

// Close implements drm.Client.
func (c *client) Close() {
	c.stop()
	c.mu.Lock()
	for _, x := range c.contexts {
		x.close()
	}
	clear(c.contexts)
	c.mu.Unlock()
	c.work.Wait()
}

// A gpuContext is a context of a program: its queues, and whether it is lost.
type gpuContext struct {
	id uint32

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

// Limits of a file. Linux has the same of contexts.
const (
	mostContexts = 4095
	mostQueues   = 1024
)

type ctxArgs struct {
	op, _, id uint32
	_         int32 // priority
}

// Answers of ctxQuery and ctxQuery2. What fails in one context leaves the others as they are.
const (
	noReset     = 0
	guiltyReset = 1

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
		if len(c.contexts) >= mostContexts {
			return unix.ENOSPC
		}
		c.next++
		c.contexts[c.next] = &gpuContext{id: c.next, queues: map[ring]*queue{}}
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
		out[3] = x.status()
	case ctxQuery2:
		out[0] = x.flags()
	case ctxGetPState, ctxSetPState: // stable clocks: all are
	default:
		return unix.EINVAL
	}
	return nil
}

// status returns the reset status, and guilt only once.
func (x *gpuContext) status() uint32 {
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.guilty || x.told {
		return noReset
	}
	x.told = true
	return guiltyReset
}

func (x *gpuContext) flags() (f uint32) {
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
	var entries [][2]uint32
	if a.op != listDestroy {
		var err error
		if entries, err = drm.Array[[2]uint32](call, a.ptr, a.n); err != nil || a.size != listEntry {
			return unix.EINVAL
		}
		for _, e := range entries {
			if c.Buffer(e[0]) == nil {
				return unix.ENOENT
			}
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	_, there := c.lists[a.handle]
	switch {
	case a.op == listCreate:
		c.next++
		a.handle = c.next
		c.lists[a.handle] = entries
	case a.op > listUpdate:
		return unix.EINVAL
	case !there:
		return unix.ENOENT
	case a.op == listDestroy:
		delete(c.lists, a.handle)
	default:
		c.lists[a.handle] = entries
	}
	*out = [2]uint32{a.handle, 0}
	return nil
}
