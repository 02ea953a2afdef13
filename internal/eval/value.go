package eval

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/num"
)

// typeOf parses the type prefix of a value: its width in bits, 0 if it is no type, and whether it is a float.
func typeOf(prefix string) (bits int, float bool) {
	switch prefix {
	case "i16", "u16":
		return 16, false
	case "i32", "u32":
		return 32, false
	case "i64", "u64":
		return 64, false
	case "f16":
		return 16, true
	case "f32":
		return 32, true
	case "f64":
		return 64, true
	}
	return 0, false
}

// ParseValue reads a number for a register of that many bits: 12, -1, 0x3f800000, 1.5, -inf, nan, or one after its
// type, f16:1.5, i64:-1. A float without type has the whole width of the register. If float is set, 12 is a float, too,
// but 0x12 is not.
func ParseValue(text string, bits int, float bool) (*big.Int, error) {
	text = strings.TrimSpace(text)
	width := bits
	float = float && !strings.HasPrefix(text, "0x")
	if name, rest, ok := strings.Cut(text, ":"); ok {
		n, isFloat := typeOf(name)
		if n == 0 {
			return nil, fmt.Errorf("%q is no type; want f16, f32, f64 or i16 to u64", name)
		}
		if n > bits {
			return nil, fmt.Errorf("%s does not fit %d bits", text, bits)
		}
		width, float, text = n, isFloat, rest
	}
	v, ok := new(big.Int).SetString(text, 0)
	if ok && !float {
		return fit(v, width, text)
	}
	f, err := strconv.ParseFloat(text, 64)
	switch {
	case err != nil && !ok:
		return nil, fmt.Errorf("%q is no number: numbers are 12, -1, 0x3f800000, 1.5, inf, nan, f16:1.5", text)
	case width == 32:
		f, _ := strconv.ParseFloat(text, 32)
		return new(big.Int).SetUint64(uint64(math.Float32bits(float32(f)))), nil
	case width == 16:
		return new(big.Int).SetUint64(num.FCvt(64, 16, num.RNE|num.ModeSet, math.Float64bits(f))), nil
	case width == 64:
		return new(big.Int).SetUint64(math.Float64bits(f)), nil
	}
	return nil, fmt.Errorf("%s: a float has 16, 32 or 64 bits, not %d", text, width)
}

// isFloat reports whether a number without type is written as a float.
func isFloat(text string) bool {
	text = strings.TrimSpace(text)
	if _, ok := new(big.Int).SetString(text, 0); ok || strings.Contains(text, ":") {
		return false
	}
	_, err := strconv.ParseFloat(text, 64)
	return err == nil
}

// fit returns v modulo 2^width; it is an error if v is no signed or unsigned number of that width.
func fit(v *big.Int, width int, text string) (*big.Int, error) {
	limit := new(big.Int).Lsh(big.NewInt(1), uint(width))
	low := new(big.Int).Neg(new(big.Int).Rsh(limit, 1))
	if v.Cmp(limit) >= 0 || v.Cmp(low) < 0 {
		return nil, fmt.Errorf("%s does not fit %d bits", text, width)
	}
	if v.Sign() < 0 {
		v.Add(v, limit)
	}
	return v, nil
}
