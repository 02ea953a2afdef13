#version 450
// Every texel of every level and layer, then samples between texels, at fractions of levels, and gathers. One invocation for a place
// of level 0.
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) writeonly buffer Out { TYPEvec4 result[]; };
layout(binding = 1) uniform TYPEsampler2DArray t;
uint next = 0;
void put(TYPEvec4 v) {
	uvec2 p = gl_GlobalInvocationID.xy, n = gl_NumWorkGroups.xy * 8;
	result[(next++ * n.y + p.y) * n.x + p.x] = v;
}
void main() {
	ivec2 p = ivec2(gl_GlobalInvocationID.xy);
	ivec3 whole = textureSize(t, 0);
	for (int layer = 0; layer < whole.z; layer++) {
		for (int level = 0; level < textureQueryLevels(t); level++) {
			ivec3 n = textureSize(t, level);
			TYPEvec4 v = TYPEvec4(0);
			if (p.x < n.x && p.y < n.y)
				v = texelFetch(t, ivec3(p, layer), level);
			put(v);
		}
		vec3 at = vec3((vec2(p) + vec2(0.3125, 0.8125)) / vec2(whole.xy), layer);
		put(textureLod(t, at, 0));
		put(textureLod(t, at * vec3(1.75, 1.25, 1) - vec3(0.25, 0.125, 0), 1));
		put(textureLod(t, at, 0.75));
		put(textureGather(t, at, 0));
		put(textureGather(t, at, 1));
	}
}
