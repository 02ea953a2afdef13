// A dot product of each work-group, with what debug information describes: LDS, a function that is called, one that is
// inlined, a constant table, a structure, a loop.
#define ID __builtin_amdgcn_workitem_id_x()
#define GROUP __builtin_amdgcn_workgroup_id_x()
#define SIZE 64

struct pair { float a, b; };

constant float weights[4] = {1.0f, 2.0f, 3.0f, 4.0f};

__attribute__((noinline)) static float product(struct pair p, uint i) {
  return p.a * p.b * weights[i & 3];
}

static inline float sum(local const float* s) {
  float v = 0.0f;
  for (int i = 0; i < SIZE; i++) v += s[i];
  return v;
}

kernel __attribute__((reqd_work_group_size(SIZE, 1, 1)))
void dot(global const float* a, global const float* b, global float* out, uint n) {
  local float s[SIZE];
  uint i = GROUP * SIZE + ID;
  struct pair p = {0.0f, 0.0f};
  if (i < n) {
    p.a = a[i];
    p.b = b[i];
  }
  s[ID] = product(p, i);
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  if (ID == 0) out[GROUP] = sum(s);
}
