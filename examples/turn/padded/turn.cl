// Turns a matrix of n by n floats: rows become columns. A group of 64 by 4 turns a square of 64 by 64.
#define ROW 65
kernel __attribute__((reqd_work_group_size(64, 4, 1)))
void turn(global const float *in, global float *out, uint n) {
	local float square[64 * ROW];
	uint left = get_group_id(0) * 64, top = get_group_id(1) * 64;
	uint x = get_local_id(0), y = get_local_id(1);
	for (uint i = y; i < 64; i += 4)
		square[i * ROW + x] = in[(top + i) * n + left + x];
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint i = y; i < 64; i += 4)
		out[(left + i) * n + top + x] = square[x * ROW + i];
}
