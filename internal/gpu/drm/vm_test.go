//go:build linux && amd64

package drm

import (
	"encoding/binary"
	"io"
	"runtime/debug"
	"testing"

	"golang.org/x/sys/unix"
	"pgregory.net/rapid"

	"github.com/heddle-gpu/heddle/internal/gpu/host"
	"github.com/heddle-gpu/heddle/mem"
)

// A noDriver is a driver without requests.
type noDriver struct{}

func (noDriver) Version() Version          { return Version{} }
func (noDriver) Cap(uint64) (uint64, bool) { return 0, false }
func (noDriver) Requests() []Request       { return nil }
func (noDriver) Open(*File) Client         { return noClient{} }

type noClient struct{}

func (noClient) Close() {}

// newFile opens a file of a device with a heap of 1 MiB.
func newFile(t testing.TB) (*File, *Heap) {
	t.Helper()
	a, err := host.NewArena("heddle-test")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.Close)
	f, err := NewDevice(noDriver{}, a, io.Discard).OpenFile()
	if err != nil {
		t.Fatal(err)
	}
	return f.(*File), &Heap{Size: 1 << 20}
}

const page = host.PageSize

// tagged makes a buffer whose pages begin with tag, tag+1 and so on.
func tagged(t interface{ Fatal(...any) }, f *File, h *Heap, pages int, tag uint64) *Buffer {
	b, _, err := f.NewBuffer(uint64(pages)*page, 0, h)
	if err != nil {
		t.Fatal(err)
	}
	for i := range pages {
		binary.LittleEndian.PutUint64(b.Bytes()[i*page:], tag+uint64(i))
	}
	return b
}

func tagAt(m *Memory, va uint64) (uint64, bool) {
	var b [8]byte
	err := m.Read(va, b[:])
	return binary.LittleEndian.Uint64(b[:]), err == nil
}

func TestMap(t *testing.T) {
	f, h := newFile(t)
	b := tagged(t, f, h, 4, 100)
	all := mem.Read | mem.Write
	for _, c := range []struct {
		name string
		m    Mapping
		want error
	}{
		{"part", Mapping{VA: 16 * page, Size: 2 * page, Buffer: b, Off: page, Rights: all}, nil},
		{"overlap at the end", Mapping{VA: 17 * page, Size: page, Buffer: b, Rights: all}, unix.EINVAL},
		{"overlap around", Mapping{VA: 15 * page, Size: 4 * page, Buffer: b, Rights: all}, unix.EINVAL},
		{"neighbour", Mapping{VA: 18 * page, Size: page, Buffer: b, Rights: all}, nil},
		{"no size", Mapping{VA: 32 * page, Buffer: b}, unix.EINVAL},
		{"half a page", Mapping{VA: 32 * page, Size: page / 2, Buffer: b}, unix.EINVAL},
		{"odd address", Mapping{VA: 32*page + 8, Size: page, Buffer: b}, unix.EINVAL},
		{"odd offset", Mapping{VA: 32 * page, Size: page, Buffer: b, Off: 8}, unix.EINVAL},
		{"past the buffer", Mapping{VA: 32 * page, Size: 2 * page, Buffer: b, Off: 3 * page}, unix.EINVAL},
		{"offset that overflows", Mapping{VA: 32 * page, Size: 2 * page, Buffer: b, Off: 1<<64 - page}, unix.EINVAL},
		{"past the end", Mapping{VA: VMSize - page, Size: 2 * page}, unix.EINVAL},
		{"size that overflows", Mapping{VA: 32 * page, Size: 1<<64 - page}, unix.EINVAL},
	} {
		if err := f.VM.Map(c.m); err != c.want {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
	m := f.VM.Begin()
	defer f.VM.End(m)
	for i, want := range []uint64{101, 102, 100} {
		if got, ok := tagAt(m, uint64(16+i)*page); !ok || got != want {
			t.Errorf("page %d: %d %v, want %d", 16+i, got, ok, want)
		}
	}
	if err := m.Write(18*page-4, []byte("12345678")); err != nil || string(b.Bytes()[3*page-4:3*page]) != "1234" || string(b.Bytes()[:4]) != "5678" {
		t.Errorf("a store to two mappings: %v", err)
	}
	if err := m.Read(19*page-4, make([]byte, 8)); err == nil {
		t.Error("a load beyond the last mapping is no error")
	}
	if err := f.VM.Unmap(b, 17*page); err != unix.ENOENT {
		t.Errorf("unmapping inside of a mapping: %v", err)
	}
}

// Pages that are unmapped stay for the work that has begun before, however much begins after it.
func TestUnmapWhileWorking(t *testing.T) {
	f, h := newFile(t)
	b := tagged(t, f, h, 2, 7)
	if err := f.VM.Map(Mapping{VA: page, Size: 2 * page, Buffer: b, Rights: mem.Read}); err != nil {
		t.Fatal(err)
	}
	first := f.VM.Begin()
	if err := f.VM.Clear(page, page); err != nil {
		t.Fatal(err)
	}
	second := f.VM.Begin()
	f.VM.dropBuffer(b)
	b.Release() // the handle's
	third := f.VM.Begin()
	if got, ok := tagAt(first, page); !ok || got != 7 {
		t.Errorf("the work that began first reads %d %v", got, ok)
	}
	if _, ok := tagAt(second, page); ok {
		t.Error("the work that began second reads what was unmapped before")
	}
	f.VM.End(first)
	if got, ok := tagAt(second, 2*page); !ok || got != 8 {
		t.Errorf("the work that began second reads %d %v", got, ok)
	}
	if h.Used() != 2*page {
		t.Errorf("%d bytes are used while work accesses the buffer", h.Used())
	}
	f.VM.End(second)
	if h.Used() != 0 || f.Arena.Used() != 0 {
		t.Errorf("%d bytes are used; the work that goes on has never seen the buffer", h.Used())
	}
	f.VM.End(third)
}

func TestHoles(t *testing.T) {
	f, h := newFile(t)
	b := tagged(t, f, h, 2, 5)
	for _, m := range []Mapping{
		{VA: page, Size: 4 * page, Rights: mem.Read | mem.Write},
		{VA: 2 * page, Size: page, Buffer: b, Rights: mem.Read | mem.Write},
	} {
		if err := f.VM.Replace(m); err != nil {
			t.Fatal(err)
		}
	}
	m := f.VM.Begin()
	defer f.VM.End(m)
	var c mem.Cursor
	p := make([]byte, 16)
	place, fault := m.Space.Reach(&c, 2*page-8, 16, 1, mem.Read|mem.Write)
	if fault != nil || place.Device == nil {
		t.Fatalf("%v: an access of a hole is not served", fault)
	}
	for i := range p {
		p[i] = 0xff
	}
	place.Device.Store(2*page-8, p)
	place.Device.Load(2*page-8, p)
	if binary.LittleEndian.Uint64(p) != 0 || binary.LittleEndian.Uint64(p[8:]) != 1<<64-1 || b.Bytes()[0] != 0xff {
		t.Errorf("a hole and a buffer after it read %x after ones were stored", p)
	}
	if _, fault := m.Space.Reach(&c, 5*page-8, 16, 1, mem.Read); fault == nil {
		t.Error("an access beyond a hole is no error")
	}
}

func TestHeap(t *testing.T) {
	f, h := newFile(t)
	second := &Heap{Size: 2 * page}
	for _, size := range []uint64{0, 1<<20 + 1, 1<<64 - 1, 1 << 63} {
		if _, _, err := f.NewBuffer(size, 0, h); err != unix.ENOMEM {
			t.Errorf("%#x bytes of 1 MiB: %v", size, err)
		}
	}
	b, _, err := f.NewBuffer(1<<20-1, 0, h, second)
	if err != nil || h.Used() != 1<<20 || second.Used() != 0 {
		t.Fatalf("%v, %d used", err, h.Used())
	}
	if _, _, err := f.NewBuffer(page, 0, h, second); err != nil || second.Used() != page {
		t.Errorf("%v: the second heap has %d used", err, second.Used())
	}
	if _, _, err := f.NewBuffer(page, 0, h); err != unix.ENOMEM {
		t.Errorf("a page of a full heap: %v", err)
	}
	b.Release()
	if h.Used() != 0 {
		t.Errorf("%d bytes are used by nothing", h.Used())
	}
}

// The number of mappings is limited, also of those that unmapping the middle of one makes.
func TestMostMappings(t *testing.T) {
	old := mostMappings
	mostMappings = func() int64 { return 10 }
	defer func() { mostMappings = old }()
	f, h := newFile(t)
	b := tagged(t, f, h, 64, 0)
	if err := f.VM.Map(Mapping{VA: 64 * page, Size: 64 * page, Buffer: b, Rights: mem.Read}); err != nil {
		t.Fatal(err)
	}
	n := 0
	for err := error(nil); err == nil && n < 32; n++ {
		err = f.VM.Clear(uint64(65+2*n)*page, page)
	}
	if err := f.VM.Map(Mapping{VA: page, Size: page, Buffer: b}); n > 10 || err != unix.ENOMEM {
		t.Errorf("%d holes, then %v", n, err)
	}
	f.Closed()
	if n := f.mappings.Load(); n != 0 {
		t.Errorf("%d mappings are left of a file that is closed", n)
	}
}

// A vmModel is an address space as a list of pages.
type vmModel struct {
	f       *File
	heap    *Heap
	buffers []*Buffer
	pages   [modelPages]modelPage
	shown   [modelPages]uint64 // the tag of the buffer that was mapped last
	working []modelWork
}

type modelPage struct {
	buffer *Buffer // nil: a hole, or nothing
	mapped bool
	tag    uint64
	start  int // page where its mapping starts
}

type modelWork struct {
	m     *Memory
	pages [modelPages]modelPage
}

const modelPages = 12

func (m *vmModel) insert(va, size, off int, b *Buffer, tag uint64) {
	for i := range size {
		m.pages[va+i] = modelPage{b, true, tag + uint64(off+i), va}
		if b != nil {
			m.shown[va+i] = tag + uint64(off+i)
		}
	}
}

func (m *vmModel) clear(va, size int) {
	end := va + size
	if end < modelPages && m.pages[end].mapped { // the rest of a mapping is one of its own
		for i, from := end, m.pages[end].start; i < modelPages && from < end && m.pages[i].mapped && m.pages[i].start == from; i++ {
			m.pages[i].start = end
		}
	}
	for i := va; i < end; i++ {
		m.pages[i] = modelPage{}
	}
}

// check compares what present work and work that goes on read with the model.
func (m *vmModel) check(t *rapid.T) {
	now := m.f.VM.Begin()
	defer m.f.VM.End(now)
	for _, w := range append(m.working, modelWork{now, m.pages}) {
		for i, p := range w.pages {
			got, ok := tagAt(w.m, uint64(i)*page)
			if want := p.buffer != nil; ok != want || ok && got != m.shown[i] {
				t.Fatalf("page %d reads %d %v, want %d %v", i, got, ok, m.shown[i], want)
			}
			if in, ok := w.m.Find(uint64(i) * page); ok != p.mapped || in.Buffer != p.buffer {
				t.Fatalf("page %d is of %v (%v), want %v (%v)", i, in.Buffer, ok, p.buffer, p.mapped)
			}
		}
	}
}

// Random operations do what they do to a list of pages; at the end nothing is left.
func TestVMModel(t *testing.T) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	f, _ := newFile(t)
	dev := f.Device
	f.Closed()
	rapid.Check(t, func(t *rapid.T) {
		heap := &Heap{Size: 1 << 20}
		opened, err := dev.OpenFile()
		if err != nil {
			t.Fatal(err)
		}
		m := &vmModel{f: opened.(*File), heap: heap}
		tags := map[*Buffer]uint64{}
		for _, tag := range []uint64{100, 200, 300} {
			b := tagged(t, m.f, m.heap, 6, tag)
			m.buffers, tags[b] = append(m.buffers, b), tag
		}
		t.Repeat(map[string]func(*rapid.T){
			"":    m.check,
			"map": func(t *rapid.T) { m.mapOne(t, tags) },
			"clear": func(t *rapid.T) {
				va := rapid.IntRange(0, modelPages-1).Draw(t, "va")
				size := rapid.IntRange(1, modelPages-va).Draw(t, "size")
				if err := m.f.VM.Clear(uint64(va)*page, uint64(size)*page); err != nil {
					t.Fatal(err)
				}
				m.clear(va, size)
			},
			"unmap": m.unmapOne,
			"drop": func(t *rapid.T) {
				b := rapid.SampledFrom(m.buffers).Draw(t, "buffer")
				m.f.VM.dropBuffer(b)
				for i := range m.pages {
					if m.pages[i].buffer == b {
						m.pages[i] = modelPage{}
					}
				}
			},
			"begin": func(*rapid.T) { m.working = append(m.working, modelWork{m.f.VM.Begin(), m.pages}) },
			"end": func(t *rapid.T) {
				if len(m.working) == 0 {
					t.Skip()
				}
				i := rapid.IntRange(0, len(m.working)-1).Draw(t, "work")
				m.f.VM.End(m.working[i].m)
				m.working = append(m.working[:i:i], m.working[i+1:]...)
			},
		})
		for _, w := range m.working {
			m.f.VM.End(w.m)
		}
		if n := len(m.f.VM.epochs); n != 1 || dev.mappings.Load() != int64(len(m.f.VM.mappings)) {
			t.Fatalf("without work there are %d epochs, and %d mappings of %d", n, len(m.f.VM.mappings), dev.mappings.Load())
		}
		m.f.Closed()
		if dev.Arena.Used() != 0 || heap.Used() != 0 || dev.mappings.Load() != 0 {
			t.Fatalf("%d bytes and %d mappings are left", dev.Arena.Used(), dev.mappings.Load())
		}
	})
}

func (m *vmModel) mapOne(t *rapid.T, tags map[*Buffer]uint64) {
	va, off := rapid.IntRange(0, modelPages-1).Draw(t, "va"), rapid.IntRange(0, 5).Draw(t, "off")
	size := rapid.IntRange(1, min(modelPages-va, 6-off)).Draw(t, "size")
	b := rapid.SampledFrom(append(m.buffers, nil)).Draw(t, "buffer")
	o := Mapping{VA: uint64(va) * page, Size: uint64(size) * page, Buffer: b, Off: uint64(off) * page, Rights: mem.Read}
	if rapid.Bool().Draw(t, "replace") {
		if err := m.f.VM.Replace(o); err != nil {
			t.Fatal(err)
		}
		m.clear(va, size)
		m.insert(va, size, off, b, tags[b])
		return
	}
	free := true
	for i := range size {
		free = free && !m.pages[va+i].mapped
	}
	err := m.f.VM.Map(o)
	if free != (err == nil) {
		t.Fatalf("%v, and that the range is free is %v", err, free)
	}
	if free {
		m.insert(va, size, off, b, tags[b])
	}
}

func (m *vmModel) unmapOne(t *rapid.T) {
	va := rapid.IntRange(0, modelPages-1).Draw(t, "va")
	p := m.pages[va]
	err := m.f.VM.Unmap(p.buffer, uint64(va)*page)
	if starts := p.mapped && p.start == va; starts != (err == nil) {
		t.Fatalf("%v, and that a mapping starts there is %v", err, starts)
	}
	if err == nil {
		for i := va; i < modelPages && m.pages[i].mapped && m.pages[i].start == va; i++ {
			m.pages[i] = modelPage{}
		}
	}
}

// TestShadow: a shadow is zero when memory is mapped anew, and the same for the same bytes whatever the segment is.
func TestShadow(t *testing.T) {
	f, h := newFile(t)
	b := tagged(t, f, h, 2, 5)
	shadow := func(va uint64) []byte {
		m := f.VM.Begin()
		defer f.VM.End(m)
		g, ok := m.Space.Find(va)
		if !ok {
			t.Fatalf("nothing at %#x", va)
		}
		return f.VM.Shadow(&g)[va-g.Base:]
	}
	mapped := func(va uint64) {
		if err := f.VM.Map(Mapping{VA: va, Size: page, Buffer: b, Rights: mem.ReadWrite}); err != nil {
			t.Fatal(err)
		}
	}
	mapped(8 * page)
	shadow(8 * page)[3] = 1
	if mapped(7 * page); shadow(8 * page)[3] != 1 { // one segment with its neighbour now
		t.Error("lost by a neighbour")
	}
	m := f.VM.Begin()
	g, _ := m.Shifted(7*page, 2*page).Space.Find(page)
	if f.VM.Shadow(&g)[8*page-7*page-g.Base+3] != 1 {
		t.Error("another one at another address")
	}
	f.VM.End(m)
	if err := f.VM.Clear(8*page, page); err != nil {
		t.Fatal(err)
	}
	if mapped(8 * page); shadow(8 * page)[3] != 0 {
		t.Error("mapped anew, and not zero")
	}
}
