// run: 768 256 -b 3072 -b 12:0 -l 1024
__kernel void run(__global const uint *a, __global uint *sum, __local uint *s) {
	size_t l = get_local_id(0);
	s[l] = a[get_global_id(0)];
	for (size_t k = get_local_size(0) / 2; k > 0; k >>= 1) {
		barrier(CLK_LOCAL_MEM_FENCE);
		if (l < k)
			s[l] += s[l + k];
	}
	if (l == 0)
		sum[get_group_id(0)] = s[0];
}
