// i0 = position, i2 = normal, i8 = place in the texture
// c0-c3 = rows of projection * view * model; c4-c6 = rows of the model's rotation

	dp4 o0.x, c0, i0
	dp4 o0.y, c1, i0
	dp4 o0.z, c2, i0
	dp4 o0.w, c3, i0
	dp3 o7.x, c4, i2
	dp3 o7.y, c5, i2
	dp3 o7.z, c6, i2
	mov o6, i8 <- end
