// cf4 to cf15 = normal, cf20 to cf31 = place in the texture and height of the strand, all over w; cf0 = 1/w
// sh0 to sh2 = direction to the light, sh4 to sh6 = half way between light and eye; sh8 to sh10 = colour of the grooves, sh12 to sh14 = what
// the strands have more; sh16 = ambient light, sh17 = gloss; sh128, sh132 = states of unit 0
	{ s0 = cf20..31, s2 = cf0..3, s3 = r4..6 backend: fitrp.pixel s3, drc0, s0, s2, 0x3; }
	{ s0 = cf4..15, s2 = cf0..3, s3 = r0..2 backend: fitrp.pixel s3, drc1, s0, s2, 0x3; }
	{ ctrl: wdf drc0; }
	{ s0 = sh128..131, s1 = r4..5, s2 = sh132..135, s4 = r8..10 backend: smp.2d.fcnorm s4, drc0, s0, s1, s2, _, 0x3; }
	{ ctrl: wdf drc1; }

// while the texture is on its way: the normal, of length 1
	{ s0 = r0, s1 = r0, is4 = ft0 p0: fmul ft0, s0, s1; w0 = r7 }
	{ s0 = r1, s1 = r1, s2 = r7, is4 = ft0 p0: fmad ft0, s0, s1, s2; w0 = r7 }
	{ s0 = r2, s1 = r2, s2 = r7, is4 = ft0 p0: fmad ft0, s0, s1, s2; w0 = r7 }
	{ s0 = r7 p0: frsq w0, s0; w0 = r7 }
	{ s0 = r0, s1 = r7, is4 = ft0 p0: fmul ft0, s0, s1; w0 = r0 }
	{ s0 = r1, s1 = r7, is4 = ft0 p0: fmul ft0, s0, s1; w0 = r1 }
	{ s0 = r2, s1 = r7, is4 = ft0 p0: fmul ft0, s0, s1; w0 = r2 }

// light and gloss: its cosine to the 32nd
	{ s0 = sh2, s1 = r2, is4 = ft0 p0: fmul ft0, s0, s1; w0 = r12 }
	{ s0 = sh1, s1 = r1, s2 = r12, is4 = ft0 p0: fmad ft0, s0, s1, s2; w0 = r12 }
	{ s0 = sh0, s1 = r0, s2 = r12, is4 = ft0 p0: fmad.sat ft0, s0, s1, s2; w0 = r12 }
	{ s0 = sh16, s1 = r12, is4 = ft0 p0: fadd ft0, s0, s1; w0 = r12 }
	{ s0 = sh6, s1 = r2, is4 = ft0 p0: fmul ft0, s0, s1; w0 = r13 }
	{ s0 = sh5, s1 = r1, s2 = r13, is4 = ft0 p0: fmad ft0, s0, s1, s2; w0 = r13 }
	{ s0 = sh4, s1 = r0, s2 = r13, is4 = ft0 p0: fmad.sat ft0, s0, s1, s2; w0 = r13 }
	{ s0 = r13, s1 = r13, is4 = ft0 p0: fmul ft0, s0, s1; w0 = r13 }
	{ s0 = r13, s1 = r13, is4 = ft0 p0: fmul ft0, s0, s1; w0 = r13 }
	{ s0 = r13, s1 = r13, is4 = ft0 p0: fmul ft0, s0, s1; w0 = r13 }
	{ s0 = r13, s1 = r13, is4 = ft0 p0: fmul ft0, s0, s1; w0 = r13 }
	{ s0 = r13, s1 = r13, is4 = ft0 p0: fmul ft0, s0, s1; w0 = r13 }
	{ s0 = sh17, s1 = r13, is4 = ft0 p0: fmul ft0, s0, s1; w0 = r13 }

// height from 0 to 1, squared: the grooves are narrow
	{ s0 = r6, s1 = sc75, s2 = sc75, is4 = ft0 p0: fmad ft0, s0, s1, s2; w0 = r6 }
	{ s0 = sh12, s1 = r6, s2 = sh8, is4 = ft0 p0: fmad ft0, s0, s1, s2; w0 = r14 }
	{ s0 = sh13, s1 = r6, s2 = sh9, is4 = ft0 p0: fmad ft0, s0, s1, s2; w0 = r15 }
	{ s0 = sh14, s1 = r6, s2 = sh10, is4 = ft0 p0: fmad ft0, s0, s1, s2; w0 = r16 }
	{ ctrl: wdf drc0; }
	{ s0 = r14, s1 = r8, is4 = ft0 p0: fmul ft0, s0, s1; w0 = r14 }
	{ s0 = r14, s1 = r12, s2 = r13, is4 = ft0 p0: fmad ft0, s0, s1, s2; w0 = r14 }
	{ s0 = r15, s1 = r9, is4 = ft0 p0: fmul ft0, s0, s1; w0 = r15 }
	{ s0 = r15, s1 = r12, s2 = r13, is4 = ft0 p0: fmad ft0, s0, s1, s2; w0 = r15 }
	{ s0 = r16, s1 = r10, is4 = ft0 p0: fmul ft0, s0, s1; w0 = r16 }
	{ s0 = r16, s1 = r12, s2 = r13, is4 = ft0 p0: fmad ft0, s0, s1, s2; w0 = r16 }
	{ s0 = sc64, is4 = ft0 p0: mbyp0 ft0, s0; w0 = r17 }
	{ repeat 4 , s0 = r14..17, is0 = s0, is3 = fte, is4 = ft2 p2_pck: pck.scale.u8888 ft2, is3; w0 = po0 }.olchk.end
