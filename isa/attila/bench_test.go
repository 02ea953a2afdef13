package attila

import (
	"testing"

	"github.com/heddle-gpu/heddle/isa"
)

// mix is typical contents of programs: arithmetic with registers, swizzles, masks and constants, a texture, an
// immediate.
var mix = []string{"mul r2.xyz, i8, r0.w", "mad r1.yzw, r3.xyzx, r1.xzxy, -r4.xxyz", "dp4 o0.x, c0, r0", "rsq r3.w, r3.w", "tex r0, i6, t12",
	"add_sat o1.z, r0.z, i2.z", "mad r0.y, c1.y, i0.y, r0.y", "max r1.x, r1.x, r0.x", "setplt p2, i1.x, 0.5", "(p2) mov o1, r0 <- end"}

func mixCode(b *testing.B) (code []byte) {
	for _, text := range mix {
		var one isa.Bundle
		err := Set().At(Text, 0).Parse(text, 0, &one)
		if err == nil {
			code, err = one.Encode(code)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	return code
}

// BenchmarkDisassemble decodes and prints; one op is one instruction.
func BenchmarkDisassemble(b *testing.B) {
	code := mixCode(b)
	dec := Set().At(Text, 0)
	var bundle isa.Bundle
	buf := make([]byte, 0, 256)
	b.ReportAllocs()
	b.ResetTimer()
	for i := range b.N {
		at := i % len(mix) * wordBytes
		if err := dec.DecodeBundle(code[at:], uint64(at), &bundle); err != nil {
			b.Fatal(err)
		}
		buf = dec.Print(buf[:0], &bundle)
	}
}

// BenchmarkAssemble reads text; one op is one instruction.
func BenchmarkAssemble(b *testing.B) {
	var in isa.Inst
	sc := isa.Scan{Target: Set().At(Text, 0)}
	b.ReportAllocs()
	for i := range b.N {
		sc.Reset(mix[i%len(mix)], 0)
		if err := sc.Parse(&in); err != nil {
			b.Fatal(err)
		}
	}
}

// TestFloatText: %f of many singles, compared with the bits that it reads back as.
func TestFloatText(t *testing.T) {
	for _, c := range []struct {
		v    uint32
		want string
	}{{0x3f800000, "1.000000"}, {0xbf000000, "-0.500000"}, {0x80000000, "-0.000000"}, {0x358637bd, "0.000001"}, {0x1, "0.000000"}, {0x35000000, "0.000000"},
		{0x350637bd, "0.000000"}, {0xc7f12065, "-123456.789062"}, {0x7f7fc99e, "339999995214436424907732413799364296704.000000"}, {0x7fc00001, "nan"},
		{0xff800000, "-inf"}, {0x5f000000, "9223372036854775808.000000"}, {0x501502f9, "10000000000.000000"}} {
		if got := string(appendF(nil, c.v)); got != c.want {
			t.Errorf("%08x is %q, want %q", c.v, got, c.want)
		}
	}
}
