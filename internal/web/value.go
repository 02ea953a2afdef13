package web

import (
	"context"
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/internal/meaning"
	"github.com/heddle-gpu/heddle/num"
)

// A typing is the type in which a value is shown: numbers of one kind, lowest first, that fill it.
type typing struct {
	kind meaning.Kind // Unknown: hexadecimal
	bits int          // of a number
}

// hexType is the type that shows bits as they are.
const hexType = "hex"

var kindLetters = map[byte]meaning.Kind{'f': meaning.Float, 'i': meaning.Signed, 'u': meaning.Unsigned}

// typed returns a type by name: f32, u16, hex; a wider value has several numbers.
func typed(name string) (typing, error) {
	if name == hexType {
		return typing{}, nil
	}
	if name != "" {
		kind, is := kindLetters[name[0]]
		n, err := strconv.Atoi(name[1:])
		if is && err == nil && (n == 16 || n == 32 || n == 64 || n == 8 && kind != meaning.Float) {
			return typing{kind, n}, nil
		}
	}
	return typing{}, fmt.Errorf("no type %q; there are hex, f16, f32, f64, i8 to i64 and u8 to u64", name)
}

// typeOf returns the type of a format for width bits: that of its numbers, if they are of one kind and fill all.
func typeOf(f meaning.Format, width int) string {
	if len(f) == 0 {
		return hexType
	}
	for i, x := range f {
		if x.Kind != f[0].Kind || x.Bits != f[0].Bits || x.At != i*x.Bits {
			return hexType
		}
	}
	n := f[0].Bits
	if n != 8 && n != 16 && n != 32 && n != 64 || n > width {
		return hexType
	}
	if width == 64 && n == 32 && f[0].Kind != meaning.Float { // halves of an address, which are read as one
		return hexType
	}
	switch f[0].Kind {
	case meaning.Float:
		return fmt.Sprintf("f%d", n)
	case meaning.Unsigned:
		return fmt.Sprintf("u%d", n)
	case meaning.Signed, meaning.Integer:
		return fmt.Sprintf("i%d", n)
	}
	return hexType
}

// text returns a value of width bits as text. Numbers of less than 32 bits after the first are not shown if they are
// zero, and all above them.
func (y typing) text(width int, v uint64) string {
	if y.kind == meaning.Unknown || width < 8 {
		return digits(width, v)
	}
	n := min(y.bits, width)
	list := []string{}
	for at := 0; at < width; at += n {
		if at > 0 && n < 32 && v>>at == 0 {
			break
		}
		list = append(list, y.number(n, v>>at&(^uint64(0)>>(64-n))))
	}
	if len(list) == 1 {
		return list[0]
	}
	return "(" + strings.Join(list, " ") + ")"
}

// number returns one number.
func (y typing) number(n int, v uint64) string {
	switch {
	case y.kind == meaning.Float && (n == 16 || n == 32 || n == 64):
		return meaning.FloatText(n, v)
	case y.kind == meaning.Signed:
		return strconv.FormatInt(int64(num.SExt(n, 64, v)), 10)
	}
	return strconv.FormatUint(v, 10)
}

// digits returns all hexadecimal digits of a value.
func digits(width int, v uint64) string { return fmt.Sprintf("0x%0*x", (width+3)/4, v) }

// Values is a request to show bit patterns as another type.
type Values struct {
	Type string   `json:"type"`
	Bits int      `json:"bits"`
	Hex  []string `json:"hex"`
}

// mostValues is how many values of one request are shown.
const mostValues = 1024

// show shows values.
func show(_ context.Context, r *Values) (any, error) {
	y, err := typed(r.Type)
	if err != nil {
		return nil, err
	}
	if r.Bits < 1 || r.Bits > 64 || len(r.Hex) > mostValues {
		return nil, fmt.Errorf("%d values of %d bits; at most %d of 1 to 64 can be shown", len(r.Hex), r.Bits, mostValues)
	}
	texts := []string{}
	for _, h := range r.Hex {
		v, err := strconv.ParseUint(strings.TrimPrefix(h, "0x"), 16, 64)
		if err != nil || bits.Len64(v) > r.Bits {
			return nil, fmt.Errorf("%q: want hexadecimal digits of %d bits", h, r.Bits)
		}
		texts = append(texts, y.text(r.Bits, v))
	}
	return struct {
		Text []string `json:"text"`
	}{texts}, nil
}
