	.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
	.amdhsa_code_object_version 6
	.text
	.protected	dot                     ; -- Begin function dot
	.globl	dot
	.p2align	8
	.type	dot,@function
dot:                                    ; @dot
.Lfunc_begin0:
	.file	0 "." "dot.cl" md5 0x049cf2d4dc92342d8f0f7299ae8ad1d7
	.cfi_sections .debug_frame
	.cfi_startproc
; %bb.0:
	.loc	0 4 33 prologue_end             ; dot.cl:4:33 @[ dot.cl:2:90 ]
	s_load_dword s7, s[4:5], 0x2c
	.loc	0 4 12 is_stmt 0                ; dot.cl:4:12 @[ dot.cl:2:90 ]
	s_load_dword s8, s[4:5], 0x18
	s_load_dwordx4 s[0:3], s[4:5], 0x0
	s_load_dwordx2 s[4:5], s[4:5], 0x10
	v_mov_b32_e32 v2, 0
	.loc	0 4 33                          ; dot.cl:4:33 @[ dot.cl:2:90 ]
	s_waitcnt lgkmcnt(0)
	s_and_b32 s7, s7, 0xffff
	s_mul_i32 s7, s6, s7
	v_add_u32_e32 v1, vcc, s7, v0
	.loc	0 5 12 is_stmt 1                ; dot.cl:5:12 @[ dot.cl:2:90 ]
	v_cmp_gt_u32_e32 vcc, s8, v1
	.loc	0 5 10 is_stmt 0                ; dot.cl:5:10 @[ dot.cl:2:90 ]
	s_and_saveexec_b64 s[8:9], vcc
	s_cbranch_execz .LBB0_2
; %bb.1:
	.loc	0 0 10                          ; dot.cl:0:10
	v_mov_b32_e32 v2, 0
	v_lshlrev_b64 v[1:2], 2, v[1:2]
	v_mov_b32_e32 v4, s3
	v_add_u32_e32 v3, vcc, s2, v1
	v_addc_u32_e32 v4, vcc, v4, v2, vcc
	v_mov_b32_e32 v5, s1
	v_add_u32_e32 v1, vcc, s0, v1
	v_addc_u32_e32 v2, vcc, v5, v2, vcc
	.loc	0 5 18                          ; dot.cl:5:18 @[ dot.cl:2:90 ]
	flat_load_dword v1, v[1:2]
	.loc	0 5 25                          ; dot.cl:5:25 @[ dot.cl:2:90 ]
	flat_load_dword v2, v[3:4]
	.loc	0 5 23                          ; dot.cl:5:23 @[ dot.cl:2:90 ]
	s_waitcnt vmcnt(0)
	v_mul_f32_e32 v2, v1, v2
.LBB0_2:
	.loc	0 0 23                          ; dot.cl:0:23
	s_or_b64 exec, exec, s[8:9]
	s_movk_i32 s0, 0x80
	.loc	0 5 3                           ; dot.cl:5:3 @[ dot.cl:2:90 ]
	v_lshlrev_b32_e32 v1, 2, v0
	.loc	0 5 8                           ; dot.cl:5:8 @[ dot.cl:2:90 ]
	s_mov_b32 m0, -1
	.loc	0 8 11 is_stmt 1                ; dot.cl:8:11 @[ dot.cl:2:90 ]
	v_cmp_gt_u32_e32 vcc, s0, v0
	.loc	0 5 8                           ; dot.cl:5:8 @[ dot.cl:2:90 ]
	ds_write_b32 v1, v2
	.loc	0 7 5                           ; dot.cl:7:5 @[ dot.cl:2:90 ]
	s_waitcnt lgkmcnt(0)
	s_barrier
	.loc	0 8 11                          ; dot.cl:8:11 @[ dot.cl:2:90 ]
	s_and_saveexec_b64 s[0:1], vcc
	s_cbranch_execz .LBB0_4
; %bb.3:
	.loc	0 9 0                           ; dot.cl:9 @[ dot.cl:2:90 ]
	ds_read2st64_b32 v[2:3], v1 offset1:2
	.loc	0 9 12 is_stmt 0                ; dot.cl:9:12 @[ dot.cl:2:90 ]
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v2, v3, v2
	ds_write_b32 v1, v2
.LBB0_4:
	.loc	0 0 12                          ; dot.cl:0:12
	s_or_b64 exec, exec, s[0:1]
	.loc	0 8 11 is_stmt 1                ; dot.cl:8:11 @[ dot.cl:2:90 ]
	v_cmp_gt_u32_e32 vcc, 64, v0
	.loc	0 7 5                           ; dot.cl:7:5 @[ dot.cl:2:90 ]
	s_waitcnt lgkmcnt(0)
	s_barrier
	.loc	0 8 11                          ; dot.cl:8:11 @[ dot.cl:2:90 ]
	s_and_saveexec_b64 s[0:1], vcc
	s_cbranch_execz .LBB0_6
; %bb.5:
	.loc	0 9 0                           ; dot.cl:9 @[ dot.cl:2:90 ]
	ds_read2st64_b32 v[2:3], v1 offset1:1
	.loc	0 9 12 is_stmt 0                ; dot.cl:9:12 @[ dot.cl:2:90 ]
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v2, v3, v2
	ds_write_b32 v1, v2
.LBB0_6:
	.loc	0 0 12                          ; dot.cl:0:12
	s_or_b64 exec, exec, s[0:1]
	.loc	0 8 11 is_stmt 1                ; dot.cl:8:11 @[ dot.cl:2:90 ]
	v_cmp_gt_u32_e32 vcc, 32, v0
	.loc	0 7 5                           ; dot.cl:7:5 @[ dot.cl:2:90 ]
	s_waitcnt lgkmcnt(0)
	s_barrier
	.loc	0 8 11                          ; dot.cl:8:11 @[ dot.cl:2:90 ]
	s_and_saveexec_b64 s[0:1], vcc
	s_cbranch_execz .LBB0_8
; %bb.7:
	.loc	0 9 0                           ; dot.cl:9 @[ dot.cl:2:90 ]
	ds_read2_b32 v[2:3], v1 offset1:32
	.loc	0 9 12 is_stmt 0                ; dot.cl:9:12 @[ dot.cl:2:90 ]
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v2, v3, v2
	ds_write_b32 v1, v2
.LBB0_8:
	.loc	0 0 12                          ; dot.cl:0:12
	s_or_b64 exec, exec, s[0:1]
	.loc	0 8 11 is_stmt 1                ; dot.cl:8:11 @[ dot.cl:2:90 ]
	v_cmp_gt_u32_e32 vcc, 16, v0
	.loc	0 7 5                           ; dot.cl:7:5 @[ dot.cl:2:90 ]
	s_waitcnt lgkmcnt(0)
	s_barrier
	.loc	0 8 11                          ; dot.cl:8:11 @[ dot.cl:2:90 ]
	s_and_saveexec_b64 s[0:1], vcc
	s_cbranch_execz .LBB0_10
; %bb.9:
	.loc	0 9 0                           ; dot.cl:9 @[ dot.cl:2:90 ]
	ds_read2_b32 v[2:3], v1 offset1:16
	.loc	0 9 12 is_stmt 0                ; dot.cl:9:12 @[ dot.cl:2:90 ]
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v2, v3, v2
	ds_write_b32 v1, v2
.LBB0_10:
	.loc	0 0 12                          ; dot.cl:0:12
	s_or_b64 exec, exec, s[0:1]
	.loc	0 8 11 is_stmt 1                ; dot.cl:8:11 @[ dot.cl:2:90 ]
	v_cmp_gt_u32_e32 vcc, 8, v0
	.loc	0 7 5                           ; dot.cl:7:5 @[ dot.cl:2:90 ]
	s_waitcnt lgkmcnt(0)
	s_barrier
	.loc	0 8 11                          ; dot.cl:8:11 @[ dot.cl:2:90 ]
	s_and_saveexec_b64 s[0:1], vcc
	s_cbranch_execz .LBB0_12
; %bb.11:
	.loc	0 9 0                           ; dot.cl:9 @[ dot.cl:2:90 ]
	ds_read2_b32 v[2:3], v1 offset1:8
	.loc	0 9 12 is_stmt 0                ; dot.cl:9:12 @[ dot.cl:2:90 ]
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v2, v3, v2
	ds_write_b32 v1, v2
.LBB0_12:
	.loc	0 0 12                          ; dot.cl:0:12
	s_or_b64 exec, exec, s[0:1]
	.loc	0 8 11 is_stmt 1                ; dot.cl:8:11 @[ dot.cl:2:90 ]
	v_cmp_gt_u32_e32 vcc, 4, v0
	.loc	0 7 5                           ; dot.cl:7:5 @[ dot.cl:2:90 ]
	s_waitcnt lgkmcnt(0)
	s_barrier
	.loc	0 8 11                          ; dot.cl:8:11 @[ dot.cl:2:90 ]
	s_and_saveexec_b64 s[0:1], vcc
	s_cbranch_execz .LBB0_14
; %bb.13:
	.loc	0 9 0                           ; dot.cl:9 @[ dot.cl:2:90 ]
	ds_read2_b32 v[2:3], v1 offset1:4
	.loc	0 9 12 is_stmt 0                ; dot.cl:9:12 @[ dot.cl:2:90 ]
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v2, v3, v2
	ds_write_b32 v1, v2
.LBB0_14:
	.loc	0 0 12                          ; dot.cl:0:12
	s_or_b64 exec, exec, s[0:1]
	.loc	0 8 11 is_stmt 1                ; dot.cl:8:11 @[ dot.cl:2:90 ]
	v_cmp_gt_u32_e32 vcc, 2, v0
	.loc	0 7 5                           ; dot.cl:7:5 @[ dot.cl:2:90 ]
	s_waitcnt lgkmcnt(0)
	s_barrier
	.loc	0 8 11                          ; dot.cl:8:11 @[ dot.cl:2:90 ]
	s_and_saveexec_b64 s[0:1], vcc
	s_cbranch_execz .LBB0_16
; %bb.15:
	.loc	0 9 0                           ; dot.cl:9 @[ dot.cl:2:90 ]
	ds_read2_b32 v[2:3], v1 offset1:2
	.loc	0 9 12 is_stmt 0                ; dot.cl:9:12 @[ dot.cl:2:90 ]
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v2, v3, v2
	ds_write_b32 v1, v2
.LBB0_16:
	.loc	0 0 12                          ; dot.cl:0:12
	s_or_b64 exec, exec, s[0:1]
	s_mov_b32 s7, 0
	.loc	0 8 11 is_stmt 1                ; dot.cl:8:11 @[ dot.cl:2:90 ]
	v_cmp_eq_u32_e32 vcc, 0, v0
	.loc	0 7 5                           ; dot.cl:7:5 @[ dot.cl:2:90 ]
	s_waitcnt lgkmcnt(0)
	s_barrier
	.loc	0 8 11                          ; dot.cl:8:11 @[ dot.cl:2:90 ]
	s_and_saveexec_b64 s[0:1], vcc
	s_cbranch_execz .LBB0_18
; %bb.17:
	.loc	0 9 12                          ; dot.cl:9:12 @[ dot.cl:2:90 ]
	ds_read2_b32 v[2:3], v1 offset1:1
	s_lshl_b64 s[0:1], s[6:7], 2
	s_add_u32 s0, s4, s0
	s_addc_u32 s1, s5, s1
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v0, v3, v2
	ds_write_b32 v1, v0
	v_mov_b32_e32 v0, 0
	.loc	0 12 28                         ; dot.cl:12:28 @[ dot.cl:2:90 ]
	ds_read_b32 v2, v0
	.loc	0 12 26 is_stmt 0               ; dot.cl:12:26 @[ dot.cl:2:90 ]
	v_mov_b32_e32 v0, s0
	v_mov_b32_e32 v1, s1
	s_waitcnt lgkmcnt(0)
	flat_store_dword v[0:1], v2
.Ltmp0:
.LBB0_18:
	.loc	0 13 1 is_stmt 1                ; dot.cl:13:1
	s_endpgm
.Ltmp1:
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel dot
		.amdhsa_group_segment_fixed_size 1024
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 288
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
		.amdhsa_next_free_sgpr 10
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
	.size	dot, .Lfunc_end0-dot
	.cfi_endproc
                                        ; -- End function
	.set dot.num_vgpr, 6
	.set dot.num_agpr, 0
	.set dot.numbered_sgpr, 10
	.set dot.num_named_barrier, 0
	.set dot.private_seg_size, 0
	.set dot.uses_vcc, 1
	.set dot.uses_flat_scratch, 0
	.set dot.has_dyn_sized_stack, 0
	.set dot.has_recursion, 0
	.set dot.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
; Kernel info:
; codeLenInByte = 584
; TotalNumSgprs: 12
; NumVgprs: 6
; ScratchSize: 0
; MemoryBound: 0
; FloatMode: 192
; IeeeMode: 1
; LDSByteSize: 1024 bytes/workgroup (compile time only)
; SGPRBlocks: 1
; VGPRBlocks: 1
; NumSGPRsForWavesPerEU: 12
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
	.protected	__clang_ocl_kern_imp_dot ; -- Begin function __clang_ocl_kern_imp_dot
	.globl	__clang_ocl_kern_imp_dot
	.p2align	2
	.type	__clang_ocl_kern_imp_dot,@function
__clang_ocl_kern_imp_dot:               ; @__clang_ocl_kern_imp_dot
.Lfunc_begin1:
	.loc	0 2 0                           ; dot.cl:2:0
	.cfi_startproc
; %bb.0:
	s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
.Ltmp2:
	.loc	0 4 33 prologue_end             ; dot.cl:4:33
	s_load_dword s4, s[8:9], 0xc
	v_and_b32_e32 v9, 0x3ff, v31
	s_waitcnt lgkmcnt(0)
	s_and_b32 s4, s4, 0xffff
	s_mul_i32 s4, s12, s4
	v_add_u32_e32 v7, vcc, s4, v9
	.loc	0 5 12                          ; dot.cl:5:12
	v_cmp_lt_u32_e32 vcc, v7, v6
	v_mov_b32_e32 v6, 0
	.loc	0 5 10 is_stmt 0                ; dot.cl:5:10
	s_and_saveexec_b64 s[4:5], vcc
	s_cbranch_execz .LBB1_2
; %bb.1:
	.loc	0 0 10                          ; dot.cl:0:10
	v_mov_b32_e32 v8, 0
	v_lshlrev_b64 v[6:7], 2, v[7:8]
	v_add_u32_e32 v2, vcc, v2, v6
	v_addc_u32_e32 v3, vcc, v3, v7, vcc
	v_add_u32_e32 v0, vcc, v0, v6
	v_addc_u32_e32 v1, vcc, v1, v7, vcc
	.loc	0 5 18                          ; dot.cl:5:18
	flat_load_dword v0, v[0:1]
	.loc	0 5 25                          ; dot.cl:5:25
	flat_load_dword v1, v[2:3]
	.loc	0 5 23                          ; dot.cl:5:23
	s_waitcnt vmcnt(0)
	v_mul_f32_e32 v6, v0, v1
.LBB1_2:
	.loc	0 0 23                          ; dot.cl:0:23
	s_or_b64 exec, exec, s[4:5]
	s_mov_b64 s[4:5], 0xc8
	.loc	0 5 3                           ; dot.cl:5:3
	s_load_dwordx2 s[0:1], s[4:5], 0x0
	s_movk_i32 s4, 0x80
	.loc	0 5 8                           ; dot.cl:5:8
	s_mov_b32 m0, -1
	.loc	0 8 11 is_stmt 1                ; dot.cl:8:11
	v_cmp_gt_u32_e32 vcc, s4, v9
	.loc	0 5 3                           ; dot.cl:5:3
	s_waitcnt lgkmcnt(0)
	s_trap 2
	.loc	0 5 8 is_stmt 0                 ; dot.cl:5:8
	ds_write_b32 v0, v6
	.loc	0 7 5 is_stmt 1                 ; dot.cl:7:5
	s_waitcnt lgkmcnt(0)
	s_barrier
	.loc	0 8 11                          ; dot.cl:8:11
	s_and_saveexec_b64 s[4:5], vcc
	s_cbranch_execz .LBB1_4
; %bb.3:
	.loc	0 9 0                           ; dot.cl:9
	ds_read2st64_b32 v[0:1], v0 offset1:2
	.loc	0 9 12 is_stmt 0                ; dot.cl:9:12
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v0, v1, v0
	ds_write_b32 v0, v0
.LBB1_4:
	.loc	0 0 12                          ; dot.cl:0:12
	s_or_b64 exec, exec, s[4:5]
	.loc	0 8 11 is_stmt 1                ; dot.cl:8:11
	v_cmp_gt_u32_e32 vcc, 64, v9
	.loc	0 7 5                           ; dot.cl:7:5
	s_waitcnt lgkmcnt(0)
	s_barrier
	.loc	0 8 11                          ; dot.cl:8:11
	s_and_saveexec_b64 s[4:5], vcc
	s_cbranch_execz .LBB1_6
; %bb.5:
	.loc	0 9 0                           ; dot.cl:9
	ds_read2st64_b32 v[0:1], v0 offset1:1
	.loc	0 9 12 is_stmt 0                ; dot.cl:9:12
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v0, v1, v0
	ds_write_b32 v0, v0
.LBB1_6:
	.loc	0 0 12                          ; dot.cl:0:12
	s_or_b64 exec, exec, s[4:5]
	.loc	0 8 11 is_stmt 1                ; dot.cl:8:11
	v_cmp_gt_u32_e32 vcc, 32, v9
	.loc	0 7 5                           ; dot.cl:7:5
	s_waitcnt lgkmcnt(0)
	s_barrier
	.loc	0 8 11                          ; dot.cl:8:11
	s_and_saveexec_b64 s[4:5], vcc
	s_cbranch_execz .LBB1_8
; %bb.7:
	.loc	0 9 0                           ; dot.cl:9
	ds_read2_b32 v[0:1], v0 offset1:32
	.loc	0 9 12 is_stmt 0                ; dot.cl:9:12
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v0, v1, v0
	ds_write_b32 v0, v0
.LBB1_8:
	.loc	0 0 12                          ; dot.cl:0:12
	s_or_b64 exec, exec, s[4:5]
	.loc	0 8 11 is_stmt 1                ; dot.cl:8:11
	v_cmp_gt_u32_e32 vcc, 16, v9
	.loc	0 7 5                           ; dot.cl:7:5
	s_waitcnt lgkmcnt(0)
	s_barrier
	.loc	0 8 11                          ; dot.cl:8:11
	s_and_saveexec_b64 s[4:5], vcc
	s_cbranch_execz .LBB1_10
; %bb.9:
	.loc	0 9 0                           ; dot.cl:9
	ds_read2_b32 v[0:1], v0 offset1:16
	.loc	0 9 12 is_stmt 0                ; dot.cl:9:12
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v0, v1, v0
	ds_write_b32 v0, v0
.LBB1_10:
	.loc	0 0 12                          ; dot.cl:0:12
	s_or_b64 exec, exec, s[4:5]
	.loc	0 8 11 is_stmt 1                ; dot.cl:8:11
	v_cmp_gt_u32_e32 vcc, 8, v9
	.loc	0 7 5                           ; dot.cl:7:5
	s_waitcnt lgkmcnt(0)
	s_barrier
	.loc	0 8 11                          ; dot.cl:8:11
	s_and_saveexec_b64 s[4:5], vcc
	s_cbranch_execz .LBB1_12
; %bb.11:
	.loc	0 9 0                           ; dot.cl:9
	ds_read2_b32 v[0:1], v0 offset1:8
	.loc	0 9 12 is_stmt 0                ; dot.cl:9:12
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v0, v1, v0
	ds_write_b32 v0, v0
.LBB1_12:
	.loc	0 0 12                          ; dot.cl:0:12
	s_or_b64 exec, exec, s[4:5]
	.loc	0 8 11 is_stmt 1                ; dot.cl:8:11
	v_cmp_gt_u32_e32 vcc, 4, v9
	.loc	0 7 5                           ; dot.cl:7:5
	s_waitcnt lgkmcnt(0)
	s_barrier
	.loc	0 8 11                          ; dot.cl:8:11
	s_and_saveexec_b64 s[4:5], vcc
	s_cbranch_execz .LBB1_14
; %bb.13:
	.loc	0 9 0                           ; dot.cl:9
	ds_read2_b32 v[0:1], v0 offset1:4
	.loc	0 9 12 is_stmt 0                ; dot.cl:9:12
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v0, v1, v0
	ds_write_b32 v0, v0
.LBB1_14:
	.loc	0 0 12                          ; dot.cl:0:12
	s_or_b64 exec, exec, s[4:5]
	.loc	0 8 11 is_stmt 1                ; dot.cl:8:11
	v_cmp_gt_u32_e32 vcc, 2, v9
	.loc	0 7 5                           ; dot.cl:7:5
	s_waitcnt lgkmcnt(0)
	s_barrier
	.loc	0 8 11                          ; dot.cl:8:11
	s_and_saveexec_b64 s[4:5], vcc
	s_cbranch_execz .LBB1_16
; %bb.15:
	.loc	0 9 0                           ; dot.cl:9
	ds_read2_b32 v[0:1], v0 offset1:2
	.loc	0 9 12 is_stmt 0                ; dot.cl:9:12
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v0, v1, v0
	ds_write_b32 v0, v0
.LBB1_16:
	.loc	0 0 12                          ; dot.cl:0:12
	s_or_b64 exec, exec, s[4:5]
	s_mov_b32 s13, 0
	.loc	0 8 11 is_stmt 1                ; dot.cl:8:11
	v_cmp_eq_u32_e32 vcc, 0, v9
	.loc	0 7 5                           ; dot.cl:7:5
	s_waitcnt lgkmcnt(0)
	s_barrier
	.loc	0 8 11                          ; dot.cl:8:11
	s_and_saveexec_b64 s[4:5], vcc
	s_cbranch_execz .LBB1_18
; %bb.17:
	.loc	0 9 12                          ; dot.cl:9:12
	ds_read2_b32 v[0:1], v0 offset1:1
	s_mov_b64 s[8:9], 0xc8
	.loc	0 12 28                         ; dot.cl:12:28
	s_load_dwordx2 s[0:1], s[8:9], 0x0
	s_lshl_b64 s[6:7], s[12:13], 2
	v_mov_b32_e32 v2, s7
	.loc	0 9 12                          ; dot.cl:9:12
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v0, v1, v0
	ds_write_b32 v0, v0
	.loc	0 12 28                         ; dot.cl:12:28
	s_trap 2
	ds_read_b32 v3, v0
	v_add_u32_e32 v0, vcc, s6, v4
	v_addc_u32_e32 v1, vcc, v5, v2, vcc
	.loc	0 12 26 is_stmt 0               ; dot.cl:12:26
	s_waitcnt lgkmcnt(0)
	flat_store_dword v[0:1], v3
.LBB1_18:
	.loc	0 0 26                          ; dot.cl:0:26
	s_or_b64 exec, exec, s[4:5]
	.loc	0 13 1 is_stmt 1                ; dot.cl:13:1
	s_waitcnt vmcnt(0)
	s_setpc_b64 s[30:31]
.Ltmp3:
.Lfunc_end1:
	.size	__clang_ocl_kern_imp_dot, .Lfunc_end1-__clang_ocl_kern_imp_dot
	.cfi_endproc
                                        ; -- End function
	.set __clang_ocl_kern_imp_dot.num_vgpr, 32
	.set __clang_ocl_kern_imp_dot.num_agpr, 0
	.set __clang_ocl_kern_imp_dot.numbered_sgpr, 32
	.set __clang_ocl_kern_imp_dot.num_named_barrier, 0
	.set __clang_ocl_kern_imp_dot.private_seg_size, 0
	.set __clang_ocl_kern_imp_dot.uses_vcc, 1
	.set __clang_ocl_kern_imp_dot.uses_flat_scratch, 0
	.set __clang_ocl_kern_imp_dot.has_dyn_sized_stack, 0
	.set __clang_ocl_kern_imp_dot.has_recursion, 0
	.set __clang_ocl_kern_imp_dot.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
; Function info:
; codeLenInByte = 604
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
	.byte	90                              ; DW_AT_call_column
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
	.asciz	"dot.cl"                        ; string offset=40
.Linfo_string2:
	.asciz	"."                             ; string offset=47
.Linfo_string3:
	.asciz	"dot"                           ; string offset=49
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
        .is_const:       true
        .offset:         0
        .size:           8
        .type_name:      'float*'
        .value_kind:     global_buffer
      - .address_space:  global
        .is_const:       true
        .offset:         8
        .size:           8
        .type_name:      'float*'
        .value_kind:     global_buffer
      - .address_space:  global
        .offset:         16
        .size:           8
        .type_name:      'float*'
        .value_kind:     global_buffer
      - .offset:         24
        .size:           4
        .type_name:      uint
        .value_kind:     by_value
      - .offset:         32
        .size:           4
        .value_kind:     hidden_block_count_x
      - .offset:         36
        .size:           4
        .value_kind:     hidden_block_count_y
      - .offset:         40
        .size:           4
        .value_kind:     hidden_block_count_z
      - .offset:         44
        .size:           2
        .value_kind:     hidden_group_size_x
      - .offset:         46
        .size:           2
        .value_kind:     hidden_group_size_y
      - .offset:         48
        .size:           2
        .value_kind:     hidden_group_size_z
      - .offset:         50
        .size:           2
        .value_kind:     hidden_remainder_x
      - .offset:         52
        .size:           2
        .value_kind:     hidden_remainder_y
      - .offset:         54
        .size:           2
        .value_kind:     hidden_remainder_z
      - .offset:         72
        .size:           8
        .value_kind:     hidden_global_offset_x
      - .offset:         80
        .size:           8
        .value_kind:     hidden_global_offset_y
      - .offset:         88
        .size:           8
        .value_kind:     hidden_global_offset_z
      - .offset:         96
        .size:           2
        .value_kind:     hidden_grid_dims
      - .offset:         224
        .size:           4
        .value_kind:     hidden_private_base
      - .offset:         228
        .size:           4
        .value_kind:     hidden_shared_base
    .group_segment_fixed_size: 1024
    .kernarg_segment_align: 8
    .kernarg_segment_size: 288
    .language:       OpenCL C
    .language_version:
      - 2
      - 0
    .max_flat_workgroup_size: 256
    .name:           dot
    .private_segment_fixed_size: 0
    .sgpr_count:     12
    .sgpr_spill_count: 0
    .symbol:         dot.kd
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
