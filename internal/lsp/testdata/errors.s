// Columns are units of UTF-16: é𝄞
.isa gcn:gfx8
main:
	/* é𝄞 */ v_ad_f32 v1, v2, v3 //@ diag("v_ad_f32", error, "mnemonic", "no instruction") fix("v_ad_f32", "replace \"v_ad_f32\" by \"v_add_f32\"", "\t/* é𝄞 */ v_add_f32 v1, v2, v3") nohover("é")
	s_branch mian //@ diag("mian", error, "symbol", "undefined label") fix("mian", "replace \"mian\" by \"main\"", "\ts_branch main")
	s_add_u32 s0, s1, s2 foo //@ diag("foo", error, "modifier", "foo") hover("foo", "does not assemble", "foo")
	v_add_f32 v0, s1, s2 //@ diag("s2", error, "constant-bus", "s1 and s2")
.bite 1 //@ diag(".bite", error, "directive", "no directive .bite") fix(".bite", "replace \".bite\" by \".byte\"", ".byte 1")
.macro two r
	s_nop 0
	v_mov_b32 \r
.endm
	two v1 //@ diag("two v1", error, "operand", "too few operands")
.warning "thin ice" //@ diag(".warning \"thin ice\"", warning, "said", "thin ice")
main: //@ diag("main", error, "symbol", "a second time") def("main", 3)
