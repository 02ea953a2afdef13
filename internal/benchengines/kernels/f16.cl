// Half precision: values that are kept as halves, and arithmetic of halves where a device has it.
#pragma OPENCL FP_CONTRACT OFF

// Colours of four halves are blended.
kernel void blend(global const half* over, global half* under, uint layers) {
  uint g = get_global_id(0), n = get_global_size(0);
  float4 u = vload_half4(g, under);
  for (uint i = 0; i < layers; ++i) {
    float4 o = vload_half4(i * n + g, over);
    u = o + u * (1 - o.w);
  }
  vstore_half4_rte(u, g, under);
}

#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void poly(global const half* in, global half* out, uint steps) {
  uint g = get_global_id(0);
  half x = in[g], s = 0;
  for (uint i = 0; i < steps; ++i) { s = s * x + (half)0.25f; x = fmin(x * (half)0.75f + s, (half)1.5f); s -= (half)(i & 3); }
  out[g] = s + x;
}
#endif
