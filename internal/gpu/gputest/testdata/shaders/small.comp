#version 450
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
// run: 2 1 1 -b 256 -b 128:5 -b 256:0
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer A { uint16_t a[]; };
layout(std430, binding = 1) buffer B { int8_t b[]; };
layout(std430, binding = 2) buffer C { int16_t c[]; };
void main() {
	uint i = gl_GlobalInvocationID.x;
	int16_t x = int16_t(a[i]), y = int16_t(b[i]);
	c[i] = x * y + max(x >> 3s, y) - min(x, int16_t(77s));
	b[i] = int8_t(b[i] + 3);
}
