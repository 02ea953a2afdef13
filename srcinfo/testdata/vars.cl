// Variables of many kinds, for tests of debuggers. It needs no header.
typedef struct {
  int id;
  float w;
  uchar tag[4];
} item;

constant float table[4] = {1.5f, 2.5f, 3.5f, 4.5f};

kernel void vars(global const float *in, global float *out, uint n, float4 scale) {
  local float tile[64];
  uint l = __builtin_amdgcn_workitem_id_x();
  uint g = __builtin_amdgcn_workgroup_id_x() * 64 + l;
  item it;
  it.id = (int)l - 3;
  it.w = in[g % n];
  it.tag[0] = 'a';
  it.tag[1] = (uchar)l;
  float sum = 0;
  int steps[4];
  for (int k = 0; k < 4; k++) {
    steps[k] = k * (int)l;
    sum += in[(g + k) % n] * scale.x;
  }
  tile[l] = sum + it.w;
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  out[g] = tile[63 - l] + (float)it.id + (float)steps[g & 3] + table[l & 3] + it.tag[1];
}
