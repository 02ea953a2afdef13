#version 450
// run: 4 1 1 -b 1024 -b 1024:3 -b 4096:0
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer A { uint a[]; };
layout(std430, binding = 1) buffer B { uint b[]; };
layout(std430, binding = 2) buffer C { uvec4 c[]; };
void main() {
	uint i = gl_GlobalInvocationID.x, x = a[i], y = b[i], hi, lo;
	umulExtended(x, y, hi, lo);
	int at = int(x & 15u), n = int(y & 15u) + 1;
	c[i] = uvec4(bitfieldReverse(x) ^ uint(bitCount(y)), uint(findMSB(x)) + uint(findLSB(y)) * 256u,
		bitfieldInsert(x, y, at, n) + bitfieldExtract(y, at, n) + uint(bitfieldExtract(int(y), at, n)), hi ^ lo);
	c[i].x += x / (y | 1u) + x % (y | 1u);
}
