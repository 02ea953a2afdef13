// run: 128 64 -b 512 -b 8192:0
__kernel void run(__global const uint *a, __global uint *r) {
	size_t i = get_global_id(0);
	float x = (float)(int)(a[i] & 0x3fffff) / 1024.0f - 2000.0f, y = as_float(a[i]);
	__global uint *to = r + 16 * i;
	to[0] = as_uint(floor(x));
	to[1] = as_uint(ceil(x));
	to[2] = as_uint(rint(x));
	to[3] = as_uint(trunc(x));
	to[4] = as_uint(round(x));
	to[5] = (uint)convert_int_rte(x);
	to[6] = (uint)convert_int_sat(x * 1e7f);
	to[7] = convert_uint_sat(x * 1e7f);
	to[8] = as_uint(fmin(x, 7.0f) + fmax(x, 9.0f));
	to[9] = as_uint(ldexp(x, (int)(a[i] >> 28)));
	to[10] = (uint)(isnan(y) | isinf(y) << 1 | isfinite(y) << 2 | (signbit(y) != 0) << 3);
	to[11] = as_uint(copysign(x, y));
	to[12] = as_uint(fma(x, 3.25f, 1e-3f));
	to[13] = as_uint(fmod(x, 3.5f));
	to[14] = (uint)convert_char_sat(x) << 16 | convert_ushort_sat(x);
	to[15] = as_uint((float)(long)x * 2.0f);
}
