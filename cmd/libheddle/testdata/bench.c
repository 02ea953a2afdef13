/* What calls cost: bench NAME COUNT prints nanoseconds of the processor's time a unit of work. */
#define _POSIX_C_SOURCE 200809L

#include "check.h"

#include <time.h>

enum { LANES = 64, CODE = 4096 };

static heddle_isa gcn;
static heddle_wave wave;
static heddle_register v0, v1;
static heddle_assembly *code;
static heddle_error *error;

static void call(size_t n) {
	for (size_t i = 0; i < n; i++)
		heddle_abi();
}

static void get(size_t n) {
	uint64_t value;
	for (size_t i = 0; i < n; i++)
		heddle_wave_get(wave, "v0", 5, &value, NULL);
}

static void read_lanes(size_t n) {
	uint64_t values[LANES];
	for (size_t i = 0; i < n; i++)
		heddle_wave_read(wave, v0.id, 0, LANES, values, NULL);
}

static void run(size_t n) {
	for (size_t i = 0; i < n; i++)
		heddle_wave_run(wave, NULL);
}

static void state(size_t n) { /* a value in, a run, a value out */
	uint64_t value = 7;
	for (size_t i = 0; i < n; i++) {
		heddle_wave_write(wave, v1.id, 0, 1, &value, NULL);
		heddle_wave_run(wave, NULL);
		heddle_wave_read(wave, v0.id, 0, 1, &value, NULL);
	}
}

static void state_many(size_t n) { /* the same in one call */
	enum { BLOCK = 1024 };
	uint64_t in[BLOCK] = {0}, out[BLOCK];
	heddle_port from = {v1.id, 0, in, 1}, to = {v0.id, 0, out, 1};
	for (size_t i = 0; i < n; i += BLOCK)
		OK(heddle_wave_run_many(wave, n - i < BLOCK ? n - i : BLOCK, &from, 1, &to, 1, NULL, &error));
}

static void print(size_t n) {
	char text[128];
	for (size_t i = 0; i < n; i++)
		heddle_print(gcn, code->code + i % CODE * 4, 4, 0, text, sizeof text, NULL, NULL, NULL);
}

static void print_many(size_t n) {
	static heddle_entry entries[CODE];
	static char text[CODE * 64];
	size_t count = 0, used = 0;
	for (size_t i = 0; i < n; i += count)
		OK(heddle_decode_many(gcn, code->code, code->size, 0, entries, CODE, text, sizeof text, &count, &used, &error));
}

static void decode(size_t n) {
	for (size_t i = 0; i < n; i++) {
		heddle_instruction *in = NULL;
		heddle_decode(gcn, code->code + i % CODE * 4, 4, 0, &in, NULL);
		heddle_free(in);
	}
}

static void disassemble(size_t n) {
	for (size_t i = 0; i < n; i++) {
		char *listing = NULL;
		OK(heddle_disassemble(gcn, code->code + i % CODE * 4, 4, 0, &listing, &error));
		heddle_free(listing);
	}
}

int main(int argc, char **argv) {
	static const struct {
		const char *name;
		void (*f)(size_t n);
	} all[] = {{"call", call}, {"get", get}, {"read64", read_lanes}, {"run", run}, {"state", state}, {"state_many", state_many},
		{"print", print}, {"print_many", print_many}, {"decode", decode}, {"disassemble", disassemble}};
	if (argc != 3)
		return 2;
	OK(heddle_isa_find("gfx803", &gcn, &error));
	OK(heddle_wave_new(gcn, "v_add_f32 v0, v1, v2", HEDDLE_ZERO_TERMINATED, NULL, &wave, &error));
	OK(heddle_wave_register(wave, "v0", &v0, &error));
	OK(heddle_wave_register(wave, "v1", &v1, &error));
	OK(heddle_wave_run(wave, &error));
	char *source = calloc(CODE, 32), *at = source;
	for (int i = 0; source && i < CODE; i++)
		at += sprintf(at, "v_add_f32 v%d, v%d, v%d\n", i % 256, i / 7 % 256, i / 3 % 256);
	OK(heddle_assemble(gcn, source, HEDDLE_ZERO_TERMINATED, 0, &code, &error));
	free(source);
	size_t n = (size_t)strtoull(argv[2], NULL, 10);
	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
		if (strcmp(all[i].name, argv[1]) != 0)
			continue;
		struct timespec from, to;
		all[i].f(n / 100 + 1);
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
		all[i].f(n);
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
		printf("%.1f\n", ((double)(to.tv_sec - from.tv_sec) * 1e9 + (double)(to.tv_nsec - from.tv_nsec)) / (double)n);
		return failures != 0;
	}
	return 2;
}
