package emit

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/num"
)

// TestMad checks multiply-adds of which f32 represents all products of a vector, in every mode. The last operands are
// zeros, or near the product, or of any size.
func TestMad(t *testing.T) {
	testRandom(t, 12, Call{Op: ir.FMad, Type: ir.F32}, modes(), products)
}

// testRandom checks an op of three operands on random ones, in every mode.
func testRandom(t *testing.T, seed uint64, call Call, modes []num.Mode, operands func(rnd *rand.Rand) (a, b, c uint32)) {
	t.Helper()
	for _, l := range levels(t) {
		if l.more {
			continue
		}
		rnd := rand.New(rand.NewPCG(seed, uint64(l.bits)))
		for n, m := range modes {
			call.Mode = m
			b := &bench{t: t, level: l, call: call, alias: n%4 - 1}
			b.memory()
			if err := b.make(); err != nil {
				t.Fatal(err)
			}
			for range 3000 {
				var v [3][16]uint32
				for lane := range 16 {
					v[0][lane], v[1][lane], v[2][lane] = operands(rnd)
				}
				if !b.run(v) {
					return
				}
			}
			b.unit.Drop()
		}
	}
}

// products returns two factors, of which one may be zero or subnormal, or whose product is about as small or as large
// as numbers are, and an addend.
func products(rnd *rand.Rand) (a, b, c uint32) {
	factor := func(from, to uint32) uint32 {
		x := rnd.Uint32()&(signBit|significand) | (from+rnd.Uint32N(to-from))<<23
		if rnd.IntN(4) == 0 { // with few significant bits
			x &= ^uint32(0x7ffff)
		}
		return x
	}
	a, b = factor(100, 150), factor(100, 150)
	switch rnd.IntN(60) {
	case 0:
		a &= signBit
	case 1:
		b &= signBit | 7
	case 2: // the smallest normal numbers, and smaller
		a = factor(100, 120)
		e := a >> 23 & 0xff
		b = factor(125-e, 130-e)
	case 3: // the largest numbers, and larger
		a = factor(200, 220)
		e := a >> 23 & 0xff
		b = factor(379-e, 382-e)
	}
	p := float32(math.Float32frombits(a) * math.Float32frombits(b))
	switch rnd.IntN(6) {
	case 0:
		c = rnd.Uint32() & signBit
	case 1:
		c = math.Float32bits(-p) + rnd.Uint32N(5) - 2
	case 2:
		c = rnd.Uint32() & (signBit | 0xffffff)
	case 3:
		c = factor(1, 254)
	default:
		c = math.Float32bits(p) ^ rnd.Uint32()&(signBit|0x3ffffff)
	}
	return a, b, c
}

// TestMadFast checks that most vectors of those operands do not need f64.
func TestMadFast(t *testing.T) {
	rnd, wide := rand.New(rand.NewPCG(13, 0)), 0
	for range 1000 {
		a, b, _ := products(rnd)
		if p := num.FMul(32, num.ModeSet|num.RZ, uint64(a), uint64(b)) &^ signBit; p-leastNormal >= largest-leastNormal && a&^signBit != 0 && b&^signBit != 0 {
			wide++
		}
	}
	if wide > 30 {
		t.Errorf("%d of 1000 products are not normal", wide)
	}
}
