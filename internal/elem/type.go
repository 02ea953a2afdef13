// Package elem reads the bytes of a buffer as elements of a given type: numbers, or vectors of them. It is independent
// of instruction sets; memory is little-endian.
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

// A Kind is the interpretation of the bits of a number.
type Kind uint8

const (
	Float Kind = iota
	Signed
	Unsigned
	Hex // bits without interpretation
)

const kindLetters = "fiux"

// A Type is the type of an element. The zero value means that the type is unknown.
type Type struct {
	Kind  Kind
	Bits  int // per number
	Lanes int // numbers per element: 1, or the length of a vector
}

// maxLanes is the longest vector, as in OpenCL C.
const maxLanes = 16

// TypeNames lists the types, for errors and help.
const TypeNames = "f16 f32 f64, i8 i16 i32 i64, u8 u16 u32 u64, x8 x16 x32 x64 (hexadecimal), and vectors of 2 to 16 such as f32x4"

// ParseType parses the name of a type: f32, u8x4.
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

// small parses a number of one or two digits without leading zero; it returns 0 if digits is none.
func small(digits string) int {
	n, err := strconv.ParseUint(digits, 10, 8)
	if err != nil || strconv.FormatUint(n, 10) != digits {
		return 0
	}
	return int(n)
}

// NumPy returns the type with a numpy name, as in manifests; the zero Type if there is none.
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

// NumPy returns the numpy name of the numbers of a type, as in manifests: uint8 if the type is unknown.
func (t Type) NumPy() string {
	if !t.Known() {
		return "uint8"
	}
	return map[Kind]string{Float: "float", Signed: "int", Unsigned: "uint", Hex: "uint"}[t.Kind] + strconv.Itoa(t.Bits)
}

// pointees are the C types whose size OpenCL defines.
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

// Pointee returns the target type of a pointer in OpenCL C, such as float4*; the zero Type if that is no number or
// vector. A vector of three is stored as four, with one undefined, so it gives the zero Type, too.
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

// Known reports whether the type is known.
func (t Type) Known() bool { return t.Lanes != 0 }

func (t Type) String() string {
	s := fmt.Sprintf("%c%d", kindLetters[t.Kind], t.Bits)
	if t.Lanes > 1 {
		s += fmt.Sprintf("x%d", t.Lanes)
	}
	return s
}

// Size returns the size of an element in bytes.
func (t Type) Size() int { return t.Bits / 8 * t.Lanes }

// number returns the type of the components.
func (t Type) number() Type { return Type{t.Kind, t.Bits, 1} }

// load reads the number at the start of b, zero above its width.
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

// value returns a number as float64, which is exact except for integers of 64 bits.
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

// Value reads the number at the start of b as float64; see value.
func (t Type) Value(b []byte) float64 { return t.value(t.load(b)) }

// text formats a number in the shortest form that parses to the same number.
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

// nan formats a NaN, with all its bits unless it is the default NaN of arithmetic.
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

// half returns the shortest text of x, a 16-bit float with the bits v: strconv has no such format.
func half(x float64, v uint64) string {
	const enough = 5 // so many digits distinguish all of them
	for digits := 1; digits < enough; digits++ {
		s := strconv.FormatFloat(x, 'g', digits, 64)
		if y, err := strconv.ParseFloat(s, 64); err == nil && num.FCvt(64, 16, num.RNE|num.ModeSet, math.Float64bits(y)) == v {
			return strconv.FormatFloat(y, 'g', -1, 64)
		}
	}
	return strconv.FormatFloat(x, 'g', enough, 64)
}

// json formats a number for JSON, or a string if JSON has no such number.
func (t Type) json(v uint64) string {
	if x := t.value(v); t.Kind == Hex || math.IsNaN(x) || math.IsInf(x, 0) {
		return `"` + t.text(v) + `"`
	}
	return t.text(v)
}
