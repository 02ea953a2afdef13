// Atomic functions: those of OpenCL C 1.x (6.15.12.8) and of the extensions for 64 bits, which order nothing, and those of 2.0 (6.15.12).

#define HD_SPACES2(M, ...) M(global, __VA_ARGS__) M(local, __VA_ARGS__)
// M(S, T, U): what the older functions take. They act on plain numbers; the later ones on atomic types.
#define HD_OLD(M) HD_SPACES2(M, int, uint) HD_SPACES2(M, uint, uint) HD_SPACES2(M, long, ulong) HD_SPACES2(M, ulong, ulong)

// M(S, T, A): those of 2.0, of numbers alone and of all.
#define HD_SPACES3(M, ...) HD_SPACES2(M, __VA_ARGS__) HD_GENERIC_ONLY(M(generic, __VA_ARGS__))
#define HD_INT_ATOMICS(M) HD_SPACES3(M, int, atomic_int) HD_SPACES3(M, uint, atomic_uint) HD_SPACES3(M, long, atomic_long) HD_SPACES3(M, ulong, atomic_ulong)
// M(S, T, A) of an address, which is atomic_ulong, and a difference or mask that is signed, and of intptr_t and a mask that is not.
#define HD_PTR_ATOMICS(M) HD_SPACES3(M, long, atomic_ulong) HD_SPACES3(M, ulong, atomic_long)
#define HD_ATOMICS(M) HD_INT_ATOMICS(M) HD_SPACES3(M, float, atomic_float) HD_DOUBLE(HD_SPACES3(M, double, atomic_double))
#define HD_CAS_IN(M, E, ...) M(global, E, __VA_ARGS__) M(local, E, __VA_ARGS__) HD_GENERIC_ONLY(M(generic, E, __VA_ARGS__))
#define HD_CAS_OF(M, ...) HD_CAS_IN(M, global, __VA_ARGS__) HD_CAS_IN(M, local, __VA_ARGS__) HD_CAS_IN(M, private, __VA_ARGS__) HD_GENERIC_ONLY(HD_CAS_IN(M, generic, __VA_ARGS__))
#define HD_CAS_ATOMICS(M) HD_CAS_OF(M, int, atomic_int) HD_CAS_OF(M, uint, atomic_uint) HD_CAS_OF(M, long, atomic_long) HD_CAS_OF(M, ulong, atomic_ulong) \
  HD_CAS_OF(M, float, atomic_float) HD_DOUBLE(HD_CAS_OF(M, double, atomic_double))

//@ (atomic|atom)_(add|sub|and|or|xor|min|max)
#define HD_OP_${0}(S, T, U) FN T ${0}(volatile S T *p, T v) { return __atomic_fetch_${2}(p, v, __ATOMIC_RELAXED); }
HD_OLD(HD_OP_${0})

//@ (atomic|atom)_xchg
#define HD_OP_${0}(S, T, U) FN T ${0}(volatile S T *p, T v) { return __atomic_exchange_n(p, v, __ATOMIC_RELAXED); }
HD_OLD(HD_OP_${0})
#define HD_OPF_${0}(S, ...) FN float ${0}(volatile S float *p, float v) { return HD_AS(float, __atomic_exchange_n((volatile S uint *)p, HD_AS(uint, v), __ATOMIC_RELAXED)); }
HD_SPACES2(HD_OPF_${0}, )

//@ (atomic|atom)_(inc|dec)
#define HD_STEP_inc 1
#define HD_STEP_dec -1
#define HD_OP_${0}(S, T, U) FN T ${0}(volatile S T *p) { return __atomic_fetch_add(p, (T)HD_STEP_${2}, __ATOMIC_RELAXED); }
HD_OLD(HD_OP_${0})

//@ (atomic|atom)_cmpxchg
#define HD_OP_${0}(S, T, U) FN T ${0}(volatile S T *p, T old, T v) { \
  __atomic_compare_exchange_n(p, &old, v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED); \
  return old; }
HD_OLD(HD_OP_${0})

//@ atomic_(fetch_(add|sub|or|xor|and|min|max))
#define HD_OP_${1}(S, T, A) FN T ${0}(volatile S A *p, T v) { return __opencl_${0}(p, v, __ATOMIC_SEQ_CST, __OPENCL_MEMORY_SCOPE_DEVICE); }
HD_INT_ATOMICS(HD_OP_${1})
HD_PTR_ATOMICS(HD_OP_${1})

//@ atomic_(fetch_(add|sub|or|xor|and|min|max))_explicit
#define HD_OPX_${1}(S, T, A) \
FN T ${0}(volatile S A *p, T v, memory_order o) { return __opencl_atomic_${1}(p, v, o, __OPENCL_MEMORY_SCOPE_DEVICE); } \
FN T ${0}(volatile S A *p, T v, memory_order o, memory_scope s) { return __opencl_atomic_${1}(p, v, o, s); }
HD_INT_ATOMICS(HD_OPX_${1})
HD_PTR_ATOMICS(HD_OPX_${1})

//@ atomic_exchange
#define HD_XCHG(S, T, A) FN T ${0}(volatile S A *p, T v) { return __opencl_atomic_exchange(p, v, __ATOMIC_SEQ_CST, __OPENCL_MEMORY_SCOPE_DEVICE); }
HD_ATOMICS(HD_XCHG)

//@ atomic_exchange_explicit
#define HD_XCHGX(S, T, A) \
FN T ${0}(volatile S A *p, T v, memory_order o) { return __opencl_atomic_exchange(p, v, o, __OPENCL_MEMORY_SCOPE_DEVICE); } \
FN T ${0}(volatile S A *p, T v, memory_order o, memory_scope s) { return __opencl_atomic_exchange(p, v, o, s); }
HD_ATOMICS(HD_XCHGX)

//@ atomic_load
#define HD_LOAD(S, T, A) FN T atomic_load(volatile S A *p) { return __opencl_atomic_load(p, __ATOMIC_SEQ_CST, __OPENCL_MEMORY_SCOPE_DEVICE); }
HD_ATOMICS(HD_LOAD)
#define HD_LOADC(S, T, A) FN T atomic_load(const volatile S A *p) { return __opencl_atomic_load((volatile S A *)p, __ATOMIC_SEQ_CST, __OPENCL_MEMORY_SCOPE_DEVICE); }
HD_ATOMICS(HD_LOADC)

//@ atomic_load_explicit
#define HD_LOADX(S, T, A) \
FN T ${0}(volatile S A *p, memory_order o) { return __opencl_atomic_load(p, o, __OPENCL_MEMORY_SCOPE_DEVICE); } \
FN T ${0}(volatile S A *p, memory_order o, memory_scope s) { return __opencl_atomic_load(p, o, s); }
HD_ATOMICS(HD_LOADX)

//@ atomic_store|atomic_init
#define HD_STORE_${0}(S, T, A) FN void ${0}(volatile S A *p, T v) { __opencl_atomic_store(p, v, __ATOMIC_SEQ_CST, __OPENCL_MEMORY_SCOPE_DEVICE); }
HD_ATOMICS(HD_STORE_${0})

//@ atomic_store_explicit
#define HD_STOREX(S, T, A) \
FN void ${0}(volatile S A *p, T v, memory_order o) { __opencl_atomic_store(p, v, o, __OPENCL_MEMORY_SCOPE_DEVICE); } \
FN void ${0}(volatile S A *p, T v, memory_order o, memory_scope s) { __opencl_atomic_store(p, v, o, s); }
HD_ATOMICS(HD_STOREX)

//@ atomic_compare_exchange_(strong|weak)
#define HD_CAS_${1}(S, E, T, A) FN bool ${0}(volatile S A *p, E T *old, T v) { \
  T was = *old; \
  bool done = __opencl_${0}(p, &was, v, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST, __OPENCL_MEMORY_SCOPE_DEVICE); \
  *old = was; \
  return done; }
HD_CAS_ATOMICS(HD_CAS_${1})

//@ atomic_compare_exchange_(strong|weak)_explicit
#define HD_CASX_${1}(S, E, T, A) \
FN bool ${0}(volatile S A *p, E T *old, T v, memory_order o, memory_order f, memory_scope s) { \
  T was = *old; \
  bool done; \
  switch (s) { \
  case __OPENCL_MEMORY_SCOPE_WORK_ITEM: \
  case __OPENCL_MEMORY_SCOPE_WORK_GROUP: done = __opencl_atomic_compare_exchange_${1}(p, &was, v, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST, __OPENCL_MEMORY_SCOPE_WORK_GROUP); break; \
  case __OPENCL_MEMORY_SCOPE_DEVICE: done = __opencl_atomic_compare_exchange_${1}(p, &was, v, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST, __OPENCL_MEMORY_SCOPE_DEVICE); break; \
  default: done = __opencl_atomic_compare_exchange_${1}(p, &was, v, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST, __OPENCL_MEMORY_SCOPE_ALL_SVM_DEVICES); \
  } \
  *old = was; \
  return done; } \
FN bool ${0}(volatile S A *p, E T *old, T v, memory_order o, memory_order f) { \
  T was = *old; \
  bool done = __opencl_atomic_compare_exchange_${1}(p, &was, v, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST, __OPENCL_MEMORY_SCOPE_DEVICE); \
  *old = was; \
  return done; }
HD_CAS_ATOMICS(HD_CASX_${1})

//@ atomic_flag_test_and_set
#define HD_FLAG(S, ...) FN bool ${0}(volatile S atomic_flag *p) { return __opencl_atomic_exchange((volatile S atomic_int *)p, 1, __ATOMIC_SEQ_CST, __OPENCL_MEMORY_SCOPE_DEVICE); }
HD_SPACES(HD_FLAG, )

//@ atomic_flag_test_and_set_explicit
#define HD_FLAGX(S, ...) \
FN bool ${0}(volatile S atomic_flag *p, memory_order o) { return __opencl_atomic_exchange((volatile S atomic_int *)p, 1, o, __OPENCL_MEMORY_SCOPE_DEVICE); } \
FN bool ${0}(volatile S atomic_flag *p, memory_order o, memory_scope s) { return __opencl_atomic_exchange((volatile S atomic_int *)p, 1, o, s); }
HD_SPACES(HD_FLAGX, )

//@ atomic_flag_clear
#define HD_CLEAR(S, ...) FN void ${0}(volatile S atomic_flag *p) { __opencl_atomic_store((volatile S atomic_int *)p, 0, __ATOMIC_SEQ_CST, __OPENCL_MEMORY_SCOPE_DEVICE); }
HD_SPACES(HD_CLEAR, )

//@ atomic_flag_clear_explicit
#define HD_CLEARX(S, ...) \
FN void ${0}(volatile S atomic_flag *p, memory_order o) { __opencl_atomic_store((volatile S atomic_int *)p, 0, o, __OPENCL_MEMORY_SCOPE_DEVICE); } \
FN void ${0}(volatile S atomic_flag *p, memory_order o, memory_scope s) { __opencl_atomic_store((volatile S atomic_int *)p, 0, o, s); }
HD_SPACES(HD_CLEARX, )
