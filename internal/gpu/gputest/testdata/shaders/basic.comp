#version 450
// run: 4 1 1 -b 1024
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer A { uint a[]; };
void main() {
	uint i = gl_GlobalInvocationID.x;
	a[i] = a[i] * 3u + i;
}
