#version 450
// run: 5 4 1 -c -t 40x32:linear -t 40x32:linear
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0, r32ui) uniform uimage2D a;
layout(binding = 1, r32ui) uniform uimage2D b;
void main() {
	ivec2 p = ivec2(gl_GlobalInvocationID.xy), n = imageSize(a);
	uint v = imageLoad(a, n - 1 - p).x;
	imageStore(b, p, uvec4(v * 3u + uint(p.x), 0u, 0u, 0u));
}
