// Where a work-item is; with -DCOV4 of code objects of version 4, else of version 5 on: libclc reads the offset where other drivers put it. Events are waited for
// by all work-items of a group: libclc has that for OpenCL 2 alone.
#define OF(d, f) ((size_t)((d) == 0 ? f##_x() : (d) == 1 ? f##_y() : (d) == 2 ? f##_z() : 0))
#define HIDDEN(type, byte) (*(constant type*)((constant char*)__builtin_amdgcn_implicitarg_ptr() + (byte)))
#define get_local_id(d) OF(d, __builtin_amdgcn_workitem_id)
#define get_group_id(d) OF(d, __builtin_amdgcn_workgroup_id)
#define get_local_size(d) OF(d, __builtin_amdgcn_workgroup_size)
#define get_global_size(d) OF(d, __builtin_amdgcn_grid_size)
#define get_num_groups(d) (get_global_size(d) / get_local_size(d))
#ifdef COV4
#define get_global_offset(d) ((size_t)HIDDEN(ulong, 8 * (d)))
#define get_work_dim() ((uint)(*(constant ushort*)((constant char*)__builtin_amdgcn_dispatch_ptr() + 2) & 3))
#else
#define get_global_offset(d) ((size_t)HIDDEN(ulong, 40 + 8 * (d)))
#define get_work_dim() ((uint)HIDDEN(ushort, 64))
#endif
#define get_global_id(d) (get_group_id(d) * get_local_size(d) + get_local_id(d) + get_global_offset(d))
#define wait_group_events(n, e) barrier(CLK_LOCAL_MEM_FENCE)
