//go:build linux && amd64

package gputest

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// prime exports a buffer (0x2d), or imports a descriptor (0x2e).
func (d *device) prime(nr uintptr, handle, flags uint32, fd int32) (uint32, int32, error) {
	a := struct {
		handle, flags uint32
		fd            int32
	}{handle, flags, fd}
	err := call(d, nr, &a)
	return a.handle, a.fd, err
}

func (d *device) exportBuffer(handle, flags uint32) (int32, error) {
	_, fd, err := d.prime(0x2d, handle, flags, -1)
	return fd, err
}

func (d *device) importBuffer(fd int32) (uint32, error) {
	handle, _, err := d.prime(0x2e, 0, 0, fd)
	return handle, err
}

// stores writes a word by a submission and waits for it. The commands are in a buffer of the file's own.
func (d *device) stores(own *buffer, va uint64, v uint32) {
	seq, err := d.submit(d.context, own.put(0, writeData(va, v)))
	must(err)
	_, err = d.wait(d.context, seq, time.Minute)
	must(err)
}

// buffersClient gives a buffer to another file, and to another program.
func buffersClient() {
	d, other := openDevice(), openDevice()
	b, own := d.buffer(1<<32, 1<<16), other.buffer(1<<33, 1<<16)
	_, err := d.exportBuffer(999, 0)
	show("no such handle", err)
	_, err = d.exportBuffer(b.handle, 1<<7)
	show("bad flags", err)
	_, err = d.importBuffer(12345)
	show("not open", err)
	_, err = d.importBuffer(int32(d.fd))
	show("a device", err)
	object, err := d.exportSync(d.newSync(0), 0)
	must(err)
	_, err = d.importBuffer(object)
	show("an object of synchronisation", err)

	fd, err := d.exportBuffer(b.handle, unix.O_CLOEXEC|unix.O_RDWR)
	must(err)
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
	show("closed by exec", flags == unix.FD_CLOEXEC, err)
	size, err := unix.Seek(int(fd), 0, unix.SEEK_END)
	show("size", size, err)
	_, err = unix.Mmap(int(fd), 0, 1<<16, unix.PROT_READ, unix.MAP_SHARED)
	show("map", err)
	_, err = unix.Write(int(fd), []byte("text"))
	show("write", err)
	same, err := d.importBuffer(fd)
	show("in the same file", same == b.handle, err)
	far, err := other.importBuffer(fd)
	show("in another file", err)
	again, err := other.importBuffer(fd)
	show("again", again == far, err)
	must(other.va(1, far, 1<<32, 0, 1<<16))
	other.stores(own, 1<<32, 42)
	show("written by the other file", b.words[0])

	kept, err := d.exportBuffer(b.handle, 0)
	must(err)
	flags, err = unix.FcntlInt(uintptr(kept), unix.F_GETFD, 0)
	show("kept by exec", flags == 0, err)
	must(d.free(b.handle))
	unix.Close(d.fd)
	for _, u := range []struct {
		what        string
		size, flags uint64
	}{{"half a page", 2048, 8}, {"unknown flags", 4096, 1 << 9}, {"not registered", 4096, 0}, {"memory of the program", 4096, 1 | 8}} {
		a := [3]uint64{1 << 20, u.size, u.flags}
		show(u.what, call(other, 0x51, &a))
	}
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), clientVariable+"=takes")
	child.ExtraFiles = []*os.File{os.NewFile(uintptr(fd), "buffer")}
	child.Stdout, child.Stderr = os.Stdout, os.Stderr
	must(child.Run())
	show("written by the other program", b.words[1])
}

// takesClient writes to the buffer that it was given.
func takesClient() {
	d := openDevice()
	handle, err := d.importBuffer(3)
	show("in another program", err)
	must(unix.Close(3))
	own := d.buffer(1<<33, 1<<16)
	must(d.va(1, handle, 1<<32, 0, 1<<16))
	d.stores(own, 1<<32+4, 43)
}

func TestSharedBuffers(t *testing.T) {
	expect(t, "buffers", `no such handle: no such file or directory
bad flags: invalid argument
not open: invalid argument
a device: invalid argument
an object of synchronisation: invalid argument
closed by exec: true <nil>
size: 65536 <nil>
map: permission denied
write: operation not permitted
in the same file: true <nil>
in another file: <nil>
again: true <nil>
written by the other file: 42
kept by exec: true <nil>
half a page: invalid argument
unknown flags: invalid argument
not registered: permission denied
memory of the program: no such device
in another program: <nil>
written by the other program: 43
`, "")
}

// ofSyncFile makes a request of a sync file.
func ofSyncFile[T any](fd int32, nr uintptr, v *T) error {
	_, _, e := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), 3<<30|unsafe.Sizeof(*v)<<16|'>'<<8|nr, uintptr(unsafe.Pointer(v)))
	if e != 0 {
		return e
	}
	return nil
}

func merge(name string, fd, with int32) (int32, error) {
	a := struct {
		name       [32]byte
		with, made int32
		flags, _   uint32
	}{with: with}
	copy(a.name[:], name)
	err := ofSyncFile(fd, 3, &a)
	return a.made, err
}

// fileInfo is name, status, number and the statuses of the fences of a sync file, with room for some.
func fileInfo(fd int32, room uint32) (string, error) {
	type fence struct {
		_, driver [32]byte
		status    int32
		_         uint32
		_         uint64
	}
	list := make([]fence, 4)
	a := struct {
		name     [32]byte
		status   int32
		flags    uint32
		n, _     uint32
		statuses uint64
	}{n: room, statuses: address(list)}
	if err := ofSyncFile(fd, 4, &a); err != nil {
		return "", err
	}
	name, _, _ := strings.Cut(string(a.name[:]), "\x00")
	text := fmt.Sprint(name, " ", a.status, " of ", a.n)
	for _, f := range list[:min(room, a.n)] {
		driver, _, _ := strings.Cut(string(f.driver[:]), "\x00")
		text += fmt.Sprint(" ", driver, " ", f.status)
	}
	return text, nil
}

// mergesClient merges the sync files of two submissions, each of which waits for memory.
func mergesClient() {
	d := openDevice()
	b := d.buffer(1<<32, 1<<16)
	var fds [2]int32
	for i := range fds {
		context, s := d.newContext(), d.newSync(0)
		_, err := d.submit(context, b.put(256*i, waitMemory(b.va+4096+4*uint64(i), 1)), chunkOf(chunkSyncOut, s))
		must(err)
		fds[i], err = d.exportSync(s, 1)
		must(err)
	}
	info := func(what string, fd int32, room uint32) {
		text, err := fileInfo(fd, room)
		show(what, text, err)
	}
	info("one", fds[0], 4)
	_, err := merge("x", fds[0], int32(d.fd))
	show("a device", err)
	_, err = merge("x", fds[0], 12345)
	show("not open", err)
	var v [16]uint32
	show("another request", ofSyncFile(fds[0], 9, &v))
	fd, err := merge("both", fds[0], fds[1])
	show("merge", err, readable(fd, 20))
	all, err := merge("again", fd, fds[1])
	show("merge again", err)
	info("how many", fd, 0)
	info("both", fd, 4)
	info("again", all, 2)
	info("no room", fd, 1)
	b.words[1024] = 1
	show("the first has ended", readable(fds[0], 10_000), readable(fd, 20))
	info("both", fd, 2)
	b.words[1025] = 1
	show("both have ended", readable(fd, 10_000), readable(all, 10_000))
	info("both", fd, 2)
	late, err := merge("late", fds[0], fds[1])
	show("of what has ended", err, readable(late, 0))
	info("late", late, 4)
}

func TestMergedSyncFiles(t *testing.T) {
	expect(t, "merges", `one: amdgpu 0 of 1 amdgpu 0 <nil>
a device: no such file or directory
not open: no such file or directory
another request: inappropriate ioctl for device
merge: <nil> false
merge again: <nil>
how many: both 0 of 2 <nil>
both: both 0 of 2 amdgpu 0 amdgpu 0 <nil>
again: again 0 of 2 amdgpu 0 amdgpu 0 <nil>
no room:  invalid argument
the first has ended: true false
both: both 0 of 2 amdgpu 1 amdgpu 0 <nil>
both have ended: true true
both: both 1 of 2 amdgpu 1 amdgpu 1 <nil>
of what has ended: <nil> true
late: late 1 of 1 amdgpu 1 <nil>
`, "")
}
