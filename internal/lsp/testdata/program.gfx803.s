	.amdgcn_target "amdgcn-amd-amdhsa--gfx803" //@ hover(".amdgcn_target", "the processor") token(".amdgcn_target", "decorator")
	.text
	.globl copy
	.type copy,@function
copy: //@ symbol("copy", "function", 13) hover("copy", "label", ".text")
	s_load_dword s0, s[0:1], 0x0 //@ inlay("0000: 000002c000000000")
	s_waitcnt lgkmcnt(0)
	s_cmp_eq_u32 s0, 0
	s_cbranch_scc1 .Lend //@ def(".Lend", 11) refs(".Lend", 3)
	s_nop 0
.Lend: //@ symbol(".Lend", "key", 13)
	s_endpgm //@ inlay("0018: 000081bf")
	.size copy, .Lend+4-copy //@ rename("copy", "saxpy", 8)
	.rodata
	.long 7 //@ inlay("0000: 07000000")
	.p2align 6
	.amdhsa_kernel copy //@ hover(".amdhsa_kernel", "descriptor") complete(".amdhsa_kernel co", "copy")
		.amdhsa_next_free_vgpr 4
		.amdhsa_next_free_sgpr 8 //@ hover(".amdhsa_next_free_sgpr", "scalar")
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
	.end_amdhsa_kernel
	.amdgpu_metadata
amdhsa.kernels:
  - .name: copy
    .symbol: copy.kd
    .kernarg_segment_size: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .wavefront_size: 64
    .sgpr_count: 8
    .vgpr_count: 4
    .max_flat_workgroup_size: 256
amdhsa.version: [1, 2]
	.end_amdgpu_metadata
