	.section .text
k1:
	.amd_kernel_code_t
	.end_amd_kernel_code_t
	.globl k2
	.amdgpu_hsa_kernel k2
k2:
	.amd_kernel_code_t
		amd_code_version_major = 1022050301
		amd_code_version_minor = 2545373331
		amd_machine_kind = 35667
		amd_machine_version_major = 8
		amd_machine_version_minor = 0
		amd_machine_version_stepping = 3
		kernel_code_entry_byte_offset = 2186186077639442685
		kernel_code_prefetch_byte_size = 2678707466672223399
		max_scratch_backing_memory_byte_size = 5
		granulated_workitem_vgpr_count = 5
		granulated_wavefront_sgpr_count = 9
		priority = 1
		float_mode = 233
		priv = 1
		enable_dx10_clamp = 1
		debug_mode = 1
		enable_ieee_mode = 1
		enable_wgp_mode = 0
		enable_mem_ordered = 0
		enable_fwd_progress = 0
		enable_sgpr_private_segment_wave_byte_offset = 1
		user_sgpr_count = 7
		enable_trap_handler = 1
		enable_sgpr_workgroup_id_x = 1
		enable_sgpr_workgroup_id_y = 1
		enable_sgpr_workgroup_id_z = 1
		enable_sgpr_workgroup_info = 1
		enable_vgpr_workitem_id = 3
		enable_exception_msb = 1
		granulated_lds_size = 203
		enable_exception = 81
		enable_sgpr_private_segment_buffer = 1
		enable_sgpr_dispatch_ptr = 1
		enable_sgpr_queue_ptr = 1
		enable_sgpr_kernarg_segment_ptr = 1
		enable_sgpr_dispatch_id = 1
		enable_sgpr_flat_scratch_init = 1
		enable_sgpr_private_segment_size = 1
		enable_sgpr_grid_workgroup_count_x = 1
		enable_sgpr_grid_workgroup_count_y = 1
		enable_sgpr_grid_workgroup_count_z = 1
		enable_wavefront_size32 = 0
		enable_ordered_append_gds = 1
		private_element_size = 3
		is_ptr64 = 1
		is_dynamic_callstack = 1
		is_debug_enabled = 1
		is_xnack_enabled = 1
		workitem_private_segment_byte_size = 4112418595
		workgroup_group_segment_byte_size = 2538753387
		gds_segment_byte_size = 183777491
		kernarg_segment_byte_size = 3597467864008745119
		workgroup_fbarrier_count = 133194447
		wavefront_sgpr_count = 53973
		workitem_vgpr_count = 56723
		reserved_vgpr_first = 17657
		reserved_vgpr_count = 30983
		reserved_sgpr_first = 38977
		reserved_sgpr_count = 47109
		debug_wavefront_private_segment_offset_sgpr = 60303
		debug_private_segment_buffer_sgpr = 57593
		kernarg_segment_alignment = 99
		group_segment_alignment = 183
		private_segment_alignment = 201
		wavefront_size = 6
		call_convention = 1833671387
		runtime_loader_kernel_symbol = 3357888360937706067
	.end_amd_kernel_code_t
k3:
	.amd_kernel_code_t
	call_convention = -1
		machine_kind=1+(26244)
		compute_pgm_rsrc1_vgprs=1+(18)
		compute_pgm_rsrc1_sgprs=1+(3)
		compute_pgm_rsrc1_priority=1+(1)
		compute_pgm_rsrc1_float_mode=1+(119)
		compute_pgm_rsrc1_priv=1+(0)
		compute_pgm_rsrc1_dx10_clamp=1+(0)
		compute_pgm_rsrc1_debug_mode=1+(0)
		compute_pgm_rsrc1_ieee_mode=1+(0)
		compute_pgm_rsrc2_scratch_en=1+(0)
		compute_pgm_rsrc2_user_sgpr=1+(2)
		compute_pgm_rsrc2_trap_handler=1+(0)
		compute_pgm_rsrc2_tgid_x_en=1+(0)
		compute_pgm_rsrc2_tgid_y_en=1+(0)
		compute_pgm_rsrc2_tgid_z_en=1+(0)
		compute_pgm_rsrc2_tg_size_en=1+(0)
		compute_pgm_rsrc2_tidig_comp_cnt=1+(1)
		compute_pgm_rsrc2_excp_en_msb=1+(0)
		compute_pgm_rsrc2_lds_size=1+(24)
		compute_pgm_rsrc2_excp_en=1+(2)
	.end_amd_kernel_code_t
	s_endpgm
	.ident "text"
	.amd_amdgpu_isa "amdgcn-mesa-mesa3d--gfx803"
