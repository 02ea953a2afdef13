// Two arrays in LDS, exchanged between neighbours.
kernel void swap(global uint *data, uint n) {
  local uint lo[64], hi[64];
  uint l = get_local_id(0), i = get_global_id(0);
  lo[l] = data[2 * i];
  hi[l] = data[2 * i + 1];
  barrier(1);
  data[2 * i] = hi[l ^ 1];
  data[2 * i + 1] = lo[l ^ 1] + n;
}
