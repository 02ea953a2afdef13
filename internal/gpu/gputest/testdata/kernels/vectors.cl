// run: 64 32 -b 1024 -b 4096:0
__kernel void run(__global const uint *a, __global uint *r) {
	size_t i = get_global_id(0);
	uint4 v = vload4(i, a);
	int4 w = as_int4(v).wzyx;
	float4 f = convert_float4(v & 0xffff) * (float4)(1, 2, 3, 4) + (float4)0.5f;
	ushort8 h = (ushort8)(convert_ushort4(v & 0xffff), convert_ushort4(v >> 16));
	vstore4(v.s2103 + as_uint4(w > (int4)0), 4 * i, r);
	vstore4(as_uint4(f.yxwz - f), 4 * i + 1, r);
	vstore4(as_uint4((ushort8)(h.s1357, h.s0246)), 4 * i + 2, r);
	uint3 t = vload3(i, a);
	vstore4((uint4)(max(t, v.xyz), all(w < 0) + 2 * any(w < 0)), 4 * i + 3, r);
}
