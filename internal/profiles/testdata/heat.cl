// Two levels of inlined calls, a loop whose trip count differs between lanes, and a store that strides over LDS.
static float cube(float x) { return x * x * x; }

static float heat(float x, int n) {
	float sum = 0;
	for (int i = 0; i < n; i++)
		sum += cube(x + i);
	return sum;
}

kernel void warm(global const float *in, global float *out, local float *tile) {
	int i = get_local_id(0);
	tile[(i * 32) & 2047] = heat(in[i], i & 7);
	barrier(CLK_LOCAL_MEM_FENCE);
	out[i] = tile[((63 - i) * 32) & 2047];
}
