//go:build linux && amd64

package host

import (
	"bytes"
	"strconv"
	"sync"

	"golang.org/x/sys/unix"
)

// How an open file is recognised: before a descriptor is given away, its open file description takes a lock on a byte
// past the end of the file, at lockBase plus the number of the open. The lock goes with the description through dup,
// fork, exec and descriptor passing, fdinfo of each of its descriptors shows it, and it ends with the last of them.
// Programs have no reason to lock bytes there; the file position would be simpler, but they may change it.
const lockBase = 1 << 41

// A File is an open device file: one open by a program. Its descriptors may be in several processes.
type File interface {
	// Ioctl answers a call, by one of its methods Return and Fail, now or later and from any goroutine. The loop that
	// receives the calls of all programs waits for Ioctl itself.
	Ioctl(c *Call)
	// Closed says that no descriptor is left. Calls that were not answered are void.
	Closed()
}

// A Node is a device file.
type Node struct {
	Path         string // /dev/dri/renderD128
	Major, Minor uint32
	Arena        *Arena // what mmap of it maps
	Open         func() (File, error)
}

// An opened file: see lockBase.
type opened struct {
	file File
	node *Node

	mu    sync.Mutex // held while the file answers a call, so that it does not end meanwhile
	ended bool
}

// ioctl lets the file answer a call; false: the file has ended, as another thread has closed its last descriptor.
func (o *opened) ioctl(c *Call) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.ended {
		o.file.Ioctl(c)
	}
	return !o.ended
}

// close ends the file. It waits for a call that the file answers.
func (o *opened) close() {
	o.mu.Lock()
	o.ended = true
	o.mu.Unlock()
	o.file.Closed()
}

// open opens a node for a program: its descriptor is in this process still.
func (h *Host) open(n *Node) (fd int, err error) {
	id := h.serial.Add(1)
	if fd, err = lockedOpen(n.Arena.fd, id, false); err != nil {
		return -1, err
	}
	f, err := n.Open()
	if err != nil {
		unix.Close(fd)
		return -1, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.files[id] = &opened{file: f, node: n}
	return fd, nil
}

// lockedOpen opens a file of this process again, with the lock of a number: see lockBase. If it is opaque, it can
// neither be read nor mapped.
func lockedOpen(file int, id int64, opaque bool) (fd int, err error) {
	mode := unix.O_RDWR
	if opaque {
		mode = unix.O_WRONLY
	}
	fd, err = unix.Open("/proc/self/fd/"+strconv.Itoa(file), mode|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, err
	}
	lock := unix.Flock_t{Type: unix.F_WRLCK, Start: lockBase + id, Len: 1}
	if err := unix.FcntlFlock(uintptr(fd), unix.F_OFD_SETLK, &lock); err != nil {
		unix.Close(fd)
		return -1, err
	}
	return fd, nil
}

// unlocked reports whether no description of a file has the lock of a number.
func unlocked(file int, id int64) bool {
	lock := unix.Flock_t{Type: unix.F_WRLCK, Start: lockBase + id, Len: 1}
	err := unix.FcntlFlock(uintptr(file), unix.F_OFD_GETLK, &lock)
	return err == nil && lock.Type == unix.F_UNLCK
}

// closeEnded ends the files and objects without descriptors.
func (h *Host) closeEnded() {
	h.mu.Lock()
	var ended []*opened
	for id, o := range h.files {
		if unlocked(o.node.Arena.fd, id) {
			delete(h.files, id)
			ended = append(ended, o)
		}
	}
	objects := h.endedExports()
	h.mu.Unlock()
	for _, o := range ended {
		o.close()
	}
	for _, o := range objects {
		o.Closed()
	}
}

// opens returns the number of open files.
func (h *Host) opens() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.files)
}

// fileOf returns the open file of a task's descriptor, nil if it is not of a node.
func (h *Host) fileOf(t task, fd int32) *opened {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.files) == 0 {
		return nil
	}
	id, ino, ok := parseInfo(h.infos.read(t, fd))
	if !ok {
		return nil
	}
	if o := h.files[id]; o != nil && o.node.Arena.ino == ino {
		return o
	}
	return nil
}

// infos are files of /proc that tell what descriptors of tasks are. They tell it anew each time they are read, so those
// of descriptors that are used often stay open; one of a task that has ended has nothing to read.
type infos struct {
	open map[infoKey]int
	buf  [1024]byte
}

type infoKey struct {
	t  task
	fd int32
}

// mostInfos limits how many files stay open.
const mostInfos = 64

// read returns what is told of a descriptor; nothing if it is not open. The bytes are valid until the next read.
func (i *infos) read(t task, fd int32) []byte {
	key := infoKey{t, fd}
	if at, ok := i.open[key]; ok {
		if n, err := unix.Pread(at, i.buf[:], 0); err == nil && n > 0 {
			return i.buf[:n]
		}
		unix.Close(at) // closed, or another task has the id now
		delete(i.open, key)
	}
	at, err := unix.Open(t.proc("fdinfo/"+strconv.Itoa(int(fd))), unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	n, err := unix.Pread(at, i.buf[:], 0)
	if err != nil || n == 0 {
		unix.Close(at)
		return nil
	}
	if len(i.open) >= mostInfos {
		i.close()
	}
	if i.open == nil {
		i.open = map[infoKey]int{}
	}
	i.open[key] = at
	return i.buf[:n]
}

func (i *infos) close() {
	for _, at := range i.open {
		unix.Close(at)
	}
	clear(i.open)
}

// parseInfo returns the number of the open and the inode of a text of fdinfo with a lock of ours:
//
//	lock:	1: OFDLCK  ADVISORY  WRITE -1 00:01:1027 2199023255553 2199023255553
func parseInfo(text []byte) (id int64, ino uint64, ok bool) {
	for line := range bytes.Lines(text) {
		f := bytes.Fields(line)
		if len(f) != 9 || string(f[0]) != "lock:" || string(f[2]) != "OFDLCK" {
			continue
		}
		at := bytes.LastIndexByte(f[6], ':')
		start, err1 := strconv.ParseInt(string(f[7]), 10, 64)
		n, err2 := strconv.ParseUint(string(f[6][at+1:]), 10, 64)
		if err1 == nil && err2 == nil && start > lockBase {
			return start - lockBase, n, true
		}
	}
	return 0, 0, false
}
