package lint_test

import (
	"fmt"
	"log"

	"github.com/heddle-gpu/heddle"
	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/lint"
)

// A program that does not wait for what it has loaded.
func ExampleRun() {
	target := heddle.MustFind("gfx803").Target()
	a, errs := asm.Assemble(target, []byte(`
		s_load_dword s16, s[0:1], 0x0
		s_add_u32 s17, s16, 1
		s_waitcnt lgkmcnt(0)
		s_endpgm
	`), asm.Options{})
	for _, e := range errs {
		log.Fatal(e.Detail())
	}
	r := lint.Run(lint.Code{Target: target, Bytes: a.Code}, lint.Options{Least: isa.SeverityWarning})
	for _, f := range r.Findings {
		fmt.Printf("%#x %s: %v: %s [%s]\n", f.Addr, f.Text, f.Severity, f.Msg, f.Rule)
		fmt.Printf("  the other: %s at %#x\n", f.Other.Text, f.Other.Addr)
	}
	fmt.Println(len(r.Findings), "finding in", r.Instructions, "instructions")
	// Output:
	// 0x8 s_add_u32 s17, s16, 1: error: s_add_u32: reads s16, which s_load_dword at 0x0 may still be writing [pending-read]
	//   the other: s_load_dword s16, s[0:1], 0x0 at 0x0
	// 1 finding in 4 instructions
}
