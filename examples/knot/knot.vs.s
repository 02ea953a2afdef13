// attribute 0 = position, 1 = normal, 2 = place on the surface: along the knot and around it
// u0 to u15 = rows of projection * view * model, u16 to u26 = rows of the model's rotation
// the record of the vertex: position at byte 0, normal at 16, place at 32

	LD_ATTR_IMM.v3.f32.slot0 @r0:r1:r2, r60, r61, index:0x0, table:0x1
	LD_ATTR_IMM.v3.f32.slot1 @r4:r5:r6, r60, r61, index:0x1, table:0x1
	LD_ATTR_IMM.v2.f32.slot2 @r8:r9, ^r60, ^r61, index:0x2, table:0x1
	LEA_BUF_IMM.slot0.wait012 @r10:r11, ^r59, table:0xD, index:0x0

	MOV.i32 r12, u3
	FMA.f32 r12, r0, u0, ^r12
	FMA.f32 r12, r1, u1, ^r12
	FMA.f32 r12, r2, u2, ^r12
	MOV.i32 r13, u7
	FMA.f32 r13, r0, u4, ^r13
	FMA.f32 r13, r1, u5, ^r13
	FMA.f32 r13, r2, u6, ^r13
	MOV.i32 r14, u11
	FMA.f32 r14, r0, u8, ^r14
	FMA.f32 r14, r1, u9, ^r14
	FMA.f32 r14, r2, u10, ^r14
	MOV.i32 r15, u15
	FMA.f32 r15, ^r0, u12, ^r15
	FMA.f32 r15, ^r1, u13, ^r15
	FMA.f32 r15, ^r2, u14, ^r15
	STORE.i128.istream.slot0.wait0 @r12:r13:r14:r15, r10, offset:0

	FMA.f32 r32, r4, u16, 0x0.neg
	FMA.f32 r32, r5, u17, ^r32
	FMA.f32 r32, r6, u18, ^r32
	FMA.f32 r33, r4, u20, 0x0.neg
	FMA.f32 r33, r5, u21, ^r33
	FMA.f32 r33, r6, u22, ^r33
	FMA.f32 r34, ^r4, u24, 0x0.neg
	FMA.f32 r34, ^r5, u25, ^r34
	FMA.f32 r34, ^r6, u26, ^r34
	STORE.i96.estream.slot1.wait1 @r32:r33:r34, r10, offset:16
	STORE.i64.estream.slot2.wait2 @r8:r9, ^r10, offset:32
	NOP.end
