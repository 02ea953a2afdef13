package picture

import (
	"encoding/binary"
	"image/color"
	"math"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/internal/elem"
)

// floats returns the bytes of floats of 32 bits.
func floats(list ...float64) (data []byte) {
	for _, x := range list {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(float32(x)))
	}
	return data
}

// doubles returns the bytes of floats of 64 bits.
func doubles(list ...float64) (data []byte) {
	for _, x := range list {
		data = binary.LittleEndian.AppendUint64(data, math.Float64bits(x))
	}
	return data
}

// TestElements: the pixels of each type are as Shown says.
func TestElements(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	gray := func(g uint8) color.NRGBA { return color.NRGBA{g, g, g, 255} }
	for _, c := range []struct {
		typ  string
		data []byte
		want []color.NRGBA
	}{
		{"u32", []byte{1, 2, 3, 4}, []color.NRGBA{{1, 2, 3, 4}}},
		{"u8x4", []byte{1, 2, 3, 4}, []color.NRGBA{{1, 2, 3, 4}}},
		{"u8x3", []byte{1, 2, 3, 9, 8, 7}, []color.NRGBA{{1, 2, 3, 255}, {9, 8, 7, 255}}},
		{"u8", []byte{7, 200}, []color.NRGBA{gray(7), gray(200)}},
		{"i8", []byte{0x80, 0x7f}, []color.NRGBA{gray(0), gray(255)}},
		{"f32", floats(-1, 0, 1, nan, inf, -inf), []color.NRGBA{gray(0), gray(128), gray(255), {255, 0, 0, 255}, gray(255), gray(0)}},
		{"f32", floats(3, 3), []color.NRGBA{gray(0), gray(0)}},
		{"f64", doubles(-math.MaxFloat64, 0, math.MaxFloat64, inf), []color.NRGBA{gray(0), gray(128), gray(255), gray(255)}},
		{"f64", doubles(math.MaxFloat64, inf, -inf), []color.NRGBA{gray(0), gray(255), gray(0)}},
		{"f64", doubles(0, 5e-324, inf), []color.NRGBA{gray(0), gray(255), gray(255)}},
		{"f32", floats(nan), []color.NRGBA{{255, 0, 0, 255}}},
		{"u16", []byte{0, 0, 0, 1, 0, 2}, []color.NRGBA{gray(0), gray(128), gray(255)}},
		{"f32x3", floats(0, 1, 2, -1, 0.5, nan), []color.NRGBA{{0, 255, 255, 255}, {0, 128, 0, 255}}},
		{"f32x4", floats(1, 0, 0, 0.2), []color.NRGBA{{255, 0, 0, 51}}},
		{"f16x4", []byte{0, 0x3c, 0, 0x38, 0, 0, 0, 0x3c}, []color.NRGBA{{255, 128, 0, 255}}},
	} {
		typ, err := elem.ParseType(c.typ)
		if err != nil {
			t.Fatal(err)
		}
		img, err := OfElements(typ, len(c.want), 1, c.data)
		if err != nil {
			t.Errorf("%s: %v", c.typ, err)
			continue
		}
		for i, want := range c.want {
			if got := img.At(i, 0); got != want {
				t.Errorf("%s %x: pixel %d is %v, want %v", c.typ, c.data, i, got, want)
			}
		}
	}
}

// TestNoElements: what cannot make a picture, and why.
func TestNoElements(t *testing.T) {
	for _, c := range []struct {
		typ  string
		w, h int
		want string
	}{
		{"f32x2", 1, 1, "no picture of f32x2; u32 and u8x4 are red"},
		{"u16x4", 1, 1, "no picture of u16x4"},
		{"u8", 0, 1, "0x1 pixels"},
		{"u8", 1 << 15, 1, "picture of 32768x1 pixels; at most"},
		{"u32", 3, 2, "3x2 pixels of u32 are 24 bytes, and there are 16"},
	} {
		typ, err := elem.ParseType(c.typ)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := OfElements(typ, c.w, c.h, make([]byte, 16)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %dx%d: %v, want %s", c.typ, c.w, c.h, err, c.want)
		}
	}
}
