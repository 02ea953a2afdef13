// run: 256 64 -b 1024 -b 1024:7 -u 3
// Small integers, so that it does not matter whether the compiler fuses the addition.
__kernel void run(__global uint *x, __global uint *y, uint a) {
	size_t i = get_global_id(0);
	float r = (float)a * (float)(x[i] & 0xfff) + (float)(y[i] & 0xffff);
	y[i] = as_uint(r);
}
