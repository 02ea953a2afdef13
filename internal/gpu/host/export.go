//go:build linux && amd64

package host

import (
	"golang.org/x/sys/unix"
)

// An Object is what an exported descriptor stands for: a program hands it to other files of the device, and to other
// programs.
type Object interface {
	// Closed says that no descriptor is left.
	Closed()
}

// An Answerer is an object whose descriptors answer ioctls as device files do: see File.
type Answerer interface {
	Object
	Ioctl(c *Call)
}

// An export is an object with its descriptors. Each is an open file description of an empty file, or of a pipe if it
// can be polled, which is recognised as those of nodes are, see lockBase.
type export struct {
	object Object
	fd     int // of another description of the file, to ask for the lock
	ino    uint64
}

// Export gives the program a descriptor of an object and returns its number there. The object ends when no program has
// a copy of it, also if there is an error.
func (c *Call) Export(o Object) (fd int32, err error) {
	fd, _, err = c.exportFile(o, emptyFile, true)
	return fd, err
}

// ExportSized is Export for an object whose descriptor shows a size, as memory does, but cannot be mapped. With keep,
// programs that the program executes get it, too.
func (c *Call) ExportSized(o Object, size uint64, keep bool) (fd int32, err error) {
	fd, _, err = c.exportFile(o, func() (int, error) { return sizedFile(size) }, !keep)
	return fd, err
}

// ExportPolled is Export for an object that can be waited for by poll: its descriptor has input after ready was called,
// from any goroutine.
func (c *Call) ExportPolled(o Object) (fd int32, ready func(), err error) {
	fd, id, err := c.exportFile(o, emptyPipe, true)
	return fd, func() { c.h.ready(id) }, err
}

func (c *Call) exportFile(o Object, make func() (int, error), cloexec bool) (fd int32, id int64, err error) {
	ours, id, err := c.h.export(o, make)
	if err != nil {
		o.Closed()
		return -1, 0, err
	}
	defer unix.Close(ours)
	n, err := c.h.listener.add(c.id, ours, cloexec, false)
	return int32(n), id, err
}

// emptyFile makes a file that stays empty.
func emptyFile() (fd int, err error) { return sizedFile(0) }

// sizedFile makes a file of a size that has no contents and gets none.
func sizedFile(size uint64) (fd int, err error) {
	fd, err = unix.MemfdCreate("heddle-object", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return -1, err
	}
	if err = unix.Ftruncate(fd, int64(size)); err == nil {
		_, err = unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, unix.F_SEAL_SHRINK|unix.F_SEAL_GROW|unix.F_SEAL_WRITE|unix.F_SEAL_SEAL)
	}
	if err != nil {
		unix.Close(fd)
	}
	return fd, err
}

// emptyPipe makes a pipe and returns the end to write.
func emptyPipe() (fd int, err error) {
	var ends [2]int
	if err := unix.Pipe2(ends[:], unix.O_CLOEXEC|unix.O_NONBLOCK); err != nil {
		return -1, err
	}
	unix.Close(ends[0]) // programs read from descriptions of both ends
	return ends[1], nil
}

// ready gives the pipe of an object input.
func (h *Host) ready(id int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if e, ok := h.exports[id]; ok {
		unix.Write(e.fd, []byte{1}) // an error means that there is input already, or that nothing reads any more
	}
}

// Exported returns the object of a descriptor of the program; nil if it is not one of an object.
func (c *Call) Exported(fd int32) Object {
	h := c.h
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.exports) == 0 {
		return nil
	}
	id, ino, ok := parseInfo(h.infos.read(c.task, fd))
	if e, there := h.exports[id]; ok && there && e.ino == ino {
		return e.object
	}
	return nil
}

// export makes the descriptor of an object.
func (h *Host) export(o Object, make func() (int, error)) (fd int, id int64, err error) {
	file, err := make()
	if err != nil {
		return -1, 0, err
	}
	var st unix.Stat_t
	id = h.serial.Add(1)
	if err = unix.Fstat(file, &st); err == nil {
		fd, err = lockedOpen(file, id, st.Mode&unix.S_IFMT == unix.S_IFREG)
	}
	if err != nil {
		unix.Close(file)
		return -1, 0, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.exports == nil {
		h.exports = map[int64]export{}
	}
	h.exports[id] = export{o, file, st.Ino}
	return fd, id, nil
}

// endedExports removes the objects without descriptors and returns them. h.mu is held.
func (h *Host) endedExports() (ended []Object) {
	for id, e := range h.exports {
		if unlocked(e.fd, id) {
			ended = append(ended, h.drop(id, e))
		}
	}
	return ended
}

// allExports removes all objects and returns them. h.mu is held.
func (h *Host) allExports() (all []Object) {
	for id, e := range h.exports {
		all = append(all, h.drop(id, e))
	}
	return all
}

func (h *Host) drop(id int64, e export) Object {
	unix.Close(e.fd)
	delete(h.exports, id)
	return e.object
}
