// Functions of integers and floats alike (6.15.3, 6.15.4), and geometric ones (6.15.5).

#define HD_MM(M) HD_MM_OF(M, char) HD_MM_OF(M, short) HD_MM_OF(M, int) HD_MM_OF(M, long) HD_MM_OF(M, uchar) HD_MM_OF(M, ushort) HD_MM_OF(M, uint) HD_MM_OF(M, ulong) \
  HD_MM_F(M)
#define HD_MM_F(M) HD_MM_OF(M, float) HD_DOUBLE(HD_MM_OF(M, double)) HD_HALF(HD_MM_OF(M, half))
// M(N, T) for scalars and M(N, T), with V of vectors alone.
#define HD_MM_OF(M, T) M(, T) HD_VECTORS(M, T) HD_VECTORS(M##_V, T)

// Sums of products, in the order of the components.
#define HD_SUM_(a, b) (a) * (b)
#define HD_SUM_2(a, b) a.s0 * b.s0 + a.s1 * b.s1
#define HD_SUM_3(a, b) HD_SUM_2(a, b) + a.s2 * b.s2
#define HD_SUM_4(a, b) HD_SUM_3(a, b) + a.s3 * b.s3
// M(N, T, W, M) where W is the type in which squares are summed.
#define HD_GEO_OF(M, T, W) M(, T, W) M(2, T, W) M(3, T, W) M(4, T, W)
#define HD_GEO(M) HD_GEO_OF(M, float, double) HD_DOUBLE(HD_GEO_OF(M, double, double)) HD_HALF(HD_GEO_OF(M, half, float))
#define HD_TO_(W, a) (W)a
#define HD_TO_2(W, a) (W##2)(a.s0, a.s1)
#define HD_TO_3(W, a) (W##3)(a.s0, a.s1, a.s2)
#define HD_TO_4(W, a) (W##4)(a.s0, a.s1, a.s2, a.s3)
#define HD_MOST_(a) HD_AV(a)
#define HD_MOST_2(a) __builtin_fmax(HD_AV(a.s0), HD_AV(a.s1))
#define HD_MOST_3(a) __builtin_fmax(HD_MOST_2(a), HD_AV(a.s2))
#define HD_MOST_4(a) __builtin_fmax(HD_MOST_3(a), HD_AV(a.s3))
#define HD_AV(x) __builtin_fabs((double)(x))

// The length of a vector whose greatest component is most. Squares of doubles are scaled by a power of two, so that they neither overflow nor
// vanish; those of shorter types fit into the wider one.
HELP float hd_root(float s) { return __builtin_sqrtf(s); }
HELP double hd_root(double s) { return __builtin_sqrt(s); }
#define HD_LENGTH(N, T, W) HELP W hd_length(T##N v) { W##N w = HD_TO_##N(W, v); \
  if (sizeof(T) == 8) { \
    double most = HD_MOST_##N(v); \
    if (most == 0 || most - most != 0) return (W)most; \
    int e = __builtin_amdgcn_frexp_exp(most); \
    W scale = (W)__builtin_amdgcn_ldexp(1.0, -e < -1022 ? -1022 : -e > 1023 ? 1023 : -e); \
    w = w * scale; \
    return hd_root((W)(HD_SUM_##N(w, w))) / scale; \
  } \
  return hd_root((W)(HD_SUM_##N(w, w))); }
HD_GEO(HD_LENGTH)

//@ min
#define HD_MIN(N, T) FN T##N min(T##N a, T##N b) { return b < a ? b : a; }
#define HD_MIN_V(N, T) FN T##N min(T##N a, T b) { return (T##N)b < a ? (T##N)b : a; }
HD_MM(HD_MIN)

//@ max
#define HD_MAX(N, T) FN T##N max(T##N a, T##N b) { return a < b ? b : a; }
#define HD_MAX_V(N, T) FN T##N max(T##N a, T b) { return a < (T##N)b ? (T##N)b : a; }
HD_MM(HD_MAX)

//@ clamp
#define HD_CLAMP(N, T) FN T##N clamp(T##N x, T##N lo, T##N hi) { T##N y = x < lo ? lo : x; return hi < y ? hi : y; }
#define HD_CLAMP_V(N, T) FN T##N clamp(T##N x, T lo, T hi) { T##N y = x < (T##N)lo ? (T##N)lo : x; return (T##N)hi < y ? (T##N)hi : y; }
HD_MM(HD_CLAMP)

//@ degrees
#define HD_DEG(N, T) FN T##N degrees(T##N x) { return x * (T##N)(T)57.295779513082320876798; }
#define HD_DEG_V(N, T)
HD_MM_F(HD_DEG)

//@ radians
#define HD_RAD(N, T) FN T##N radians(T##N x) { return x * (T##N)(T)0.01745329251994329576923; }
#define HD_RAD_V(N, T)
HD_MM_F(HD_RAD)

//@ mix
#define HD_MIX(N, T) FN T##N mix(T##N a, T##N b, T##N t) { return a + (b - a) * t; }
#define HD_MIX_V(N, T) FN T##N mix(T##N a, T##N b, T t) { return a + (b - a) * (T##N)t; }
HD_MM_F(HD_MIX)

//@ step
#define HD_STEP(N, T) FN T##N step(T##N e, T##N x) { return x < e ? (T##N)(T)0 : (T##N)(T)1; }
#define HD_STEP_V(N, T) FN T##N step(T e, T##N x) { return x < (T##N)e ? (T##N)(T)0 : (T##N)(T)1; }
HD_MM_F(HD_STEP)

//@ smoothstep
#define HD_SMOOTH(N, T) FN T##N smoothstep(T##N a, T##N b, T##N x) { \
  T##N t = (x - a) / (b - a); \
  t = t < (T##N)(T)0 ? (T##N)(T)0 : t > (T##N)(T)1 ? (T##N)(T)1 : t; \
  return t * t * ((T##N)(T)3 - (T##N)(T)2 * t); }
#define HD_SMOOTH_V(N, T) FN T##N smoothstep(T a, T b, T##N x) { \
  T##N t = (x - (T##N)a) / ((T##N)b - (T##N)a); \
  t = t < (T##N)(T)0 ? (T##N)(T)0 : t > (T##N)(T)1 ? (T##N)(T)1 : t; \
  return t * t * ((T##N)(T)3 - (T##N)(T)2 * t); }
HD_MM_F(HD_SMOOTH)

//@ sign
#define HD_SIGN(T, I) FN T sign(T x) { return x > 0 ? (T)1 : x < 0 ? (T)-1 : x == 0 ? x : (T)0; } HD_VECTORS(HD_VEC1, sign, T, T)
HD_FLOATS(HD_SIGN)

//@ cross
#define HD_CROSS(T, I) \
FN T##3 cross(T##3 a, T##3 b) { return a.yzx * b.zxy - a.zxy * b.yzx; } \
FN T##4 cross(T##4 a, T##4 b) { return (T##4)(a.yzx * b.zxy - a.zxy * b.yzx, (T)0); }
HD_FLOATS(HD_CROSS)

//@ dot
#define HD_DOT(N, T, W) FN T dot(T##N a, T##N b) { return HD_SUM_##N(a, b); }
HD_GEO(HD_DOT)

//@ length
#define HD_LEN(N, T, W) FN T length(T##N v) { return (T)hd_length(v); }
HD_GEO(HD_LEN)

//@ fast_length
#define HD_FLEN(N, T, W) FN T fast_length(T##N v) { return (T)hd_root((T)(HD_SUM_##N(v, v))); }
HD_GEO_OF(HD_FLEN, float, float)

//@ distance
#define HD_DIST(N, T, W) FN T distance(T##N a, T##N b) { T##N v = a - b; return (T)hd_length(v); }
HD_GEO(HD_DIST)

//@ fast_distance
#define HD_FDIST(N, T, W) FN T fast_distance(T##N a, T##N b) { T##N v = a - b; return (T)hd_root((T)(HD_SUM_##N(v, v))); }
HD_GEO_OF(HD_FDIST, float, float)

//@ normalize
// The zero vector stays. Infinite components count as 1, the others beside them as 0.
#define HD_BACK_(T, a) (T)a
#define HD_BACK_2(T, a) (T##2)((T)a.s0, (T)a.s1)
#define HD_BACK_3(T, a) (T##3)((T)a.s0, (T)a.s1, (T)a.s2)
#define HD_BACK_4(T, a) (T##4)((T)a.s0, (T)a.s1, (T)a.s2, (T)a.s3)
#define HD_UNIT(x) (__builtin_isinf(x) ? ((x) > 0 ? 1 : -1) : 0)
#define HD_UNIT_(T, a) (T)HD_UNIT(a)
#define HD_UNIT_2(T, a) (T##2)(HD_UNIT(a.s0), HD_UNIT(a.s1))
#define HD_UNIT_3(T, a) (T##3)(HD_UNIT(a.s0), HD_UNIT(a.s1), HD_UNIT(a.s2))
#define HD_UNIT_4(T, a) (T##4)(HD_UNIT(a.s0), HD_UNIT(a.s1), HD_UNIT(a.s2), HD_UNIT(a.s3))
#define HD_NORM(N, T, W) FN T##N normalize(T##N v) { \
  W l = hd_length(v); \
  if (l == 0 || l != l) return v; \
  if (l - l != 0) { v = HD_UNIT_##N(T, v); l = hd_length(v); } \
  W##N w = HD_TO_##N(W, v) / l; \
  return HD_BACK_##N(T, w); }
HD_GEO(HD_NORM)

//@ fast_normalize
#define HD_FNORM(N, T, W) FN T##N fast_normalize(T##N v) { T s = HD_SUM_##N(v, v); return s == 0 ? v : v * __builtin_amdgcn_rsqf(s); }
HD_GEO_OF(HD_FNORM, float, float)
