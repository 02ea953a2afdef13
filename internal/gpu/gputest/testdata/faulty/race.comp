#version 450
// run: 1 1 1 -b 1024
// There is no barrier between the store and the load.
layout(local_size_x = 256) in;
layout(std430, binding = 0) buffer A { uint a[]; };
shared uint s[256];
void main() {
	uint l = gl_LocalInvocationIndex;
	s[l] = a[l];
	a[l] = s[255u - l];
}
