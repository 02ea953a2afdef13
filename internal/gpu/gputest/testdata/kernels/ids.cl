// run: 8x6x4 4x2x2 -g 3x5x7 -b 12288:0
__kernel void run(__global uint *r) {
	uint n = 0, i = 0;
	for (int d = 2; d >= 0; d--)
		i = i * get_global_size(d) + get_global_id(d) - get_global_offset(d);
	for (uint d = 0; d < 3; d++) {
		r[16 * i + n++] = get_global_id(d);
		r[16 * i + n++] = get_local_id(d) | get_local_size(d) << 16;
		r[16 * i + n++] = get_group_id(d) | get_num_groups(d) << 16;
		r[16 * i + n++] = get_global_size(d) | get_global_offset(d) << 16;
	}
	r[16 * i + n++] = get_work_dim();
}
