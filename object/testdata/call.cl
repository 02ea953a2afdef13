// A kernel with calls, a constant table, variables and a spill: what relocations are for.
// clang -c -x cl -target amdgcn-amd-amdhsa -mcpu=gfx803 -O1 -nogpulib -Xclang -finclude-default-header -cl-std=CL1.2
__constant uint tab[4] = {1, 2, 3, 5};
__attribute__((noinline)) uint f(uint x, private uint* p) { p[x & 3] += x; return p[(x >> 2) & 3] * tab[x & 3]; }
__attribute__((noinline)) uint rec(uint x) { return x < 2 ? x : rec(x - 1) + rec(x - 2); }
__kernel void call(__global uint* x) {
  uint i = __builtin_amdgcn_workitem_id_x(), a[4] = {0, 7, 11, 13};
  x[i] = f(i, a) + rec(i & 1);
}
