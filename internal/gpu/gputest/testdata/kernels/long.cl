// run: 128 64 -b 1024 -b 1024:5 -b 12288:0
__kernel void run(__global const ulong *a, __global const ulong *b, __global ulong *r) {
	size_t i = get_global_id(0);
	ulong x = a[i], y = b[i] >> (x & 63) | 1;
	long u = (long)x, v = (long)b[i] >> (x & 31) | 1;
	__global ulong *to = r + 12 * i;
	to[0] = x * y;
	to[1] = x / y;
	to[2] = x % y;
	to[3] = (ulong)(u / v);
	to[4] = (ulong)(u % v);
	to[5] = mul_hi(x, y);
	to[6] = (ulong)mul_hi(u, v);
	to[7] = rotate(x, y);
	to[8] = clz(y) + popcount((uint)x);
	to[9] = (x << (y & 63)) ^ (ulong)(u >> (y & 63));
	to[10] = x > y ? add_sat(x, y) : sub_sat(x, y);
	to[11] = (ulong)hadd(u, v) ^ (ulong)abs_diff(u, v);
}
