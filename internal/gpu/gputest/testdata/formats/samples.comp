#version 450
#extension GL_EXT_samplerless_texture_functions : require
// Stores to each sample of each pixel, then loads as a storage image and as a sampled one, of another pixel. Runs twice: the second
// time it loads what the first has stored.
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) writeonly buffer Out { uvec4 result[]; };
#if LAYERED
layout(binding = 1, LAYOUT) uniform uimage2DMSArray a;
layout(binding = 2) uniform utexture2DMSArray b;
#define LAYERS imageSize(a).z
#define AT(p) ivec3(p, layer)
#else
layout(binding = 1, LAYOUT) uniform uimage2DMS a;
layout(binding = 2) uniform utexture2DMS b;
#define LAYERS 1
#define AT(p) p
#endif
uint next = 0;
void put(uvec4 v) {
	uvec2 p = gl_GlobalInvocationID.xy, n = gl_NumWorkGroups.xy * 8;
	result[(next++ * n.y + p.y) * n.x + p.x] = v;
}
void main() {
	ivec2 p = ivec2(gl_GlobalInvocationID.xy), n = imageSize(a).xy;
	for (int layer = 0; layer < LAYERS; layer++) {
		for (int s = 0; s < imageSamples(a); s++) {
			uint v = uint(((layer * 8 + s) * 64 + p.y) * 64 + p.x);
			imageStore(a, AT(p), s, uvec4(v, v * 5u + 1u, v * 11u, ~v) & MASK);
			ivec2 q = (p + ivec2(5, 3)) % n;
			put(imageLoad(a, AT(q), s));
			put(texelFetch(b, AT(q), s));
		}
	}
}
