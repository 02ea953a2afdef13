// Package picture converts buffers to images as described by the pictures of a kernel's manifest (casefile.Picture).
package picture

import (
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"math"
	"slices"

	"github.com/heddle-gpu/heddle/casefile"
)

// A pixel reads the pixel at the start of b. v is the range that the picture specifies.
type pixel func(b []byte, v *view) color.NRGBA

// A view maps numbers to brightness, 0 to 1.
type view struct {
	min, max float64
	log      bool
}

// A format is a pixel format of manifests: bytes per pixel, and the function that reads one.
type format struct {
	name  string
	bytes int
	pixel pixel
}

var formats = [...]format{
	{"rgba8", 4, func(b []byte, _ *view) color.NRGBA { return color.NRGBA{b[0], b[1], b[2], b[3]} }},
	{"gray8", 1, func(b []byte, v *view) color.NRGBA { return v.gray(float64(b[0])) }},
	{"gray-u32", 4, func(b []byte, v *view) color.NRGBA { return v.gray(float64(binary.LittleEndian.Uint32(b))) }},
	{"gray-f32", 4, func(b []byte, v *view) color.NRGBA { return v.gray(float64(f32(b))) }},
	{"escape-u32", 4, func(b []byte, v *view) color.NRGBA { return v.escape(binary.LittleEndian.Uint32(b)) }},
}

func f32(b []byte) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(b)) }

// Of returns the picture of a buffer's contents.
func Of(p *casefile.Picture, data []byte) (image.Image, error) {
	i := slices.IndexFunc(formats[:], func(f format) bool { return f.name == p.Format })
	if i < 0 {
		return nil, fmt.Errorf("picture %s: no pixel format %q", p.Name, p.Format)
	}
	f := formats[i]
	if p.Width <= 0 || p.Height <= 0 || p.Width*p.Height*f.bytes > len(data) {
		return nil, fmt.Errorf("picture %s: %dx%d pixels of %d bytes do not fit in %d", p.Name, p.Width, p.Height, f.bytes, len(data))
	}
	v := &view{p.Min, p.Max, p.Scale == "log"}
	img := image.NewNRGBA(image.Rect(0, 0, p.Width, p.Height))
	for i := range p.Width * p.Height {
		img.SetNRGBA(i%p.Width, i/p.Width, f.pixel(data[i*f.bytes:], v))
	}
	return img, nil
}

// gray returns black at or below min and white at or above max; NaN is red. If neither is given the range is 0 to 255.
func (v *view) gray(x float64) color.NRGBA {
	lo, hi := v.min, v.max
	if lo == hi {
		hi = lo + 255
	}
	if math.IsNaN(x) {
		return color.NRGBA{R: 255, A: 255}
	}
	t := (x - lo) / (hi - lo)
	if math.IsInf(hi-lo, 0) { // the difference overflows; that of halves does not
		t = (x/2 - lo/2) / (hi/2 - lo/2)
	}
	switch {
	case x == hi || t > 1:
		t = 1
	case !(t > 0): // or NaN, from infinities
		t = 0
	}
	if v.log {
		t = math.Log1p(t*255) / math.Log(256)
	}
	g := uint8(math.Round(t * 255))
	return color.NRGBA{g, g, g, 255}
}

// palette is the colours of escape counts, from low to high, repeated.
var palette = [...][3]float64{{9, 1, 47}, {4, 4, 73}, {0, 7, 100}, {12, 44, 138}, {24, 82, 177}, {57, 125, 209},
	{134, 181, 229}, {211, 236, 248}, {241, 233, 191}, {248, 201, 95}, {255, 170, 0}, {204, 128, 0}, {153, 87, 0}, {106, 52, 3}}

// escape colours a point by the logarithm of its count; points inside, which reach max, are black.
func (v *view) escape(n uint32) color.NRGBA {
	if v.max > 0 && float64(n) >= v.max {
		return color.NRGBA{A: 255}
	}
	at := math.Log2(float64(n)+1) * 2.2
	i := int(at)
	t := at - float64(i)
	a, b := palette[i%len(palette)], palette[(i+1)%len(palette)]
	mix := func(k int) uint8 { return uint8(math.Round(float64(a[k]*(1-t)) + float64(b[k]*t))) }
	return color.NRGBA{mix(0), mix(1), mix(2), 255}
}
