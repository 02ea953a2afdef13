//go:build linux && amd64

package drm

import (
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/heddle-gpu/heddle/internal/gpu/host"
)

// A Driver is the part of a device that its vendor's drivers in programs expect.
type Driver interface {
	Version() Version
	Cap(n uint64) (v uint64, ok bool) // the answer to GET_CAP
	Requests() []Request              // from CommandBase on
	Open(f *File) Client
}

// A Client is a driver's part of an open file.
type Client interface {
	// Close ends the work of the file: it returns when nothing accesses its memory any more.
	Close()
}

// A Version is the answer to VERSION.
type Version struct {
	Major, Minor, Patch uint32
	Name, Date, Text    string
}

// CommandBase is the first number of a driver's own requests.
const CommandBase = 0x40

// A Request is a request that files of a render node answer.
type Request = RequestOf[*File]

// A RequestOf is a request that files of a kind answer.
type RequestOf[F any] struct {
	Nr   uint8
	Name string
	Size int // of its structure in bytes; of a shorter one, from an older program, the rest is zeros
	// Do answers the request. Its error is a unix.Errno. If it returns Later, it answers by itself.
	Do func(f F, c *Call) error
}

// A Table has requests by number.
type Table[F any] [256]*RequestOf[F]

// TableOf returns the table of lists of requests.
func TableOf[F any](lists ...[]RequestOf[F]) *Table[F] {
	t := &Table[F]{}
	for _, list := range lists {
		for i := range list {
			t[list[i].Nr] = &list[i]
		}
	}
	return t
}

// Later is what Request.Do returns if the call is answered later.
const Later = later("later")

type later string

func (l later) Error() string { return string(l) }

// A Device is a render node.
type Device struct {
	Driver
	Arena *host.Arena
	Log   func(format string, args ...any) // what users should know; lines without newline

	requests *Table[*File]
	changed  watchers
	mappings atomic.Int64 // of all address spaces
	copied   atomic.Int64 // bytes of copies of foreign memory

	mu    sync.Mutex
	told  map[string]bool // by Once
	files int             // number of opens so far
}

// NewDevice makes a device. Messages go to log, one a line.
func NewDevice(d Driver, a *host.Arena, log io.Writer) *Device {
	dev := &Device{Driver: d, Arena: a, told: map[string]bool{}}
	var mu sync.Mutex
	dev.Log = func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintf(log, "heddle gpu: "+format+"\n", args...)
	}
	dev.requests = TableOf(common, d.Requests())
	return dev
}

// mostTold limits the messages of Once: programs choose the numbers in them.
const mostTold = 256

// Once logs a message once.
func (d *Device) Once(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	d.mu.Lock()
	n, told := len(d.told), d.told[text]
	if n <= mostTold {
		d.told[text] = true
	}
	d.mu.Unlock()
	switch {
	case told || n > mostTold:
	case n == mostTold:
		d.Log("more than %d different requests are not built; the others are not listed", mostTold)
	default:
		d.Log("%s", text)
	}
}

// A File is an open render node with its handles and its address space.
type File struct {
	*Device
	Number int // of the open, from 1
	VM     *VM
	Client Client

	uses atomic.Int32 // one as long as a program has it open, and one for each Retain

	mu      sync.Mutex
	buffers map[uint32]*Buffer
	syncs   map[uint32]*Sync
	handle  uint32
}

// OpenFile is the Open of the host's node.
func (d *Device) OpenFile() (host.File, error) {
	vm, err := newVM(d)
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	d.files++
	f := &File{Device: d, Number: d.files, VM: vm, buffers: map[uint32]*Buffer{}, syncs: map[uint32]*Sync{}}
	d.mu.Unlock()
	f.uses.Store(1)
	f.Client = d.Open(f)
	return f, nil
}

// Retain keeps the file until Release, also when no program has it open any more. It reports false if it has ended.
func (f *File) Retain() bool {
	for {
		n := f.uses.Load()
		if n == 0 {
			return false
		}
		if f.uses.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// Closed implements host.File.
func (f *File) Closed() { f.Release() }

// Release ends a use of the file; the last one ends its work and frees what it has.
func (f *File) Release() {
	if f.uses.Add(-1) != 0 {
		return
	}
	f.Client.Close()
	f.VM.close()
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, b := range f.buffers {
		b.Release()
	}
	clear(f.buffers)
	clear(f.syncs)
}

// A Call is a request of a program.
type Call struct {
	*host.Call
	name string
	buf  []byte
	dev  *Device
	put  bool // the structure is copied back
}

// Requests as Linux encodes them: direction, size, type, number.
const (
	sizeShift = 16
	sizeMask  = 0x3fff
	reads     = 1 << 31 // the program reads the structure afterwards
)

// Ioctl implements host.File.
func (f *File) Ioctl(h *host.Call) { Serve(f.Device, f.requests, "the render node", f, h) }

// Serve answers a request of a file by a table. node names what it is a file of.
func Serve[F any](d *Device, t *Table[F], node string, f F, h *host.Call) {
	r := t[h.Request&0xff]
	if r == nil {
		d.Once("request %#x of %s (ioctl %#x) is not built", h.Request&0xff, node, h.Request)
		h.Fail(unix.EINVAL)
		return
	}
	size := int(h.Request >> sizeShift & sizeMask)
	c := &Call{Call: h, name: r.Name, dev: d, buf: make([]byte, max(size, r.Size, 8)), put: h.Request&reads != 0}
	if err := h.Read(h.Arg, c.buf[:size]); err != nil {
		h.Fail(unix.EFAULT)
		return
	}
	if err := r.Do(f, c); err != Later {
		c.Done(err)
	}
}

// Done answers the call: err is nil or a unix.Errno.
func (c *Call) Done(err error) {
	if err == nil && c.put {
		size := int(c.Request >> sizeShift & sizeMask)
		if c.Write(c.Arg, c.buf[:size]) != nil {
			err = unix.EFAULT
		}
	}
	if err == nil {
		c.Return(0)
		return
	}
	e, ok := err.(unix.Errno)
	if !ok {
		c.dev.Log("%s: %v", c.name, err)
		e = unix.EINVAL
	}
	c.Fail(e)
}

// Args returns the structure of a call. T must be of the request's size at most; several views of a union are
// possible.
func Args[T any](c *Call) *T {
	var t T
	if int(unsafe.Sizeof(t)) > len(c.buf) {
		panic(fmt.Sprintf("drm: %d bytes of %d in %s", unsafe.Sizeof(t), len(c.buf), c.name))
	}
	return (*T)(unsafe.Pointer(&c.buf[0]))
}

// maxArray limits arrays of programs, in bytes.
const maxArray = 1 << 20

// Array reads an array of a program's memory.
func Array[T any](c *Call, addr uint64, n uint32) ([]T, error) {
	var t T
	if uint64(n)*uint64(unsafe.Sizeof(t)) > maxArray {
		return nil, unix.E2BIG
	}
	list := make([]T, n)
	if n == 0 {
		return list, nil
	}
	if err := c.Read(addr, unsafe.Slice((*byte)(unsafe.Pointer(&list[0])), int(n)*int(unsafe.Sizeof(t)))); err != nil {
		return nil, unix.EFAULT
	}
	return list, nil
}

// Gather reads several ranges of a program's memory at once.
func Gather(c *Call, ranges []host.Range) (parts [][]byte, err error) {
	total := uint64(0)
	for _, r := range ranges {
		if r.Size > maxArray-total {
			return nil, unix.E2BIG
		}
		total += r.Size
	}
	all := make([]byte, total)
	if c.Call.Gather(ranges, all) != nil {
		return nil, unix.EFAULT
	}
	for _, r := range ranges {
		parts, all = append(parts, all[:r.Size:r.Size]), all[r.Size:]
	}
	return parts, nil
}

// PutArray writes an array to a program's memory.
func PutArray[T any](c *Call, addr uint64, list []T) error {
	if len(list) == 0 {
		return nil
	}
	if err := c.Write(addr, unsafe.Slice((*byte)(unsafe.Pointer(&list[0])), len(list)*int(unsafe.Sizeof(list[0])))); err != nil {
		return unix.EFAULT
	}
	return nil
}

// newHandle returns an unused handle. f.mu is held.
func (f *File) newHandle() uint32 {
	for {
		f.handle++
		if f.handle != 0 && f.buffers[f.handle] == nil && f.syncs[f.handle] == nil {
			return f.handle
		}
	}
}
