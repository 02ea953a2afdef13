package picture

import (
	"fmt"
	"image"
	"image/color"
	"math"

	"github.com/heddle-gpu/heddle/internal/elem"
	"github.com/heddle-gpu/heddle/internal/limit"
)

// Shown describes how elements of each type are shown, for help and errors.
const Shown = "u32 and u8x4 are red, green, blue, alpha, u8x3 without alpha, u8 is grey, vectors of three and four floats are colours from 0 to 1, " +
	"all other numbers grey from the least to the greatest"

// A shade returns the pixel of the element at the start of b.
type shade func(b []byte) color.NRGBA

// shadeOf returns the shade for elements of a type; v is the range of those that are scaled. nil: they cannot be shown.
func shadeOf(t elem.Type, v *view) shade {
	float := t.Kind == elem.Float
	number := elem.Type{Kind: t.Kind, Bits: t.Bits, Lanes: 1}
	part := func(b []byte, i int) uint8 { return unit(number.Value(b[i*t.Bits/8:])) }
	switch whole := t.Kind == elem.Unsigned || t.Kind == elem.Hex; {
	case whole && t.Size() == 4 && (t.Lanes == 1 || t.Lanes == 4):
		return func(b []byte) color.NRGBA { return color.NRGBA{b[0], b[1], b[2], b[3]} }
	case whole && t.Bits == 8 && t.Lanes == 3:
		return func(b []byte) color.NRGBA { return color.NRGBA{b[0], b[1], b[2], 255} }
	case whole && t.Size() == 1:
		return func(b []byte) color.NRGBA { return color.NRGBA{b[0], b[0], b[0], 255} }
	case float && t.Lanes == 3:
		return func(b []byte) color.NRGBA { return color.NRGBA{part(b, 0), part(b, 1), part(b, 2), 255} }
	case float && t.Lanes == 4:
		return func(b []byte) color.NRGBA { return color.NRGBA{part(b, 0), part(b, 1), part(b, 2), part(b, 3)} }
	case t.Lanes == 1:
		return func(b []byte) color.NRGBA { return v.gray(t.Value(b)) }
	}
	return nil
}

// unit converts 0 to 1 to a byte; NaN gives 0.
func unit(x float64) uint8 {
	if !(x > 0) {
		return 0
	}
	return uint8(math.RoundToEven(min(x, 1) * 255))
}

// CheckElements returns why elements of a type in so many bytes cannot make a picture of that size, nil if they can.
func CheckElements(t elem.Type, width, height, bytes int) error {
	switch {
	case shadeOf(t, nil) == nil:
		return fmt.Errorf("no picture of %s; %s", t, Shown)
	case width < 1 || height < 1:
		return fmt.Errorf("picture of %dx%d pixels", width, height)
	case limit.Side(width, height) != nil:
		return limit.Side(width, height)
	case width*height*t.Size() > bytes:
		return fmt.Errorf("%dx%d pixels of %s are %d bytes, and there are %d", width, height, t, width*height*t.Size(), bytes)
	}
	return nil
}

// OfElements returns the picture of elements, rows from the top. Of scaled numbers the least is black, the greatest
// white and NaN red; infinities do not extend the range.
func OfElements(t elem.Type, width, height int, data []byte) (image.Image, error) {
	if err := CheckElements(t, width, height, len(data)); err != nil {
		return nil, err
	}
	n := width * height
	lo, hi, ok := elementRange(n, func(i int) float64 { return t.Value(data[i*t.Size():]) })
	if ok && lo == hi {
		hi = math.Nextafter(hi, math.Inf(1)) // all black; in a view equal bounds mean none
	}
	shade := shadeOf(t, &view{min: lo, max: hi})
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	for i := range n {
		img.SetNRGBA(i%width, i/width, shade(data[i*t.Size():]))
	}
	return img, nil
}

// elementRange returns the least and the greatest finite numbers; ok is false if there are none.
func elementRange(n int, at func(i int) float64) (lo, hi float64, ok bool) {
	for i := range n {
		x := at(i)
		switch {
		case math.IsNaN(x) || math.IsInf(x, 0):
		case !ok:
			lo, hi, ok = x, x, true
		default:
			lo, hi = min(lo, x), max(hi, x)
		}
	}
	return lo, hi, ok
}
