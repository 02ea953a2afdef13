package casefile

import (
	"bytes"
	"io/fs"
	"path/filepath"
	"reflect"
	"testing"
)

// readsBack fails unless the JSON of a manifest reads back as the same manifest.
func readsBack(t *testing.T, m *Manifest) {
	t.Helper()
	text, err := m.JSON()
	if err != nil {
		t.Fatal(err)
	}
	got, err := ReadManifest(bytes.NewReader(text), m.File)
	if err != nil {
		t.Fatalf("%v:\n%s", err, text)
	}
	if got.Extra = m.Extra; !reflect.DeepEqual(got, m) {
		t.Errorf("%s: got\n%+v\nwant\n%+v", m.File, got, m)
	}
}

// TestManifestJSON: the JSON of the manifests of the repository reads back as the same manifests.
func TestManifestJSON(t *testing.T) {
	n := 0
	for _, root := range []string{"../cases/kernels", "../examples"} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.Name() == "manifest.json" {
				m, bad := ReadManifestFile(path)
				if bad != nil {
					t.Fatal(bad)
				}
				readsBack(t, m)
				n++
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if n < 20 {
		t.Errorf("%d manifests", n)
	}
}

// TestManifestJSONWhole: so does one of each format with all keys.
func TestManifestJSONWhole(t *testing.T) {
	args := []LaunchArg{{Buffer: "b"}, {Type: "i8", Bits: 0xff}, {Type: "u16", Bits: 7}, {Type: "f16", Bits: 0x3c00}, {Type: "i32", Bits: 0xffffffff}, {Type: "f32", Bits: 0x3dcccccd},
		{Type: "i64", Bits: 1 << 63}, {Type: "u64", Bits: ^uint64(0)}, {Type: "f64", Bits: 0x3fb999999999999a}, {Data: []byte{1, 2, 3}}}
	launch := Launch{Kernel: "k", WorkDim: 2, Grid: [3]int{4, 2, 1}, Block: [3]int{2, 1, 1}, Args: args}
	buffer := Buffer{Name: "b", Bytes: 8, Elem: "float32", Init: "b.in", Expect: "b.exp", Compare: BufferCompare{Type: "f32", Mode: "ulp_or_abs", ULP: 3, Abs: 0.5, NaNAny: true, ZeroAny: true}}
	build := Build{File: "k.bin", ISA: "gcn", Variant: "gfx8", Bare: &BareBuild{LDS: 64, Scratch: 16}}
	whole := func(format string, change func(m *Manifest)) {
		t.Helper()
		m := &Manifest{File: "m", Format: format, Name: "n", Variants: []Build{build}, Buffers: []Buffer{buffer}, Launches: []Launch{launch}}
		change(m)
		readsBack(t, m)
	}
	whole(ManifestFormat, func(m *Manifest) {
		m.Launches[0].Args = append(args[:len(args):len(args)], LaunchArg{LocalBytes: 16})
		m.Launches[0].GlobalOffset = [3]int{1, 0, 0}
	})
	whole(ManifestFormat, func(m *Manifest) {
		m.Variants[0].Bare.Descriptor = &BareDescriptor{Rsrc1: 0xac033f, Rsrc2: 0x137d, Properties: 9}
		m.Variants[0].Address, m.Launches[0].Grid[0] = 0x1_0000, 5
		m.Buffers[0].Address, m.Buffers[0].ReadOnly = 0x10_0000_0000, true
		l := &m.Launches[0]
		l.Args, l.Kernarg = nil, []byte{1, 2, 3}
		l.Registers = map[string]Words{"s4": {V: []uint64{5}}, "s10": {V: []uint64{0}}, "v0": {V: []uint64{1, 1<<32 - 1}, List: true}}
	})
	whole(TeslaManifestFormat, func(m *Manifest) {
		m.Variants[0] = Build{File: "k.bin", ISA: "tesla", Variant: "g200"}
		m.Buffers[0].Space, m.Buffers[0].Address = "global14", 0x10000
		m.Buffers = append(m.Buffers, Buffer{Name: "c", Bytes: 4, Elem: "uint8", Init: "zero", Space: "const1"})
		l := &m.Launches[0]
		l.ABI, l.SharedBytes, l.PrivateBytes, l.Options = "mesa", 64, 16, map[string]string{"registers": "16"}
	})
	whole(ValhallManifestFormat, func(m *Manifest) {
		m.Variants[0] = Build{File: "k.bin", ISA: "valhall", Variant: "v9"}
		m.Buffers[0].Address = 1 << 33
		l := &m.Launches[0]
		l.SharedBytes, l.PrivateBytes, l.Preload, l.Resources = 64, 16, 0x8001, [][]string{{"b", ""}}
	})
	// A float without a decimal number is its bytes.
	m := &Manifest{Format: ManifestFormat, Name: "n", Variants: []Build{build}, Buffers: []Buffer{buffer}, Launches: []Launch{launch}}
	m.Launches[0].Args = []LaunchArg{{Type: "f32", Bits: 0x7fc00000}}
	text, err := m.JSON()
	if err != nil || !bytes.Contains(text, []byte(`"hex": "0000c07f"`)) {
		t.Errorf("%v\n%s", err, text)
	}
}
