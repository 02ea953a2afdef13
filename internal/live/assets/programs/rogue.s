// A gradient: u and v of the place, iterated with perspective, and a constant blue. The colour is four bytes in po0.
{ s0 = cf84..91, s2 = cf0..3, s3 = r0..1 backend: fitrp.pixel s3, drc0, s0, s2, 0x2; }
{ ctrl: wdf drc0; }
{ s0 = r0, s1 = r1, is4 = ft0 p0: fmul ft0, s0, s1; w0 = r2 }
{ s0 = r0, s1 = r0, is4 = ft0 p0: fmul ft0, s0, s1; w0 = r3 }
{ repeat 4 , s0 = r0..3, is0 = s0, is3 = fte, is4 = ft2 p2_pck: pck.scale.u8888 ft2, is3; w0 = po0 }.olchk.end
