// What the kernels of the benchmark need besides the language: without a library of built-in functions for AMD's GPUs, with that of the
// implementation elsewhere.
#ifdef __AMDGCN__
#define ID(d) (__builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() + __builtin_amdgcn_workitem_id_x())
#define RSQRT(x) __builtin_amdgcn_rsqf(x)
#define SQRT(x) __builtin_sqrtf(x)
#define EXP2(x) __builtin_exp2f(x)
#define LOG2(x) __builtin_log2f(x)
#else
#define ID(d) get_global_id(d)
#define RSQRT(x) native_rsqrt(x)
#define SQRT(x) sqrt(x)
#define EXP2(x) native_exp2(x)
#define LOG2(x) native_log2(x)
#endif
