// Each work-item leaves what its neighbour had, plus n.
__kernel void k(__global int *a, int n) {
	__local int l[64];
	int i = __builtin_amdgcn_workitem_id_x();
	l[i] = a[i];
	__builtin_amdgcn_fence(5, "workgroup");
	__builtin_amdgcn_s_barrier();
	__builtin_amdgcn_fence(4, "workgroup");
	a[i] = n + l[(i + 1) & 63];
}
