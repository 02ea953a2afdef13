/* A wave as an emulator uses it: code and memory at addresses, steps, hooks. */
#include "check.h"

static heddle_isa isa_of(const char *name) {
	heddle_error *error = NULL;
	heddle_isa isa = 0;
	OK(heddle_isa_find(name, &isa, &error));
	return isa;
}

static uint64_t get(heddle_wave wave, const char *name, int32_t lane) {
	heddle_error *error = NULL;
	uint64_t value = 0;
	OK(heddle_wave_get(wave, name, lane, &value, &error));
	return value;
}

static void set(heddle_wave wave, const char *name, int32_t lane, uint64_t value) {
	heddle_error *error = NULL;
	OK(heddle_wave_set(wave, name, lane, value, &error));
}

static int halted(const heddle_halt *h, int32_t reason, uint64_t pc, uint64_t instructions) {
	return h->reason == reason && h->pc == pc && h->instructions == instructions;
}

/* Sums of all sets at any base, stepped, run to and set back. */
static void every_set(void) {
	for (int i = 0; i < SUMS; i++) {
		const sum_program *s = &sums[i];
		heddle_error *error = NULL;
		heddle_isa isa = isa_of(s->set), own = 0;
		heddle_isa_info *info = NULL;
		heddle_assembly *made = NULL;
		heddle_wave wave = 0;
		heddle_halt halt = {0};
		OK(heddle_assemble(isa, s->program, HEDDLE_ZERO_TERMINATED, 0, &made, &error));
		OK(heddle_wave_new(isa, NULL, 0, NULL, &wave, &error));
		OK(heddle_wave_isa(wave, &own, &error));
		OK(heddle_isa_describe(own, &info, &error));
		CHECK(info && strcmp(info->set, s->set) == 0, "%s", info->set);
		OK(heddle_wave_load(wave, 0x10000, made->code, made->size, &error));
		OK(heddle_wave_load_text(wave, 0x10000 + made->size, s->program, strlen(s->program), &error));
		set(wave, "pc", 0, 0x10000);
		set(wave, s->a, HEDDLE_ALL_LANES, bits_of(1.5f));
		set(wave, s->b, HEDDLE_ALL_LANES, bits_of(2.25f));
		OK(heddle_wave_step(wave, 1, &halt, &error));
		CHECK(halted(&halt, HEDDLE_HALT_STEPS, 0x10000 + made->size, 1), "%s: %" PRId32 " at %#" PRIx64, s->set, halt.reason, halt.pc);
		CHECK(get(wave, s->d, 0) == bits_of(3.75f), "%s: %#" PRIx64, s->set, get(wave, s->d, 0));
		set(wave, "pc", 0, 0x10000);
		OK(heddle_wave_run_to(wave, 0x10000 + made->size, 0, &halt, &error));
		CHECK(halted(&halt, HEDDLE_HALT_PC, 0x10000 + made->size, 1), "%s: %" PRId32 " at %#" PRIx64, s->set, halt.reason, halt.pc);
		WANT(HEDDLE_EFAULT, heddle_wave_step(wave, 2, &halt, &error));
		CHECK(halted(&halt, HEDDLE_HALT_FAULT, 0x10000 + 2 * made->size, 1), "%s: %" PRId32 " at %#" PRIx64, s->set, halt.reason, halt.pc);
		DONE(heddle_free(made));
		DONE(heddle_free(info));
		DONE(heddle_close(wave));
		DONE(heddle_close(own));
		DONE(heddle_close(isa));
	}
}

/* A loop: limits, registers in batches, what was saved. */
static void loops(heddle_isa gcn) {
	heddle_error *error = NULL;
	heddle_wave wave = 0, other = 0;
	heddle_halt halt = {0};
	static const char source[] = "top: s_add_u32 s1, s1, 3; s_sub_u32 s4, s4, 1; s_cmp_lg_u32 s4, 0; s_cbranch_scc1 top; s_endpgm";
	OK(heddle_wave_new(gcn, source, sizeof source - 1, NULL, &wave, &error));
	OK(heddle_wave_new(gcn, source, sizeof source - 1, NULL, &other, &error));
	heddle_register s1, s4, live;
	OK(heddle_wave_register(wave, "s1", &s1, &error));
	OK(heddle_wave_register(wave, "s4", &s4, &error));
	OK(heddle_wave_register(wave, "live", &live, &error));
	const uint32_t regs[] = {s1.id, s4.id}, odd[] = {s1.id, live.id};
	uint64_t values[] = {100, 5};
	OK(heddle_wave_write_batch(wave, regs, 0, 2, values, &error));
	OK(heddle_wave_step(wave, 6, &halt, &error));
	CHECK(halted(&halt, HEDDLE_HALT_STEPS, 8, 6), "%" PRId32 " at %#" PRIx64 " behind %" PRIu64, halt.reason, halt.pc, halt.instructions);
	OK(heddle_wave_read_batch(wave, regs, 0, 2, values, &error));
	CHECK(values[0] == 106 && values[1] == 3, "%" PRIu64 " and %" PRIu64, values[0], values[1]);
	WANT(HEDDLE_EINVALID, heddle_wave_write_batch(wave, odd, 0, 2, values, &error));
	char text[9] = "########";
	size_t length = 0, used = 0;
	OK(heddle_wave_print(wave, 12, text, sizeof text, &length, &used, &error));
	CHECK(strcmp(text, "s_cbranc") == 0 && length > 8 && used == 4, "%s, %zu, %zu", text, length, used);
	WANT(HEDDLE_ECODE, heddle_wave_print(wave, 0x5000, text, sizeof text, &length, &used, &error));
	heddle_saved saved = 0;
	OK(heddle_wave_save(wave, &saved, &error));
	OK(heddle_wave_run_to(wave, 16, 3, &halt, &error));
	CHECK(halted(&halt, HEDDLE_HALT_STEPS, 4, 3), "%" PRId32 " at %#" PRIx64, halt.reason, halt.pc);
	OK(heddle_wave_run_to(wave, 16, 0, NULL, &error));
	OK(heddle_wave_step(wave, 10, &halt, &error));
	CHECK(halted(&halt, HEDDLE_HALT_END, 16, 1) && get(wave, "live", 0) == 0 && get(wave, "s1", 0) == 115, "%" PRId32 " at %#" PRIx64, halt.reason, halt.pc);
	OK(heddle_wave_restore(wave, saved, &error));
	OK(heddle_wave_restore(other, saved, &error));
	CHECK(get(wave, "pc", 0) == 8 && get(other, "pc", 0) == 8 && get(other, "s1", 0) == 106, "%#" PRIx64, get(other, "pc", 0));
	WANT(HEDDLE_EHANDLE, heddle_wave_restore(wave, wave, &error));
	DONE(heddle_close(saved));
	WANT(HEDDLE_EHANDLE, heddle_wave_restore(wave, saved, &error));
	DONE(heddle_close(wave));
	DONE(heddle_close(other));
}

/* Memory: rights, bytes, regions, code of the caller. */
static void memory(heddle_isa gcn) {
	heddle_error *error = NULL;
	heddle_wave wave = 0;
	uint32_t *host = calloc(4, 4), got[5] = {0};
	OK(heddle_wave_new(gcn, NULL, 0, NULL, &wave, &error));
	OK(heddle_wave_map(wave, 0x1000, 16, HEDDLE_READ | HEDDLE_WRITE, &error));
	OK(heddle_wave_map_data(wave, 0x1010, host, 16, HEDDLE_READ | HEDDLE_EXECUTE, &error));
	OK(heddle_wave_write_memory(wave, 0x100c, &(uint32_t){0x1234}, 4, &error));
	host[0] = 0xbe800081; /* s_mov_b32 s0, 1 */
	host[1] = 0xbf810000; /* s_endpgm */
	OK(heddle_wave_read_memory(wave, 0x100c, got, 12, &error));
	CHECK(got[0] == 0x1234 && got[1] == host[0] && got[2] == host[1], "%#" PRIx32 " %#" PRIx32, got[0], got[1]);
	WANT(HEDDLE_EINVALID, heddle_wave_write_memory(wave, 0x1010, got, 4, &error));
	WANT(HEDDLE_EINVALID, heddle_wave_read_memory(wave, 0x101c, got, 8, &error));
	for (uint32_t i = 1; i < 3; i++) {
		host[0] = 0xbe800080 + i;
		OK(heddle_wave_flush(wave, &error));
		set(wave, "pc", 0, 0x1010);
		OK(heddle_wave_step(wave, 5, NULL, &error));
		CHECK(get(wave, "s0", 0) == i, "%" PRIu64, get(wave, "s0", 0));
	}
	OK(heddle_wave_protect(wave, 0x1000, HEDDLE_READ, &error));
	heddle_regions *list = NULL;
	OK(heddle_wave_regions(wave, &list, &error));
	CHECK(list && list->count == 2 && list->regions[0].address == 0x1000 && list->regions[0].size == 16 && list->regions[0].rights == HEDDLE_READ &&
		list->regions[1].rights == (HEDDLE_READ | HEDDLE_EXECUTE), "%zu regions", list->count);
	DONE(heddle_free(list));
	OK(heddle_wave_unmap(wave, 0x1010, &error));
	WANT(HEDDLE_EINVALID, heddle_wave_unmap(wave, 0x1010, &error));
	WANT(HEDDLE_EINVALID, heddle_wave_map(wave, 0x2000, 16, 8, &error));
	WANT(HEDDLE_EINVALID, heddle_wave_map(wave, 0x2000, (size_t)1 << 40, HEDDLE_READ, &error));
	WANT(HEDDLE_EINVALID, heddle_wave_load(wave, 0x2000, host, (size_t)1 << 40, &error));
	WANT(HEDDLE_EINVALID, heddle_wave_map_data(wave, 0x2001, host, 8, HEDDLE_READ, &error));
	WANT(HEDDLE_EINVALID, heddle_wave_map_data(wave, 0x2000, NULL, 8, HEDDLE_READ, &error));
	WANT(HEDDLE_EINVALID, heddle_wave_protect(wave, 0x2000, HEDDLE_READ, &error));
	WANT(HEDDLE_EINVALID, heddle_wave_run(wave, &error)); /* it has no program of its own */
	DONE(heddle_close(wave));
	free(host);
}

/* What hooks were told, and the wave that they use. */
static struct {
	int instructions, blocks, faults;
	uint64_t last, loaded[8], stored[8];
	int loads, stores;
	uint64_t before;
} told;

static void on_instruction(heddle_wave wave, uint64_t pc, void *user) {
	heddle_error *error = NULL;
	told.instructions++;
	told.last = pc;
	CHECK(user == &told, "user");
	CHECK(get(wave, "pc", 0) == pc, "the hook is told of %#" PRIx64, pc);
	WANT(HEDDLE_EBUSY, heddle_wave_step(wave, 1, NULL, &error));
	WANT(HEDDLE_EBUSY, heddle_wave_run(wave, &error));
	WANT(HEDDLE_EBUSY, heddle_wave_run_many(wave, 1, NULL, 0, NULL, 0, NULL, &error));
	CHECK(heddle_close(wave) == HEDDLE_EBUSY, "a running wave was closed");
}

static void skip(heddle_wave wave, uint64_t pc, void *user) {
	(void)user;
	set(wave, "pc", 0, pc + 8);
}

static void stop(heddle_wave wave, uint64_t pc, void *user) {
	(void)pc, (void)user;
	DONE(heddle_wave_stop(wave));
}

static void on_block(heddle_wave wave, uint64_t pc, uint32_t instructions, void *user) {
	(void)wave, (void)pc, (void)user;
	told.blocks += (int)instructions;
}

static void on_load(heddle_wave wave, const heddle_access *a, void *user) {
	(void)wave, (void)user;
	CHECK(a->kind == HEDDLE_ACCESS_LOAD && a->size == 4 && strcmp(a->space, "global") == 0 && a->lane == told.loads, "load by lane %" PRId32, a->lane);
	CHECK(a->address == a->space_address && a->data[0] == (a->value & 0xff), "%#" PRIx64, a->address);
	told.loaded[told.loads++ & 7] = a->value;
}

static void on_store(heddle_wave wave, const heddle_access *a, void *user) {
	heddle_error *error = NULL;
	(void)user;
	CHECK(a->kind == HEDDLE_ACCESS_STORE && a->pc == 8, "store at %#" PRIx64, a->pc);
	OK(heddle_wave_read_memory(wave, a->address, &told.before, 4, &error));
	WANT(HEDDLE_EINVALID, heddle_wave_write_memory(wave, a->address, &told.before, 4, &error));
	told.stored[told.stores++ & 7] = a->value;
}

/* Pages of memory and of code as the wave comes to them. */
static int32_t on_fault(heddle_wave wave, const heddle_fault *f, void *user) {
	heddle_error *error = NULL;
	(void)user;
	told.faults++;
	switch (f->kind) {
	case HEDDLE_FAULT_MEMORY:
		if (f->address >> 20)
			return 0;
		OK(heddle_wave_map(wave, f->address & ~0xfffull, 0x1000, HEDDLE_READ | HEDDLE_WRITE, &error));
		OK(heddle_wave_write_memory(wave, f->address, &(uint32_t){(uint32_t)f->address}, 4, &error));
		return 1;
	case HEDDLE_FAULT_CODE:
		OK(heddle_wave_load_text(wave, f->pc, "s_endpgm", HEDDLE_ZERO_TERMINATED, &error));
		return 1;
	}
	return 0;
}

static void hooks(heddle_isa gcn) {
	heddle_error *error = NULL;
	heddle_wave wave = 0;
	heddle_hook id[6] = {0}, late = 0;
	heddle_halt halt = {0};
	heddle_wave_options o = {.struct_size = sizeof o, .lanes = 2};
	OK(heddle_wave_new(gcn, "flat_load_dword v2, v[0:1]; flat_store_dword v[3:4], v2; s_mov_b64 s[0:1], 0x9000; s_setpc_b64 s[0:1]", HEDDLE_ZERO_TERMINATED, &o, &wave, &error));
	set(wave, "v[0:1]", 0, 0x1010);
	set(wave, "v[0:1]", 1, 0x5020);
	set(wave, "v[3:4]", HEDDLE_ALL_LANES, 0x1f00);
	OK(heddle_wave_on_instruction(wave, 0, UINT64_MAX, on_instruction, &told, &id[0], &error));
	OK(heddle_wave_on_block(wave, 0, UINT64_MAX, on_block, NULL, &id[1], &error));
	OK(heddle_wave_on_load(wave, 0, UINT64_MAX, on_load, NULL, &id[2], &error));
	OK(heddle_wave_on_store(wave, 0x1f00, 0x1f03, on_store, NULL, &id[3], &error));
	OK(heddle_wave_on_fault(wave, on_fault, NULL, &id[4], &error));
	OK(heddle_wave_step(wave, 100, &halt, &error));
	CHECK(halt.reason == HEDDLE_HALT_END && halt.instructions == 5, "%" PRId32 " behind %" PRIu64, halt.reason, halt.instructions);
	CHECK(told.faults == 3 && told.instructions >= 5 && told.last == 0x9000 && told.blocks >= 5, "%d faults, %d instructions, %d in blocks", told.faults, told.instructions, told.blocks);
	CHECK(told.loads == 2 && told.loaded[0] == 0x1010 && told.loaded[1] == 0x5020, "loaded %#" PRIx64 " and %#" PRIx64, told.loaded[0], told.loaded[1]);
	CHECK(told.stores == 2 && told.stored[0] == 0x1010 && told.stored[1] == 0x5020 && told.before == 0x1010, "stored %#" PRIx64 ", before it %#" PRIx64, told.stored[1], told.before);
	for (int i = 0; i < 4; i++)
		OK(heddle_wave_unhook(wave, id[i], &error));
	WANT(HEDDLE_ENOTFOUND, heddle_wave_unhook(wave, id[0], &error));
	WANT(HEDDLE_ENOTFOUND, heddle_wave_unhook(wave, 77, &error));

	/* What nobody mends is a fault, as always. */
	set(wave, "pc", 0, 0);
	set(wave, "v[0:1]", 1, 0x700000);
	heddle_status status = heddle_wave_step(wave, 100, &halt, &error);
	CHECK(status == HEDDLE_EFAULT && error && error->fault && error->fault->address == 0x700000 && error->fault->lane == 1, "%s", heddle_status_name(status));
	DONE(heddle_free(error));
	error = NULL;

	/* Without the load, and stopped. */
	OK(heddle_wave_on_instruction(wave, 0, 0, skip, NULL, &id[0], &error));
	OK(heddle_wave_on_instruction(wave, 16, 31, stop, NULL, &late, &error));
	set(wave, "pc", 0, 0);
	OK(heddle_wave_step(wave, 100, &halt, &error));
	CHECK(halt.reason == HEDDLE_HALT_STOP && halt.pc == 16 && halt.instructions == 1, "%" PRId32 " at %#" PRIx64 " behind %" PRIu64, halt.reason, halt.pc, halt.instructions);
	WANT(HEDDLE_ESTOPPED, heddle_wave_run(wave, &error));
	WANT(HEDDLE_EINVALID, heddle_wave_on_block(wave, 2, 1, on_block, NULL, &late, &error));
	WANT(HEDDLE_EINVALID, heddle_wave_on_block(wave, 0, 1, NULL, NULL, &late, &error));
	WANT(HEDDLE_EINVALID, heddle_wave_on_fault(wave, on_fault, NULL, NULL, &error));
	DONE(heddle_close(wave));
}

/* Hooks that remove each other, with user data that is freed at once. */
static heddle_hook victims[2];
static int *victim_data[2];

static void kill_others(heddle_wave wave, int self) {
	heddle_error *error = NULL;
	for (int i = 0; i < 2; i++) {
		if (i != self && victim_data[i]) {
			OK(heddle_wave_unhook(wave, victims[i], &error));
			free(victim_data[i]);
			victim_data[i] = NULL;
		}
	}
}

static void victim_instruction(heddle_wave wave, uint64_t pc, void *user) {
	(void)pc;
	kill_others(wave, *(int *)user);
}

static void victim_access(heddle_wave wave, const heddle_access *a, void *user) {
	(void)a;
	kill_others(wave, *(int *)user);
}

static int32_t victim_fault(heddle_wave wave, const heddle_fault *f, void *user) {
	(void)f;
	kill_others(wave, *(int *)user);
	return 0;
}

static void removals(heddle_isa gcn) {
	heddle_error *error = NULL;
	for (int kind = 0; kind < 3; kind++) {
		heddle_wave wave = 0;
		OK(heddle_wave_new(gcn, "flat_store_dword v[0:1], v2; s_trap 1", HEDDLE_ZERO_TERMINATED, NULL, &wave, &error));
		OK(heddle_wave_map(wave, 0, 64, HEDDLE_READ | HEDDLE_WRITE, &error));
		for (int i = 0; i < 2; i++) {
			victim_data[i] = malloc(sizeof(int));
			*victim_data[i] = i;
			switch (kind) {
			case 0:
				OK(heddle_wave_on_instruction(wave, 0, UINT64_MAX, victim_instruction, victim_data[i], &victims[i], &error));
				break;
			case 1:
				OK(heddle_wave_on_store(wave, 0, UINT64_MAX, victim_access, victim_data[i], &victims[i], &error));
				break;
			default:
				OK(heddle_wave_on_fault(wave, victim_fault, victim_data[i], &victims[i], &error));
			}
		}
		WANT(HEDDLE_EFAULT, heddle_wave_run(wave, &error));
		CHECK(victim_data[0] && !victim_data[1], "kind %d: the first hook removes the second", kind);
		free(victim_data[0]);
		DONE(heddle_close(wave));
	}
}

/* A device: its one register counts, and a write of it is a doorbell that fills memory. */
typedef struct {
	uint32_t count, written;
	int calls;
} counter_device;

static void device_read(heddle_wave wave, uint64_t offset, void *data, size_t size, void *user) {
	counter_device *d = user;
	heddle_error *error = NULL;
	CHECK(size == 4 && offset % 4 == 0, "%zu bytes at %" PRIu64, size, offset);
	d->calls++;
	d->count++;
	memcpy(data, &d->count, 4);
	WANT(HEDDLE_EBUSY, heddle_wave_step(wave, 1, NULL, &error));
	WANT(HEDDLE_EINVALID, heddle_wave_map(wave, 0x70000, 16, HEDDLE_READ, &error));
	WANT(HEDDLE_EINVALID, heddle_wave_unmap(wave, 0x9000, &error));
	CHECK(heddle_close(wave) == HEDDLE_EBUSY, "a running wave was closed");
	CHECK(get(wave, "pc", 0) == 0, "pc %#" PRIx64, get(wave, "pc", 0));
}

static void device_write(heddle_wave wave, uint64_t offset, const void *data, size_t size, void *user) {
	counter_device *d = user;
	heddle_error *error = NULL;
	CHECK(size == 4 && offset == 4 * (uint64_t)(d->calls - 2), "%zu bytes at %" PRIu64, size, offset);
	d->calls++;
	memcpy(&d->written, data, 4);
	OK(heddle_wave_write_memory(wave, 0x5000, data, 4, &error));
}

static void devices(heddle_isa gcn) {
	heddle_error *error = NULL;
	heddle_wave wave = 0;
	heddle_regions *list = NULL;
	counter_device d = {0};
	heddle_wave_options o = {.struct_size = sizeof o, .lanes = 2};
	OK(heddle_wave_new(gcn, "flat_load_dword v2, v[0:1]; flat_store_dword v[0:1], v2", HEDDLE_ZERO_TERMINATED, &o, &wave, &error));
	set(wave, "v[0:1]", 0, 0x9000);
	set(wave, "v[0:1]", 1, 0x9004);
	OK(heddle_wave_map(wave, 0x5000, 16, HEDDLE_READ, &error));
	WANT(HEDDLE_EINVALID, heddle_wave_map_device(wave, 0x9000, 0, device_read, device_write, &d, &error));
	WANT(HEDDLE_EINVALID, heddle_wave_map_device(wave, 0x9000, 8, NULL, NULL, &d, &error));
	WANT(HEDDLE_EINVALID, heddle_wave_map_device(wave, 0x5008, 8, device_read, device_write, &d, &error));
	WANT(HEDDLE_EINVALID, heddle_wave_map_device(wave, UINT64_MAX, 8, device_read, device_write, &d, &error));
	WANT(HEDDLE_EHANDLE, heddle_wave_map_device(0, 0x9000, 8, device_read, device_write, &d, &error));
	OK(heddle_wave_map_device(wave, 0x9000, 8, device_read, device_write, &d, &error));
	OK(heddle_wave_regions(wave, &list, &error));
	CHECK(list && list->count == 2 && list->regions[1].address == 0x9000 && list->regions[1].rights == (HEDDLE_READ | HEDDLE_WRITE), "%zu regions", list->count);
	DONE(heddle_free(list));
	OK(heddle_wave_run(wave, &error));
	uint32_t memory = 0;
	OK(heddle_wave_read_memory(wave, 0x5000, &memory, 4, &error));
	CHECK(d.calls == 4 && d.written == 2 && memory == 2 && get(wave, "v2", 0) == 1 && get(wave, "v2", 1) == 2, "%d calls, written %" PRIu32, d.calls, d.written);
	WANT(HEDDLE_EINVALID, heddle_wave_read_memory(wave, 0x9000, &memory, 4, &error));
	WANT(HEDDLE_EINVALID, heddle_wave_protect(wave, 0x9000, HEDDLE_READ, &error));
	OK(heddle_wave_unmap(wave, 0x9000, &error));
	OK(heddle_wave_map_device(wave, 0x9000, 8, NULL, device_write, &d, &error));
	WANT(HEDDLE_EFAULT, heddle_wave_run(wave, &error));
	CHECK(d.calls == 4, "%d calls", d.calls);
	DONE(heddle_close(wave));
}

static void circle(heddle_wave wave, uint64_t pc, void *user) {
	(void)user;
	set(wave, "pc", 0, 4 - pc);
}

/* Hooks that move pc for ever. */
static void circles(heddle_isa gcn) {
	heddle_error *error = NULL;
	heddle_wave wave = 0;
	heddle_hook hook = 0;
	heddle_halt halt = {0};
	heddle_wave_options o = {.struct_size = sizeof o, .timeout = 30, .steps = 1000};
	OK(heddle_wave_new(gcn, "s_nop 0; s_nop 1", HEDDLE_ZERO_TERMINATED, &o, &wave, &error));
	OK(heddle_wave_on_instruction(wave, 0, UINT64_MAX, circle, NULL, &hook, &error));
	OK(heddle_wave_step(wave, 5, &halt, &error));
	CHECK(halted(&halt, HEDDLE_HALT_STEPS, 4, 0), "%" PRId32 " at %#" PRIx64 " after %" PRIu64, halt.reason, halt.pc, halt.instructions);
	WANT(HEDDLE_ELIMIT, heddle_wave_run(wave, &error));
	WANT(HEDDLE_ETIMEOUT, heddle_wave_step(wave, UINT64_MAX, NULL, &error));
	DONE(heddle_close(wave));
}

/* Words that are no instruction, places without code, and a limit of time. */
static void wrong(heddle_isa gcn) {
	heddle_error *error = NULL;
	heddle_wave wave = 0;
	heddle_status status = heddle_wave_new(gcn, "ffffffff", HEDDLE_ZERO_TERMINATED, NULL, &wave, &error);
	CHECK(status == HEDDLE_ETEXT && wave == 0 && error && strstr(error->message, "ffffffff is no instruction of gcn:gfx8"), "%s", heddle_status_name(status));
	DONE(heddle_free(error));
	heddle_wave_options o = {.struct_size = sizeof o, .timeout = 30, .steps = 1000};
	OK(heddle_wave_new(gcn, "top: s_branch top; s_setpc_b64 s[0:1]", HEDDLE_ZERO_TERMINATED, &o, &wave, &error));
	WANT(HEDDLE_ETIMEOUT, heddle_wave_step(wave, UINT64_MAX, NULL, &error));
	WANT(HEDDLE_ELIMIT, heddle_wave_run_to(wave, 4, 0, NULL, &error));
	set(wave, "s[0:1]", 0, 0x1000);
	set(wave, "pc", 0, 4);
	status = heddle_wave_step(wave, 2, NULL, &error);
	CHECK(status == HEDDLE_EFAULT && error && error->fault && error->fault->kind == HEDDLE_FAULT_CODE && error->fault->pc == 0x1000 &&
		strstr(error->message, "pc 0x1000") && strstr(error->message, "the code is at 0x0-0x8; load code there"), "%s", error ? error->message : "-");
	DONE(heddle_free(error));
	DONE(heddle_close(wave));
}

int main(void) {
	heddle_isa gcn = isa_of("gcn");
	every_set();
	loops(gcn);
	memory(gcn);
	hooks(gcn);
	removals(gcn);
	devices(gcn);
	circles(gcn);
	wrong(gcn);
	DONE(heddle_close(gcn));
	clean();
	return failures != 0;
}
