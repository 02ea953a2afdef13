// run: 256 64 -b 1024 -b 1024:0
__kernel void run(__global const uint *a, __global uint *b) {
	__local uint s[64];
	size_t g = get_group_id(0) * 64;
	event_t e = async_work_group_copy(s, a + g, 64, 0);
	wait_group_events(1, &e);
	s[get_local_id(0)] ^= get_local_id(0) << 8;
	barrier(CLK_LOCAL_MEM_FENCE);
	e = async_work_group_copy(b + g, s, 64, 0);
	wait_group_events(1, &e);
}
