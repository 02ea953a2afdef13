// llvm-mc -g -triple amdgcn-amd-amdhsa -mcpu=gfx803 -filetype=obj add.s -o add.o: a code object that names its source.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
	.text
	.protected	add
	.globl	add
	.p2align	8
	.type	add,@function
add:
	v_mov_b32_e32 v1, 0
	v_mov_b32_e32 v2, 0
	flat_store_dword v[1:2], v0
	s_endpgm
.Lend:
	.size	add, .Lend-add
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel add
		.amdhsa_user_sgpr_private_segment_buffer 1
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_next_free_vgpr 4
		.amdhsa_next_free_sgpr 8
	.end_amdhsa_kernel
