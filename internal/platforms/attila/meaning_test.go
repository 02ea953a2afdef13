package attila

import (
	"math"
	"math/big"
	"testing"

	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/isa/attila"
)

// TestRelativeConditions: andp of constants that each lane addresses by its address register, of both signs, together
// with predicates and literals, and inverted. Lanes hold a0.y = 0 to 3 and p1 = 1, 0, 1, 0; of c6 to c9, y is 0, 1, 1,
// 0 and x and w the opposite.
func TestRelativeConditions(t *testing.T) {
	uniform := map[string]casefile.Words{}
	for i, y := range []uint64{0, 1, 1, 0} {
		name := []string{"c6", "c7", "c8", "c9"}[i]
		uniform[name+".y"], uniform[name+".x"], uniform[name+".w"] = words(y), words(1-y), words(1-y)
	}
	for _, c := range []struct {
		text string
		want [4]uint64
	}{
		{"andp p3, c4[a0.y + 2].y, p1 <- end", [4]uint64{0, 0, 1, 0}},
		{"andp p3, !c4[a0.y + 2].y, p1 <- end", [4]uint64{1, 0, 0, 0}},
		{"andp p3, p1, c4[a0.y + 2].x <- end", [4]uint64{1, 0, 0, 0}},
		{"andp p3, !p1, c4[a0.y + 2].y <- end", [4]uint64{0, 1, 0, 0}},
		{"andp p3, true, c9[a0.y + -3].y <- end", [4]uint64{0, 1, 1, 0}},
		{"andp p3, c9[a0.y + -3], true <- end", [4]uint64{1, 0, 0, 1}}, // without a component: w
		{"andp p3, c9[a0.y + -3].y, false <- end", [4]uint64{}},
		{"andp !p3, c4[a0.y + 2].y, p1 <- end", [4]uint64{1, 1, 0, 1}},
		{"andp p3, c6.y, p1 <- end", [4]uint64{}},
		{"andp p3, c7.y, p1 <- end", [4]uint64{1, 0, 1, 0}},
	} {
		for _, variant := range []int{attila.Text, attila.Sim} {
			s := &casefile.State{Uniform: uniform, Regs: map[string]casefile.Words{"a0.y": words(0, 1, 2, 3), "p1": words(1, 0, 1, 0)}}
			k, err := run(t, c.text, 4, variant, nil, s)
			if err != nil {
				t.Errorf("%s: %v", c.text, err)
				continue
			}
			if got := values(t, k, "p3"); [4]uint64(got) != c.want {
				t.Errorf("%s, variant %d: %d, want %d", c.text, variant, got, c.want)
			}
		}
	}
}

// TestReciprocalRoot: 1/|s| in single precision, then its root. |s| is s < 0 ? -s : s, so -0 stays -0, 1/-0 is -inf,
// and that has no root. docs/reference/attila.md 6.
func TestReciprocalRoot(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct{ s, want float64 }{
		{4, 0.5}, {-4, 0.5}, {0.25, 2}, {0, inf}, {math.Copysign(0, -1), math.NaN()}, {inf, 0}, {-inf, 0}, {math.NaN(), math.NaN()},
		{3, math.Sqrt(float64(float32(1) / float32(3)))},
	} {
		got := vectorOf(t, "rsq r1, r0.x <- end", map[string]casefile.Words{"r0.x": single(c.s)})
		want := float32(c.want)
		for i, x := range got {
			if x != want && (x == x || want == want) {
				t.Errorf("rsq(%g), component %d: %g, want %g", c.s, i, x, want)
			}
		}
	}
}

// TestLit: the exponent is clamped to -128 and 128, a NaN to 128; powers are those of rational numbers, rounded to the
// nearest single or a neighbour of it.
func TestLit(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		x, y, w  float64
		exponent int // after the clamp
	}{
		{1, 1.5, 126, 126}, {1, 1.5, 127, 127}, {1, 1.5, 128, 128}, {1, 1.5, 129, 128}, {1, 1.5, 1e30, 128}, {1, 1.5, nan, 128},
		{1, 1.5, -127, -127}, {1, 1.5, -128, -128}, {1, 1.5, -129, -128}, {1, 1.5, math.Inf(-1), -128},
		{1, 0.75, 127, 127}, {1, 0.75, 500, 128}, {2, 2, 127, 127}, {2, 2, 126.0, 126}, {1, 0.5, 127, 127},
	} {
		base := new(big.Rat).SetFloat64(c.y)
		z := big.NewRat(1, 1)
		for range max(c.exponent, -c.exponent) {
			z.Mul(z, base)
		}
		if c.exponent < 0 {
			z.Inv(z)
		}
		want, _ := z.Float32()
		wantLit(t, c.x, c.y, c.w, [4]float32{1, float32(c.x), want, 1})
	}
	for _, c := range []struct {
		x, y, w float64
		want    [4]float32
	}{
		{1, 2, 128, [4]float32{1, 1, float32(math.Inf(1)), 1}}, // 2^128 is too large for a single
		{1, 0, 0, [4]float32{1, 1, 1, 1}},
		{1, 0, 3, [4]float32{1, 1, 0, 1}},
		{1, -5, 2, [4]float32{1, 1, 0, 1}}, // y is 0
		{1, 1, nan, [4]float32{1, 1, 1, 1}},
		{-1, 2, 2, [4]float32{1, 0, 0, 1}},
		{0, 2, 2, [4]float32{1, 0, 0, 1}},
		{nan, 2, 2, [4]float32{1, float32(nan), 0, 1}},
	} {
		wantLit(t, c.x, c.y, c.w, c.want)
	}
}

func wantLit(t *testing.T, x, y, w float64, want [4]float32) {
	t.Helper()
	got := vectorOf(t, "lit r1, r0 <- end", map[string]casefile.Words{"r0.x": single(x), "r0.y": single(y), "r0.w": single(w)})
	for i, v := range got {
		d := int64(math.Float32bits(v)) - int64(math.Float32bits(want[i]))
		if i == 2 && (d < -1 || d > 1) || i != 2 && v != want[i] && (v == v || want[i] == want[i]) {
			t.Errorf("lit(%g, %g, _, %g): component %d is %g, want %g", x, y, w, i, v, want[i])
		}
	}
}

// single is a float as the words of a register.
func single(x float64) casefile.Words { return words(uint64(math.Float32bits(float32(x)))) }

// vectorOf runs a program on one lane and gives r1.
func vectorOf(t *testing.T, text string, regs map[string]casefile.Words) (v [4]float32) {
	t.Helper()
	k, err := run(t, text, 1, attila.Text, nil, &casefile.State{Regs: regs})
	if err != nil {
		t.Fatal(err)
	}
	for c := range v {
		v[c] = math.Float32frombits(uint32(values(t, k, "r1."+"xyzw"[c:c+1])[0]))
	}
	return v
}
