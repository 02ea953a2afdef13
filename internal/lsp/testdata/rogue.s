.isa rogue
	{ s0 = r0, s1 = r1 //@ hover("s0", "fmul") token("r1", "variable")
	  p0: fmul ft0, s0, s1; w0 = r3 } //@ hover("fmul", "rogue:rogue", "**Meaning**", "r3") complete("p0: fm", "fmul", "fmad") token("fmul", "keyword")
	{ s0 = r0 p0: fmull ft0, s0, s1; w0 = r3 } //@ diag("fmull", error, "mnemonic", "fmull")
	{ ctrl: nop.end; } //@ hover("nop", "nop")
