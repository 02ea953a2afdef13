//go:build linux && amd64

package gputest

import (
	"fmt"
	"os"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A device is the GPU as a program without libraries sees it: an open render node.
type device struct {
	fd      int
	context uint32
	list    uint32 // of buffers, in submissions; 0: none
}

// openDevice opens the node and makes a context.
func openDevice() *device {
	fd, err := unix.Open("/dev/dri/renderD128", unix.O_RDWR|unix.O_CLOEXEC, 0)
	must(err)
	d := &device{fd: fd}
	d.context = d.newContext()
	return d
}

// must ends the client after an error.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

// show prints a line.
func show(what string, v ...any) { fmt.Println(append([]any{what + ":"}, v...)...) }

// call makes a request, with a structure that is read and written.
func call[T any](d *device, nr uintptr, v *T) error {
	_, _, e := unix.Syscall(unix.SYS_IOCTL, uintptr(d.fd), 3<<30|unsafe.Sizeof(*v)<<16|'d'<<8|nr, uintptr(unsafe.Pointer(v)))
	if e != 0 {
		return e
	}
	return nil
}

func address[T any](list []T) uint64 { return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(list)))) }

func (d *device) newContext() uint32 {
	a := [4]uint32{1}
	must(call(d, 0x42, &a))
	return a[0]
}

// contextOp does an operation: 2 frees, 3 and 4 ask for the state.
func (d *device) contextOp(op, context uint32) ([4]uint32, error) {
	a := [4]uint32{op, 0, context}
	err := call(d, 0x42, &a)
	return a, err
}

// Domains of create.
const (
	gtt  = 2
	vram = 4
)

func (d *device) create(size, domains uint64) (uint32, error) {
	a := [4]uint64{size, 0, domains}
	err := call(d, 0x40, &a)
	return uint32(a[0]), err
}

func (d *device) free(handle uint32) error {
	a := [2]uint32{handle}
	return call(d, 0x09, &a)
}

// A buffer is memory that the device and the program access.
type buffer struct {
	handle uint32
	va     uint64
	bytes  []byte
	words  []uint32
}

// buffer makes a buffer at an address of the device.
func (d *device) buffer(va uint64, size int) *buffer {
	handle, err := d.create(uint64(size), gtt)
	must(err)
	must(d.va(1, handle, va, 0, uint64(size)))
	a := [2]uint32{handle}
	must(call(d, 0x41, &a))
	b, err := unix.Mmap(d.fd, int64(a[0])|int64(a[1])<<32, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	must(err)
	return &buffer{handle, va, b, unsafe.Slice((*uint32)(unsafe.Pointer(&b[0])), size/4)}
}

// va does an operation on the address space: 1 maps, 2 unmaps, 3 clears, 4 replaces.
func (d *device) va(op, handle uint32, va, off, size uint64) error {
	a := struct {
		handle, _, op, flags uint32
		va, off, size        uint64
	}{handle: handle, op: op, flags: 0xe, va: va, off: off, size: size}
	return call(d, 0x48, &a)
}

// Chunks of a submission.
const (
	chunkIB       = 1
	chunkFence    = 2
	chunkDepends  = 3
	chunkSyncIn   = 4
	chunkSyncOut  = 5
	chunkWait     = 8
	chunkTimeline = 9
)

type chunk struct {
	id, dwords uint32
	data       []uint32
}

func chunkOf(id uint32, words ...uint32) chunk { return chunk{id, uint32(len(words)), words} }

// commands is the chunk of an indirect buffer on a compute ring.
func commands(b *buffer, offset, words int) chunk {
	va := b.va + uint64(offset)
	return chunkOf(chunkIB, 0, 0, uint32(va), uint32(va>>32), uint32(4*words), 1, 0, 0)
}

// submit submits chunks and returns the number of the submission.
func (d *device) submit(context uint32, chunks ...chunk) (uint64, error) {
	type header struct {
		id, dwords uint32
		ptr        uint64
	}
	headers, ptrs := make([]header, len(chunks)), make([]uint64, len(chunks))
	for i, c := range chunks {
		headers[i] = header{c.id, c.dwords, address(c.data)}
		ptrs[i] = address(headers[i:])
	}
	a := struct {
		context, list, n, _ uint32
		ptr                 uint64
	}{context: context, list: d.list, n: uint32(len(chunks)), ptr: address(ptrs)}
	err := call(d, 0x44, &a)
	return uint64(a.context) | uint64(ptrsHigh(&a))<<32, err
}

// ptrsHigh is the second word of a structure.
func ptrsHigh[T any](a *T) uint32 { return *(*uint32)(unsafe.Add(unsafe.Pointer(a), 4)) }

// wait waits for a submission on the compute ring; done is false after the time.
func (d *device) wait(context uint32, seq uint64, limit time.Duration) (done bool, err error) {
	a := struct {
		seq, timeout            uint64
		kind, instance, ring, x uint32
	}{seq: seq, timeout: uint64(monotonic() + limit), kind: 1, x: context}
	err = call(d, 0x49, &a)
	return a.seq == 0, err
}

func monotonic() time.Duration {
	var ts unix.Timespec
	must(unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts))
	return time.Duration(ts.Nano())
}

func (d *device) newSync(flags uint32) uint32 {
	a := [2]uint32{0, flags}
	must(call(d, 0xbf, &a))
	return a[0]
}

// waitSync waits for points of synchronisation objects and returns the first that is signalled.
func (d *device) waitSync(flags uint32, limit time.Duration, handles []uint32, points []uint64) (uint32, error) {
	a := struct {
		handles, points uint64
		timeout         int64
		n, flags        uint32
		first, _        uint32
	}{handles: address(handles), points: address(points), timeout: int64(limit), n: uint32(len(handles)), flags: flags, first: 99}
	err := call(d, 0xca, &a)
	return a.first, err
}

// setSync resets (0xc4) or signals (0xc5) synchronisation objects.
func (d *device) setSync(nr uintptr, handles ...uint32) error {
	a := struct {
		handles uint64
		n, _    uint32
	}{handles: address(handles), n: uint32(len(handles))}
	return call(d, nr, &a)
}

// timeline signals (0xcd) or asks for (0xcb) points.
func (d *device) timeline(nr uintptr, flags uint32, handles []uint32, points []uint64) error {
	a := struct {
		handles, points uint64
		n, flags        uint32
	}{address(handles), address(points), uint32(len(handles)), flags}
	return call(d, nr, &a)
}

func (d *device) transfer(from uint32, fromPoint uint64, to uint32, toPoint uint64, flags uint32) error {
	a := struct {
		from, to           uint32
		fromPoint, toPoint uint64
		flags, _           uint32
	}{from, to, fromPoint, toPoint, flags, 0}
	return call(d, 0xcc, &a)
}

// Packets of command streams.
func packet(op uint32, words ...uint32) []uint32 {
	return append([]uint32{3<<30 | uint32(len(words)-1)<<16 | op<<8}, words...)
}

func writeData(va uint64, v uint32) []uint32 {
	return packet(0x37, 5<<8|1<<20, uint32(va), uint32(va>>32), v)
}

// waitMemory waits until a word is equal to a value.
func waitMemory(va uint64, v uint32) []uint32 {
	return packet(0x3c, 3|1<<4, uint32(va), uint32(va>>32), v, 1<<32-1, 4)
}

// dispatch runs the code at an address in one group of one wave.
func dispatch(va uint64) (words []uint32) {
	words = append(words, packet(0x76, 0x20c, uint32(va>>8), uint32(va>>40))...) // COMPUTE_PGM_LO, HI
	words = append(words, packet(0x76, 0x212, 0xc0, 0)...)                       // COMPUTE_PGM_RSRC1, 2
	words = append(words, packet(0x76, 0x207, 64, 1, 1)...)                      // COMPUTE_NUM_THREAD_X, Y, Z
	return append(words, packet(0x15, 1, 1, 1, 1)...)
}

// put writes commands to a buffer at an offset and returns their chunk.
func (b *buffer) put(offset int, packets ...[]uint32) chunk {
	n := 0
	for _, p := range packets {
		n += copy(b.words[offset/4+n:], p)
	}
	return commands(b, offset, n)
}

// clients are what this test binary does as a program that uses the device, by the value of clientVariable. What they
// print is compared.
var clients = map[string]func(){
	"syncs":    syncsClient,
	"memory":   memoryClient,
	"submits":  submitsClient,
	"faults":   faultsClient,
	"hangs":    hangsClient,
	"programs": programsClient,
	"exports":  exportsClient,
	"imports":  importsClient,
	"fences":   fencesClient,
	"kfd":      kfdClientOf,
	"kfdidle":  kfdIdleClient,
	"merges":   mergesClient,
	"buffers":  buffersClient,
	"takes":    takesClient,
	"gds":      gdsClient,
}

const clientVariable = "HEDDLE_TEST_CLIENT"

// runClient runs a client in this process.
func runClient(name string) {
	defer func() {
		if err := recover(); err != nil {
			fmt.Println("the client ended:", err)
			os.Exit(1)
		}
	}()
	clients[name]()
	os.Exit(0)
}
