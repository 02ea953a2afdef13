// A ring of three strands, made from the number of the vertex alone: a strip of 64 steps around the rope, 64 along the ring.
// vi64 = number of the vertex
// sh0 to sh15 = rows of projection * view * model, sh16 to sh26 = rows of the model's rotation
// sh28, sh29 = steps of both angles; sh30, sh31 = strands, turns of the strands; sh32, sh33 = radius of the rope, depth of the strands;
// sh34 = radius of the ring; sh36, sh37 = steps of the place in the texture
// vo4 to vo6 = normal, vo8, vo9 = place in the texture, vo10 = height of the strand

// the number as row, column and which end of a step
	{ s0 = vi64, is4 = ft0 p0: unpck.u32 ft0, s0; w0 = r0 }
	{ s0 = r0, s1 = sc81, is4 = ft0 p0: fmul ft0, s0, s1; w0 = r1 }
	{ s0 = r1, s1 = sc0, is4 = ft0 p0: fadd ft0, s0.flr, s1; w0 = r1 }
	{ s0 = r1, s1 = sc71, s2 = r0, is4 = ft0 p0: fmad ft0, s0.neg, s1, s2; w0 = r2 }
	{ s0 = r2, s1 = sc75, is4 = ft0 p0: fmul ft0, s0, s1; w0 = r3 }
	{ s0 = r3, s1 = sc0, is4 = ft0 p0: fadd ft0, s0.flr, s1; w0 = r3 }
	{ s0 = r3, s1 = sc65, s2 = r2, is4 = ft0 p0: fmad ft0, s0.neg, s1, s2; w0 = r4 }
	{ s0 = r1, s1 = r4, is4 = ft0 p0: fadd ft0, s0, s1; w0 = r5 }

// angles around the rope, along the ring and of the strands
	{ s0 = sh28, s1 = r3, is4 = ft0 p0: fmul ft0, s0, s1; w0 = r6 }
	{ s0 = sh29, s1 = r5, is4 = ft0 p0: fmul ft0, s0, s1; w0 = r7 }
	{ s0 = sh31, s1 = r7, is4 = ft0 p0: fmul ft0, s0, s1; w0 = r8 }
	{ s0 = sh30, s1 = r6, s2 = r8, is4 = ft0 p0: fmad ft0, s0, s1, s2; w0 = r8 }
	{ s0 = r6, s3 = sc0 p0: fred.cos.a w0, w1, _, s0, s3, 0; w0 = r60, w1 = r61 }
	{ s0 = r6, s3 = r61 p0: fred.cos.b w0, w1, _, s0, s3, 0; w0 = r60 }
	{ s0 = r60 p0: fsinc w0, p0, s0; w0 = r10 }
	if(p0) { s0 = r60, s1 = r10, is4 = ft0 p0: fmul ft0, s0, s1; w0 = r10 }
	{ s0 = r6, s3 = sc0 p0: fred.sin.a w0, w1, _, s0, s3, 0; w0 = r60, w1 = r61 }
	{ s0 = r6, s3 = r61 p0: fred.sin.b w0, w1, _, s0, s3, 0; w0 = r60 }
	{ s0 = r60 p0: fsinc w0, p0, s0; w0 = r11 }
	if(p0) { s0 = r60, s1 = r11, is4 = ft0 p0: fmul ft0, s0, s1; w0 = r11 }
	{ s0 = r7, s3 = sc0 p0: fred.cos.a w0, w1, _, s0, s3, 0; w0 = r60, w1 = r61 }
	{ s0 = r7, s3 = r61 p0: fred.cos.b w0, w1, _, s0, s3, 0; w0 = r60 }
	{ s0 = r60 p0: fsinc w0, p0, s0; w0 = r12 }
	if(p0) { s0 = r60, s1 = r12, is4 = ft0 p0: fmul ft0, s0, s1; w0 = r12 }
	{ s0 = r7, s3 = sc0 p0: fred.sin.a w0, w1, _, s0, s3, 0; w0 = r60, w1 = r61 }
	{ s0 = r7, s3 = r61 p0: fred.sin.b w0, w1, _, s0, s3, 0; w0 = r60 }
	{ s0 = r60 p0: fsinc w0, p0, s0; w0 = r13 }
	if(p0) { s0 = r60, s1 = r13, is4 = ft0 p0: fmul ft0, s0, s1; w0 = r13 }
	{ s0 = r8, s3 = sc0 p0: fred.cos.a w0, w1, _, s0, s3, 0; w0 = r60, w1 = r61 }
	{ s0 = r8, s3 = r61 p0: fred.cos.b w0, w1, _, s0, s3, 0; w0 = r60 }
	{ s0 = r60 p0: fsinc w0, p0, s0; w0 = r14 }
	if(p0) { s0 = r60, s1 = r14, is4 = ft0 p0: fmul ft0, s0, s1; w0 = r14 }
	{ s0 = r8, s3 = sc0 p0: fred.sin.a w0, w1, _, s0, s3, 0; w0 = r60, w1 = r61 }
	{ s0 = r8, s3 = r61 p0: fred.sin.b w0, w1, _, s0, s3, 0; w0 = r60 }
	{ s0 = r60 p0: fsinc w0, p0, s0; w0 = r15 }
	if(p0) { s0 = r60, s1 = r15, is4 = ft0 p0: fmul ft0, s0, s1; w0 = r15 }

// radius and how it changes with both angles
	{ s0 = sh33, s1 = r14, s2 = sh32, is4 = ft0 p0: fmad ft0, s0, s1, s2; w0 = r16 }
	{ s0 = sh33, s1 = r15, is4 = ft0 p0: fmul ft0, s0, s1; w0 = r17 }
	{ s0 = sh30, s1 = r17, is4 = ft0 p0: fmul ft0, s0.neg, s1; w0 = r18 }
	{ s0 = sh31, s1 = r17, is4 = ft0 p0: fmul ft0, s0.neg, s1; w0 = r19 }

// the place
	{ s0 = r16, s1 = r10, s2 = sh34, is4 = ft0 p0: fmad ft0, s0, s1, s2; w0 = r20 }
	{ s0 = r16, s1 = r11, is4 = ft0 p0: fmul ft0, s0, s1; w0 = r21 }
	{ s0 = r20, s1 = r12, is4 = ft0 p0: fmul ft0, s0, s1; w0 = r22 }
	{ s0 = r20, s1 = r13, is4 = ft0 p0: fmul ft0, s0, s1; w0 = r23 }

// the normal: across both directions of the surface, along the radius, the ring and upwards, then turned with the ring
	{ s0 = r18, s1 = r10, s2 = r21, is4 = ft0 p0: fmad ft0, s0, s1, s2.neg; w0 = r24 }
	{ s0 = r16, s1 = r10, is4 = ft0 p0: fmul ft0, s0, s1; w0 = r26 }
	{ s0 = r18, s1 = r11, s2 = r26, is4 = ft0 p0: fmad ft0, s0, s1, s2; w0 = r25 }
	{ s0 = r19, s1 = r10, is4 = ft0 p0: fmul ft0, s0, s1; w0 = r27 }
	{ s0 = r19, s1 = r11, is4 = ft0 p0: fmul ft0, s0, s1; w0 = r28 }
	{ s0 = r20, s1 = r25, is4 = ft0 p0: fmul ft0, s0, s1; w0 = r29 }
	{ s0 = r27, s1 = r25, is4 = ft0 p0: fmul ft0, s0, s1; w0 = r30 }
	{ s0 = r28, s1 = r24, s2 = r30, is4 = ft0 p0: fmad ft0, s0, s1, s2.neg; w0 = r30 }
	{ s0 = r20, s1 = r24, is4 = ft0 p0: fmul ft0, s0.neg, s1; w0 = r31 }
	{ s0 = r30, s1 = r13, is4 = ft0 p0: fmul ft0, s0, s1; w0 = r32 }
	{ s0 = r29, s1 = r12, s2 = r32, is4 = ft0 p0: fmad ft0, s0, s1, s2.neg; w0 = r33 }
	{ s0 = r30, s1 = r12, is4 = ft0 p0: fmul ft0, s0, s1; w0 = r32 }
	{ s0 = r29, s1 = r13, s2 = r32, is4 = ft0 p0: fmad ft0, s0, s1, s2; w0 = r34 }

// to clip space
	{ s0 = sh2, s1 = r21, s2 = sh3, is4 = ft0 p0: fmad ft0, s0, s1, s2; w0 = r36 }
	{ s0 = sh1, s1 = r23, s2 = r36, is4 = ft0 p0: fmad ft0, s0, s1, s2; w0 = r36 }
	{ s0 = sh0, s1 = r22, s2 = r36, is4 = ft0 p0: fmad ft0, s0, s1, s2; w0 = r36 }
	{ s0 = sh6, s1 = r21, s2 = sh7, is4 = ft0 p0: fmad ft0, s0, s1, s2; w0 = r37 }
	{ s0 = sh5, s1 = r23, s2 = r37, is4 = ft0 p0: fmad ft0, s0, s1, s2; w0 = r37 }
	{ s0 = sh4, s1 = r22, s2 = r37, is4 = ft0 p0: fmad ft0, s0, s1, s2; w0 = r37 }
	{ s0 = sh10, s1 = r21, s2 = sh11, is4 = ft0 p0: fmad ft0, s0, s1, s2; w0 = r38 }
	{ s0 = sh9, s1 = r23, s2 = r38, is4 = ft0 p0: fmad ft0, s0, s1, s2; w0 = r38 }
	{ s0 = sh8, s1 = r22, s2 = r38, is4 = ft0 p0: fmad ft0, s0, s1, s2; w0 = r38 }
	{ s0 = sh14, s1 = r21, s2 = sh15, is4 = ft0 p0: fmad ft0, s0, s1, s2; w0 = r39 }
	{ s0 = sh13, s1 = r23, s2 = r39, is4 = ft0 p0: fmad ft0, s0, s1, s2; w0 = r39 }
	{ s0 = sh12, s1 = r22, s2 = r39, is4 = ft0 p0: fmad ft0, s0, s1, s2; w0 = r39 }
	{ s0 = sh18, s1 = r31, is4 = ft0 p0: fmul ft0, s0, s1; w0 = r40 }
	{ s0 = sh17, s1 = r34, s2 = r40, is4 = ft0 p0: fmad ft0, s0, s1, s2; w0 = r40 }
	{ s0 = sh16, s1 = r33, s2 = r40, is4 = ft0 p0: fmad ft0, s0, s1, s2; w0 = r40 }
	{ s0 = sh22, s1 = r31, is4 = ft0 p0: fmul ft0, s0, s1; w0 = r41 }
	{ s0 = sh21, s1 = r34, s2 = r41, is4 = ft0 p0: fmad ft0, s0, s1, s2; w0 = r41 }
	{ s0 = sh20, s1 = r33, s2 = r41, is4 = ft0 p0: fmad ft0, s0, s1, s2; w0 = r41 }
	{ s0 = sh26, s1 = r31, is4 = ft0 p0: fmul ft0, s0, s1; w0 = r42 }
	{ s0 = sh25, s1 = r34, s2 = r42, is4 = ft0 p0: fmad ft0, s0, s1, s2; w0 = r42 }
	{ s0 = sh24, s1 = r33, s2 = r42, is4 = ft0 p0: fmad ft0, s0, s1, s2; w0 = r42 }
	{ s0 = sh36, s1 = r3, is4 = ft0 p0: fmul ft0, s0, s1; w0 = r44 }
	{ s0 = sh37, s1 = r5, is4 = ft0 p0: fmul ft0, s0, s1; w0 = r45 }
	{ repeat 4 , s0 = r36..39, is0 = s0, is4 = fte backend: uvsw.write w0, 0x0; }
	{ repeat 3 , s0 = r40..42, is0 = s0, is4 = fte backend: uvsw.write w0, 0x4; }
	{ repeat 2 , s0 = r44..45, is0 = s0, is4 = fte backend: uvsw.write w0, 0x8; }
	{ s0 = r14, is0 = s0, is4 = fte backend: uvsw.write.emit.endtask w0, 0xa; }.end
