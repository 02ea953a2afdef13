#version 450
// run: 4 1 1 -b 1024 -b 1024:0
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer A { uint a[]; };
layout(std430, binding = 1) buffer B { uint b[]; };
void main() {
	uint i = gl_GlobalInvocationID.x, t[96];
	for (uint k = 0u; k < 96u; k++)
		t[k] = a[(i + k) & 255u] + k;
	for (uint k = 0u; k < 64u; k++) {
		uint x = t[k] % 96u, y = (t[k] >> 8) % 96u;
		uint z = t[x];
		t[x] = t[y];
		t[y] = z + k;
	}
	uint s = 0u;
	for (uint k = 0u; k < 96u; k++)
		s = s * 31u + t[k];
	b[i] = s;
}
