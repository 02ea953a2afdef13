// Names of symbols in quotes, as clang writes those with other bytes than letters, digits, _, . and $.
	.amdhsa_code_object_version 5
	.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
	.text
	.type "größe",@function
"größe":
	v_add_f32_e32 v0, v0, v0
	s_setpc_b64 s[30:31]
.Lend:
	.size "größe", .Lend-"größe"
	.hidden "a b"
	.globl "a b"
"a b": "plain":	; a label in quotes is "the same" as one without
	s_getpc_b64 s[4:5]
	s_add_u32 s4, s4, "größe"@rel32@lo+4
	s_addc_u32 s5, s5, "größe"@rel32@hi+12
	s_add_u32 s4, s4, "__profc_dot.cl:product"@rel32@lo+4
	s_addc_u32 s5, s5, plain@rel32@hi+12
	s_cbranch_scc1 "plain"
	s_endpgm
	.set "größe.num_vgpr", max(4, 2)
	.set "größer.num_vgpr", max("größe.num_vgpr", 1)
	s_mov_b32 s0, "größer.num_vgpr"
	.data
	.type "__profc_dot.cl:product",@object
"__profc_dot.cl:product":
	.quad "größer.num_vgpr"
	.quad "größe"
	.size "__profc_dot.cl:product", 16
	.ident "heddle"
