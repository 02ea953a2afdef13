// run: 512 64 -b 2048 -b 64:0
__kernel void run(__global const uint *a, __global uint *r) {
	__local uint s, lo;
	if (get_local_id(0) == 0) {
		s = 0;
		lo = ~0u;
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	uint v = a[get_global_id(0)];
	atomic_add(&r[0], v);
	atomic_min(&r[1], v);
	atomic_max(&r[2], v);
	atomic_or(&r[3], v & 0x0f0f0f0f);
	atomic_xor(&r[4], v);
	atomic_and(&r[5], v);
	atomic_sub((__global int *)&r[6], (int)v);
	atomic_inc(&r[7]);
	atomic_min((__global int *)&r[8], (int)v);
	atomic_max((__global int *)&r[9], (int)v);
	uint old = r[10], seen;
	while ((seen = atomic_cmpxchg(&r[10], old, old + (v & 0xff))) != old)
		old = seen;
	atomic_add(&s, v >> 16);
	atomic_min(&lo, v);
	barrier(CLK_LOCAL_MEM_FENCE);
	if (get_local_id(0) == 0) {
		atomic_xor(&r[11], s);
		atomic_add(&r[12], lo);
	}
}
