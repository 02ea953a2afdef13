package codeobj_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/heddle-gpu/heddle/codeobj"
	"github.com/heddle-gpu/heddle/object"
)

// kernel is what clang -S writes for a kernel, without defaults.
const kernel = `
	.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
	.text
	.globl	store
	.p2align	8
	.type	store,@function
store:
	s_load_dwordx2 s[0:1], s[4:5], 0x0
	s_waitcnt lgkmcnt(0)
	v_mov_b32_e32 v0, s0
	v_mov_b32_e32 v1, s1
	flat_store_dword v[0:1], v0
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6
	.amdhsa_kernel store
		.amdhsa_user_sgpr_private_segment_buffer 1
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_kernarg_size 8
		.amdhsa_next_free_vgpr 2
		.amdhsa_next_free_sgpr 6
	.end_amdhsa_kernel
`

// Text of a compiler is assembled to a code object, which can be written to a file or read in place.
func ExampleAssemble() {
	c, errs, err := codeobj.Assemble([]byte(kernel), codeobj.Options{File: "store.s"})
	for _, e := range errs {
		fmt.Println(e.Detail())
	}
	if err != nil || c == nil {
		log.Fatal("not assembled: ", err)
	}
	o, err := object.ReadHSA(c.Data)
	if err != nil {
		log.Fatal(err)
	}
	k := &o.Kernels[0]
	fmt.Printf("%s for %s, version %d\n", k.Name, o.Target, o.Version)
	fmt.Println(len(o.Code(k)), "bytes of code,", k.Descriptor.KernargSize, "of arguments")
	// Output:
	// store for gfx803, version 5
	// 32 bytes of code, 8 of arguments
}

// A code object as text that assembles to the same program. Only what follows the descriptor is shown.
func ExampleSource() {
	c, errs, err := codeobj.Assemble([]byte(kernel), codeobj.Options{})
	if err != nil || len(errs) > 0 {
		log.Fatal(errs, err)
	}
	o, err := object.ReadHSA(c.Data)
	if err != nil {
		log.Fatal(err)
	}
	var text strings.Builder
	if err := codeobj.Source(&text, o); err != nil {
		log.Fatal(err)
	}
	_, code, _ := strings.Cut(text.String(), ".end_amdhsa_kernel\n\n")
	fmt.Print(code)
	again, errs, err := codeobj.Assemble([]byte(text.String()), codeobj.Options{})
	fmt.Println(again != nil && string(again.Data) == string(c.Data), len(errs), err)
	// Output:
	// 	.section	.text,"ax",@progbits
	// 	.balign	256
	// 	.address	0x1300
	// store:
	// 	s_load_dwordx2 s[0:1], s[4:5], 0x0
	// 	s_waitcnt lgkmcnt(0)
	// 	v_mov_b32_e32 v0, s0
	// 	v_mov_b32_e32 v1, s1
	// 	flat_store_dword v[0:1], v0
	// 	s_endpgm
	// true 0 <nil>
}
