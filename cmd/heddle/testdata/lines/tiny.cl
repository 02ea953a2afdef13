kernel void tiny(global float* out, float a) {
  local float s[64];
  int i = __builtin_amdgcn_workitem_id_x();
  s[i] = a + i;
  __builtin_amdgcn_s_barrier();
  out[i] = s[63 - i];
}
