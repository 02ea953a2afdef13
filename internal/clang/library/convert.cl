// Explicit conversions (6.4.3). Without a rounding mode, to integers is toward zero, to floats to the nearest. What a conversion without
// _sat does with a number out of range is the implementation's choice; here it is that of the instruction.

#define HD_IN(T) \
HELP T hd_in(T x) { return x; } HELP T hd_in_rte(T x) { return x; } HELP T hd_in_rtz(T x) { return x; } \
HELP T hd_in_rtp(T x) { return x; } HELP T hd_in_rtn(T x) { return x; }
#define HD_IN_INT(T, U, B) HD_IN(T)
HD_INTS(HD_IN_INT)
#define HD_IN_FLOAT(T, rint, trunc, ceil, floor) \
HELP T hd_in(T x) { return trunc(x); } HELP T hd_in_rte(T x) { return rint(x); } HELP T hd_in_rtz(T x) { return trunc(x); } \
HELP T hd_in_rtp(T x) { return ceil(x); } HELP T hd_in_rtn(T x) { return floor(x); }
HD_IN_FLOAT(float, __builtin_rintf, __builtin_truncf, __builtin_ceilf, __builtin_floorf)
HD_DOUBLE(HD_IN_FLOAT(double, __builtin_rint, __builtin_trunc, __builtin_ceil, hd_floor))
#ifdef cl_khr_fp16
HELP float hd_in(half x) { return hd_in((float)x); }
HELP float hd_in_rte(half x) { return hd_in_rte((float)x); }
HELP float hd_in_rtz(half x) { return hd_in_rtz((float)x); }
HELP float hd_in_rtp(half x) { return hd_in_rtp((float)x); }
HELP float hd_in_rtn(half x) { return hd_in_rtn((float)x); }
#endif

// The nearest of the range. 2^B and 2^(B-1) are floats.
#define HD_SAT_TO(T, U, B, least, most, limit, low) \
HELP T hd_sat_##T(float x) { return x != x ? (T)0 : x >= limit##f ? (T)most : x <= low##f ? (T)least : (T)x; } \
HD_DOUBLE(HELP T hd_sat_##T(double x) { return x != x ? (T)0 : x >= limit ? (T)most : x <= low ? (T)least : (T)x; }) \
HELP T hd_sat_##T(long x) { return x < 0 ? (x < (long)least ? (T)least : (T)x) : (ulong)x > (ulong)most ? (T)most : (T)x; } \
HELP T hd_sat_##T(ulong x) { return x > (ulong)most ? (T)most : (T)x; } \
HELP T hd_sat_##T(int x) { return hd_sat_##T((long)x); } HELP T hd_sat_##T(uint x) { return hd_sat_##T((ulong)x); } \
HELP T hd_sat_##T(short x) { return hd_sat_##T((long)x); } HELP T hd_sat_##T(ushort x) { return hd_sat_##T((ulong)x); } \
HELP T hd_sat_##T(char x) { return hd_sat_##T((long)x); } HELP T hd_sat_##T(uchar x) { return hd_sat_##T((ulong)x); }
HD_SAT_TO(char, uchar, 8, CHAR_MIN, CHAR_MAX, 0x1p7, -0x1p7)
HD_SAT_TO(uchar, uchar, 8, 0, UCHAR_MAX, 0x1p8, 0x0p0)
HD_SAT_TO(short, ushort, 16, SHRT_MIN, SHRT_MAX, 0x1p15, -0x1p15)
HD_SAT_TO(ushort, ushort, 16, 0, USHRT_MAX, 0x1p16, 0x0p0)
HD_SAT_TO(int, uint, 32, INT_MIN, INT_MAX, 0x1p31, -0x1p31)
HD_SAT_TO(uint, uint, 32, 0, UINT_MAX, 0x1p32, 0x0p0)
HD_SAT_TO(long, ulong, 64, LONG_MIN, LONG_MAX, 0x1p63, -0x1p63)
HD_SAT_TO(ulong, ulong, 64, 0, ULONG_MAX, 0x1p64, 0x0p0)

// Neighbours of a float, and on which side of a number a float lies.
#define HD_NEXT(T, I) \
HELP T hd_up(T x) { I i = HD_AS(I, x); return x != x || x == (T)INFINITY ? x : HD_AS(T, (I)((I)(i << 1) == 0 ? 1 : i < 0 ? i - 1 : i + 1)); } \
HELP T hd_down(T x) { return -hd_up((T)-x); } \
HELP T hd_inward(T x) { return x > 0 ? hd_down(x) : hd_up(x); }
HD_FLOATS(HD_NEXT)
HELP int hd_side(double f, double x) { return f > x ? 1 : f < x ? -1 : 0; }
HELP int hd_side(double f, long x) { return f >= 0x1p63 ? 1 : f < -0x1p63 ? -1 : (long)f > x ? 1 : (long)f < x ? -1 : 0; }
HELP int hd_side(double f, ulong x) { return f >= 0x1p64 ? 1 : (ulong)f > x ? 1 : (ulong)f < x ? -1 : 0; }

// To the float type T of a number of S, which W holds exactly.
#define HD_TO(T, S, W) \
HELP T hd_##T(S x) { return (T)x; } HELP T hd_##T##_rte(S x) { return (T)x; } \
HELP T hd_##T##_rtz(S x) { T r = (T)x; int side = hd_side((double)r, (W)x); return r > 0 && side > 0 || r < 0 && side < 0 ? hd_inward(r) : r; } \
HELP T hd_##T##_rtp(S x) { T r = (T)x; return hd_side((double)r, (W)x) < 0 ? hd_up(r) : r; } \
HELP T hd_##T##_rtn(S x) { T r = (T)x; return hd_side((double)r, (W)x) > 0 ? hd_down(r) : r; }
#define HD_TO_ALL(T, I) \
HD_TO(T, char, long) HD_TO(T, short, long) HD_TO(T, int, long) HD_TO(T, long, long) \
HD_TO(T, uchar, ulong) HD_TO(T, ushort, ulong) HD_TO(T, uint, ulong) HD_TO(T, ulong, ulong) \
HD_TO(T, float, double) HD_DOUBLE(HD_TO(T, double, double)) HD_HALF(HD_TO(T, half, double))
HD_FLOATS(HD_TO_ALL)

// A function for each source type: E(D, R, x) makes a component.
#define HD_CV_(E, D, R, a) E(D, R, a)
#define HD_CV_2(E, D, R, a) E(D, R, a.s0), E(D, R, a.s1)
#define HD_CV_3(E, D, R, a) HD_CV_2(E, D, R, a), E(D, R, a.s2)
#define HD_CV_4(E, D, R, a) HD_CV_3(E, D, R, a), E(D, R, a.s3)
#define HD_CV_8(E, D, R, a) HD_CV_4(E, D, R, a.lo), HD_CV_4(E, D, R, a.hi)
#define HD_CV_16(E, D, R, a) HD_CV_8(E, D, R, a.lo), HD_CV_8(E, D, R, a.hi)
#define HD_FROM(NAME, D, N, R, E, S) FN D##N NAME(S##N a) { return (D##N)(HD_CV_##N(E, D, R, a)); }
#define HD_CONVERT(NAME, D, N, R, E) \
HD_FROM(NAME, D, N, R, E, char) HD_FROM(NAME, D, N, R, E, short) HD_FROM(NAME, D, N, R, E, int) HD_FROM(NAME, D, N, R, E, long) \
HD_FROM(NAME, D, N, R, E, uchar) HD_FROM(NAME, D, N, R, E, ushort) HD_FROM(NAME, D, N, R, E, uint) HD_FROM(NAME, D, N, R, E, ulong) \
HD_FROM(NAME, D, N, R, E, float) HD_DOUBLE(HD_FROM(NAME, D, N, R, E, double)) HD_HALF(HD_FROM(NAME, D, N, R, E, half))
#define HD_CUT(D, R, x) ((D)hd_in##R(x))
#define HD_SAT(D, R, x) hd_sat_##D(hd_in##R(x))
#define HD_FLOAT(D, R, x) hd_##D##R(x)

//@ convert_(char|uchar|short|ushort|int|uint|long|ulong)(2|3|4|8|16|)(_rte|_rtz|_rtp|_rtn|)
HD_CONVERT(${0}, ${1}, ${2}, ${3}, HD_CUT)

//@ convert_(char|uchar|short|ushort|int|uint|long|ulong)(2|3|4|8|16|)_sat(_rte|_rtz|_rtp|_rtn|)
HD_CONVERT(${0}, ${1}, ${2}, ${3}, HD_SAT)

//@ convert_(float|double|half)(2|3|4|8|16|)(_rte|_rtz|_rtp|_rtn|)
HD_CONVERT(${0}, ${1}, ${2}, ${3}, HD_FLOAT)
