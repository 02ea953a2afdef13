package debug

import (
	"math"
	"testing"

	"github.com/heddle-gpu/heddle/ir"
)

// TestOperators: operators bind as those of C, and conversions keep what fits.
func TestOperators(t *testing.T) {
	at := &Scope{}
	for text, want := range map[string]uint64{
		"1|1^1": 1, "1==5>3": 1, "7&3==3": 1, "6&3==3": 0, "2^3&1": 3, "1+2*3<<1": 14, "1||0&&0": 1, "10-4-3": 3, "u64(1e19)": 10_000_000_000_000_000_000,
	} {
		e, err := Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if v, err := e.Eval(at); err != nil || v.Bits != want {
			t.Errorf("%s is %d, %v; want %d", text, v.Bits, err, want)
		}
	}
	for text, want := range map[string]float32{"-Inf": float32(math.Inf(-1)), "+Inf": float32(math.Inf(1)), "1.5": 1.5} {
		if v, err := at.ParseValue(text, Type{Type: ir.F32}); err != nil || uint32(v.Bits) != math.Float32bits(want) {
			t.Errorf("%s is %#x, %v", text, v.Bits, err)
		}
	}
	if v, err := at.ParseValue("NaN", Type{Type: ir.F32}); err != nil || !math.IsNaN(float64(math.Float32frombits(uint32(v.Bits)))) {
		t.Errorf("NaN is %#x, %v", v.Bits, err)
	}
}
