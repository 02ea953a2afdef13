// Arrays of work-items with an index that is known when the kernel runs.
#pragma OPENCL FP_CONTRACT OFF

// A hash whose sixteen message words are updated in a ring: the index is the same for all lanes.
kernel void ring(global const uint* in, global uint* out, uint rounds) {
  uint g = get_global_id(0), n = get_global_size(0), w[16], a = g, b = ~g, c = 0x9e3779b9;
  for (int i = 0; i < 16; ++i) w[i] = in[i * n + g];
#pragma unroll 1
  for (uint i = 0; i < rounds; ++i) {
    uint x = w[i & 15] + (rotate(w[(i + 1) & 15], 25u) ^ w[(i + 14) & 15] >> 10) + w[(i + 9) & 15];
    w[i & 15] = x;
    a = rotate(a + (b ^ c) + x, 7u); b = rotate(b, 13u) ^ a; c += b;
  }
  out[g] = a ^ b ^ c;
}

// Insertion sort of 24 numbers.
kernel void insertion(global const uint* in, global uint* out) {
  uint g = get_global_id(0), n = get_global_size(0), v[24];
  for (int i = 0; i < 24; ++i) {
    uint x = in[i * n + g];
    int k = i;
    for (; k > 0 && v[k - 1] > x; --k) v[k] = v[k - 1];
    v[k] = x;
  }
  for (int i = 0; i < 24; ++i) out[i * n + g] = v[i];
}

// How often each of 32 values of five bits occurs.
kernel void count(global const uint* in, global uint* out, uint words) {
  uint g = get_global_id(0), n = get_global_size(0), h[32], s = 0;
  for (int i = 0; i < 32; ++i) h[i] = 0;
  for (uint i = 0; i < words; ++i)
    for (uint x = in[i * n + g]; x; x >>= 5) ++h[x & 31];
  for (int i = 0; i < 32; ++i) s = s * 31 + h[i];
  out[g] = s;
}

// An interpreter: code of bytes, one program for all, eight registers for each item.
kernel void machine(global const uchar* code, global uint* out, uint steps) {
  uint g = get_global_id(0), r[8], pc = 0;
  for (int i = 0; i < 8; ++i) r[i] = g * (2 * i + 1);
  for (uint i = 0; i < steps; ++i) {
    uint a = code[pc & 255], b = code[(pc + 1) & 255];
    pc += 2;
    switch (a >> 5) {
    case 0: r[a & 7] += r[b & 7]; break;
    case 1: r[a & 7] ^= r[b & 7] >> 3; break;
    case 2: r[a & 7] = r[b & 7] * 5 + b; break;
    case 3: r[a & 7] = rotate(r[a & 7], b); break;
    case 4: if (r[a & 7] & 1) pc += 2 * (b & 3); break;
    case 5: r[a & 7] = max(r[a & 7], r[b & 7]); break;
    case 6: r[r[b & 7] & 7] = i; break;
    case 7: pc = r[a & 7] & 254; break;
    }
  }
  uint s = 0;
  for (int i = 0; i < 8; ++i) s = s * 33 + r[i];
  out[g] = s;
}
