	.file	0 "/src" "tiny.cl" md5 0x555728d0397a1e9f479e9a2c69a1c22a
	.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
	.amdhsa_code_object_version 6
	.text
	.protected	tiny
	.globl	tiny
	.p2align	8
	.type	tiny,@function
tiny:
.Lfunc_begin0:
	.cfi_sections .debug_frame
	.cfi_startproc
	.loc	0 4 14 prologue_end
	v_cvt_f32_ubyte0_e32 v1, v0
	.loc	0 3 11
	s_load_dword s2, s[4:5], 0x8
.Ltmp0:
	s_load_dwordx2 s[0:1], s[4:5], 0x0
	.loc	0 4 3
	v_lshlrev_b32_e32 v0, 2, v0
.Ltmp1:
	.loc	0 4 12 is_stmt 0
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v1, s2, v1
	.loc	0 4 8
	s_mov_b32 m0, -1
	ds_write_b32 v0, v1
	.loc	0 6 12 is_stmt 1
	v_sub_u32_e32 v1, vcc, 0, v0
	.loc	0 5 3
	s_waitcnt lgkmcnt(0)
	s_barrier
	.loc	0 6 12
	ds_read_b32 v2, v1 offset:252
	.loc	0 6 3 is_stmt 0
	v_mov_b32_e32 v1, s1
	v_add_u32_e32 v0, vcc, s0, v0
	v_addc_u32_e32 v1, vcc, 0, v1, vcc
	.loc	0 6 10
	s_waitcnt lgkmcnt(0)
	flat_store_dword v[0:1], v2
.Ltmp2:
	.loc	0 7 1 is_stmt 1
	s_endpgm
.Ltmp3:
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel tiny
		.amdhsa_group_segment_fixed_size 256
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 12
		.amdhsa_user_sgpr_count 6
		.amdhsa_user_sgpr_private_segment_buffer 1
		.amdhsa_user_sgpr_dispatch_ptr 0
		.amdhsa_user_sgpr_queue_ptr 0
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_dispatch_id 0
		.amdhsa_user_sgpr_flat_scratch_init 0
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_uses_dynamic_stack 0
		.amdhsa_system_sgpr_private_segment_wavefront_offset 0
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 0
		.amdhsa_system_sgpr_workgroup_id_z 0
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 0
		.amdhsa_next_free_vgpr 3
		.amdhsa_next_free_sgpr 6
		.amdhsa_reserve_vcc 1
		.amdhsa_reserve_flat_scratch 0
		.amdhsa_float_round_mode_32 0
		.amdhsa_float_round_mode_16_64 0
		.amdhsa_float_denorm_mode_32 0
		.amdhsa_float_denorm_mode_16_64 3
		.amdhsa_dx10_clamp 1
		.amdhsa_ieee_mode 1
		.amdhsa_exception_fp_ieee_invalid_op 0
		.amdhsa_exception_fp_denorm_src 0
		.amdhsa_exception_fp_ieee_div_zero 0
		.amdhsa_exception_fp_ieee_overflow 0
		.amdhsa_exception_fp_ieee_underflow 0
		.amdhsa_exception_fp_ieee_inexact 0
		.amdhsa_exception_int_div_zero 0
	.end_amdhsa_kernel
	.text
.Lfunc_end0:
	.size	tiny, .Lfunc_end0-tiny
	.cfi_endproc

	.set tiny.num_vgpr, 3
	.set tiny.num_agpr, 0
	.set tiny.numbered_sgpr, 6
	.set tiny.num_named_barrier, 0
	.set tiny.private_seg_size, 0
	.set tiny.uses_vcc, 1
	.set tiny.uses_flat_scratch, 0
	.set tiny.has_dyn_sized_stack, 0
	.set tiny.has_recursion, 0
	.set tiny.has_indirect_call, 0
	.protected	__clang_ocl_kern_imp_tiny
	.globl	__clang_ocl_kern_imp_tiny
	.p2align	2
	.type	__clang_ocl_kern_imp_tiny,@function
__clang_ocl_kern_imp_tiny:
.Lfunc_begin1:
	.loc	0 1 0
	.cfi_startproc
	s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
	v_and_b32_e32 v3, 0x3ff, v31
.Ltmp4:
	.loc	0 4 14 prologue_end
	v_cvt_f32_u32_e32 v4, v3
	s_mov_b64 s[4:5], 0xc8
	.loc	0 4 8 is_stmt 0
	s_mov_b32 m0, -1
	.loc	0 4 3
	s_load_dwordx2 s[0:1], s[4:5], 0x0
	.loc	0 4 12
	v_add_f32_e32 v2, v2, v4
.Ltmp5:
	.loc	0 4 3
	s_waitcnt lgkmcnt(0)
	s_trap 2
	.loc	0 4 8
	ds_write_b32 v0, v2
	.loc	0 5 3 is_stmt 1
	s_waitcnt lgkmcnt(0)
	s_barrier
	.loc	0 6 12
	ds_read_b32 v2, v0
	.loc	0 4 3
	v_lshlrev_b32_e32 v3, 2, v3
.Ltmp6:
	.loc	0 6 3
	v_add_u32_e32 v0, vcc, v0, v3
.Ltmp7:
	v_addc_u32_e32 v1, vcc, 0, v1, vcc
.Ltmp8:
	.loc	0 6 10 is_stmt 0
	s_waitcnt lgkmcnt(0)
	flat_store_dword v[0:1], v2
	.loc	0 7 1 is_stmt 1
	s_waitcnt vmcnt(0)
	s_setpc_b64 s[30:31]
.Ltmp9:
.Lfunc_end1:
	.size	__clang_ocl_kern_imp_tiny, .Lfunc_end1-__clang_ocl_kern_imp_tiny
	.cfi_endproc

	.set __clang_ocl_kern_imp_tiny.num_vgpr, 32
	.set __clang_ocl_kern_imp_tiny.num_agpr, 0
	.set __clang_ocl_kern_imp_tiny.numbered_sgpr, 32
	.set __clang_ocl_kern_imp_tiny.num_named_barrier, 0
	.set __clang_ocl_kern_imp_tiny.private_seg_size, 0
	.set __clang_ocl_kern_imp_tiny.uses_vcc, 1
	.set __clang_ocl_kern_imp_tiny.uses_flat_scratch, 0
	.set __clang_ocl_kern_imp_tiny.has_dyn_sized_stack, 0
	.set __clang_ocl_kern_imp_tiny.has_recursion, 0
	.set __clang_ocl_kern_imp_tiny.has_indirect_call, 0
	.section	.AMDGPU.gpr_maximums,"",@progbits
	.set amdgpu.max_num_vgpr, 32
	.set amdgpu.max_num_agpr, 0
	.set amdgpu.max_num_sgpr, 32
	.set amdgpu.max_num_named_barrier, 0
	.text
	.section	.debug_loclists,"",@progbits
	.long	.Ldebug_list_header_end0-.Ldebug_list_header_start0
.Ldebug_list_header_start0:
	.short	5
	.byte	8
	.byte	0
	.long	4
.Lloclists_table_base0:
	.long	.Ldebug_loc0-.Lloclists_table_base0
	.long	.Ldebug_loc1-.Lloclists_table_base0
	.long	.Ldebug_loc2-.Lloclists_table_base0
	.long	.Ldebug_loc3-.Lloclists_table_base0
.Ldebug_loc0:
	.byte	4
	.uleb128 .Ltmp0-.Lfunc_begin0
	.uleb128 .Ltmp1-.Lfunc_begin0
	.byte	7
	.byte	146
	.byte	128
	.byte	20
	.byte	0
	.byte	53
	.byte	22
	.byte	24
	.byte	0
.Ldebug_loc1:
	.byte	4
	.uleb128 .Lfunc_begin1-.Lfunc_begin0
	.uleb128 .Ltmp5-.Lfunc_begin0
	.byte	7
	.byte	146
	.byte	130
	.byte	20
	.byte	0
	.byte	53
	.byte	22
	.byte	24
	.byte	0
.Ldebug_loc2:
	.byte	4
	.uleb128 .Lfunc_begin1-.Lfunc_begin0
	.uleb128 .Ltmp7-.Lfunc_begin0
	.byte	18
	.byte	146
	.byte	128
	.byte	20
	.byte	0
	.byte	53
	.byte	22
	.byte	24
	.byte	147
	.byte	4
	.byte	146
	.byte	129
	.byte	20
	.byte	0
	.byte	53
	.byte	22
	.byte	24
	.byte	147
	.byte	4
	.byte	4
	.uleb128 .Ltmp7-.Lfunc_begin0
	.uleb128 .Ltmp8-.Lfunc_begin0
	.byte	11
	.byte	147
	.byte	4
	.byte	146
	.byte	129
	.byte	20
	.byte	0
	.byte	53
	.byte	22
	.byte	24
	.byte	147
	.byte	4
	.byte	0
.Ldebug_loc3:
	.byte	4
	.uleb128 .Ltmp4-.Lfunc_begin0
	.uleb128 .Ltmp6-.Lfunc_begin0
	.byte	7
	.byte	146
	.byte	131
	.byte	20
	.byte	0
	.byte	53
	.byte	22
	.byte	24
	.byte	0
.Ldebug_list_header_end0:
	.section	.debug_abbrev,"",@progbits
	.byte	1
	.byte	17
	.byte	1
	.byte	37
	.byte	37
	.byte	19
	.byte	5
	.byte	3
	.byte	37
	.byte	114
	.byte	23
	.byte	16
	.byte	23
	.byte	27
	.byte	37
	.byte	17
	.byte	27
	.byte	18
	.byte	6
	.byte	115
	.byte	23
	.ascii	"\214\001"
	.byte	23
	.byte	0
	.byte	0
	.byte	2
	.byte	46
	.byte	1
	.byte	17
	.byte	27
	.byte	18
	.byte	6
	.byte	64
	.byte	24
	.byte	122
	.byte	25
	.byte	49
	.byte	19
	.byte	0
	.byte	0
	.byte	3
	.byte	52
	.byte	0
	.byte	3
	.byte	37
	.byte	73
	.byte	19
	.byte	58
	.byte	11
	.byte	59
	.byte	11
	.byte	2
	.byte	24
	.byte	0
	.byte	0
	.byte	4
	.byte	5
	.byte	0
	.byte	2
	.byte	34
	.byte	49
	.byte	19
	.byte	0
	.byte	0
	.byte	5
	.byte	52
	.byte	0
	.byte	2
	.byte	34
	.byte	49
	.byte	19
	.byte	0
	.byte	0
	.byte	6
	.byte	1
	.byte	1
	.byte	73
	.byte	19
	.byte	0
	.byte	0
	.byte	7
	.byte	33
	.byte	0
	.byte	73
	.byte	19
	.byte	55
	.byte	11
	.byte	0
	.byte	0
	.byte	8
	.byte	36
	.byte	0
	.byte	3
	.byte	37
	.byte	62
	.byte	11
	.byte	11
	.byte	11
	.byte	0
	.byte	0
	.byte	9
	.byte	36
	.byte	0
	.byte	3
	.byte	37
	.byte	11
	.byte	11
	.byte	62
	.byte	11
	.byte	0
	.byte	0
	.byte	10
	.byte	46
	.byte	1
	.byte	110
	.byte	37
	.byte	3
	.byte	37
	.byte	58
	.byte	11
	.byte	59
	.byte	11
	.byte	54
	.byte	11
	.byte	63
	.byte	25
	.byte	32
	.byte	33
	.byte	1
	.byte	0
	.byte	0
	.byte	11
	.byte	5
	.byte	0
	.byte	3
	.byte	37
	.byte	58
	.byte	11
	.byte	59
	.byte	11
	.byte	73
	.byte	19
	.byte	0
	.byte	0
	.byte	12
	.byte	52
	.byte	0
	.byte	3
	.byte	37
	.byte	58
	.byte	11
	.byte	59
	.byte	11
	.byte	73
	.byte	19
	.byte	0
	.byte	0
	.byte	13
	.byte	15
	.byte	0
	.byte	73
	.byte	19
	.byte	0
	.byte	0
	.byte	14
	.byte	46
	.byte	1
	.byte	17
	.byte	27
	.byte	18
	.byte	6
	.byte	122
	.byte	25
	.byte	3
	.byte	37
	.byte	58
	.byte	11
	.byte	59
	.byte	11
	.byte	54
	.byte	11
	.byte	63
	.byte	25
	.byte	0
	.byte	0
	.byte	15
	.byte	29
	.byte	1
	.byte	49
	.byte	19
	.byte	17
	.byte	27
	.byte	18
	.byte	6
	.byte	88
	.byte	11
	.byte	89
	.byte	11
	.byte	87
	.byte	11
	.byte	0
	.byte	0
	.byte	0
	.section	.debug_info,"",@progbits
.Lcu_begin0:
	.long	.Ldebug_info_end0-.Ldebug_info_start0
.Ldebug_info_start0:
	.short	5
	.byte	1
	.byte	8
	.long	.debug_abbrev
	.byte	1
	.byte	0
	.short	21
	.byte	1
	.long	.Lstr_offsets_base0
	.long	.Lline_table_start0
	.byte	2
	.byte	1
	.long	.Lfunc_end1-.Lfunc_begin0
	.long	.Laddr_table_base0
	.long	.Lloclists_table_base0
	.byte	2
	.byte	2
	.long	.Lfunc_end1-.Lfunc_begin1
	.byte	2
	.byte	144
	.byte	64

	.long	105
	.byte	3
	.byte	3
	.long	85
	.byte	0
	.byte	2
	.byte	5
	.byte	161
	.byte	0
	.byte	51
	.byte	22
	.byte	24
	.byte	4
	.byte	2
	.long	111
	.byte	4
	.byte	1
	.long	119
	.byte	5
	.byte	3
	.long	127
	.byte	0
	.byte	6
	.long	97
	.byte	7
	.long	101
	.byte	64
	.byte	0
	.byte	8
	.byte	4
	.byte	4
	.byte	4
	.byte	9
	.byte	5
	.byte	8
	.byte	7
	.byte	10
	.byte	6
	.byte	7
	.byte	0
	.byte	1
	.byte	199


	.byte	11
	.byte	8
	.byte	0
	.byte	1
	.long	136
	.byte	11
	.byte	9
	.byte	0
	.byte	1
	.long	97
	.byte	12
	.byte	10
	.byte	0
	.byte	3
	.long	141
	.byte	0
	.byte	13
	.long	97
	.byte	8
	.byte	11
	.byte	5
	.byte	4
	.byte	14
	.byte	1
	.long	.Lfunc_end0-.Lfunc_begin0

	.byte	7
	.byte	0
	.byte	1
	.byte	199

	.byte	11
	.byte	8
	.byte	0
	.byte	1
	.long	136
	.byte	11
	.byte	9
	.byte	0
	.byte	1
	.long	97
	.byte	15
	.long	105
	.byte	1
	.long	.Ltmp2-.Lfunc_begin0
	.byte	0
	.byte	1
	.byte	46
	.byte	5
	.byte	0
	.long	127
	.byte	0
	.byte	0
	.byte	0
.Ldebug_info_end0:
	.section	.debug_str_offsets,"",@progbits
	.long	52
	.short	5
	.short	0
.Lstr_offsets_base0:
	.section	.debug_str,"MS",@progbits,1
.Linfo_string0:
	.asciz	"Debian clang version 22.1.8 (1~deb12u1)"
.Linfo_string1:
	.asciz	"tiny.cl"
.Linfo_string2:
	.asciz	"/src"
.Linfo_string3:
	.asciz	"s"
.Linfo_string4:
	.asciz	"float"
.Linfo_string5:
	.asciz	"__ARRAY_SIZE_TYPE__"
.Linfo_string6:
	.asciz	"__clang_ocl_kern_imp_tiny"
.Linfo_string7:
	.asciz	"tiny"
.Linfo_string8:
	.asciz	"out"
.Linfo_string9:
	.asciz	"a"
.Linfo_string10:
	.asciz	"i"
.Linfo_string11:
	.asciz	"int"
	.section	.debug_str_offsets,"",@progbits
	.long	.Linfo_string0
	.long	.Linfo_string1
	.long	.Linfo_string2
	.long	.Linfo_string3
	.long	.Linfo_string4
	.long	.Linfo_string5
	.long	.Linfo_string6
	.long	.Linfo_string7
	.long	.Linfo_string8
	.long	.Linfo_string9
	.long	.Linfo_string10
	.long	.Linfo_string11
	.section	.debug_addr,"",@progbits
	.long	.Ldebug_addr_end0-.Ldebug_addr_start0
.Ldebug_addr_start0:
	.short	5
	.byte	8
	.byte	0
.Laddr_table_base0:
	.quad	tiny.s
	.quad	.Lfunc_begin0
	.quad	.Lfunc_begin1
.Ldebug_addr_end0:
	.ident	"Debian clang version 22.1.8 (1~deb12u1)"
	.section	".note.GNU-stack","",@progbits
	.addrsig
	.amdgpu_metadata
---
amdhsa.kernels:
  - .args:
      - .address_space:  global
        .offset:         0
        .size:           8
        .type_name:      'float*'
        .value_kind:     global_buffer
      - .offset:         8
        .size:           4
        .type_name:      float
        .value_kind:     by_value
    .group_segment_fixed_size: 256
    .kernarg_segment_align: 8
    .kernarg_segment_size: 12
    .language:       OpenCL C
    .language_version:
      - 1
      - 2
    .max_flat_workgroup_size: 256
    .name:           tiny
    .private_segment_fixed_size: 0
    .sgpr_count:     8
    .sgpr_spill_count: 0
    .symbol:         tiny.kd
    .uniform_work_group_size: 1
    .uses_dynamic_stack: false
    .vgpr_count:     3
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--gfx803
amdhsa.version:
  - 1
  - 2
...

	.end_amdgpu_metadata
	.section	.debug_line,"",@progbits
.Lline_table_start0:
