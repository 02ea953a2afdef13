.isa tesla:g80 cp //@ complete(".isa tesla:g80 c", "cp") hover(".isa", "STAGE")
	add b32 $r0 $r1 $r2 //@ inlay("0000: 00820220") hover("add", "a + b", "tesla:g80") hover("$r1", "src1", "read") token("$r1", "variable") diag("add b32 $r0 $r1 $r2", warning, "register-unset", "$r1") diag("add b32 $r0 $r1 $r2", warning, "register-unset", "$r2")
	add b32 $r0 $r1 $r2 //@ inlay("0004: 00820220") high("$r1", 3)
turn:	nop //@ symbol("turn", "function", 7)
	(lg $c0) bra turn //@ def("turn", 4) token("bra", "keyword") hover("bra", "bra") rename("turn", "round", 2) complete("(lg $c0) bra tu", "turn") token("turn", "label") diag("(lg $c0) bra turn", warning, "flags-unset", "$c0")
	add b32 $r3 $r1 $r2 //@ complete("ad", "add") complete("add b32 $r", "$r0", "$r63") diag("add b32 $r3 $r1 $r2", warning, "register-unset", "$r1") diag("add b32 $r3 $r1 $r2", warning, "register-unset", "$r2")
	exit nop
