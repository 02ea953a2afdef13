// Double precision.
#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

kernel void lorenz(global const double* in, global double* out, uint steps) {
  uint g = get_global_id(0);
  double x = in[g], y = 1, z = 20, dt = 0.001;
  for (uint i = 0; i < steps; ++i) {
    double dx = 10 * (y - x), dy = x * (28 - z) - y, dz = x * y - z * 2.6666666666666665;
    x += dx * dt; y += dy * dt; z += dz * dt;
  }
  out[g] = x + y + z;
}

// Arguments brought into a range, rounded in all ways, with minima, maxima and conversions.
kernel void reduce(global const double* in, global double* out, uint steps) {
  uint g = get_global_id(0);
  double x = in[g], s = 0;
  for (uint i = 0; i < steps; ++i) {
    double k = rint(x * 0.15915494309189535), r = x - k * 6.283185307179586;
    s += fmax(floor(r), -2.0) + fmin(ceil(r), 2.0) - trunc(r * 3);
    x = x * 1.01 + (double)(int)k + (double)(uint)i * 0.5;
    if (fabs(x) > 1e6) x *= 1e-5;
  }
  out[g] = s;
}

// Roots by Newton's method: divisions and square roots.
kernel void roots(global const double* in, global double* out, uint steps) {
  uint g = get_global_id(0);
  double a = in[g], x = a;
  for (uint i = 0; i < steps; ++i) x = x - (x * x * x - a) / (3 * x * x + 1) + sqrt(fabs(x)) * 0.001;
  out[g] = x;
}
