// Names with other letters than those of words, which clang writes in double quotes.
__attribute__((noinline)) static float größe(float x) { return x * 2.0f; }
constant float zahlen_ä[4] = {1, 2, 3, 4};
__attribute__((noinline)) float größer(float x) { return größe(x) + zahlen_ä[(int)x & 3]; }
kernel void füllen(global float *y) {
  uint i = __builtin_amdgcn_workitem_id_x();
  y[i] = größer(y[i]);
}
