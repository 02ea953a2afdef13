package invariant

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/isa/tesla"
)

// TestLinesAlike: a file with repeated lines assembles to the same code as one with each line written differently.
func TestLinesAlike(t *testing.T) {
	lines := []string{"add b32 $r1 $r2 $r3", "mov b32 $r4 0x7", "mov b32 $r70 $r1", "bra here", "bra 0x40", "(lg $c0) bra here", "long mov b32 $r1 $r2",
		"add f32 $r1 $r2 0x3f800000", "mul rn f32 $r1 $r2 $r3", "interp $r1 v[0x4]", "exit nop", "mov b32 $r1 here", "shl b32 $r1 $r1 0x2"}
	tg := tesla.Set().At(tesla.G200, tesla.FP)
	good := 0
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		var alike, apart strings.Builder
		at := r.IntN(40)
		for i := range 40 {
			if i == at {
				alike.WriteString("here:\n")
				apart.WriteString("here:\n")
			}
			l := lines[r.IntN(len(lines))]
			name, rest, _ := strings.Cut(l, " ")
			alike.WriteString(l + "\n")
			apart.WriteString(name + strings.Repeat(" ", i+1) + rest + "\n")
		}
		x, errs := asm.Assemble(tg, []byte(alike.String()), asm.Options{})
		y, more := asm.Assemble(tg, []byte(apart.String()), asm.Options{})
		if len(errs) != len(more) {
			t.Fatalf("%s: %v, and apart %v", alike.String(), errs, more)
		}

		if len(errs) == 0 {
			good++
		}
		if len(errs) == 0 && !bytes.Equal(x.Code, y.Code) {
			t.Errorf("%s: %x, and apart %x", alike.String(), x.Code, y.Code)
		}
	}
	if good < 50 {
		t.Errorf("%d of 200 files are right", good)
	}
}
