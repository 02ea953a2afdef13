// run: 256 64 -b 1024 -b 1024:0 -b 64:9 -u 5
// Tables of the program and of the caller, a function that is called, and a struct.
__constant uint table[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};
typedef struct { uint x; uchar y; ushort z[3]; } Item;
__attribute__((noinline)) uint mix(Item m, uint k) { return m.x * m.y + m.z[k % 3]; }
__kernel void run(__global const uint *a, __global uint *b, __constant uint *c, uint k) {
	size_t i = get_global_id(0);
	Item m = {table[a[i] & 15], (uchar)c[a[i] >> 4 & 15], {(ushort)i, (ushort)k, (ushort)a[i]}};
	b[i] = mix(m, a[i] >> 8);
}
