package debug

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/toy"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/mem"
)

// TestValueLimits: a register of an integer type accepts the signed and unsigned numbers of its width, and no others.
func TestValueLimits(t *testing.T) {
	at := &Scope{}
	for _, bits := range []uint{8, 16, 32} {
		for _, signed := range []bool{false, true} {
			typ := Type{map[uint]ir.Type{8: ir.I8, 16: ir.I16, 32: ir.I32}[bits], signed}
			least, most := new(big.Int).Lsh(big.NewInt(-1), bits-1), new(big.Int).Lsh(big.NewInt(1), bits)
			most.Sub(most, big.NewInt(1))
			for _, c := range []struct {
				n    *big.Int
				fits bool
			}{{least, true}, {new(big.Int).Sub(least, big.NewInt(1)), false}, {most, true}, {new(big.Int).Add(most, big.NewInt(1)), false}, {big.NewInt(-1), true}, {big.NewInt(0), true}} {
				v, err := at.ParseValue(c.n.String(), typ)
				want := new(big.Int).And(c.n, most).Uint64()
				if (err == nil) != c.fits || c.fits && v.Bits != want {
					t.Errorf("%s as %s is %#x, %v; want %#x, fits: %v", c.n, typ, v.Bits, err, want, c.fits)
				}
			}
			hex := fmt.Sprintf("%#x", most)
			if v, err := at.ParseValue(hex, typ); err != nil || v.Bits != most.Uint64() {
				t.Errorf("%s as %s is %#x, %v", hex, typ, v.Bits, err)
			}
			if v, err := at.ParseValue("0x1"+hex[2:], typ); err == nil {
				t.Errorf("0x1%s as %s is %#x", hex[2:], typ, v.Bits)
			}
		}
	}
}

// TestValueText: numbers from 1024 on also show hexadecimal digits, unless they are negative or floats.
func TestValueText(t *testing.T) {
	for _, n := range []uint64{0, 1, 9, 10, 1022, 1023, 1024, 1025, math.MaxUint32} {
		want := strconv.FormatUint(n, 10)
		if n >= 1024 {
			want += " (0x" + strconv.FormatUint(n, 16) + ")"
		}
		if got := (Value{Bits: n, Type: u32}).Text(false); got != want {
			t.Errorf("u32 %d is shown as %s, want %s", n, got, want)
		}
		if got, want := (Value{Bits: n, Type: Type{ir.I32, true}}).Text(false), strconv.Itoa(int(int32(n))); got != want {
			t.Errorf("i32 %d is shown as %s, want %s", int32(n), got, want)
		}
	}
}

// TestFormats: each letter of gdb, for all bytes and some words. A character follows its number.
func TestFormats(t *testing.T) {
	for n := range uint64(256) {
		v := Value{Bits: n, Type: Type{Type: ir.I8}}
		for f, want := range map[Format]string{'x': fmt.Sprintf("0x%02x", n), 'a': fmt.Sprintf("0x%02x", n), 'd': strconv.Itoa(int(int8(n))), 'u': strconv.Itoa(int(n)),
			'o': "0" + strconv.FormatUint(n, 8), 't': strconv.FormatUint(n, 2), 'c': strconv.Itoa(int(n)) + " " + strconv.QuoteRune(rune(n))} {
			if got := v.TextAs(f); got != want {
				t.Errorf("/%c of %#x is %s, want %s", f, n, got, want)
			}
		}
	}
	for _, c := range []struct {
		v    Value
		f    Format
		want string
	}{
		{Value{Bits: 0x3c00, Type: Type{Type: ir.I16}}, 'f', "1"}, {Value{Bits: 0x3fc00000, Type: u32}, 'f', "1.5"}, {Value{Bits: 0xc000000000000000, Type: u64}, 'f', "-2"},
		{Value{Bits: 0x3fc00000, Type: Type{Type: ir.F32}}, 'd', "1069547520"}, {Value{Bits: 0xffffffff, Type: u32}, 'd', "-1"}, {Value{Bits: 7, Type: Type{Type: ir.I8}}, 'f', "7"},
	} {
		if got := c.v.TextAs(c.f); got != c.want {
			t.Errorf("/%c of %#x as %s is %s, want %s", c.f, c.v.Bits, c.v.Type, got, c.want)
		}
	}
}

// TestHitConditions: each relation, with and without a space, at the hits around its number.
func TestHitConditions(t *testing.T) {
	for op, holds := range map[string]func(n uint64) bool{
		"": func(n uint64) bool { return n == 3 }, "=": func(n uint64) bool { return n == 3 }, "==": func(n uint64) bool { return n == 3 },
		">": func(n uint64) bool { return n > 3 }, ">=": func(n uint64) bool { return n >= 3 }, "<": func(n uint64) bool { return n < 3 },
		"<=": func(n uint64) bool { return n <= 3 }, "%": func(n uint64) bool { return n == 3 || n == 6 || n == 9 },
	} {
		for _, text := range []string{op + "3", op + " 3", "  " + op + "  0x3 "} {
			r, err := parseHit(text)
			if err != nil {
				t.Errorf("%q: %v", text, err)
				continue
			}
			for n := uint64(1); n <= 9; n++ {
				if got := r.is(n); got != holds(n) {
					t.Errorf("%q at hit %d is %v", text, n, got)
				}
			}
		}
	}
	for _, text := range []string{"0", "> 0", "x", ">", "3 4", "=>3", "-1"} {
		if r, err := parseHit(text); err == nil {
			t.Errorf("%q is %+v", text, r)
		}
	}
	if r, err := parseHit(" "); err != nil || !r.is(1) || !r.is(100) {
		t.Errorf("no condition: %+v, %v", r, err)
	}
}

// TestRawBesideFloats: bits of a register or of memory are f32 or f64 next to a float, by their width, on either
// side, and integers elsewhere.
func TestRawBesideFloats(t *testing.T) {
	half := &literal{ofFloat(0.5, f64)}
	for _, c := range []struct {
		raw  Value
		want bool // that it is more than a half
	}{
		{Value{Bits: math.Float64bits(0.75), Type: u64, Raw: true}, true}, {Value{Bits: math.Float64bits(0.25), Type: u64, Raw: true}, false},
		{Value{Bits: uint64(math.Float32bits(0.75)), Type: u32, Raw: true}, true}, {Value{Bits: uint64(math.Float32bits(0.25)), Type: u32, Raw: true}, false},
		{Value{Bits: math.Float64bits(0.25), Type: u64}, true}, {Value{Bits: uint64(math.Float32bits(0.25)), Type: u32}, true},
		{Value{Bits: 1, Type: Type{Type: ir.I16}, Raw: true}, true},
	} {
		for _, x := range []*infix{{">", &literal{c.raw}, half}, {"<", half, &literal{c.raw}}} {
			if v, err := x.eval(&Scope{}); err != nil || v.True() != c.want {
				t.Errorf("%#x of %s, raw %v, %s 0.5: %v, %v", c.raw.Bits, c.raw.Type, c.raw.Raw, x.op, v.True(), err)
			}
		}
	}
}

// TestElements: a buffer has the elements that lie in it entirely, by their type, and no others.
func TestElements(t *testing.T) {
	g := mem.NewSegment("out", 0x1000, 14, mem.ReadWrite)
	for i := range g.Data {
		g.Data[i] = byte(i + 1)
	}
	space, err := mem.NewSpace("global", g)
	if err != nil {
		t.Fatal(err)
	}
	at := &Scope{Wave: &Wave{}, Env: &exec.Env{Spaces: exec.Spaces{ir.GlobalSpace: {space}}}, Lane: -1}
	for name, bytes := range map[string]int{"u8(%s)": 1, "i16(%s)": 2, "%s": 4, "f32(%s)": 4, "u64(%s)": 8} {
		for i := -1; i < 20; i++ {
			text := fmt.Sprintf(name, fmt.Sprintf("out[%d]", i))
			e, err := Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			want := uint64(0)
			is := i >= 0 && (i+1)*bytes <= len(g.Data)
			for k := 0; is && k < bytes; k++ {
				want |= uint64(i*bytes+k+1) << (8 * k)
			}
			if v, err := e.Eval(at); (err == nil) != is || is && v.Bits != want {
				t.Errorf("%s is %#x, %v; want %#x, there: %v", text, v.Bits, err, want, is)
			}
		}
	}
}

// TestInLanes: a value that all active lanes share is shown once; other values are shown for the requested lanes,
// with dots for the rest.
func TestInLanes(t *testing.T) {
	st, err := exec.NewState(toy.Arch().Machine(0), 4)
	if err != nil {
		t.Fatal(err)
	}
	at := &Scope{Wave: &Wave{State: st}, Lane: -1}
	own := func(at *Scope) string { return string(rune('a' + at.Lane)) }
	for _, c := range []struct {
		exec        uint64
		first, last int
		want        string
	}{
		{15, 0, 3, "[a, b, c, d] in lanes 0 to 3"}, {15, 0, 99, "[a, b, c, d] in lanes 0 to 3"}, {15, 0, 2, "[a, b, c, ...] in lanes 0 to 2"},
		{15, 1, 3, "[b, c, d, ...] in lanes 1 to 3"}, {15, 1, 2, "[b, c, ...] in lanes 1 to 2"}, {15, 3, 3, "d"}, {4, 0, 3, "c"}, {0, 0, 1, "[a, b, ...] in lanes 0 to 1"},
	} {
		st.Exec = c.exec
		if got := at.InLanes(c.first, c.last, own); got != c.want {
			t.Errorf("lanes %d to %d with exec %#x: %s, want %s", c.first, c.last, c.exec, got, c.want)
		}
	}
	st.Exec = 15
	if got := at.InLanes(1, 2, func(*Scope) string { return "x" }); got != "x" {
		t.Errorf("the same everywhere: %s", got)
	}
}
