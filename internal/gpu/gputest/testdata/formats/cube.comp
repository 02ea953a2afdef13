#version 450
// Samples of a cube: each face at the centres of texels of its levels, and, across its edges, between them.
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) writeonly buffer Out { TYPEvec4 result[]; };
layout(binding = 1) uniform TYPEsamplerCube t;
uint next = 0;
void put(TYPEvec4 v) {
	uvec2 p = gl_GlobalInvocationID.xy, n = gl_NumWorkGroups.xy * 8;
	result[(next++ * n.y + p.y) * n.x + p.x] = v;
}
void main() {
	for (int face = 0; face < 6; face++) {
		for (int level = 0; level < textureQueryLevels(t); level++) {
			vec2 c = (vec2(gl_GlobalInvocationID.xy % uvec2(textureSize(t, level))) + OFFSET) / vec2(textureSize(t, level)) * 2 - 1;
			float side = face % 2 == 0 ? 1 : -1;
			vec3 d = face < 2 ? vec3(side, c.y, c.x) : face < 4 ? vec3(c.x, side, c.y) : vec3(c.x, c.y, side);
			put(textureLod(t, d, level));
		}
	}
}
