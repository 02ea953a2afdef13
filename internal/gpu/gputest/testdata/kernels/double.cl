// run: 128 64 -b 1024 -b 1024:5 -b 6144:0
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
__kernel void run(__global const long *a, __global const long *b, __global double *r) {
	size_t i = get_global_id(0);
	double x = (double)(a[i] >> 20), y = (double)(b[i] >> 36) + 0.5;
	__global double *to = r + 6 * i;
	to[0] = x + y;
	to[1] = x * y;
	to[2] = x / y;
	to[3] = sqrt(fabs(x));
	to[4] = fma(x, y, 3.0);
	to[5] = floor(x / 1024.0) + (double)(float)y + (double)(int)y;
}
