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

// An export is an object with its descriptors. Each is an open file description of an empty file, which is recognised
// as those of nodes are, see lockBase.
type export struct {
	object Object
	fd     int // of another description of the file, to ask for the lock
	ino    uint64
}

// Export gives the program a descriptor of an object and returns its number there. The object ends when no program has
// a copy of it, also if there is an error.
func (c *Call) Export(o Object) (fd int32, err error) {
	ours, err := c.h.export(o)
	if err != nil {
		o.Closed()
		return -1, err
	}
	defer unix.Close(ours)
	n, err := c.h.listener.add(c.id, ours, true, false)
	return int32(n), err
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
func (h *Host) export(o Object) (fd int, err error) {
	file, err := unix.MemfdCreate("heddle-object", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return -1, err
	}
	var st unix.Stat_t
	id := h.serial.Add(1)
	_, err = unix.FcntlInt(uintptr(file), unix.F_ADD_SEALS, unix.F_SEAL_GROW|unix.F_SEAL_WRITE|unix.F_SEAL_SEAL)
	if err == nil {
		err = unix.Fstat(file, &st)
	}
	if err == nil {
		fd, err = lockedOpen(file, id)
	}
	if err != nil {
		unix.Close(file)
		return -1, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.exports == nil {
		h.exports = map[int64]export{}
	}
	h.exports[id] = export{o, file, st.Ino}
	return fd, nil
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
