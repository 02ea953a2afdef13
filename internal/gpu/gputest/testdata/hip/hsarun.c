// A program of the HSA runtime: queues, packets, signals, errors. Its argument is a code object of kernels.cl. It prints
// a line for each test, and exits with 1 if one is wrong.
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void check(hsa_status_t s, const char *what, int line)
{
	if (s != HSA_STATUS_SUCCESS) {
		const char *text = "?";
		hsa_status_string(s, &text);
		printf("line %d: %s: %s\n", line, what, text);
		exit(1);
	}
}
#define CHECK(x) check((x), #x, __LINE__)

static hsa_agent_t gpu, cpu;
static hsa_amd_memory_pool_t shared, kernargs, local;

static hsa_status_t agent(hsa_agent_t a, void *data)
{
	hsa_device_type_t t;
	CHECK(hsa_agent_get_info(a, HSA_AGENT_INFO_DEVICE, &t));
	*(t == HSA_DEVICE_TYPE_GPU ? &gpu : &cpu) = a;
	return HSA_STATUS_SUCCESS;
}

static hsa_status_t pool(hsa_amd_memory_pool_t p, void *data)
{
	uint32_t flags;
	CHECK(hsa_amd_memory_pool_get_info(p, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS, &flags));
	if (flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT)
		kernargs = p;
	else if (flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED)
		shared = p;
	return HSA_STATUS_SUCCESS;
}

static hsa_status_t localPool(hsa_amd_memory_pool_t p, void *data)
{
	hsa_amd_segment_t segment;
	CHECK(hsa_amd_memory_pool_get_info(p, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment));
	if (segment == HSA_AMD_SEGMENT_GLOBAL)
		local = p;
	return HSA_STATUS_SUCCESS;
}

static void *allocate(hsa_amd_memory_pool_t p, size_t size)
{
	void *m;
	CHECK(hsa_amd_memory_pool_allocate(p, size, 0, &m));
	CHECK(hsa_amd_agents_allow_access(1, &gpu, NULL, m));
	return m;
}

typedef struct {
	uint64_t object;
	uint32_t group, private;
} kernel;

static hsa_executable_t executable;

static kernel find(const char *name)
{
	kernel k;
	hsa_executable_symbol_t s;
	CHECK(hsa_executable_get_symbol_by_name(executable, name, &gpu, &s));
	CHECK(hsa_executable_symbol_get_info(s, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &k.object));
	CHECK(hsa_executable_symbol_get_info(s, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE, &k.group));
	CHECK(hsa_executable_symbol_get_info(s, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE, &k.private));
	return k;
}

static void load(const char *file)
{
	static char code[1 << 20];
	FILE *f = fopen(file, "rb");
	size_t size = f ? fread(code, 1, sizeof(code), f) : 0;
	hsa_code_object_reader_t r;
	CHECK(hsa_code_object_reader_create_from_memory(code, size, &r));
	CHECK(hsa_executable_create_alt(HSA_PROFILE_BASE, HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT, NULL, &executable));
	CHECK(hsa_executable_load_agent_code_object(executable, gpu, r, NULL, NULL));
	CHECK(hsa_executable_freeze(executable, NULL));
}

// submit writes a packet of 64 bytes into a queue, its header last.
static void submit(hsa_queue_t *q, const void *packet, uint16_t type)
{
	uint64_t at = hsa_queue_add_write_index_screlease(q, 1);
	while (at - hsa_queue_load_read_index_scacquire(q) >= q->size)
		usleep(10);
	char *to = (char *)q->base_address + at % q->size * 64;
	uint32_t first;
	memcpy(&first, packet, 4);
	memcpy(to + 4, (const char *)packet + 4, 60);
	uint16_t header = type << HSA_PACKET_HEADER_TYPE | 1 << HSA_PACKET_HEADER_BARRIER | HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
		HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE;
	__atomic_store_n((uint32_t *)to, header | (first & 0xffff0000), __ATOMIC_RELEASE);
	hsa_signal_store_screlease(q->doorbell_signal, at);
}

static void dispatch(hsa_queue_t *q, kernel k, void *args, uint32_t groups, uint16_t block, hsa_signal_t done)
{
	hsa_kernel_dispatch_packet_t p = {.setup = 1, .workgroup_size_x = block, .workgroup_size_y = 1, .workgroup_size_z = 1, .grid_size_x = groups * block,
		.grid_size_y = 1, .grid_size_z = 1, .private_segment_size = k.private, .group_segment_size = k.group, .kernel_object = k.object,
		.kernarg_address = args, .completion_signal = done};
	submit(q, &p, HSA_PACKET_TYPE_KERNEL_DISPATCH);
}

static hsa_signal_t signal_of(hsa_signal_value_t v)
{
	hsa_signal_t s;
	CHECK(hsa_signal_create(v, 0, NULL, &s));
	return s;
}

static bool wait(hsa_signal_t s)
{
	return hsa_signal_wait_scacquire(s, HSA_SIGNAL_CONDITION_LT, 1, 20000000000ull, HSA_WAIT_STATE_BLOCKED) == 0;
}

static void say(const char *name, bool ok)
{
	static bool good = true;
	printf("%s: %s\n", name, ok ? "right" : "wrong");
	fflush(stdout);
	good = good && ok;
	if (!good)
		exit(1);
}

static void *later(void *s)
{
	usleep(30000);
	hsa_signal_subtract_screlease(*(hsa_signal_t *)s, 1);
	return NULL;
}

static volatile hsa_status_t failure;

static void failed(hsa_status_t s, hsa_queue_t *q, void *data) { failure = s; }

// fails submits a dispatch that cannot begin, and compares the error of which the runtime tells.
static bool fails(kernel k, uint16_t block, hsa_status_t want)
{
	hsa_queue_t *q;
	CHECK(hsa_queue_create(gpu, 64, HSA_QUEUE_TYPE_MULTI, failed, NULL, UINT32_MAX, UINT32_MAX, &q));
	failure = HSA_STATUS_SUCCESS;
	dispatch(q, k, NULL, 1, block, (hsa_signal_t){0});
	for (int i = 0; i < 2000 && failure == HSA_STATUS_SUCCESS; i++)
		usleep(1000);
	CHECK(hsa_queue_destroy(q));
	return failure == want;
}

int main(int argc, char **argv)
{
	enum { groups = 40, n = groups * 64 };
	CHECK(hsa_init());
	CHECK(hsa_iterate_agents(agent, NULL));
	CHECK(hsa_amd_agent_iterate_memory_pools(cpu, pool, NULL));
	CHECK(hsa_amd_agent_iterate_memory_pools(gpu, localPool, NULL));
	load(argv[1]);
	hsa_queue_t *q;
	CHECK(hsa_queue_create(gpu, 64, HSA_QUEUE_TYPE_MULTI, failed, NULL, UINT32_MAX, UINT32_MAX, &q));
	CHECK(hsa_amd_profiling_set_profiler_enabled(q, 1));
	uint32_t *in = allocate(shared, n * 4), *out = allocate(shared, n * 4), **args = allocate(kernargs, 64);
	args[0] = in;
	args[1] = out;

	kernel reverse = find("reverse.kd"), count = find("count.kd"), scratch = find("scratch.kd");
	for (int i = 0; i < n; i++)
		in[i] = i;
	hsa_signal_t done = signal_of(1);
	dispatch(q, reverse, args, groups, 64, done);
	bool ok = wait(done);
	for (int i = 0; i < n; i++)
		ok = ok && out[i] == (uint32_t)(i / 64 * 64 + 63 - i % 64) * 3 + 1;
	say("kernel", ok);

	hsa_amd_profiling_dispatch_time_t t;
	uint64_t now, frequency;
	CHECK(hsa_amd_profiling_get_dispatch_time(gpu, done, &t));
	CHECK(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &now));
	CHECK(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY, &frequency));
	say("times", t.start < t.end && t.end <= now + frequency / 100 && now - t.start < 20 * frequency);

	in[0] = 1 << 20;
	hsa_signal_store_screlease(done, 1);
	dispatch(q, scratch, args, groups, 64, done);
	ok = wait(done);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t a = in[i % 64] % 40, b = 39 - a;
		ok = ok && out[i] == a * a + i + 7 + b * b + i;
	}
	say("scratch", ok);

	out[0] = 0;
	hsa_signal_t many = signal_of(500); // more than the ring has
	for (int i = 0; i < 500; i++)
		dispatch(q, count, args, 1, 64, many);
	say("many", wait(many) && out[0] == 500 * 64);

	hsa_signal_t gate = signal_of(1), never = signal_of(1), ended = signal_of(1);
	pthread_t thread;
	hsa_barrier_or_packet_t either = {.dep_signal = {never, gate}, .completion_signal = ended};
	pthread_create(&thread, NULL, later, &gate);
	submit(q, &either, HSA_PACKET_TYPE_BARRIER_OR);
	ok = hsa_signal_load_scacquire(ended) == 1 && wait(ended) && hsa_signal_load_scacquire(gate) == 0 && hsa_signal_load_scacquire(never) == 1;
	pthread_join(thread, NULL);
	hsa_signal_store_screlease(ended, 1);
	hsa_barrier_and_packet_t both = {.dep_signal = {never, gate}, .completion_signal = ended};
	pthread_create(&thread, NULL, later, &never);
	submit(q, &both, HSA_PACKET_TYPE_BARRIER_AND);
	ok = ok && wait(ended) && hsa_signal_load_scacquire(never) == 0;
	pthread_join(thread, NULL);
	say("barriers", ok);

	uint32_t *vram = allocate(local, n * 4);
	hsa_signal_t copied = signal_of(1);
	CHECK(hsa_amd_memory_fill(vram, 0x12345678, n));
	for (int i = 0; i < n; i++)
		in[i] = i * 77, out[i] = 0;
	hsa_signal_store_screlease(gate, 1);
	hsa_signal_store_screlease(ended, 1);
	CHECK(hsa_amd_memory_async_copy(vram + 1, gpu, in, cpu, n * 2 - 4, 1, &gate, ended)); // when gate is 0
	CHECK(hsa_amd_memory_async_copy(out, cpu, vram, gpu, n * 4, 1, &ended, copied));
	pthread_create(&thread, NULL, later, &gate);
	ok = wait(copied) && wait(ended) && out[0] == 0x12345678 && out[n / 2] == 0x12345678 && out[n - 1] == 0x12345678;
	pthread_join(thread, NULL);
	for (int i = 1; i < n / 2; i++)
		ok = ok && out[i] == (uint32_t)(i - 1) * 77;
	say("copies", ok);

	kernel none = {0};
	say("no kernel", fails(none, 64, HSA_STATUS_ERROR_INVALID_CODE_OBJECT));
	say("large group", fails(reverse, 2000, HSA_STATUS_ERROR_INVALID_ARGUMENT));
	kernel greedy = reverse;
	greedy.group = 1 << 20;
	say("too much LDS", fails(greedy, 64, HSA_STATUS_ERROR_INVALID_ALLOCATION));
	CHECK(hsa_queue_destroy(q));
	hsa_signal_t signals[] = {done, many, gate, never, ended, copied};
	for (int i = 0; i < 6; i++)
		CHECK(hsa_signal_destroy(signals[i]));
	CHECK(hsa_shut_down());
	return 0;
}
