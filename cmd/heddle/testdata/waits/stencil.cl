// Three loads in flight at once.
kernel void stencil(global const float *in, global float *out, uint n) {
  uint i = get_global_id(0);
  if (i > 0 && i + 1 < n)
    out[i] = 0.25f * in[i - 1] + 0.5f * in[i] + 0.25f * in[i + 1];
}
