#version 450
// run: 1 1 1 -b 256
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer A { uint a[]; };
void main() {
	while (a[0] != 1u)
		atomicAdd(a[1], 1u);
}
