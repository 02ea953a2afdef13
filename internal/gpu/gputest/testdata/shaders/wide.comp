#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
// run: 2 1 1 -b 2048 -b 1024:9 -b 3072:0
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer A { uint64_t a[]; };
layout(std430, binding = 1) buffer B { uint64_t b[]; };
layout(std430, binding = 2) buffer C { uint64_t c[]; };
void main() {
	uint i = gl_GlobalInvocationID.x;
	uint64_t x = a[i], y = b[i];
	c[3u * i] = x * y + (x >> (i & 63u));
	c[3u * i + 1u] = x / (y >> 40 | 1ul) ^ x << (i & 31u);
	c[3u * i + 2u] = uint64_t(int64_t(x) >> 7) + (int64_t(x) < int64_t(y) ? 1ul : 0ul) - y % 1000003ul;
}
