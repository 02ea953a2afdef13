//go:build linux && amd64

package gputest

import (
	"os"
	"os/exec"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

type syncFD struct {
	handle, flags uint32
	fd            int32
	_             uint32
}

func (d *device) exportSync(handle, flags uint32) (int32, error) {
	a := syncFD{handle: handle, flags: flags}
	err := call(d, 0xc1, &a)
	return a.fd, err
}

func (d *device) importSync(fd int32, flags uint32) (uint32, error) {
	a := syncFD{fd: fd, flags: flags}
	err := call(d, 0xc2, &a)
	return a.handle, err
}

// exportsClient gives a synchronisation object to another file, and to another program.
func exportsClient() {
	d, other := openDevice(), openDevice()
	s := d.newSync(0)
	_, err := d.exportSync(999, 0)
	show("no such handle", err)
	_, err = d.exportSync(s, 1<<5)
	show("bad flags", err)
	_, err = d.importSync(int32(d.fd), 0)
	show("a device", err)
	_, err = d.importSync(12345, 0)
	show("not open", err)
	fd, err := d.exportSync(s, 0)
	must(err)
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
	show("closed by exec", flags == unix.FD_CLOEXEC, err)
	_, err = unix.Write(int(fd), []byte("text"))
	show("write", err)
	same, err := d.importSync(fd, 0)
	show("in the same file", same != s, err)
	far, err := other.importSync(fd, 0)
	show("in another file", err)
	h := [2]uint32{s}
	must(call(d, 0xc0, &h))

	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), clientVariable+"=imports")
	child.ExtraFiles = []*os.File{os.NewFile(uintptr(fd), "sync")}
	child.Stdout, child.Stderr = os.Stdout, os.Stderr
	must(child.Start())
	child.ExtraFiles[0].Close()
	for _, w := range []struct {
		d      *device
		handle uint32
	}{{other, far}, {d, same}} {
		_, err = w.d.waitSync(waitSubmit, monotonic()+time.Minute, []uint32{w.handle}, []uint64{7})
		show("signalled by the other program", err)
	}
	must(child.Wait())
	_, err = d.importSync(fd, 0)
	show("closed", err)
}

// importsClient signals a point of the object that it was given.
func importsClient() {
	d := openDevice()
	s, err := d.importSync(3, 0)
	show("in another program", err)
	must(unix.Close(3))
	time.Sleep(100 * time.Millisecond) // the object lives on by its handles
	must(d.timeline(0xcd, 0, []uint32{s}, []uint64{7}))
}

func TestExports(t *testing.T) {
	expect(t, "exports", `no such handle: invalid argument
bad flags: invalid argument
a device: invalid argument
not open: invalid argument
closed by exec: true <nil>
write: operation not permitted
in the same file: true <nil>
in another file: <nil>
in another program: <nil>
signalled by the other program: <nil>
signalled by the other program: <nil>
closed: invalid argument
`, "")
}

// readable says whether poll says that a descriptor has input, within a time in milliseconds.
func readable(fd int32, limit int) bool {
	p := []unix.PollFd{{Fd: fd, Events: unix.POLLIN}}
	for {
		n, err := unix.Poll(p, limit)
		if err != unix.EINTR {
			must(err)
			return n == 1 && p[0].Revents == unix.POLLIN
		}
	}
}

// fencesClient polls sync files of a submission that waits for memory.
func fencesClient() {
	d, other := openDevice(), openDevice()
	b := d.buffer(1<<32, 1<<16)
	s, empty := d.newSync(0), d.newSync(0)
	_, err := d.exportSync(empty, 1)
	show("nothing submitted", err)
	seq, err := d.submit(d.context, b.put(0, waitMemory(b.va+4096, 1)), chunkOf(chunkSyncOut, s))
	must(err)
	fence, err := d.exportSync(s, 1)
	show("sync file", err, readable(fence, 20))
	toHandle := func(what uint32) int32 {
		a := struct {
			context, kind, instance, ring uint32
			seq                           uint64
			what, _                       uint32
		}{context: d.context, kind: 1, seq: seq, what: what}
		must(call(d, 0x54, &a))
		return int32(a.context)
	}
	object, file := toHandle(1), toHandle(2)
	show("sync file of a submission", readable(file, 20))
	imported, err := other.importSync(object, 0)
	must(err)
	held := other.newSync(0)
	a := syncFD{handle: held, flags: 1, fd: fence}
	show("import", call(other, 0xc2, &a))
	a.fd = object
	show("an object is no fence", call(other, 0xc2, &a))
	_, err = other.importSync(fence, 0)
	show("a fence is no object", err)
	_, err = other.waitSync(0, monotonic()+20*time.Millisecond, []uint32{held, imported}, []uint64{0, 0})
	show("both wait", err)
	must(d.setSync(0xc4, s)) // the sync file keeps the fence
	b.words[1024] = 1
	show("signalled", readable(fence, 10_000), readable(file, 10_000))
	_, err = other.waitSync(waitAll, monotonic()+time.Minute, []uint32{held, imported}, []uint64{0, 0})
	show("both end", err)
	show("of what has ended", readable(toHandle(2), 0))
}

func TestSyncFiles(t *testing.T) {
	expect(t, "fences", `nothing submitted: invalid argument
sync file: <nil> false
sync file of a submission: false
import: <nil>
an object is no fence: invalid argument
a fence is no object: invalid argument
both wait: timer expired
signalled: true true
both end: <nil>
of what has ended: true
`, "")
}
