package object

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"testing"
)

// note is a note as ELF lays it out: three words, the owner and the contents, each filled up to a multiple of 4.
func note(owner string, kind uint32, desc []byte) (b []byte) {
	le := binary.LittleEndian
	b = le.AppendUint32(b, uint32(len(owner)))
	b = le.AppendUint32(b, uint32(len(desc)))
	b = le.AppendUint32(b, kind)
	for _, part := range [][]byte{[]byte(owner), desc} {
		b = append(b, part...)
		for len(b)%4 != 0 {
			b = append(b, 0)
		}
	}
	return b
}

// TestNotes: the note of an owner and kind is found among others of all lengths, before it and after it.
func TestNotes(t *testing.T) {
	const owner, kind = "AMDGPU\x00", 32
	for n := range 9 {
		for m := range 9 {
			want := bytes.Repeat([]byte{0xaa}, m)
			data := []byte("head")
			data = append(data, note("GNU\x00"[:n%5], kind, bytes.Repeat([]byte{1}, n))...)
			data = append(data, note(owner, kind+1, bytes.Repeat([]byte{2}, n))...)
			at := len(data) + 12 + 8
			data = append(data, note(owner, kind, want)...)
			data = append(data, note(owner, kind, []byte("a second one"))...)
			f := &elfFile{data: data, progs: []progHeader{{kind: progLoad, fileSize: 4}, {kind: progNote, off: 4, fileSize: uint64(len(data) - 4)}}}
			got, off, err := f.note(owner, kind)
			if err != nil || !bytes.Equal(got, want) || off != uint64(at) {
				t.Errorf("%d bytes before it, %d in it: % x at %d, %v; want it at %d", n, m, got, off, err, at)
			}
			if got, _, err := f.note("AMD\x00", kind); got != nil || err != nil {
				t.Errorf("a note that is not there: % x, %v", got, err)
			}
		}
	}
}

// TestSymbols: the symbols of a file are those that another ELF reader finds, in their order, without the null symbol.
func TestSymbols(t *testing.T) {
	data := saxpy(t)
	o, err := ReadHSA(data)
	if err != nil {
		t.Fatal(err)
	}
	f, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	want, err := f.Symbols()
	if err != nil {
		if want, err = f.DynamicSymbols(); err != nil {
			t.Fatal(err)
		}
	}
	if len(want) == 0 || len(o.Symbols) != len(want) {
		t.Fatalf("%d symbols, want %d", len(o.Symbols), len(want))
	}
	for i, w := range want {
		y := o.Symbols[i]
		if y.Name != w.Name || y.Addr != w.Value || y.Size != w.Size || y.Kind != SymbolKind(elf.ST_TYPE(w.Info)) || y.Bind != SymbolBind(elf.ST_BIND(w.Info)) || y.Defined != (w.Section != elf.SHN_UNDEF) {
			t.Errorf("symbol %d is %+v, want %+v", i, y, w)
		}
	}
}

// TestSegmentsThatTouch: segments may touch and not overlap, in any order, with room between them or none.
func TestSegmentsThatTouch(t *testing.T) {
	data := bytes.Repeat([]byte{1, 2, 3, 4}, 8)
	load := func(addr, size uint64) progHeader {
		return progHeader{kind: progLoad, addr: addr, fileSize: size, size: size}
	}
	for _, c := range []struct {
		a, b progHeader
		good bool
	}{
		{load(0x100, 16), load(0x110, 16), true}, {load(0x110, 16), load(0x100, 16), true}, {load(0x100, 16), load(0x10f, 16), false},
		{load(0x10f, 16), load(0x100, 16), false}, {load(0x100, 16), load(0x104, 4), false}, {load(0x104, 4), load(0x100, 16), false},
		{load(0x100, 16), load(0x100, 16), false}, {load(0x100, 16), load(0x120, 16), true},
	} {
		o := &CodeObject{}
		err := o.readImage(&elfFile{data: data, progs: []progHeader{c.a, c.b}})
		if (err == nil) != c.good {
			t.Errorf("segments at %#x and %#x: %v", c.a.addr, c.b.addr, err)
			continue
		}
		if err != nil {
			continue
		}
		// Accesses up to the last byte of a segment, not into the next one.
		for _, p := range []progHeader{c.a, c.b} {
			if b, ok := o.Bytes(p.addr, p.size); !ok || !bytes.Equal(b, data[:p.size]) {
				t.Errorf("segment at %#x: % x, %t", p.addr, b, ok)
			}
			if b, ok := o.Bytes(p.addr+p.size-4, 4); !ok || !bytes.Equal(b, data[p.size-4:p.size]) {
				t.Errorf("the end of the segment at %#x: % x, %t", p.addr, b, ok)
			}
			if _, ok := o.Bytes(p.addr+p.size-4, 5); ok {
				t.Errorf("a byte behind the segment at %#x", p.addr)
			}
		}
	}
}

// TestCodeSize: code has the size of its symbol, up to the end of the segment; for a kernel without a symbol, it is the
// rest of the segment.
func TestCodeSize(t *testing.T) {
	o := &CodeObject{Image: make([]byte, 64), Base: 0x100, Segments: []ImageSegment{{Addr: 0x100, Size: 32, Exec: true}, {Addr: 0x120, Size: 32}}}
	for _, c := range []struct{ entry, size, want uint64 }{
		{0x100, 0, 32}, {0x108, 0, 24}, {0x108, 8, 8}, {0x108, 24, 24}, {0x108, 25, 24}, {0x108, 1 << 40, 24}, {0x11c, 4, 4}, {0x11c, 0, 4}, {0x200, 4, 0},
	} {
		if got := o.Code(&Kernel{Entry: c.entry, CodeSize: c.size}); uint64(len(got)) != c.want {
			t.Errorf("entry %#x, %d bytes by its symbol: %d, want %d", c.entry, c.size, len(got), c.want)
		}
	}
}
