#version 450
// Every texel of every level of a 3D image, and samples between texels.
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) writeonly buffer Out { TYPEvec4 result[]; };
layout(binding = 1) uniform TYPEsampler3D t;
uint next = 0;
void put(TYPEvec4 v) {
	uvec2 p = gl_GlobalInvocationID.xy, n = gl_NumWorkGroups.xy * 8;
	result[(next++ * n.y + p.y) * n.x + p.x] = v;
}
void main() {
	ivec2 p = ivec2(gl_GlobalInvocationID.xy);
	ivec3 whole = textureSize(t, 0);
	for (int z = 0; z < whole.z; z++) {
		for (int level = 0; level < textureQueryLevels(t); level++) {
			ivec3 n = textureSize(t, level);
			TYPEvec4 v = TYPEvec4(0);
			if (p.x < n.x && p.y < n.y && z < n.z)
				v = texelFetch(t, ivec3(p, z), level);
			put(v);
		}
		vec3 at = (vec3(p, z) + vec3(0.3125, 0.8125, 0.6875)) / vec3(whole);
		put(textureLod(t, at, 0));
		put(textureLod(t, at, 0.75));
	}
}
