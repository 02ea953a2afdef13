// run: 512 128 -b 2048 -b 2048:0 -n 3
// Prefix sums of each group, with barriers in a loop.
__kernel void run(__global uint *a, __global uint *b) {
	__local uint s[2][128];
	uint l = get_local_id(0), i = get_global_id(0), at = 0;
	s[0][l] = a[i];
	for (uint d = 1; d < 128; d <<= 1) {
		barrier(CLK_LOCAL_MEM_FENCE);
		s[!at][l] = l >= d ? s[at][l] + s[at][l - d] : s[at][l];
		at = !at;
	}
	b[i] += s[at][l];
	a[i] = b[i] ^ i;
}
