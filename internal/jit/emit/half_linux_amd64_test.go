package emit

import (
	"math/rand/v2"
	"testing"

	"github.com/heddle-gpu/heddle/ir"
)

// edges16 are edge values of 16-bit integers and floats.
var edges16 = []uint32{
	0, 1, 2, 15, 16, 0xff, 0x100, 0x7fff, 0x8000, 0x8001, 0xaaaa, 0x5555, 0xffff, 0xfffe, 0x1234,
	0x03ff, 0x83ff, 0x0200, 0x0400, 0x8400, 0x0401, 0x07ff, 0x0800, 0x03fe, // subnormals, the smallest normal number
	0x3c00, 0xbc00, 0x3c01, 0x3bff, 0x4200, 0x3555, 0x6400, 0x67ff, 0x6800, 0x1400, 0x9400, 0x1001, // about one
	0x1fff, 0x2000, 0x2001, 0xa001, 0x0e01, 0x5bff, 0x7800, 0x7bff, 0xfbff, // products that are subnormal or too large
	0x3800, 0xb800, 0x3e00, 0x77ff, // halves
	0x7c00, 0xfc00, 0x7e00, 0xfe00, 0x7e12, 0xfe54, 0x7c12, 0xfc01, // infinities, NaNs of all kinds
}

// TestAllHalves checks ops with one f16 operand on all operands, in all modes; those that round f32 to f16 on every
// number near the subnormals, and on one in some hundreds of all.
func TestAllHalves(t *testing.T) {
	for _, list := range [][]row{ops(), ops16()} {
		for op, row := range list {
			typ, from := typeOf(ir.Op(op), row)
			if row.code == nil || row.args != 1 || typ.Bits() == 32 && from != ir.F16 {
				continue
			}
			for i, m := range variantsOf(ir.Op(op), row) {
				var benches []*bench
				for _, l := range levels(t) {
					if l.more {
						continue
					}
					b := &bench{t: t, level: l, call: Call{Op: ir.Op(op), Type: typ, From: from, Mode: m}, alias: -1}
					b.memory()
					if err := b.make(); err != nil {
						t.Fatal(err)
					}
					benches = append(benches, b)
				}
				if from == ir.F32 || from == ir.I32 {
					for x := uint64(i) * 16; x < 1<<32 && !t.Failed(); x += 16 * 40009 {
						allRight(t, benches, uint32(x))
					}
					for x := uint32(0x32ff0000); x < 0x39000000 && from == ir.F32 && !t.Failed(); x += 16 * 1021 {
						allRight(t, benches, x)
						allRight(t, benches, x|signBit)
					}
				} else {
					for x := uint32(0); x < 1<<16 && !t.Failed(); x += 16 {
						allRight(t, benches, x)
					}
				}
				for _, b := range benches {
					b.unit.Drop()
				}
			}
		}
	}
}

// TestHalfMad checks multiply-adds of f16 on random numbers, of which many sums are near the midpoint of two numbers,
// or 0.
func TestHalfMad(t *testing.T) {
	testRandom(t, 14, Call{Op: ir.FFma, Type: ir.F16}, variantsOf(ir.FFma, ops16()[ir.FFma]), func(rnd *rand.Rand) (a, b, c uint32) {
		for _, x := range []*uint32{&a, &b, &c} {
			*x = rnd.Uint32() & low16
			if bits := rnd.Uint32(); bits&1 > 0 { // few of the significand
				*x &= 0xfc00 | 0x207<<(bits>>1&7)
			}
		}
		return a, b, c
	})
}
