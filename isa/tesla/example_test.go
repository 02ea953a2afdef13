package tesla_test

import (
	"fmt"
	"log"

	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/tesla"
)

// Programs of different stages share words: a source that is shared memory in a compute program is an attribute in a
// vertex program, and nothing in a fragment program.
func ExampleSet() {
	compute := tesla.Set().At(tesla.G200, tesla.CP)
	var b isa.Bundle
	if err := compute.Parse("mov b32 $r4 b32 s[0x14]", 0, &b); err != nil {
		log.Fatal(err)
	}
	code, err := b.Encode(nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, stage := range []int{tesla.CP, tesla.VP, tesla.FP} {
		target := compute.Move(tesla.G200, stage)
		var in isa.Inst
		if err := target.Decode(code, 0, &in); err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Printf("%v: %v\n", target, &in)
	}
	// Output:
	// tesla:g200 cp: mov b32 $r4 b32 s[0x14]
	// tesla:g200 vp: mov b32 $r4 a[0xd4]
	// code+0x0: mov: no source of a fp program has these bits in 10ea0011 [illegal]
}
