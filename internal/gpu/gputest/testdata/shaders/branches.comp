#version 450
// run: 4 1 1 -b 1024 -b 1024:0
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer A { uint a[]; };
layout(std430, binding = 1) buffer B { uint b[]; };
void main() {
	uint i = gl_GlobalInvocationID.x, x = a[i], n = 0u;
	while (x != 1u && n < 300u) {
		if ((x & 1u) == 0u)
			x >>= 1;
		else if (x > 0x40000000u)
			x = x % 10007u + 1u;
		else
			x = 3u * x + 1u;
		if (x % 97u == 5u)
			continue;
		n++;
		switch (x & 7u) {
		case 0u: n += 2u; break;
		case 3u: x ^= 16u; // falls through
		case 5u: n++; break;
		}
	}
	b[i] = n << 16 | x & 0xffffu;
}
