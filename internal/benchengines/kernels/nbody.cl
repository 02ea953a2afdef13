// Accelerations of bodies by all others: p holds places and masses.
#pragma OPENCL FP_CONTRACT OFF
kernel void nbody(global const float4* p, global float4* a, int n) {
  uint i = get_global_id(0);
  float4 me = p[i];
  float x = 0, y = 0, z = 0;
  for (int j = 0; j < n; ++j) {
    float4 q = p[j];
    float dx = q.x - me.x, dy = q.y - me.y, dz = q.z - me.z;
    float r = native_rsqrt(dx * dx + dy * dy + dz * dz + 0.01f), s = q.w * (r * r * r);
    x += dx * s; y += dy * s; z += dz * s;
  }
  a[i] = (float4)(x, y, z, 0);
}
