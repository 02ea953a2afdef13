package object

import (
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/internal/cases"
)

// A headerRow is one line of codeobj.jsonl: the output of other tools for a code object.
type headerRow struct {
	File            string
	ABIVersion      int       `json:"abi_version"`
	Flags           string    `json:"e_flags"`
	MetadataVersion [2]uint32 `json:"metadata_version"`
	Target          *string
	Kernels         []headerKernel
}

type headerKernel struct {
	Name         string
	KDAddress    string `json:"kd_address"`
	KD           string
	GroupSize    uint32 `json:"group_segment_fixed_size"`
	PrivateSize  uint32 `json:"private_segment_fixed_size"`
	KernargSize  uint32 `json:"kernarg_size"`
	EntryAddress string `json:"entry_address"`
	Rsrc1        string
	Rsrc2        string
	Properties   string
	SGPRs        uint32 `json:"sgpr_count"`
	VGPRs        uint32 `json:"vgpr_count"`
	Args         []headerArg
}

type headerArg struct {
	AddressSpace string `json:"address_space"`
	Offset, Size uint32
	ValueKind    string `json:"value_kind"`
}

// rowOf returns the headerRow of a code object.
func rowOf(file string, o *CodeObject) headerRow {
	row := headerRow{File: file, ABIVersion: o.Version - 2, Flags: fmt.Sprintf("%#x", o.Flags), MetadataVersion: o.Metadata.Version}
	if o.Metadata.Target != "" {
		row.Target = &o.Metadata.Target
	}
	for _, k := range o.Kernels {
		d := &k.Descriptor
		h := headerKernel{
			Name: k.Name, KDAddress: fmt.Sprintf("%#x", k.DescriptorAddr), KD: hex.EncodeToString(d.Raw[:]),
			GroupSize: d.GroupSize, PrivateSize: d.PrivateSize, KernargSize: d.KernargSize,
			EntryAddress: fmt.Sprintf("%#x", k.Entry), Rsrc1: fmt.Sprintf("%#x", d.Rsrc1), Rsrc2: fmt.Sprintf("%#x", d.Rsrc2),
			Properties: fmt.Sprintf("%#x", d.Properties), SGPRs: k.Meta.SGPRs, VGPRs: k.Meta.VGPRs,
		}
		for _, a := range k.Meta.Args {
			h.Args = append(h.Args, headerArg{a.AddressSpace, a.Offset, a.Size, a.ValueKind})
		}
		row.Kernels = append(row.Kernels, h)
	}
	return row
}

// compareHeaders reads rows and compares each with its file, found by path. each is called with the differences of a
// file.
func compareHeaders(t *testing.T, rows io.Reader, path func(file string) string, each func(row *headerRow, failure string)) {
	t.Helper()
	d := json.NewDecoder(rows)
	d.DisallowUnknownFields()
	for {
		var want headerRow
		err := d.Decode(&want)
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		each(&want, compareHeader(&want, path(want.File)))
	}
}

func compareHeader(want *headerRow, path string) string {
	b, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	o, err := ReadHSAFile(b, want.File)
	if err != nil {
		return err.Error()
	}
	if got := rowOf(want.File, o); !reflect.DeepEqual(got, *want) {
		return fmt.Sprintf("%s:\ngot  %+v\nwant %+v", want.File, got, *want)
	}
	return unsound(want.File, o)
}

// unsound checks what the rows do not cover.
func unsound(file string, o *CodeObject) string {
	target := strings.Split(file, ".")[1]
	if o.Target != target || o.Variant() != "gfx"+target[3:4] {
		return fmt.Sprintf("%s: target %s, variant %s", file, o.Target, o.Variant())
	}
	for i := range o.Kernels {
		k := &o.Kernels[i]
		code, d := o.Code(k), &k.Descriptor
		switch {
		case k.CodeSize == 0 || uint64(len(code)) != k.CodeSize || !bytes.Contains(code, []byte{0, 0, 0x81, 0xbf}):
			return fmt.Sprintf("%s: kernel %s: %d bytes of code, symbol says %d, or no s_endpgm", file, k.Name, len(code), k.CodeSize)
		case d.VGPRs() < int(k.Meta.VGPRs) || d.SGPRs() < int(k.Meta.SGPRs) || k.Meta.WaveSize != 64:
			return fmt.Sprintf("%s: %s: descriptor allots %d VGPRs, %d SGPRs; metadata %+v", file, k.Name, d.VGPRs(), d.SGPRs(), k.Meta)
		case k.Meta.GroupSize != d.GroupSize || k.Meta.PrivateSize != d.PrivateSize || k.Meta.Name != k.Name:
			return fmt.Sprintf("%s: %s: metadata and descriptor differ", file, k.Name)
		}
	}
	if !bytes.Equal(o.Load(0x7000_0000), o.Image) && len(o.Relocs) == 0 {
		return file + ": loading changes an image without relocations"
	}
	return ""
}

func TestHeaders(t *testing.T) {
	n := 0
	compareHeaders(t, bytes.NewReader(readFile(t, "testdata/codeobj.jsonl")), func(file string) string {
		return filepath.Join("testdata", file)
	}, func(_ *headerRow, failure string) {
		if n++; failure != "" {
			t.Error(failure)
		}
	})
	if n != 5 {
		t.Errorf("%d files compared, want 5", n)
	}
}

// TestHeadersOfAllCases: the required number of code objects of the full set is read, and each has a row.
func TestHeadersOfAllCases(t *testing.T) {
	dir := cases.Dir(t)
	l := cases.NewLedger(t, dir, "header")
	folder := filepath.Join(dir, "kernels", "gcn")
	table := filepath.Join(folder, "codeobj.jsonl.gz")
	defer l.Settle(t)
	r, err := gzip.NewReader(bytes.NewReader(readFile(t, table)))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	compareHeaders(t, r, func(file string) string {
		name, _, _ := strings.Cut(file, ".")
		seen[file] = true
		return filepath.Join(folder, name, file)
	}, func(row *headerRow, failure string) {
		l.Add(table, "gcn:gfx"+strings.Split(row.File, ".")[1][3:4], "header", failure)
	})
	for _, file := range glob(t, folder, "*", "*.hsaco") {
		if !seen[filepath.Base(file)] {
			t.Errorf("%s has no row", file)
		}
	}
}

func saxpy(t testing.TB) []byte { return readFile(t, "testdata/saxpy.gfx803.hsaco") }

func TestReadHSA(t *testing.T) {
	o, err := ReadHSA(saxpy(t))
	if err != nil {
		t.Fatal(err)
	}
	k, ok := o.Kernel("saxpy")
	if _, other := o.Kernel("none"); !ok || other {
		t.Fatal("Kernel answers wrongly")
	}
	d := &k.Descriptor
	for _, tt := range []struct {
		name      string
		got, want any
	}{
		{"version", o.Version, 5},
		{"symbol", k.Meta.Symbol, "saxpy.kd"},
		{"language", k.Meta.Language, "OpenCL C"},
		{"language version", k.Meta.LanguageVersion, [2]uint32{1, 2}},
		{"max group", k.Meta.MaxFlatGroup, uint32(256)},
		{"argument type", k.Meta.Args[0].TypeName, "float*"},
		{"kernarg align", k.Meta.KernargAlign, uint32(8)},
		{"float mode", d.FloatMode(), 0xc0},
		{"round", [2]int{d.RoundF32(), d.RoundF64()}, [2]int{0, 0}},
		{"denorm", [2]int{d.DenormF32(), d.DenormF64()}, [2]int{0, 3}},
		{"flags", []bool{d.DX10Clamp(), d.IEEE(), d.Priv(), d.Debug()}, []bool{true, true, false, false}},
		{"user SGPRs", d.UserSGPRs(), 6},
		{"group ids", []bool{d.GroupID(0), d.GroupID(1), d.GroupID(2), d.GroupInfo()}, []bool{true, false, false, false}},
		{"item ids", d.ItemIDs(), 1},
		{"rsrc2", []int{d.LDSBlocks(), d.Exceptions(), d.Priority()}, []int{0, 0, 0}},
		{"rsrc2 flags", []bool{d.ScratchOffset(), d.TrapHandler()}, []bool{false, false}},
		{"properties", []bool{d.PrivateSegmentBuffer(), d.DispatchPtr(), d.QueuePtr(), d.KernargPtr(), d.DispatchID(),
			d.FlatScratchInit(), d.PrivateSegmentSize(), d.Wave32(), d.DynamicStack()},
			[]bool{true, false, false, true, false, false, false, false, false}},
	} {
		if !reflect.DeepEqual(tt.got, tt.want) {
			t.Errorf("%s: got %v, want %v", tt.name, tt.got, tt.want)
		}
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

var descriptorFields = []struct {
	name   string
	word   int // 1 rsrc1, 2 rsrc2, 3 properties
	lo, hi int
	get    func(d *Descriptor) int
}{
	{"vgprs", 1, 0, 5, func(d *Descriptor) int { return d.VGPRs()/4 - 1 }},
	{"sgprs", 1, 6, 9, func(d *Descriptor) int { return d.SGPRs()/8 - 1 }},
	{"priority", 1, 10, 11, (*Descriptor).Priority},
	{"float mode", 1, 12, 19, (*Descriptor).FloatMode},
	{"round f32", 1, 12, 13, (*Descriptor).RoundF32},
	{"round f64", 1, 14, 15, (*Descriptor).RoundF64},
	{"denorm f32", 1, 16, 17, (*Descriptor).DenormF32},
	{"denorm f64", 1, 18, 19, (*Descriptor).DenormF64},
	{"priv", 1, 20, 20, func(d *Descriptor) int { return b2i(d.Priv()) }},
	{"clamp", 1, 21, 21, func(d *Descriptor) int { return b2i(d.DX10Clamp()) }},
	{"debug", 1, 22, 22, func(d *Descriptor) int { return b2i(d.Debug()) }},
	{"ieee", 1, 23, 23, func(d *Descriptor) int { return b2i(d.IEEE()) }},
	{"scratch", 2, 0, 0, func(d *Descriptor) int { return b2i(d.ScratchOffset()) }},
	{"user", 2, 1, 5, (*Descriptor).UserSGPRs},
	{"trap", 2, 6, 6, func(d *Descriptor) int { return b2i(d.TrapHandler()) }},
	{"x", 2, 7, 7, func(d *Descriptor) int { return b2i(d.GroupID(0)) }},
	{"y", 2, 8, 8, func(d *Descriptor) int { return b2i(d.GroupID(1)) }},
	{"z", 2, 9, 9, func(d *Descriptor) int { return b2i(d.GroupID(2)) }},
	{"info", 2, 10, 10, func(d *Descriptor) int { return b2i(d.GroupInfo()) }},
	{"items", 2, 11, 12, func(d *Descriptor) int { return d.ItemIDs() - 1 }},
	{"lds", 2, 15, 23, (*Descriptor).LDSBlocks},
	{"exceptions", 2, 24, 30, (*Descriptor).Exceptions},
	{"psb", 3, 0, 0, func(d *Descriptor) int { return b2i(d.PrivateSegmentBuffer()) }},
	{"dispatch", 3, 1, 1, func(d *Descriptor) int { return b2i(d.DispatchPtr()) }},
	{"queue", 3, 2, 2, func(d *Descriptor) int { return b2i(d.QueuePtr()) }},
	{"kernarg", 3, 3, 3, func(d *Descriptor) int { return b2i(d.KernargPtr()) }},
	{"id", 3, 4, 4, func(d *Descriptor) int { return b2i(d.DispatchID()) }},
	{"flat", 3, 5, 5, func(d *Descriptor) int { return b2i(d.FlatScratchInit()) }},
	{"pss", 3, 6, 6, func(d *Descriptor) int { return b2i(d.PrivateSegmentSize()) }},
	{"wave32", 3, 10, 10, func(d *Descriptor) int { return b2i(d.Wave32()) }},
	{"stack", 3, 11, 11, func(d *Descriptor) int { return b2i(d.DynamicStack()) }},
}

// TestDescriptorFields sets every bit of the descriptor's words alone and asks which
// fields see it.
func TestDescriptorFields(t *testing.T) {
	at := []int{0, 48, 52, 56}
	for word := 1; word <= 3; word++ {
		for bit := range []int{0, 32, 32, 16}[word] {
			var raw [DescriptorSize]byte
			raw[at[word]+bit/8] = 1 << (bit % 8)
			d := decodeDescriptor(raw[:])
			for _, f := range descriptorFields {
				want := 0
				if f.word == word && f.lo <= bit && bit <= f.hi {
					want = 1 << (bit - f.lo)
				}
				if got := f.get(&d); got != want {
					t.Errorf("word %d bit %d: %s is %d, want %d", word, bit, f.name, got, want)
				}
			}
		}
	}
}

func TestTargets(t *testing.T) {
	n := map[string]int{}
	seen := map[string]bool{}
	for _, name := range machNames {
		if name == "" {
			continue
		}
		if seen[name] {
			t.Errorf("%s is given twice", name)
		}
		seen[name] = true
		n[Variant(name)]++
	}
	if len(seen) < 40 {
		t.Errorf("%d targets", len(seen))
	}
	if n["gfx6"] != 3 || n["gfx7"] != 6 || n["gfx8"] != 5 {
		t.Errorf("targets by variant: %v", n)
	}
	for _, name := range []string{"gfx900", "gfx1030", "gfx9-generic", "", "gfx80"} {
		if Variant(name) != "" {
			t.Errorf("%q is of variant %s", name, Variant(name))
		}
	}
}

func TestNoMetadata(t *testing.T) {
	data := saxpy(t)
	at := bytes.Index(data, []byte(noteAMDGPU))
	data[at-4] = 33 // the note's type
	o, err := ReadHSA(data)
	if err != nil {
		t.Fatal(err)
	}
	if k, ok := o.Kernel("saxpy"); !ok || k.Meta != nil || o.Metadata.Present || len(o.Code(k)) == 0 {
		t.Errorf("got %+v, %+v", o.Metadata, o.Kernels)
	}
}
