	.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
	.amdhsa_code_object_version 6
	.text
	.protected	swap                    ; -- Begin function swap
	.globl	swap
	.p2align	8
	.type	swap,@function
swap:                                   ; @swap
.Lfunc_begin0:
	.file	0 "." "swap.cl" md5 0x37068b5949b00cb85ed6409bfc7d2d6c
	.cfi_sections .debug_frame
	.cfi_startproc
; %bb.0:
	.loc	0 4 33 prologue_end             ; swap.cl:4:33 @[ swap.cl:2:45 ]
	s_load_dword s2, s[4:5], 0x1c
	.loc	0 4 12 is_stmt 0                ; swap.cl:4:12 @[ swap.cl:2:45 ]
	s_load_dwordx2 s[0:1], s[4:5], 0x0
	s_load_dword s3, s[4:5], 0x8
	.loc	0 5 11 is_stmt 1                ; swap.cl:5:11 @[ swap.cl:2:45 ]
	v_mov_b32_e32 v2, 0
	.loc	0 5 3 is_stmt 0                 ; swap.cl:5:3 @[ swap.cl:2:45 ]
	v_lshlrev_b32_e32 v5, 2, v0
	.loc	0 4 33 is_stmt 1                ; swap.cl:4:33 @[ swap.cl:2:45 ]
	s_waitcnt lgkmcnt(0)
	s_and_b32 s2, s2, 0xffff
	s_mul_i32 s6, s6, s2
	v_add_u32_e32 v1, vcc, s6, v0
	.loc	0 5 18                          ; swap.cl:5:18 @[ swap.cl:2:45 ]
	v_lshlrev_b32_e32 v1, 1, v1
	.loc	0 5 11 is_stmt 0                ; swap.cl:5:11 @[ swap.cl:2:45 ]
	v_lshlrev_b64 v[1:2], 2, v[1:2]
	v_mov_b32_e32 v3, s1
	v_add_u32_e32 v1, vcc, s0, v1
	v_addc_u32_e32 v2, vcc, v3, v2, vcc
	flat_load_dwordx2 v[3:4], v[1:2]
	.loc	0 8 22 is_stmt 1                ; swap.cl:8:22 @[ swap.cl:2:45 ]
	v_xor_b32_e32 v0, 1, v0
	.loc	0 8 17 is_stmt 0                ; swap.cl:8:17 @[ swap.cl:2:45 ]
	v_lshlrev_b32_e32 v0, 2, v0
	.loc	0 5 9 is_stmt 1                 ; swap.cl:5:9 @[ swap.cl:2:45 ]
	s_mov_b32 m0, -1
	.loc	0 0 0 is_stmt 0                 ; swap.cl:0 @[ swap.cl:2:45 ]
	s_waitcnt vmcnt(0)
	ds_write2st64_b32 v5, v4, v3 offset1:1
	.loc	0 7 3 is_stmt 1                 ; swap.cl:7:3 @[ swap.cl:2:45 ]
	s_waitcnt lgkmcnt(0)
	s_barrier
	.loc	0 0 0 is_stmt 0                 ; swap.cl:0 @[ swap.cl:2:45 ]
	ds_read2st64_b32 v[3:4], v0 offset1:1
	.loc	0 9 31 is_stmt 1                ; swap.cl:9:31 @[ swap.cl:2:45 ]
	s_waitcnt lgkmcnt(0)
	v_add_u32_e32 v4, vcc, s3, v4
	.loc	0 9 19 is_stmt 0                ; swap.cl:9:19 @[ swap.cl:2:45 ]
	flat_store_dwordx2 v[1:2], v[3:4]
.Ltmp0:
	.loc	0 10 1 is_stmt 1                ; swap.cl:10:1
	s_endpgm
.Ltmp1:
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel swap
		.amdhsa_group_segment_fixed_size 512
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 272
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
		.amdhsa_next_free_vgpr 6
		.amdhsa_next_free_sgpr 7
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
	.size	swap, .Lfunc_end0-swap
	.cfi_endproc
                                        ; -- End function
	.set swap.num_vgpr, 6
	.set swap.num_agpr, 0
	.set swap.numbered_sgpr, 7
	.set swap.num_named_barrier, 0
	.set swap.private_seg_size, 0
	.set swap.uses_vcc, 1
	.set swap.uses_flat_scratch, 0
	.set swap.has_dyn_sized_stack, 0
	.set swap.has_recursion, 0
	.set swap.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
; Kernel info:
; codeLenInByte = 144
; TotalNumSgprs: 9
; NumVgprs: 6
; ScratchSize: 0
; MemoryBound: 0
; FloatMode: 192
; IeeeMode: 1
; LDSByteSize: 512 bytes/workgroup (compile time only)
; SGPRBlocks: 1
; VGPRBlocks: 1
; NumSGPRsForWavesPerEU: 9
; NumVGPRsForWavesPerEU: 6
; Occupancy: 10
; WaveLimiterHint : 0
; COMPUTE_PGM_RSRC2:SCRATCH_EN: 0
; COMPUTE_PGM_RSRC2:USER_SGPR: 6
; COMPUTE_PGM_RSRC2:TRAP_HANDLER: 0
; COMPUTE_PGM_RSRC2:TGID_X_EN: 1
; COMPUTE_PGM_RSRC2:TGID_Y_EN: 0
; COMPUTE_PGM_RSRC2:TGID_Z_EN: 0
; COMPUTE_PGM_RSRC2:TIDIG_COMP_CNT: 0
	.text
	.protected	__clang_ocl_kern_imp_swap ; -- Begin function __clang_ocl_kern_imp_swap
	.globl	__clang_ocl_kern_imp_swap
	.p2align	2
	.type	__clang_ocl_kern_imp_swap,@function
__clang_ocl_kern_imp_swap:              ; @__clang_ocl_kern_imp_swap
.Lfunc_begin1:
	.loc	0 2 0                           ; swap.cl:2:0
	.cfi_startproc
; %bb.0:
	s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
.Ltmp2:
	.loc	0 4 33 prologue_end             ; swap.cl:4:33
	s_load_dword s4, s[8:9], 0xc
	v_and_b32_e32 v3, 0x3ff, v31
	.loc	0 5 11                          ; swap.cl:5:11
	v_mov_b32_e32 v4, 0
	.loc	0 5 9 is_stmt 0                 ; swap.cl:5:9
	s_mov_b32 m0, -1
	.loc	0 4 33 is_stmt 1                ; swap.cl:4:33
	s_waitcnt lgkmcnt(0)
	s_and_b32 s4, s4, 0xffff
	s_mul_i32 s12, s12, s4
	v_add_u32_e32 v3, vcc, s12, v3
	.loc	0 5 18                          ; swap.cl:5:18
	v_lshlrev_b32_e32 v3, 1, v3
	.loc	0 5 11 is_stmt 0                ; swap.cl:5:11
	v_lshlrev_b64 v[3:4], 2, v[3:4]
	s_mov_b64 s[4:5], 0xc8
	v_add_u32_e32 v0, vcc, v0, v3
	v_addc_u32_e32 v1, vcc, v1, v4, vcc
	flat_load_dwordx2 v[3:4], v[0:1]
	.loc	0 5 3                           ; swap.cl:5:3
	s_load_dwordx2 s[0:1], s[4:5], 0x0
	.loc	0 5 9                           ; swap.cl:5:9
	s_waitcnt vmcnt(0)
	ds_write_b32 v0, v3
	.loc	0 5 3                           ; swap.cl:5:3
	s_waitcnt lgkmcnt(0)
	s_trap 2
	.loc	0 6 9 is_stmt 1                 ; swap.cl:6:9
	ds_write_b32 v0, v4
	.loc	0 7 3                           ; swap.cl:7:3
	s_waitcnt lgkmcnt(0)
	s_barrier
	.loc	0 8 17                          ; swap.cl:8:17
	ds_read_b32 v3, v0
	.loc	0 9 31                          ; swap.cl:9:31
	s_waitcnt lgkmcnt(0)
	v_add_u32_e32 v4, vcc, v3, v2
	.loc	0 9 19 is_stmt 0                ; swap.cl:9:19
	flat_store_dwordx2 v[0:1], v[3:4]
	.loc	0 10 1 is_stmt 1                ; swap.cl:10:1
	s_waitcnt vmcnt(0)
	s_setpc_b64 s[30:31]
.Ltmp3:
.Lfunc_end1:
	.size	__clang_ocl_kern_imp_swap, .Lfunc_end1-__clang_ocl_kern_imp_swap
	.cfi_endproc
                                        ; -- End function
	.set __clang_ocl_kern_imp_swap.num_vgpr, 32
	.set __clang_ocl_kern_imp_swap.num_agpr, 0
	.set __clang_ocl_kern_imp_swap.numbered_sgpr, 32
	.set __clang_ocl_kern_imp_swap.num_named_barrier, 0
	.set __clang_ocl_kern_imp_swap.private_seg_size, 0
	.set __clang_ocl_kern_imp_swap.uses_vcc, 1
	.set __clang_ocl_kern_imp_swap.uses_flat_scratch, 0
	.set __clang_ocl_kern_imp_swap.has_dyn_sized_stack, 0
	.set __clang_ocl_kern_imp_swap.has_recursion, 0
	.set __clang_ocl_kern_imp_swap.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
; Function info:
; codeLenInByte = 160
; TotalNumSgprs: 34
; NumVgprs: 32
; ScratchSize: 0
; MemoryBound: 0
	.section	.AMDGPU.gpr_maximums,"",@progbits
	.set amdgpu.max_num_vgpr, 32
	.set amdgpu.max_num_agpr, 0
	.set amdgpu.max_num_sgpr, 32
	.set amdgpu.max_num_named_barrier, 0
	.section	.AMDGPU.csdata,"",@progbits
	.section	.debug_abbrev,"",@progbits
	.byte	1                               ; Abbreviation Code
	.byte	17                              ; DW_TAG_compile_unit
	.byte	1                               ; DW_CHILDREN_yes
	.byte	37                              ; DW_AT_producer
	.byte	37                              ; DW_FORM_strx1
	.byte	19                              ; DW_AT_language
	.byte	5                               ; DW_FORM_data2
	.byte	3                               ; DW_AT_name
	.byte	37                              ; DW_FORM_strx1
	.byte	114                             ; DW_AT_str_offsets_base
	.byte	23                              ; DW_FORM_sec_offset
	.byte	16                              ; DW_AT_stmt_list
	.byte	23                              ; DW_FORM_sec_offset
	.byte	27                              ; DW_AT_comp_dir
	.byte	37                              ; DW_FORM_strx1
	.byte	17                              ; DW_AT_low_pc
	.byte	27                              ; DW_FORM_addrx
	.byte	18                              ; DW_AT_high_pc
	.byte	6                               ; DW_FORM_data4
	.byte	115                             ; DW_AT_addr_base
	.byte	23                              ; DW_FORM_sec_offset
	.byte	0                               ; EOM(1)
	.byte	0                               ; EOM(2)
	.byte	2                               ; Abbreviation Code
	.byte	46                              ; DW_TAG_subprogram
	.byte	0                               ; DW_CHILDREN_no
	.byte	3                               ; DW_AT_name
	.byte	37                              ; DW_FORM_strx1
	.byte	32                              ; DW_AT_inline
	.byte	33                              ; DW_FORM_implicit_const
	.byte	1
	.byte	0                               ; EOM(1)
	.byte	0                               ; EOM(2)
	.byte	3                               ; Abbreviation Code
	.byte	46                              ; DW_TAG_subprogram
	.byte	1                               ; DW_CHILDREN_yes
	.byte	17                              ; DW_AT_low_pc
	.byte	27                              ; DW_FORM_addrx
	.byte	18                              ; DW_AT_high_pc
	.byte	6                               ; DW_FORM_data4
	.byte	122                             ; DW_AT_call_all_calls
	.byte	25                              ; DW_FORM_flag_present
	.byte	3                               ; DW_AT_name
	.byte	37                              ; DW_FORM_strx1
	.byte	0                               ; EOM(1)
	.byte	0                               ; EOM(2)
	.byte	4                               ; Abbreviation Code
	.byte	29                              ; DW_TAG_inlined_subroutine
	.byte	0                               ; DW_CHILDREN_no
	.byte	49                              ; DW_AT_abstract_origin
	.byte	19                              ; DW_FORM_ref4
	.byte	17                              ; DW_AT_low_pc
	.byte	27                              ; DW_FORM_addrx
	.byte	18                              ; DW_AT_high_pc
	.byte	6                               ; DW_FORM_data4
	.byte	88                              ; DW_AT_call_file
	.byte	11                              ; DW_FORM_data1
	.byte	89                              ; DW_AT_call_line
	.byte	11                              ; DW_FORM_data1
	.byte	87                              ; DW_AT_call_column
	.byte	11                              ; DW_FORM_data1
	.byte	0                               ; EOM(1)
	.byte	0                               ; EOM(2)
	.byte	0                               ; EOM(3)
	.section	.debug_info,"",@progbits
.Lcu_begin0:
	.long	.Ldebug_info_end0-.Ldebug_info_start0 ; Length of Unit
.Ldebug_info_start0:
	.short	5                               ; DWARF version number
	.byte	1                               ; DWARF Unit Type
	.byte	8                               ; Address Size (in bytes)
	.long	.debug_abbrev                   ; Offset Into Abbrev. Section
	.byte	1                               ; Abbrev [1] 0xc:0x2f DW_TAG_compile_unit
	.byte	0                               ; DW_AT_producer
	.short	21                              ; DW_AT_language
	.byte	1                               ; DW_AT_name
	.long	.Lstr_offsets_base0             ; DW_AT_str_offsets_base
	.long	.Lline_table_start0             ; DW_AT_stmt_list
	.byte	2                               ; DW_AT_comp_dir
	.byte	0                               ; DW_AT_low_pc
	.long	.Lfunc_end1-.Lfunc_begin0       ; DW_AT_high_pc
	.long	.Laddr_table_base0              ; DW_AT_addr_base
	.byte	2                               ; Abbrev [2] 0x23:0x2 DW_TAG_subprogram
	.byte	3                               ; DW_AT_name
                                        ; DW_AT_inline
	.byte	3                               ; Abbrev [3] 0x25:0x15 DW_TAG_subprogram
	.byte	0                               ; DW_AT_low_pc
	.long	.Lfunc_end0-.Lfunc_begin0       ; DW_AT_high_pc
                                        ; DW_AT_call_all_calls
	.byte	3                               ; DW_AT_name
	.byte	4                               ; Abbrev [4] 0x2c:0xd DW_TAG_inlined_subroutine
	.long	35                              ; DW_AT_abstract_origin
	.byte	0                               ; DW_AT_low_pc
	.long	.Ltmp0-.Lfunc_begin0            ; DW_AT_high_pc
	.byte	0                               ; DW_AT_call_file
	.byte	2                               ; DW_AT_call_line
	.byte	45                              ; DW_AT_call_column
	.byte	0                               ; End Of Children Mark
	.byte	0                               ; End Of Children Mark
.Ldebug_info_end0:
	.section	.debug_str_offsets,"",@progbits
	.long	20                              ; Length of String Offsets Set
	.short	5
	.short	0
.Lstr_offsets_base0:
	.section	.debug_str,"MS",@progbits,1
.Linfo_string0:
	.asciz	"Debian clang version 22.1.8 (1~deb12u1)" ; string offset=0
.Linfo_string1:
	.asciz	"swap.cl"                       ; string offset=40
.Linfo_string2:
	.asciz	"."                             ; string offset=48
.Linfo_string3:
	.asciz	"swap"                          ; string offset=50
	.section	.debug_str_offsets,"",@progbits
	.long	.Linfo_string0
	.long	.Linfo_string1
	.long	.Linfo_string2
	.long	.Linfo_string3
	.section	.debug_addr,"",@progbits
	.long	.Ldebug_addr_end0-.Ldebug_addr_start0 ; Length of contribution
.Ldebug_addr_start0:
	.short	5                               ; DWARF version number
	.byte	8                               ; Address size
	.byte	0                               ; Segment selector size
.Laddr_table_base0:
	.quad	.Lfunc_begin0
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
        .type_name:      'uint*'
        .value_kind:     global_buffer
      - .offset:         8
        .size:           4
        .type_name:      uint
        .value_kind:     by_value
      - .offset:         16
        .size:           4
        .value_kind:     hidden_block_count_x
      - .offset:         20
        .size:           4
        .value_kind:     hidden_block_count_y
      - .offset:         24
        .size:           4
        .value_kind:     hidden_block_count_z
      - .offset:         28
        .size:           2
        .value_kind:     hidden_group_size_x
      - .offset:         30
        .size:           2
        .value_kind:     hidden_group_size_y
      - .offset:         32
        .size:           2
        .value_kind:     hidden_group_size_z
      - .offset:         34
        .size:           2
        .value_kind:     hidden_remainder_x
      - .offset:         36
        .size:           2
        .value_kind:     hidden_remainder_y
      - .offset:         38
        .size:           2
        .value_kind:     hidden_remainder_z
      - .offset:         56
        .size:           8
        .value_kind:     hidden_global_offset_x
      - .offset:         64
        .size:           8
        .value_kind:     hidden_global_offset_y
      - .offset:         72
        .size:           8
        .value_kind:     hidden_global_offset_z
      - .offset:         80
        .size:           2
        .value_kind:     hidden_grid_dims
      - .offset:         208
        .size:           4
        .value_kind:     hidden_private_base
      - .offset:         212
        .size:           4
        .value_kind:     hidden_shared_base
    .group_segment_fixed_size: 512
    .kernarg_segment_align: 8
    .kernarg_segment_size: 272
    .language:       OpenCL C
    .language_version:
      - 2
      - 0
    .max_flat_workgroup_size: 256
    .name:           swap
    .private_segment_fixed_size: 0
    .sgpr_count:     9
    .sgpr_spill_count: 0
    .symbol:         swap.kd
    .uses_dynamic_stack: false
    .vgpr_count:     6
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
