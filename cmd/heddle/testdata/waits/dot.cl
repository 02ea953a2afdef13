// A sum of products, reduced in LDS by halves.
kernel void dot(global const float *a, global const float *b, global float *out, uint n) {
  local float s[256];
  uint l = get_local_id(0), g = get_global_id(0);
  s[l] = g < n ? a[g] * b[g] : 0.0f;
  for (uint h = 128; h > 0; h >>= 1) {
    barrier(1);
    if (l < h)
      s[l] += s[l + h];
  }
  if (l == 0)
    out[get_group_id(0)] = s[0];
}
