// clang 22 inlines the body of a kernel into it, and leaves out what has no location there: the entry of the call has no out, and no k.
kernel void inlined(global const float *a, global float *out) {
  local float s[64];
  uint l = __builtin_amdgcn_workitem_id_x();
  s[l] = a[l];
  __builtin_amdgcn_s_barrier();
  for (uint k = 32; k > 0; k >>= 1) {
    if (l < k)
      s[l] += s[l + k];
    __builtin_amdgcn_s_barrier();
  }
  if (l == 0)
    out[0] = s[0];
}
