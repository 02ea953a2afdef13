// Prices of European options after Black and Scholes, with the normal distribution after Abramowitz and Stegun 26.2.17.
#pragma OPENCL FP_CONTRACT OFF
float below(float d) {
  float x = d < 0 ? -d : d, k = 1.0f / (1.0f + 0.2316419f * x);
  float c = 0.39894228f * native_exp2(-0.72134752f * x * x) * k *
    (0.31938153f + k * (-0.35656378f + k * (1.78147794f + k * (-1.82125598f + k * 1.33027443f))));
  return d > 0 ? 1.0f - c : c;
}
kernel void blackscholes(global const float* price, global const float* strike, global const float* years, global float* call, global float* put, float rate, float v) {
  uint i = get_global_id(0);
  float s = price[i], x = strike[i], t = years[i], q = sqrt(t);
  float d1 = (native_log2(s / x) * 0.69314718f + (rate + 0.5f * v * v) * t) / (v * q), d2 = d1 - v * q;
  float e = x * native_exp2(-1.44269504f * rate * t), n1 = below(d1), n2 = below(d2);
  call[i] = s * n1 - e * n2;
  put[i] = e * (1.0f - n2) - s * (1.0f - n1);
}
