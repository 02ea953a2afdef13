.isa valhall:v9
	IADD.u32 r0.h0, r29.h0, r59.h0 //@ inlay("0000: 1d3b00082040a000") hover("IADD", "valhall:v9", "**Meaning**") hover("r29", "read", "number 29 of the 64 cells of register file") hover("h0, r29", "dst", "r0.h0") token("IADD.u32", "keyword") token("r0", "variable")
top:	NOP.wait012 //@ symbol("top", "function", 6)
	BRANCHZ.eq r1, top //@ def("top", 3) refs("top", 2) rename("top", "loop", 2) complete("BRANCHZ.eq r1, to", "top")
	FADD.f32 r0, r1, r2 //@ complete("FAD", "FADD.f32", "FADD.v2f16") complete("FADD.f32 r0, r1, r2", "r2", "r20") sign("FADD.f32 r0, ", "FADD.f32 dst, a, b", 1)
	FADD.f32 r0, r1, q2 //@ diag("q2", error, "operand", "source")
