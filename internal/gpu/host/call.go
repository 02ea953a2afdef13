//go:build linux && amd64

package host

import (
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// A Call is an ioctl of a program that waits for its answer.
type Call struct {
	Request uint32
	Arg     uint64 // an address of the program
	h       *Host
	id      uint64
	task    task
	over    atomic.Bool
}

// Read reads memory of the program.
func (c *Call) Read(addr uint64, p []byte) error { return c.task.read(addr, p) }

// Gather reads ranges of memory of the program, at most 1024, into p, one after another.
func (c *Call) Gather(ranges []Range, p []byte) error { return c.task.gather(ranges, p) }

// Write writes memory of the program.
func (c *Call) Write(addr uint64, p []byte) error {
	if !c.h.listener.valid(c.id) {
		return unix.ESRCH
	}
	return c.task.write(addr, p)
}

// Process returns the memory of the program, for after the call.
func (c *Call) Process() (Process, error) { return c.task.process() }

// Return answers the call with a value.
func (c *Call) Return(v int64) { c.answer(response{id: c.id, val: v}) }

// Fail answers the call with an error of the system, EINVAL or so.
func (c *Call) Fail(e unix.Errno) { c.answer(response{id: c.id, errno: -int32(e)}) }

func (c *Call) answer(r response) {
	if c.over.Swap(true) {
		panic("host: a call was answered twice")
	}
	c.h.listener.send(&r) // an error means that the task has ended meanwhile
}

// Waiting reports whether the program still waits for the answer.
func (c *Call) Waiting() bool { return !c.over.Load() && c.h.listener.valid(c.id) }

// FileOf returns the file of a descriptor of the program; nil if it is not an open device.
func (c *Call) FileOf(fd int32) File {
	if o := c.h.fileOf(c.task, fd); o != nil {
		return o.file
	}
	return nil
}

// Thread is the id of the thread that called, for messages.
func (c *Call) Thread() int { return int(c.task) }
