// bytes 16 to 27 = normal, 32 to 39 = place on the surface: along the knot and around it
// u0 to u2 = direction to the light, u4 to u6 = half way between light and eye

	LD_VAR_BUF_IMM.f32.slot0.v3.src_f32.center.store.wait0 @r0:r1:r2, r61, index:0x10
	LD_VAR_BUF_IMM.f32.slot1.v2.src_f32.center.store.wait1 @r4:r5, ^r61, index:0x20

	IADD_IMM.i32 r6, 0x0, #0x42700000	// 60 by 6 cells
	FMA.f32 r4, ^r4, ^r6, 0x0.neg
	IADD_IMM.i32 r6, 0x0, #0x40C00000
	FMA.f32 r5, ^r5, ^r6, 0x0.neg
	FROUND.f32.rtn r8, r4
	FROUND.f32.rtn r9, r5
	FADD.f32 r4, ^r4, r8.neg		// where in the cell, from its middle
	FADD.f32 r5, ^r5, r9.neg
	FADD_IMM.f32 r4, ^r4, #0xBF000000
	FADD_IMM.f32 r5, ^r5, #0xBF000000
	FMA.f32 r4, ^r4, ^r4, 0x0.neg
	FMA.f32 r4, ^r5, ^r5, ^r4
	FADD.f32 r8, ^r8, ^r9			// every other cell
	F32_TO_S32 r8, ^r8
	IADD_IMM.i32 r6, 0x0, #0x1
	LSHIFT_AND.i32 r8, ^r8, 0x0.b00, ^r6
	BRANCHZ.reconverge r8, solid		// the warp parts
	IADD_IMM.i32 r6, 0x0, #0x3DCCCCCD	// 0.1: a hole
	DISCARD.f32.lt r4, ^r6
	NOP.reconverge

solid:	FMA.f32 r7, r0, r0, 0x0.neg
	FMA.f32 r7, r1, r1, ^r7
	FMA.f32 r7, r2, r2, ^r7
	FRSQ.f32 r7, ^r7
	FMA.f32 r0, ^r0, r7, 0x0.neg
	FMA.f32 r1, ^r1, r7, 0x0.neg
	FMA.f32 r2, ^r2, ^r7, 0x0.neg
	BRANCHZ.eq.reconverge ^r58, front		// of the back the other side shows
	FADD.f32 r0, r0.neg, 0x0.neg
	FADD.f32 r1, r1.neg, 0x0.neg
	FADD.f32 r2, r2.neg, 0x0.neg
	NOP.reconverge

front:	FMA.f32 r7, r0, u0, 0x0.neg		// diffuse
	FMA.f32 r7, r1, u1, ^r7
	FMA.f32 r7, r2, u2, ^r7
	FMAX.f32 r7, ^r7, 0x0
	FADD_IMM.f32 r7, ^r7, #0x3E4CCCCD	// ambient 0.2
	FMA.f32 r9, ^r0, u4, 0x0.neg		// specular, to the 32nd
	FMA.f32 r9, ^r1, u5, ^r9
	FMA.f32 r9, ^r2, u6, ^r9
	FMAX.f32 r9, ^r9, 0x0
	FMA.f32 r9, ^r9, ^r9, 0x0.neg
	FMA.f32 r9, ^r9, ^r9, 0x0.neg
	FMA.f32 r9, ^r9, ^r9, 0x0.neg
	FMA.f32 r9, ^r9, ^r9, 0x0.neg
	FMA.f32 r9, ^r9, ^r9, 0x0.neg
	IADD_IMM.i32 r6, 0x0, #0x3F000000
	FMA.f32 r9, ^r9, ^r6, 0x0.neg

	IADD_IMM.i32 r0, 0x0, #0x3F59999A	// 0.85 0.45 0.2
	IADD_IMM.i32 r1, 0x0, #0x3EE66666
	IADD_IMM.i32 r2, 0x0, #0x3E4CCCCD
	BRANCHZ.reconverge ^r8, lit
	IADD_IMM.i32 r0, 0x0, #0x3E99999A	// 0.3 0.55 0.75
	IADD_IMM.i32 r1, 0x0, #0x3F0CCCCD
	IADD_IMM.i32.reconverge r2, 0x0, #0x3F400000
lit:	FMA.f32.clamp_0_1 r0, ^r0, r7, r9
	FMA.f32.clamp_0_1 r1, ^r1, r7, r9
	FMA.f32.clamp_0_1 r2, ^r2, ^r7, ^r9
	IADD_IMM.i32.wait0126 r3, 0x0, #0x3F800000
	ATEST.wait @r60, ^r60, r3, atest_datum.w0
	BLEND.slot0.v4.f32.end @r0:r1:r2:r3, blend_descriptor_0.w0, ^r60, target:0x0
	IADD_IMM.i32 r48, 0x0, #0x0		// a blend shader is called here, if there is one
	BRANCHZI.eq.absolute 0x0, blend_descriptor_0.w1
