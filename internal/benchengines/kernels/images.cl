// Images: texels by their coordinates, and samples between them.
#pragma OPENCL FP_CONTRACT OFF
#ifdef __AMDGCN__
// The arguments are the addresses of descriptors, as of all images of OpenCL on this device.
#define IMAGE constant int8*
#define SAMPLER constant int4*
float4 load(int mask, int x, int y, int8 t, int fail, int policy) __asm("llvm.amdgcn.image.load.2d.v4f32.i32");
float4 sample(int mask, float x, float y, int8 t, int4 s, bool unnormal, int fail, int policy) __asm("llvm.amdgcn.image.sample.lz.2d.v4f32.f32");
#define LOAD(t, x, y) load(15, x, y, *t, 0, 0)
#define SAMPLE(t, s, x, y) sample(15, x, y, *t, *s, 0, 0, 0)
#else
#define IMAGE read_only image2d_t
#define SAMPLER sampler_t
#define LOAD(t, x, y) read_imagef(t, (int2)(x, y))
#define SAMPLE(t, s, x, y) read_imagef(t, s, (float2)(x, y))
#endif

// The mean of five by five texels.
kernel void blur(IMAGE in, global float4* out) {
  int x = get_global_id(0), y = get_global_id(1);
  float4 s = 0;
  for (int j = 0; j < 5; ++j)
    for (int i = 0; i < 5; ++i) s += LOAD(in, x + i, y + j);
  out[y * get_global_size(0) + x] = s / 25;
}

// A picture turned and enlarged.
kernel void zoom(IMAGE in, SAMPLER how, global float4* out, float dx, float dy) {
  int x = get_global_id(0), y = get_global_id(1);
  out[y * get_global_size(0) + x] = SAMPLE(in, how, x * dx - y * dy + 0.3f, x * dy + y * dx);
}
