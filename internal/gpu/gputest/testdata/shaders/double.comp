#version 450
// run: 2 1 1 -b 1024 -b 1024:0
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer A { uvec2 a[]; };
layout(std430, binding = 1) buffer B { double b[]; };
void main() {
	uint i = gl_GlobalInvocationID.x;
	double x = double(int(a[i].x)), y = double(a[i].y) + 0.5;
	b[i] = floor(x * 0.125) + y * 4.0 - trunc(y / 8.0);
}
