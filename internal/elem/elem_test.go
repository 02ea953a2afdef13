package elem

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/num"
)

func TestParseType(t *testing.T) {
	for name, want := range map[string]Type{
		"f16": {Float, 16, 1}, "f64": {Float, 64, 1}, "i8": {Signed, 8, 1}, "u64": {Unsigned, 64, 1}, "x32": {Hex, 32, 1},
		"f32x4": {Float, 32, 4}, "x32x2": {Hex, 32, 2}, "u8x16": {Unsigned, 8, 16},
	} {
		got, err := ParseType(name)
		if err != nil || got != want || got.String() != name {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	for _, name := range []string{"", "f", "f8", "f32x", "f32x1", "f32x17", "i33", "g32", "f032", "f32x04", "float", "f32 ", "x", "xx", "u128", "i-8"} {
		if got, err := ParseType(name); err == nil || !strings.Contains(err.Error(), "f16 f32 f64") {
			t.Errorf("%q: %v, %v", name, got, err)
		}
	}
}

func TestNamesElsewhere(t *testing.T) {
	for name, want := range map[string]string{"float32": "f32", "uint8": "u8", "int64": "i64", "float16": "f16"} {
		if got := NumPy(name); got.String() != want {
			t.Errorf("%s: %v", name, got)
		}
	}
	for _, name := range []string{"", "float", "float8", "complex64", "uint8x4", "int128"} {
		if got := NumPy(name); got.Known() {
			t.Errorf("%s: %v", name, got)
		}
	}
	for name, want := range map[string]string{"float*": "f32", "const float4 *": "f32x4", "__global uint*": "u32", "unsigned char*": "u8", "half2*": "f16x2",
		"long*": "i64", "uchar16*": "u8x16"} {
		if got := Pointee(name); !got.Known() || got.String() != want {
			t.Errorf("%s: %v", name, got)
		}
	}
	for _, name := range []string{"", "*", "float", "float3*", "float**", "float5*", "void*", "struct s*", "image2d_t", "unsigned int4*x"} {
		if got := Pointee(name); got.Known() {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestText: the notation of numbers, with texts written by hand.
func TestText(t *testing.T) {
	for _, c := range []struct {
		typ  string
		bits uint64
		want string
		json string
	}{
		{"f32", 0x3f800000, "1", "1"},
		{"f32", 0x3dcccccd, "0.1", "0.1"},
		{"f32", 0x80000000, "-0", "-0"},
		{"f32", 0x00000001, "1e-45", "1e-45"},
		{"f32", 0x7f800000, "+inf", `"+inf"`},
		{"f32", 0xff800000, "-inf", `"-inf"`},
		{"f32", 0x7fc00000, "nan", `"nan"`},
		{"f32", 0xffc00000, "nan(0xffc00000)", `"nan(0xffc00000)"`},
		{"f32", 0x7fc00123, "nan(0x7fc00123)", `"nan(0x7fc00123)"`},
		{"f32", 0x7f800001, "snan(0x7f800001)", `"snan(0x7f800001)"`},
		{"f16", 0x2e66, "0.1", "0.1"},
		{"f16", 0x3555, "0.3333", "0.3333"},
		{"f16", 0x63d0, "1000", "1000"},
		{"f16", 0x0001, "6e-08", "6e-08"},
		{"f16", 0x7e00, "nan", `"nan"`},
		{"f16", 0x7d01, "snan(0x7d01)", `"snan(0x7d01)"`},
		{"f64", 0x3fb999999999999a, "0.1", "0.1"},
		{"f64", 0x7ff8000000000000, "nan", `"nan"`},
		{"i8", 0x80, "-128", "-128"},
		{"u8", 0x80, "128", "128"},
		{"i64", 1 << 63, "-9223372036854775808", "-9223372036854775808"},
		{"u64", math.MaxUint64, "18446744073709551615", "18446744073709551615"},
		{"x16", 0xab, "0x00ab", `"0x00ab"`},
	} {
		typ, err := ParseType(c.typ)
		if err != nil {
			t.Fatal(err)
		}
		if got := typ.text(c.bits); got != c.want {
			t.Errorf("%s %#x: %s, want %s", c.typ, c.bits, got, c.want)
		}
		if got := typ.json(c.bits); got != c.json || !json.Valid([]byte(got)) {
			t.Errorf("%s %#x: %s in JSON, want %s", c.typ, c.bits, got, c.json)
		}
	}
}

// TestHalves: the text of each 16-bit float parses to it, and no text with fewer digits does.
func TestHalves(t *testing.T) {
	f16 := Type{Float, 16, 1}
	back := func(s string) uint64 {
		x, err := strconv.ParseFloat(s, 64)
		if err != nil {
			t.Fatal(err)
		}
		return num.FCvt(64, 16, num.RNE|num.ModeSet, math.Float64bits(x))
	}
	for v := range uint64(1 << 16) {
		if x := f16.value(v); !math.IsNaN(x) && back(f16.text(v)) != v {
			t.Fatalf("%#x: %s reads back as %#x", v, f16.text(v), back(f16.text(v)))
		}
	}
}

func TestSpec(t *testing.T) {
	f32 := Type{Float, 32, 1}
	for text, want := range map[string]View{
		"out:f32[8]":       {Spec: Spec{"out", f32, 0, 8, true, 0}, All: 12},
		"out:f32[2:5]":     {Spec: Spec{"out", f32, 2, 5, true, 0}, All: 12},
		"out[3:]":          {Spec: Spec{"out", f32, 3, 12, true, 0}, All: 12},
		"out":              {Spec: Spec{"out", f32, 0, 12, false, 0}, All: 12},
		"out:f32[3x4]":     {Spec: Spec{"out", f32, 0, 12, true, 4}, All: 12},
		"out:u8x4":         {Spec: Spec{"out", Type{Unsigned, 8, 4}, 0, 12, false, 0}, All: 12},
		"out:f64":          {Spec: Spec{"out", Type{Float, 64, 1}, 0, 6, false, 0}, All: 6},
		"out:f64x4":        {Spec: Spec{"out", Type{Float, 64, 4}, 0, 1, false, 0}, All: 1, Over: 16},
		"out[12:12]":       {Spec: Spec{"out", f32, 12, 12, true, 0}, All: 12},
		"a b[x]:f32[0:1]":  {Spec: Spec{"a b[x]", f32, 0, 1, true, 0}, All: 12},
		"out:f32x4[0:3]":   {Spec: Spec{"out", Type{Float, 32, 4}, 0, 3, true, 0}, All: 3},
		"out:u8x16[1:][2]": {},
	} {
		s, err := ParseSpec(text)
		if !want.Type.Known() {
			if err == nil {
				t.Errorf("%s: no error", text)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got, err := s.Of(f32, 48, true); err != nil || got != want {
			t.Errorf("%s: %+v, %v; want %+v", text, got, err, want)
		}
	}
}

func TestSpecRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"": "want NAME", ":f32": "want NAME", "[3]": "want NAME", "out:f33": "no type", "out:": "no type", "out]": "without [", "out:u8[3": "[ without ]",
		"out[]": "want [N]", "out[-1]": "want [N]", "out[5:2]": "ends before it starts", "out[0x3]x": "", "out[2x0]": "rows of", "out[99999999999999999999]": "want [N]",
		"out[1x9999999999]": "rows of", "out[a:b]": "want [N]",
	} {
		if s, err := ParseSpec(text); want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %+v, %v; want %q", text, s, err, want)
		}
	}
	for text, want := range map[string]string{
		"out[4]":               "out ends at 3: it has 12 bytes, elements of f32; 4 is past its end",
		"out[4:]":              "4 is past its end",
		"out:f64[0:2]":         "out ends at 1: it has 12 bytes, elements of f64; 2 is past its end",
		"out:f32[2x2]":         "4 is past its end",
		"out[1048576x1048576]": "is past its end",
	} {
		s, err := ParseSpec(text)
		if err != nil {
			t.Fatal(text, err)
		}
		if _, err := s.Of(Type{Float, 32, 1}, 12, true); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	s, _ := ParseSpec("out")
	if _, err := s.Of(Type{}, 12, true); err == nil || !strings.Contains(err.Error(), "the type of out is not known") {
		t.Error(err)
	}
}

// words returns the bytes of 32-bit numbers.
func words(list ...uint32) (data []byte) {
	for _, w := range list {
		data = binary.LittleEndian.AppendUint32(data, w)
	}
	return data
}

func view(t *testing.T, text string, bytes int) View {
	t.Helper()
	s, err := ParseSpec(text)
	if err != nil {
		t.Fatal(err)
	}
	v, err := s.Of(Type{}, bytes, true)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestPrint(t *testing.T) {
	data := words(1, 2, 0xffffffff, 4, 5, 6)
	for _, c := range []struct{ spec, text, json string }{
		{"out:i32[3]", "out:i32[0:3]\n  [0]   1   2  -1\n", "[1,2,-1]"},
		{"out:i32[2x3]", "out:i32[0:6]\n  row 0   1   2  -1\n  row 1   4   5   6\n", "[[1,2,-1],[4,5,6]]"},
		{"out:u32x2[1:3]", "out:u32x2[1:3]\n  [1]  4294967295           4\n  [2]           5           6\n", "[[4294967295,4],[5,6]]"},
		{"out:x8x4[1x2]", "out:x8x4[0:2]\n  row 0  0x01  0x00  0x00  0x00  0x02  0x00  0x00  0x00\n",
			`[[["0x01","0x00","0x00","0x00"],["0x02","0x00","0x00","0x00"]]]`},
		{"out:i64x2", "out:i64x2[0:1]\n  [0]   8589934593  21474836479\n  8 bytes after the last element are not a whole one\n", "[[8589934593,21474836479]]"},
		{"out:u32[0:0]", "out:u32[0:0]\n", "[]"},
	} {
		v := view(t, c.spec, len(data))
		if got := v.Text(data, ""); got != c.text {
			t.Errorf("%s:\n%swant\n%s", c.spec, got, c.text)
		}
		if got := string(v.JSON(data)); got != c.json {
			t.Errorf("%s: %s, want %s", c.spec, got, c.json)
		}
	}
	v := view(t, "out:u8", 1000)
	got := v.Text(make([]byte, 1000), "")
	if !strings.HasSuffix(got, "\n  744 more of 1000; out:u8[1000] prints all\n") || strings.Count(got, "\n") != 2+256/16 {
		t.Errorf("%s", got)
	}
}

func TestSummary(t *testing.T) {
	f32, f64 := Type{Float, 32, 1}, Type{Float, 64, 1}
	bytes64 := func(list ...float64) (data []byte) {
		for _, x := range list {
			data = binary.LittleEndian.AppendUint64(data, math.Float64bits(x))
		}
		return data
	}
	huge := math.MaxFloat64
	for _, c := range []struct {
		typ  Type
		data []byte
		want string
	}{
		{f32, words(0x3f800000, 0x40000000, 0x7fc00000, 0xc0400000), "4 f32, min -3, max 2, mean 0, 1 NaN"},
		{f32, words(0x7fc00000, 0x7f800001), "2 f32, 2 NaN"},
		{f32, words(0x7f800000, 0x3f800000), "2 f32, min 1, max +inf, mean 1 of the finite, 1 infinite, no NaN"},
		{f32, words(0xff800000), "1 f32, min -inf, max -inf, 1 infinite, no NaN"},
		{f32, nil, "0 f32, no NaN"},
		{Type{Signed, 32, 1}, words(0xffffffff, 2), "2 i32, min -1, max 2, mean 0.5"},
		{Type{Unsigned, 32, 1}, words(0xffffffff, 1), "2 u32, min 1, max 4294967295, mean 2.14748e+09"},
		{Type{Unsigned, 8, 4}, append(words(0x04030201), 9, 9), "1 u8x4, min 1, max 4, mean 2.5, 2 bytes over"},
		{f64, bytes64(huge, huge), "2 f64, min 1.7976931348623157e+308, max 1.7976931348623157e+308, mean 1.79769e+308, no NaN"},
		{f64, bytes64(huge, huge, -huge, -huge, 4), "5 f64, min -1.7976931348623157e+308, max 1.7976931348623157e+308, mean 0.8, no NaN"},
		// The plain sum gives 1, because 1e16+1 rounds to 1e16.
		{f64, bytes64(1e16, 1, -1e16, 1), "4 f64, min -1e+16, max 1e+16, mean 0.5, no NaN"},
		{Type{Unsigned, 64, 1}, binary.LittleEndian.AppendUint64(bytes64(0), math.MaxUint64), "2 u64, min 0, max 18446744073709551615, mean 9.22337e+18"},
	} {
		if got := Summarize(c.typ, c.data).String(); got != c.want {
			t.Errorf("%v %x: %s, want %s", c.typ, c.data, got, c.want)
		}
	}
	// Neighbours that are the same number in float64.
	i64 := Type{Signed, 64, 1}
	near := binary.LittleEndian.AppendUint64(nil, 1<<62+1)
	near = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(near, 1<<62), 1<<62+2)
	if got := Summarize(i64, near).String(); !strings.HasPrefix(got, "3 i64, min 4611686018427387904, max 4611686018427387906, ") {
		t.Error(got)
	}
	j, err := json.Marshal(Summarize(f32, words(0x3f800000, 0x40000000, 0x7fc00000, 0x7f800000)).Fields())
	if want := `{"type":"f32","elements":4,"min":1,"max":"+inf","mean":1.5,"nan":1,"inf":1}`; err != nil || string(j) != want {
		t.Errorf("%s, %v; want %s", j, err, want)
	}
}

func TestCurve(t *testing.T) {
	data := words(1, 2, 3, 4, 5, 6)
	v := view(t, "out:u32x2[1:3]", len(data))
	at := v.Curve(data, 1)
	if v.Len() != 2 || at(0) != 4 || at(1) != 6 {
		t.Error(v.Len(), at(0), at(1))
	}
}

// FuzzSpec: no text gives a view that exceeds its buffer.
func FuzzSpec(f *testing.F) {
	for _, s := range []string{"out:f32[8]", "out:u8x4[2x3]", "out[1:]", "a[b]:x16x16[0:99999999999]", "out[9999999999x1048576]"} {
		f.Add(s, uint16(48))
	}
	f.Fuzz(func(t *testing.T, text string, bytes uint16) {
		s, err := ParseSpec(text)
		if err != nil {
			return
		}
		v, err := s.Of(Type{Unsigned, 8, 1}, int(bytes), true)
		if err != nil {
			return
		}
		if v.From < 0 || v.From > v.To || v.To > v.All || v.All*v.Type.Size()+v.Over != int(bytes) {
			t.Fatalf("%q of %d bytes: %+v", text, bytes, v)
		}
		data := make([]byte, bytes)
		if !json.Valid(v.JSON(data)) || v.Text(data, "  ") == "" {
			t.Fatalf("%q: %s", text, v.JSON(data))
		}
	})
}
