package casefile

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"github.com/heddle-gpu/heddle/internal/jsonfile"
)

// JSON returns the text of the manifest, which ReadManifest can read. Keys with default values are left out, and so is
// Extra.
func (m *Manifest) JSON() ([]byte, error) {
	text, err := jsonfile.Write(m)
	if err != nil {
		return nil, fmt.Errorf("manifest %s: %w", m.Name, err)
	}
	return text, nil
}

// MarshalJSON returns a word, or a list of them.
func (w Words) MarshalJSON() ([]byte, error) {
	list := make([]string, len(w.V))
	for i, v := range w.V {
		list[i] = fmt.Sprintf("%#x", v)
	}
	if !w.List && len(list) == 1 {
		return json.Marshal(list[0])
	}
	return json.Marshal(list)
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
