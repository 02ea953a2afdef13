package debug

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/num"
)

// A Value is a bit pattern and its type.
type Value struct {
	Bits uint64 // zero above the type's width
	Type Type
	Raw  bool // from a register or memory, of unknown type
}

// True reports whether it is not 0.
func (v Value) True() bool {
	if v.Type.Float() {
		return v.float() != 0
	}
	return v.Bits != 0
}

// float returns the number as a float64, which can represent those of all types except large 64-bit integers.
func (v Value) float() float64 {
	switch v.Type.Type {
	case ir.F16:
		return float64(math.Float32frombits(uint32(num.FCvt(16, 32, num.Mode(0), v.Bits))))
	case ir.F32:
		return float64(math.Float32frombits(uint32(v.Bits)))
	case ir.F64:
		return math.Float64frombits(v.Bits)
	}
	if v.Type.Signed {
		return float64(v.int())
	}
	return float64(v.Bits)
}

// int returns the number as an int64; a float is truncated.
func (v Value) int() int64 {
	if v.Type.Float() {
		return int64(v.float())
	}
	if n := v.Type.Bits(); v.Type.Signed && n < 64 {
		return int64(v.Bits<<(64-n)) >> (64 - n)
	}
	return int64(v.Bits)
}

// ofFloat converts a number to a type.
func ofFloat(x float64, t Type) Value {
	switch t.Type {
	case ir.F16:
		return Value{Bits: num.FCvt(64, 16, num.Mode(0), math.Float64bits(x)), Type: t}
	case ir.F32:
		return Value{Bits: uint64(math.Float32bits(float32(x))), Type: t}
	case ir.F64:
		return Value{Bits: math.Float64bits(x), Type: t}
	}
	if t.Type == ir.I64 && !t.Signed && x >= 1<<63 && x < 1<<64 {
		return Value{Bits: uint64(x), Type: t}
	}
	return ofInt(int64(x), t)
}

func ofInt(x int64, t Type) Value {
	if t.Float() {
		return ofFloat(float64(x), t)
	}
	return Value{Bits: uint64(x) & mask(t.Bits()), Type: t}
}

func mask(bits int) uint64 { return ^uint64(0) >> (64 - bits) }

// as returns the bits as another type, truncated or zero-extended.
func (v Value) as(t Type) Value { return Value{Bits: v.Bits & mask(t.Bits()), Type: t} }

// As returns the bits as another type, truncated or zero-extended to its width.
func (v Value) As(t Type) Value { return v.as(t) }

// to converts the number to another type.
func (v Value) to(t Type) Value {
	switch {
	case v.Type.Float():
		return ofFloat(v.float(), t)
	case t.Float() && !v.Type.Signed:
		return ofFloat(float64(v.Bits), t)
	}
	return ofInt(v.int(), t)
}

// Text returns the value in readable form.
func (v Value) Text(hex bool) string {
	n := v.Type.Bits()
	switch {
	case hex && n > 1:
		return fmt.Sprintf("0x%0*x", n/4, v.Bits)
	case v.Type.Type == ir.V2F16:
		half := Type{Type: ir.F16}
		return fmt.Sprintf("(%s, %s)", Value{Bits: v.Bits & 0xffff, Type: half}.Text(false), Value{Bits: v.Bits >> 16, Type: half}.Text(false))
	case v.Type.Type == ir.V2I16 || v.Type.Type == ir.V4I8:
		return fmt.Sprintf("0x%0*x", n/4, v.Bits)
	case v.Type.Float():
		size := 64
		if n < 64 {
			size = 32
		}
		return strconv.FormatFloat(v.float(), 'g', -1, size)
	case v.Type.Signed:
		return strconv.FormatInt(v.int(), 10)
	case v.Bits < 1<<10:
		return strconv.FormatUint(v.Bits, 10)
	}
	return fmt.Sprintf("%d (%#x)", v.Bits, v.Bits)
}

// ParseValue evaluates the value that a user assigns to a register or memory of a type: an expression. Hexadecimal
// digits are bits, whatever the type.
func (at *Scope) ParseValue(text string, t Type) (Value, error) {
	text = strings.TrimSpace(text)
	if cut, _, ok := strings.Cut(text, " ("); ok && strings.HasSuffix(text, ")") && isNumber(cut) { // as Text prints it
		text = cut
	}
	if strings.HasPrefix(text, "0x") {
		if n, err := strconv.ParseUint(text, 0, 64); err == nil {
			if n > mask(t.Bits()) {
				return Value{}, fmt.Errorf("%s has more than %d bits", text, t.Bits())
			}
			return Value{Bits: n, Type: t}, nil
		}
	}
	if t.Float() { // NaN and Inf among them, as Text prints them
		if x, err := strconv.ParseFloat(text, 64); err == nil {
			return ofFloat(x, t), nil
		}
	}
	e, err := Parse(text)
	if err != nil {
		return Value{}, err
	}
	v, err := e.Eval(at)
	switch {
	case err != nil:
		return v, err
	case v.Raw:
		return v.as(t), nil
	case t.Float():
		return v.to(t), nil
	case v.Type.Float():
		return v, fmt.Errorf("%s is no whole number, and this holds %s; f32(%s) is its bits as f32", text, t, text)
	}
	if n := v.int(); t.Bits() < 64 && (n > int64(mask(t.Bits())) || n < -1<<(t.Bits()-1)) {
		return v, fmt.Errorf("%d does not fit %s", n, t)
	}
	return ofInt(v.int(), t), nil
}

func isNumber(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	return err == nil
}
