#version 450
// run: 2 3 2 -b 4608:0
layout(local_size_x = 4, local_size_y = 3, local_size_z = 2) in;
layout(std430, binding = 0) buffer A { uvec4 a[]; };
void main() {
	uvec3 n = gl_NumWorkGroups * gl_WorkGroupSize, g = gl_GlobalInvocationID;
	a[(g.z * n.y + g.y) * n.x + g.x] = uvec4(g.x | g.y << 8 | g.z << 16, gl_LocalInvocationIndex, gl_WorkGroupID.x | gl_WorkGroupID.y << 8 | gl_WorkGroupID.z << 16, gl_NumWorkGroups.y);
}
