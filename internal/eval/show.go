package eval

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/internal/meaning"
	"github.com/heddle-gpu/heddle/num"
)

// hex formats a bit pattern with all its digits.
func hex(width int, v uint64) string { return fmt.Sprintf("0x%0*x", (width+3)/4, v) }

// shown formats a value of width bits by its format: the name of the type, and the value. Without a format it is the
// integer, and the float if that has a usual magnitude.
func shown(width int, v uint64, f meaning.Format) (typ, text string) {
	if len(f) == 0 {
		return "", unknown(width, v)
	}
	var list []string
	for i, x := range f {
		if x.Kind != f[0].Kind || x.Bits != f[0].Bits || x.At != i*x.Bits {
			return mixed(f, v)
		}
		one, value := field(x, v)
		typ, list = one, append(list, value)
	}
	if len(f) > 1 {
		typ = fmt.Sprintf("%d x %s", len(f), typ)
	}
	return typ, strings.Join(list, ", ")
}

// mixed formats a value of several types.
func mixed(f meaning.Format, v uint64) (typ, text string) {
	var types, list []string
	for _, x := range f {
		one, value := field(x, v)
		types, list = append(types, fmt.Sprintf("%s at %d", one, x.At)), append(list, value)
	}
	return strings.Join(types, ", "), strings.Join(list, ", ")
}

// field formats one number of a value.
func field(x meaning.Field, v uint64) (typ, text string) {
	v = v >> x.At & (^uint64(0) >> (64 - x.Bits))
	signed := strconv.FormatInt(int64(num.SExt(x.Bits, 64, v)), 10)
	switch x.Kind {
	case meaning.Float:
		return fmt.Sprintf("f%d", x.Bits), meaning.FloatText(x.Bits, v)
	case meaning.Signed:
		return fmt.Sprintf("i%d", x.Bits), signed
	case meaning.Unsigned:
		return fmt.Sprintf("u%d", x.Bits), strconv.FormatUint(v, 10)
	case meaning.Mask:
		if x.Bits == 1 {
			return "", ""
		}
		return "mask", lanesOf(v)
	}
	return fmt.Sprintf("int%d", x.Bits), integer(v, signed)
}

// integer formats a number, signed if signed says so.
func integer(v uint64, signed string) string {
	if signed[0] == '-' {
		return strconv.FormatUint(v, 10) + " = " + signed
	}
	return signed
}

// unknown formats a value that is only copied.
func unknown(width int, v uint64) string {
	if width == 1 {
		return ""
	}
	text := integer(v, strconv.FormatInt(int64(num.SExt(width, 64, v)), 10))
	if width != 32 && width != 64 {
		return text
	}
	if x := math.Abs(meaning.FloatValue(width, v)); x > 1e-6 && x < 1e9 {
		text += fmt.Sprintf(" or f%d %s", width, meaning.FloatText(width, v))
	}
	return text
}

// exponent returns the exponent bits of a float.
func exponent(width int, v uint64) uint64 {
	mantissa := map[int]int{16: 10, 32: 23, 64: 52}[width]
	return v >> mantissa & (1<<(width-1-mantissa) - 1)
}

// lanesOf formats the lanes of a mask, with runs as ranges.
func lanesOf(mask uint64) string {
	var list []string
	for mask != 0 {
		from := bits.TrailingZeros64(mask)
		n := bits.TrailingZeros64(^(mask >> from))
		if n == 1 {
			list = append(list, strconv.Itoa(from))
		} else {
			list = append(list, fmt.Sprintf("%d-%d", from, from+n-1))
		}
		mask &^= (1<<n - 1) << from
	}
	switch {
	case len(list) == 0:
		return "no lane"
	case len(list) == 1 && !strings.Contains(list[0], "-"):
		return "lane " + list[0]
	}
	return "lanes " + strings.Join(list, ", ")
}
