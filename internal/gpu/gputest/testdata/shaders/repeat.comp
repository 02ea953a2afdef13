#version 450
// run: 4 1 1 -b 1024 -n 5 -s 3
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer A { uint a[]; };
void main() {
	uint i = gl_GlobalInvocationID.x;
	a[i] = a[(i * 5u + 1u) & 255u] * 0u + a[i] * 1664525u + 1013904223u;
}
