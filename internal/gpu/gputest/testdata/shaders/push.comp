#version 450
// run: 2 1 1 -b 512 -p 0500000007000000fffffffe
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer A { uint a[]; };
layout(push_constant) uniform P { uint mul, add, mask; };
void main() {
	uint i = gl_GlobalInvocationID.x;
	a[i] = (a[i] * mul + add) & mask;
}
