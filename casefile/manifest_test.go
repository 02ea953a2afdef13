package casefile

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/internal/cases"
	"github.com/heddle-gpu/heddle/internal/limit"
)

func TestReadManifest(t *testing.T) {
	m, err := ReadManifestFile("testdata/manifest.json")
	if err != nil {
		t.Fatal(err)
	}
	want := &Manifest{
		File: "testdata/manifest.json", Format: ManifestFormat, Name: "saxpy", Source: "saxpy.cl",
		Variants: []Build{{File: "saxpy.gfx803.hsaco", ISA: "gcn", Variant: "gfx8", Target: "gfx803", CodeObjectVersion: 5, Opt: "-O2"}},
		Buffers: []Buffer{
			{Name: "y", Bytes: 4096, Elem: "float32", Init: "zero", Expect: "y.bin", Compare: BufferCompare{"ulp_or_abs", "f32", 1, 1e-6, true, true}},
			{Name: "a", Bytes: 16, Elem: "uint8", Init: "a.bin"},
		},
		Launches: []Launch{{
			Kernel: "saxpy", WorkDim: 2, Grid: [3]int{64, 4, 1}, Block: [3]int{16, 4, 1}, GlobalOffset: [3]int{1, 0, 0},
			Args: []LaunchArg{{Buffer: "y"}, {LocalBytes: 64}, {Type: "i32", Bits: 0xffffffff}, {Type: "f32", Bits: 0x3fc00000}, {Type: "u64", Bits: 1<<64 - 1}},
		}},
		Pictures: []Picture{{"y", "y", 32, 32, "gray-u32", "log", 1, 100}},
		Extra:    map[string]json.RawMessage{"remark": json.RawMessage("[1, 2]")},
	}
	if !reflect.DeepEqual(m, want) {
		t.Errorf("got  %+v\nwant %+v", m, want)
	}
	a, ok := m.Buffer("a")
	if _, none := m.Buffer("b"); !ok || none {
		t.Error("Buffer answers wrongly")
	}
	for _, read := range []func(*Buffer) ([]byte, error){m.InitData, m.ExpectData} {
		if data, err := read(a); err != nil || string(data) != "0123456789abcdef" {
			t.Errorf("got %q, %v", data, err)
		}
	}
	y, _ := m.Buffer("y")
	if data, err := m.InitData(y); err != nil || !bytes.Equal(data, make([]byte, 4096)) {
		t.Errorf("got %d bytes, %v", len(data), err)
	}
	if _, err := m.ExpectData(y); err == nil || !strings.HasPrefix(err.Error(), "testdata/manifest.json: buffers.y.expect: ") {
		t.Errorf("got %v", err)
	}
	for _, n := range []int{15, 17} {
		a.Bytes = n
		if _, err := m.InitData(a); err == nil || !strings.Contains(err.Error(), "a.bin has ") {
			t.Errorf("%d bytes: got %v", n, err)
		}
	}
}

var manifestErrors = []struct{ old, new, want string }{
	{`"heddle-gcn-kernel-1"`, `"x"`, `format: "x" is none of heddle-gcn-kernel-1`},
	{`"format": "heddle-gcn-kernel-1",`, ``, "no format"},
	{`"name": "saxpy",`, ``, "no name"},
	{`"source": "saxpy.cl"`, `"source": 5`, "source: found 5, want a string"},
	{`"file": "saxpy.gfx803.hsaco"`, `"file": "../x"`, `variants[0].file: "../x" is not the name of a file in the same folder or below it`},
	{`"file": "saxpy.gfx803.hsaco"`, `"file": "/etc/passwd"`, `variants[0].file: "/etc/passwd" is not`},
	{`"file": "saxpy.gfx803.hsaco",`, ``, "variants[0]: no file"},
	{`"opt"`, `"otp"`, "variants[0].otp: unknown key"},
	{`"bytes": 4096`, `"bytes": 4095`, "buffers.y.bytes: 4095 is no multiple of the 4 of float32"},
	{`"bytes": 4096`, `"bytes": 1099511627776`, "buffers.y.bytes: 1099511627776 is not in 1 to 1073741824"},
	{`"bytes": 4096`, `"bytes": 1073741824`, "buffers: more than 1073741824 bytes together"},
	{`"bytes": 4096`, `"bytes": 4e3`, "buffers.y.bytes: found 4e3, want a whole number"},
	{`"float32"`, `"float31"`, `buffers.y.elem: "float31" is none of int8, uint8`},
	{`"init": "zero",`, ``, "buffers.y: no init"},
	{`"ulp_or_abs"`, `"near"`, `buffers.y.compare.mode: "near" is none of exact, ulp_or_abs, skip`},
	{`"a": {`, `"y": {`, "buffers.y: key is given twice"},
	{`"a": {`, `"": {`, "buffers: a buffer needs a name"},
	{`"kernel": "saxpy", `, ``, "launches[0]: no kernel"},
	{`"work_dim": 2`, `"work_dim": 4`, "launches[0].work_dim: 4 is not in 1 to 3"},
	{`"work_dim": 2`, `"work_dim": 1`, "launches[0].grid: [64 4 1] has more than work_dim 1 dimensions"},
	{`[64, 4, 1]`, `[64, 4]`, "launches[0].grid: 2 numbers, want 3"},
	{`[16, 4, 1]`, `[512, 4, 1]`, "launches[0].block: [512 4 1] has more than 1024 work-items"},
	{`{"buffer": "y"}`, `{"buffer": "z"}`, `launches[0].args[0].buffer: there is no buffer "z"`},
	{`{"buffer": "y"}`, `{"buffer": "y", "local_bytes": 1}`, "launches[0].args[0]: want one of buffer, local_bytes, hex, or type and value"},
	{`{"buffer": "y"}`, `{"value": 1}`, "launches[0].args[0]: want one of buffer"},
	{`"local_bytes": 64`, `"local_bytes": 65537`, "launches[0].args[1].local_bytes: 65537 is not in 1 to 65536"},
	{`"value": -1`, `"value": 2147483648`, "launches[0].args[2].value: 2147483648 is no i32"},
	{`"value": 1.5`, `"value": 1e99`, "launches[0].args[3].value: 1e99 is no f32"},
	{`"value": 1.5`, `"value": "1"`, `launches[0].args[3].value: "1" is no f32`},
	{`"type": "i32"`, `"type": "i33"`, `launches[0].args[2].type: "i33" is none of f16, f32, f64, i16, i32`},
	{`"width": 32`, `"width": 33`, `pictures[0]: 33x32 pixels of 4 bytes do not fit in the 4096 bytes of "y"`},
	{`"gray-u32"`, `"gray"`, `pictures[0].format: "gray" is none of rgba8, gray8, gray-u32, gray-f32, escape-u32`},
	{`"name": "y"`, `"name": "../y"`, `pictures[0].name: "../y" is no file name`},
	{`"name": "y", "buffer": "y"`, `"name": "y", "buffer": "z"`, `pictures[0].buffer: there is no buffer "z"`},
	{`"max": 100`, `"max": 0`, "pictures[0].max: 0 is below min 1"},
	{`"scale": "log"`, `"scale": "sqrt"`, `pictures[0].scale: "sqrt" is none of linear, log`},
}

func TestManifestErrors(t *testing.T) {
	whole := string(readFile(t, "testdata/manifest.json"))
	for _, tt := range manifestErrors {
		if !strings.Contains(whole, tt.old) {
			t.Fatalf("%s is not in the manifest", tt.old)
		}
		_, err := ReadManifest(strings.NewReader(strings.Replace(whole, tt.old, tt.new, 1)), "m.json")
		if !strings.HasPrefix(errorOf(t, err), "m.json: "+tt.want) {
			t.Errorf("%s -> %s\ngot  %v\nwant %s", tt.old, tt.new, err, tt.want)
		}
	}
	for _, tt := range []struct{ in, want string }{
		{"", "m.json:1:1: JSON: unexpected end of JSON input"},
		{"[]", "m.json:1:1: found [], want an object"},
		{"{\n\"name\" 5}", "m.json:2:8: JSON: "},
		{strings.Repeat(" ", int(limit.Manifest.Bytes)+1), "m.json:1: manifest of more than"},
		{"\x1f\x8b", "m.json:1: "},
	} {
		if _, err := ReadManifest(strings.NewReader(tt.in), "m.json"); err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("got %v, want %s", err, tt.want)
		}
	}
}

func FuzzReadManifest(f *testing.F) {
	f.Add(readFile(f, "testdata/manifest.json"))
	for _, name := range glob(f, cases.Repository(f), "kernels", "*", "*", "manifest.json") {
		f.Add(readFile(f, name))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := ReadManifest(bytes.NewReader(data), "m.json")
		if (m == nil) != (err != nil) {
			t.Errorf("manifest %v and error %v", m, err)
		}
		if _, ok := err.(*Error); err != nil && !ok {
			t.Errorf("error %T", err)
		}
	})
}

func FuzzStates(f *testing.F) {
	f.Add(readFile(f, "testdata/states.jsonl"))
	f.Add(readFile(f, "testdata/state_pretty.json"))
	for _, line := range cases.Seeds(f, 300, "state/*.jsonl.gz") {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		Sniff(bytes.NewReader(data))
		for c, err := range States(bytes.NewReader(data), "s") {
			if _, ok := err.(*Error); (c == nil) != (err != nil) || err != nil && !ok {
				t.Errorf("case %v and error %T %v", c, err, err)
			}
			if c != nil && c.Code == nil && len(c.Asm) == 0 {
				t.Errorf("case without a program: %+v", c)
			}
			if c != nil && c.Initial != nil {
				_, _ = c.Initial.Textures()
				_, _ = c.Initial.Streams()
			}
		}
	})
}

// FuzzPairs: a row that is accepted prints as the line that it was read from.
func FuzzPairs(f *testing.F) {
	f.Add(readFile(f, "testdata/pairs.tsv"))
	rows := cases.Seeds(f, 300, "pairs/*.tsv.gz")
	for i, row := range rows {
		f.Add([]byte(pairColumns + "\n" + row + "\n" + rows[(i+1)%len(rows)] + "\n"))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		in := strings.Split(string(data), "\n")
		hyphen := func(s string) string {
			if s == "" {
				return "-"
			}
			return s
		}
		for p, err := range Pairs(bytes.NewReader(data), "p") {
			if _, ok := err.(*Error); err != nil && !ok {
				t.Errorf("error %T %v", err, err)
			}
			if err != nil || data[0] == 0x1f {
				continue
			}
			isa := p.ISA
			if p.Variant != "" {
				isa += ":" + p.Variant
			}
			want := strings.Split(strings.TrimSuffix(in[p.Line-1], "\r"), "\t")
			got := []string{isa, hyphen(p.Stage), hyphen(p.Hex), hyphen(p.Text), p.Flags, p.Note}
			for i := range got {
				if want[i] != got[i] && want[i] != "" && want[i] != isa+":" {
					t.Errorf("line %d: got %q, want %q", p.Line, got, want)
				}
			}
			if n := len(p.Code()); n*2 != len(p.Hex) {
				t.Errorf("line %d: %d bytes of %q", p.Line, n, p.Hex)
			}
		}
	})
}
