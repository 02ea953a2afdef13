// One thing at a time, in a loop. hand.c does the same with vectors of AVX2.
#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define AT uint g = get_global_id(0)

kernel void alu(global const uint* in, global uint* out) {
  AT, a = in[g], b = ~a;
  for (uint k = 0; k < 512; ++k) { a = (a << 5 | a >> 27) ^ b; b = b * 9 + k; a += b >> 7; }
  out[g] = a ^ b;
}

kernel void f32(global const float* in, global float* out) {
  AT;
  float a = in[g], b = 1 - a, c = a * 0.5f, d = b * 0.5f;
  for (int k = 0; k < 512; ++k) { a = a * b + c; b = b * c + d; c = c * d + a; d = d * a + 0.25f; }
  out[g] = a + b + c + d;
}

kernel void f64(global const double* in, global double* out) {
  AT;
  double a = in[g], b = 1 - a, c = a * 0.5, d = b * 0.5;
  for (int k = 0; k < 256; ++k) { a = a * b + c; b = b * c + d; c = c * d + a; d = d * a + 0.25; }
  out[g] = a + b + c + d;
}

kernel void u64(global const ulong* in, global ulong* out) {
  AT;
  ulong a = in[g], b = ~a;
  for (uint k = 0; k < 256; ++k) { a = (a << 11 | a >> 53) + b; b ^= a >> 9; b += k; }
  out[g] = a ^ b;
}

kernel void load(global const uint* in, global uint* out) {
  AT, s = 0;
  for (uint k = 0; k < 256; ++k) s += in[(g & 1023) + k * 64];
  out[g] = s;
}

// 64 bytes from item to item.
kernel void load_stride(global const uint* in, global uint* out) {
  AT, s = 0;
  for (uint k = 0; k < 256; ++k) s += in[(g & 255) * 16 + k];
  out[g] = s;
}

kernel void load_bytes(global const uchar* in, global uint* out) {
  AT, s = 0;
  for (uint k = 0; k < 256; ++k) s += in[(g & 1023) + k * 64];
  out[g] = s;
}

// Each address depends on what was loaded before.
kernel void load_random(global const uint* in, global uint* out) {
  AT, s = g;
  for (uint k = 0; k < 256; ++k) s = in[(s ^ k) & 16383];
  out[g] = s;
}

kernel void store(global const uint* in, global uint* out) {
  AT, s = in[g];
  for (uint k = 0; k < 256; ++k) { out[k * get_global_size(0) + g] = s; s += k; }
}

kernel __attribute__((reqd_work_group_size(64, 1, 1))) void lds(global const uint* in, global uint* out) {
  local uint t[64];
  uint g = get_global_id(0), l = get_local_id(0), s = in[g];
  for (uint k = 0; k < 128; ++k) {
    t[l] = s;
    barrier(CLK_LOCAL_MEM_FENCE);
    s += t[(l + k) & 63];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[g] = s;
}

// Collatz's sequence from different numbers, for different numbers of steps.
kernel void diverge(global const uint* in, global uint* out) {
  AT, s = in[g], n = s & 255;
  for (uint k = 0; k < n; ++k) { if (s & 1) s = s * 3 + 1; else s >>= 1; }
  out[g] = s;
}
