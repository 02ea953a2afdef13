#version 450
// run: 4 1 1 -b 1024 -b 1024:3 -b 4096:0
// Only operations whose result Vulkan defines exactly.
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer A { uint a[]; };
layout(std430, binding = 1) buffer B { uint b[]; };
layout(std430, binding = 2) buffer C { uvec4 c[]; };
void main() {
	uint i = gl_GlobalInvocationID.x;
	precise float x = float(int(a[i]) >> 12), y = float(b[i] >> 20) * 0.0625;
	precise float p = x * y, s = x + y;
	c[i] = uvec4(floatBitsToUint(p), floatBitsToUint(s - p), uint(int(floor(y) + ceil(x) - trunc(y))), floatBitsToUint(max(x, y) * min(x, 3.0)));
}
