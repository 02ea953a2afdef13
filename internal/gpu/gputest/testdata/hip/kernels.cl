// Kernels for hsarun.c. They use no library: the layout of arguments is that of C.
#define LOCAL __builtin_amdgcn_workitem_id_x()
#define GROUP __builtin_amdgcn_workgroup_id_x()

// Each group of 64 reverses its part by LDS.
__kernel void reverse(__global const uint *in, __global uint *out)
{
	__local uint tile[64];
	uint at = GROUP * 64 + LOCAL;
	tile[LOCAL] = in[at] * 3 + 1;
	__builtin_amdgcn_s_waitcnt(0);
	__builtin_amdgcn_s_barrier();
	out[at] = tile[63 - LOCAL];
}

__kernel void count(__global uint *in, __global uint *out)
{
	__opencl_atomic_fetch_add((__global atomic_uint *)out, 1, memory_order_relaxed, memory_scope_device);
}

__kernel void scratch(__global const uint *in, __global uint *out)
{
	uint own[40];
	uint at = GROUP * 64 + LOCAL;
	for (uint i = 0; i < 40; i++)
		own[i] = i * i + at;
	own[in[LOCAL] % 40] += 7;
	out[at] = own[in[LOCAL] % 40] + own[39 - in[LOCAL] % 40];
}
