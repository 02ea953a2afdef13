//go:build linux && amd64

package amdgpu

import (
	"golang.org/x/sys/unix"

	"github.com/heddle-gpu/heddle/internal/gpu/drm"
)

type waitArgs struct {
	seq, timeout uint64
	ring         ring
	context      uint32
}

// waitCS waits for a job.
func waitCS(c *client, call *drm.Call) error {
	a := *drm.Args[waitArgs](call)
	x := c.context(a.context)
	if x == nil {
		return unix.EINVAL
	}
	f, err := x.fenceOf(a.ring, a.seq)
	if err != nil {
		return err
	}
	busy := drm.Args[uint64](call)
	*busy = 1
	return c.Wait(call, absolute(a.timeout), nil, func() (bool, error) {
		if f != nil && !f.Signalled() {
			return false, nil
		}
		*busy = 0
		if f != nil && f.Err() != nil {
			return true, unix.ECANCELED
		}
		return true, nil
	})
}

type fenceArgs struct {
	context uint32
	ring    ring
	seq     uint64
}

// waitFences waits for all of several jobs, or for one.
func waitFences(c *client, call *drm.Call) error {
	a := *drm.Args[struct {
		ptr     uint64
		n, all  uint32
		timeout uint64
	}](call)
	list, err := drm.Array[fenceArgs](call, a.ptr, a.n)
	if err != nil {
		return err
	}
	fences := make([]*drm.Fence, len(list))
	for i, l := range list {
		x := c.context(l.context)
		if x == nil {
			return unix.EINVAL
		}
		if fences[i], err = x.fenceOf(l.ring, l.seq); err != nil {
			return err
		}
	}
	out := drm.Args[[2]uint32](call)
	*out = [2]uint32{0, ^uint32(0)}
	return c.Wait(call, absolute(a.timeout), nil, func() (bool, error) {
		for i, f := range fences {
			ended := f == nil || f.Signalled()
			if ended && a.all == 0 {
				*out = [2]uint32{1, uint32(i)}
				return true, nil
			}
			if !ended && a.all != 0 {
				return false, nil
			}
		}
		if a.all == 0 && len(fences) > 0 {
			return false, nil
		}
		*out = [2]uint32{1, 0}
		return true, nil
	})
}

// What FENCE_TO_HANDLE returns.
const (
	toSync = iota
	toSyncFD
	toSyncFile
)

type toHandleArgs struct {
	fence   fenceArgs
	what, _ uint32
}

// fenceToHandle makes a synchronisation object that holds the fence of a job.
func fenceToHandle(c *client, call *drm.Call) error {
	a := *drm.Args[toHandleArgs](call)
	x := c.context(a.fence.context)
	if x == nil {
		return unix.EINVAL
	}
	f, err := x.fenceOf(a.fence.ring, a.fence.seq)
	if err != nil {
		return err
	}
	out := drm.Args[uint32](call)
	var fd int32
	switch a.what {
	case toSync:
		*out = c.NewSync(f)
		return nil
	case toSyncFD:
		fd, err = call.ExportSync(drm.SyncOf(f))
	case toSyncFile:
		fd, err = call.ExportFence(f)
	default:
		return unix.EINVAL
	}
	*out = uint32(fd)
	return err
}
