package emit

import (
	"math"
	"os"
	"testing"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/num"
)

// hardest are the operands of 2^a whose exact results are next to a midpoint of two numbers: all within a few ULPs of
// f64.
var hardest = []uint32{0x33b8aa3b, 0x36879cf7, 0x37e338eb, 0x3a07857c, 0x3a0b4316, 0x3b429d37, 0x3b53aa14, 0x3c02a9ad, 0x3d036455, 0x3dc9abe2, 0xb338aa3b, 0xb466d4cb,
	0xb5160a52, 0xb52d1f9a, 0xb8acad70, 0xb8bbd3a2, 0xb8d3d026, 0xbae36f38, 0xbaec2b40, 0xbcaf4d02, 0xbcf3a937, 0xbe1f29de, 0xc3160000}

// isDull reports whether the function is trivial on 16 operands from x on: constant, not a number, or only an exponent
// shift.
func isDull(op ir.Op, x uint32) bool {
	v := math.Float32frombits(x)
	a := math.Abs(float64(v))
	switch op {
	case ir.FExp2:
		return v > 129 || v < -151 || a < 0x1p-27
	case ir.FLog2:
		return x>>31 != 0
	}
	return a > 1<<24 || a < 0x1p-60
}

// TestAllOperands checks the functions that are evaluated in f64 on every operand. Without HEDDLE_LONG it takes one in
// some thousands, as always where the function is trivial, and those that are hardest to round.
func TestAllOperands(t *testing.T) {
	stride, step := uint64(16*4099), uint64(0)
	if os.Getenv("HEDDLE_LONG") != "" {
		stride = 16
	}
	for op := range ops() {
		if !ops()[op].near {
			continue
		}
		t.Run(ir.Op(op).String(), func(t *testing.T) {
			var list []*bench
			for _, l := range levels(t) {
				if l.more {
					continue
				}
				b := &bench{t: t, level: l, call: Call{Op: ir.Op(op), Type: ir.F32, Mode: num.ModeSet | num.NaNCanon}, alias: -1}
				b.memory()
				if err := b.make(); err != nil {
					t.Fatal(err)
				}
				list = append(list, b)
			}
			for i := range hardest {
				allRight(t, list, hardest[i]&^15)
			}
			for x := uint64(0); x < 1<<32 && !t.Failed(); x += step {
				allRight(t, list, uint32(x))
				if step = stride; isDull(ir.Op(op), uint32(x)) {
					step = 16 * 4099
				}
			}
		})
	}
}

// allRight compares the 16 operands from x on.
func allRight(t *testing.T, list []*bench, x uint32) {
	c := &list[0].call
	var want [16]uint32
	for i := range want {
		want[i] = uint32(meaning(c, [3]uint64{uint64(x) + uint64(i)}))
	}
	for _, b := range list {
		lanes := b.level.bits / 32
		for from := 0; from < 16; from += lanes {
			for i := range lanes {
				b.rows[0][i] = x + uint32(from+i)
			}
			b.unit.Call(b.ctx, 0)
			for i := range lanes {
				if got := b.rows[3][i]; got != want[from+i] {
					t.Errorf("%v of %#x, %d bits: %#x, want %#x", c.Op, b.rows[0][i], b.level.bits, got, want[from+i])
				}
			}
		}
	}
}
