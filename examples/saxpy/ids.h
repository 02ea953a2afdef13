// get_global_id without a library of built-in functions: what the group and the item are numbered.
#define get_global_id(d) (__builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() + __builtin_amdgcn_workitem_id_x())
