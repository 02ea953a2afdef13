// A kernel that prints, with the function of the device library that takes room in the buffer. talk.gfxNNN.hsaco are of
// clang 22: clang -x cl -cl-std=CL2.0 -Xclang -finclude-default-header -O2 --target=amdgcn-amd-amdhsa -mcpu=gfxNNN -nogpulib talk.cl
typedef unsigned int uint_t;
typedef unsigned long ulong_t;
__attribute__((used, noinline)) __global char *__printf_alloc(uint_t bytes) {
  __constant ulong_t *args = (__constant ulong_t *)__builtin_amdgcn_implicitarg_ptr();
  __global uint_t *buf = (__global uint_t *)args[9];
  uint_t size = buf[1];
  uint_t at = __atomic_load_n(buf, __ATOMIC_RELAXED);
  for (;;) {
    if (at + bytes > size) return 0;
    uint_t want = at;
    if (__atomic_compare_exchange_n(buf, &want, at + bytes, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) break;
    at = want;
  }
  return (__global char *)buf + 8 + at;
}
typedef float float4 __attribute__((ext_vector_type(4)));
typedef int int3 __attribute__((ext_vector_type(3)));
int printf(__constant const char *fmt, ...) __attribute__((format(printf, 1, 2)));
__attribute__((reqd_work_group_size(4,1,1)))
__kernel void talk(__global const float *in, int n) {
  int id = __builtin_amdgcn_workitem_id_x();
  printf("item %d: %f\n", id, in[id]);

  if (id == 0) {
    printf("plain\n");
    printf("str %s and %5.1f%% of %lx \"q\" a:b\t|\n", "hello", 2.5f, 0x123456789abcdefL);
    float4 v = {1.0f, 2.5f, -3.0f, 0.5f};
    printf("vec %v4hlf c=%c\n", v, 'x');
    int3 w = {1, -2, n};
    printf("v3 %v3hld %s.\n", w, "");
  }
}
