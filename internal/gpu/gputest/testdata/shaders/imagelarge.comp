#version 450
// run: 64 32 1 -c -t 512x256
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0, r32ui) uniform uimage2D a;
void main() {
	ivec2 p = ivec2(gl_GlobalInvocationID.xy);
	imageStore(a, p, uvec4(imageLoad(a, p).x ^ uint(p.x * 512 + p.y), 0u, 0u, 0u));
	imageAtomicAdd(a, p, 5u);
}
