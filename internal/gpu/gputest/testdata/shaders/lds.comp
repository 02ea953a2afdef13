#version 450
// run: 3 1 1 -b 3072 -b 12:0
layout(local_size_x = 256) in;
layout(std430, binding = 0) buffer A { uint a[]; };
layout(std430, binding = 1) buffer B { uint sum[]; };
shared uint s[256];
void main() {
	uint l = gl_LocalInvocationIndex;
	s[l] = a[gl_GlobalInvocationID.x];
	for (uint k = 128u; k > 0u; k >>= 1) {
		barrier();
		if (l < k)
			s[l] += s[l + k];
	}
	if (l == 0u)
		sum[gl_WorkGroupID.x] = s[0];
}
