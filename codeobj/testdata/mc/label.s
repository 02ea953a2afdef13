	.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
	.amdhsa_code_object_version 6
	.cfi_sections .debug_frame
	.section .refs
	.long here, .Lthere+4
	.text
f:
	.cfi_startproc
	s_nop 0
	.cfi_def_cfa_offset 64
	.cfi_label here
	s_nop 0
	.cfi_label .Lthere
	.cfi_remember_state
	.cfi_label unnamed
	.cfi_endproc
g:
	.cfi_startproc
	s_nop 0
	.cfi_label second
	.cfi_endproc
	.globl second
	.section .refs
	.long second
	.ident "text"
