package valhall_test

import (
	"fmt"
	"log"

	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/valhall"
)

// Two words as text, and their semantics. Flow after an instruction, here .reconverge, is part of its word.
func ExampleSet() {
	target, err := valhall.Set().Target(isa.Config{})
	if err != nil {
		log.Fatal(err)
	}
	code := []byte{0x16, 0x00, 0x02, 0x00, 0x00, 0x96, 0x99, 0x00, 0x8f, 0x5f, 0xd7, 0xa3, 0x3b, 0xcd, 0x14, 0x53}
	var in isa.Inst
	for at := 0; at < len(code); at += int(in.Size) {
		if err := target.Decode(code[at:], uint64(at), &in); err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%v // %s\n", &in, in.Def.Doc)
	}
	// Output:
	// FREXPE.f32 r22.h1, r22 // the exponent of a
	// FADD_IMM.f32.reconverge r13, u79, #0x3BA3D75F // a + the constant
}
