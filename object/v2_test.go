package object

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/internal/cases"
)

// oldNotes are the notes of a code object of version 2 for a target such as gfx803, with metadata if there is any.
func oldNotes(target, yaml string) []byte {
	le := binary.LittleEndian
	words := func(v ...uint32) (b []byte) {
		for _, x := range v {
			b = le.AppendUint32(b, x)
		}
		return b
	}
	isa := append(le.AppendUint16(le.AppendUint16(nil, 4), 7), words(uint32(target[3]-'0'), uint32(target[4]-'0'), uint32(target[5]-'0'))...)
	b := note("AMD\x00", 1, words(2, 1))
	b = append(b, note("AMD\x00", 3, append(isa, "AMD\x00AMDGPU\x00"...))...)
	if yaml != "" {
		b = append(b, note("AMD\x00", 10, []byte(yaml))...)
	}
	return b
}

// oldYAML is metadata as a compiler of that time would write it for a kernel.
func oldYAML(k *KernelMetadata) string {
	var b strings.Builder
	fmt.Fprintf(&b, "---\nVersion:         [ 1, 0 ]\nKernels:         \n  - Name:            %s\n    SymbolName:      '%s@kd'\n    Args:            \n", k.Name, k.Name)
	for _, a := range k.Args {
		kind := ""
		for _, w := range strings.Split(a.ValueKind, "_") {
			kind += strings.ToUpper(w[:1]) + w[1:]
		}
		align := a.Size
		fmt.Fprintf(&b, "      - Name:            %s\n        TypeName:        '%s'\n        Size:            %d\n        Align:           %d\n        ValueKind:       %s\n", a.Name, a.TypeName, a.Size, align, kind)
		if a.AddressSpace != "" {
			fmt.Fprintf(&b, "        AddrSpaceQual:   %s%s\n", strings.ToUpper(a.AddressSpace[:1]), a.AddressSpace[1:])
		}
		if a.Const {
			b.WriteString("        IsConst:         true\n")
		}
	}
	fmt.Fprintf(&b, "    CodeProps:       \n      KernargSegmentSize: %d\n      WavefrontSize:   64\n      NumSGPRs:        %d\n      NumVGPRs:        %d\n      MaxFlatWorkGroupSize: %d\n...\n", k.KernargSize, k.SGPRs, k.VGPRs, k.MaxFlatGroup)
	return b.String()
}

// oldKernelCode returns the amd_kernel_code_t that corresponds to a descriptor.
func oldKernelCode(d *Descriptor, target string) []byte {
	b := make([]byte, 256)
	le := binary.LittleEndian
	le.PutUint32(b[0:], 1)
	le.PutUint32(b[4:], 1)
	le.PutUint16(b[8:], 1)
	for i := range 3 {
		le.PutUint16(b[10+2*i:], uint16(target[3+i]-'0'))
	}
	le.PutUint64(b[16:], 256)
	le.PutUint32(b[48:], d.Rsrc1)
	le.PutUint32(b[52:], d.Rsrc2)
	le.PutUint32(b[56:], uint32(d.Properties)&0x7f|1<<19|uint32(d.Properties)>>11&1<<20)
	le.PutUint32(b[60:], d.PrivateSize)
	le.PutUint32(b[64:], d.GroupSize)
	le.PutUint64(b[72:], uint64(d.KernargSize))
	return b
}

// oldObject is a code object with one kernel and no data, as version 2 has it.
func oldObject(t testing.TB, data []byte) []byte {
	o, err := ReadHSA(data)
	if err != nil {
		t.Fatal(err)
	}
	k := &o.Kernels[0]
	u := &Unlinked{
		Target: o.Target, Version: 3,
		Sections: []UnlinkedSection{
			{Name: ".note", Alloc: true, Note: true, Align: 4, Data: oldNotes(o.Target, oldYAML(k.Meta))},
			{Name: ".text", Alloc: true, Exec: true, Align: 256, Data: append(oldKernelCode(&k.Descriptor, o.Target), o.Code(k)...)},
		},
		Symbols: []UnlinkedSymbol{{Name: k.Name, Section: 1, Size: 256 + k.CodeSize, Kind: KernelCode, Bind: BindGlobal}},
	}
	old, err := u.Link()
	if err != nil {
		t.Fatal(err)
	}
	old[8] = 0 // the ABI version
	return old
}

func TestOldCodeObject(t *testing.T) {
	new, err := ReadHSA(saxpy(t))
	if err != nil {
		t.Fatal(err)
	}
	o, err := ReadHSA(oldObject(t, saxpy(t)))
	if err != nil {
		t.Fatal(err)
	}
	if o.Version != 2 || o.Target != "gfx803" || !o.Metadata.Present || o.Metadata.Version != [2]uint32{1, 0} || len(o.Kernels) != 1 {
		t.Fatalf("%+v", o)
	}
	k, w := &o.Kernels[0], &new.Kernels[0]
	if k.Name != w.Name || k.Entry != k.DescriptorAddr+256 || k.CodeSize != w.CodeSize || !bytes.Equal(o.Code(k), new.Code(w)) {
		t.Errorf("kernel %+v, want %+v", k, w)
	}
	d, e := &k.Descriptor, &w.Descriptor
	if d.Rsrc1 != e.Rsrc1 || d.Rsrc2 != e.Rsrc2 || d.Properties != e.Properties || d.KernargSize != e.KernargSize || d.GroupCounts != 0 || d.Raw != d.bytes() {
		t.Errorf("descriptor %+v, want %+v", d, e)
	}
	type arg struct {
		name, kind, space string
		off, size         uint32
		isConst           bool
	}
	of := func(m *KernelMetadata) (list []arg) {
		for _, a := range m.Args {
			if !strings.HasPrefix(a.ValueKind, "hidden") {
				list = append(list, arg{a.Name, a.ValueKind, a.AddressSpace, a.Offset, a.Size, a.Const})
			}
		}
		return list
	}
	if got, want := of(k.Meta), of(w.Meta); !reflect.DeepEqual(got, want) {
		t.Errorf("arguments %+v, want %+v", got, want)
	}
	if k.Meta.VGPRs != w.Meta.VGPRs || k.Meta.SGPRs != w.Meta.SGPRs || k.Meta.MaxFlatGroup != w.Meta.MaxFlatGroup {
		t.Errorf("metadata %+v, want %+v", k.Meta, w.Meta)
	}
}

// TestOldNames: kinds of arguments have other names since.
func TestOldNames(t *testing.T) {
	for old, want := range map[string]string{
		"ByValue": "by_value", "GlobalBuffer": "global_buffer", "DynamicSharedPointer": "dynamic_shared_pointer", "Image": "image",
		"HiddenGlobalOffsetX": "hidden_global_offset_x", "HiddenPrintfBuffer": "hidden_printf_buffer", "HiddenNone": "hidden_none",
		"HiddenMultiGridSyncArg": "hidden_multigrid_sync_arg", "HiddenDefaultQueue": "hidden_default_queue", "HiddenHostcallBuffer": "hidden_hostcall_buffer",
	} {
		if got := valueKind(old); got != want {
			t.Errorf("%s is %s, want %s", old, got, want)
		}
	}
}

// TestOldWithoutNotes: without notes the header of a kernel gives the chip, and arguments may be unknown.
func TestOldWithoutNotes(t *testing.T) {
	data := oldObject(t, saxpy(t))
	if n := bytes.Count(data, []byte("AMD\x00")); n < 3 {
		t.Fatalf("%d notes", n)
	}
	o, err := ReadHSA(bytes.ReplaceAll(data, []byte("AMD\x00"), []byte("XYZ\x00")))
	if err != nil || o.Version != 1 || o.Target != "gfx803" || o.Kernels[0].Meta != nil {
		t.Fatalf("%+v, %v", o, err)
	}
}

// TestOldCounts: the bits of features that later versions lack.
func TestOldCounts(t *testing.T) {
	data := oldObject(t, saxpy(t))
	o, _ := ReadHSA(data)
	at := bytes.Index(data, o.Code(&o.Kernels[0])) - 256
	binary.LittleEndian.PutUint32(data[at+56:], 0x7f|5<<7|1<<16|1<<20)
	if o, _ = ReadHSA(data); o.Kernels[0].Descriptor.Properties != 0x7f|1<<11 || o.Kernels[0].Descriptor.GroupCounts != 5 || !o.Kernels[0].Descriptor.Ordered {
		t.Errorf("%+v", o.Kernels[0].Descriptor)
	}
	if d := &o.Kernels[0].Descriptor; !d.GroupCount(0) || d.GroupCount(1) || !d.GroupCount(2) || !d.DynamicStack() {
		t.Error("bits are read wrongly")
	}
}

func TestOldErrors(t *testing.T) {
	base := oldObject(t, saxpy(t))
	change := func(old, new string) []byte {
		if !bytes.Contains(base, []byte(old)) || len(old) != len(new) {
			t.Fatalf("%q, %q", old, new)
		}
		return bytes.Replace(base, []byte(old), []byte(new), 1)
	}
	o, _ := ReadHSA(base)
	at := bytes.Index(base, o.Code(&o.Kernels[0])) - 256
	entry := bytes.Clone(base)
	binary.LittleEndian.PutUint64(entry[at+16:], 1<<20)
	tests := []struct {
		data []byte
		text string
	}{
		{change("Kernels:         ", "Kernels:        3"), "is indented otherwise than what it belongs to"},
		{change("CodeProps:       ", "CodeProps:      3"), "is indented otherwise"},
		{change("Align:           8", "Align:           7"), "alignment of 7 is no power of two"},
		{change("Size:            8", "Size:            x"), `"x" is no number of 32 bits`},
		{change("saxpy@kd", "saxpz@kd"), `there is no symbol "saxpz" of a kernel`},
		{change("Version:         [ 1, 0 ]", "Version:         [ 1,   ]"), "1 values, want 2"},
		{change("\x04\x00\x07\x00\x08\x00\x00\x00", "\x04\x00\x07\x00\x0c\x00\x00\x00"), `unsupported target: "gfx1203"`},
		{change("AMD\x00\x02\x00\x00\x00", "AMD\x00\x03\x00\x00\x00"), "code object of version 3 with ABI version 0"},
		{entry, "is not an instruction in an executable segment"},
	}
	for _, tt := range tests {
		if _, err := ReadHSA(tt.data); err == nil || !strings.Contains(err.Error(), tt.text) {
			t.Errorf("got %v, want %s", err, tt.text)
		}
	}
}

// oldFiles are kernels whose code reads only its arguments, so that it runs with another header.
var oldFiles = []string{"fft64", "histogram", "ids3d", "saxpy", "scratch_array"}

// TestOldFiles: testdata/old holds what internal/platforms/gcn runs.
func TestOldFiles(t *testing.T) {
	for _, name := range oldFiles {
		data := readFile(t, filepath.Join(cases.Repository(t), "kernels", "gcn", name, name+".gfx803.cov3.hsaco"))
		old := oldObject(t, data)
		path := filepath.Join("testdata", "old", name+".gfx803.hsaco")
		if os.Getenv("HEDDLE_UPDATE") != "" {
			if err := os.WriteFile(path, old, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(readFile(t, path), old) {
			t.Errorf("%s differs; HEDDLE_UPDATE=1 writes it", path)
		}
	}
}
