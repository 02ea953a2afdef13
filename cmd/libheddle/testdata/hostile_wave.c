/* Each function of a wave with handles, pointers, sizes and addresses that cannot be. None must end the process, and none may write a result. */
#include "check.h"

#define GONE ((void *)0)

static void on_instruction(heddle_wave wave, uint64_t pc, void *user) {
	(void)wave, (void)pc, (void)user;
}

static void on_block(heddle_wave wave, uint64_t pc, uint32_t n, void *user) {
	(void)wave, (void)pc, (void)n, (void)user;
}

static void on_access(heddle_wave wave, const heddle_access *a, void *user) {
	(void)wave, (void)a, (void)user;
}

static int32_t on_fault(heddle_wave wave, const heddle_fault *f, void *user) {
	(void)wave, (void)f, (void)user;
	return 0;
}

static void device_read(heddle_wave wave, uint64_t at, void *data, size_t n, void *user) {
	(void)wave, (void)at, (void)data, (void)n, (void)user;
}

static void device_write(heddle_wave wave, uint64_t at, const void *data, size_t n, void *user) {
	(void)wave, (void)at, (void)data, (void)n, (void)user;
}

/* All functions with a wave that is not one. */
static void bad_handles(heddle_wave wave, heddle_saved saved) {
	heddle_error *error = NULL;
	heddle_isa isa = 0;
	heddle_saved out = 0;
	heddle_hook hook = 0;
	heddle_regions *regions = NULL;
	heddle_register reg = {0};
	heddle_halt halt = {.reason = -7};
	heddle_counters counters;
	uint32_t id = 0;
	uint64_t value = 77;
	size_t length = 77, used = 77;
	char text[8] = "same";
	WANT(HEDDLE_EHANDLE, heddle_wave_register(wave, "v0", &reg, &error));
	WANT(HEDDLE_EHANDLE, heddle_wave_read(wave, 0, 0, 1, &value, &error));
	WANT(HEDDLE_EHANDLE, heddle_wave_write(wave, 0, 0, 1, &value, &error));
	WANT(HEDDLE_EHANDLE, heddle_wave_get(wave, "v0", 0, &value, &error));
	WANT(HEDDLE_EHANDLE, heddle_wave_set(wave, "v0", 0, 1, &error));
	WANT(HEDDLE_EHANDLE, heddle_wave_run(wave, &error));
	WANT(HEDDLE_EHANDLE, heddle_wave_run_many(wave, 1, NULL, 0, NULL, 0, &used, &error));
	WANT(HEDDLE_EHANDLE, heddle_wave_read_batch(wave, &id, 0, 1, &value, &error));
	WANT(HEDDLE_EHANDLE, heddle_wave_write_batch(wave, &id, 0, 1, &value, &error));
	WANT(HEDDLE_EHANDLE, heddle_wave_isa(wave, &isa, &error));
	WANT(HEDDLE_EHANDLE, heddle_wave_step(wave, 1, &halt, &error));
	WANT(HEDDLE_EHANDLE, heddle_wave_run_to(wave, 1, 1, &halt, &error));
	WANT(HEDDLE_EHANDLE, heddle_wave_print(wave, 0, text, sizeof text, &length, &used, &error));
	CHECK(heddle_wave_stop(wave) == HEDDLE_EHANDLE, "stop");
	WANT(HEDDLE_EHANDLE, heddle_wave_load(wave, 0, "1234", 4, &error));
	WANT(HEDDLE_EHANDLE, heddle_wave_load_text(wave, 0, "s_nop 0", 7, &error));
	WANT(HEDDLE_EHANDLE, heddle_wave_map(wave, 0, 8, HEDDLE_READ, &error));
	WANT(HEDDLE_EHANDLE, heddle_wave_map_data(wave, 0, &value, 8, HEDDLE_READ, &error));
	WANT(HEDDLE_EHANDLE, heddle_wave_map_device(wave, 0, 8, device_read, device_write, NULL, &error));
	WANT(HEDDLE_EHANDLE, heddle_wave_unmap(wave, 0, &error));
	WANT(HEDDLE_EHANDLE, heddle_wave_protect(wave, 0, HEDDLE_READ, &error));
	WANT(HEDDLE_EHANDLE, heddle_wave_regions(wave, &regions, &error));
	WANT(HEDDLE_EHANDLE, heddle_wave_read_memory(wave, 0, &value, 8, &error));
	WANT(HEDDLE_EHANDLE, heddle_wave_write_memory(wave, 0, &value, 8, &error));
	WANT(HEDDLE_EHANDLE, heddle_wave_flush(wave, &error));
	WANT(HEDDLE_EHANDLE, heddle_wave_on_instruction(wave, 0, 1, on_instruction, NULL, &hook, &error));
	WANT(HEDDLE_EHANDLE, heddle_wave_on_block(wave, 0, 1, on_block, NULL, &hook, &error));
	WANT(HEDDLE_EHANDLE, heddle_wave_on_load(wave, 0, 1, on_access, NULL, &hook, &error));
	WANT(HEDDLE_EHANDLE, heddle_wave_on_store(wave, 0, 1, on_access, NULL, &hook, &error));
	WANT(HEDDLE_EHANDLE, heddle_wave_on_fault(wave, on_fault, NULL, &hook, &error));
	WANT(HEDDLE_EHANDLE, heddle_wave_unhook(wave, 1, &error));
	WANT(HEDDLE_EHANDLE, heddle_wave_save(wave, &out, &error));
	WANT(HEDDLE_EHANDLE, heddle_wave_restore(wave, saved, &error));
	WANT(HEDDLE_EHANDLE, heddle_wave_counters(wave, &counters, &error));
	CHECK(value == 77 && length == 77 && used == 77 && halt.reason == -7 && !isa && !out && !hook && !regions && !reg.bits && strcmp(text, "same") == 0,
		"a result was written");
	CHECK(heddle_wave_step(wave, 1, NULL, NULL) == HEDDLE_EHANDLE, "without a place for the error");
}

/* NULL where something must be, and where nothing need be. */
static void nulls(heddle_wave wave) {
	heddle_error *error = NULL;
	heddle_hook hook = 0;
	uint32_t id = 0;
	WANT(HEDDLE_EINVALID, heddle_wave_isa(wave, GONE, &error));
	WANT(HEDDLE_EINVALID, heddle_wave_read_batch(wave, GONE, 0, 1, (uint64_t[]){0}, &error));
	WANT(HEDDLE_EINVALID, heddle_wave_read_batch(wave, &id, 0, 1, GONE, &error));
	WANT(HEDDLE_EINVALID, heddle_wave_write_batch(wave, GONE, 0, 1, (uint64_t[]){0}, &error));
	WANT(HEDDLE_EINVALID, heddle_wave_write_batch(wave, &id, 0, 1, GONE, &error));
	OK(heddle_wave_read_batch(wave, GONE, 0, 0, GONE, &error));
	OK(heddle_wave_write_batch(wave, GONE, 0, 0, GONE, &error));
	OK(heddle_wave_step(wave, 0, GONE, &error));
	OK(heddle_wave_run_to(wave, 0, 0, GONE, &error));
	OK(heddle_wave_print(wave, 0, GONE, 0, GONE, GONE, &error));
	WANT(HEDDLE_EINVALID, heddle_wave_print(wave, 0, GONE, 4, GONE, GONE, &error));
	WANT(HEDDLE_EINVALID, heddle_wave_load(wave, 0x1000, GONE, 4, &error));
	WANT(HEDDLE_EINVALID, heddle_wave_load(wave, 0x1000, "", 0, &error));
	WANT(HEDDLE_EINVALID, heddle_wave_load_text(wave, 0x1000, GONE, 4, &error));
	WANT(HEDDLE_EINVALID, heddle_wave_load_text(wave, 0x1000, GONE, HEDDLE_ZERO_TERMINATED, &error));
	WANT(HEDDLE_ETEXT, heddle_wave_load_text(wave, 0x1000, "no such thing", HEDDLE_ZERO_TERMINATED, &error));
	WANT(HEDDLE_EINVALID, heddle_wave_map_data(wave, 0x1000, GONE, 8, HEDDLE_READ, &error));
	WANT(HEDDLE_EINVALID, heddle_wave_map_device(wave, 0x1000, 8, GONE, GONE, GONE, &error));
	WANT(HEDDLE_EINVALID, heddle_wave_regions(wave, GONE, &error));
	WANT(HEDDLE_EINVALID, heddle_wave_read_memory(wave, 0x9000, GONE, 8, &error));
	WANT(HEDDLE_EINVALID, heddle_wave_write_memory(wave, 0x9000, GONE, 8, &error));
	OK(heddle_wave_read_memory(wave, 0x9000, GONE, 0, &error));
	OK(heddle_wave_write_memory(wave, 0x9000, GONE, 0, &error));
	WANT(HEDDLE_EINVALID, heddle_wave_on_instruction(wave, 0, 1, GONE, NULL, &hook, &error));
	WANT(HEDDLE_EINVALID, heddle_wave_on_instruction(wave, 0, 1, on_instruction, NULL, GONE, &error));
	WANT(HEDDLE_EINVALID, heddle_wave_on_block(wave, 0, 1, on_block, NULL, GONE, &error));
	WANT(HEDDLE_EINVALID, heddle_wave_on_load(wave, 0, 1, GONE, NULL, &hook, &error));
	WANT(HEDDLE_EINVALID, heddle_wave_on_load(wave, 1, 0, on_access, NULL, &hook, &error));
	WANT(HEDDLE_EINVALID, heddle_wave_on_store(wave, 0, 1, on_access, NULL, GONE, &error));
	WANT(HEDDLE_EINVALID, heddle_wave_on_fault(wave, GONE, NULL, &hook, &error));
	WANT(HEDDLE_ENOTFOUND, heddle_wave_unhook(wave, 0, &error));
	WANT(HEDDLE_ENOTFOUND, heddle_wave_unhook(wave, UINT64_MAX, &error));
	WANT(HEDDLE_EINVALID, heddle_wave_save(wave, GONE, &error));
	WANT(HEDDLE_EHANDLE, heddle_wave_restore(wave, 0, &error));
	WANT(HEDDLE_EHANDLE, heddle_wave_restore(wave, wave, &error));
	WANT(HEDDLE_EINVALID, heddle_wave_counters(wave, GONE, &error));
	CHECK(hook == 0, "a hook was added");
	OK(heddle_wave_flush(wave, GONE));
}

/* Sizes and addresses at the ends of what there is. */
static void ends(heddle_wave wave) {
	heddle_error *error = NULL;
	static uint64_t host[4];
	uint64_t value = 0;
	heddle_halt halt = {0};
	const uint64_t top = UINT64_MAX - 15;
	WANT(HEDDLE_EINVALID, heddle_wave_map(wave, 0x1000, 0, HEDDLE_READ, &error));
	WANT(HEDDLE_EINVALID, heddle_wave_map(wave, 0x1000, SIZE_MAX, HEDDLE_READ, &error));
	WANT(HEDDLE_EINVALID, heddle_wave_map(wave, 0x1000, 8, 0, &error));
	WANT(HEDDLE_EINVALID, heddle_wave_map(wave, 0x1000, 8, ~0u, &error));
	WANT(HEDDLE_EINVALID, heddle_wave_map(wave, top, 17, HEDDLE_READ, &error));
	WANT(HEDDLE_EINVALID, heddle_wave_map_data(wave, 0x1000, host, SIZE_MAX, HEDDLE_READ, &error));
	WANT(HEDDLE_EINVALID, heddle_wave_map_data(wave, 0x1000, host, 0, HEDDLE_READ, &error));
	WANT(HEDDLE_EINVALID, heddle_wave_map_device(wave, top, 17, device_read, GONE, NULL, &error));
	WANT(HEDDLE_EINVALID, heddle_wave_load(wave, 0x1000, host, SIZE_MAX, &error));
	OK(heddle_wave_map(wave, top, 16, HEDDLE_READ | HEDDLE_WRITE | HEDDLE_EXECUTE, &error));
	OK(heddle_wave_write_memory(wave, top + 12, &(uint32_t){0xbf810000}, 4, &error)); /* s_endpgm */
	WANT(HEDDLE_EINVALID, heddle_wave_write_memory(wave, top + 12, host, 8, &error));
	WANT(HEDDLE_EINVALID, heddle_wave_read_memory(wave, top, host, SIZE_MAX, &error));
	WANT(HEDDLE_EINVALID, heddle_wave_read_memory(wave, top + 8, &value, 9, &error));
	OK(heddle_wave_read_memory(wave, top + 8, &value, 8, &error));
	CHECK(value == 0xbf81000000000000, "%#" PRIx64, value);
	OK(heddle_wave_set(wave, "pc", 0, top + 12, &error));
	OK(heddle_wave_step(wave, UINT64_MAX, &halt, &error));
	CHECK(halt.reason == HEDDLE_HALT_END, "%" PRId32, halt.reason);
	OK(heddle_wave_set(wave, "pc", 0, top + 8, &error));
	OK(heddle_wave_run_to(wave, UINT64_MAX, UINT64_MAX, &halt, &error));
	OK(heddle_wave_set(wave, "pc", 0, UINT64_MAX, &error));
	WANT(HEDDLE_EFAULT, heddle_wave_step(wave, 1, &halt, &error));
	WANT(HEDDLE_ECODE, heddle_wave_print(wave, UINT64_MAX, NULL, 0, NULL, NULL, &error));
	OK(heddle_wave_unmap(wave, top, &error));
	OK(heddle_wave_map_device(wave, UINT64_MAX, 1, device_read, GONE, NULL, &error));
	OK(heddle_wave_unmap(wave, UINT64_MAX, &error));
	WANT(HEDDLE_EINVALID, heddle_wave_protect(wave, top, HEDDLE_READ, &error));
}

int main(void) {
	heddle_error *error = NULL;
	heddle_isa gcn = 0;
	heddle_wave wave = 0, closed = 0;
	heddle_saved saved = 0;
	OK(heddle_isa_find("gcn", &gcn, &error));
	OK(heddle_wave_new(gcn, "s_nop 0", HEDDLE_ZERO_TERMINATED, NULL, &wave, &error));
	OK(heddle_wave_new(gcn, "s_nop 0", HEDDLE_ZERO_TERMINATED, NULL, &closed, &error));
	OK(heddle_wave_save(wave, &saved, &error));
	DONE(heddle_close(closed));
	const heddle_wave bad[] = {0, closed, gcn, saved, UINT64_MAX, 1};
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		bad_handles(bad[i], saved);
	nulls(wave);
	ends(wave);
	DONE(heddle_close(saved));
	DONE(heddle_close(wave));
	DONE(heddle_close(gcn));
	clean();
	return failures != 0;
}
