// run: 256 64 -b 1024 -b 1024:0 -b 1024:0
__kernel void run(__global const char *a, __global char *c, __global short *s) {
	size_t i = get_global_id(0);
	char x = a[4 * i], y = a[4 * i + 1];
	uchar u = a[4 * i + 2], v = a[4 * i + 3];
	short p = (short)(x * 251 + y), q = (short)(u * 257 - v);
	c[4 * i] = add_sat(x, y);
	c[4 * i + 1] = (char)mad_sat(u, v, (uchar)3);
	c[4 * i + 2] = (char)rotate(u, v);
	c[4 * i + 3] = (char)(x / (y | 1));
	s[2 * i] = sub_sat(p, q);
	s[2 * i + 1] = (short)(mul_hi(p, q) ^ (p % (short)(q | 1)) ^ clz((ushort)q));
}
