package check

import (
	"math"
	"testing"

	"github.com/heddle-gpu/heddle/casefile"
)

func TestRules(t *testing.T) {
	f := func(v float32) uint64 { return uint64(math.Float32bits(v)) }
	d := math.Float64bits
	nan, inf := uint64(0x7fc00000), uint64(0x7f800000)
	const minus = 1 << 31
	for _, c := range []struct {
		name      string
		r         rule
		want, got uint64
		same      bool
	}{
		{"bits", rule{typ: "u32"}, 1, 1, true},
		{"a bit off", rule{typ: "u32", ulp: 5, abs: 5}, 1, 2, false},
		{"no type", rule{}, 1, 2, false},
		{"1 ulp allowed", rule{typ: "f32", ulp: 1}, f(1), f(1) + 1, true},
		{"2 ulp", rule{typ: "f32", ulp: 1}, f(1), f(1) + 2, false},
		{"1 ulp below", rule{typ: "f32", ulp: 1}, f(1), f(1) - 1, true},
		{"across zero", rule{typ: "f32", ulp: 2}, 1, minus | 1, true},
		{"across zero, too far", rule{typ: "f32", ulp: 1}, 1, minus | 1, false},
		{"abs", rule{typ: "f32", abs: 0.5}, f(1), f(1.5), true},
		{"abs, too far", rule{typ: "f32", abs: 0.25}, f(1), f(1.5), false},
		{"nan", rule{typ: "f32", ulp: 9}, nan, nan + 1, false},
		{"any nan", rule{typ: "f32", nanAny: true}, nan, minus | nan + 1, true},
		{"nan for a number", rule{typ: "f32", nanAny: true, abs: 1e9}, f(1), nan, false},
		{"number for nan", rule{typ: "f32", nanAny: true, abs: 1e9}, nan, f(1), false},
		{"signed zero", rule{typ: "f32"}, 0, minus, false},
		{"any zero", rule{typ: "f32", zeroAny: true}, 0, minus, true},
		{"infinity is not near", rule{typ: "f32", ulp: 1, abs: 1e38}, inf, inf - 1, false},
		{"infinities", rule{typ: "f32", ulp: 1, abs: math.Inf(1)}, inf, inf | minus, false},
		{"f16", rule{typ: "f16", ulp: 1}, 0x3c00, 0x3c01, true},
		{"f16 nan", rule{typ: "f16", nanAny: true}, 0x7e00, 0xfe01, true},
		{"f16 denormals", rule{typ: "f16", abs: 1e-7}, 1, 2, true},
		{"f64", rule{typ: "f64", ulp: 1}, d(1), d(1) + 1, true},
		{"f64 extremes", rule{typ: "f64", ulp: 1}, d(math.MaxFloat64), d(-math.MaxFloat64), false},
	} {
		if got := c.r.same(c.want, c.got); got != c.same {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

func TestCompareBuffer(t *testing.T) {
	exact := casefile.BufferCompare{Type: "f32", Mode: "exact", ULP: 4, Abs: 4}
	near := casefile.BufferCompare{Type: "f32", Mode: "ulp_or_abs", ULP: 1}
	one := []byte{0, 0, 0x80, 0x3f, 0, 0, 0x80, 0x3f}
	for _, c := range []struct {
		b         casefile.Buffer
		want, got []byte
		what      string
	}{
		{casefile.Buffer{Name: "y", Elem: "float32", Expect: "y", Compare: exact}, one, one, ""},
		{casefile.Buffer{Name: "y", Elem: "float32", Expect: "y", Compare: exact}, one, append(one[:4:4], 1, 0, 0x80, 0x3f),
			"buffer y[1] is 0x3f800001 (1.0000001192092896), want 0x3f800000 (1); 1 of 2 elements differ"},
		{casefile.Buffer{Name: "y", Elem: "float32", Expect: "y", Compare: near}, one, append(one[:4:4], 1, 0, 0x80, 0x3f), ""},
		{casefile.Buffer{Name: "b", Elem: "uint8"}, []byte{1, 2, 3}, []byte{1, 4, 5}, "buffer b[1] is 0x04, want 0x02, and must stay as it was; 2 of 3 elements differ"},
		{casefile.Buffer{Name: "h", Elem: "float16", Expect: "h", Compare: casefile.BufferCompare{Type: "f16"}}, []byte{0, 0x3c}, []byte{0, 0x40}, "buffer h[0] is 0x4000 (2), want 0x3c00 (1); 1 of 1 elements differ"},
		{casefile.Buffer{Name: "u", Elem: "uint64", Expect: "u"}, make([]byte, 8), []byte{0, 0, 0, 0, 0, 0, 0, 1}, "buffer u[0] is 0x0100000000000000, want 0x0000000000000000; 1 of 1 elements differ"},
		{casefile.Buffer{Name: "u", Elem: "uint8", Expect: "u"}, make([]byte, 8), nil, "buffer u has 0 bytes, want 8"},
	} {
		if got := CompareBuffer(&c.b, c.want, c.got); got != c.what {
			t.Errorf("%s: got %q, want %q", c.b.Name, got, c.what)
		}
	}
}

func TestRegisterOrder(t *testing.T) {
	for _, c := range []struct {
		a, b string
		less bool
	}{{"v9", "v10", true}, {"v10", "v9", false}, {"s1", "v0", true}, {"i6.x", "i6.y", true}, {"i6.w", "i10.x", true}, {"exec_lo", "v1", true}} {
		if got := compareNames(c.a, c.b) < 0; got != c.less {
			t.Errorf("%s before %s: %v", c.a, c.b, got)
		}
	}
	if got, ok := next("i6.x"); got != "i7.x" || !ok {
		t.Error(got)
	}
	if _, ok := next("exec"); ok {
		t.Error("exec has a next register")
	}
}
