package attila_test

import (
	"fmt"
	"log"

	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/attila"
)

// A text of the reference simulator is assembled to a word of 16 bytes, and disassembled. Scalar mode accepts
// instructions that write one component.
func ExampleSet() {
	target, err := attila.Set().Target(isa.Config{Variant: "sim"})
	if err != nil {
		log.Fatal(err)
	}
	var b isa.Bundle
	if err := target.Parse("add r0.w, r1, r2", 0, &b); err != nil {
		log.Fatal(err)
	}
	code, err := b.Encode(nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%x\n%s\n", code, target.Print(nil, &b))
	fmt.Printf("%s; legal in scalar mode: %t\n", b.Parts[0].Def.Doc, attila.Scalar(&b.Parts[0]))
	// Output:
	// 0100c63813000000011b00021b001b00
	// add r0.w, r1, r2
	// a + b; legal in scalar mode: true
}
