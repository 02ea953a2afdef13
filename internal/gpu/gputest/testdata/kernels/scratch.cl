// run: 256 64 -b 1024 -b 1024:0
// A private array with indices that the compiler does not know is in scratch.
__kernel void run(__global const uint *a, __global uint *b) {
	uint i = get_global_id(0), t[96];
	for (uint k = 0; k < 96; k++)
		t[k] = a[(i + k) & 255] + k;
	for (uint k = 0; k < 64; k++) {
		uint x = t[k] % 96, y = (t[k] >> 8) % 96, z = t[x];
		t[x] = t[y];
		t[y] = z + k;
	}
	uint s = 0;
	for (uint k = 0; k < 96; k++)
		s = s * 31 + t[k];
	b[i] = s;
}
