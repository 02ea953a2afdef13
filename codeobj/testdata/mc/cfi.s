	.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
	.amdhsa_code_object_version 6
	.text
	.cfi_sections .eh_frame, .debug_frame
f:
	.cfi_startproc
	.cfi_personality 0x1b, routine
	.cfi_lsda 0x1b, table
	s_nop 0
	.cfi_val_offset 5, 16
	.cfi_val_offset 5, -16
	.cfi_val_offset 5, 17
	.cfi_val_offset 100, 16
	s_nop 0
	.cfi_window_save
	.cfi_offset s5, 8
	.cfi_offset s[63], -8
	.cfi_offset s64, 1-1+8
	.cfi_rel_offset v255, 8
	.cfi_def_cfa s32, 8
	.cfi_register v5, [s101]
	.cfi_undefined exec
	.cfi_same_value exec_lo
	.cfi_restore pc
	.cfi_undefined a5
	.cfi_undefined 0x10
	.cfi_undefined 2+3
	.cfi_endproc
g:
	.cfi_startproc
	.cfi_lsda 0, table2
	s_nop 0
	.cfi_signal_frame
	.cfi_endproc
h:
	.cfi_startproc
	s_nop 0
	.cfi_undefined s5
	.cfi_endproc
i:
	.cfi_startproc
	.cfi_return_column 16
	s_nop 0
	.cfi_endproc
j:
	.cfi_startproc
	.cfi_return_column 300
	.cfi_personality 0x9c, a_routine
	s_nop 0
	.cfi_personality 0x9c, a_routine
	.cfi_endproc
k:
	.cfi_startproc
	.cfi_personality 0xff
	.cfi_lsda 255
	s_nop 0
	.cfi_endproc
l:
	.cfi_startproc
	.cfi_personality 4, z_routine
	.cfi_lsda 0x10, l
	s_nop 0
	.cfi_endproc
m:
	.cfi_startproc simple
	s_nop 0
	.cfi_return_column s30
	.cfi_endproc
table: routine: table2: a_routine: z_routine:
	.long 0

