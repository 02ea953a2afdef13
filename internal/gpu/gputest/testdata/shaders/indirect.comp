#version 450
// run: 3 2 1 -b 1536 -i
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer A { uint a[]; };
void main() {
	uint i = gl_GlobalInvocationID.y * gl_NumWorkGroups.x * 64u + gl_GlobalInvocationID.x;
	a[i] ^= gl_NumWorkGroups.x * 256u + gl_NumWorkGroups.y;
}
