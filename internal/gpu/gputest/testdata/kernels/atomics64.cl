// run: 256 64 -b 2048 -b 64:0
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
__kernel void run(__global const ulong *a, __global ulong *r) {
	ulong v = a[get_global_id(0)];
	atom_add(&r[0], v);
	atom_max(&r[1], v);
	atom_xor(&r[2], v);
	atom_or(&r[3], v & 0x0f0f0f0f00ff00fful);
	atom_max((__global long *)&r[4], (long)v);
	atom_min((__global long *)&r[5], (long)v);
	atom_inc(&r[6]);
}
