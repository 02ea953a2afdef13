//go:build linux && amd64

package drm

import (
	"bytes"
	"iter"
	"slices"
	"sync"

	"github.com/heddle-gpu/heddle/mem"
)

// Foreign is memory that the device does not share: a program has allocated it and has given it to the device. What
// work accesses of it is copied before the first access, and what has changed is copied back at the end of the work.
type Foreign interface {
	Load(off uint64, p []byte) error
	Store(off uint64, p []byte) error
}

// A copied is what a piece of work has of a foreign mapping: its contents as they were, and as work has changed them.
type copied struct {
	dev      *Device
	mu       sync.Mutex
	done     bool
	old, now []byte
}

// mostCopied limits the copies of foreign memory of all work that runs, in bytes.
const mostCopied = 8 << 30

// mostSpare limits the memories that are kept.
const mostSpare = 8

// own returns the memory for one piece of work: it has no copies of foreign memory yet. Making one takes longer than
// small work does. v.mu is held.
func (v *VM) own(m *Memory) *Memory {
	for len(v.spare) > 0 {
		n := v.spare[len(v.spare)-1]
		if v.spare = v.spare[:len(v.spare)-1]; n.base == m {
			return n
		}
	}
	n := &Memory{mappings: slices.Clone(m.mappings), epoch: m.epoch, dev: m.dev, window: m.window, foreign: true, base: m}
	n.forget()
	return n
}

// untouched reports whether there is no copy of foreign memory.
func (m *Memory) untouched() bool {
	return !slices.ContainsFunc(m.mappings, func(in Mapping) bool { return in.own != nil && in.own.done })
}

func (m *Memory) forget() {
	for i := range m.mappings {
		if in := &m.mappings[i]; in.Foreign != nil {
			in.own = &copied{dev: m.dev}
		}
	}
	m.Space = m.space()
}

// Renew copies back what has changed of foreign memory, and forgets the copies: the next access sees what the program
// has stored meanwhile. Other memory is always up to date.
func (m *Memory) Renew() {
	if m.foreign && !m.untouched() {
		m.flush()
		m.forget()
	}
}

// bytes returns the copy of a mapping, nil if there is none.
func (c *copied) bytes(in *Mapping) []byte {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.done {
		return c.now
	}
	c.done = true
	if c.dev.copied.Add(2*int64(in.Size)) > mostCopied {
		c.dev.copied.Add(-2 * int64(in.Size))
		c.dev.Once("work accesses more than %d GiB of memory that programs have allocated themselves and given to the device: there is no room for copies of it", mostCopied>>31)
		return nil
	}
	now := mem.Alloc(int(in.Size))
	if err := in.Foreign.Load(in.Off, now); err != nil {
		c.dev.Log("reading %d bytes of the program's own memory, which it has given to the device at %#x: %v", in.Size, in.VA, err)
		c.dev.copied.Add(-2 * int64(in.Size))
		return nil
	}
	c.old, c.now = bytes.Clone(now), now
	return now
}

// flush copies back what has changed of foreign memory: no other bytes, which the program may be changing.
func (m *Memory) flush() {
	for i := range m.mappings {
		if in := &m.mappings[i]; in.own != nil {
			in.own.flush(in)
		}
	}
}

func (c *copied) flush(in *Mapping) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for at, size := range Changes(c.old, c.now) {
		if err := in.Foreign.Store(in.Off+uint64(at), c.now[at:][:size]); err != nil {
			c.dev.Log("writing %d bytes of the program's own memory, which it has given to the device at %#x: %v", size, in.VA, err)
			break
		}
	}
	c.dev.copied.Add(-2 * int64(len(c.now)))
	c.old, c.now = nil, nil
}

// Changes yields the runs of bytes that differ: where, and how many. Runs that are near to each other are not joined:
// the program may be changing the bytes between them.
func Changes(old, now []byte) iter.Seq2[int, int] {
	const block = 4 << 10
	return func(yield func(at, size int) bool) {
		for at := 0; ; {
			for at+block <= len(now) && bytes.Equal(old[at:at+block], now[at:at+block]) {
				at += block
			}
			for at < len(now) && old[at] == now[at] {
				at++
			}
			size := 0
			for at+size < len(now) && old[at+size] != now[at+size] {
				size++
			}
			if size == 0 || !yield(at, size) {
				return
			}
			at += size
		}
	}
}
