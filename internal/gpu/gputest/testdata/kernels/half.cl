// run: 256 64 -b 512 -b 1024:0 -b 512:0
__kernel void run(__global const half *a, __global float *f, __global half *h) {
	size_t i = get_global_id(0);
	float x = vload_half(i, a);
	f[i] = isnan(x) ? 1.0f : x;
	vstore_half_rte(isnan(x) ? 1.0f : x * 1.2345f, i, h);
}
