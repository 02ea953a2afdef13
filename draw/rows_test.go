package draw

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// rowOf is a row of random bits, with some special numbers.
func rowOf(rnd *rand.Rand, n int) []float32 {
	list := []float32{0, float32(math.Copysign(0, -1)), 1, -1, 0.5, math.SmallestNonzeroFloat32, math.MaxFloat32, float32(math.Inf(1)),
		float32(math.Inf(-1)), float32(math.NaN()), 1.0 / 255, 0.5 / 255, 1.5 / 255, 254.5 / 255, math.Nextafter32(1, 0), math.Nextafter32(1, 2)}
	row := make([]float32, n)
	for i := range row {
		switch rnd.IntN(4) {
		case 0:
			row[i] = math.Float32frombits(rnd.Uint32())
		case 1:
			row[i] = list[rnd.IntN(len(list))]
		default:
			row[i] = rnd.Float32()*4 - 2
		}
	}
	return row
}

func bitsOf(row []float32) []uint32 {
	list := make([]uint32, len(row))
	for i, x := range row {
		list[i] = math.Float32bits(x)
	}
	return list
}

// TestBytes: pixels of rows of colours equal those of the Go version, and nothing beyond changes.
func TestBytes(t *testing.T) {
	if !hasVectors() {
		t.Skip("NOT TESTED: no vectors of 256 bits, or no assembly")
	}
	testBytes(t, byteRow)
}

// TestByteWide does the same for sixteen lanes at a time.
func TestByteWide(t *testing.T) {
	if !hasWide() {
		t.Skip("NOT TESTED: no vectors of 512 bits, or no assembly")
	}
	testBytes(t, byteWide)
}

func testBytes(t *testing.T, row func(to []uint32, channels *[4][]uint32, truncate bool)) {
	t.Helper()
	rnd := rand.New(rand.NewPCG(7, 8))
	for range 4000 {
		n := 4 * rnd.IntN(17)
		var r [4][]float32
		for i := range r {
			r[i] = rowOf(rnd, n+4)
		}
		channels := [4][]uint32{bitsOf(r[0]), bitsOf(r[1]), bitsOf(r[2]), bitsOf(r[3])}
		for _, truncate := range []bool{false, true} {
			bytes, plain := make([]uint32, n+4), make([]uint32, n+4)
			row(bytes[:n], &channels, truncate)
			plainBytes(plain[:n], &channels, truncate)
			for i := range bytes {
				if bytes[i] != plain[i] {
					t.Fatalf("bytes, cut off %t: lane %d of %d is %#x, want %#x of %g %g %g %g", truncate, i, n, bytes[i], plain[i], r[0][i], r[1][i], r[2][i], r[3][i])
				}
			}
		}
	}
}

// TestClamp: rows are clamped as in the Go version, including zeros of either sign; NaNs may differ.
func TestClamp(t *testing.T) {
	testClamp(t, clampRow)
	if !hasWide() {
		t.Skip("NOT TESTED: no vectors of 512 bits, or no assembly")
	}
	testClamp(t, clampDepths)
}

// clampDepths stores depths in a wave, each in a triangle of its own, and lets depthWide clamp them. Infinite ones
// are unchanged.
func clampDepths(to []float32, low, high float32) {
	w := &Wave{waveRows: new(waveRows), Lanes: len(to), low: low, high: high}
	for lane, x := range to {
		r := &triangle{scaled: 1}
		below := math.Nextafter32(x, float32(math.Inf(-1))) // so that -0 is added
		if below-below != 0 {
			below = x
		}
		r.c[0].z, r.c[1].z, r.c[2].z = x, below, below
		w.runs = append(w.runs, run{r, lane, lane + 1})
	}
	depthWide(w)
	for lane, x := range to {
		if x-x == 0 || x != x {
			to[lane] = w.depth[lane]
		} else {
			to[lane] = max(low, min(x, high))
		}
	}
}

func testClamp(t *testing.T, row func(to []float32, low, high float32)) {
	t.Helper()
	rnd := rand.New(rand.NewPCG(7, 9))
	kept := 0
	for range 4000 {
		n := 4 * rnd.IntN(17)
		c, got := rowOf(rnd, 2), rowOf(rnd, n+4)
		want := append([]float32(nil), got...)
		low, high := min(c[0], c[1]), max(c[0], c[1])
		if !(low <= high) {
			continue
		}
		row(got[:n], low, high)
		plainClamp(want[:n], low, high)
		for i, x := range got {
			if math.Float32bits(x) != math.Float32bits(want[i]) && (x == x || want[i] == want[i]) {
				t.Fatalf("from %g to %g: lane %d of %d is %g, want %g", low, high, i, n, x, want[i])
			}
			if x == low || x == high {
				kept++
			}
		}
	}
	if kept < 10_000 {
		t.Errorf("only %d numbers are kept at a bound", kept)
	}
}

// TestScale: factors of 0 leave values unchanged, all others multiply them; NaNs may differ.
func TestScale(t *testing.T) {
	if !hasVectors() {
		t.Skip("NOT TESTED: no vectors of 256 bits, or no assembly")
	}
	testScale(t, scaleRow)
	if !hasWide() {
		t.Skip("NOT TESTED: no vectors of 512 bits, or no assembly")
	}
	testScale(t, scaleWide)
}

func testScale(t *testing.T, row func(to, from []uint32, factors []float32)) {
	t.Helper()
	rnd := rand.New(rand.NewPCG(7, 10))
	left := 0
	for range 2000 {
		n := 4 * rnd.IntN(17)
		factors := rowOf(rnd, n+4)
		got := bitsOf(rowOf(rnd, n+4))
		from, want := bitsOf(rowOf(rnd, n+4)), slices.Clone(got)
		if rnd.IntN(2) == 0 {
			from = got
		}
		plainScale(want[:n], from, factors)
		row(got[:n], from, factors)
		for i, x := range got {
			a, b := math.Float32frombits(x), math.Float32frombits(want[i])
			if x != want[i] && (a == a || b == b) {
				t.Fatalf("lane %d of %d times %g: %g, want %g", i, n, factors[i], a, b)
			}
			if factors[i] == 0 {
				left++
			}
		}
	}
	if left < 1000 {
		t.Errorf("only %d factors of 0", left)
	}
}
