#version 450
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_vote : require
// run: 2 1 1 -b 512 -b 2048:0
// A group sees only what does not depend on the size of subgroups.
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer A { uint a[]; };
layout(std430, binding = 1) buffer B { uvec4 r[]; };
void main() {
	uint v = a[gl_GlobalInvocationID.x];
	bool odd = (v & 1u) != 0u;
	uvec4 b = subgroupBallot(odd);
	bool own = subgroupBallotBitExtract(b, gl_SubgroupInvocationID);
	r[gl_GlobalInvocationID.x] = uvec4(own == odd, subgroupAny(odd) || !odd, subgroupAll(odd) ? 2u : 1u, subgroupBroadcastFirst(7u));
}
