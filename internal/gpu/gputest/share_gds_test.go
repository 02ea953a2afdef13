//go:build linux && amd64

package gputest

import (
	"slices"
	"testing"
	"time"
	"unsafe"
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
		return d.lists(b, [][2]uint32{{b.handle}, {handle}, {counters}}, packets...)
	}
	write := func(at, v uint32) []uint32 { return packet(0x37, 3<<8|1<<20, at, 0, v) }
	read := func(at, to uint32) []uint32 {
		return packet(0x40, 3|5<<8|1<<20, at, 0, uint32(b.va)+to, uint32(b.va>>32))
	}
	show("first", run(first, write(0, 7), write(12, 8)))
	show("second", run(second, write(0, 9), read(0, 0), read(4, 4)))
	show("first again", run(first, read(0, 8), read(12, 12)), b.words[:4])
	show("two: the last", d.lists(b, [][2]uint32{{first}, {second}}, read(0, 0)), d.lists(b, [][2]uint32{{second}, {first}}, read(0, 4)), b.words[:2])

	other := openDevice()
	fd, err := d.exportBuffer(first, 0)
	must(err)
	far, err := other.importBuffer(fd)
	must(err)
	show("of another file", other.lists(other.buffer(1<<32, 4096), [][2]uint32{{far}}, write(4, 11)), run(first, read(4, 0)), b.words[0])

	list := []uint32{0, 0, 2, 8, 0, 0}
	entries := [][2]uint32{{b.handle}, {first}}
	*(*uint64)(unsafe.Pointer(&list[4])) = address(entries)
	a6 := [6]uint32(list)
	must(call(d, 0x43, &a6))
	d.list = a6[0]
	show("of a list", d.runs(b.put(0x800, read(12, 0))), b.words[0])
	show("beside a list", run(first))
	d.list = 999
	show("no list", d.runs(b.put(0x800, read(0, 0))))
	d.list = 0
	show("no buffer", d.lists(b, [][2]uint32{{first}, {999}}))
	chunk := listOf(entries)
	wide := listOf(entries)
	wide.data[3] = 16
	show("stride", d.runs(b.put(0x800, read(0, 0)), wide))
	show("two chunks", d.runs(b.put(0x800, read(0, 0)), chunk, chunk))
	show("two lists", d.runs(b.put(0x800, read(0, 0)), chunkOf(6, slices.Concat(chunk.data, chunk.data)...)))
	show("past the end", run(second, write(8, 1)))
}

// listOf is the chunk of a list of buffers: handles, and priorities.
func listOf(entries [][2]uint32) chunk {
	at := address(entries)
	return chunkOf(6, ^uint32(0), ^uint32(0), uint32(len(entries)), 8, uint32(at), uint32(at>>32))
}

// lists submits packets with a list of buffers, and waits for them.
func (d *device) lists(b *buffer, entries [][2]uint32, packets ...[]uint32) error {
	return d.runs(b.put(0x800, packets...), listOf(entries))
}

// runs submits chunks and waits for them.
func (d *device) runs(chunks ...chunk) error {
	seq, err := d.submit(d.context, chunks...)
	if err == nil {
		_, err = d.wait(d.context, seq, time.Minute)
	}
	return err
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
two: the last: <nil> <nil> [9 7]
of another file: <nil> <nil> 11
of a list: <nil> 8
beside a list: invalid argument
no list: no such file or directory
no buffer: no such file or directory
stride: invalid argument
two chunks: invalid argument
two lists: invalid argument
past the end: operation canceled
`, "gds")
}
