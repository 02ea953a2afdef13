#version 450
// run: 8 1 1 -b 2048 -b 64:0
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer A { uint a[]; };
layout(std430, binding = 1) buffer B { uint r[]; };
shared uint s;
void main() {
	if (gl_LocalInvocationIndex == 0u)
		s = 0u;
	barrier();
	uint v = a[gl_GlobalInvocationID.x];
	atomicAdd(r[0], v);
	atomicMin(r[1], v);
	atomicMax(r[2], v);
	atomicOr(r[3], v & 0x0f0f0f0fu);
	atomicXor(r[4], v);
	atomicAnd(r[5], v);
	atomicAdd(s, v >> 16);
	barrier();
	if (gl_LocalInvocationIndex == 0u)
		r[8 + gl_WorkGroupID.x] = s;
}
