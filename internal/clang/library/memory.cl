// Vector loads and stores (6.15.7). A vector of three lies as three numbers.

#define HD_AT_2(p) (p)[0], (p)[1]
#define HD_AT_3(p) HD_AT_2(p), (p)[2]
#define HD_AT_4(p) HD_AT_3(p), (p)[3]
#define HD_AT_8(p) HD_AT_4(p), HD_AT_4((p) + 4)
#define HD_AT_16(p) HD_AT_8(p), HD_AT_8((p) + 8)
#define HD_PUT_2(p, v) (p)[0] = v.s0; (p)[1] = v.s1;
#define HD_PUT_3(p, v) HD_PUT_2(p, v) (p)[2] = v.s2;
#define HD_PUT_4(p, v) HD_PUT_3(p, v) (p)[3] = v.s3;
#define HD_PUT_8(p, v) HD_PUT_4(p, v.lo) HD_PUT_4((p) + 4, v.hi)
#define HD_PUT_16(p, v) HD_PUT_8(p, v.lo) HD_PUT_8((p) + 8, v.hi)

#define HD_L(p) __builtin_load_halff(p)
#define HD_EACH_HALF_2(p) HD_L(p), HD_L(p + 1)
#define HD_EACH_HALF_3(p) HD_EACH_HALF_2(p), HD_L(p + 2)
#define HD_EACH_HALF_4(p) HD_EACH_HALF_3(p), HD_L(p + 3)
#define HD_EACH_HALF_8(p) HD_EACH_HALF_4(p), HD_EACH_HALF_4((p + 4))
#define HD_EACH_HALF_16(p) HD_EACH_HALF_8(p), HD_EACH_HALF_8((p + 8))
#define HD_SH_(R, p, v) *(p) = HD_AS(half, (ushort)hd_half_bits##R(v));
#define HD_SH_2(R, p, v) HD_SH_(R, p, v.s0) HD_SH_(R, p + 1, v.s1)
#define HD_SH_3(R, p, v) HD_SH_2(R, p, v) HD_SH_(R, p + 2, v.s2)
#define HD_SH_4(R, p, v) HD_SH_3(R, p, v) HD_SH_(R, p + 3, v.s3)
#define HD_SH_8(R, p, v) HD_SH_4(R, p, v.lo) HD_SH_4(R, (p + 4), v.hi)
#define HD_SH_16(R, p, v) HD_SH_8(R, p, v.lo) HD_SH_8(R, (p + 8), v.hi)
// The bits of a double, which holds any float, as a half. rest is what a half has no bits for, in units of which half_way is half of the
// last bit that it has.
#define HD_HALF_BITS(R, up) HELP ushort hd_half_bits##R(double x) { \
  ulong b = HD_AS(ulong, x), m = b & 0xfffffffffffffUL; \
  uint sign = b >> 63, e = (b >> 52) & 0x7ff, down = 42, h = 0; \
  if (e == 0x7ff) return sign << 15 | 0x7c00 | (m != 0) << 9 | (uint)(m >> 42); \
  if (e == 0 && m == 0) return sign << 15; \
  if (e < 1009) { /* below 2^-14, the least normal half */ \
    m |= 1UL << 52; \
    down = 1051 - e > 60 ? 60 : 1051 - e; \
  } else h = (e - 1008) << 10; \
  ulong rest = m & ((1UL << down) - 1), half_way = 1UL << (down - 1); \
  h += (uint)(m >> down); \
  if (e > 1038) { h = 0x7bff; rest = half_way + 1; } /* 2^16 or more */ \
  return sign << 15 | h + ((up) ? 1 : 0); }
HD_HALF_BITS(_rte, rest > half_way || rest == half_way && (h & 1))
HD_HALF_BITS(, rest > half_way || rest == half_way && (h & 1))
HD_HALF_BITS(_rtz, 0)
HD_HALF_BITS(_rtp, rest != 0 && !sign)
HD_HALF_BITS(_rtn, rest != 0 && sign)

//@ vload(2|3|4|8|16)
#define HD_VLOAD(S, T) FN T##${1} vload${1}(size_t i, const S T *p) { p += i * ${1}; return (T##${1})(HD_AT_${1}(p)); }
#define HD_VLOADS(T, ...) HD_SPACES(HD_VLOAD, T) HD_VLOAD(constant, T)
HD_INTS(HD_VLOADS)
HD_FLOATS(HD_VLOADS)
#undef HD_VLOAD
#undef HD_VLOADS

//@ vstore(2|3|4|8|16)
#define HD_VSTORE(S, T) FN void vstore${1}(T##${1} v, size_t i, S T *p) { p += i * ${1}; HD_PUT_${1}(p, v) }
#define HD_VSTORES(T, ...) HD_SPACES(HD_VSTORE, T)
HD_INTS(HD_VSTORES)
HD_FLOATS(HD_VSTORES)
#undef HD_VSTORE
#undef HD_VSTORES

//@ vload_half
#define HD_VLOADH(S, ...) FN float vload_half(size_t i, const S half *p) { return __builtin_load_halff(p + i); }
HD_SPACES(HD_VLOADH, ) HD_VLOADH(constant, )

//@ vload(a?)_half(2|3|4|8|16)
// An aligned vector of three has the place of four.
#define HD_VLOADH${1}${2}(S, ...) FN float${2} vload${1}_half${2}(size_t i, const S half *p) { \
  p += i * (sizeof("${1}${2}") == sizeof("a3") && "${2}"[0] == '3' ? 4 : ${2}); \
  return (float${2})(HD_EACH_HALF_${2}(p)); }
HD_SPACES(HD_VLOADH${1}${2}, ) HD_VLOADH${1}${2}(constant, )

//@ vstore(a?)_half(2|3|4|8|16|)(_rte|_rtz|_rtp|_rtn|)
#define HD_VSTOREH${1}${2}${3}(S, T) FN void ${0}(HD_PASTE(T, ${2}) v, size_t i, S half *p) { \
  p += i * (sizeof("${1}${2}") == sizeof("a3") && "${2}"[0] == '3' ? 4 : (${2} + 0) == 0 ? 1 : (${2} + 0)); \
  HD_SH_${2}(${3}, p, v) }
HD_SPACES(HD_VSTOREH${1}${2}${3}, float) HD_DOUBLE(HD_SPACES(HD_VSTOREH${1}${2}${3}, double))

//@ __to_(global|local|private)
// What clang makes of to_global(p) and its like (6.15.18): the pointer if it is into that memory, else NULL.
#ifdef HD_GENERIC
#define HD_IN_local(p) __builtin_amdgcn_is_shared(p)
#define HD_IN_private(p) __builtin_amdgcn_is_private(p)
#define HD_IN_global(p) (!HD_IN_local(p) && !HD_IN_private(p))
__attribute__((always_inline)) ${1} void *${0}(generic void *p) { return HD_IN_${1}(p) ? (${1} void *)p : (${1} void *)0; }
#endif

//@ get_fence
#ifdef HD_GENERIC
FN cl_mem_fence_flags get_fence(const generic void *p) {
  return __builtin_amdgcn_is_shared(p) ? CLK_LOCAL_MEM_FENCE : __builtin_amdgcn_is_private(p) ? 0 : CLK_GLOBAL_MEM_FENCE;
}
FN cl_mem_fence_flags get_fence(generic void *p) { return get_fence((const generic void *)p); }
#endif
