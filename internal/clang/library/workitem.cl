// Work-item functions (6.15.1), synchronization (6.15.8), fences, and what copies between memories (6.15.11).
//
// Where a kernel finds its grid depends on the version of the code object, HD_ABI: up to 4 in the packet of the dispatch and behind the
// kernel's own arguments, from 5 on behind them alone. Source: docs/reference/gcn.md 9.3, 9.4.

#define HD_IMPLICIT(T, bytes) (*(constant T *)((constant char *)__builtin_amdgcn_implicitarg_ptr() + (bytes)))
#define HD_PACKET(T, bytes) (*(constant T *)((constant char *)__builtin_amdgcn_dispatch_ptr() + (bytes)))

HELP uint hd_item(uint d) { return d == 0 ? __builtin_amdgcn_workitem_id_x() : d == 1 ? __builtin_amdgcn_workitem_id_y() : d == 2 ? __builtin_amdgcn_workitem_id_z() : 0; }
HELP uint hd_group(uint d) { return d == 0 ? __builtin_amdgcn_workgroup_id_x() : d == 1 ? __builtin_amdgcn_workgroup_id_y() : d == 2 ? __builtin_amdgcn_workgroup_id_z() : 0; }

#if HD_ABI >= 5
HELP uint hd_whole(uint d) { return HD_IMPLICIT(uint, 4 * d); }
HELP uint hd_rest(uint d) { return HD_IMPLICIT(ushort, 18 + 2 * d); }
HELP uint hd_enqueued(uint d) { return d > 2 ? 1 : HD_IMPLICIT(ushort, 12 + 2 * d); }
HELP uint hd_local(uint d) { return d > 2 ? 1 : hd_group(d) < hd_whole(d) ? hd_enqueued(d) : hd_rest(d); }
HELP uint hd_grid(uint d) { return d > 2 ? 1 : hd_whole(d) * hd_enqueued(d) + hd_rest(d); }
HELP uint hd_groups(uint d) { return d > 2 ? 1 : hd_whole(d) + (hd_rest(d) != 0); }
HELP ulong hd_offset(uint d) { return d > 2 ? 0 : HD_IMPLICIT(ulong, 40 + 8 * d); }
HELP uint hd_dims(void) { return HD_IMPLICIT(ushort, 64); }
#else
HELP uint hd_enqueued(uint d) { return d > 2 ? 1 : HD_PACKET(ushort, 4 + 2 * d); }
HELP uint hd_grid(uint d) { return d > 2 ? 1 : HD_PACKET(uint, 12 + 4 * d); }
HELP uint hd_local(uint d) {
  if (d > 2) return 1;
  uint left = hd_grid(d) - hd_group(d) * hd_enqueued(d);
  return left < hd_enqueued(d) ? left : hd_enqueued(d);
}
HELP uint hd_groups(uint d) { return d > 2 ? 1 : hd_grid(d) / hd_enqueued(d) + (hd_grid(d) % hd_enqueued(d) != 0); }
HELP ulong hd_offset(uint d) { return d > 2 ? 0 : HD_IMPLICIT(ulong, 8 * d); }
HELP uint hd_dims(void) { return HD_PACKET(ushort, 2); }
#endif

HELP ulong hd_global(uint d) { return hd_offset(d) + (d > 2 ? 0 : hd_group(d) * hd_enqueued(d) + hd_item(d)); }
HELP uint hd_linear(void) { return (hd_item(2) * hd_local(1) + hd_item(1)) * hd_local(0) + hd_item(0); }
HELP uint hd_members(void) { return hd_local(0) * hd_local(1) * hd_local(2); }

HELP void hd_barrier(void) {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

//@ get_work_dim
FN uint get_work_dim(void) { return hd_dims(); }

//@ get_global_size
FN size_t get_global_size(uint d) { return hd_grid(d); }

//@ get_global_id
FN size_t get_global_id(uint d) { return hd_global(d); }

//@ get_local_size
FN size_t get_local_size(uint d) { return hd_local(d); }

//@ get_enqueued_local_size
FN size_t get_enqueued_local_size(uint d) { return hd_enqueued(d); }

//@ get_local_id
FN size_t get_local_id(uint d) { return hd_item(d); }

//@ get_num_groups
FN size_t get_num_groups(uint d) { return hd_groups(d); }

//@ get_group_id
FN size_t get_group_id(uint d) { return hd_group(d); }

//@ get_global_offset
FN size_t get_global_offset(uint d) { return hd_offset(d); }

//@ get_global_linear_id
FN size_t get_global_linear_id(void) {
  ulong x = hd_global(0) - hd_offset(0), y = hd_global(1) - hd_offset(1), z = hd_global(2) - hd_offset(2);
  return (z * hd_grid(1) + y) * hd_grid(0) + x;
}

//@ get_local_linear_id
FN size_t get_local_linear_id(void) { return hd_linear(); }

//@ barrier|work_group_barrier
FN void ${0}(cl_mem_fence_flags flags) { hd_barrier(); }
#if __OPENCL_C_VERSION__ >= 200
FN void ${0}(cl_mem_fence_flags flags, memory_scope scope) {
  switch (scope) {
  case memory_scope_work_item:
  case memory_scope_work_group:
    hd_barrier();
    return;
  case memory_scope_device:
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "agent");
    return;
  default:
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "");
  }
}
#endif

//@ mem_fence
FN void mem_fence(cl_mem_fence_flags flags) { __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "workgroup"); }

//@ read_mem_fence
FN void read_mem_fence(cl_mem_fence_flags flags) { __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup"); }

//@ write_mem_fence
FN void write_mem_fence(cl_mem_fence_flags flags) { __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup"); }

//@ atomic_work_item_fence
#define HD_FENCE(order) \
  switch (scope) { \
  case memory_scope_work_item: return; \
  case memory_scope_work_group: __builtin_amdgcn_fence(order, "workgroup"); return; \
  case memory_scope_device: __builtin_amdgcn_fence(order, "agent"); return; \
  default: __builtin_amdgcn_fence(order, ""); return; \
  }
FN void atomic_work_item_fence(cl_mem_fence_flags flags, memory_order order, memory_scope scope) {
  switch (order) {
  case memory_order_relaxed: return;
  case memory_order_acquire: HD_FENCE(__ATOMIC_ACQUIRE)
  case memory_order_release: HD_FENCE(__ATOMIC_RELEASE)
  case memory_order_acq_rel: HD_FENCE(__ATOMIC_ACQ_REL)
  default: HD_FENCE(__ATOMIC_SEQ_CST)
  }
}

//@ async_work_group_copy
#define HD_COPY(N, D, S, T) FN event_t async_work_group_copy(D T##N *to, const S T##N *from, size_t n, event_t e) { \
  for (size_t i = hd_linear(); i < n; i += hd_members()) to[i] = from[i]; \
  return e; }
#define HD_COPIES(T, ...) HD_SIZES(HD_COPY, local, global, T) HD_SIZES(HD_COPY, global, local, T)
HD_INTS(HD_COPIES)
HD_FLOATS(HD_COPIES)

//@ async_work_group_strided_copy
#define HD_STRIDED(N, T) \
FN event_t async_work_group_strided_copy(local T##N *to, const global T##N *from, size_t n, size_t stride, event_t e) { \
  for (size_t i = hd_linear(); i < n; i += hd_members()) to[i] = from[i * stride]; \
  return e; } \
FN event_t async_work_group_strided_copy(global T##N *to, const local T##N *from, size_t n, size_t stride, event_t e) { \
  for (size_t i = hd_linear(); i < n; i += hd_members()) to[i * stride] = from[i]; \
  return e; }
#define HD_STRIDEDS(T, ...) HD_SIZES(HD_STRIDED, T)
HD_INTS(HD_STRIDEDS)
HD_FLOATS(HD_STRIDEDS)

//@ wait_group_events
FN void wait_group_events(int n, event_t *events) { hd_barrier(); }
#if __OPENCL_C_VERSION__ < 200
// As clang before 19 declares it.
FN void wait_group_events(int n, __attribute__((address_space(0))) event_t *events) { hd_barrier(); }
#endif

//@ prefetch
#define HD_PREFETCH(N, T) FN void prefetch(const global T##N *p, size_t n) {}
#define HD_PREFETCHES(T, ...) HD_SIZES(HD_PREFETCH, T)
HD_INTS(HD_PREFETCHES)
HD_FLOATS(HD_PREFETCHES)

//@ printf
// The compiler turns a call of printf into stores to a buffer, and asks this for the place. Source: docs/reference/gcn.md 9.7.
typedef global uint *hd_words;
__attribute__((used, noinline)) global char *__printf_alloc(uint bytes) {
#if HD_ABI >= 5
  hd_words head = HD_IMPLICIT(hd_words, 72);
#else
  hd_words head = HD_IMPLICIT(hd_words, 24);
#endif
  uint at = __atomic_load_n(head, __ATOMIC_RELAXED);
  do {
    if (at + bytes < at || at + bytes > head[1]) return 0;
  } while (!__atomic_compare_exchange_n(head, &at, at + bytes, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
  return (global char *)(head + 2) + at;
}
