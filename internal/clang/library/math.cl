// Math functions (6.15.2) that are an instruction or a few. Those that need a library of their own are not here.

// The builtins of each type.
#define HD_B(T, name) HD_B_##T(name)
#define HD_B_float(name) __builtin_##name##f
#define HD_B_double(name) __builtin_##name
#define HD_B_half(name) __builtin_##name##f16
#define HD_V1T(F, T) HD_VECTORS(HD_VEC1, F, T, T)
#define HD_V2T(F, T) HD_VECTORS(HD_VEC2, F, T, T, T)
#define HD_V3T(F, T) HD_VECTORS(HD_VEC3, F, T, T, T, T)
#define HD_INT_MAX_int INT_MAX
#define HD_INT_MAX_long LONG_MAX
#define HD_INT_MAX_short SHRT_MAX

// A result through an integer of its size, a power of two, and through a pointer, which may be into any memory.
#define HD_P_V(N, S, F, R, A, P) FN R##N F(A##N a, S P##N *p) { \
  R##N r; P##N q; \
  for (int i = 0; i < N; i++) { P x; r[i] = hd_##F((A)a[i], &x); q[i] = x; } \
  *p = q; \
  return r; }
#define HD_P(S, F, R, A, P) FN R F(A a, S P *p) { P x; R r = hd_##F(a, &x); *p = x; return r; } HD_VECTORS(HD_P_V, S, F, R, A, P)

HELP float hd_ldexp(float x, int n) { return __builtin_amdgcn_ldexpf(x, n); }
HELP double hd_ldexp(double x, int n) { return __builtin_amdgcn_ldexp(x, n); }
HD_HALF(HELP half hd_ldexp(half x, int n) { return (half)__builtin_amdgcn_ldexpf((float)x, n); })
HELP int hd_exponent(float x) { return __builtin_amdgcn_frexp_expf(x); }
HELP int hd_exponent(double x) { return __builtin_amdgcn_frexp_exp(x); }
HD_HALF(HELP int hd_exponent(half x) { return __builtin_amdgcn_frexp_expf((float)x); })
HELP float hd_mantissa(float x) { return __builtin_amdgcn_frexp_mantf(x); }
HELP double hd_mantissa(double x) { return __builtin_amdgcn_frexp_mant(x); }
HD_HALF(HELP half hd_mantissa(half x) { return (half)__builtin_amdgcn_frexp_mantf((float)x); })
HELP float hd_trunc(float x) { return __builtin_truncf(x); }
HELP double hd_trunc(double x) { return __builtin_trunc(x); }
HD_HALF(HELP half hd_trunc(half x) { return __builtin_truncf16(x); })
#define HD_BAD(x) ((x) - (x) != 0)

//@ (fabs|floor|ceil|trunc|rint|round|sqrt)
#define HD_${0}(T, I) FN T ${0}(T a) { return HD_B(T, ${0})(a); } HD_V1T(${0}, T)
HD_FLOATS(HD_${0})

//@ fmin|fmax
#define HD_${0}(T, I) FN T ${0}(T a, T b) { return HD_B(T, ${0})(a, b); } HD_V2T(${0}, T) HD_${0}_V(T)
#define HD_${0}_V(T) HD_VECTORS(HD_${0}_N, T)
#define HD_${0}_N(N, T) FN T##N ${0}(T##N a, T b) { return ${0}(a, (T##N)b); }
HD_FLOATS(HD_${0})

//@ copysign
#define HD_CS(T, I) FN T copysign(T a, T b) { return HD_B(T, copysign)(a, b); } HD_V2T(copysign, T)
HD_FLOATS(HD_CS)

//@ fma
#define HD_FMA(T, I) FN T fma(T a, T b, T c) { return HD_B(T, fma)(a, b, c); } HD_V3T(fma, T)
HD_FLOATS(HD_FMA)

//@ mad
#define HD_MAD(T, I) FN T mad(T a, T b, T c) { return a * b + c; } HD_V3T(mad, T)
HD_FLOATS(HD_MAD)

//@ fdim
#define HD_FDIM(T, I) FN T fdim(T a, T b) { return a != a || b != b ? a + b : a > b ? a - b : (T)0; } HD_V2T(fdim, T)
HD_FLOATS(HD_FDIM)

//@ maxmag
#define HD_MAG(T, I) FN T maxmag(T a, T b) { T x = HD_B(T, fabs)(a), y = HD_B(T, fabs)(b); return x > y ? a : y > x ? b : HD_B(T, fmax)(a, b); } HD_V2T(maxmag, T)
HD_FLOATS(HD_MAG)

//@ minmag
#define HD_MIG(T, I) FN T minmag(T a, T b) { T x = HD_B(T, fabs)(a), y = HD_B(T, fabs)(b); return x < y ? a : y < x ? b : HD_B(T, fmin)(a, b); } HD_V2T(minmag, T)
HD_FLOATS(HD_MIG)

//@ rsqrt
#define HD_RSQRT(T, I) FN T rsqrt(T a) { return (T)1 / HD_B(T, sqrt)(a); } HD_V1T(rsqrt, T)
HD_FLOATS(HD_RSQRT)

//@ exp2|log2
#define HD_${0}(T, I) FN T ${0}(T a) { return (T)__builtin_${0}f((float)a); } HD_V1T(${0}, T)
HD_${0}(float, int)
HD_HALF(HD_${0}(half, short))

//@ (native|half)_(exp2|log2|sqrt)
FN float ${0}(float a) { return __builtin_${2}f(a); }
HD_V1T(${0}, float)

//@ (native|half)_exp
FN float ${0}(float a) { return __builtin_exp2f(a * 0x1.715476p+0f); }
HD_V1T(${0}, float)

//@ (native|half)_exp10
FN float ${0}(float a) { return __builtin_exp2f(a * 0x1.a934fp+1f); }
HD_V1T(${0}, float)

//@ (native|half)_log
FN float ${0}(float a) { return __builtin_log2f(a) * 0x1.62e43p-1f; }
HD_V1T(${0}, float)

//@ (native|half)_log10
FN float ${0}(float a) { return __builtin_log2f(a) * 0x1.344136p-2f; }
HD_V1T(${0}, float)

//@ (native|half)_powr
FN float ${0}(float a, float b) { return __builtin_exp2f(b * __builtin_log2f(a)); }
HD_V2T(${0}, float)

//@ (native|half)_recip
FN float ${0}(float a) { return __builtin_amdgcn_rcpf(a); }
HD_V1T(${0}, float)

//@ (native|half)_rsqrt
FN float ${0}(float a) { return __builtin_amdgcn_rsqf(a); }
HD_V1T(${0}, float)

//@ (native|half)_divide
FN float ${0}(float a, float b) { return a * __builtin_amdgcn_rcpf(b); }
HD_V2T(${0}, float)

//@ (native|half)_(sin|cos)
FN float ${0}(float a) { return __builtin_${2}f(a); }
HD_V1T(${0}, float)

//@ (native|half)_tan
FN float ${0}(float a) { return __builtin_sinf(a) * __builtin_amdgcn_rcpf(__builtin_cosf(a)); }
HD_V1T(${0}, float)

//@ ldexp
#define HD_LD_N(N, T) FN T##N ldexp(T##N a, int##N n) { T##N r; for (int i = 0; i < N; i++) r[i] = hd_ldexp((T)a[i], n[i]); return r; } \
  FN T##N ldexp(T##N a, int n) { T##N r; for (int i = 0; i < N; i++) r[i] = hd_ldexp((T)a[i], n); return r; }
#define HD_LDEXP(T, I) FN T ldexp(T a, int n) { return hd_ldexp(a, n); } HD_VECTORS(HD_LD_N, T)
HD_FLOATS(HD_LDEXP)

//@ ilogb
#define HD_ILOGB(T, I) FN int ilogb(T a) { return a == 0 ? FP_ILOGB0 : a != a ? FP_ILOGBNAN : HD_BAD(a) ? INT_MAX : hd_exponent(a) - 1; } HD_VECTORS(HD_VEC1, ilogb, int, T)
HD_FLOATS(HD_ILOGB)

//@ logb
#define HD_LOGB(T, I) FN T logb(T a) { return a == 0 ? (T)-INFINITY : HD_BAD(a) ? a * a : (T)(hd_exponent(a) - 1); } HD_VECTORS(HD_VEC1, logb, T, T)
HD_FLOATS(HD_LOGB)

//@ frexp
#define HD_FREXP_OF(T, I) HELP T hd_frexp(T a, int *e) { bool odd = a == 0 || HD_BAD(a); *e = odd ? 0 : hd_exponent(a); return odd ? a : hd_mantissa(a); }
HD_FLOATS(HD_FREXP_OF)
#define HD_FREXP(T, I) HD_SPACES(HD_P, frexp, T, T, int)
HD_FLOATS(HD_FREXP)

//@ fract
// Below 1, as the specification has it: the largest number below is what -1e-10 has.
HELP float hd_below(float x) { return 0x1.fffffep-1f; }
HELP double hd_below(double x) { return 0x1.fffffffffffffp-1; }
HD_HALF(HELP half hd_below(half x) { return 0x1.ffcp-1h; })
#define HD_FRACT_OF(T, I) HELP T hd_fract(T a, T *whole) { \
  T f = hd_floor(a), r = a - f, most = hd_below(a); \
  *whole = f; \
  return a != a ? a : HD_BAD(a) ? HD_B(T, copysign)((T)0, a) : r < most ? HD_B(T, copysign)(r, a == 0 ? a : r) : most; }
HD_FLOATS(HD_FRACT_OF)
#define HD_FRACT(T, I) HD_SPACES(HD_P, fract, T, T, T)
HD_FLOATS(HD_FRACT)

//@ modf
#define HD_MODF_OF(T, I) HELP T hd_modf(T a, T *whole) { T t = hd_trunc(a); *whole = t; return HD_B(T, copysign)(HD_BAD(a) && a == a ? (T)0 : a - t, a); }
HD_FLOATS(HD_MODF_OF)
#define HD_MODF(T, I) HD_SPACES(HD_P, modf, T, T, T)
HD_FLOATS(HD_MODF)

//@ nan
#define HD_NAN_OF(N, T, U, quiet) FN T##N nan(U##N code) { return HD_AS(T##N, (U##N)(code | (U##N)quiet)); }
HD_SIZES(HD_NAN_OF, float, uint, 0x7fc00000)
HD_DOUBLE(HD_SIZES(HD_NAN_OF, double, ulong, 0x7ff8000000000000UL))
HD_HALF(HD_SIZES(HD_NAN_OF, half, ushort, 0x7e00))

//@ nextafter
// Bits are compared, so that denormals count even where arithmetic takes them for 0.
#define HD_NEXT(T, I) FN T nextafter(T a, T b) { \
  I x = HD_AS(I, a), y = HD_AS(I, b), most = HD_INT_MAX_##I; \
  I l = x < 0 ? (I)-(x & most) : x, r = y < 0 ? (I)-(y & most) : y; \
  if (a != a || b != b) return a + b; \
  if (l == r) return b; \
  l += l < r ? 1 : -1; \
  return HD_AS(T, (I)(l < 0 ? (I)-l | (I)~most : l == 0 && x < 0 ? (I)~most : l)); } HD_V2T(nextafter, T)
HD_FLOATS(HD_NEXT)

//@ hypot
FN float hypot(float a, float b) { return __builtin_isinf(a) || __builtin_isinf(b) ? INFINITY : (float)__builtin_sqrt((double)a * (double)a + (double)b * (double)b); }
HD_V2T(hypot, float)

//@ sin|cos fallback
// The turn that a is is taken to twice the precision of a float, and then what is past the whole turns: the instruction's error, 2^-20, stays
// for arguments up to 2^16 or so.
FN float ${0}(float a) {
  float t = a * 0x1.45f306p-3f, low = __builtin_fmaf(a, 0x1.45f306p-3f, -t) + a * 0x1.b9391p-28f;
  return __builtin_amdgcn_${0}f(__builtin_amdgcn_fractf(t) + low);
}
HD_V1T(${0}, float)

//@ tan fallback
FN float tan(float a) {
  float t = a * 0x1.45f306p-3f, low = __builtin_fmaf(a, 0x1.45f306p-3f, -t) + a * 0x1.b9391p-28f, r = __builtin_amdgcn_fractf(t) + low;
  return __builtin_amdgcn_sinf(r) / __builtin_amdgcn_cosf(r);
}
HD_V1T(tan, float)
