//go:build linux && amd64

package gputest

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/heddle-gpu/heddle/internal/gpu/amdgpu"
)

// TestHostileKFD: random requests of the compute node, and random packets in queues, do not end the device, and it
// still serves another client afterwards.
func TestHostileKFD(t *testing.T) {
	n := 100_000
	if long {
		n = 1_000_000
	}
	r := withOptions(t, "polaris10", amdgpu.Options{Hang: 100 * time.Millisecond}, []string{fmt.Sprintf("%s=kfd,%d", hostileVariable, n)}, os.Args[0])
	if r.code != nil || !strings.Contains(r.out, fmt.Sprintf("%d requests", n)) {
		t.Errorf("%v\n%s%s", r.code, r.out, last(r.log))
	}
	t.Logf("%s%d packets, %d dispatches, %d faults", r.out, r.stats.Packets.Load(), r.stats.Dispatches.Load(), r.stats.Faults.Load())
	if r.stats.Faults.Load() == 0 || r.stats.Dispatches.Load() == 0 {
		t.Error("no queue has executed a dispatch, or none has failed")
	}
}

// kfdShapes are the requests of the compute node.
var kfdShapes = []shape{
	{0x01, 8, nil, nil, nil}, {0x02, 88, nil, []int{0, 2, 4, 14, 18}, []int{8, 10, 11, 12}}, {0x03, 8, []int{0}, nil, nil}, {0x04, 32, nil, nil, []int{5}},
	{0x05, 40, nil, nil, []int{8}}, {0x06, 400, nil, nil, nil}, {0x07, 24, []int{2}, []int{0}, []int{3, 4, 5}}, {0x08, 32, []int{0}, nil, []int{3, 4}},
	{0x09, 8, []int{0}, nil, nil}, {0x0a, 8, []int{0}, nil, nil}, {0x0b, 8, []int{0}, nil, nil}, {0x0c, 24, nil, []int{0}, []int{2, 3}},
	{0x11, 16, nil, nil, []int{0}}, {0x12, 40, nil, []int{0, 2}, []int{4, 5}}, {0x13, 24, nil, nil, nil}, {0x14, 16, nil, []int{0}, []int{2}},
	{0x15, 8, []int{0}, nil, nil}, {0x16, 40, nil, []int{6}, []int{0, 2, 9}}, {0x17, 8, []int{0}, nil, nil}, {0x18, 24, []int{0}, []int{2}, []int{4, 5}},
	{0x19, 24, []int{0}, []int{2}, []int{4, 5}}, {0x1a, 16, []int{0}, []int{2}, []int{1}}, {0x1b, 24, []int{4}, nil, nil}, {0x20, 24, nil, nil, []int{0}},
	{0x21, 4, nil, nil, []int{0}}, {0x23, 16, nil, nil, nil}, {0x80, 48, nil, nil, nil}, {0x7f, 8, nil, nil, nil},
}

// gpuWords are the words that have the number of the GPU.
var gpuWords = map[int]int{0x02: 9, 0x04: 4, 0x05: 8, 0x11: 2, 0x12: 6, 0x13: 4, 0x15: 1, 0x16: 8, 0x23: 2}

// Where a hostile client has memory of the GPU, and what is in it.
const (
	hostileVA     = 8 << 30
	hostileSize   = 64 << 10
	hostileRing   = 0      // of 4 KiB
	hostileDMA    = 0x1000 // of 4 KiB
	hostileQueue  = 0x2000 // an amd_queue_t
	hostileDMAPtr = 0x2100
	hostileSignal = 0x2200
	hostileCode   = 0x3000
	hostileGPU    = 0x67df
)

// A kfdClient is a hostile client of the compute node.
type kfdClient struct {
	r        *rand.Rand
	fd, drm  int
	mem      []byte // of the GPU
	data     []byte // what pointers point to
	answered int
}

func (k *kfdClient) call(nr int, buf []byte) bool {
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(k.fd), uintptr(3)<<30|uintptr(len(buf))<<16|'K'<<8|uintptr(nr), uintptr(unsafe.Pointer(&buf[0])))
	if errno == 0 {
		k.answered++
	}
	return errno == 0
}

// words makes a request of words.
func (k *kfdClient) words(nr int, w ...uint64) []uint64 {
	if !k.call(nr, unsafe.Slice((*byte)(unsafe.Pointer(&w[0])), 8*len(w))) {
		panic(fmt.Sprintf("request %#x failed", nr))
	}
	return w
}

// open opens the nodes and makes memory, events and two queues.
func (k *kfdClient) open() {
	unix.Close(k.fd)
	unix.Close(k.drm)
	var err error
	k.fd, err = unix.Open("/dev/kfd", unix.O_RDWR|unix.O_CLOEXEC, 0)
	must(err)
	k.drm, err = unix.Open("/dev/dri/renderD128", unix.O_RDWR|unix.O_CLOEXEC, 0)
	must(err)
	k.words(0x15, uint64(k.drm)|hostileGPU<<32)
	m := k.words(0x16, hostileVA, hostileSize, 0, 0, hostileGPU|(1<<31|2)<<32)
	if k.mem != nil {
		must(unix.Munmap(k.mem))
	}
	k.mem, err = unix.Mmap(k.fd, int64(m[3]), hostileSize, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	must(err)
	binary.LittleEndian.PutUint32(k.data, hostileGPU)
	k.words(0x18, m[2], uint64(uintptr(unsafe.Pointer(&k.data[0]))), 1)
	e := k.words(0x16, hostileVA+1<<20, 32<<10, 0, 0, hostileGPU|(1<<31|2)<<32)
	k.words(0x18, e[2], uint64(uintptr(unsafe.Pointer(&k.data[0]))), 1)
	k.words(0x08, e[2], 0, 1, 0)
	for at := 0; at < 0x1000; at += 64 {
		k.mem[hostileRing+at] = 1 // invalid packets
	}
	k.queues()
}

// queues makes the queues.
func (k *kfdClient) queues() {
	const percent = 100
	for _, q := range [][4]uint64{{hostileRing, hostileQueue + 80, hostileQueue + 128, 2}, {hostileDMA, hostileDMAPtr, hostileDMAPtr + 8, 1}} {
		buf := make([]byte, 88)
		le := binary.LittleEndian
		le.PutUint64(buf[0:], hostileVA+q[0])
		le.PutUint64(buf[8:], hostileVA+q[1])
		le.PutUint64(buf[16:], hostileVA+q[2])
		le.PutUint32(buf[32:], 4096)
		le.PutUint32(buf[36:], hostileGPU)
		le.PutUint32(buf[40:], uint32(q[3]))
		le.PutUint32(buf[44:], percent)
		k.call(0x02, buf)
	}
}

// address is an address as packets have it: mostly of something that is there.
func (k *kfdClient) address() uint64 {
	list := []uint64{hostileSignal, hostileSignal + 64, hostileCode, hostileQueue, uint64(k.r.IntN(hostileSize)), 0}
	if k.r.IntN(6) == 0 {
		return k.r.Uint64() >> k.r.IntN(64)
	}
	return hostileVA + list[k.r.IntN(len(list))]
}

// scribble writes packets and pointers into the queues' memory.
func (k *kfdClient) scribble() {
	le, r := binary.LittleEndian, k.r
	for range 1 + r.IntN(3) {
		p := k.mem[hostileRing+r.IntN(64)*64:][:64]
		for w := 8; w < 64; w += 8 {
			le.PutUint64(p[w:], k.address())
		}
		le.PutUint16(p[2:], uint16(r.IntN(5)))
		for w := 4; w < 10; w += 2 {
			le.PutUint16(p[w:], uint16(small(r)))
		}
		for w := 12; w < 32; w += 4 {
			le.PutUint32(p[w:], uint32(small(r)))
		}
		le.PutUint16(p[0:], uint16(r.IntN(7)))
		if r.IntN(2) == 0 { // a dispatch that may begin
			le.PutUint16(p[0:], 2)
			for w := range 3 {
				le.PutUint16(p[4+2*w:], uint16(1+r.IntN(9)))
				le.PutUint32(p[12+4*w:], uint32(1+r.IntN(20)))
			}
			le.PutUint64(p[24:], 0)
			le.PutUint64(p[32:], hostileVA+hostileCode)
		}
		d := k.mem[hostileDMA+r.IntN(1000)*4:]
		le.PutUint32(d, uint32(r.IntN(16)|r.IntN(5)<<8))
		le.PutUint32(d[4:], uint32(k.address()))
		le.PutUint32(d[8:], uint32(k.address()>>32))
	}
	for range 4 {
		le.PutUint32(k.mem[hostileCode+r.IntN(1024)*4:], r.Uint32())
	}
	le.PutUint64(k.mem[hostileCode+16:], uint64(64+4*r.IntN(64))) // where a kernel begins
	le.PutUint64(k.mem[hostileQueue+r.IntN(32)*8:], k.address())
	le.PutUint64(k.mem[hostileSignal+r.IntN(16)*8:], uint64(r.IntN(3)))
	le.PutUint64(k.mem[hostileQueue+80:], le.Uint64(k.mem[hostileQueue+128:])+uint64(r.IntN(4)))
	le.PutUint32(k.mem[hostileDMAPtr:], uint32(r.IntN(1024)*4))
}

// one sends a random request.
func (k *kfdClient) one() {
	r, s := k.r, kfdShapes[k.r.IntN(len(kfdShapes))]
	buf := make([]byte, s.size)
	s.fill(r, buf)
	put := func(word int, v uint64) { putWord(buf, word, v) }
	for _, w := range s.pointers {
		p := uint64(uintptr(unsafe.Pointer(&k.data[r.IntN(len(k.data)/2)&^7])))
		if s.nr == 0x02 || s.nr == 0x07 {
			p = k.address()
		}
		if s.nr == 0x16 && r.IntN(2) == 0 {
			p &^= 4095
		}
		put(w, p)
		put(w+1, p>>32)
	}
	if w, ok := gpuWords[s.nr]; ok && r.IntN(8) != 0 {
		put(w, hostileGPU)
	}
	switch s.nr {
	case 0x0c:
		put(4, uint64(r.IntN(2))) // milliseconds
		put(5, 0)
	case 0x15:
		put(0, uint64(k.drm))
	case 0x16:
		put(0, uint64(r.IntN(64))<<12)
		put(1, uint64(r.IntN(4)))
		put(3, 0)
	}
	k.call(s.nr, buf)
}

// hostileKFD is the client: it exits with 0 if it lives on.
func hostileKFD(n int) int {
	k := &kfdClient{r: rand.New(rand.NewPCG(1, 9)), fd: -1, drm: -1, data: make([]byte, 1<<16)}
	k.open()
	for i := range n {
		if i%8 == 0 {
			k.scribble()
		}
		if i%32 == 0 {
			scramble(k.r, k.data)
			binary.LittleEndian.PutUint32(k.data, hostileGPU)
		}
		k.one()
		if k.r.IntN(500) == 0 {
			k.open()
		}
	}
	fmt.Printf("%d requests, %d answered without an error\n", n, k.answered)
	return 0
}
