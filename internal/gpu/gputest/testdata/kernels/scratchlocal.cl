// run: 512 256 -b 2048 -b 2048:0
// Scratch of several waves of a group, bytes and 64 bits of it, across barriers.
__kernel void run(__global const uint *a, __global uint *b) {
	__local uint s[256];
	uint i = get_global_id(0), l = get_local_id(0);
	ulong w[24];
	uchar c[64];
	for (uint k = 0; k < 24; k++)
		w[k] = (ulong)a[(i + k) & 511] << (k & 31);
	for (uint k = 0; k < 64; k++)
		c[k] = a[(i ^ k) & 511] >> (k & 15);
	s[l] = w[a[i] % 24];
	barrier(CLK_LOCAL_MEM_FENCE);
	uint x = s[(l + 77) & 255];
	w[x % 24] += c[x & 63];
	c[x % 61] = x;
	barrier(CLK_LOCAL_MEM_FENCE);
	ulong r = 0;
	for (uint k = 0; k < 24; k++)
		r = r * 17 + w[(k + x) % 24] + c[(k * 5 + l) & 63];
	b[i] = (uint)(r ^ r >> 32);
}
