//go:build linux && amd64

package amdgpu

import (
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/heddle-gpu/heddle/internal/gpu/drm"
	"github.com/heddle-gpu/heddle/internal/gpu/host"
	"github.com/heddle-gpu/heddle/mem"
)

// Chunks of a submission.
const (
	chunkIB             = 0x01
	chunkFence          = 0x02
	chunkDependencies   = 0x03
	chunkSyncIn         = 0x04
	chunkSyncOut        = 0x05
	chunkBuffers        = 0x06
	chunkScheduled      = 0x07
	chunkTimelineWait   = 0x08
	chunkTimelineSignal = 0x09
)

type submitArgs struct {
	context, list uint32
	chunks, _     uint32
	ptr           uint64
}

type chunkHeader struct {
	id, dwords uint32
	ptr        uint64
}

// mostChunks limits the chunks of a submission.
const mostChunks = 1024

// A ring is a queue of the hardware.
type ring struct{ kind, instance, index uint32 }

// An indirectBuffer is commands to execute.
type indirectBuffer struct {
	_, _  uint32
	va    uint64
	bytes uint32
	ring  ring
}

type dependency struct {
	ring    ring
	context uint32
	seq     uint64
}

type syncPoint struct {
	handle, _ uint32
	point     uint64
}

type userFence struct{ handle, offset uint32 }

// A job is a submission.
type job struct {
	ibs   []indirectBuffer
	waits []*drm.Fence
	out   []func(*drm.Fence) // objects that get the fence
	fence *drm.Fence
	mem   *drm.Memory // when it was submitted
	seq   uint64
	user  *drm.Buffer // of the user fence, nil: none
	at    uint64      // in it

	list    *listArgs              // in a chunk, nil: none
	granted map[uint64]*drm.Buffer // of what is listed, the buffers in the global data share, by domain
	share   *mem.Space             // that consists of them, nil: the file's
}

// submit answers CS.
func submit(c *client, call *drm.Call) error {
	a := *drm.Args[submitArgs](call)
	x := c.context(a.context)
	if x == nil || a.chunks == 0 || a.chunks > mostChunks {
		return unix.EINVAL
	}
	if x.lost() {
		return unix.ECANCELED
	}
	ptrs, err := drm.Array[uint64](call, a.ptr, a.chunks)
	if err != nil {
		return err
	}
	headers, err := drm.Gather(call, rangesOf(ptrs))
	if err != nil {
		return err
	}
	list := make([]chunkHeader, len(headers))
	ranges := make([]host.Range, len(headers))
	for i, h := range headers {
		each(h, func(h chunkHeader) error { list[i] = h; return nil })
		ranges[i] = host.Range{Addr: list[i].ptr, Size: 4 * uint64(list[i].dwords)}
	}
	chunks, err := drm.Gather(call, ranges)
	if err != nil {
		return err
	}
	j := &job{fence: c.NewFence()}
	for i, h := range list {
		if err := c.chunk(j, h.id, chunks[i]); err != nil {
			return err
		}
	}
	if len(j.ibs) == 0 {
		return unix.EINVAL
	}
	var seq uint64
	if err = c.resources(call, j, a.list); err == nil {
		seq, err = c.enqueue(x, j)
	}
	if err != nil {
		j.give()
		return err
	}
	*drm.Args[uint64](call) = seq
	return nil
}

// give returns what the job was granted of the share.
func (j *job) give() {
	for _, b := range j.granted {
		b.Release()
	}
	j.granted = nil
}

// rangesOf returns where chunk headers are.
func rangesOf(ptrs []uint64) []host.Range {
	list := make([]host.Range, len(ptrs))
	for i, p := range ptrs {
		list[i] = host.Range{Addr: p, Size: uint64(unsafe.Sizeof(chunkHeader{}))}
	}
	return list
}

// chunk reads a chunk into a job.
func (c *client) chunk(j *job, id uint32, data []byte) error {
	switch id {
	case chunkIB:
		return each(data, func(b indirectBuffer) error {
			if b.bytes%4 != 0 || len(j.ibs) > 0 && b.ring != j.ibs[0].ring {
				return unix.EINVAL
			}
			j.ibs = append(j.ibs, b)
			return nil
		})
	case chunkFence:
		return each(data, func(u userFence) error {
			b := c.Buffer(u.handle)
			if b == nil || u.offset%8 != 0 || uint64(u.offset) > b.Size-8 {
				return unix.EINVAL
			}
			j.user, j.at = b, uint64(u.offset)
			return nil
		})
	case chunkDependencies, chunkScheduled:
		return each(data, func(d dependency) error { return c.depend(j, d) })
	case chunkSyncIn:
		return each(data, func(handle uint32) error { return c.waitFor(j, syncPoint{handle: handle}) })
	case chunkTimelineWait:
		return each(data, func(p syncPoint) error { return c.waitFor(j, p) })
	case chunkSyncOut:
		return each(data, func(handle uint32) error { return c.signal(j, syncPoint{handle: handle}) })
	case chunkTimelineSignal:
		return each(data, func(p syncPoint) error { return c.signal(j, p) })
	case chunkBuffers: // a submission has one list, as in Linux
		return each(data, func(l listArgs) error {
			if j.list != nil || l.size != listEntry {
				return unix.EINVAL
			}
			j.list = &l
			return nil
		})
	}
	c.Once("chunk %#x of a submission is not built", id)
	return unix.EINVAL
}

// each calls do for the entries of a chunk.
func each[T any](data []byte, do func(T) error) error {
	var v T
	to := unsafe.Slice((*byte)(unsafe.Pointer(&v)), unsafe.Sizeof(v))
	if len(data) < len(to) {
		return unix.EINVAL
	}
	for ; len(data) >= len(to); data = data[len(to):] {
		copy(to, data)
		if err := do(v); err != nil {
			return err
		}
	}
	return nil
}

// depend makes a job wait for another of the file.
func (c *client) depend(j *job, d dependency) error {
	x := c.context(d.context)
	if x == nil {
		return unix.EINVAL
	}
	f, err := x.fenceOf(d.ring, d.seq)
	if err == nil && f != nil {
		j.waits = append(j.waits, f)
	}
	return err
}

func (c *client) waitFor(j *job, p syncPoint) error {
	s := c.Sync(p.handle)
	if s == nil {
		return unix.EINVAL
	}
	f := s.Find(p.point)
	if f == nil {
		return unix.EINVAL // nothing was submitted that signals it
	}
	j.waits = append(j.waits, f)
	return nil
}

func (c *client) signal(j *job, p syncPoint) error {
	s := c.Sync(p.handle)
	if s == nil {
		return unix.EINVAL
	}
	j.out = append(j.out, func(f *drm.Fence) {
		if p.point == 0 {
			s.Set(f)
		} else {
			s.Add(p.point, f)
		}
	})
	return nil
}
