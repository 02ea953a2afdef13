// i6 = place in the texture, i7 = normal
// c0 = direction to the light, c1 = ambient light, c2 = half way between light and eye

	tex r0, i6, t0
	dp3 r1.w, i7, i7
	rsq r1.w, r1.w
	mul r1.xyz, i7, r1.w
	dp3 r2.x, r1, c0              // diffuse
	max r2.x, r2.x, 0.0
	add r2.xyz, r2.x, c1
	mul r0.xyz, r0, r2
	dp3 r3.x, r1, c2              // specular: to the 16th
	max r3.x, r3.x, 0.0
	mul r3.x, r3.x, r3.x
	mul r3.x, r3.x, r3.x
	mul r3.x, r3.x, r3.x
	mul r3.x, r3.x, r3.x
	mul r3.x, r3.x, 0.45
	add_sat o1.xyz, r0, r3.x
	mov o1.w, i6.w <- end
