//go:build linux && amd64

package gputest

import (
	"encoding/binary"
	"os"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// kfdCall makes a request of the compute node, with a structure that is read and written.
func kfdCall[T any](fd int, nr uintptr, v *T) error {
	_, _, e := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), 3<<30|unsafe.Sizeof(*v)<<16|'K'<<8|nr, uintptr(unsafe.Pointer(v)))
	if e != 0 {
		return e
	}
	return nil
}

// kfdAlloc allocates memory at an address: 2 of the host, 4 the program's own at own.
func kfdAlloc(fd int, va, size, own uint64, kind uint32) (handle, offset uint64, err error) {
	a := [5]uint64{va, size, 0, own, hostileGPU | uint64(1<<31|kind)<<32}
	err = kfdCall(fd, 0x16, &a)
	return a[2], a[3], err
}

// kfdMap maps (0x18) or unmaps (0x19) memory.
func kfdMap(fd int, nr uintptr, handle uint64, gpus ...uint32) error {
	a := struct {
		handle, gpus uint64
		n, done      uint32
	}{handle, address(gpus), uint32(len(gpus)), 0}
	return kfdCall(fd, nr, &a)
}

// kfdWait waits for events and returns the result: 0 they are set, 1 the time is over.
func kfdWait(fd int, all bool, ms uint32, events ...uint32) (uint32, error) {
	list := make([][6]uint64, len(events))
	for i, e := range events {
		list[i][5] = uint64(e)
	}
	a := struct {
		ptr                     uint64
		n, all, timeout, result uint32
	}{ptr: address(list), n: uint32(len(events)), timeout: ms, result: 99}
	if all {
		a.all = 1
	}
	err := kfdCall(fd, 0x0c, &a)
	return a.result, err
}

func kfdClientOf() {
	fd, err := unix.Open("/dev/kfd", unix.O_RDWR|unix.O_CLOEXEC, 0)
	must(err)
	d := openDevice()
	version := [2]uint32{}
	show("version", kfdCall(fd, 0x01, &version), version[0], version[1])
	show("unknown", kfdCall(fd, 0x70, &version))
	_, _, err = kfdAlloc(fd, 8<<30, 4096, 0, 2)
	show("memory without an address space", err)
	vm := [2]uint32{uint32(fd), hostileGPU}
	show("address space of no render node", kfdCall(fd, 0x15, &vm))
	vm[0] = uint32(d.fd)
	show("address space", kfdCall(fd, 0x15, &vm), kfdCall(fd, 0x15, &vm))
	apertures := [50]uint64{}
	must(kfdCall(fd, 0x06, &apertures))
	show("apertures", apertures[0]>>32 != 0, apertures[2]>>32 != 0, apertures[5] == 1<<40-1, uint32(apertures[6]) == hostileGPU, apertures[49])

	h, off, err := kfdAlloc(fd, 8<<30, 8192, 0, 2)
	must(err)
	show("map", kfdMap(fd, 0x18, h, hostileGPU), kfdMap(fd, 0x18, h, hostileGPU), kfdMap(fd, 0x18, h, 1), kfdMap(fd, 0x18, 99, hostileGPU))
	show("free what is mapped", kfdCall(fd, 0x17, &h))
	b, err := unix.Mmap(fd, int64(off), 8192, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	must(err)
	commands := d.buffer(1<<20, 4096)
	seq, err := d.submit(d.context, commands.put(0, writeData(8<<30+4096, 1234)))
	must(err)
	done, err := d.wait(d.context, seq, time.Minute)
	show("the render node writes it", done, err, binary.LittleEndian.Uint32(b[4096:]))

	own, err := unix.Mmap(-1, 0, 8192, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	must(err)
	u, _, err := kfdAlloc(fd, 9<<30, 8192, address(own), 4)
	must(err)
	must(kfdMap(fd, 0x18, u, hostileGPU))
	seq, err = d.submit(d.context, commands.put(0, writeData(9<<30+4096, 4321)))
	must(err)
	done, err = d.wait(d.context, seq, time.Minute)
	show("and the program's own", done, err, binary.LittleEndian.Uint32(own[4096:]))
	_, _, err = kfdAlloc(fd, 10<<30, 8192, 0x1000, 4)
	show("own memory that is not there", err)
	show("unmap, free", kfdMap(fd, 0x19, u, hostileGPU), kfdCall(fd, 0x17, &u), kfdMap(fd, 0x19, h, hostileGPU), kfdCall(fd, 0x17, &h), kfdCall(fd, 0x17, &h))
	kfdEventsClient(fd)
}

// kfdEventsClient looks at events.
func kfdEventsClient(fd int) {
	page, _, err := kfdAlloc(fd, 8<<30, 4096*8, 0, 2)
	must(err)
	event := func(kind, auto uint32) uint32 {
		a := struct {
			page                                uint64
			trigger, kind, auto, node, id, slot uint32
		}{page: page, kind: kind, auto: auto}
		must(kfdCall(fd, 0x08, &a))
		page = 0
		return a.id
	}
	op := func(nr uintptr, id uint32) error {
		a := [2]uint32{id}
		return kfdCall(fd, nr, &a)
	}
	const set, reset, destroy = 0x0a, 0x0b, 0x09
	auto, manual, fault := event(0, 1), event(0, 0), event(8, 0)
	wait := func(what string, all bool, ms uint32, list ...uint32) {
		n, err := kfdWait(fd, all, ms, list...)
		show(what, n, err)
	}
	wait("not set", false, 1, auto, manual)
	must(op(set, auto))
	wait("all of two", true, 1, auto, manual)
	wait("it was reset", false, 0, auto)
	must(op(set, manual))
	wait("manual", false, 0, auto, manual)
	wait("stays set", false, 0, manual)
	must(op(reset, manual))
	wait("until a reset", false, 0, manual)
	time.AfterFunc(20*time.Millisecond, func() { must(op(set, manual)); must(op(set, auto)) })
	wait("both, later", true, 1<<32-1, auto, manual)
	show("a fault is not the program's to set", op(set, fault), op(reset, fault))
	time.AfterFunc(20*time.Millisecond, func() { must(op(destroy, fault)) })
	wait("destroyed meanwhile", false, 1<<32-1, fault)
	wait("there is none", false, 0, fault)
}

// TestKFD: requests of the compute node, as Linux answers them.
func TestKFD(t *testing.T) {
	expect(t, "kfd", `version: <nil> 1 11
unknown: invalid argument
memory without an address space: no such device
address space of no render node: invalid argument
address space: <nil> <nil>
apertures: true true true true 1
map: <nil> <nil> invalid argument invalid argument
free what is mapped: device or resource busy
the render node writes it: true <nil> 1234
and the program's own: true <nil> 4321
own memory that is not there: bad address
unmap, free: <nil> <nil> <nil> <nil> invalid argument
not set: 1 <nil>
all of two: 1 <nil>
it was reset: 1 <nil>
manual: 0 <nil>
stays set: 0 <nil>
until a reset: 1 <nil>
both, later: 0 <nil>
a fault is not the program's to set: invalid argument invalid argument
destroyed meanwhile: 2 <nil>
there is none: 99 invalid argument
`, "request 0x70 of /dev/kfd (ioctl 0xc0084b70) is not built")
}

// TestIdleQueue: a program with queues that waits costs the device little: a hundredth of a processor.
func TestIdleQueue(t *testing.T) {
	used := func() time.Duration {
		var u unix.Rusage
		must(unix.Getrusage(unix.RUSAGE_SELF, &u))
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	var begin, end time.Duration
	time.AfterFunc(4*time.Second, func() { begin = used() })
	time.AfterFunc(7*time.Second, func() { end = used() })
	r := onGPU(t, "polaris10", []string{clientVariable + "=kfdidle"}, os.Args[0])
	if cost := end - begin; r.code != nil || cost > 200*time.Millisecond { // a busy machine measures more
		t.Errorf("%v: %v\n%s%s", cost, r.code, r.out, r.log)
	} else {
		t.Logf("%v in 3 s", cost)
	}
}

// kfdIdleClient has queues for a while.
func kfdIdleClient() {
	k := &kfdClient{fd: -1, drm: -1, data: make([]byte, 4096)}
	k.open()
	time.Sleep(8 * time.Second)
}
