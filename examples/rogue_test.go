package examples

import (
	"math"
	"os"
	"path/filepath"
	"testing"
)

// TestOverExpectation is the same for over: each channel is lower * (1 - alpha of the upper) + upper, every step
// rounded to a half.
func TestOverExpectation(t *testing.T) {
	read := func(name string) []byte {
		data, err := os.ReadFile(filepath.Join("over", name))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	lower, upper := read("lower.in.bin"), read("upper.in.bin")
	want := make([]byte, len(lower))
	for i := range want {
		rest := half(1 - half(float64(upper[i|3])/255))
		v := half(half(half(float64(lower[i])/255)*rest) + half(float64(upper[i])/255))
		want[i] = byte(math.RoundToEven(min(max(v, 0), 1) * 255))
	}
	same(t, filepath.Join("over", "out.exp.bin"), want)
}

// half rounds to the nearest number of 16 bits, ties to even.
func half(x float64) float64 {
	_, e := math.Frexp(x)
	unit := max(e-11, -24)
	return math.Ldexp(math.RoundToEven(math.Ldexp(x, -unit)), unit)
}
