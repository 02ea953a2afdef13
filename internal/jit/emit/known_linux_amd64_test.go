package emit

import (
	"math/rand/v2"
	"testing"

	"github.com/heddle-gpu/heddle/ir"
)

// TestKnownNumber checks minimum and maximum with a constant operand, whatever number or NaN it is, in every mode.
func TestKnownNumber(t *testing.T) {
	numbers := []uint32{0, 1 << 31, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x007fffff, 0x80000001, 0x00800000, 0x7fc00000, 0xffa00001}
	for _, l := range levels(t) {
		if l.more {
			continue
		}
		rnd := rand.New(rand.NewPCG(12, uint64(l.bits)))
		for _, op := range []ir.Op{ir.FMinNum, ir.FMaxNum} {
			for n, list := 0, variantsOf(op, ops()[op]); n < 2*len(list)*len(numbers); n++ {
				i, x := n%2, numbers[n/2%len(numbers)]
				b := &bench{t: t, level: l, call: Call{Op: op, Type: ir.F32, Mode: list[n/2/len(numbers)], Known: 1 << i}, alias: -1}
				b.call.Numbers[i] = x
				b.where[i], b.where[1-i] = ofAll, rnd.IntN(places)
				if b.where[1-i] == inRegister && rnd.IntN(2) == 0 {
					b.alias = 1 - i
				}
				b.memory()
				if err := b.make(); err != nil {
					t.Fatalf("%v: %v", op, err)
				}
				var v [3][16]uint32
				for lane := range 16 {
					v[i][lane] = x
					if v[1-i][lane] = numbers[rnd.IntN(len(numbers))]; lane%2 == 0 {
						v[1-i][lane] = rnd.Uint32()
					}
				}
				if !b.run(v) {
					return
				}
				b.unit.Drop()
			}
		}
	}
}

// TestKnown checks ops with constant counts and field positions against their semantics, wherever the other operands
// are.
func TestKnown(t *testing.T) {
	numbers := []uint32{0, 1, 5, 17, 31, 32, 33, 0x80000000, 0xffffffff}
	// Each selector of a byte in each place, reversed and equal bytes, and selectors of both operands.
	selectors := []uint32{0x00010203, 0x07060504, 0x08090a0b, 0x0b0a0908, 0x0c0d0e0c, 0x0c050c01, 0x03030303, 0x0c0c0c0c, 0xffffffff}
	for _, l := range levels(t) {
		if l.more {
			continue
		}
		rnd := rand.New(rand.NewPCG(11, uint64(l.bits)))
		for op, operands := range map[ir.Op][]int{
			ir.Shl: {1}, ir.ShrU: {1}, ir.ShrS: {1}, ir.ShlX: {1}, ir.ShrUX: {1}, ir.ShrSX: {1}, ir.Ror: {1}, ir.FShr: {2}, ir.UBfe: {1, 2}, ir.SBfe: {1, 2}, ir.BytePerm: {2},
		} {
			for n := range len(numbers) * len(numbers) * 3 {
				typ := ir.I32
				if _, _, ok := find(op, ir.I16); ok && n%2 == 0 {
					typ = ir.I16
				}
				low := uint32(1)<<typ.Bits() - 1
				b := &bench{t: t, level: l, call: Call{Op: op, Type: typ}, alias: -1, half: n % 2}
				if op == ir.FShr && n%2 == 0 {
					b.same = true
				}
				for i := range b.where {
					b.where[i] = (n / (1 + i)) % places
				}
				for k, i := range operands {
					b.where[i] = ofAll
					b.call.Known |= 1 << i
					b.call.Numbers[i] = numbers[[]int{n, n / len(numbers)}[k]%len(numbers)] & low
					if op == ir.BytePerm {
						b.call.Numbers[i] = selectors[n%len(selectors)]
					}
				}
				if b.where[0] == inRegister && n%5 == 0 {
					b.alias = 0
				}
				b.memory()
				if err := b.make(); err != nil {
					t.Fatalf("%v: %v", op, err)
				}
				for range 4 {
					var v [3][16]uint32
					for i := range v {
						for lane := range v[i] {
							v[i][lane] = (edges[rnd.IntN(len(edges))] ^ rnd.Uint32()&-(rnd.Uint32()&1)) & low
							if b.call.Known>>i&1 != 0 {
								v[i][lane] = b.call.Numbers[i]
							}
						}
					}
					if !b.run(v) {
						return
					}
				}
				b.unit.Drop()
			}
		}
	}
}
