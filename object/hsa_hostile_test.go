package object

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/tinylib/msgp/msgp"

	"github.com/heddle-gpu/heddle/internal/cases"
)

// tryHSA reads arbitrary bytes: an error must be an *Error with a message, and an accepted object must be usable
// without a panic.
func tryHSA(t testing.TB, data []byte) {
	o, err := ReadHSA(data)
	if err != nil {
		var e *Error
		if !errors.As(err, &e) || e.Code == "" || e.Msg == "" || e.Off > uint64(len(data)) {
			t.Errorf("bad error: %#v", err)
		}
		return
	}
	for i := range o.Kernels {
		o.Code(&o.Kernels[i])
	}
	if len(o.Relocs) > 0 {
		o.Load(0x1000)
	}
}

func TestTruncated(t *testing.T) {
	whole := readFile(t, "testdata/fft64.gfx803.cov3.hsaco")
	for n := range whole {
		tryHSA(t, whole[:n:n])
		if o, err := ReadHSA(whole[:n:n]); err == nil && len(o.Kernels) != 1 {
			t.Errorf("%d bytes of %d: %d kernels", n, len(whole), len(o.Kernels))
		}
	}
}

// TestFlips changes one to four bytes of a file, mostly in headers and metadata, and limits the cost of reading it.
func TestFlips(t *testing.T) {
	rounds := 4000
	if long() {
		rounds = 100_000
	}
	whole := saxpy(t)
	r := rand.New(rand.NewPCG(3, 4))
	data := make([]byte, len(whole))
	var before, after runtime.MemStats
	for range rounds {
		copy(data, whole)
		for range r.IntN(4) + 1 {
			i := r.IntN(len(data))
			switch r.IntN(4) {
			case 0:
				i = r.IntN(64 + 8*56) // ELF and program headers
			case 1:
				i = len(data) - 1 - r.IntN(14*64) // section headers, symbols
			}
			if r.IntN(2) == 0 {
				data[i] ^= 1 << r.IntN(8)
			} else {
				data[i] = byte(r.Uint32())
			}
		}
		runtime.ReadMemStats(&before)
		start := time.Now()
		tryHSA(t, data)
		if d := time.Since(start); d > 30*time.Second {
			t.Errorf("took %v", d)
		}
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; n > 256<<20 {
			t.Errorf("allocated %d bytes", n)
		}
	}
}

func FuzzReadHSA(f *testing.F) {
	for _, name := range append(glob(f, "testdata", "*.hsaco"), glob(f, "testdata", "*.o")...) {
		f.Add(readFile(f, name))
	}
	f.Add(oldObject(f, saxpy(f)))
	for _, name := range glob(f, cases.Repository(f), "kernels", "*", "*", "*.hsaco") {
		f.Add(readFile(f, name))
	}
	f.Add(withRelocs(f, rela{0x2000, 13, 0, 0x40}))
	f.Fuzz(func(t *testing.T, data []byte) { tryHSA(t, data) })
}

// patch returns a copy of saxpy with bytes replaced.
func patch(t testing.TB, off int, b ...byte) []byte {
	data := saxpy(t)
	copy(data[off:], b)
	return data
}

// section returns the offset of the header of the first section of a kind.
func section(data []byte, kind uint32) int {
	le := binary.LittleEndian
	at := int(le.Uint64(data[40:]))
	for le.Uint32(data[at+4:]) != kind {
		at += sectHeaderSize
	}
	return at
}

func TestHeaderErrors(t *testing.T) {
	symtab := section(saxpy(t), sectSymtab)
	load2 := 64 + 2*56 // second load segment
	tests := []struct {
		data []byte
		text string
	}{
		{nil, "file+0x0: ELF header is 0x40 bytes at 0x0, the file has 0x0"},
		{patch(t, 0, 'X'), "file+0x0: not an ELF file: starts with 58454c46, want 7f454c46"},
		{patch(t, 4, 1), "file+0x4: ELF class is 1, want 2 (64 bits)"},
		{patch(t, 5, 2), "file+0x5: ELF byte order is 2, want 1 (little-endian)"},
		{patch(t, 6, 0), "file+0x6: ELF version is 0, want 1"},
		{patch(t, 7, 66), "file+0x7: OS ABI is 66 (Mesa), want 64 (HSA)"},
		{patch(t, 7, 0), "file+0x7: OS ABI is 0 (none), want 64 (HSA)"},
		{patch(t, 8, 9), "file+0x8: code object of ABI version 9 is not known; 0 to 4 (code object versions 2 to 6) are"},
		{patch(t, 16, 1), `symbol "_DYNAMIC" is in section 8, which holds no part of a program`},
		{patch(t, 16, 2), "file+0x10: ELF type is 2, want 3 (shared object) or 1 (relocatable)"},
		{patch(t, 18, 62), "file+0x12: an ELF file of machine 62 (X86_64); of ELF files, code objects of AMD GPUs (machine 224) and CUDA files of sm_10 to sm_13 (machine 190) are read"},
		{patch(t, 48, 0x27), "file+0x30: unsupported target: machine 0x27 of e_flags 0x27"},
		{patch(t, 48, 0x29), `amdhsa.target is "amdgcn-amd-amdhsa--gfx803", the ELF header says gfx802`},
		{patch(t, 56, 0, 0), "file+0x38: no program headers: nothing to load"},
		{patch(t, 56, 0xff, 0xff), "file+0x38: 65535 program headers, at most 128 are read"},
		{patch(t, 54, 32), "file+0x36: program headers are 32 bytes each, want 56"},
		{patch(t, 58, 40), "file+0x3a: section headers are 40 bytes each, want 64"},
		{patch(t, 60, 0, 0), "file+0x3c: no section headers: symbols cannot be found"},
		{patch(t, 60, 0xff), "section header table is"},
		{patch(t, load2+40, 0), "bytes in the file"},
		{patch(t, load2+47, 0x7f), "image grows to"},
		{patch(t, load2+16, 0, 0), "overlaps"},
		{patch(t, load2+23, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff), "image grows to"},
		{patch(t, load2+4, 4), "is not an instruction in an executable segment"},
		{patch(t, load2+8, 0, 0, 0xff), "load segment is"},
		{patch(t, symtab+32, 1), "no multiple of 24"},
		{patch(t, symtab+40, 200), "has its names in section 200 of"},
	}
	for _, tt := range tests {
		_, err := ReadHSA(tt.data)
		if err == nil || !strings.Contains(err.Error(), tt.text) {
			t.Errorf("got %v, want %s", err, tt.text)
		}
	}
	if _, err := ReadHSAFile(nil, "a.hsaco"); err == nil || !strings.HasPrefix(err.Error(), "a.hsaco+0x0: ") {
		t.Errorf("got %v", err)
	}
	if !IsHSA(saxpy(t)) || IsHSA(nil) || IsHSA(patch(t, 18, 62)) {
		t.Error("IsHSA answers wrongly")
	}
}

type rela struct {
	addr   uint64
	kind   uint32
	symbol uint32
	addend int64
}

// withRelocs turns the hash section of saxpy into a relocation table at the end of the file.
func withRelocs(t testing.TB, relocs ...rela) []byte {
	data := saxpy(t)
	le := binary.LittleEndian
	dynsym := (section(data, sectDynsym) - int(le.Uint64(data[40:]))) / sectHeaderSize
	h := data[section(data, 5):] // SHT_HASH
	le.PutUint32(h[4:], sectRela)
	le.PutUint64(h[24:], uint64(len(data)))
	le.PutUint64(h[32:], uint64(len(relocs)*relaSize))
	le.PutUint32(h[40:], uint32(dynsym))
	for _, r := range relocs {
		data = le.AppendUint64(data, r.addr)
		data = le.AppendUint64(data, uint64(r.symbol)<<32|uint64(r.kind))
		data = le.AppendUint64(data, uint64(r.addend))
	}
	return data
}

func TestRelocations(t *testing.T) {
	plain, err := ReadHSA(saxpy(t))
	if err != nil {
		t.Fatal(err)
	}
	k := &plain.Kernels[0]
	at, base := k.Entry, uint64(0x1_2345_0000)
	target := uint64(0)
	f, _ := readELF(saxpy(t))
	for i, s := range f.sects {
		if s.kind == sectDynsym {
			table, _ := f.symbolTable(i)
			y, _ := table.symbol(1)
			target = base + y.Addr
		}
	}
	tests := []struct {
		r    rela
		size int
		want uint64
	}{
		{rela{at, 13, 0, 0x40}, 8, base + 0x40},
		{rela{at, 3, 1, 8}, 8, target + 8},
		{rela{at + 1, 1, 1, 8}, 4, (target + 8) & 0xffffffff},
		{rela{at, 2, 1, 8}, 4, (target + 8) >> 32},
		{rela{at, 4, 1, 4}, 4, (target + 4 - (base + at)) & 0xffffffff},
		{rela{at, 5, 1, 4}, 8, target + 4 - (base + at)},
		{rela{at, 10, 1, 4}, 4, (target + 4 - (base + at)) & 0xffffffff},
		{rela{at, 11, 1, 4}, 4, (target + 4 - (base + at)) >> 32},
		{rela{at, 0, 0, 0}, 4, uint64(binary.LittleEndian.Uint32(plain.Code(k)))},
	}
	for _, tt := range tests {
		o, err := ReadHSA(withRelocs(t, tt.r))
		if err != nil {
			t.Error(err)
			continue
		}
		field := o.Load(base)[tt.r.addr-o.Base:]
		got := uint64(binary.LittleEndian.Uint32(field))
		if tt.size == 8 {
			got = binary.LittleEndian.Uint64(field)
		}
		if got != tt.want {
			t.Errorf("%v: got %#x, want %#x", RelocType(tt.r.kind), got, tt.want)
		}
	}
	for _, tt := range []struct {
		r    rela
		text string
	}{
		{rela{at, 99, 0, 0}, "relocation type 99 at"},
		{rela{at, 7, 0, 0}, "R_AMDGPU_GOTPCREL at"},
		{rela{0x70000000, 13, 0, 0}, "R_AMDGPU_RELATIVE64: 8 bytes at 0x70000000 are not in a segment"},
		{rela{at, 3, 77, 0}, "no symbol 77"},
	} {
		if _, err := ReadHSA(withRelocs(t, tt.r)); err == nil || !strings.Contains(err.Error(), tt.text) {
			t.Errorf("got %v, want %s", err, tt.text)
		}
	}
}

// TestUndefinedSymbols: a relocation by an undefined symbol is rejected, unless the symbol is weak: then its address is
// 0, wherever the file is loaded.
func TestUndefinedSymbols(t *testing.T) {
	plain, err := ReadHSA(saxpy(t))
	if err != nil {
		t.Fatal(err)
	}
	at := plain.Kernels[0].Entry
	for _, c := range []struct {
		bind byte // STB_LOCAL, STB_GLOBAL, STB_WEAK
		want string
	}{
		{0, "is not defined in this file"}, {1, "is not defined in this file"}, {2, ""},
	} {
		data := withRelocs(t, rela{at, 3, 1, 0x1234}) // R_AMDGPU_ABS64
		y := data[binary.LittleEndian.Uint64(data[section(data, sectDynsym)+24:])+24:]
		y[4] = c.bind<<4 | y[4]&15
		y[6], y[7] = 0, 0 // SHN_UNDEF
		o, err := ReadHSA(data)
		if c.want != "" {
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("bind %d: %v, want %s", c.bind, err, c.want)
			}
			continue
		}
		if err != nil || len(o.Relocs) != 1 {
			t.Errorf("bind %d: %v", c.bind, err)
			continue
		}
		if got := binary.LittleEndian.Uint64(o.Load(0x1_2345_0000)[at-o.Base:]); got != 0x1234 {
			t.Errorf("bind %d: the field is %#x", c.bind, got)
		}
	}
}

func TestMetadataErrors(t *testing.T) {
	deep := msgp.AppendMapHeader(nil, 1)
	deep = msgp.AppendString(deep, "other")
	for range 100 {
		deep = msgp.AppendArrayHeader(deep, 1)
	}
	kernels := func(each func(b []byte) []byte) []byte {
		b := msgp.AppendString(msgp.AppendMapHeader(nil, 1), "amdhsa.kernels")
		return each(msgp.AppendArrayHeader(b, 1))
	}
	tests := []struct {
		b    []byte
		text string
	}{
		{msgp.AppendNil(nil), "metadata: "},
		{deep, "other: nested more than 32 deep"},
		{msgp.AppendMapHeader(nil, 1<<31), "key of metadata: "},
		{kernels(func(b []byte) []byte { return msgp.AppendMapHeader(b, 0) }), `kernel "" has no .symbol`},
		{kernels(func(b []byte) []byte {
			b = msgp.AppendString(msgp.AppendMapHeader(b, 1), ".reqd_workgroup_size")
			return msgp.AppendUint(msgp.AppendArrayHeader(b, 1), 1)
		}), ".reqd_workgroup_size: 1 numbers, want 3"},
		{kernels(func(b []byte) []byte {
			b = msgp.AppendString(msgp.AppendMapHeader(b, 1), ".reqd_workgroup_size")
			return append(msgp.AppendArrayHeader(b, 4), 64, 1, 1, 1)
		}), ".reqd_workgroup_size: 4 numbers, want 3"},
		{kernels(func(b []byte) []byte {
			b = msgp.AppendString(msgp.AppendMapHeader(b, 1), ".args")
			b = msgp.AppendArrayHeader(b, maxMetaArgs+1)
			return append(b, strings.Repeat("\x80", maxMetaArgs+1)...)
		}), ".args: more than 131072 arguments"},
	}
	for _, tt := range tests {
		o := &CodeObject{}
		note := binary.LittleEndian.AppendUint32(nil, uint32(len(noteAMDGPU)))
		note = binary.LittleEndian.AppendUint32(note, uint32(len(tt.b)))
		note = append(binary.LittleEndian.AppendUint32(note, metadataNote), noteAMDGPU+"\x00"...)
		note = append(note, tt.b...)
		f := &elfFile{data: note, progs: []progHeader{{kind: progNote, fileSize: uint64(len(note))}}}
		if _, err := o.readMetadata(f); err == nil || !strings.Contains(err.Error(), tt.text) {
			t.Errorf("got %v, want %s", err, tt.text)
		}
	}
}
