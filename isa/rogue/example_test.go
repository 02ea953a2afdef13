package rogue_test

import (
	"fmt"
	"log"

	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/rogue"
)

// A group, as Mesa's PCO compiler prints it and as Mesa 24.1 does. It is a bundle with one part for its header, one for
// each instruction, and one for each map of its sources and results.
func ExampleSet() {
	code := []byte{0x24, 0x02, 0x40, 0xc7, 0xa9, 0x00, 0x00, 0x44}
	for _, dialect := range []int{rogue.PCO, rogue.Mesa24} {
		target, err := rogue.Set().At(0, 0).With(dialect, nil)
		if err != nil {
			log.Fatal(err)
		}
		var b isa.Bundle
		if err := target.DecodeBundle(code, 0, &b); err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%d bytes: %s\n", b.Size(), target.Print(nil, &b))
	}
	// Output:
	// 8 bytes: { s0 = r7, s1 = r9, is4 = ft0 p0: fmul ft0, s0, s1; w0 = r4 }
	// 8 bytes: { main p0: fmul ft0, s0, s1; s0=r7, s1=r9 is4/w0=ft0 w0=r4 }
}
