package asm_test

import (
	"fmt"
	"log"
	"os"

	"github.com/heddle-gpu/heddle"
	"github.com/heddle-gpu/heddle/asm"
)

// A file with a symbol, a label and a branch back to it, and the listing of its bytes.
func ExampleAssemble() {
	target := heddle.MustFind("gfx803").Target()
	src := `
		count = 2 << 1
		s_movk_i32 s0, count
	again:	s_sub_u32 s0, s0, 1
		s_cmp_lg_u32 s0, 0
		s_cbranch_scc1 again
		s_endpgm
	`
	a, errs := asm.Assemble(target, []byte(src), asm.Options{File: "loop.s"})
	for _, e := range errs {
		log.Fatal(e.Detail())
	}
	fmt.Printf("%d bytes, %s is at %d\n", len(a.Code), a.Labels[0].Name, a.Labels[0].Addr)
	opt := asm.ListOptions{Symbols: a.Labels, Body: true, Comments: true}
	if err := asm.List(os.Stdout, target, a.Code, a.Base, opt); err != nil {
		log.Fatal(err)
	}
	// Output:
	// 20 bytes, again is at 4
	// 	s_movk_i32 s0, 0x4                                           // 000000000000: B0000004
	// again:
	// 	s_sub_u32 s0, s0, 1                                          // 000000000004: 80808100
	// 	s_cmp_lg_u32 s0, 0                                           // 000000000008: BF078000
	// 	s_cbranch_scc1 again                                         // 00000000000C: BF85FFFD
	// 	s_endpgm                                                     // 000000000010: BF810000
}

// All errors of a file are returned at once, with a code to match on; Detail also shows the line.
func ExampleAssemble_errors() {
	target := heddle.MustFind("gfx803").Target()
	_, errs := asm.Assemble(target, []byte("s_branch nowhere\ns_movk_i32 s200, 1\n"), asm.Options{File: "bad.s"})
	for _, e := range errs {
		fmt.Println(e.Code, e.Line)
		fmt.Println(e.Detail())
	}
	// Output:
	// symbol 1
	// bad.s:1:10: error: s_branch: undefined label "nowhere" [symbol]
	//     s_branch nowhere
	//              ^
	// operand 2
	// bad.s:2:12: error: s_movk_i32: register number out of range [operand]
	//     s_movk_i32 s200, 1
	//                ^
}
