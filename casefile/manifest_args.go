package casefile

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/internal/jsonfile"
)

// A LaunchArg is a buffer's address, a size of local memory, a number, or bytes.
type LaunchArg struct {
	Buffer     string // name, if it is a buffer
	LocalBytes int    // if it is local memory, else 0
	Type       string // i8, u8, i16, u16, f16, i32, u32, f32, i64, u64, f64, if it is a number
	Bits       uint64 // of the number, zero above the type's width
	Data       []byte // by value, if it is none of the others
}

// numberTypes are the number types of arguments with their sizes in bits; f16 is given as its bits.
var numberTypes = map[string]int{"i8": 8, "u8": 8, "i16": 16, "u16": 16, "f16": 16, "i32": 32, "u32": 32, "f32": 32, "i64": 64, "u64": 64, "f64": 64}

// argBits reads a number of a type as its bits; known reports whether the type exists.
func argBits(typ, s string) (bits uint64, known bool, err error) {
	size := numberTypes[typ]
	switch {
	case size == 0:
		return 0, false, nil
	case typ == "f32":
		v, err := strconv.ParseFloat(s, 32)
		return uint64(math.Float32bits(float32(v))), true, err
	case typ == "f64":
		v, err := strconv.ParseFloat(s, 64)
		return math.Float64bits(v), true, err
	case typ[0] == 'i':
		v, err := strconv.ParseInt(s, 10, size)
		return uint64(v) & (^uint64(0) >> (64 - size)), true, err
	}
	v, err := strconv.ParseUint(s, 10, size)
	return v, true, err
}

// An argForm is an argument as it is written.
type argForm struct {
	Buffer     string          `json:"buffer"`
	LocalBytes int             `json:"local_bytes" range:"1..0x10000"`
	Data       []byte          `json:"hex"`
	Type       string          `json:"type"`
	Value      json.RawMessage `json:"value"`
}

// UnmarshalJSON reads one of the four forms of an argument.
func (a *LaunchArg) UnmarshalJSON(v []byte) error {
	var f argForm
	if err := jsonfile.Decode(v, &f); err != nil {
		return err
	}
	*a = LaunchArg{Buffer: f.Buffer, LocalBytes: f.LocalBytes, Type: f.Type, Data: f.Data}
	forms := 0
	for _, has := range []bool{f.Buffer != "", f.LocalBytes != 0, f.Type != "" && f.Value != nil, len(f.Data) > 0} {
		if has {
			forms++
		}
	}
	if forms != 1 || (f.Type != "") != (f.Value != nil) {
		return jsonfile.Bad("want one of buffer, local_bytes, hex, or type and value")
	}
	if f.Type == "" {
		return nil
	}
	bits, known, err := argBits(f.Type, string(f.Value))
	if !known {
		return jsonfile.At(jsonfile.Bad("%q is none of %s", jsonfile.Clip(f.Type), strings.Join(slices.Sorted(maps.Keys(numberTypes)), ", ")), "type")
	}
	if err != nil || strings.Trim(string(f.Value), "0123456789+-.eE") != "" {
		return jsonfile.At(jsonfile.Bad("%s is no %s", jsonfile.Clip(string(f.Value)), f.Type), "value")
	}
	a.Bits = bits
	return nil
}

// MarshalJSON returns the argument. A float that JSON cannot represent is written as its bytes.
func (a LaunchArg) MarshalJSON() ([]byte, error) {
	f := argForm{Buffer: a.Buffer, LocalBytes: a.LocalBytes, Data: a.Data}
	if a.Buffer == "" && a.LocalBytes == 0 && a.Data == nil {
		size := numberTypes[a.Type]
		value, ok := argText(a.Type, size, a.Bits)
		if ok {
			f.Type, f.Value = a.Type, json.RawMessage(value)
		} else {
			for i := range size / 8 {
				f.Data = append(f.Data, byte(a.Bits>>(8*i)))
			}
		}
	}
	return jsonfile.Write(&f)
}

// argText returns a number as JSON text; not ok if JSON cannot represent it.
func argText(typ string, size int, bits uint64) (text string, ok bool) {
	var v float64
	switch {
	case typ == "f32":
		v = float64(math.Float32frombits(uint32(bits)))
	case typ == "f64":
		v = math.Float64frombits(bits)
	case typ[0] == 'i':
		return strconv.FormatInt(int64(bits)<<(64-size)>>(64-size), 10), true
	default:
		return strconv.FormatUint(bits, 10), true
	}
	return strconv.FormatFloat(v, 'g', -1, size), !math.IsNaN(v) && !math.IsInf(v, 0)
}
