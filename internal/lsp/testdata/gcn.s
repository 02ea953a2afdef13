.isa gcn:gfx8 //@ hover(".isa", "NAME[:VARIANT]", "assembled for") complete(".isa g", "gcn:gfx8", "gcn:gfx6", "!tesla:g80") token(".isa", "decorator") inlay("")
count = 1 << 2 // how often //@ hover("count", "symbol", "how often", "count = 1 << 2") token("count", "enumMember") symbol("count", "constant", 2)
loop:   s_nop 1 // waits a little
	//@ inlay("0000: 010080bf") token("s_nop", "keyword") token("loop", "label") token("// waits a little", "comment") symbol("loop", "function", 13)
	v_add_f32 v0, s1, v2 //@ inlay("0004: 01040002") hover("v_add", "a + b", "**Meaning**", "d = a + b", "VOP2", "**Fidelity** exact", "docs/reference/gcn.md#")
	//@ hover("s1", "src0", "read", "encoded as 1", "file `s`") hover("v0", "vdst", "written") token("v0", "variable") sign("v_add_f32 v0, ", "v_add_f32 vdst, src0, src1 [clamp] [omod]", 1)
	v_mul_f32 v3, -v4, v5 clamp mul:2 //@ complete("v_mul_f32 v3, -v4, v5 cl", "clamp") complete("v_mul_f32 v3, -v4, v5 clamp mu", "mul:2", "mul:4") hover("clamp", "clamp") high("v3", 2)
	s_cbranch_scc1 loop //@ def("loop", 3) refs("loop", 4) hover("loop", "label", "= `0x0`", "line 3", "waits a little") complete("s_cbranch_scc1 lo", "loop")
	//@ rename("loop", "again", 4) rename("loop", "v7", "register") rename("loop", "count", "already") rename("loop", "7x", "no name") rename("s_cbranch_scc1", "x", "no label")
	s_branch loop //@ inlay("0014: faff82bf") hover("s_branch", "s_branch", "SOPP")
	v_mov_b32 v[3:4], v5 //@ diag("v[3:4]", error, "operand", "2 registers are named") inlay("") hover("v_mov_b32", "does not assemble", "**Meaning**")
	s_movk_i32 s2, count // é𝄞 //@ token("count", "enumMember") hover("s2", "sdst", "s_movk_i32 s2, 0x4") rename("count", "n", 2) inlay("001c: 040002b0")
.set late, loop + 4
.macro madd d, a, b=v0, neg=
	v_mac_f32 \d, \neg\a, \b //@ refs("neg", 2) rename("neg", "sign", 2) token("neg", "parameter") def("neg", 14) hover("neg", "parameter") hover("v_mac_f32", "does not assemble", "v_mac_f32")
.endm
	madd v1, v2 //@ def("madd", 14) hover("madd", "macro", ".macro madd d") token("madd", "macro") refs("madd", 2) complete("mad", "madd") inlay("0020: 0201022c")
