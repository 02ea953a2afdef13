//go:build linux && amd64

package drm

import (
	"bytes"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/heddle-gpu/heddle/internal/gpu/host"
)

// An exportedFence is a fence as sync files stand for it: the end of one piece of work, or of several.
type exportedFence struct {
	dev   *Device
	fence *Fence   // signalled when all are
	parts []*Fence // one at least
	name  string
}

// Closed implements host.Object.
func (exportedFence) Closed() {}

// exportFence gives a program a sync file.
func exportFence(c *host.Call, e exportedFence) (fd int32, err error) {
	if e.fence.crowded() {
		return 0, unix.ENOMEM
	}
	fd, ready, err := c.ExportPolled(e)
	if err == nil {
		e.fence.after(ready)
	}
	return fd, err
}

// Requests of sync files, as linux/sync_file.h has them.
const (
	syncMerge = 0xc0303e03
	syncInfo  = 0xc0383e04
)

// Ioctl implements host.Answerer.
func (e exportedFence) Ioctl(c *host.Call) {
	err := error(unix.ENOTTY)
	switch c.Request {
	case syncMerge:
		err = e.merge(c)
	case syncInfo:
		err = e.info(c)
	}
	if err == nil {
		c.Return(0)
		return
	}
	errno, ok := err.(unix.Errno)
	if !ok {
		e.dev.Log("sync file: %v", err)
		errno = unix.EINVAL
	}
	c.Fail(errno)
}

// Structures of the requests.
type (
	syncName      [32]byte
	syncMergeArgs struct {
		name       syncName
		with, made int32 // descriptors
		flags, _   uint32
	}
	syncInfoArgs struct {
		name     syncName
		status   int32
		flags    uint32
		n, _     uint32
		statuses uint64
	}
	fenceInfo struct {
		object, driver syncName
		status         int32
		_              uint32 // flags
		_              uint64 // when it ended
	}
)

func nameOf(text string) (n syncName) {
	copy(n[:len(n)-1], text)
	return n
}

func bytesOf[T any](v *T) []byte { return unsafe.Slice((*byte)(unsafe.Pointer(v)), unsafe.Sizeof(*v)) }

// merge answers SYNC_IOC_MERGE: a sync file of what two stand for.
func (e exportedFence) merge(c *host.Call) error {
	var a syncMergeArgs
	if c.Read(c.Arg, bytesOf(&a)) != nil {
		return unix.EFAULT
	}
	other, ok := c.Exported(a.with).(exportedFence)
	switch {
	case a.flags != 0:
		return unix.EINVAL
	case !ok || other.dev != e.dev:
		return unix.ENOENT
	case e.fence.crowded() || other.fence.crowded():
		return unix.ENOMEM
	}
	text, _, _ := bytes.Cut(a.name[:len(a.name)-1], []byte{0})
	m := exportedFence{e.dev, both(e.fence, other.fence), nil, string(text)}
	for _, f := range slices.Concat(e.parts, other.parts) {
		if !slices.Contains(m.parts, f) && f.status() != 1 {
			m.parts = append(m.parts, f)
		}
	}
	if len(m.parts) > mostFences {
		return unix.ENOMEM
	}
	if m.parts == nil { // all have ended well
		m.parts = e.parts[:1]
	}
	var err error
	if a.made, err = exportFence(c, m); err != nil {
		return err
	}
	return c.Write(c.Arg, bytesOf(&a))
}

// mostFences limits the fences of a sync file.
const mostFences = 1 << 12

// info answers SYNC_IOC_FILE_INFO: the status of each fence, or with room for none how many there are.
func (e exportedFence) info(c *host.Call) error {
	var a syncInfoArgs
	if c.Read(c.Arg, bytesOf(&a)) != nil {
		return unix.EFAULT
	}
	room, driver := a.n, nameOf(e.dev.Version().Name)
	if a.flags != 0 || room != 0 && room < uint32(len(e.parts)) {
		return unix.EINVAL
	}
	a.name, a.n, a.status = nameOf(e.name), uint32(len(e.parts)), 1
	var list []byte
	for _, f := range e.parts {
		i := fenceInfo{object: driver, driver: driver, status: f.status()}
		list = append(list, bytesOf(&i)...)
		if a.status > 0 {
			a.status = i.status
		}
	}
	if room != 0 && c.Write(a.statuses, list) != nil {
		return unix.EFAULT
	}
	return c.Write(c.Arg, bytesOf(&a))
}

// status is 0 for work that has not ended, 1 for work that has, or the negated number of an error.
func (f *Fence) status() int32 {
	if !f.Signalled() {
		return 0
	}
	switch err := f.Err().(type) {
	case nil:
		return 1
	case unix.Errno:
		return -int32(err)
	}
	return -int32(unix.ETIME) // as after a reset of the device
}
