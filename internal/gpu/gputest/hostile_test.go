//go:build linux && amd64

package gputest

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// hostileVariable is the seed and the number of requests of a client that sends random ones.
const hostileVariable = "HEDDLE_TEST_HOSTILE"

// TestHostileClient: random requests of the device, with plausible and senseless structures, do not end it, and it
// still serves another client afterwards.
func TestHostileClient(t *testing.T) {
	n := 20_000
	if long {
		n = 1_000_000
	}
	for seed, c := range chips() {
		r := onGPU(t, c, []string{fmt.Sprintf("%s=%d,%d", hostileVariable, seed, n)}, os.Args[0])
		if r.code != nil || !strings.Contains(r.out, fmt.Sprintf("%d requests", n)) {
			t.Errorf("%s: %v\n%s%s", c, r.code, r.out, last(r.log))
		}
		t.Logf("%s: %s", c, r.out)
	}
}

func last(text string) string { return text[max(0, len(text)-2000):] }

// A shape is a request with the size of its structure, and the words that are handles, counts or pointers.
type shape struct {
	nr, size int
	handles  []int // words
	pointers []int // pairs of words
	small    []int // words that are operations, counts or flags
}

// fill fills a structure with random handles and small numbers, but for its pointers, and sometimes with anything.
func (s *shape) fill(r *rand.Rand, buf []byte) {
	if r.IntN(4) == 0 {
		for i := range buf {
			buf[i] = byte(r.Uint32())
		}
	}
	for _, h := range s.handles {
		putWord(buf, h, uint64(r.IntN(12)))
	}
	for _, w := range s.small {
		putWord(buf, w, small(r))
	}
}

var shapes = []shape{
	{0x00, 64, nil, []int{6, 10, 14}, []int{4, 8, 12}}, {0x09, 8, []int{0}, nil, nil}, {0x0c, 16, nil, nil, []int{0}},
	{0x40, 32, nil, nil, []int{0, 2, 4}}, {0x41, 8, []int{0}, nil, nil}, {0x42, 16, []int{2}, nil, []int{0}},
	{0x43, 24, []int{1}, []int{4}, []int{0, 2, 3}}, {0x44, 24, []int{0, 1}, []int{4}, []int{2}}, {0x45, 32, nil, []int{0}, []int{2, 3, 4, 5, 6}},
	{0x46, 288, []int{0}, nil, []int{1, 6}}, {0x47, 16, []int{0}, nil, []int{2}}, {0x48, 40, []int{0}, nil, []int{2, 3, 8}},
	{0x49, 32, nil, nil, []int{0, 2, 4, 7}}, {0x50, 16, []int{0}, []int{2}, []int{1}}, {0x51, 24, nil, []int{0}, []int{2}},
	{0x52, 24, nil, []int{0}, []int{2, 3, 4}}, {0x53, 8, nil, nil, []int{0}}, {0x54, 32, nil, nil, []int{0, 1, 4, 6}}, {0x55, 16, nil, nil, []int{0}},
	{0xbf, 8, nil, nil, []int{1}}, {0xc0, 8, []int{0}, nil, nil}, {0xc3, 32, nil, []int{0}, []int{2, 4, 5}}, {0xc4, 16, nil, []int{0}, []int{2}},
	{0xc5, 16, nil, []int{0}, []int{2}}, {0xca, 40, nil, []int{0, 2}, []int{4, 6, 7}}, {0xcb, 24, nil, []int{0, 2}, []int{4, 5}},
	{0xcc, 32, []int{0, 1}, nil, []int{2, 4, 6}}, {0xcd, 24, nil, []int{0, 2}, []int{4, 5}}, {0x2d, 12, []int{0}, nil, nil}, {0x2e, 12, nil, nil, []int{2}}, {0xc1, 16, []int{0}, nil, []int{1}},
	{0xc2, 16, nil, nil, []int{1, 2}},
}

// timeouts are the upper words of absolute times in requests that wait.
var timeouts = map[int]int{0x47: 3, 0x49: 3, 0x52: 5, 0xc3: 3, 0xca: 5}

// hostile is the client: it sends random requests and exits with 0 if it lives on.
func hostile(text string) int {
	a, b, _ := strings.Cut(text, ",")
	seed, _ := strconv.ParseUint(a, 10, 64)
	n, _ := strconv.Atoi(b)
	if a == "kfd" {
		return hostileKFD(n)
	}
	r := rand.New(rand.NewPCG(seed, 7))
	fd, err := unix.Open("/dev/dri/renderD128", unix.O_RDWR, 0)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	data := make([]byte, 1<<16) // what pointers point to
	ok := 0
	for range n {
		s := shapes[r.IntN(len(shapes))]
		buf := make([]byte, max(s.size, 8))
		s.fill(r, buf)
		put := func(word int, v uint64) { putWord(buf, word, v) }
		for _, w := range s.pointers {
			p := uint64(uintptr(unsafe.Pointer(&data[r.IntN(len(data)/2)&^7])))
			if r.IntN(8) == 0 {
				p = r.Uint64()
			}
			put(w, p)
			put(w+1, p>>32)
		}
		if w := timeouts[s.nr]; w != 0 { // in the past: a wait for what nobody submits would never end
			put(w, 0)
		}
		if r.IntN(16) == 0 {
			scramble(r, data)
		}
		dir := uintptr(3) << 30
		_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), dir|uintptr(s.size)<<16|'d'<<8|uintptr(s.nr), uintptr(unsafe.Pointer(&buf[0])))
		if errno == 0 {
			ok++
		}
		if r.IntN(5000) == 0 { // everything again
			unix.Close(fd)
			if fd, err = unix.Open("/dev/dri/renderD128", unix.O_RDWR, 0); err != nil {
				fmt.Println(err)
				return 1
			}
		}
	}
	fmt.Printf("%d requests, %d answered without an error\n", n, ok)
	return 0
}

// putWord sets a word of a structure, if it has it.
func putWord(buf []byte, word int, v uint64) {
	if 4*word+4 <= len(buf) {
		binary.LittleEndian.PutUint32(buf[4*word:], uint32(v))
	}
}

// small is a number as operations, counts and sizes are.
func small(r *rand.Rand) uint64 {
	switch r.IntN(6) {
	case 0:
		return uint64(1) << r.IntN(32)
	case 1:
		return uint64(r.Uint32())
	case 2:
		return 0x1000 * uint64(r.IntN(16))
	}
	return uint64(r.IntN(8))
}

// scramble changes what pointers point to: chunks that point into it again, handles, points.
func scramble(r *rand.Rand, data []byte) {
	for range 64 {
		at := r.IntN(len(data)/8) * 8
		v := uint64(r.IntN(10)) | uint64(r.IntN(10))<<32
		switch r.IntN(4) {
		case 0:
			v = uint64(uintptr(unsafe.Pointer(&data[r.IntN(len(data)/8)*8])))
		case 1:
			v = r.Uint64()
		}
		binary.LittleEndian.PutUint64(data[at:], v)
	}
}
