package valhall

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/mem"
)

// Pixel formats of 22 bits: a component order, a format, and an sRGB flag. docs/reference/valhall.md 9.3.

// A pixelFormat is how the bytes of a texel are divided: components in memory order, in the notation of package mem.
type pixelFormat struct {
	bytes int
	conv  mem.Conv
	comps []string
}

// oddFormats are the formats whose components are not all of the same size.
var oddFormats = [...]pixelFormat{
	64: {2, mem.Unorm, []string{"0+5", "5+6", "11+5"}},
	65: {2, mem.Unorm, []string{"0+5", "5+5", "10+5", "15+1"}},
	66: {2, mem.Unorm, []string{"11+5", "6+5", "1+5", "0+1"}},
	67: {4, mem.Unorm, []string{"0+10", "10+10", "20+10", "30+2"}},
	68: {4, mem.Unorm, []string{"22+10", "12+10", "2+10", "0+2"}},
	69: {4, mem.SnormEdge, []string{"0+10", "10+10", "20+10", "30+2"}},
	70: {4, mem.SnormEdge, []string{"22+10", "12+10", "2+10", "0+2"}},
	71: {4, mem.UInt, []string{"0+10", "10+10", "20+10", "30+2"}},
	72: {4, mem.UInt, []string{"22+10", "12+10", "2+10", "0+2"}},
	73: {4, mem.SInt, []string{"0+10", "10+10", "20+10", "30+2"}},
	74: {4, mem.SInt, []string{"22+10", "12+10", "2+10", "0+2"}},
	75: {2, mem.Unorm, []string{"0+16"}},
	76: {4, mem.Float, []string{"0+32"}},
	77: {4, mem.Unorm, []string{"0+24"}},
	78: {4, mem.Unorm, []string{"8+24"}},
	89: {4, mem.Float, []string{"0+11", "11+11", "22+10"}},
	90: {4, mem.Float, []string{"22+10", "11+11", "0+11"}},
	91: {4, mem.SharedExp, []string{"0+9", "9+9", "18+9"}},
	93: {1, mem.UInt, []string{"0+8"}},
}

// families are the conversions of regular formats, by the upper three bits of their code.
var families = [8]mem.Conv{3: mem.SnormEdge, 4: mem.UInt, 5: mem.Unorm, 6: mem.SInt}

// sizes are the bits of a component by the low three bits of the code; floatSize is the size of floats, by family.
var (
	sizes      = [8]int{1: 2, 2: 4, 3: 8, 4: 16, 5: 32}
	floatSizes = [8]int{5: 32, 6: 16}
)

// floatCode is the value of the low three bits that selects floats.
const floatCode = 7

// divided returns the layout of texels of a format code; not ok: the code has no meaning here.
func divided(code uint32) (p pixelFormat, ok bool) {
	if int(code) < len(oddFormats) && oddFormats[code].bytes != 0 {
		return oddFormats[code], true
	}
	family, n, size := code>>5, int(code>>3&3)+1, code&7
	bits := sizes[size]
	p.conv = families[family]
	if size == floatCode {
		bits, p.conv = floatSizes[family], mem.Float
	}
	p.bytes = n * bits / 8
	if bits == 0 || p.conv == mem.Zero || p.bytes == 0 {
		return p, false
	}
	for i := range n {
		p.comps = append(p.comps, fmt.Sprintf("%d+%d", i*bits, bits))
	}
	return p, true
}

// orders are which components in memory are red, green, blue, alpha, 0 or 1, by code. In the first group each letter
// names the component at that position in memory; in the second the source of that component of the result.
var (
	memoryOrders = [256]string{0: "RGBA", 2: "GRBA", 4: "BGRA", 8: "ARGB", 10: "AGRB", 12: "ABGR",
		16: "RGB1", 18: "GRB1", 20: "BGR1", 24: "1RGB", 26: "1GRB", 28: "1BGR", 242: "RBGA"}
	resultOrders = [256]string{226: "0000", 227: "000i", 228: "0001", 229: "zzz0", 230: "zzzi", 231: "zzzz", 240: "0zzz"}
)

// ordered returns the components red, green, blue, alpha of a format in an order.
func (p *pixelFormat) ordered(order uint32) (c [4]string, ok bool) {
	take := func(i int) string {
		switch {
		case i < len(p.comps):
			return p.comps[i]
		case i == 3:
			return "1"
		}
		return "0"
	}
	if order >= uint32(len(memoryOrders)) {
		return c, false
	}
	if text := resultOrders[order]; text != "" {
		for i, r := range text {
			switch r {
			case 'z':
				c[i] = "0"
			case 'i':
				c[i] = "1"
			default:
				c[i] = take(int(r - '0'))
			}
		}
		return c, true
	}
	text := memoryOrders[order]
	for i, r := range "RGBA" {
		if at := strings.IndexRune(text, r); at >= 0 {
			c[i] = take(at)
		} else {
			c[i] = "1" // for alpha
		}
	}
	return c, text != ""
}

// Fields of a pixel format.
const (
	orderBits = 1<<12 - 1
	codeAt    = 12
	sRGBBit   = 20
	bigEndian = 21
	// pixelBits is the mask of a pixel format in a conversion descriptor.
	pixelBits = 1<<22 - 1
	// plainSwizzle is the identity swizzle.
	plainSwizzle = 0 | 1<<3 | 2<<6 | 3<<9
)

// formatOf returns a pixel format with a swizzle of its components: three bits each, 4 zero, 5 one.
func formatOf(pixel, swizzle uint32) (*mem.Format, error) {
	code, order := pixel>>codeAt&0xff, pixel&orderBits
	p, ok := divided(code)
	switch {
	case !ok:
		return nil, fmt.Errorf("valhall: pixel format %d, which is not built", code)
	case pixel>>bigEndian&1 != 0:
		return nil, fmt.Errorf("valhall: pixel format %d with its bytes swapped, which is not built", code)
	}
	if pixel>>sRGBBit&1 != 0 {
		if p.conv != mem.Unorm {
			return nil, fmt.Errorf("valhall: pixel format %d as sRGB", code)
		}
		p.conv = mem.SRGB
	}
	rgba, ok := p.ordered(order)
	if !ok {
		return nil, fmt.Errorf("valhall: pixel format %d in order %d, which does not exist or is not built", code, order)
	}
	var comps [4]string
	alpha := [4]bool{}
	for i := range comps {
		switch s := swizzle >> (3 * i) & 7; {
		case s < 4:
			comps[i], alpha[i] = rgba[s], s == 3
		case s == 4:
			comps[i] = "0"
		case s == 5:
			comps[i] = "1"
		default:
			return nil, fmt.Errorf("valhall: swizzle %#o: component %d", swizzle, s)
		}
	}
	f, err := mem.NewFormat("mali "+strconv.Itoa(int(code)), p.bytes, p.conv, strings.Join(comps[:], " "))
	if err != nil {
		return nil, err
	}
	for i := range f.Comp {
		if f.Comp[i].Conv == mem.SRGB && alpha[i] { // alpha is linear
			f.Comp[i].Conv = mem.Unorm
		}
	}
	return f, nil
}
