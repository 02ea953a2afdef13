// run: 333 0 -b 2048 -b 2048:0
// Loops and switches that work-items of a wave leave at different times; the driver chooses the size of groups.
__kernel void run(__global const uint *a, __global uint *b) {
	size_t i = get_global_id(0);
	uint x = a[i], n = 0;
	while (x != 1 && n < 200) {
		switch (x & 3) {
		case 0: x >>= 2; break;
		case 1: x = x * 3 + 1; break;
		case 2: x >>= 1; continue;
		default: x = (x & 0xffffff) + 5;
		}
		if (x == 0)
			break;
		n++;
	}
	b[i] = x ^ n << 24;
}
