package suites

// A restated is what a test of Oclgrind (tests/kernels of jrprice/Oclgrind) is about, in a kernel of our own for two
// waves in a group where it is about items of one: waves run in order here.
type restated struct {
	name string
	says string // what Oclgrind says: race, init, memory, barrier, alignment; "": nothing
	// ours is what is found here: rules, or nothing. why explains a difference.
	ours, why  string
	o0         string // what is found of the code of -O0, where that differs
	grid       uint32 // items, in groups of 128
	args, text string
}

// Arguments are buffers with their sizes in bytes: their words are 0, 1, 2 and so on; zero: they are 0; local: of group
// memory; null; in, out: declared to be read, written.
var oclgrind = [...]restated{
	{"data-race/broadcast", "", "", "", "", 256, "word:4 own:1024", "(global int *word, global int *own) { own[ID] = *word; }"},
	{"data-race/global_fence", "", "", "", "", 256, "own:1024 sums:8",
		"(global int *own, global int *sums) { own[ID] = ID; barrier(CLK_GLOBAL_MEM_FENCE); if (L == 0) { int s = 0; for (int j = 0; j < N; j++) s += own[ID + j]; sums[G] = s; } }"},
	{"data-race/global_only_fence", "race", "", fences, "", 256, "local:512 sums:8",
		"(local int *own, global int *sums) { own[L] = ID; barrier(CLK_GLOBAL_MEM_FENCE); if (L == 0) { int s = 0; for (int j = 0; j < N; j++) s += own[j]; sums[G] = s; } }"},
	{"data-race/global_read_write_race", "race", "race-global", "", "", 128, "own:512", "(global int *own) { if (ID > 0) own[ID] = own[ID - 1]; }"},
	{"data-race/global_write_write_race", "race", "race-global race-lanes", "", "", 128, "word:4", "(global int *word) { *word = ID; }"},
	{"data-race/increment", "", "", "", "", 256, "own:1024", "(global int *own) { own[ID] += 1; }"},
	{"data-race/intergroup_hidden_race", "race", "race-global", "", "", 256, "word:4 seen:8", "(global int *word, global int *seen) { seen[G] = *word; if (G == 1) *word = G; }"},
	{"data-race/intergroup_race", "race", "race-global", "", "", 256, "own:8",
		"(global int *own) { if (L == 0) own[G] = G; barrier(CLK_GLOBAL_MEM_FENCE); if (ID == 0) { own[0] += own[1]; } barrier(CLK_GLOBAL_MEM_FENCE); }"},
	{"data-race/intragroup_hidden_race", "race", "", fences, "", 128, "word:4 seen:512",
		"(global int *word, global int *seen) { seen[L] = *word; barrier(CLK_LOCAL_MEM_FENCE); if (L == 0) *word = -1; }"},
	{"data-race/local_only_fence", "race", "", fences, "", 256, "own:1024 sums:8",
		"(global int *own, global int *sums) { own[ID] = ID; barrier(CLK_LOCAL_MEM_FENCE); if (L == 0) { int s = 0; for (int j = 0; j < N; j++) s += own[ID + j]; sums[G] = s; } }"},
	{"data-race/local_read_write_race", "race", "race-group", "", "", 128, "sum:4 local:512",
		"(global int *sum, local int *own) { own[L] = 0; barrier(CLK_LOCAL_MEM_FENCE); own[L] = ID; if (L == 0) { int s = 0; for (int j = 0; j < N; j++) s += own[j]; *sum = s; } }"},
	{"data-race/local_write_write_race", "race", "race-group race-lanes", "", "", 128, "own:512 local:4",
		"(global int *own, local int *word) { *word = ID; barrier(CLK_LOCAL_MEM_FENCE); own[ID] = *word; }"},
	{"data-race/uniform_write_race", "", "race-global", "one value, which Oclgrind tells on request", "", 128, "word:4", "(global int *word) { *word = 7; }"},

	{"atomics/atom_add", "", "", "", "", 128, "word:8", "(global ulong *word) { atom_add(word, 0xffffffffUL); }"},
	{"atomics/atomic_cmpxchg_false_race", "", "", "", "", 128, "own:1024 local:4",
		`(global int *own, local int *turn) {
	int left = 1, got = 0;
	if (L == 0) *turn = 0;
	for (int j = 0; j < N; j++) {
		barrier(CLK_LOCAL_MEM_FENCE);
		int was = *turn;
		barrier(CLK_LOCAL_MEM_FENCE);
		if (left && atomic_cmpxchg(turn, was, was + 1) == was) { left = 0; got = *turn; }
	}
	own[L + 1] = got;
}`},
	{"atomics/atomic_cmpxchg_read_race", "race", "race-global", "", "", 128, "word:4", "(global int *word) { if (L == 0) *word = 0; else atomic_cmpxchg(word, 0, 42); }"},
	{"atomics/atomic_cmpxchg_write_race", "race", "race-global", "", "", 128, "word:4", "(global int *word) { if (L == 0) *word = 0; atomic_cmpxchg(word, L, 42); }"},
	{"atomics/atomic_global_fence", "", "", "", "", 256, "own:8 sums:8",
		"(global int *own, global int *sums) { if (L == 0) sums[G] = 0; barrier(CLK_GLOBAL_MEM_FENCE); atomic_add(&sums[G], ID); barrier(CLK_GLOBAL_MEM_FENCE); if (L == 0) own[G] = sums[G]; }"},
	{"atomics/atomic_global_fence_race", "race", "race-half-atomic", "", "", 256, "own:8 sum:4",
		"(global int *own, global int *sum) { atomic_add(sum, ID); barrier(CLK_GLOBAL_MEM_FENCE); if (L == 0) own[G] = *sum; }"},
	{"atomics/atomic_increment", "", "", "", "", 256, "word:4", "(global int *word) { atomic_inc(word); }"},
	{"atomics/atomic_intergroup_race", "race", "race-half-atomic", "", "", 256, "word:4", "(global int *word) { if (ID == 0) *word = 0; barrier(CLK_GLOBAL_MEM_FENCE); atomic_inc(word); }"},
	{"atomics/atomic_local_fence", "", "", "", "", 256, "own:8 local:4",
		"(global int *own, local int *sum) { if (L == 0) *sum = 0; barrier(CLK_LOCAL_MEM_FENCE); atomic_add(sum, ID); barrier(CLK_LOCAL_MEM_FENCE); if (L == 0) own[G] = *sum; }"},
	{"atomics/atomic_minmax_signed", "", "", "", "", 128, "word:8", "(global int *word) { atomic_min(word, -(int)L); atomic_max(word + 1, -(int)L); }"},
	{"atomics/atomic_race_after", "race", "race-global", "", "", 128, "word:4 seen:4", "(global int *word, global int *seen) { atomic_inc(word); if (L == N - 1) *seen = *word; }"},
	{"atomics/atomic_race_before", "race", "race-global", "", "", 128, "word:4", "(global int *word) { if (L == 0) *word = 0; atomic_dec(word); }"},
	{"atomics/atomic_same_workitem", "", "", "", "", 128, "own:512",
		"(global int *own) { if (L % 2) { own[L] = 0; atomic_inc(&own[L]); } else { atomic_inc(&own[L]); own[L] += 1; } }"},

	{"uninitialized/padded_nested_struct_memcpy", "", "", "", "undefined-result", 128, "all:3072",
		"(global struct nested *all) { struct nested s; s.a = L; s.b = 9; s.c = 3; s.in.a = 4; s.in.b = L; s.in.c = 6; all[ID] = s; }"},
	{"uninitialized/padded_struct_alloca_fp", "", "", "", "undefined-result", 128, "all:1536", "(global struct padded *all) { struct padded s; s.a = L; s.b = -9; s.c = 127; all[ID] = s; }"},
	{"uninitialized/padded_struct_memcpy_fp", "", "undefined-result", "padding is copied in whole words to memory that the host reads", "", 128, "local:12 one:12",
		"(local struct padded *own, global struct padded *one) { struct padded s; s.a = 42; s.b = -9; s.c = 127; if (L == 0) *own = s; barrier(CLK_LOCAL_MEM_FENCE); if (L == 1) *one = *own; }"},
	{"uninitialized/partially_uninitialized_fract", "init", "undefined-result", "", "undefined-exec undefined-result", 128, "all:4096",
		"(global float4 *all) { float4 f; f.xzw = L + 0.25f; all[L + 128] = fract(f, &all[L]); }"},
	{"uninitialized/private_array_initializer_list", "", "", "", "", 128, "all:2048", "(global float *all) { float f[4] = {7, 42, -1, 0}; for (int j = 0; j < 4; j++) all[4 * ID + j] = f[j]; }"},
	{"uninitialized/uninitialized_address", "init", "undefined-address", "", "", 128, "one:8", "(global ulong *one) { int f[] = {1, 2, 3}; volatile int i, j; f[i] = 4; if (L == 0) one[0] = f[j]; }"},
	{"uninitialized/uninitialized_global_buffer", "init", "", "a buffer is defined, whatever it holds", "", 128, "in:4 all:512", "(global float *one, global float *all) { all[ID] = *one; }"},
	{"uninitialized/uninitialized_local_array", "init", "undefined-result", "", "", 128, "all:512",
		"(global float *all) { local float own[128]; if (L != N / 2) own[L] = L; all[L] = own[L]; }"},
	{"uninitialized/uninitialized_local_ptr", "init", "undefined-result", "", "", 128, "local:512 all:512",
		"(local float *own, global float *all) { if (L != N / 2) own[L] = L; all[L] = own[L]; }"},
	{"uninitialized/uninitialized_local_variable", "init", "undefined-result", "", "", 1, "zero:4", "(global int *one) { local int x; if (*one > 0) x = *one; *one = x; }"},
	{"uninitialized/uninitialized_private_array", "init", "", chosen, "undefined-result", 1, "in:16 all:16",
		"(global uint *at, global float *all) { float f[4]; for (int j = 0; j < 4; j++) f[at[j] & 2] = j; for (int j = 0; j < 4; j++) all[j] = f[j]; }"},

	{"memcheck/async_copy_out_of_bounds", "memory", "outside-memory", "", "", 128, "local:512 all:512",
		"(local int *own, global int *all) { own[L] = L; barrier(CLK_LOCAL_MEM_FENCE); event_t e = async_work_group_copy(all + 1, own, N, 0); wait_group_events(1, &e); }"},
	{"memcheck/atomic_out_of_bounds", "memory", "outside-memory", "", "", 128, "all:508", "(global int *all) { atomic_inc(&all[ID]); }"},
	{"memcheck/casted_static_array", "memory", "", frames, "", 1, "in:4 one:8",
		"(global int *at, global ulong *one) { struct grid g; for (int j = 0; j < 6; j++) g.rows[j / 2][j % 2] = j + at[0]; g.more = 7; one[0] = g.rows[at[0] + 3][0]; }"},
	{"memcheck/dereference_null", "memory", "outside-memory", "", "", 1, "null one:4", "(global int *none, global int *one) { *one *= *none; }"},
	{"memcheck/fake_out_of_bounds", "", "", "", "", 1, "one:8", "(global ulong *one) { struct bytes s = {{1}, {2, 3, 4, 5}}; struct bytes u = s; volatile int i = 0; *one = u.g[i]; }"},
	{"memcheck/read_out_of_bounds", "memory", "outside-memory", "", "", 128, "a:508 b:508 c:512", "(global int *a, global int *b, global int *c) { c[ID] = a[ID] + b[ID]; }"},
	{"memcheck/read_write_only_memory", "memory", "against-declaration", "", "", 128, "in:512 out:512", "(global int *a, global int *b) { b[ID] += a[ID]; }"},
	{"memcheck/static_array", "memory", "", frames, "", 128, "all:512", "(global int *all) { volatile struct two s = {-1, {42, 7}}; s.b[L & 3] = L; all[L] = s.b[L & 3]; }"},
	{"memcheck/static_array_padded_struct", "memory", "", frames, "", 128, "all:512", "(global int *all) { struct two s = {-1, {42, 7}}; all[L] = s.b[L & 3]; }"},
	{"memcheck/write_out_of_bounds", "memory", "outside-memory", "", "", 128, "a:512 b:512 c:508", "(global int *a, global int *b, global int *c) { c[ID] = a[ID] + b[ID]; }"},
	{"memcheck/write_read_only_memory", "memory", "against-declaration", "", "", 128, "in:512 out:512", "(global int *a, global int *b) { b[ID] = a[ID]++; }"},

	{"barrier/barrier_different_instructions", "barrier", "sync-different", "", "", 128, "all:512",
		"(global int *all) { if (WAVE == 0) { all[L] = 42; BARRIER; } else { BARRIER; all[L] = L + all[0]; } }"},
	{"barrier/barrier_divergence", "barrier", "sync-missed", "", "", 128, "all:512", "(global int *all) { if (WAVE != 0) BARRIER; all[L] = L; }"},

	{"async_copy/async_copy", "", "", "", "", 128, "all:512 local:512",
		"(global int *all, local int *own) { event_t e = async_work_group_copy(own, all, N, 0); wait_group_events(1, &e); all[N - 1 - L] = own[L]; }"},
	{"async_copy/async_copy_divergent", "barrier", "undefined-result", "", "", 128, "all:512 local:512",
		"(global int *all, local int *own) { event_t e = async_work_group_copy(own, all, L == N - 1 ? 1 : N, 0); wait_group_events(1, &e); all[N - 1 - L] = own[L]; }"},
	{"async_copy/async_copy_global_race", "race", "race-global", "", "", 128, "all:512 local:512",
		"(global int *all, local int *own) { own[L] = L; barrier(CLK_LOCAL_MEM_FENCE); all[N - 1 - L] = 0; event_t e = async_work_group_copy(all, own, N, 0); wait_group_events(1, &e); }"},
	{"async_copy/async_copy_local_race", "race", "race-group", "", "", 128, "all:512 local:512",
		"(global int *all, local int *own) { own[N - 1 - L] = 0; event_t e = async_work_group_copy(own, all, N, 0); wait_group_events(1, &e); all[N - 1 - L] = own[L]; }"},
	{"async_copy/async_copy_loop", "", "", "", "", 128, "all:512 local:512",
		"(global int *all, local int *own) { event_t e = 0; for (int j = 0; j < 4; j++) e = async_work_group_copy(own + 32 * j, all + 32 * j, 32, e); wait_group_events(1, &e); all[N - 1 - L] = own[L]; }"},
	{"async_copy/async_copy_loop_divergent", "barrier", "undefined-result", "", "", 128, "all:512 local:512",
		"(global int *all, local int *own) { event_t e = 0; for (int j = 0; j < 4; j++) { int at = L == 2 && j == 2 ? 0 : 32 * j; e = async_work_group_copy(own + at, all + at, 32, e); } wait_group_events(1, &e); all[N - 1 - L] = own[L]; }"},
	{"async_copy/async_copy_single_wi", "barrier", "", copies, "", 128, "all:512 local:512",
		"(global int *all, local int *own) { event_t e = async_work_group_copy(own, all, N, 0); if (L == 0) e = async_work_group_copy(own, all, 1, e); wait_group_events(1, &e); all[N - 1 - L] = own[L]; }"},
	{"async_copy/async_copy_unwaited", "barrier", "race-global", "", "", 128, "all:512 local:512",
		"(global int *all, local int *own) { async_work_group_copy(own, all, N, 0); all[N - 1 - L] = L; }"},

	{"wait_event/wait_event_chained", "", "", "", "", 128, "all:512 local:512",
		"(global int *all, local int *own) { event_t e = async_work_group_copy(own, all, 32, 0); for (int j = 1; j < 4; j++) async_work_group_copy(own + 32 * j, all + 32 * j, 32, e); wait_group_events(1, &e); all[N - 1 - L] = own[L]; }"},
	{"wait_event/wait_event_divergent", "barrier", "", copies, "", 128, "all:512 local:512",
		"(global int *all, local int *own) { event_t e[2]; own[L] = 0; barrier(CLK_LOCAL_MEM_FENCE); e[0] = async_work_group_copy(own, all, 64, 0); e[1] = async_work_group_copy(own + 64, all + 64, 64, 0); wait_group_events(1, e + L / 64); all[N - 1 - L] = own[L]; }"},
	{"wait_event/wait_event_duplicates", "", "", "", "", 128, "all:512 local:512",
		"(global int *all, local int *own) { event_t e[3]; e[0] = async_work_group_copy(own, all, 32, 0); e[1] = async_work_group_copy(own + 32, all + 32, 96, 0); e[2] = e[0]; wait_group_events(3, e); all[N - 1 - L] = own[L]; }"},
	{"wait_event/wait_event_invalid", "barrier", "", copies, "", 128, "all:512", "(global int *all) { event_t e = 0; wait_group_events(1, &e); }"},

	{"alignment/packed", "", "", "", "", 1, "one:4", "(global int *one) { struct __attribute__((packed)) { char a; int b; } s = {1, 2}; *one = s.b; }"},
	{"alignment/unaligned", "alignment", "", "global memory may be accessed at any byte in the modes of these processors", "", 1, "in:8 one:4",
		"(global int *two, global int *one) { *one = *(global int *)((global char *)two + 2); }"},
}

// Causes of differences.
const (
	fences = "a barrier of machine code orders all memory"
	frames = "it leads to another part of the frame, which machine code does not divide"
	chosen = "the compiler chooses values for what is undefined, and defines them; it is found in the code of -O0"
	copies = "in machine code there is no asynchronous copy: its items copy"
)

// oclgrindTypes are types of the kernels, and short names.
const oclgrindTypes = `
#define ID ((int)get_global_id(0))
#define L ((int)get_local_id(0))
#define G ((int)get_group_id(0))
#define N ((int)get_local_size(0))
#define WAVE __builtin_amdgcn_readfirstlane(L / 64)
#define BARRIER __builtin_amdgcn_s_barrier()
struct padded { char a; int b; char c; };
struct nested { char a; int b; char c; struct padded in; };
struct grid { int rows[3][2]; int more; };
struct bytes { uchar f[1]; ulong g[4]; };
struct two { int a; char b[2]; };
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
`
