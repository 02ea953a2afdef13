package meaning

import (
	"math"
	"strconv"

	"github.com/heddle-gpu/heddle/num"
)

// FloatValue returns the value of a float of 16, 32 or 64 bits.
func FloatValue(width int, v uint64) float64 {
	switch width {
	case 16:
		return math.Float64frombits(num.FCvt(16, 64, num.ModeSet, v))
	case 32:
		return float64(math.Float32frombits(uint32(v)))
	}
	return math.Float64frombits(v)
}

// FloatText returns the shortest text of a float of 16, 32 or 64 bits; for NaN, with its kind.
func FloatText(width int, v uint64) string {
	x := FloatValue(width, v)
	if math.IsNaN(x) {
		quiet := map[int]uint{16: 9, 32: 22, 64: 51}[width]
		if v>>quiet&1 == 0 {
			return "sNaN"
		}
		return "NaN"
	}
	return strconv.FormatFloat(x, 'g', -1, max(width, 32))
}
