//go:build linux && amd64

package gputest

import (
	"testing"
	"time"
)

// Domains of buffers in the global data share.
const (
	domainGDS = 8
	domainGWS = 16
	domainOA  = 32
)

// gdsClient has two buffers in the share: what a submission lists is what it writes and reads, from address 0 on.
func gdsClient() {
	d := openDevice()
	b := d.buffer(1<<32, 4096)
	for _, c := range [][2]uint64{{64<<10 + 4, domainGDS}, {65, domainGWS}, {17, domainOA}, {0, domainGDS}, {4, domainGDS | domainGWS}} {
		_, err := d.create(c[0], c[1])
		show("create", c, err)
	}
	first, err := d.create(16, domainGDS)
	must(err)
	second, err := d.create(8, domainGDS)
	must(err)
	counters, err := d.create(2, domainOA)
	must(err)
	a := [2]uint32{first}
	show("mmap", call(d, 0x41, &a))
	show("map", d.va(1, first, 1<<33, 0, 4096))
	run := func(handle uint32, packets ...[]uint32) error {
		entries := [][2]uint32{{b.handle}, {handle}, {counters}}
		list := struct {
			op, handle, n, size uint32
			ptr                 uint64
		}{^uint32(0), ^uint32(0), uint32(len(entries)), 8, address(entries)}
		buffers := chunkOf(6, list.op, list.handle, list.n, list.size, uint32(list.ptr), uint32(list.ptr>>32))
		seq, err := d.submit(d.context, b.put(0x800, packets...), buffers)
		if err == nil {
			_, err = d.wait(d.context, seq, time.Minute)
		}
		return err
	}
	write := func(at, v uint32) []uint32 { return packet(0x37, 3<<8|1<<20, at, 0, v) }
	read := func(at, to uint32) []uint32 {
		return packet(0x40, 3|5<<8|1<<20, at, 0, uint32(b.va)+to, uint32(b.va>>32))
	}
	show("first", run(first, write(0, 7), write(12, 8)))
	show("second", run(second, write(0, 9), read(0, 0), read(4, 4)))
	show("first again", run(first, read(0, 8), read(12, 12)), b.words[:4])
	show("past the end", run(second, write(8, 1)))
}

func TestGDSBuffers(t *testing.T) {
	expect(t, "gds", `create: [65540 8] cannot allocate memory
create: [65 16] cannot allocate memory
create: [17 32] cannot allocate memory
create: [0 8] invalid argument
create: [4 24] invalid argument
mmap: operation not permitted
map: invalid argument
first: <nil>
second: <nil>
first again: <nil> [9 0 7 8]
past the end: operation canceled
`, "gds")
}
