//go:build linux && amd64

package gputest

import (
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/heddle-gpu/heddle/internal/gpu/amdgpu"
)

// expect runs a client and compares what it prints; log is part of what the device says.
func expect(t *testing.T, client, want, log string) result {
	t.Helper()
	return expectWith(t, amdgpu.Options{Hang: time.Minute}, client, want, log)
}

func expectWith(t *testing.T, opt amdgpu.Options, client, want, log string) result {
	t.Helper()
	r := withOptions(t, "polaris10", opt, []string{clientVariable + "=" + client}, os.Args[0])
	if r.code != nil || r.out != want {
		t.Errorf("%v: got\n%s%s%s", r.code, r.out, r.err, r.log)
	}
	if log == "" && r.log != "" || !strings.Contains(r.log, log) {
		t.Errorf("the device says %q, want %q", r.log, log)
	}
	return r
}

const (
	waitAll    = 1
	waitSubmit = 2
)

func syncsClient() {
	d := openDevice()
	a, b := d.newSync(0), d.newSync(1)
	wait := func(flags uint32, limit time.Duration, handles ...uint32) string {
		n, err := d.waitSync(flags, limit, handles, make([]uint64, len(handles)))
		if err != nil {
			return err.Error()
		}
		if flags&waitAll != 0 {
			return "all"
		}
		return string(rune('0' + n))
	}
	far := monotonic() + time.Minute
	show("not submitted", wait(0, far, a))
	show("any", wait(waitSubmit, far, a, b))
	show("all, at once", wait(waitAll|waitSubmit, 0, a, b))
	show("all, before the beginning", wait(waitAll|waitSubmit, -1<<63, a, b))
	show("all, in the past", wait(waitAll|waitSubmit, monotonic()-time.Second, a, b))
	begin := monotonic()
	show("all, in 30 ms", wait(waitAll|waitSubmit, begin+30*time.Millisecond, a, b))
	show("that took as long", monotonic()-begin >= 30*time.Millisecond)
	show("bad flags", wait(1<<20, far, a))
	show("bad handle", wait(0, far, 12345))
	show("nothing", wait(0, far))
	time.AfterFunc(20*time.Millisecond, func() { must(d.setSync(0xc5, a)) })
	show("all, signalled meanwhile", wait(waitAll|waitSubmit, far, a, b))
	must(d.setSync(0xc4, a))
	show("reset", wait(0, far, a))

	tl := []uint32{d.newSync(0)}
	query := func(flags uint32) uint64 {
		p := []uint64{77}
		must(d.timeline(0xcb, flags, tl, p))
		return p[0]
	}
	must(d.timeline(0xcd, 0, tl, []uint64{5}))
	show("value", query(0), query(1))
	n, err := d.waitSync(0, far, tl, []uint64{5})
	show("point 5", n, err)
	_, err = d.waitSync(0, far, tl, []uint64{6})
	show("point 6", err)
	time.AfterFunc(20*time.Millisecond, func() { must(d.timeline(0xcd, 0, tl, []uint64{9})) })
	_, err = d.waitSync(waitSubmit, far, tl, []uint64{6})
	show("point 6, later", err, query(0))
	show("transfer", d.transfer(tl[0], 9, a, 0, 0), wait(0, 0, a))
	show("transfer of nothing", d.transfer(tl[0], 10, a, 0, 0))
	time.AfterFunc(20*time.Millisecond, func() { must(d.timeline(0xcd, 0, tl, []uint64{10})) })
	show("transfer, later", d.transfer(tl[0], 10, b, 3, waitSubmit))
	_, err = d.waitSync(0, 0, []uint32{b}, []uint64{3})
	show("its point", err)
	h := [2]uint32{a}
	show("destroy", call(d, 0xc0, &h), call(d, 0xc0, &h))
}

func TestSyncs(t *testing.T) {
	expect(t, "syncs", `not submitted: invalid argument
any: 1
all, at once: timer expired
all, before the beginning: timer expired
all, in the past: timer expired
all, in 30 ms: timer expired
that took as long: true
bad flags: invalid argument
bad handle: no such file or directory
nothing: invalid argument
all, signalled meanwhile: all
reset: invalid argument
value: 5 5
point 5: 0 <nil>
point 6: invalid argument
point 6, later: <nil> 9
transfer: <nil> 0
transfer of nothing: invalid argument
transfer, later: <nil>
its point: <nil>
destroy: <nil> invalid argument
`, "")
}

// usage asks for the bytes of VRAM and GTT that are used.
func (d *device) usage() (list []uint64) {
	for _, query := range []uint32{0x10, 0x11} {
		v := []uint64{0}
		a := struct {
			ptr         uint64
			size, query uint32
			_           [4]uint32
		}{ptr: address(v), size: 8, query: query}
		must(call(d, 0x45, &a))
		list = append(list, v[0])
	}
	return list
}

func memoryClient() {
	d, other := openDevice(), openDevice()
	for _, size := range []uint64{0, 1<<64 - 1, 1<<64 - 4096, 1 << 63, 1 << 41, 8<<30 + 1} {
		_, err := d.create(size, vram)
		_, err2 := d.create(size, gtt)
		show("size", size, err, err2)
	}
	first, err := d.create(5<<30, vram)
	show("5 GiB", err, d.usage())
	_, err = other.create(4<<30, vram)
	show("4 GiB of another file", err)
	second, err := other.create(4<<30, vram|gtt)
	show("4 GiB anywhere", err, d.usage())
	show("free", d.free(first), other.free(second), d.free(first), d.usage())
	handle, _ := d.create(8192, vram)
	must(d.va(1, handle, 1<<32, 0, 8192))
	for _, c := range []struct {
		op            uint32
		va, off, size uint64
	}{{1, 1<<32 + 4096, 0, 4096}, {1, 1 << 33, 4096, 8192}, {1, 1 << 33, 1<<64 - 4096, 8192}, {1, 1 << 33, 0, 1<<64 - 4096},
		{1, 1<<64 - 4096, 0, 4096}, {1, 1 << 33, 0, 0}, {2, 1<<32 + 4096, 0, 4096}, {9, 1 << 33, 0, 4096}, {4, 1<<32 + 4096, 0, 4096}, {3, 1 << 32, 0, 8192}} {
		show("operation", c.op, d.va(c.op, handle, c.va, c.off, c.size))
	}
	show("free", d.free(handle), d.usage())
	n := 0
	for ; n < 10_000; n++ {
		a := [4]uint32{1}
		if err := call(d, 0x42, &a); err != nil {
			show("contexts", n, err)
			break
		}
	}
}

func TestMemory(t *testing.T) {
	expect(t, "memory", `size: 0 invalid argument invalid argument
size: 18446744073709551615 cannot allocate memory cannot allocate memory
size: 18446744073709547520 cannot allocate memory cannot allocate memory
size: 9223372036854775808 cannot allocate memory cannot allocate memory
size: 2199023255552 cannot allocate memory cannot allocate memory
size: 8589934593 cannot allocate memory cannot allocate memory
5 GiB: <nil> [5368709120 0]
4 GiB of another file: cannot allocate memory
4 GiB anywhere: <nil> [5368709120 4294967296]
free: <nil> <nil> invalid argument [0 0]
operation: 1 invalid argument
operation: 1 invalid argument
operation: 1 invalid argument
operation: 1 invalid argument
operation: 1 invalid argument
operation: 1 invalid argument
operation: 2 no such file or directory
operation: 9 invalid argument
operation: 4 <nil>
operation: 3 <nil>
free: <nil> [0 0]
contexts: 4094 no space left on device
`, "")
}

// spin waits until a word has a value, as programs poll memory.
func spin(w *uint32, v uint32) bool {
	for end := monotonic() + 10*time.Second; atomic.LoadUint32(w) != v; {
		if monotonic() > end {
			return false
		}
	}
	return true
}

func submitsClient() {
	d := openDevice()
	ib, data := d.buffer(1<<32, 1<<16), d.buffer(1<<33, 1<<16)
	done := d.newSync(0)
	write := ib.put(0, writeData(data.va, 42))
	out := chunkOf(chunkSyncOut, done)
	huge := chunk{chunkSyncIn, 1<<32 - 1, []uint32{done}}
	for _, c := range []struct {
		name   string
		chunks []chunk
	}{
		{"none", nil},
		{"no commands", []chunk{out}},
		{"unknown", []chunk{write, chunkOf(77, 1)}},
		{"half a word", []chunk{{chunkIB, 8, []uint32{0, 0, 0, 1, 6, 1, 0, 0}}}},
		{"short", []chunk{chunkOf(chunkIB, 0, 0)}},
		{"two rings", []chunk{write, chunkOf(chunkIB, 0, 0, 0, 1, 8, 0, 0, 0)}},
		{"no such ring", []chunk{chunkOf(chunkIB, 0, 0, 0, 1, 8, 1, 0, 9)}},
		{"no such kind of ring", []chunk{chunkOf(chunkIB, 0, 0, 0, 1, 8, 7, 0, 0)}},
		{"fence outside", []chunk{write, chunkOf(chunkFence, data.handle, 1<<16)}},
		{"fence between", []chunk{write, chunkOf(chunkFence, data.handle, 4)}},
		{"fence of nothing", []chunk{write, chunkOf(chunkFence, 999, 0)}},
		{"wait for nothing", []chunk{write, chunkOf(chunkSyncIn, 999)}},
		{"wait for what is not submitted", []chunk{write, chunkOf(chunkSyncIn, done)}},
		{"wait for the future", []chunk{write, chunkOf(chunkDepends, 1, 0, 0, d.context, 5, 0)}},
		{"signal nothing", []chunk{write, chunkOf(chunkTimeline, 999, 0, 5, 0)}},
		{"huge", []chunk{write, huge}},
		{"bad pointer", []chunk{write, {chunkSyncOut, 1, nil}}},
	} {
		_, err := d.submit(d.context, c.chunks...)
		show(c.name, err)
	}
	_, err := d.submit(999, write)
	show("no such context", err)
	_, err = d.waitSync(0, 0, []uint32{done}, []uint64{0})
	show("what failed signals nothing", err, data.words[0])

	seq, err := d.submit(d.context, write, out, chunkOf(chunkFence, data.handle, 64), chunkOf(chunkTimeline, done, 0, 0, 0))
	show("submit", seq, err)
	show("user fence", spin(&data.words[16], 1), data.words[0])
	_, err = d.waitSync(waitSubmit, monotonic()+time.Minute, []uint32{done}, []uint64{0})
	show("syncobj", err)
	ended, err := d.wait(d.context, seq, 0)
	show("wait", ended, err)

	heldJobs(d, ib, data, done)
	seq, err = d.submit(d.context, write)
	must(err)
	ended, err = d.wait(d.context, seq, time.Minute)
	show("and on", ended, err)
}

// heldJobs submits jobs that wait. Jobs of a queue are executed in order, and its context may be freed meanwhile.
func heldJobs(d *device, ib, data *buffer, done uint32) {
	out, x := chunkOf(chunkSyncOut, done), d.newContext()
	hold := ib.put(1024, waitMemory(data.va+4, 1), writeData(data.va+8, 7))
	after := ib.put(2048, writeData(data.va+12, 8))
	_, err := d.submit(x, hold)
	must(err)
	last, err := d.submit(x, after, out)
	must(err)
	ended, err := d.wait(x, last, 20*time.Millisecond)
	show("held", ended, err, data.words[2], data.words[3])
	must(d.va(2, data.handle, data.va, 0, 1<<16)) // what was submitted keeps its pages
	_, err = d.contextOp(2, x)
	show("free", err)
	atomic.StoreUint32(&data.words[1], 1)
	_, err = d.waitSync(0, monotonic()+time.Minute, []uint32{done}, []uint64{0})
	show("ended", err, data.words[2], data.words[3])
	must(d.va(1, data.handle, data.va, 0, 1<<16))

	// Another file's work, and the end of the file with work that never ends.
	other := openDevice()
	never := other.buffer(1<<32, 4096)
	_, err = other.submit(other.context, never.put(0, waitMemory(never.va+256, 1)))
	show("never", err, unix.Close(other.fd))
	time.Sleep(100 * time.Millisecond)
}

func TestSubmits(t *testing.T) {
	expect(t, "submits", `none: invalid argument
no commands: invalid argument
unknown: invalid argument
half a word: invalid argument
short: invalid argument
two rings: invalid argument
no such ring: invalid argument
no such kind of ring: invalid argument
fence outside: invalid argument
fence between: invalid argument
fence of nothing: invalid argument
wait for nothing: invalid argument
wait for what is not submitted: invalid argument
wait for the future: invalid argument
signal nothing: invalid argument
huge: argument list too long
bad pointer: bad address
no such context: invalid argument
what failed signals nothing: invalid argument 0
submit: 1 <nil>
user fence: true 42
syncobj: <nil>
wait: true <nil>
held: false <nil> 0 0
free: <nil>
ended: <nil> 7 8
never: <nil> <nil>
and on: true <nil>
`, "chunk 0x4d of a submission is not built")
}

func faultsClient() {
	d := openDevice()
	innocent := d.newContext()
	ib := d.buffer(1<<32, 1<<16)
	state := func(x uint32) (uint32, uint32) {
		a, err := d.contextOp(3, x)
		must(err)
		b, err := d.contextOp(4, x)
		must(err)
		return a[3], b[0]
	}
	done := d.newSync(0)
	seq, err := d.submit(d.context, ib.put(0, writeData(1<<40-4096, 1)), chunkOf(chunkSyncOut, done))
	show("submit", seq, err)
	_, err = d.waitSync(0, monotonic()+time.Minute, []uint32{done}, []uint64{0})
	show("syncobj", err)
	ended, err := d.wait(d.context, seq, time.Minute)
	show("wait", ended, err)
	show("state", first(state(d.context)))
	show("state again", first(state(d.context)))
	_, reset := state(d.context)
	show("flags", reset)
	_, err = d.submit(d.context, ib.put(0, writeData(ib.va+4096, 1)))
	show("lost", err)
	status, flags := state(innocent)
	show("another", status, flags)
	seq, err = d.submit(innocent, ib.put(0, writeData(ib.va+4096, 1)))
	must(err)
	ended, err = d.wait(innocent, seq, time.Minute)
	show("goes on", ended, err, ib.words[1024])
}

func first(a, _ uint32) uint32 { return a }

func TestFaults(t *testing.T) {
	r := expect(t, "faults", `submit: 1 <nil>
syncobj: <nil>
wait: false operation canceled
state: 1
state again: 0
flags: 5
lost: operation canceled
another: 0 0
goes on: true <nil> 1
`, "the context is lost")
	if n := r.stats.Faults.Load(); n != 1 {
		t.Errorf("%d faults, want 1", n)
	}
}

// hangsClient waits for memory that nothing writes.
func hangsClient() {
	d := openDevice()
	b := d.buffer(1<<32, 1<<16)
	seq, err := d.submit(d.context, b.put(0, waitMemory(b.va+4096, 1)))
	show("submit", err)
	ended, err := d.wait(d.context, seq, time.Minute)
	show("wait", ended, err)
	_, err = d.submit(d.context, b.put(0, waitMemory(b.va+4096, 1)))
	show("again", err)
}

func TestHangs(t *testing.T) {
	expectWith(t, amdgpu.Options{Hang: 300 * time.Millisecond}, "hangs", `submit: <nil>
wait: false operation canceled
again: operation canceled
`, "hang: a submission has not ended after 300ms")
}

// programsClient runs code that it changes: a store of a constant by buffer_store_dword.
func programsClient() {
	d := openDevice()
	b := d.buffer(1<<32, 1<<16)
	out := b.va + 8192
	code := []uint32{
		0xbe8000ff, uint32(out), // s_mov_b32 s0, out
		0xbe810081,    // s_mov_b32 s1, 1: its high half
		0x7e000200,    // v_mov_b32 v0, s0
		0x7e020201,    // v_mov_b32 v1, s1
		0x7e0402ff, 1, // v_mov_b32 v2, 1
		0xdc700000, 0x00000200, // flat_store_dword v[0:1], v2
		0xbf8c0070, // s_waitcnt
		0xbf810000, // s_endpgm
	}
	copy(b.words[1024:], code)
	for _, v := range []uint32{5, 5, 6, 6, 6, 5} {
		b.words[1024+6] = v
		seq, err := d.submit(d.context, b.put(0, dispatch(b.va+4096)))
		must(err)
		ended, err := d.wait(d.context, seq, time.Minute)
		show("stored", ended, err, *(*uint32)(unsafe.Pointer(&b.words[2048])))
	}
}

// Code that changes in memory is compiled again, and code that does not is not.
func TestPrograms(t *testing.T) {
	r := expect(t, "programs", `stored: true <nil> 5
stored: true <nil> 5
stored: true <nil> 6
stored: true <nil> 6
stored: true <nil> 6
stored: true <nil> 5
`, "")
	if n, d := r.stats.Programs.Load(), r.stats.Dispatches.Load(); n != 3 || d != 6 {
		t.Errorf("%d programs of %d dispatches, want 3 of 6", n, d)
	}
}
