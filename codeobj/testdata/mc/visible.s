// Symbols of default visibility, as with clang -fvisibility=default: another file may define them, so that the loader fills in
// their addresses. Entries of .eh_frame end with four zeros in a linked file.
	.amdhsa_code_object_version 5
	.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
	.text
	.globl k
	.p2align 8
	.type k,@function
k:
	.cfi_startproc
	s_getpc_b64 s[0:1]
	s_add_u32 s0, s0, table@gotpcrel32@lo+4
	s_addc_u32 s1, s1, table@gotpcrel32@hi+12
	s_add_u32 s0, s0, inner@gotpcrel32@lo+4
	s_addc_u32 s1, s1, inner@gotpcrel32@hi+12
	s_endpgm
	.cfi_endproc
.Lend:
	.size k, .Lend-k
	.section .rodata,"a",@progbits
	.p2align 6
	.amdhsa_kernel k
		.amdhsa_next_free_vgpr 1
		.amdhsa_next_free_sgpr 8
	.end_amdhsa_kernel
	.data
	.globl table
	.type table,@object
table:
	.quad inner+8
	.size table, 8
	.protected inner
	.globl inner
inner:
	.quad 1
	.ident "heddle"
