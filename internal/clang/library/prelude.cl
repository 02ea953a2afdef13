// Built-in functions of OpenCL C 3.0, chapter 6.15, as far as this library has them. A line "//@ REGEXP" begins a section: the
// definitions of the functions whose names the expression matches, with $1 and its like replaced. Only the sections of the functions
// that a program calls are compiled, after this file and after what stands before the first section of their own file. A section calls
// no built-in function but its own, only builtins of clang and helpers whose names begin with hd_.

#define FN __attribute__((overloadable, always_inline))
#define HELP static FN

#if __OPENCL_C_VERSION__ == 200 || defined(__opencl_c_generic_address_space)
#define HD_GENERIC 1
#define HD_GENERIC_ONLY(...) __VA_ARGS__
#else
#define HD_GENERIC_ONLY(...)
#endif

// M(S, ...) for each address space that a program writes to; generic is the empty one.
#define HD_SPACES(M, ...) M(global, __VA_ARGS__) M(local, __VA_ARGS__) M(private, __VA_ARGS__) HD_GENERIC_ONLY(M(generic, __VA_ARGS__))

#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define HD_HALF(...) __VA_ARGS__
#else
#define HD_HALF(...)
#endif
#ifdef cl_khr_fp64
#define HD_DOUBLE(...) __VA_ARGS__
#else
#define HD_DOUBLE(...)
#endif

// M(N, ...) for each number of components.
#define HD_VECTORS(M, ...) M(2, __VA_ARGS__) M(3, __VA_ARGS__) M(4, __VA_ARGS__) M(8, __VA_ARGS__) M(16, __VA_ARGS__)
#define HD_SIZES(M, ...) M(, __VA_ARGS__) HD_VECTORS(M, __VA_ARGS__)

// M(T, U, B): signed or unsigned type, the unsigned type of its size, bits.
#define HD_SIGNED(M) M(char, uchar, 8) M(short, ushort, 16) M(int, uint, 32) M(long, ulong, 64)
#define HD_UNSIGNED(M) M(uchar, uchar, 8) M(ushort, ushort, 16) M(uint, uint, 32) M(ulong, ulong, 64)
#define HD_INTS(M) HD_SIGNED(M) HD_UNSIGNED(M)

// M(T, I): float type, the signed integer of its size.
#define HD_FLOATS(M) M(float, int) HD_DOUBLE(M(double, long)) HD_HALF(M(half, short))

#define HD_PASTE_(a, b) a##b
#define HD_PASTE(a, b) HD_PASTE_(a, b)
#define HD_AS(T, x) __builtin_astype((x), T)

// Components of one, two and three vectors, each through F.
#define HD_EACH1_2(F, a) F(a.s0), F(a.s1)
#define HD_EACH1_3(F, a) F(a.s0), F(a.s1), F(a.s2)
#define HD_EACH1_4(F, a) F(a.s0), F(a.s1), F(a.s2), F(a.s3)
#define HD_EACH1_8(F, a) HD_EACH1_4(F, a.lo), HD_EACH1_4(F, a.hi)
#define HD_EACH1_16(F, a) HD_EACH1_8(F, a.lo), HD_EACH1_8(F, a.hi)
#define HD_EACH2_2(F, a, b) F(a.s0, b.s0), F(a.s1, b.s1)
#define HD_EACH2_3(F, a, b) F(a.s0, b.s0), F(a.s1, b.s1), F(a.s2, b.s2)
#define HD_EACH2_4(F, a, b) F(a.s0, b.s0), F(a.s1, b.s1), F(a.s2, b.s2), F(a.s3, b.s3)
#define HD_EACH2_8(F, a, b) HD_EACH2_4(F, a.lo, b.lo), HD_EACH2_4(F, a.hi, b.hi)
#define HD_EACH2_16(F, a, b) HD_EACH2_8(F, a.lo, b.lo), HD_EACH2_8(F, a.hi, b.hi)
#define HD_EACH3_2(F, a, b, c) F(a.s0, b.s0, c.s0), F(a.s1, b.s1, c.s1)
#define HD_EACH3_3(F, a, b, c) F(a.s0, b.s0, c.s0), F(a.s1, b.s1, c.s1), F(a.s2, b.s2, c.s2)
#define HD_EACH3_4(F, a, b, c) F(a.s0, b.s0, c.s0), F(a.s1, b.s1, c.s1), F(a.s2, b.s2, c.s2), F(a.s3, b.s3, c.s3)
#define HD_EACH3_8(F, a, b, c) HD_EACH3_4(F, a.lo, b.lo, c.lo), HD_EACH3_4(F, a.hi, b.hi, c.hi)
#define HD_EACH3_16(F, a, b, c) HD_EACH3_8(F, a.lo, b.lo, c.lo), HD_EACH3_8(F, a.hi, b.hi, c.hi)

// Vector forms of a function that is defined for the scalars: R result, A, B, C arguments.
#define HD_VEC1(N, F, R, A) FN R##N F(A##N a) { return (R##N)(HD_EACH1_##N(F, a)); }
#define HD_VEC2(N, F, R, A, B) FN R##N F(A##N a, B##N b) { return (R##N)(HD_EACH2_##N(F, a, b)); }
#define HD_VEC3(N, F, R, A, B, C) FN R##N F(A##N a, B##N b, C##N c) { return (R##N)(HD_EACH3_##N(F, a, b, c)); }

// gfx6 rounds down by an instruction that it does not have: LLVM's substitute gives -1 + 2^-53 for -1e-300.
#if defined(__gfx600__) || defined(__gfx601__) || defined(__gfx602__)
HELP double hd_floor(double x) { double t = __builtin_trunc(x); return t > x ? t - 1 : t; }
#else
HELP double hd_floor(double x) { return __builtin_floor(x); }
#endif
HELP float hd_floor(float x) { return __builtin_floorf(x); }
HD_HALF(HELP half hd_floor(half x) { return __builtin_floorf16(x); })
