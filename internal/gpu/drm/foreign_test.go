//go:build linux && amd64

package drm

import (
	"errors"
	"slices"
	"testing"

	"github.com/heddle-gpu/heddle/mem"
)

// ownBytes is memory of a program. It records what is stored.
type ownBytes struct {
	data   []byte
	stores int
	gone   bool
}

func (o *ownBytes) Load(off uint64, p []byte) error {
	if o.gone {
		return errors.New("no such process")
	}
	copy(p, o.data[off:])
	return nil
}

func (o *ownBytes) Store(off uint64, p []byte) error {
	o.stores += len(p)
	copy(o.data[off:], p)
	return nil
}

// TestForeign: work sees foreign memory as it is at the first access, and at its end what has changed is there, and no
// other byte was stored. Renew makes changes of both sides visible.
func TestForeign(t *testing.T) {
	f, _ := newFile(t)
	vm := f.VM
	own := &ownBytes{data: make([]byte, 3*4096)}
	own.data[10], own.data[5000] = 1, 2
	if err := vm.Map(Mapping{VA: 1 << 20, Size: 3 * 4096, Foreign: own, Rights: mem.ReadWrite}); err != nil {
		t.Fatal(err)
	}
	m := vm.Begin()
	b, err := m.Bytes(1<<20, 3*4096, mem.ReadWrite)
	if err != nil || b[10] != 1 || b[5000] != 2 {
		t.Fatal(err, b[10], b[5000])
	}
	b[11], b[5000], b[3*4096-1] = 7, 8, 9
	own.data[10] = 99 // the program changes it meanwhile
	vm.End(m)
	if got := []byte{own.data[10], own.data[11], own.data[5000], own.data[3*4096-1]}; !slices.Equal(got, []byte{99, 7, 8, 9}) || own.stores != 3 {
		t.Errorf("%v, %d bytes stored", got, own.stores)
	}
	vm.End(vm.Begin()) // work that does not access it
	if again := vm.Begin(); again == m {
		t.Error("the memory of work that has accessed foreign memory is used again")
	} else {
		vm.End(again)
	}
	m = vm.Begin()
	defer vm.End(m)
	var p [1]byte
	if err := m.Read(1<<20+10, p[:]); err != nil || p[0] != 99 {
		t.Errorf("%d, %v", p[0], err)
	}
	own.data[10] = 50
	if err := m.Write(1<<20+12, []byte{77}); err != nil {
		t.Fatal(err)
	}
	m.Renew()
	if err := m.Read(1<<20+10, p[:]); err != nil || p[0] != 50 || own.data[12] != 77 {
		t.Errorf("after Renew: %d, %v, %d", p[0], err, own.data[12])
	}
	own.gone = true
	m.Renew()
	if err := m.Read(1<<20+10, p[:]); err == nil {
		t.Error("memory of a program that has ended was read")
	}
}

// TestShifted: what is mapped in a range is also there from 0 on, as the same memory, and what was mapped there is not.
func TestShifted(t *testing.T) {
	f, h := newFile(t)
	low, high := tagged(t, f, h, 2, 100), tagged(t, f, h, 2, 200)
	for _, m := range []Mapping{{VA: 4 * page, Size: 2 * page, Buffer: low}, {VA: 1<<30 + 3*page, Size: 2 * page, Buffer: high}} {
		m.Rights = mem.ReadWrite
		if err := f.VM.Map(m); err != nil {
			t.Fatal(err)
		}
	}
	// One that crosses the beginning of the range and one that crosses its end, where others lie next to their places.
	over, next := tagged(t, f, h, 2, 300), tagged(t, f, h, 1, 400)
	for _, m := range []Mapping{{VA: 1<<30 + 1<<20 - page, Size: 2 * page, Buffer: over}, {VA: 1<<20 - page, Size: 2 * page, Buffer: over}, {VA: 1<<20 + page, Size: page, Buffer: next},
		{VA: 1<<30 - page, Size: 2 * page, Buffer: over}} {
		m.Rights = mem.ReadWrite
		if err := f.VM.Map(m); err != nil {
			t.Fatal(err)
		}
	}
	m := f.VM.Begin()
	defer f.VM.End(m)
	s := m.Shifted(1<<30, 1<<20)
	for va, want := range map[uint64]uint64{0: 301, 1<<20 - page: 300, 1 << 20: 301, 1<<20 + page: 400, 1<<30 + 1<<20: 301} {
		if got, ok := tagAt(s, va); !ok || got != want {
			t.Errorf("%#x: %d, %v, want %d", va, got, ok, want)
		}
	}
	for va, want := range map[uint64]uint64{3 * page: 200, 4 * page: 201, 1<<30 + 3*page: 200} {
		if got, ok := tagAt(s, va); !ok || got != want {
			t.Errorf("%#x: %d, %v, want %d", va, got, ok, want)
		}
	}
	if _, ok := tagAt(s, 5*page); ok {
		t.Error("what is mapped below is still there")
	}
	if err := s.Write(3*page, []byte{9}); err != nil {
		t.Fatal(err)
	}
	if got, _ := tagAt(m, 1<<30+3*page); got != 9 {
		t.Errorf("%d was stored", got)
	}
}
