// Package elem reads the bytes of a buffer as elements: numbers, or vectors of them, of a type that somebody has named. It knows no
// instruction set; what lies in memory is little-endian.
package elem

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/internal/meaning"
	"github.com/heddle-gpu/heddle/num"
)

// A Kind is what the bits of a number mean.
type Kind uint8

const (
	Float Kind = iota
	Signed
	Unsigned
	Hex // bits, which are shown as such
)

const kindLetters = "fiux"

// A Type is what an element is. The zero value is no type: nobody knows.
type Type struct {
	Kind  Kind
	Bits  int // of a number
	Lanes int // numbers of an element: 1, or those of a vector
}

// maxLanes is the longest vector, as of OpenCL C.
const maxLanes = 16

// TypeNames is which types there are, for errors and help.
const TypeNames = "f16 f32 f64, i8 i16 i32 i64, u8 u16 u32 u64, x8 x16 x32 x64 (hexadecimal), and vectors of 2 to 16 such as f32x4"

// ParseType reads a type by its name: f32, u8x4.
func ParseType(name string) (Type, error) {
	bad := fmt.Errorf("no type %q; there are %s", name, TypeNames)
	if name == "" {
		return Type{}, bad
	}
	k := strings.IndexByte(kindLetters, name[0])
	bits, lanes, vector := strings.Cut(name[1:], "x")
	t := Type{Kind: Kind(k), Bits: small(bits), Lanes: 1}
	if vector {
		if t.Lanes = small(lanes); t.Lanes < 2 || t.Lanes > maxLanes {
			return Type{}, bad
		}
	}
	switch t.Bits {
	case 8:
		if t.Kind == Float {
			return Type{}, bad
		}
	case 16, 32, 64:
	default:
		return Type{}, bad
	}
	if k < 0 {
		return Type{}, bad
	}
	return t, nil
}

// small is a number of one or two digits as people write it, or 0.
func small(digits string) int {
	n, err := strconv.ParseUint(digits, 10, 8)
	if err != nil || strconv.FormatUint(n, 10) != digits {
		return 0
	}
	return int(n)
}

// NumPy is the type that numpy calls so, as manifests do; the zero Type if there is none.
func NumPy(name string) Type {
	for _, k := range []struct {
		prefix string
		kind   Kind
	}{{"float", Float}, {"uint", Unsigned}, {"int", Signed}} {
		if digits, ok := strings.CutPrefix(name, k.prefix); ok {
			t, err := ParseType(kindLetters[k.kind:k.kind+1] + digits)
			if err != nil || t.Lanes != 1 {
				return Type{}
			}
			return t
		}
	}
	return Type{}
}

// NumPy is what numpy calls the numbers of a type, as manifests do: uint8 if the type is not known.
func (t Type) NumPy() string {
	if !t.Known() {
		return "uint8"
	}
	return map[Kind]string{Float: "float", Signed: "int", Unsigned: "uint", Hex: "uint"}[t.Kind] + strconv.Itoa(t.Bits)
}

// pointees are the types of C that OpenCL says the size of.
var pointees = [...]struct {
	name string
	kind Kind
	bits int
}{
	{"char", Signed, 8}, {"short", Signed, 16}, {"int", Signed, 32}, {"long", Signed, 64},
	{"uchar", Unsigned, 8}, {"ushort", Unsigned, 16}, {"uint", Unsigned, 32}, {"ulong", Unsigned, 64},
	{"unsigned char", Unsigned, 8}, {"unsigned short", Unsigned, 16}, {"unsigned int", Unsigned, 32}, {"unsigned long", Unsigned, 64},
	{"half", Float, 16}, {"float", Float, 32}, {"double", Float, 64},
}

// Pointee is what a pointer of OpenCL C points to, such as float4*; the zero Type if that is no number or vector. A vector of three takes the
// room of four, of which one says nothing: it is none that is known here.
func Pointee(name string) Type {
	name, ok := strings.CutSuffix(strings.TrimSpace(name), "*")
	if !ok {
		return Type{}
	}
	var words []string
	for _, w := range strings.Fields(name) {
		switch w {
		case "const", "volatile", "restrict", "global", "__global", "constant", "__constant":
		default:
			words = append(words, w)
		}
	}
	name = strings.Join(words, " ")
	base := strings.TrimRight(name, "0123456789")
	lanes := 1
	if digits := name[len(base):]; digits != "" {
		if lanes = small(digits); lanes != 2 && lanes != 4 && lanes != 8 && lanes != 16 {
			return Type{}
		}
	}
	for _, p := range pointees {
		if p.name == base {
			return Type{p.kind, p.bits, lanes}
		}
	}
	return Type{}
}

// Known reports whether it is a type.
func (t Type) Known() bool { return t.Lanes != 0 }

func (t Type) String() string {
	s := fmt.Sprintf("%c%d", kindLetters[t.Kind], t.Bits)
	if t.Lanes > 1 {
		s += fmt.Sprintf("x%d", t.Lanes)
	}
	return s
}

// Size is the bytes of an element.
func (t Type) Size() int { return t.Bits / 8 * t.Lanes }

// number is the type of what an element consists of.
func (t Type) number() Type { return Type{t.Kind, t.Bits, 1} }

// load is the number at the start of b, zero above its width.
func (t Type) load(b []byte) uint64 {
	switch t.Bits {
	case 8:
		return uint64(b[0])
	case 16:
		return uint64(binary.LittleEndian.Uint16(b))
	case 32:
		return uint64(binary.LittleEndian.Uint32(b))
	}
	return binary.LittleEndian.Uint64(b)
}

// value is a number as float64, which is exact but for integers of 64 bits.
func (t Type) value(v uint64) float64 {
	switch {
	case t.Kind == Signed:
		return float64(t.signed(v))
	case t.Kind != Float:
		return float64(v)
	}
	return meaning.FloatValue(t.Bits, v)
}

func (t Type) signed(v uint64) int64 { return int64(v<<(64-t.Bits)) >> (64 - t.Bits) }

// Value is the number at the start of b; see value.
func (t Type) Value(b []byte) float64 { return t.value(t.load(b)) }

// text is a number in the shortest form that reads back as it.
func (t Type) text(v uint64) string {
	switch t.Kind {
	case Signed:
		return strconv.FormatInt(t.signed(v), 10)
	case Unsigned:
		return strconv.FormatUint(v, 10)
	case Hex:
		return fmt.Sprintf("0x%0*x", t.Bits/4, v)
	}
	x := t.value(v)
	switch {
	case math.IsNaN(x):
		return t.nan(v)
	case math.IsInf(x, 0):
		return strings.ToLower(strconv.FormatFloat(x, 'g', -1, 64))
	case t.Bits == 16:
		return half(x, v)
	}
	return strconv.FormatFloat(x, 'g', -1, t.Bits)
}

// nan is a NaN. All its bits are said but of the one that arithmetic makes.
func (t Type) nan(v uint64) string {
	mantissa := map[int]int{16: 10, 32: 23, 64: 52}[t.Bits]
	quiet := uint64(1) << (mantissa - 1)
	switch payload := v & (1<<mantissa - 1); {
	case payload&quiet == 0:
		return fmt.Sprintf("snan(0x%0*x)", t.Bits/4, v)
	case payload == quiet && v>>(t.Bits-1) == 0:
		return "nan"
	}
	return fmt.Sprintf("nan(0x%0*x)", t.Bits/4, v)
}

// half is the shortest text of x, whose bits as a float of 16 are v: strconv knows none that short.
func half(x float64, v uint64) string {
	const enough = 5 // digits tell all of them apart
	for digits := 1; digits < enough; digits++ {
		s := strconv.FormatFloat(x, 'g', digits, 64)
		if y, err := strconv.ParseFloat(s, 64); err == nil && num.FCvt(64, 16, num.RNE|num.ModeSet, math.Float64bits(y)) == v {
			return strconv.FormatFloat(y, 'g', -1, 64)
		}
	}
	return strconv.FormatFloat(x, 'g', enough, 64)
}

// json is a number of JSON, or a string of what is none there.
func (t Type) json(v uint64) string {
	if x := t.value(v); t.Kind == Hex || math.IsNaN(x) || math.IsInf(x, 0) {
		return `"` + t.text(v) + `"`
	}
	return t.text(v)
}
