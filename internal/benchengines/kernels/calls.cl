// Functions that are called, and one that would call itself, with a stack of its own as the language demands.

// A number of ways through a grid, mixed with the order in which they are found.
kernel void recursion(global uint* out, uint x, uint y) {
  uint g = get_global_id(0), xs[24], ys[24], top = 1, ways = 0;
  xs[0] = x + (g & 1); ys[0] = y + (g >> 1 & 1);
  while (top) {
    uint a = xs[--top], b = ys[top];
    if (a == 0 || b == 0) { ways += a + b + 1; continue; }
    xs[top] = a - 1; ys[top++] = b;
    xs[top] = a; ys[top++] = b - 1;
    ways = ways * 3 + g;
  }
  out[g] = ways;
}

__attribute__((noinline)) uint mix(uint a, uint b) { a ^= b << 5; a += b >> 3; return a * 9; }
__attribute__((noinline)) uint twice(uint a, uint b) { return mix(a, mix(b, a)); }

kernel void nested(global const uint* in, global uint* out, uint steps) {
  uint g = get_global_id(0), a = in[g], b = g;
  for (uint i = 0; i < steps; ++i) { a = twice(a, b + i); b += a & 15; }
  out[g] = a ^ b;
}
