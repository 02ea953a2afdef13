// Loads whose addresses are loaded: each wait lies between two of them.
kernel void chase(global const uint *next, global uint *out, uint steps) {
  uint i = get_global_id(0), at = i;
  for (uint k = 0; k < steps; k++)
    at = next[at];
  out[i] = at;
}
