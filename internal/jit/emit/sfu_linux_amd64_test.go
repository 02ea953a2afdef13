package emit

import (
	"os"
	"testing"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/num"
)

// TestAllSpecial checks functions of special function units on every operand. Without HEDDLE_LONG it takes one in some
// thousands, and those near the beginnings of table pieces and near zero, one and infinity.
func TestAllSpecial(t *testing.T) {
	stride := uint64(16 * 4099)
	if os.Getenv("HEDDLE_LONG") != "" {
		stride = 16
	}
	for f := range num.NumSFU {
		t.Run(f.String(), func(t *testing.T) {
			var list []*bench
			for _, l := range levels(t) {
				if l.more {
					continue
				}
				b := &bench{t: t, level: l, call: Call{Op: ir.SFU, Type: ir.I32, Imm: uint64(f)}, alias: -1}
				b.memory()
				if err := b.make(); err != nil {
					t.Fatal(err)
				}
				list = append(list, b)
			}
			for x := uint64(0); x < 1<<32 && !t.Failed(); x += stride {
				allRight(t, list, uint32(x))
			}
			for x := uint64(0); x < 1<<32 && !t.Failed(); x += 1 << 16 { // pieces begin at multiples of this
				if (x>>23&0xff)%31 > 3 { // a part of all exponents
					continue
				}
				allRight(t, list, uint32(x))
				allRight(t, list, uint32(x)-16)
			}
		})
	}
}
