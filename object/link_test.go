package object

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// TestLinkAsTheLinker: Link makes the same of a relocatable file as ld.lld, with sections at the same addresses.
func TestLinkAsTheLinker(t *testing.T) {
	want, err := ReadHSA(readFile(t, "testdata/call.gfx803.hsaco"))
	if err != nil {
		t.Fatal(err)
	}
	u, err := ReadUnlinked(readFile(t, "testdata/call.gfx803.o"))
	if err != nil {
		t.Fatal(err)
	}
	addrs := map[string]uint64{}
	f, _ := readELF(readFile(t, "testdata/call.gfx803.hsaco"))
	names, _ := f.contents(f.nameSect, "names")
	for i := range f.sects {
		name, _, _ := strings.Cut(string(names[f.sects[i].name:]), "\x00")
		addrs[name] = binary.LittleEndian.Uint64(f.data[f.sects[i].at+16:])
	}
	for i := range u.Sections {
		if s := &u.Sections[i]; s.Name == ".text" || s.Name == ".rodata" {
			s.Addr, s.Fixed = addrs[s.Name], true
		}
	}
	data, err := u.Link()
	if err != nil {
		t.Fatal(err)
	}
	got, err := ReadHSA(data)
	if err != nil {
		t.Fatal(err)
	}
	for i, y := range want.Symbols {
		if y.Name == "_DYNAMIC" || !y.Defined || y.Kind == NoType {
			continue
		}
		found := false
		for _, z := range got.Symbols {
			if z.Name == y.Name {
				found = true
				if z.Addr != y.Addr || z.Size != y.Size || z.Kind != y.Kind || z.Bind != y.Bind {
					t.Errorf("%+v, want %+v", z, y)
				}
				a, _ := want.Bytes(y.Addr, y.Size)
				b, ok := got.Bytes(z.Addr, z.Size)
				if !ok || !bytes.Equal(a, b) {
					t.Errorf("%s is\n%x, want\n%x", y.Name, b, a)
				}
			}
		}
		if !found {
			t.Errorf("no symbol %d, %+v", i, y)
		}
	}
	if len(want.Kernels) != 1 || len(got.Kernels) != 1 || got.Kernels[0].Descriptor != want.Kernels[0].Descriptor {
		t.Errorf("kernels %+v, want %+v", got.Kernels, want.Kernels)
	}
}

// TestReadRelocatable: a relocatable file reads like the code object that it links to, at any address.
func TestReadRelocatable(t *testing.T) {
	o, err := ReadHSA(readFile(t, "testdata/call.gfx803.o"))
	if err != nil {
		t.Fatal(err)
	}
	k, ok := o.Kernel("call")
	if !ok || o.Version != 6 || o.Target != "gfx803" || k.Meta == nil || len(k.Meta.Args) != 1 || k.CodeSize == 0 {
		t.Fatalf("%+v %+v", o, k)
	}
	at := func(name string) uint64 {
		for _, y := range o.Symbols {
			if y.Name == name {
				return y.Addr
			}
		}
		t.Fatal(name)
		return 0
	}
	if k.Entry != at("call") || k.DescriptorAddr != at("call.kd") {
		t.Errorf("entry %#x, descriptor %#x", k.Entry, k.DescriptorAddr)
	}
	// s_getpc_b64 directly precedes s_add_u32 with the low word and s_addc_u32 with the high one.
	code, _ := o.Bytes(at("f"), 0x30)
	le := binary.LittleEndian
	off := uint64(le.Uint32(code[0x24:])) | uint64(le.Uint32(code[0x2c:]))<<32
	if got := at("f") + 0x20 + off; got != at("tab") {
		t.Errorf("the table is at %#x, the code looks at %#x", at("tab"), got)
	}
	tab, _ := o.Bytes(at("tab"), 16)
	if !bytes.Equal(tab, []byte{1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 5, 0, 0, 0}) {
		t.Errorf("table %x", tab)
	}
}

// piece is a program of one section of code and one of data, with symbols in both.
func piece() *Unlinked {
	return &Unlinked{
		Target: "gfx700", Version: 5,
		Sections: []UnlinkedSection{
			{Name: ".text", Alloc: true, Exec: true, Align: 256, Data: make([]byte, 64)},
			{Name: ".data", Alloc: true, Write: true, Align: 8, Data: make([]byte, 64)},
			{Name: ".bss", Alloc: true, Write: true, Zero: true, Align: 64, Size: 256},
			{Name: ".debug_x", Data: make([]byte, 16)},
		},
		Symbols: []UnlinkedSymbol{
			{Name: "f", Section: 0, Value: 16, Size: 8, Kind: Func, Bind: BindGlobal, Vis: VisProtected},
			{Name: "d", Section: 1, Value: 8, Kind: Object, Bind: BindLocal},
			{Name: "z", Section: 2, Value: 128, Kind: Object, Bind: BindGlobal, Vis: VisHidden},
			{Name: "w", Section: Undefined, Bind: BindWeak},
			{Name: "c", Section: Absolute, Value: 0x1234_5678_9abc},
		},
	}
}

// pieceRelocs is piece with a relocation of each kind.
func pieceRelocs() *Unlinked {
	u := piece()
	add := func(section int, off uint64, kind RelocType, symbol int, addend int64) {
		u.Relocs = append(u.Relocs, UnlinkedReloc{Section: section, Off: off, Type: kind, Symbol: symbol, Addend: addend})
	}
	add(0, 0, 10, 1, 4)  // REL32_LO d
	add(0, 4, 11, 1, 12) // REL32_HI d
	add(0, 8, 8, 2, 4)   // GOTPCREL32_LO z
	add(0, 12, 9, 2, 12) // GOTPCREL32_HI z
	add(0, 20, 7, 2, 0)  // GOTPCREL z
	add(0, 24, 8, 3, 4)  // GOTPCREL32_LO w, which is undefined
	add(0, 32, 14, 0, 0) // REL16 f
	add(0, 36, 4, 0, -4) // REL32 f
	add(1, 0, 3, 0, 2)   // ABS64 f
	add(1, 8, 5, 2, 3)   // REL64 z
	add(1, 16, 1, 4, 1)  // ABS32_LO c
	add(1, 20, 2, 4, 1)  // ABS32_HI c
	add(1, 24, 3, 3, 0)  // ABS64 w
	add(1, 32, 1, 2, 1)  // ABS32_LO z: the loader's
	add(3, 0, 6, 0, 0)   // ABS32 f, in a section that is not loaded
	add(3, 8, 3, 1, 0)   // ABS64 d
	return u
}

func TestLinkRelocations(t *testing.T) {
	u := pieceRelocs()
	data, err := u.Link()
	if err != nil {
		t.Fatal(err)
	}
	o, err := ReadHSA(data)
	if err != nil {
		t.Fatal(err)
	}
	sym := map[string]uint64{"c": 0x1234_5678_9abc}
	for _, y := range o.Symbols {
		sym[y.Name] = y.Addr
	}
	text, dat := sym["f"]-16, sym["d"]-8
	const base = 0x7_0000_0000
	bias := base - o.Base
	image := o.Load(base)
	word := func(addr uint64) uint32 { return binary.LittleEndian.Uint32(image[addr-o.Base:]) }
	quad := func(addr uint64) uint64 { return binary.LittleEndian.Uint64(image[addr-o.Base:]) }
	got := text + 8 + uint64(int64(int32(word(text+8)))) - 4 // where the table's entry of z is
	check := func(what string, got, want uint64) {
		if got != want {
			t.Errorf("%s is %#x, want %#x", what, got, want)
		}
	}
	check("REL32_LO", uint64(word(text)), uint64(uint32(sym["d"]+4-text)))
	check("REL32_HI", uint64(word(text+4)), (sym["d"]+12-text-4)>>32)
	check("GOTPCREL32_HI", uint64(word(text+12)), (got+12-text-12)>>32)
	check("GOTPCREL", uint64(word(text+20)), got-text-20)
	check("entry of z", quad(got), sym["z"]+bias)
	check("entry of w", quad(text+24+uint64(word(text+24))-4), 0)
	check("REL16", uint64(word(text+32)), 0xfffb) // (16 - 32 - 4) / 4
	check("REL32", uint64(int64(int32(word(text+36)))), sym["f"]-4-text-36)
	check("ABS64", quad(dat), sym["f"]+2+bias)
	check("REL64", quad(dat+8), sym["z"]+3-dat-8)
	check("ABS32_LO", uint64(word(dat+16)), 0x5678_9abd)
	check("ABS32_HI", uint64(word(dat+20)), 0x1234)
	check("ABS64 of nothing", quad(dat+24), 0)
	check("ABS32_LO of the loader", uint64(word(dat+32)), uint64(uint32(sym["z"]+bias+1)))
	f, _ := readELF(data)
	for i := range f.sects {
		if b, err := f.contents(i, ""); err == nil && len(b) == 16 && f.sects[i].flags == 0 && f.sects[i].kind == 1 {
			check("ABS32 of a section that is not loaded", uint64(binary.LittleEndian.Uint32(b)), sym["f"])
			check("ABS64 there", binary.LittleEndian.Uint64(b[8:]), sym["d"])
			return
		}
	}
	t.Error("no section .debug_x")
}

// TestLinkLayout: sections are aligned, do not overlap, have the addresses in the file, and keep their access rights.
func TestLinkLayout(t *testing.T) {
	u := piece()
	data, err := u.Link()
	if err != nil {
		t.Fatal(err)
	}
	o, err := ReadHSA(data)
	if err != nil {
		t.Fatal(err)
	}
	rights := map[string]int{}
	for _, s := range o.Segments {
		rights[map[bool]string{true: "x"}[s.Exec]+map[bool]string{true: "w"}[s.Write]]++
	}
	if rights["x"] != 1 || rights["w"] != 2 || rights[""] != 1 {
		t.Errorf("segments %+v", o.Segments)
	}
	f, _ := readELF(data)
	last := uint64(0)
	for _, s := range f.sects[1:] {
		addr := binary.LittleEndian.Uint64(data[s.at+16:])
		if s.flags&sectAlloc == 0 {
			continue
		}
		if addr%max(s.align, 1) != 0 || addr < last || (addr-s.off)%pageSize != 0 {
			t.Errorf("section at %#x of the file lies at %#x, aligned to %d, behind %#x", s.off, addr, s.align, last)
		}
		last = addr + s.size
	}
	if o.Target != "gfx700" || o.Version != 5 || data[8] != 3 {
		t.Errorf("%s version %d", o.Target, o.Version)
	}
}

// TestLinkManySections: sections that are merged into one are copied a few times in total, not once for each that
// follows.
func TestLinkManySections(t *testing.T) {
	const count, size = 1000, 4 << 10
	u := piece()
	for i := range count {
		s := UnlinkedSection{Name: fmt.Sprint(".text.", i), Alloc: true, Exec: true, Align: 256, Data: bytes.Repeat([]byte{byte(i)}, size-4)}
		u.Sections = append(u.Sections, s)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	data, err := u.Link()
	runtime.ReadMemStats(&after)
	if err != nil {
		t.Fatal(err)
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > 20*count*size {
		t.Errorf("linking %d bytes of code allocates %d", count*size, n)
	}
	o, err := ReadHSA(data)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range o.Segments {
		for i := range count {
			if !s.Exec {
				break
			}
			b, ok := o.Bytes(s.Addr+uint64(256+i*size), size-4) // .text of piece has 0x40 bytes
			if !ok || b[0] != byte(i) || b[size-5] != byte(i) {
				t.Fatalf("section %d is not at its place in .text", i)
			}
		}
	}
	if len(u.Sections[0].Data) != 0x40 {
		t.Error("the input has changed")
	}
}

func TestLinkErrors(t *testing.T) {
	tests := []struct {
		change func(u *Unlinked)
		text   string
	}{
		{func(u *Unlinked) { u.Target = "gfx1" }, `target "gfx1" is not known`},
		{func(u *Unlinked) { u.Version = 1 }, "code objects of version 1 cannot be written"},
		{func(u *Unlinked) { u.Sections[0].Align = 3 }, "section .text: alignment of 0x3 is no power of two"},
		{func(u *Unlinked) { u.Sections[2].Size = 1 << 40 }, "image grows beyond"},
		{func(u *Unlinked) {
			for range 100 { // 1 MiB each with what aligns them
				u.Sections = append(u.Sections, UnlinkedSection{Name: ".text.x", Alloc: true, Exec: true, Align: 1 << 20, Data: []byte{0}})
			}
		}, "section .text.x: image grows beyond"},
		{func(u *Unlinked) { u.Sections[0].Fixed, u.Sections[0].Addr = true, 0x100 }, "section .text cannot begin at 0x100"},
		{func(u *Unlinked) { u.Sections[1].Fixed, u.Sections[1].Addr = true, 1<<50 }, "section .data cannot begin at"},
		{func(u *Unlinked) { u.Symbols[0].Value = 100 }, `symbol "f" lies 0x64 bytes into section .text of 0x40`},
		{func(u *Unlinked) { u.Symbols[0].Section = 9 }, `symbol "f" is in section 9 of 4`},
		{func(u *Unlinked) { u.Relocs = []UnlinkedReloc{{Section: 0, Off: 62, Type: 10}} }, "4 bytes at 0x3e are not in section .text"},
		{func(u *Unlinked) { u.Relocs = []UnlinkedReloc{{Section: 2, Off: 0, Type: 10}} }, "are not in section .bss"},
		{func(u *Unlinked) { u.Relocs = []UnlinkedReloc{{Section: 0, Type: 99}} }, "relocation type 99 in section .text cannot be applied"},
		{func(u *Unlinked) { u.Relocs = []UnlinkedReloc{{Section: 0, Type: 10, Symbol: 9}} }, "symbol 9 of 5"},
		{func(u *Unlinked) { u.Relocs = []UnlinkedReloc{{Section: 1, Type: 6, Symbol: 4}} }, "0x123456789abc does not fit 32 bits"},
		{func(u *Unlinked) { u.Relocs = []UnlinkedReloc{{Section: 0, Type: 14, Symbol: 2, Addend: 1 << 20}} }, "does not fit 16 bits"},
		{func(u *Unlinked) {
			u.Symbols = append(u.Symbols, UnlinkedSymbol{Name: "x", Section: Undefined, Bind: BindGlobal}, UnlinkedSymbol{Name: "y", Section: Undefined, Bind: BindGlobal})
			u.Relocs = []UnlinkedReloc{{Type: 10, Symbol: 6}, {Type: 10, Symbol: 5}, {Type: 10, Symbol: 5}}
		}, "symbols that are not defined in this file: y, x"},
	}
	for _, tt := range tests {
		u := piece()
		tt.change(u)
		if _, err := u.Link(); err == nil || !strings.Contains(err.Error(), tt.text) {
			t.Errorf("got %v, want %s", err, tt.text)
		}
	}
}
