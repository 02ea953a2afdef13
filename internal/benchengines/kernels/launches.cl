// Kernels of which a program launches many, each with little to do.

// A step of Bellman and Ford: distances over one set of edges.
kernel void relax(global const uint* from, global const uint* to, global const uint* cost, global uint* d, uint first) {
  uint e = first + get_global_id(0);
  atomic_min(&d[to[e]], d[from[e]] + cost[e]);
}

// A step of a sum: half as many numbers.
kernel void halve(global uint* v, uint n) {
  uint g = get_global_id(0);
  if (g < n) v[g] = v[g] * 3 + v[g + n];
}
