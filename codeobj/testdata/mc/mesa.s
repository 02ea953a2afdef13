	.section	.AMDGPU.config,"",@progbits
	.long	47176
	.long	11272193
	.long	47180
	.long	32908
	.long	47200
	.long	0
	.long	4
	.long	0
	.long	8
	.long	0
	.text
	.protected	k                       ; -- Begin function k
	.globl	k
	.p2align	8
	.type	k,@function
	.amdgpu_hsa_kernel k
k:                                      ; @k
	.amd_kernel_code_t
		amd_code_version_major = 1
		amd_code_version_minor = 2
		amd_machine_kind = 1
		amd_machine_version_major = 8
		amd_machine_version_minor = 0
		amd_machine_version_stepping = 3
		kernel_code_entry_byte_offset = 256
		kernel_code_prefetch_byte_size = 0
		granulated_workitem_vgpr_count = 1
		granulated_wavefront_sgpr_count = 0
		priority = 0
		float_mode = 192
		priv = 0
		enable_dx10_clamp = 1
		debug_mode = 0
		enable_ieee_mode = 1
		enable_wgp_mode = 0
		enable_mem_ordered = 0
		enable_fwd_progress = 0
		enable_sgpr_private_segment_wave_byte_offset = 0
		user_sgpr_count = 6
		enable_trap_handler = 0
		enable_sgpr_workgroup_id_x = 1
		enable_sgpr_workgroup_id_y = 0
		enable_sgpr_workgroup_id_z = 0
		enable_sgpr_workgroup_info = 0
		enable_vgpr_workitem_id = 0
		enable_exception_msb = 0
		granulated_lds_size = 1
		enable_exception = 0
		enable_sgpr_private_segment_buffer = 1
		enable_sgpr_dispatch_ptr = 0
		enable_sgpr_queue_ptr = 0
		enable_sgpr_kernarg_segment_ptr = 1
		enable_sgpr_dispatch_id = 0
		enable_sgpr_flat_scratch_init = 0
		enable_sgpr_private_segment_size = 0
		enable_sgpr_grid_workgroup_count_x = 0
		enable_sgpr_grid_workgroup_count_y = 0
		enable_sgpr_grid_workgroup_count_z = 0
		enable_wavefront_size32 = 0
		enable_ordered_append_gds = 0
		private_element_size = 1
		is_ptr64 = 1
		is_dynamic_callstack = 0
		is_debug_enabled = 0
		is_xnack_enabled = 0
		workitem_private_segment_byte_size = 0
		workgroup_group_segment_byte_size = 256
		gds_segment_byte_size = 0
		kernarg_segment_byte_size = 12
		workgroup_fbarrier_count = 0
		wavefront_sgpr_count = 8
		workitem_vgpr_count = 5
		reserved_vgpr_first = 0
		reserved_vgpr_count = 0
		reserved_sgpr_first = 0
		reserved_sgpr_count = 0
		debug_wavefront_private_segment_offset_sgpr = 0
		debug_private_segment_buffer_sgpr = 0
		kernarg_segment_alignment = 4
		group_segment_alignment = 4
		private_segment_alignment = 4
		wavefront_size = 6
		call_convention = -1
		runtime_loader_kernel_symbol = 0
	.end_amd_kernel_code_t
; %bb.0:
	s_load_dwordx2 s[0:1], s[4:5], 0x0
	s_load_dword s2, s[4:5], 0x8
	v_lshlrev_b32_e32 v3, 2, v0
	s_mov_b32 m0, -1
	s_waitcnt lgkmcnt(0)
	v_mov_b32_e32 v2, s1
	v_add_u32_e32 v1, vcc, s0, v3
	v_addc_u32_e32 v2, vcc, 0, v2, vcc
	flat_load_dword v4, v[1:2]
	v_add_u32_e32 v0, vcc, 1, v0
	v_and_b32_e32 v0, 63, v0
	v_lshlrev_b32_e32 v0, 2, v0
	s_waitcnt vmcnt(0)
	ds_write_b32 v3, v4
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v0, v0
	s_waitcnt lgkmcnt(0)
	v_add_u32_e32 v0, vcc, s2, v0
	flat_store_dword v[1:2], v0
	s_endpgm
.Lfunc_end0:
	.size	k, .Lfunc_end0-k
                                        ; -- End function
	.set k.num_vgpr, 5
	.set k.num_agpr, 0
	.set k.numbered_sgpr, 6
	.set k.num_named_barrier, 0
	.set k.private_seg_size, 0
	.set k.uses_vcc, 1
	.set k.uses_flat_scratch, 0
	.set k.has_dyn_sized_stack, 0
	.set k.has_recursion, 0
	.set k.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
; Kernel info:
; codeLenInByte = 108
; TotalNumSgprs: 8
; NumVgprs: 5
; ScratchSize: 0
; MemoryBound: 0
; FloatMode: 192
; IeeeMode: 1
; LDSByteSize: 256 bytes/workgroup (compile time only)
; SGPRBlocks: 0
; VGPRBlocks: 1
; NumSGPRsForWavesPerEU: 8
; NumVGPRsForWavesPerEU: 5
; Occupancy: 10
; WaveLimiterHint : 0
; COMPUTE_PGM_RSRC2:SCRATCH_EN: 0
; COMPUTE_PGM_RSRC2:USER_SGPR: 6
; COMPUTE_PGM_RSRC2:TRAP_HANDLER: 0
; COMPUTE_PGM_RSRC2:TGID_X_EN: 1
; COMPUTE_PGM_RSRC2:TGID_Y_EN: 0
; COMPUTE_PGM_RSRC2:TGID_Z_EN: 0
; COMPUTE_PGM_RSRC2:TIDIG_COMP_CNT: 0
	.section	.AMDGPU.config,"",@progbits
	.long	47176
	.long	0
	.long	47180
	.long	0
	.long	47200
	.long	0
	.long	4
	.long	0
	.long	8
	.long	0
	.text
	.protected	__clang_ocl_kern_imp_k  ; -- Begin function __clang_ocl_kern_imp_k
	.globl	__clang_ocl_kern_imp_k
	.p2align	2
	.type	__clang_ocl_kern_imp_k,@function
__clang_ocl_kern_imp_k:                 ; @__clang_ocl_kern_imp_k
; %bb.0:
	s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
	s_mov_b32 m0, -1
	s_cbranch_execnz .LBB1_2
; %bb.1:
	v_and_b32_e32 v3, 0x3ff, v31
	v_lshlrev_b32_e32 v3, 2, v3
	v_add_u32_e32 v0, vcc, v0, v3
	v_addc_u32_e32 v1, vcc, 0, v1, vcc
	flat_load_dword v3, v[0:1]
	s_waitcnt vmcnt(0)
	ds_write_b32 v0, v3
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v3, v0
	s_waitcnt lgkmcnt(0)
	v_add_u32_e32 v2, vcc, v3, v2
	flat_store_dword v[0:1], v2
	s_waitcnt vmcnt(0)
	s_setpc_b64 s[30:31]
.LBB1_2:
	s_endpgm
.Lfunc_end1:
	.size	__clang_ocl_kern_imp_k, .Lfunc_end1-__clang_ocl_kern_imp_k
                                        ; -- End function
	.set __clang_ocl_kern_imp_k.num_vgpr, 32
	.set __clang_ocl_kern_imp_k.num_agpr, 0
	.set __clang_ocl_kern_imp_k.numbered_sgpr, 32
	.set __clang_ocl_kern_imp_k.num_named_barrier, 0
	.set __clang_ocl_kern_imp_k.private_seg_size, 0
	.set __clang_ocl_kern_imp_k.uses_vcc, 1
	.set __clang_ocl_kern_imp_k.uses_flat_scratch, 0
	.set __clang_ocl_kern_imp_k.has_dyn_sized_stack, 0
	.set __clang_ocl_kern_imp_k.has_recursion, 0
	.set __clang_ocl_kern_imp_k.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
; Function info:
; codeLenInByte = 96
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
	.amdgpu_lds k.l, 256, 16
	.amdgpu_lds llvm.amdgcn.kernel.k.lds, 256, 16
	.ident	"Debian clang version 22.1.8 (1~deb12u1)"
	.section	".note.GNU-stack","",@progbits
	.addrsig
	.amd_amdgpu_isa "amdgcn-mesa-mesa3d--gfx803"
