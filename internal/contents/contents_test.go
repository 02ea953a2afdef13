package contents

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"math"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/internal/elem"
	"github.com/heddle-gpu/heddle/internal/limit"
)

// TestParse: expected bytes are written by hand by IEEE 754 and two's complement.
func TestParse(t *testing.T) {
	for _, c := range []struct{ text, typ, want string }{
		{"zero:3", "", "000000"},
		{"undef:3", "", "000000"},
		{"f32:undef:2", "f32", "0000000000000000"},
		{"f32:zero:2", "f32", "0000000000000000"},
		{"f32:1,2,-0.5", "f32", "0000803f00000040000000bf"},
		{"f32:0x7fc00001,inf", "f32", "0100c07f0000807f"},
		{"f16:1,65504", "f16", "003cff7b"},
		{"f64:1,0.1", "f64", "000000000000f03f9a9999999999b93f"},
		{"i8:-1,127,0xff", "i8", "ff7fff"},
		{"u16:0x1234,5", "u16", "34120500"},
		{"i64:-2,1", "i64", "feffffffffffffff0100000000000000"},
		{"u8x4:1,2,3,4,5,6,7,8", "u8x4", "0102030405060708"},
		{"f32:fill:1.5:2", "f32", "0000c03f0000c03f"},
		{"u8x2:fill:7:2", "u8x2", "07070707"},
		{"i32:fill:-1:1", "i32", "ffffffff"},
		{"u16:iota:3", "u16", "000001000200"},
		{"i32:iota:3:10:-5", "i32", "0a00000005000000" + "00000000"},
		{"u8:iota:3:255", "u8", "ff0001"},
		{"f32:iota:3:0.5:0.25", "f32", "0000003f0000403f0000803f"},
		{"f16:iota:2:2048", "f16", "00680068"}, // 2049 is halfway between 2048 and 2050: to even
	} {
		s, err := Parse(c.text)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		typ := ""
		if s.Type.Known() {
			typ = s.Type.String()
		}
		if got := hex.EncodeToString(filled(s)); got != c.want || typ != c.typ || s.File != "" || !Is(c.text) {
			t.Errorf("%s: %s of type %q, file %q; want %s, %q", c.text, got, typ, s.File, c.want, c.typ)
		}
	}
	for text, want := range map[string]Source{
		"file:a:b.bin": {File: "a:b.bin"}, "buf:-": {File: "-"}, "f32x4:file:x": {File: "x", Type: elem.Type{Kind: elem.Float, Bits: 32, Lanes: 4}},
	} {
		if s, err := Parse(text); err != nil || s.File != want.File || s.Type != want.Type || !Is(text) {
			t.Errorf("%s: %+v, %v", text, s, err)
		}
	}
}

func TestErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                          "want zero:BYTES",
		"f32":                       "want zero:BYTES",
		"zero:0":                    `"0" is no number of bytes from 1`,
		"zero:1073741825":           "no number of bytes from 1 to 1073741824",
		"f32:zero:268435457":        "no number of elements of f32 from 1 to 268435456",
		"f32:fill:1:99999999999":    "no number of elements",
		"f32:iota":                  "want f32:iota:N",
		"f32:iota:1:2:3:4":          "want f32:iota:N",
		"f32:iota:4:nan":            "is no number",
		"f33:1,2":                   `"f33" is none of zero, undef, file, buf and a type`,
		"u8:256,1":                  "256 does not fit 8 bits",
		"i8:-129,1":                 "-129 does not fit 8 bits",
		"u32:1.5,2":                 `"1.5" is no integer, which u32 wants`,
		"f32:1,x":                   `"x" is no number of type f32`,
		"f32:i32:1,2":               `"i32" is none of fill, iota, rand, undef, zero, file`,
		"iota:4":                    "iota:4 has no type: write f32:iota:4",
		"f32x4:1,2,3":               "3 numbers; an element of f32x4 has 4",
		"f32:rand:-1:4":             "is no seed",
		"f32:rand:1:4:0":            "LOW is given without HIGH",
		"u32:rand:1:4:5:5":          "5 and 5 are no bounds",
		"f32:rand:1:4:1:-1":         "1 and -1 are no bounds",
		"f64:rand:1:2:-1e308:1e308": "do not fit f64",
		"f16:iota:3:70000":          "70000 does not fit f16",
		"f32:iota:4:1e38:1e38":      "does not fit f32",
		"file:":                     "the name of the file is missing",
		"f32:file:":                 "the name of the file is missing",
		"u64:18446744073709551616":  "does not fit 64 bits",
	} {
		if s, err := Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %+v, %v; want %s", text, s, err, want)
		}
	}
}

// TestRandom: the sequence is that of SplitMix64, with the published first outputs for the seed 1234567; numbers are
// within their bounds and occur in all quarters of the range.
func TestRandom(t *testing.T) {
	for i, want := range []uint64{6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821} {
		if got := Random(1234567, i); got != want {
			t.Errorf("number %d is %d, want %d", i, got, want)
		}
	}
	for text, bound := range map[string][2]float64{
		"f16:rand:1:1000": {0, 1}, "f32:rand:1:1000": {0, 1}, "f64:rand:1:1000": {0, 1}, "f32:rand:2:1000:-3:5": {-3, 5},
		"f16:rand:2:1000:1:2": {1, 2}, "i8:rand:1:1000": {-128, 128}, "u8:rand:3:1000:10:20": {10, 20}, "i32:rand:3:1000:-4:4": {-4, 4},
		"u64:rand:0:1000": {0, 1 << 64}, "i64:rand:9:1000:-10:10": {-10, 10},
	} {
		s, err := Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		var quarters [4]int
		data := filled(s)
		for i := 0; i < len(data); i += s.Type.Size() {
			v := s.Type.Value(data[i:])
			if !(v >= bound[0] && v < bound[1]) && !(v == 1<<64 && bound[1] == v) {
				t.Fatalf("%s: element %d is %v", text, i, v)
			}
			quarters[min(int(4*(v-bound[0])/(bound[1]-bound[0])), 3)]++
		}
		for _, n := range quarters {
			if n < 150 {
				t.Errorf("%s: quarters have %v", text, quarters)
			}
		}
	}
	one := Source{Type: elem.Type{Kind: elem.Float, Bits: 32, Lanes: 1}}
	if err := one.random([]string{"1234567", "1"}); err != nil || math.Float32frombits(binary.LittleEndian.Uint32(filled(&one))) != float32(6457827717110365317>>40)/(1<<24) {
		t.Errorf("the first f32 of the seed is %x, %v", filled(&one), err)
	}
}

// TestIs: a single number of a type is an argument by value, not a buffer.
func TestIs(t *testing.T) {
	for _, text := range []string{"f32:1.5", "u32:5", "local:16", "hex:00", "x", "i32:0x10", ""} {
		if Is(text) {
			t.Errorf("%s is taken for contents", text)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{"f32:iota:4", "u8x4:rand:1:2:3:4", "zero:5", "i64:1,2", "f16:fill:nan:3", "x32:file:y"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse(text)
		if err != nil {
			return
		}
		if s.size < 0 || s.size > limit.BufferBytes || (s.size > 0) == (s.File != "") {
			t.Fatalf("%q: %d bytes of %q", text, s.size, s.File)
		}
		if s.size <= 1<<16 && s.File == "" && !bytes.Equal(filled(s), filled(s)) {
			t.Errorf("%q: bytes differ", text)
		}
	})
}

// filled returns the contents of a source without a file.
func filled(s *Source) []byte {
	to := make([]byte, s.Size())
	s.Fill(to)
	return to
}
