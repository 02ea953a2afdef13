#version 450
// run: 3 1 1 -b 3072 -b 3072:0
layout(local_size_x = 256) in;
layout(std430, binding = 0) buffer A { uint a[]; };
layout(std430, binding = 1) buffer B { uint b[]; };
shared uint s[256];
void main() {
	uint i = gl_GlobalInvocationID.x, l = gl_LocalInvocationIndex, t[80];
	for (uint k = 0u; k < 80u; k++)
		t[(a[i] + k * 7u) % 80u] = a[(i + k) % 768u];
	s[l] = t[a[i] % 80u];
	barrier();
	b[i] = s[255u - l] + t[(a[i] >> 9) % 80u];
}
