package mem

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"

	"github.com/heddle-gpu/heddle/num"
)

// A Format says how the bytes of a texel are converted to the four components x, y, z, w.
type Format struct {
	Name  string
	Bytes int // of a texel: 1, 2, 4, 8, 12 or 16, little-endian
	Comp  [4]Component
	// Blocks, if not nil, is the encoding of blocks of texels. Bytes is then the size of a block, and Comp is
	// unused. Only in guest memory.
	Blocks *Blocks

	bytes bool // every component is a whole byte as Unorm, or a constant
}

// A Component is Bits bits of the texel starting at bit At, converted; Zero and One have no bits.
type Component struct {
	Conv Conv
	At   uint8 // no component crosses a multiple of 64 bits
	Bits uint8
}

// A Conv converts the bits of a component, an integer v of n bits, to 32 bits.
type Conv uint8

const (
	Zero      Conv = iota // 0
	One                   // 1.0
	Unorm                 // v / (2^n-1), one division in single precision
	Snorm                 // v / (2^(n-1)-1), v signed: the most negative v gives a little less than -1
	SnormEdge             // the same, but at least -1
	UScaled               // the number v
	SScaled               // the number v, signed
	UInt                  // the bits of v, zero-extended: no float
	SInt                  // the bits of v, sign-extended: no float
	Float                 // n = 32, 16, or 11 and 10 without sign (5 bits of exponent)
	IntOne                // the integer 1
	SnormOdd              // (2v+1) / (2^n-1), v signed: 0 is not representable
	SRGB                  // Unorm, then the two segments of sRGB
	SharedExp             // of RGB9E5: v * 2^(e-24), e the uppermost five of 32 bits
	Fragments             // n = 2, 8, 32: fields of 1, 2, 4 bits, one of each of 2, 4, 8 samples, in 4 bits each: an integer
	numConvs
)

// The formats by name. Those not named after bit sizes of R, G, B, A follow the ATTILA simulator, which returns
// luminance of 12 and 16 bits, also with an odd alpha, in x alone. A component is its lowest bit and its size, or
// the constant 0 or 1.
var formatRows = []formatRow{
	// name       bytes conv  x y z w
	{"RGBA8888", 4, Unorm, "0+8 8+8 16+8 24+8"},
	{"BGRA8888", 4, Unorm, "16+8 8+8 0+8 24+8"},
	{"RGB888", 4, Unorm, "0+8 8+8 16+8 1"},
	{"RG88", 2, Unorm, "0+8 8+8 0 1"},
	{"R8", 1, Unorm, "0+8 0 0 1"},
	{"A8", 1, Unorm, "0 0 0 0+8"},
	{"A12", 2, Unorm, "0 0 0 0+12"},
	{"A16", 2, Unorm, "0 0 0 0+16"},
	{"L8", 1, Unorm, "0+8 0+8 0+8 1"},
	{"L8_SIGNED", 1, Snorm, "0+8 0+8 0+8 1"},
	{"L12", 2, Unorm, "0+12 0 0 0"},
	{"L16", 2, Unorm, "0+16 0 0 0"},
	{"L4A4", 1, Unorm, "4+4 0 0 0+4"},
	{"L6A2", 1, Unorm, "2+6 0 0 0+2"},
	{"L8A8", 2, Unorm, "0+8 0+8 0+8 8+8"},
	{"L8A8_SIGNED", 2, Snorm, "0+8 0+8 0+8 8+8"},
	{"L12A4", 2, Unorm, "4+12 0 0 0+4"},
	{"L12A12", 4, Unorm, "12+12 0 0 0+12"},
	{"L16A16", 4, Unorm, "0+16 0 0 16+16"},
	{"I8", 1, Unorm, "0+8 0+8 0+8 0+8"},
	{"I12", 2, Unorm, "0+12 0+12 0+12 0+12"},
	{"I16", 2, Unorm, "0+16 0+16 0+16 0+16"},
	{"RGB332", 1, Unorm, "5+3 3+3 0+2 1"}, // the simulator's fields overlap: y has bit 5 too
	{"RGB444", 2, Unorm, "8+4 4+4 0+4 1"},
	{"RGB555", 2, Unorm, "10+5 5+5 0+5 1"},
	{"RGB565", 2, Unorm, "11+5 5+6 0+5 1"}, // the simulator divides y by 31
	{"RGB101010", 4, Unorm, "20+10 10+10 0+10 1"},
	{"RGBA2222", 1, Unorm, "6+2 4+2 2+2 0+2"},
	{"RGBA4444", 2, Unorm, "4+4 0+4 12+4 8+4"},
	{"RGBA5551", 2, Unorm, "11+5 6+5 1+5 0+1"},
	{"RGBA1010102", 4, Unorm, "22+10 12+10 2+10 0+2"},
	{"R16", 2, Unorm, "0+16 0 0 1"},
	{"RG16", 4, Unorm, "0+16 16+16 0 1"},
	{"RGBA16", 8, Unorm, "0+16 16+16 32+16 48+16"},
	{"R16F", 2, Float, "0+16 0 0 1"},
	{"RG16F", 4, Float, "0+16 16+16 0 1"},
	{"RGBA16F", 8, Float, "0+16 16+16 32+16 48+16"},
	{"R32F", 4, Float, "0+32 0 0 1"},
	{"RG32F", 8, Float, "0+32 32+32 0 1"},
	{"RGB32F", 12, Float, "0+32 32+32 64+32 1"},
	{"RGBA32F", 16, Float, "0+32 32+32 64+32 96+32"},
	{"R11G11B10F", 4, Float, "0+11 11+11 22+10 1"},
	{"DEPTH16", 2, Unorm, "0+16 0+16 0+16 1"},
	{"DEPTH24", 4, Unorm, "0+24 0+24 0+24 1"},
	{"DEPTH32F", 4, Float, "0+32 0+32 0+32 1"},
	{"RGBA8888_SNORM", 4, SnormEdge, "0+8 8+8 16+8 24+8"},
	{"RGBA8888_UINT", 4, UInt, "0+8 8+8 16+8 24+8"},
	{"RGBA8888_SINT", 4, SInt, "0+8 8+8 16+8 24+8"},
	{"RGBA16_UINT", 8, UInt, "0+16 16+16 32+16 48+16"},
	{"RGBA16_SINT", 8, SInt, "0+16 16+16 32+16 48+16"},
	{"R32_UINT", 4, UInt, "0+32 0 0 1"},
	{"R32_SINT", 4, SInt, "0+32 0 0 1"},
	{"RGBA32_UINT", 16, UInt, "0+32 32+32 64+32 96+32"},
	{"RGBA32_SINT", 16, SInt, "0+32 32+32 64+32 96+32"},
}

type formatRow struct {
	name  string
	bytes int
	conv  Conv
	comps string
}

// formats are compiled on first use.
var formats = sync.OnceValue(func() map[string]*Format {
	m := map[string]*Format{}
	for _, r := range formatRows {
		f, err := NewFormat(r.name, r.bytes, r.conv, r.comps)
		if err != nil || m[r.name] != nil {
			panic(fmt.Sprintf("mem: format %q: twice, or %v", r.name, err))
		}
		m[r.name] = f
	}
	return m
})

// FormatOf returns the format of that name, nil if there is none.
func FormatOf(name string) *Format { return formats()[name] }

// NewFormat makes a format with one conversion. The components are given as the lowest bit and the size of each, or
// as a constant: "0+8 8+8 0 1".
func NewFormat(name string, bytes int, conv Conv, comps string) (*Format, error) {
	f := &Format{Name: name, Bytes: bytes, bytes: conv == Unorm}
	words := strings.Fields(comps)
	if len(words) != 4 || bytes < 1 || bytes > 16 {
		return nil, fmt.Errorf("mem: format %s: %d components of %d bytes", name, len(words), bytes)
	}
	for i, w := range words {
		c := &f.Comp[i]
		at, size, field := strings.Cut(w, "+")
		switch {
		case w == "1" && conv.integer():
			c.Conv = IntOne
		case w == "1":
			c.Conv = One
		case w == "0":
		case !field:
			return nil, fmt.Errorf("mem: format %s: component %q", name, w)
		default:
			a, err1 := strconv.ParseUint(at, 10, 7)
			n, err2 := strconv.ParseUint(size, 10, 6)
			if err1 != nil || err2 != nil || n == 0 || n > 32 || int(a+n) > 8*bytes || a/64 != (a+n-1)/64 {
				return nil, fmt.Errorf("mem: format %s: component %q", name, w)
			}
			if conv == Float && n != 32 && n != 16 && n != 11 && n != 10 {
				return nil, fmt.Errorf("mem: format %s: a float of %d bits", name, n)
			}
			*c = Component{conv, uint8(a), uint8(n)}
			f.bytes = f.bytes && n == 8 && a%8 == 0
		}
	}
	return f, nil
}

// Integer reports whether components are integers, which filters cannot blend.
func (f *Format) Integer() bool {
	for _, c := range f.Comp {
		if c.Conv.integer() {
			return true
		}
	}
	return false
}

func (c Conv) integer() bool { return c == UInt || c == SInt || c == Fragments }

// Decode returns the texel in the first f.Bytes bytes of b.
func (f *Format) Decode(b []byte) (t [4]float32) {
	if f.bytes {
		for i := range t {
			if c := &f.Comp[i]; c.Conv == Unorm {
				t[i] = unorm8[b[c.At/8]]
			} else if c.Conv == One {
				t[i] = 1
			}
		}
		return t
	}
	var w [2]uint64
	load(&w, b[:f.Bytes])
	for i := range t {
		c := &f.Comp[i]
		v := uint32(w[c.At>>6] >> (c.At & 63) & (1<<c.Bits - 1))
		if c.Conv == SharedExp {
			t[i] = float32(v) * float32(math.Ldexp(1, int(w[0]>>27&31)-24))
			continue
		}
		t[i] = c.convert(v)
	}
	return t
}

// unorm8 converts every byte as Unorm.
var unorm8 = func() (t [256]float32) {
	for i := range t {
		t[i] = float32(i) / 255
	}
	return t
}()

func load(w *[2]uint64, b []byte) {
	if len(b) == 16 {
		w[0], w[1] = binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])
		return
	}
	for i := len(b) - 1; i >= 0; i-- {
		w[i>>3] = w[i>>3]<<8 | uint64(b[i])
	}
}

func (c *Component) convert(v uint32) float32 {
	n := c.Bits
	signed := int32(v<<(32-n)) >> (32 - n)
	switch c.Conv {
	case One:
		return 1
	case Unorm:
		return float32(v) / float32(uint32(1<<n-1))
	case Snorm:
		return float32(signed) / float32(uint32(1<<(n-1)-1))
	case SnormEdge:
		return max(float32(signed)/float32(uint32(1<<(n-1)-1)), -1)
	case UScaled:
		return float32(v)
	case SScaled:
		return float32(signed)
	case UInt:
		return math.Float32frombits(v)
	case SInt:
		return math.Float32frombits(uint32(signed))
	case IntOne:
		return math.Float32frombits(1)
	case Float:
		return floatOf(n, v)
	case SnormOdd:
		return float32(2*int64(signed)+1) / float32(uint32(1<<n-1))
	case Fragments:
		return math.Float32frombits(fragments(n, v))
	case SRGB:
		return CurveSRGB.apply(float32(v) / float32(uint32(1<<n-1)))
	}
	return 0
}

// fragments widens the fields of Fragments to 4 bits.
func fragments(n uint8, v uint32) (w uint32) {
	size := uint8(1)
	switch n {
	case 8:
		size = 2
	case 32:
		size = 4
	}
	for i := uint8(0); i*size < n; i++ {
		w |= v >> (i * size) & (1<<size - 1) << (4 * i)
	}
	return w
}

// floatOf returns the float of 32 or 16 bits; those of 11 and 10 bits are the upper bits of one of 16.
func floatOf(n uint8, v uint32) float32 {
	switch n {
	case 32:
		return math.Float32frombits(v)
	case 11:
		v <<= 4
	case 10:
		v <<= 5
	}
	return math.Float32frombits(uint32(num.FCvt(16, 32, num.ModeSet, uint64(v))))
}
