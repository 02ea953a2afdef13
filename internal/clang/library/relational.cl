// Relational functions (6.15.6) and shuffles (6.15.12.12). A scalar answer is 0 or 1, a component of a vector 0 or -1.

// M(NAME, T, I, TEST) for scalars and vectors: TEST of a, or of a and b. The scalar forms return int.
#define HD_T1(N, NAME, T, I, TEST) FN I##N NAME(T##N a) { return HD_AS(I##N, TEST); }
#define HD_T2(N, NAME, T, I, TEST) FN I##N NAME(T##N a, T##N b) { return HD_AS(I##N, TEST); }
#define HD_TEST1(NAME, T, I, TEST) FN int NAME(T a) { return TEST; } HD_VECTORS(HD_T1, NAME, T, I, TEST)
#define HD_TEST2(NAME, T, I, TEST) FN int NAME(T a, T b) { return TEST; } HD_VECTORS(HD_T2, NAME, T, I, TEST)

// The bits of a float without its sign, and those of infinity, in a type of its size.
#define HD_BITS_float(N) (HD_AS(int##N, a) & (int##N)INT_MAX)
#define HD_INF_float(N) ((int##N)0x7f800000)
#define HD_LEAST_float(N) ((int##N)0x00800000)
#define HD_BITS_double(N) (HD_AS(long##N, a) & (long##N)LONG_MAX)
#define HD_INF_double(N) ((long##N)0x7ff0000000000000L)
#define HD_LEAST_double(N) ((long##N)0x0010000000000000L)
#define HD_BITS_half(N) (HD_AS(short##N, a) & (short##N)SHRT_MAX)
#define HD_INF_half(N) ((short##N)0x7c00)
#define HD_LEAST_half(N) ((short##N)0x0400)
#define HD_B1(N, NAME, T, I, M) FN I##N NAME(T##N a) { return M(T, N, I); }
#define HD_BITS(NAME, T, I, M) FN int NAME(T a) { return M(T, , I); } HD_VECTORS(HD_B1, NAME, T, I, M)

//@ isequal
#define HD_${0}(T, I) HD_TEST2(${0}, T, I, a == b)
HD_FLOATS(HD_${0})

//@ isnotequal
#define HD_${0}(T, I) HD_TEST2(${0}, T, I, a != b)
HD_FLOATS(HD_${0})

//@ isgreater
#define HD_${0}(T, I) HD_TEST2(${0}, T, I, a > b)
HD_FLOATS(HD_${0})

//@ isgreaterequal
#define HD_${0}(T, I) HD_TEST2(${0}, T, I, a >= b)
HD_FLOATS(HD_${0})

//@ isless
#define HD_${0}(T, I) HD_TEST2(${0}, T, I, a < b)
HD_FLOATS(HD_${0})

//@ islessequal
#define HD_${0}(T, I) HD_TEST2(${0}, T, I, a <= b)
HD_FLOATS(HD_${0})

//@ islessgreater
#define HD_LG(N, T, I) FN I##N islessgreater(T##N a, T##N b) { return (I##N)(a < b) | (I##N)(a > b); }
#define HD_${0}(T, I) FN int islessgreater(T a, T b) { return a < b || a > b; } HD_VECTORS(HD_LG, T, I)
HD_FLOATS(HD_${0})

//@ isordered
#define HD_ORD(N, T, I) FN I##N isordered(T##N a, T##N b) { return (I##N)(a == a) & (I##N)(b == b); }
#define HD_${0}(T, I) FN int isordered(T a, T b) { return a == a && b == b; } HD_VECTORS(HD_ORD, T, I)
HD_FLOATS(HD_${0})

//@ isunordered
#define HD_UNORD(N, T, I) FN I##N isunordered(T##N a, T##N b) { return (I##N)(a != a) | (I##N)(b != b); }
#define HD_${0}(T, I) FN int isunordered(T a, T b) { return a != a || b != b; } HD_VECTORS(HD_UNORD, T, I)
HD_FLOATS(HD_${0})

//@ isfinite
#define HD_FIN(T, N, I) (HD_BITS_##T(N) < HD_INF_##T(N))
#define HD_${0}(T, I) HD_BITS(${0}, T, I, HD_FIN)
HD_FLOATS(HD_${0})

//@ isinf
#define HD_ISINF(T, N, I) (HD_BITS_##T(N) == HD_INF_##T(N))
#define HD_${0}(T, I) HD_BITS(${0}, T, I, HD_ISINF)
HD_FLOATS(HD_${0})

//@ isnan
#define HD_ISNAN(T, N, I) (HD_BITS_##T(N) > HD_INF_##T(N))
#define HD_${0}(T, I) HD_BITS(${0}, T, I, HD_ISNAN)
HD_FLOATS(HD_${0})

//@ isnormal
#define HD_NORMAL(N, T, I) FN I##N isnormal(T##N a) { return (I##N)(HD_BITS_##T(N) >= HD_LEAST_##T(N)) & (I##N)(HD_BITS_##T(N) < HD_INF_##T(N)); }
#define HD_${0}(T, I) FN int isnormal(T a) { return HD_BITS_##T() >= HD_LEAST_##T() && HD_BITS_##T() < HD_INF_##T(); } HD_VECTORS(HD_NORMAL, T, I)
HD_FLOATS(HD_${0})

//@ signbit
#define HD_SB(N, T, I) FN I##N signbit(T##N a) { return HD_AS(I##N, a) < (I##N)0; }
#define HD_${0}(T, I) FN int signbit(T a) { return HD_AS(I, a) < 0; } HD_VECTORS(HD_SB, T, I)
HD_FLOATS(HD_${0})

//@ any
#define HD_OR_2(x) x.s0 | x.s1
#define HD_OR_3(x) x.s0 | x.s1 | x.s2
#define HD_OR_4(x) x.s0 | x.s1 | x.s2 | x.s3
#define HD_OR_8(x) HD_OR_4(x.lo) | HD_OR_4(x.hi)
#define HD_OR_16(x) HD_OR_8(x.lo) | HD_OR_8(x.hi)
#define HD_ANY_N(N, T) FN int any(T##N x) { return (HD_OR_##N(x)) < 0; }
#define HD_ANY(T, U, B) FN int any(T x) { return x < 0; } HD_VECTORS(HD_ANY_N, T)
HD_SIGNED(HD_ANY)

//@ all
#define HD_AND_2(x) x.s0 & x.s1
#define HD_AND_3(x) x.s0 & x.s1 & x.s2
#define HD_AND_4(x) x.s0 & x.s1 & x.s2 & x.s3
#define HD_AND_8(x) HD_AND_4(x.lo) & HD_AND_4(x.hi)
#define HD_AND_16(x) HD_AND_8(x.lo) & HD_AND_8(x.hi)
#define HD_ALL_N(N, T) FN int all(T##N x) { return (HD_AND_##N(x)) < 0; }
#define HD_ALL(T, U, B) FN int all(T x) { return x < 0; } HD_VECTORS(HD_ALL_N, T)
HD_SIGNED(HD_ALL)

//@ bitselect
#define HD_BS(N, T, I) FN T##N bitselect(T##N a, T##N b, T##N c) { \
  return HD_AS(T##N, (I##N)((HD_AS(I##N, a) & ~HD_AS(I##N, c)) | (HD_AS(I##N, b) & HD_AS(I##N, c)))); }
#define HD_BSI(T, U, B) HD_SIZES(HD_BS, T, T)
#define HD_BSF(T, I) HD_SIZES(HD_BS, T, I)
HD_INTS(HD_BSI)
HD_FLOATS(HD_BSF)

//@ select
#define HD_SEL_V(N, T, C, I) FN T##N select(T##N a, T##N b, C##N c) { return HD_AS(I##N, c) < (I##N)0 ? b : a; }
#define HD_SEL_2(T, C, I) FN T select(T a, T b, C c) { return c ? b : a; } HD_VECTORS(HD_SEL_V, T, C, I)
#define HD_SEL_OF(T, I, U) HD_SEL_2(T, I, I) HD_SEL_2(T, U, I)
HD_SEL_OF(char, char, uchar) HD_SEL_OF(uchar, char, uchar) HD_SEL_OF(short, short, ushort) HD_SEL_OF(ushort, short, ushort)
HD_SEL_OF(int, int, uint) HD_SEL_OF(uint, int, uint) HD_SEL_OF(long, long, ulong) HD_SEL_OF(ulong, long, ulong)
HD_SEL_OF(float, int, uint) HD_DOUBLE(HD_SEL_OF(double, long, ulong)) HD_HALF(HD_SEL_OF(half, short, ushort))

//@ shuffle
#define HD_SH_FROM(N, R, T, U) FN T##R shuffle(T##N v, U##R m) { \
  T##R r; \
  for (int i = 0; i < R; i++) r[i] = v[m[i] & (U)(N - 1)]; \
  return r; }
#define HD_SH_TO(R, T, U) HD_SH_FROM(2, R, T, U) HD_SH_FROM(4, R, T, U) HD_SH_FROM(8, R, T, U) HD_SH_FROM(16, R, T, U)
#define HD_SHUF(T, U, B) HD_SH_TO(2, T, U) HD_SH_TO(4, T, U) HD_SH_TO(8, T, U) HD_SH_TO(16, T, U)
HD_INTS(HD_SHUF)
HD_SHUF(float, uint, ) HD_DOUBLE(HD_SHUF(double, ulong, )) HD_HALF(HD_SHUF(half, ushort, ))

//@ shuffle2
#define HD_SH2_FROM(N, R, T, U) FN T##R shuffle2(T##N v, T##N w, U##R m) { \
  T##R r; \
  for (int i = 0; i < R; i++) r[i] = m[i] & (U)N ? w[m[i] & (U)(N - 1)] : v[m[i] & (U)(N - 1)]; \
  return r; }
#define HD_SH2_TO(R, T, U) HD_SH2_FROM(2, R, T, U) HD_SH2_FROM(4, R, T, U) HD_SH2_FROM(8, R, T, U) HD_SH2_FROM(16, R, T, U)
#define HD_SHUF2(T, U, B) HD_SH2_TO(2, T, U) HD_SH2_TO(4, T, U) HD_SH2_TO(8, T, U) HD_SH2_TO(16, T, U)
HD_INTS(HD_SHUF2)
HD_SHUF2(float, uint, ) HD_DOUBLE(HD_SHUF2(double, ulong, )) HD_HALF(HD_SHUF2(half, ushort, ))
