.isa rogue
// A picture over another, a pixel an instance: the colour of the upper one is times its alpha already.
// sh0, sh1 = address of the lower picture, sh2, sh3 = of the upper one, sh4, sh5 = of the result; sh6 = instances of a work-group

	{ s0 = sh6, s1 = sr102, s2 = vi0, is4 = ft0 p0: imadd32 ft0, s0, s1, s2, _; w0 = r0 }
	{ s0 = r0, s1 = sc4, s2 = sh0, is4 = ft0 p0: imadd32 ft0, s0, s1, s2, _; w0 = r2 }
	{ s0 = r0, s1 = sc4, s2 = sh2, is4 = ft0 p0: imadd32 ft0, s0, s1, s2, _; w0 = r4 }
	{ s0 = r0, s1 = sc4, s2 = sh4, is4 = ft0 p0: imadd32 ft0, s0, s1, s2, _; w0 = r6 }
	{ s0 = sh1, is4 = ft0 p0: mbyp0 ft0, s0; w0 = r3 }
	{ s0 = sh3, is4 = ft0 p0: mbyp0 ft0, s0; w0 = r5 }
	{ s0 = sh5, is4 = ft0 p0: mbyp0 ft0, s0; w0 = r7 }
	{ s0 = r2..3, s3 = r8 backend: ld s3, drc0, 1, s0; }
	{ s0 = r4..5, s3 = r9 backend: ld s3, drc1, 1, s0; }
	{ ctrl: wdf drc0; }
	{ ctrl: wdf drc1; }

// four channels at once: lower * (1 - alpha) + upper. There is no public encoding
	{ s0 = r8, s1 = r9 p0: f16sop.u8mad w0.e0, w0.e1, w0.e2, w0.e3, _, s0.u8.e0, s1.u8.e3.oneminus, s1.u8.e0, s0.u8.e1, s1.u8.e3.oneminus, s1.u8.e1, s0.u8.e2, s1.u8.e3.oneminus, s1.u8.e2, s0.u8.e3, s1.u8.e3.oneminus, s1.u8.e3, _; w0 = r10 }
	{ s0 = r10, s3 = r6..7 backend: st.writethrough s0, 2, drc0, 1, s3, _; }
	{ s3 = r6..7 backend: idf drc0, s3; }
	{ ctrl: wdf drc0; }
	{ ctrl: nop.end; }
