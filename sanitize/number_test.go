package sanitize

import (
	"testing"

	"github.com/heddle-gpu/heddle/ir"
)

func TestValues(t *testing.T) {
	for _, x := range []struct {
		v                 Value
		zero, exceptional bool
	}{
		{Value{ir.F32, 0}, true, false},
		{Value{ir.F32, 1 << 31}, true, false},
		{Value{ir.F32, 0x40000000}, false, false}, // 2
		{Value{ir.F64, 0x4000 << 48}, false, false},
		{Value{ir.F64, 1 << 63}, true, false},
		{Value{ir.F64, 0xfff0 << 48}, false, true},
		{Value{ir.F16, 0x4000}, false, false},
		{Value{ir.F16, 0x8000}, true, false},
		{Value{ir.I16, 0xfc00}, false, true},
		{Value{ir.I32, 0xffc00000}, false, true},
		{Value{ir.I32, 0x7c00}, false, false},
		{Value{ir.V2F16, 0x7c003c00}, false, true},
		{Value{ir.V2F16, 0x3c00fe00}, false, true},
	} {
		if x.v.zero() != x.zero || x.v.exceptional() != x.exceptional {
			t.Errorf("%v %#x: zero %t, exceptional %t", x.v.Type, x.v.Bits, x.v.zero(), x.v.exceptional())
		}
	}
}
