// Memory that neighbouring items access at a distance, or anywhere.
#pragma OPENCL FP_CONTRACT OFF

// An item sums a row.
kernel void rows(global const float* in, global float* out, uint columns) {
  uint g = get_global_id(0);
  float s = 0;
  for (uint i = 0; i < columns; ++i) s += in[g * columns + i];
  out[g] = s;
}

typedef struct { float x, y, z, vx, vy, vz; uint kind; } particle;

// A step of particles, each a structure of seven words.
kernel void particles(global particle* p, float dt, uint steps) {
  uint g = get_global_id(0);
  for (uint i = 0; i < steps; ++i) {
    p[g].vx -= p[g].x * dt; p[g].vy -= p[g].y * dt; p[g].vz -= p[g].z * dt;
    p[g].x += p[g].vx * dt; p[g].y += p[g].vy * dt; p[g].z += p[g].vz * dt;
    p[g].kind = p[g].kind * 3 + 1;
  }
}

// A walk through a table, from entry to entry.
kernel void chase(global const uint* next, global uint* out, uint steps, uint mask) {
  uint g = get_global_id(0), at = g, s = 0;
  for (uint i = 0; i < steps; ++i) { at = next[at & mask]; s = s * 7 + at; }
  out[g] = s;
}
