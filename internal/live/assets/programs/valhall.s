// A gradient: u and v of the place, and their product as blue. It ends as Mesa's programs do: with ATEST, and BLEND.
	LD_VAR_BUF_IMM.f32.slot0.v2.src_f32.center.store.wait0 @r0:r1, r61, index:0x60
	FMA.f32 r2, r0, r1, 0x0.neg
	IADD_IMM.i32.wait0126 r3, 0x0, #0x3F800000
	ATEST.wait @r60, ^r60, r3, atest_datum.w0
	BLEND.slot0.v4.f32.end @r0:r1:r2:r3, blend_descriptor_0.w0, ^r60, target:0x0
