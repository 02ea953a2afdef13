// Groups that share local memory.
#pragma OPENCL FP_CONTRACT OFF

// A bitonic sort of 256 numbers.
kernel __attribute__((reqd_work_group_size(256, 1, 1))) void sort(global uint* d) {
  local uint s[256];
  uint l = get_local_id(0), g = get_global_id(0);
  s[l] = d[g];
  for (uint k = 2; k <= 256; k *= 2)
    for (uint j = k / 2; j; j /= 2) {
      barrier(CLK_LOCAL_MEM_FENCE);
      uint a = s[l], b = s[l ^ j];
      barrier(CLK_LOCAL_MEM_FENCE);
      s[l] = ((l & j) == 0) == ((l & k) == 0) ? min(a, b) : max(a, b);
    }
  d[g] = s[l];
}

// Heat in a tile of 16 by 16 cells, for several steps.
kernel __attribute__((reqd_work_group_size(16, 16, 1))) void heat(global float* d, uint steps) {
  local float t[18][18];
  uint x = get_local_id(0) + 1, y = get_local_id(1) + 1, at = get_global_id(1) * get_global_size(0) + get_global_id(0);
  for (uint i = (y - 1) * 16 + x - 1; i < 18 * 18; i += 256) t[i / 18][i % 18] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  float v = d[at];
  for (uint i = 0; i < steps; ++i) {
    t[y][x] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
    v = 0.5f * v + 0.125f * ((t[y][x - 1] + t[y][x + 1]) + (t[y - 1][x] + t[y + 1][x]));
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  d[at] = v;
}

// Numbers of a group by the value of their lowest byte: a count with atomics, then a place for each.
kernel __attribute__((reqd_work_group_size(128, 1, 1))) void buckets(global const uint* in, global uint* out, uint each) {
  local uint n[256];
  uint l = get_local_id(0);
  in += get_group_id(0) * 128 * each;
  for (uint i = l; i < 256; i += 128) n[i] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = 0; i < each; ++i) atomic_add(&n[in[i * 128 + l] & 255], in[i * 128 + l] >> 8 & 15);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = l; i < 256; i += 128) out[get_group_id(0) * 256 + i] = n[i];
}
