// Loops and branches that neighbouring items take differently.

// The least divisor of a number.
kernel void divisor(global const uint* in, global uint* out) {
  uint g = get_global_id(0), x = in[g] | 1, d = 3;
  while (d * d <= x && x % d) d += 2;
  out[g] = d * d <= x ? d : x;
}

// The greatest common divisor, by subtraction and halving.
kernel void binary_gcd(global const uint* in, global uint* out) {
  uint g = get_global_id(0), n = get_global_size(0), a = in[g] | 1, b = in[n + g] | 1;
  while (a != b) {
    if (a > b) { a -= b; do a >>= 1; while (!(a & 1)); }
    else { b -= a; do b >>= 1; while (!(b & 1)); }
  }
  out[g] = a;
}

// A search in a sorted table, then a walk of the item's own kind: most items of a wave are done early.
kernel void walk(global const uint* table, uint n, global uint* out) {
  uint g = get_global_id(0), key = g * 2654435761u, low = 0, high = n;
  while (low < high) {
    uint at = (low + high) / 2;
    if (table[at] < key) low = at + 1; else high = at;
  }
  uint s = low, steps = (g & 31) == 7 ? 300 : g & 7;
  for (uint i = 0; i < steps; ++i) switch ((s ^ i) & 3) {
    case 0: s = s * 3 + 1; break;
    case 1: s ^= s >> 5; break;
    case 2: s += i; break;
    default: s = s << 3 | s >> 29;
  }
  out[g] = s;
}
