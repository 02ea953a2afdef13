// Atomics on memory of all groups.

// The extremes of a sequence, and the parity of its bits.
kernel void extremes(global const int* in, global int* out, uint each) {
  uint g = get_global_id(0), n = get_global_size(0);
  for (uint i = 0; i < each; ++i) {
    int x = in[i * n + g];
    atomic_max(&out[x & 7], x); atomic_min(&out[8 + (x & 7)], x); atomic_xor(&out[16], x);
  }
}

// Entries of a table with open addressing: how often each key occurs.
kernel void table(global const uint* keys, global uint* at, global uint* count, uint mask, uint each) {
  uint g = get_global_id(0), n = get_global_size(0);
  for (uint i = 0; i < each; ++i) {
    uint key = (keys[i * n + g] & 1023) + 1;
    atomic_add(&count[key], 1);
    for (uint k = key * 40503; ; ++k) {
      uint old = atomic_cmpxchg(&at[k & mask], 0, key);
      if (old == 0 || old == key) break;
    }
  }
}
