// A Julia set: z -> z*z + c from each pixel's place, until |z| > 4.
//
// i6 = u, v of the pixel; i7 = time, width, height, width/height (heddle render --fragment)
// r0.xy = z; r1.xy = c; r3.x = steps of this pixel, r3.y = steps of the quad; r4 = x*x, y*y, |z|^2

	mul r0.xy, i6, 2.4
	add r0.xy, r0, -1.2
	mul r0.x, r0.x, i7.w
	add r1.z, i7.x, 2.82          // c goes round a circle with time
	cos r1.x, r1.z
	sin r1.y, r1.z
	mul r1.xy, r1, 0.788
step:
	mul r4.xy, r0, r0
	add r4.z, r4.x, r4.y
	setpgt p0, r4.z, 16.0         // p0: away for good, z stays as it is
	add r4.w, r4.x, -r4.y
	mul r4.x, r0.x, r0.y
	add r4.x, r4.x, r4.x
	(!p0) add r0.x, r4.w, r1.x
	(!p0) add r0.y, r4.x, r1.y
	(!p0) add r3.x, r3.x, 1.0
	jmp p0, done                  // taken when all four pixels of the quad are away
	add r3.y, r3.y, 1.0
	setpgt p1, r3.y, 79.5
	jmp !p1, step
done:
	lg2 r2.x, r4.z                // a count without jumps: steps - log2(log2 |z|^2)
	lg2 r2.x, r2.x
	add r3.x, r3.x, -r2.x
	mul r7.x, r3.x, 0.17
	add r7.y, r7.x, 5.1
	add r7.z, r7.x, 4.4
	add r7.x, r7.x, 6.1
	cos r8.x, r7.x
	cos r8.y, r7.y
	cos r8.z, r7.z
	mul r8.xyz, r8, 0.5
	add r8.xyz, r8, 0.5
	sge r5.x, r4.z, 16.0          // black inside
	mul o1.xyz, r8, r5.x
	sge o1.w, r3.y, 0.0 <- end
