// Integer functions (6.15.3).

#define HD_WIDE_uchar ushort
#define HD_MIN_char CHAR_MIN
#define HD_MAX_char CHAR_MAX
#define HD_MIN_short SHRT_MIN
#define HD_MAX_short SHRT_MAX
#define HD_MIN_int INT_MIN
#define HD_MAX_int INT_MAX
#define HD_MIN_long LONG_MIN
#define HD_MAX_long LONG_MAX
#define HD_MAX_uchar UCHAR_MAX
#define HD_MAX_ushort USHRT_MAX
#define HD_MAX_uint UINT_MAX
#define HD_MAX_ulong ULONG_MAX

// M(N, T, U, B) for scalars and vectors of each type.
#define HD_EACH_N(M, T, U, B) M(, T, U, B) M(2, T, U, B) M(3, T, U, B) M(4, T, U, B) M(8, T, U, B) M(16, T, U, B)
#define HD_EACH_SIGNED(M) HD_EACH_N(M, char, uchar, 8) HD_EACH_N(M, short, ushort, 16) HD_EACH_N(M, int, uint, 32) HD_EACH_N(M, long, ulong, 64)
#define HD_EACH_UNSIGNED(M) HD_EACH_N(M, uchar, uchar, 8) HD_EACH_N(M, ushort, ushort, 16) HD_EACH_N(M, uint, uint, 32) HD_EACH_N(M, ulong, ulong, 64)

// Vector forms of what is written for scalars.
#define HD_V1(F, R, T) HD_VECTORS(HD_VEC1, F, R, T)
#define HD_V2(F, T) HD_VECTORS(HD_VEC2, F, T, T, T)
#define HD_V3(F, T) HD_VECTORS(HD_VEC3, F, T, T, T, T)

HELP char hd_mul_hi(char a, char b) { return (short)(a * b) >> 8; }
HELP uchar hd_mul_hi(uchar a, uchar b) { return (ushort)(a * b) >> 8; }
HELP short hd_mul_hi(short a, short b) { return (a * b) >> 16; }
HELP ushort hd_mul_hi(ushort a, ushort b) { return ((uint)a * b) >> 16; }
HELP int hd_mul_hi(int a, int b) { return ((long)a * b) >> 32; }
HELP uint hd_mul_hi(uint a, uint b) { return ((ulong)a * b) >> 32; }
HELP ulong hd_mul_hi(ulong a, ulong b) {
  ulong al = (uint)a, ah = a >> 32, bl = (uint)b, bh = b >> 32;
  ulong m = ah * bl + (al * bl >> 32), n = al * bh + (uint)m;
  return ah * bh + (m >> 32) + (n >> 32);
}
HELP long hd_mul_hi(long a, long b) {
  return (long)(hd_mul_hi((ulong)a, (ulong)b) - (a < 0 ? (ulong)b : 0) - (b < 0 ? (ulong)a : 0));
}

//@ abs
#define HD_ABS(N, T, U, B) FN U##N abs(T##N x) { U##N u = HD_AS(U##N, x); return x < (T##N)0 ? (U##N)-u : u; }
#define HD_ABS_U(N, T, U, B) FN U##N abs(T##N x) { return x; }
HD_EACH_SIGNED(HD_ABS)
HD_EACH_UNSIGNED(HD_ABS_U)

//@ abs_diff
#define HD_DIFF(N, T, U, B) FN U##N abs_diff(T##N a, T##N b) { U##N x = HD_AS(U##N, a), y = HD_AS(U##N, b); return a < b ? (U##N)(y - x) : (U##N)(x - y); }
HD_EACH_SIGNED(HD_DIFF)
HD_EACH_UNSIGNED(HD_DIFF)

//@ add_sat
#define HD_ADDS(N, T, U, B) FN T##N add_sat(T##N a, T##N b) { \
  T##N s = HD_AS(T##N, (U##N)(HD_AS(U##N, a) + HD_AS(U##N, b))), over = (a ^ s) & (b ^ s); \
  return over < (T##N)0 ? (a < (T##N)0 ? (T##N)HD_MIN_##T : (T##N)HD_MAX_##T) : s; }
#define HD_ADDU(N, T, U, B) FN T##N add_sat(T##N a, T##N b) { T##N s = a + b; return s < a ? (T##N)HD_MAX_##T : s; }
HD_EACH_SIGNED(HD_ADDS)
HD_EACH_UNSIGNED(HD_ADDU)

//@ sub_sat
#define HD_SUBS(N, T, U, B) FN T##N sub_sat(T##N a, T##N b) { \
  T##N s = HD_AS(T##N, (U##N)(HD_AS(U##N, a) - HD_AS(U##N, b))), over = (a ^ b) & (a ^ s); \
  return over < (T##N)0 ? (a < (T##N)0 ? (T##N)HD_MIN_##T : (T##N)HD_MAX_##T) : s; }
#define HD_SUBU(N, T, U, B) FN T##N sub_sat(T##N a, T##N b) { T##N s = a - b; return a < b ? (T##N)0 : s; }
HD_EACH_SIGNED(HD_SUBS)
HD_EACH_UNSIGNED(HD_SUBU)

//@ hadd
#define HD_HADD(N, T, U, B) FN T##N hadd(T##N a, T##N b) { return (a & b) + ((a ^ b) >> (T##N)1); }
HD_EACH_SIGNED(HD_HADD)
HD_EACH_UNSIGNED(HD_HADD)

//@ rhadd
#define HD_RHADD(N, T, U, B) FN T##N rhadd(T##N a, T##N b) { return (a | b) - ((a ^ b) >> (T##N)1); }
HD_EACH_SIGNED(HD_RHADD)
HD_EACH_UNSIGNED(HD_RHADD)

//@ clz
#define HD_CLZ(T, U, B) FN T clz(T x) { return x == 0 ? B : B > 32 ? __builtin_clzl((ulong)x) : __builtin_clz((uint)(U)x) - (32 - B); } HD_V1(clz, T, T)
HD_INTS(HD_CLZ)

//@ ctz
#define HD_CTZ(T, U, B) FN T ctz(T x) { return x == 0 ? B : B > 32 ? __builtin_ctzl((ulong)x) : __builtin_ctz((uint)(U)x); } HD_V1(ctz, T, T)
HD_INTS(HD_CTZ)

//@ popcount
#define HD_POP(T, U, B) FN T popcount(T x) { return B > 32 ? __builtin_popcountl((ulong)x) : __builtin_popcount((uint)(U)x); } HD_V1(popcount, T, T)
HD_INTS(HD_POP)

//@ mul_hi
#define HD_MULHI(T, U, B) FN T mul_hi(T a, T b) { return hd_mul_hi(a, b); } HD_V2(mul_hi, T)
HD_INTS(HD_MULHI)

//@ mad_hi
#define HD_MADHI(T, U, B) FN T mad_hi(T a, T b, T c) { return (T)((U)hd_mul_hi(a, b) + (U)c); } HD_V3(mad_hi, T)
HD_INTS(HD_MADHI)

//@ mad_sat
// Up to 32 bits, in a long; of 64 bits in two: hi and lo of the product, then of the sum.
#define HD_MADS(T, U, B) FN T mad_sat(T a, T b, T c) { \
  long x = (long)a * (long)b + (long)c; \
  return x < (long)HD_MIN_##T ? (T)HD_MIN_##T : x > (long)HD_MAX_##T ? (T)HD_MAX_##T : (T)x; } HD_V3(mad_sat, T)
#define HD_MADU(T, U, B) FN T mad_sat(T a, T b, T c) { \
  ulong x = (ulong)a * (ulong)b + (ulong)c; \
  return x > (ulong)HD_MAX_##T ? (T)HD_MAX_##T : (T)x; } HD_V3(mad_sat, T)
HD_MADS(char, uchar, 8) HD_MADS(short, ushort, 16) HD_MADS(int, uint, 32)
HD_MADU(uchar, uchar, 8) HD_MADU(ushort, ushort, 16) HD_MADU(uint, uint, 32)
FN long mad_sat(long a, long b, long c) {
  ulong lo = (ulong)a * (ulong)b, sum = lo + (ulong)c;
  long hi = (long)((ulong)hd_mul_hi(a, b) + (c < 0 ? -1UL : 0UL) + (sum < lo ? 1UL : 0UL));
  return hi == (long)sum >> 63 ? (long)sum : hi < 0 ? LONG_MIN : LONG_MAX;
}
FN ulong mad_sat(ulong a, ulong b, ulong c) {
  ulong lo = a * b, sum = lo + c;
  return hd_mul_hi(a, b) != 0 || sum < lo ? ULONG_MAX : sum;
}
HD_V3(mad_sat, long)
HD_V3(mad_sat, ulong)

//@ mad24
FN int mad24(int a, int b, int c) { return (a << 8 >> 8) * (b << 8 >> 8) + c; }
FN uint mad24(uint a, uint b, uint c) { return (a & 0xffffff) * (b & 0xffffff) + c; }
HD_V3(mad24, int)
HD_V3(mad24, uint)

//@ mul24
FN int mul24(int a, int b) { return (a << 8 >> 8) * (b << 8 >> 8); }
FN uint mul24(uint a, uint b) { return (a & 0xffffff) * (b & 0xffffff); }
HD_V2(mul24, int)
HD_V2(mul24, uint)

//@ rotate
#define HD_ROT(N, T, U, B) FN T##N rotate(T##N v, T##N i) { \
  U##N x = HD_AS(U##N, v), by = HD_AS(U##N, i) & (U##N)(B - 1); \
  return HD_AS(T##N, (U##N)(x << by | x >> (((U##N)B - by) & (U##N)(B - 1)))); }
HD_EACH_SIGNED(HD_ROT)
HD_EACH_UNSIGNED(HD_ROT)

//@ upsample
#define HD_UP(R, H, L, B) FN R upsample(H h, L l) { return (R)((ulong)h << B | (ulong)l); } HD_VECTORS(HD_VEC2, upsample, R, H, L)
HD_UP(short, char, uchar, 8)
HD_UP(ushort, uchar, uchar, 8)
HD_UP(int, short, ushort, 16)
HD_UP(uint, ushort, ushort, 16)
HD_UP(long, int, uint, 32)
HD_UP(ulong, uint, uint, 32)
