package gcn_test

import (
	"fmt"
	"log"

	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/gcn"
)

// One opcode in two generations: what gfx8 calls v_mul_f32 was v_subrev_f32 before.
func ExampleSet() {
	code := []byte{0x01, 0x05, 0x00, 0x0a}
	for _, variant := range []string{"gfx7", "gfx8"} {
		target, err := gcn.Set().Target(isa.Config{Variant: variant})
		if err != nil {
			log.Fatal(err)
		}
		var in isa.Inst
		if err := target.Decode(code, 0, &in); err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%v: %v // %s\n", target, &in, in.Def.Doc)
	}
	// Output:
	// gcn:gfx7: v_subrev_f32_e32 v0, v1, v2 // b - a.
	// gcn:gfx8: v_mul_f32_e32 v0, v1, v2 // a * b.
}
