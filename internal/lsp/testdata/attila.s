.isa attila
	mul r0.xy, i6, 2.5 //@ hover("mul", "a \\* b", "attila:attila") hover("i6", "read") token("r0", "variable") token("mul", "keyword")
step: //@ symbol("step", "function", 6)
	add r0.w, r1, r2 //@ inlay("0010: 0100c63813000000011b00021b001b00") complete("ad", "add") complete("add r0.w, r1", "r1", "r12")
	jmp !p1, step //@ def("step", 3) refs("step", 2) rename("step", "next", 2) rename("step", "r3", "register")
	mull r0.xy, i6, 1.0 //@ diag("mull", error, "mnemonic", "mull") fix("mull", "replace \"mull\" by \"mul\"", "\tmul r0.xy, i6, 1.0")
