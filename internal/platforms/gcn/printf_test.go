package gcn

import (
	"bytes"
	"context"
	"encoding/binary"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/object"
)

// TestPrintingKernel: each work-item allocates space in the buffer as the device library does, with an atomic addition,
// and writes a format, its number and a float there.
func TestPrintingKernel(t *testing.T) {
	meta := &object.KernelMetadata{Args: []object.Arg{{Offset: 0, Size: 8, ValueKind: "hidden_printf_buffer"}}}
	code := hexOf(t, `
		s_load_dwordx2 s[0:1], s[4:5], 0x0
		v_mov_b32_e32 v7, v0
		v_mov_b32_e32 v6, 3
		v_cvt_f32_u32_e32 v8, v0
		v_mov_b32_e32 v2, 12
		s_waitcnt lgkmcnt(0)
		v_mov_b32_e32 v0, s0
		v_mov_b32_e32 v1, s1
		flat_atomic_add v3, v[0:1], v2 glc
		s_waitcnt vmcnt(0) lgkmcnt(0)
		v_add_u32_e32 v4, vcc, v0, v3
		v_add_u32_e32 v4, vcc, 8, v4
		v_mov_b32_e32 v5, v1
		flat_store_dwordx3 v[4:5], v[6:8]
		s_endpgm
	`)
	o := testObject(t, code, object.Descriptor{KernargSize: 8, Rsrc2: 6 << 1, Properties: 1 | 8}, meta)
	o.Metadata.Printf = []string{`2:0:not this`, `3:2:4:4:item\72 %2d of %.2f\n`}
	var out bytes.Buffer
	k := Kernel{Grid: [3]uint32{11}, Block: [3]uint32{8}}
	_, l, err := begin(t, o, k, launch.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	k.Module, k.Name = l.Target.(*dispatch).k.Module, "k"
	want := ""
	for i := range 11 {
		id := i % 8
		want += "item:  " + string(rune('0'+id)) + " of " + string(rune('0'+id)) + ".00\n"
	}
	c := launch.Settings{Engine: l.Engine, Print: &out}
	if _, err := Launch(context.Background(), k, c); err != nil || out.String() != want {
		t.Errorf("%q, %v; want %q", out.String(), err, want)
	}
	c.Print = nil // output without a writer is discarded
	if _, err := Launch(context.Background(), k, c); err != nil {
		t.Error(err)
	}
	o.Metadata.Printf = nil
	c.Print = &out
	if _, err := Launch(context.Background(), k, c); err == nil || err.Error() != "gcn: kernel k: printf: format 3 is not in the metadata" {
		t.Errorf("without formats: %v", err)
	}
}

// TestCompiledPrintf: clang's own code and metadata print what the source states, on each generation.
func TestCompiledPrintf(t *testing.T) {
	const want = "item 0: 0.500000\nitem 1: 1.250000\nitem 2: -2.000000\nitem 3: 1000000.000000\nplain\n" +
		"str hello and   2.5% of 123456789abcdef \"q\" a:b\t|\nvec 1.000000,2.500000,-3.000000,0.500000 c=x\nv3 1,-2,7 .\n"
	for _, target := range []string{"gfx600", "gfx700", "gfx803"} {
		data, err := os.ReadFile("testdata/talk." + target + ".hsaco")
		if err != nil {
			t.Fatal(err)
		}
		o, err := object.ReadHSA(data)
		if err != nil {
			t.Fatal(err)
		}
		m, err := Load(o, nil)
		if err != nil {
			t.Fatal(err)
		}
		memory := NewMemory()
		in, err := memory.Alloc("in", 16)
		if err != nil {
			t.Fatal(err)
		}
		for i, f := range []float32{0.5, 1.25, -2, 1e6} {
			binary.LittleEndian.PutUint32(in.Data[4*i:], math.Float32bits(f))
		}
		for range 2 { // the buffer is empty again
			var out strings.Builder
			k := Kernel{Module: m, Name: "talk", Grid: [3]uint32{4}, Block: [3]uint32{4}, Memory: memory, Args: []Arg{Buf(in), I32(7)}}
			if _, err := Launch(context.Background(), k, launch.Settings{Engine: ref.New(), Print: &out}); err != nil || out.String() != want {
				t.Errorf("%s: %q, %v; want %q", target, out.String(), err, want)
			}
		}
	}
}

// TestHostcall: a kernel that calls the host faults, and the fault names the argument and the kernel.
func TestHostcall(t *testing.T) {
	meta := &object.KernelMetadata{Args: []object.Arg{{Offset: 0, Size: 8, ValueKind: "hidden_hostcall_buffer"}}}
	code := hexOf(t, `
		s_load_dwordx2 s[0:1], s[4:5], 0x0
		s_load_dword s2, s[0:1], 0x0
		s_endpgm
	`)
	o := testObject(t, code, object.Descriptor{KernargSize: 8, Rsrc2: 6 << 1, Properties: 1 | 8}, meta)
	_, l, err := begin(t, o, Kernel{Grid: [3]uint32{1}, Block: [3]uint32{1}}, launch.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	const want = "hidden_hostcall_buffer of kernel k: calls of the host are not built"
	if _, err := l.Run(context.Background()); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v", err)
	}
}

// TestPrintf: conversions as the C standard describes them, and vectors as OpenCL C does. The texts are what a C
// library prints for the same calls.
func TestPrintf(t *testing.T) {
	i32 := func(v int32) []byte { return binary.LittleEndian.AppendUint32(nil, uint32(v)) }
	i64 := func(v int64) []byte { return binary.LittleEndian.AppendUint64(nil, uint64(v)) }
	f32 := func(v float32) []byte { return binary.LittleEndian.AppendUint32(nil, math.Float32bits(v)) }
	f64 := func(v float64) []byte { return binary.LittleEndian.AppendUint64(nil, math.Float64bits(v)) }
	cat := func(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
	for _, c := range []struct {
		format string
		arg    []byte
		want   string
	}{
		{"%d", i32(-5), "-5"}, {"%5d|", i32(42), "   42|"}, {"%-5d|", i32(42), "42   |"}, {"%05d", i32(-42), "-0042"}, {"%+d", i32(7), "+7"},
		{"% d", i32(7), " 7"}, {"%.3d", i32(7), "007"}, {"%06.3d", i32(7), "   007"}, {"%.0d|", i32(0), "|"}, {"%i", i32(math.MinInt32), "-2147483648"},
		{"%ld", i64(math.MinInt64), "-9223372036854775808"}, {"%lu", i64(-1), "18446744073709551615"}, {"%u", i32(-1), "4294967295"},
		{"%hhd", i32(0x1ff), "-1"}, {"%hu", i32(-1), "65535"}, {"%hd", i32(0x8000), "-32768"},
		{"%x", i32(255), "ff"}, {"%#x", i32(255), "0xff"}, {"%#x", i32(0), "0"}, {"%08X", i32(-559038737), "DEADBEEF"}, {"%#010x", i32(255), "0x000000ff"},
		{"%o", i32(8), "10"}, {"%#o", i32(8), "010"}, {"%c%%", i32('A'), "A%"}, {"%3c", i32('A'), "  A"}, {"%p", i64(0x1234), "0x1234"},
		{"%f", f64(1.5), "1.500000"}, {"%.2f", f64(-2.675), "-2.67"}, {"%8.3f", f64(3.14159), "   3.142"}, {"%08.3f", f64(-3.14159), "-003.142"},
		{"%.0f", f64(2.5), "2"}, {"%#.0f", f64(2.5), "2."}, {"%+f", f64(0), "+0.000000"}, {"%f", f64(math.Copysign(0, -1)), "-0.000000"},
		{"%e", f64(12345.678), "1.234568e+04"}, {"%E", f64(1e-10), "1.000000E-10"}, {"%.0e", f64(5e100), "5e+100"}, {"%#.0e", f64(5), "5.e+00"},
		{"%g", f64(100000), "100000"}, {"%g", f64(1e6), "1e+06"}, {"%g", f64(0.0001), "0.0001"}, {"%g", f64(0.00001), "1e-05"}, {"%g", f64(999999.5), "1e+06"},
		{"%.3g", f64(3.14159), "3.14"}, {"%#g", f64(1), "1.00000"}, {"%G", f64(1e-20), "1E-20"}, {"%g", f64(0), "0"}, {"%.0g", f64(123), "1e+02"},
		{"%a", f64(1), "0x1p+0"}, {"%a", f64(0.15625), "0x1.4p-3"}, {"%a", f64(0x1p100), "0x1p+100"}, {"%A", f64(10), "0X1.4P+3"},
		{"%f", f64(math.Inf(-1)), "-inf"}, {"%06F", f64(math.Inf(1)), "   INF"}, {"%f", f64(math.NaN()), "nan"},
		{"%f", f32(0.5), "0.500000"}, {"%s|", []byte("hello\x00\x00\x00"), "hello|"}, {"%.2s", []byte("abc\x00"), "ab"}, {"%6s", []byte("abc\x00"), "   abc"},
		{"%v4d", cat(i32(1), i32(-2), i32(3), i32(4)), "1,-2,3,4"}, {"%v3hld", cat(i32(1), i32(2), i32(3), i32(9)), "1,2,3"},
		{"%v2.1f", nil, ""}, {"%.1v2f", cat(f32(1), f32(2.25)), "1.0,2.2"}, {"%v4hhd", []byte{1, 2, 255, 4}, "1,2,-1,4"}, {"%v2lf", cat(f64(1), f64(2)), "1.000000,2.000000"},
		{"%v3f", cat(f32(1), f32(2), f32(3)), "1.000000,2.000000,3.000000"}, {"%v2hf", []byte{0, 0x3c, 0, 0xc0}, "1.000000,-2.000000"},
	} {
		var out strings.Builder
		f := printFormat{[]int{len(c.arg)}, c.format}
		n, err := f.print(&out, c.arg)
		if c.arg == nil {
			if err == nil {
				t.Errorf("%s is no conversion", c.format)
			}
			continue
		}
		if err != nil || n != len(c.arg) || out.String() != c.want {
			t.Errorf("%s: %q, %d bytes, %v; want %q", c.format, out.String(), n, err, c.want)
		}
	}
}

// TestPrintfBroken: buffers and metadata that no compiler and kernel produce are errors and cause no panic.
func TestPrintfBroken(t *testing.T) {
	buffer := func(used uint32, words ...uint32) []byte {
		b := make([]byte, printfHead+64)
		binary.LittleEndian.PutUint32(b, used)
		for i, w := range words {
			binary.LittleEndian.PutUint32(b[printfHead+4*i:], w)
		}
		return b
	}
	for _, c := range []struct {
		buffer       []byte
		format, want string
	}{
		{buffer(65), "1:0:a", "65 bytes are in use of a buffer of 64"},
		{buffer(6, 1), "1:0:a", "2 bytes at the end of the buffer"},
		{buffer(4, 1), "1:1:4:%d", `"%d": argument 1 is past the end of the buffer`},
		{buffer(4, 1), "1:0:%d", `"%d": 0 arguments are given`},
		{buffer(4, 1), "1:0:%y", `"%y": a conversion that does not exist at "%y"`},
		{buffer(4, 1), "1:0:%v5d", `"%v5d": vectors of 5`},
		{buffer(8, 1), "1:1:3:%d", `"%d": argument 1: 3 bytes for %d`},
		{buffer(0), "1", `the metadata has the format "1"`},
		{buffer(0), "1:2:4:", `the metadata has the format "1:2:4:"`},
		{buffer(0), "x:0:", `the metadata has the format "x:0:"`},
	} {
		if text, err := decodePrintf(c.buffer, []string{c.format}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %q, %v; want %s", c.format, text, err, c.want)
		}
	}
}
