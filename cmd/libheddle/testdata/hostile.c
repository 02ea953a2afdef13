/* What must not work, and must not end the process either. The argument is the repository. */
#include "check.h"

#define GONE ((void *)0)

static heddle_isa gcn;

/* NULL where there must be something, and nothing where there must be bytes. */
static void nulls(void) {
	heddle_error *error = NULL;
	heddle_isa isa = 0;
	heddle_wave wave = 0;
	heddle_module module = 0;
	heddle_register reg;
	uint64_t value = 0;
	size_t n = 0;
	char text[8];
	static const uint8_t nop[] = {0x00, 0x00, 0x80, 0xbf};
	OK(heddle_wave_new(gcn, "v_add_f32 v0, v1, v2", HEDDLE_ZERO_TERMINATED, NULL, &wave, &error));
	OK(heddle_wave_register(wave, "v0", &reg, &error));
	WANT(HEDDLE_EINVALID, heddle_isa_at(0, GONE, &error));
	WANT(HEDDLE_EINVALID, heddle_isa_at(heddle_isa_count(), &isa, &error));
	WANT(HEDDLE_EINVALID, heddle_isa_at((size_t)-1, &isa, &error));
	WANT(HEDDLE_EINVALID, heddle_isa_find(GONE, &isa, &error));
	WANT(HEDDLE_EINVALID, heddle_isa_find("gcn", GONE, &error));
	WANT(HEDDLE_EINVALID, heddle_isa_with(gcn, GONE, GONE, &error));
	WANT(HEDDLE_EINVALID, heddle_isa_describe(gcn, GONE, &error));
	WANT(HEDDLE_EINVALID, heddle_decode(gcn, GONE, 4, 0, GONE, &error));
	WANT(HEDDLE_EINVALID, heddle_decode(gcn, nop, 4, 0, GONE, &error));
	WANT(HEDDLE_EINVALID, heddle_decode_many(gcn, GONE, 4, 0, GONE, 0, GONE, 0, &n, &n, &error));
	WANT(HEDDLE_EINVALID, heddle_decode_many(gcn, nop, 4, 0, GONE, 4, GONE, 0, &n, &n, &error));
	WANT(HEDDLE_EINVALID, heddle_decode_many(gcn, nop, 4, 0, GONE, 0, GONE, 0, &n, &n, &error));
	WANT(HEDDLE_EINVALID, heddle_decode_many(gcn, nop, 4, 0, GONE, 0, GONE, 0, GONE, GONE, &error));
	WANT(HEDDLE_EINVALID, heddle_print(gcn, GONE, 4, 0, text, sizeof text, GONE, GONE, &error));
	WANT(HEDDLE_EINVALID, heddle_print(gcn, nop, 4, 0, GONE, 8, GONE, GONE, &error));
	OK(heddle_print(gcn, nop, 4, 0, GONE, 0, GONE, GONE, &error));
	WANT(HEDDLE_EINVALID, heddle_disassemble(gcn, GONE, 4, 0, GONE, &error));
	WANT(HEDDLE_EINVALID, heddle_disassemble(gcn, nop, 4, 0, GONE, &error));
	WANT(HEDDLE_EINVALID, heddle_assemble(gcn, GONE, 4, 0, GONE, &error));
	WANT(HEDDLE_EINVALID, heddle_assemble(gcn, GONE, HEDDLE_ZERO_TERMINATED, 0, GONE, &error));
	WANT(HEDDLE_EINVALID, heddle_assemble(gcn, "s_nop 0", HEDDLE_ZERO_TERMINATED, 0, GONE, &error));
	WANT(HEDDLE_EINVALID, heddle_explain(gcn, GONE, GONE, &error));
	WANT(HEDDLE_EINVALID, heddle_explain(gcn, "s_nop 0", GONE, &error));
	WANT(HEDDLE_EINVALID, heddle_wave_new(gcn, GONE, 3, GONE, &wave, &error));
	WANT(HEDDLE_EINVALID, heddle_wave_new(gcn, "s_nop 0", 7, GONE, GONE, &error));
	WANT(HEDDLE_EINVALID, heddle_wave_new(gcn, "", 0, GONE, &wave, &error));
	WANT(HEDDLE_EINVALID, heddle_wave_register(wave, GONE, &reg, &error));
	WANT(HEDDLE_EINVALID, heddle_wave_register(wave, "v0", GONE, &error));
	WANT(HEDDLE_EINVALID, heddle_wave_read(wave, reg.id, 0, 1, GONE, &error));
	WANT(HEDDLE_EINVALID, heddle_wave_write(wave, reg.id, 0, 1, GONE, &error));
	OK(heddle_wave_read(wave, reg.id, 0, 0, GONE, &error));
	WANT(HEDDLE_EINVALID, heddle_wave_get(wave, GONE, 0, &value, &error));
	WANT(HEDDLE_EINVALID, heddle_wave_get(wave, "v0", 0, GONE, &error));
	WANT(HEDDLE_EINVALID, heddle_wave_set(wave, GONE, 0, 0, &error));
	WANT(HEDDLE_EINVALID, heddle_wave_run_many(wave, 1, GONE, 1, GONE, 0, GONE, &error));
	WANT(HEDDLE_EINVALID, heddle_wave_run_many(wave, 1, GONE, 0, GONE, 1, GONE, &error));
	OK(heddle_wave_run_many(wave, 2, GONE, 0, GONE, 0, GONE, &error));
	WANT(HEDDLE_EINVALID, heddle_wave_counters(wave, GONE, &error));
	WANT(HEDDLE_EINVALID, heddle_module_read(GONE, 100, &module, &error));
	WANT(HEDDLE_EINVALID, heddle_module_read(nop, 4, GONE, &error));
	WANT(HEDDLE_ECODE, heddle_module_read(GONE, 0, &module, &error));
	WANT(HEDDLE_EINVALID, heddle_module_read(nop, (size_t)1 << 40, &module, &error));
	WANT(HEDDLE_EINVALID, heddle_module_code(gcn, nop, (size_t)1 << 40, GONE, &module, &error));
	WANT(HEDDLE_EINVALID, heddle_assemble(gcn, text, (size_t)1 << 40, 0, GONE, &error));
	WANT(HEDDLE_EINVALID, heddle_wave_new(gcn, text, (size_t)1 << 40, GONE, &wave, &error));
	WANT(HEDDLE_EINVALID, heddle_module_open(GONE, &module, &error));
	WANT(HEDDLE_EINVALID, heddle_module_open("x", GONE, &error));
	DONE(heddle_free(NULL));
	heddle_live(GONE, GONE);
	/* Nobody wants to know why. */
	CHECK(heddle_isa_find("nothing", &isa, NULL) == HEDDLE_ENOTFOUND && isa == 0, "the result was written to");
	DONE(heddle_close(wave));
}

/* Handles and blocks that are gone, never were, or are of another kind. */
static void handles(void) {
	heddle_error *error = NULL;
	heddle_isa isa = 0;
	heddle_wave wave = 0;
	heddle_isa_info *info = NULL;
	OK(heddle_isa_find("valhall", &isa, &error));
	OK(heddle_isa_describe(isa, &info, &error));
	OK(heddle_wave_new(isa, "FADD.f32 r0, r1, r2", HEDDLE_ZERO_TERMINATED, NULL, &wave, &error));
	DONE(heddle_close(isa)); /* the wave does not need it */
	CHECK(heddle_close(isa) == HEDDLE_EHANDLE, "closed twice");
	CHECK(strcmp(info->name, "valhall:v9") == 0, "%s", info->name); /* nor does what is known of it */
	OK(heddle_wave_run(wave, &error));
	heddle_isa other = 0;
	OK(heddle_isa_find("gcn", &other, &error)); /* in the same place of the table */
	WANT(HEDDLE_EHANDLE, heddle_isa_describe(isa, &info, &error));
	WANT(HEDDLE_EHANDLE, heddle_isa_describe(wave, &info, &error));
	WANT(HEDDLE_EHANDLE, heddle_wave_run(other, &error));
	WANT(HEDDLE_EHANDLE, heddle_wave_run(0, &error));
	WANT(HEDDLE_EHANDLE, heddle_wave_run(UINT64_MAX, &error));
	WANT(HEDDLE_EHANDLE, heddle_wave_run(1u << 31, &error));
	WANT(HEDDLE_EHANDLE, heddle_launch(wave, NULL, NULL, 0, NULL, &error));
	WANT(HEDDLE_EHANDLE, heddle_module_kernels(other, NULL, &error));
	WANT(HEDDLE_EHANDLE, heddle_module_isa(0, &isa, &error));
	DONE(heddle_close(wave));
	CHECK(heddle_close(wave) == HEDDLE_EHANDLE, "closed twice");
	WANT(HEDDLE_EHANDLE, heddle_wave_run(wave, &error));
	uint64_t value;
	WANT(HEDDLE_EHANDLE, heddle_wave_get(wave, "r0", 0, &value, &error));
	DONE(heddle_close(other));
	DONE(heddle_free(info));
	CHECK(heddle_free(info) == HEDDLE_EHANDLE, "given back twice");
	int mine = 0;
	CHECK(heddle_free(&mine) == HEDDLE_EHANDLE, "never of the library");
	for (uint64_t h = 0; h < 200000; h++) /* made up: no handle is open but gcn */
		CHECK(h == gcn || heddle_close(h * 0x100000001ull) != HEDDLE_OK || h * 0x100000001ull == gcn, "closed");
	heddle_isa_info *still = NULL;
	OK(heddle_isa_find("gcn", &other, &error));
	OK(heddle_isa_describe(other, &still, &error));
	DONE(heddle_free(still));
	DONE(heddle_close(other));
}

/* Options of other versions. */
static void sizes(void) {
	heddle_error *error = NULL;
	heddle_isa isa = 0;
	struct {
		heddle_isa_config known;
		uint64_t more;
	} newer = {{.struct_size = sizeof newer, .variant = "gfx7"}, 0};
	OK(heddle_isa_with(gcn, &newer.known, &isa, &error)); /* what it does not know is 0 */
	DONE(heddle_close(isa));
	newer.more = 1;
	WANT(HEDDLE_EINVALID, heddle_isa_with(gcn, &newer.known, &isa, &error));
	heddle_isa_config older = {.struct_size = offsetof(heddle_isa_config, stage), .variant = "gfx7", .stage = "never read", .option_count = 1};
	OK(heddle_isa_with(gcn, &older, &isa, &error));
	DONE(heddle_close(isa));
	WANT(HEDDLE_EINVALID, heddle_isa_with(gcn, &(heddle_isa_config){.variant = "gfx7"}, &isa, &error));
	WANT(HEDDLE_EINVALID, heddle_isa_with(gcn, &(heddle_isa_config){.struct_size = (size_t)-1}, &isa, &error));
	const char *bad[] = {"nonsense", NULL};
	WANT(HEDDLE_EINVALID, heddle_isa_with(gcn, &(heddle_isa_config){.struct_size = sizeof older, .option_count = 1, .options = bad}, &isa, &error));
	WANT(HEDDLE_EINVALID, heddle_isa_with(gcn, &(heddle_isa_config){.struct_size = sizeof older, .option_count = 1, .options = bad + 1}, &isa, &error));
	WANT(HEDDLE_EINVALID, heddle_isa_with(gcn, &(heddle_isa_config){.struct_size = sizeof older, .option_count = 1}, &isa, &error));
	WANT(HEDDLE_ENOTFOUND, heddle_isa_with(gcn, &(heddle_isa_config){.struct_size = sizeof older, .variant = "g80"}, &isa, &error));
	WANT(HEDDLE_ENOTFOUND, heddle_isa_with(gcn, &(heddle_isa_config){.struct_size = sizeof older, .stage = "fp"}, &isa, &error));
	WANT(HEDDLE_ENOTFOUND, heddle_isa_find("", &isa, &error));
	WANT(HEDDLE_ENOTFOUND, heddle_isa_find("gnc", &isa, &error));
}

/* Errors of texts, with their places. */
static void texts(void) {
	heddle_error *error = NULL;
	heddle_assembly *made = NULL;
	CHECK(heddle_assemble(gcn, "s_nop 0\n  v_add_f32 v0, q1, v2\nv_frob v0\n", HEDDLE_ZERO_TERMINATED, 0, &made, &error) == HEDDLE_ETEXT && error && !made, "assembled");
	if (error) {
		CHECK(error->status == HEDDLE_ETEXT && error->item_count == 2 && !error->fault, "%zu errors: %s", error->item_count, error->message);
		const heddle_diagnostic *d = error->items;
		CHECK(d[0].line == 2 && d[0].column == 17 && strcmp(d[0].code, "operand") == 0, "%d:%d [%s]", (int)d[0].line, (int)d[0].column, d[0].code);
		CHECK(strstr(d[0].message, "q1") && strstr(d[0].source, "v_add_f32 v0, q1"), "%s in %s", d[0].message, d[0].source);
		CHECK(d[1].line == 3 && d[1].column == 1 && strcmp(d[1].code, "mnemonic") == 0, "%d:%d [%s]", (int)d[1].line, (int)d[1].column, d[1].code);
	}
	DONE(heddle_free(error));
	error = NULL;
	heddle_instruction *in = NULL;
	CHECK(heddle_decode(gcn, "\xff\xff\xff\xff", 4, 0x80, &in, &error) == HEDDLE_ECODE && error && !in, "decoded");
	if (error)
		CHECK(error->item_count == 1 && error->items[0].line == 0 && error->items[0].offset == 0x80, "%s", error->message);
	DONE(heddle_free(error));
	error = NULL;
	for (size_t n = 0; n < 4; n++) {
		size_t used = 99;
		WANT(HEDDLE_ECODE, heddle_print(gcn, "\x00\x00\x80\xbf", n, 0, NULL, 0, NULL, &used, &error));
		CHECK(used == n, "%zu bytes of %zu", used, n);
	}
	heddle_wave wave = 0;
	WANT(HEDDLE_ETEXT, heddle_wave_new(gcn, "v_add_f32 v0, v1", HEDDLE_ZERO_TERMINATED, NULL, &wave, &error));
	char *page = NULL;
	WANT(HEDDLE_ETEXT, heddle_explain(gcn, "v_frob", &page, &error));
	WANT(HEDDLE_ETEXT, heddle_assemble(gcn, "a\0b\xff\xfe", 5, 0, &made, &error)); /* zeros and no UTF-8 */
	WANT(HEDDLE_ETEXT, heddle_assemble(gcn, ".zero 0x7fffffffff", HEDDLE_ZERO_TERMINATED, 0, &made, &error));
	WANT(HEDDLE_EINVALID, heddle_assemble(gcn, "s_nop 0", (size_t)-2, 0, &made, &error)); /* no length */
	OK(heddle_assemble(gcn, "", 0, 0, &made, &error));
	CHECK(made && made->size == 0 && made->label_count == 0, "nothing gives %zu bytes", made->size);
	DONE(heddle_free(made));
}

/* Registers, lanes and values that there are not. */
static void registers(void) {
	heddle_error *error = NULL;
	heddle_wave wave = 0;
	OK(heddle_wave_new(gcn, "v_add_f32 v0, v1, v2", HEDDLE_ZERO_TERMINATED, NULL, &wave, &error));
	heddle_register v0, scc;
	uint64_t values[65] = {0};
	WANT(HEDDLE_ENOTFOUND, heddle_wave_register(wave, "v256", &v0, &error));
	WANT(HEDDLE_ENOTFOUND, heddle_wave_register(wave, "", &v0, &error));
	WANT(HEDDLE_ENOTFOUND, heddle_wave_register(wave, "v[0:3]", &v0, &error)); /* more than 64 bits */
	WANT(HEDDLE_ENOTFOUND, heddle_wave_read(wave, 0, 0, 1, values, &error)); /* no number was given yet */
	OK(heddle_wave_register(wave, "v0", &v0, &error));
	OK(heddle_wave_register(wave, "scc", &scc, &error));
	WANT(HEDDLE_ENOTFOUND, heddle_wave_read(wave, UINT32_MAX, 0, 1, values, &error));
	WANT(HEDDLE_EINVALID, heddle_wave_read(wave, v0.id, 64, 1, values, &error));
	WANT(HEDDLE_EINVALID, heddle_wave_read(wave, v0.id, 1, 64, values, &error));
	WANT(HEDDLE_EINVALID, heddle_wave_read(wave, v0.id, 0, 65, values, &error));
	WANT(HEDDLE_EINVALID, heddle_wave_read(wave, v0.id, HEDDLE_ALL_LANES, 1, values, &error));
	WANT(HEDDLE_EINVALID, heddle_wave_read(wave, v0.id, INT32_MIN, 1, values, &error));
	WANT(HEDDLE_EINVALID, heddle_wave_read(wave, v0.id, 0, (size_t)-1, values, &error));
	WANT(HEDDLE_EINVALID, heddle_wave_read(wave, scc.id, 0, 2, values, &error));
	WANT(HEDDLE_EINVALID, heddle_wave_write(wave, v0.id, HEDDLE_ALL_LANES, 2, values, &error));
	WANT(HEDDLE_EINVALID, heddle_wave_set(wave, "v0", 0, 1ull << 32, &error));
	WANT(HEDDLE_EINVALID, heddle_wave_set(wave, "scc", 0, 2, &error));
	/* A value that does not fit changes nothing before it either. */
	values[0] = 5;
	values[1] = 1ull << 40;
	WANT(HEDDLE_EINVALID, heddle_wave_write(wave, v0.id, 0, 2, values, &error));
	OK(heddle_wave_read(wave, v0.id, 0, 1, values, &error));
	CHECK(values[0] == 0, "lane 0 has %" PRIu64, values[0]);
	heddle_port port = {v0.id, HEDDLE_ALL_LANES, values, 1};
	size_t done = 99;
	WANT(HEDDLE_EINVALID, heddle_wave_run_many(wave, 2, NULL, 0, &port, 1, &done, &error));
	port.lane = -7;
	WANT(HEDDLE_EINVALID, heddle_wave_run_many(wave, 2, &port, 1, NULL, 0, &done, &error));
	port.lane = 0;
	WANT(HEDDLE_EINVALID, heddle_wave_run_many(wave, SIZE_MAX, &port, 1, NULL, 0, &done, &error));
	port.stride = SIZE_MAX / 2;
	WANT(HEDDLE_EINVALID, heddle_wave_run_many(wave, 3, &port, 1, NULL, 0, &done, &error));
	port.reg = 77;
	WANT(HEDDLE_ENOTFOUND, heddle_wave_run_many(wave, 3, &port, 1, NULL, 0, &done, &error));
	port = (heddle_port){v0.id, 0, values, 1};
	values[0] = values[1] = 3;
	values[2] = 1ull << 33; /* found when its run comes */
	WANT(HEDDLE_EINVALID, heddle_wave_run_many(wave, 3, &port, 1, NULL, 0, &done, &error));
	CHECK(done == 2, "%zu runs", done);
	DONE(heddle_close(wave));
}

/* Guests that never end, and what they do wrong, in all its members. */
static void guests(void) {
	heddle_error *error = NULL;
	heddle_wave wave = 0;
	heddle_wave_options o = {.struct_size = sizeof o, .steps = 1000};
	static const char loop[] = "l:\ns_add_u32 s0, s0, 1\ns_branch l";
	OK(heddle_wave_new(gcn, loop, HEDDLE_ZERO_TERMINATED, &o, &wave, &error));
	CHECK(heddle_wave_run(wave, &error) == HEDDLE_ELIMIT && error && error->fault && error->fault->kind == HEDDLE_FAULT_LIMIT, "no limit");
	DONE(heddle_free(error));
	error = NULL;
	uint64_t turns = 0;
	OK(heddle_wave_get(wave, "s0", 0, &turns, &error));
	CHECK(turns == 500, "%" PRIu64 " turns", turns);
	DONE(heddle_close(wave));
	o.steps = UINT64_MAX;
	o.timeout = 20;
	OK(heddle_wave_new(gcn, loop, HEDDLE_ZERO_TERMINATED, &o, &wave, &error));
	WANT(HEDDLE_ETIMEOUT, heddle_wave_run(wave, &error));
	WANT(HEDDLE_ETIMEOUT, heddle_wave_run_many(wave, 10, NULL, 0, NULL, 0, NULL, &error)); /* and again: the time is that of a call */
	DONE(heddle_close(wave));

	static const uint64_t constant[4] = {1, 2, 3, 4}; /* a store to it would end the process */
	void *table = (void *)(uintptr_t)constant;
	heddle_region region = {.name = "table", .address = 0x1000, .data = table, .size = sizeof constant, .flags = HEDDLE_READ_ONLY};
	o = (heddle_wave_options){.struct_size = sizeof o, .region_count = 1, .regions = &region, .lanes = 4};
	OK(heddle_wave_new(gcn, "v_mov_b32 v3, 1\nflat_store_dword v[0:1], v2", HEDDLE_ZERO_TERMINATED, &o, &wave, &error));
	OK(heddle_wave_set(wave, "v0", HEDDLE_ALL_LANES, 0x1008, &error));
	OK(heddle_wave_set(wave, "v2", 0, 0xabc, &error));
	CHECK(heddle_wave_run(wave, &error) == HEDDLE_EFAULT && error && error->fault, "no fault");
	if (error && error->fault) {
		const heddle_fault *f = error->fault;
		CHECK(f->kind == HEDDLE_FAULT_MEMORY && f->lane == 0 && f->lanes == 0xf, "kind %d, lanes %#" PRIx64, (int)f->kind, f->lanes);
		CHECK(f->pc == 4 && f->address == 0x1008 && f->bytes == 4, "pc %#" PRIx64 ", %" PRIu64 " bytes at %#" PRIx64, f->pc, f->bytes, f->address);
		CHECK(strcmp(f->access, "store") == 0 && strcmp(f->segment, "table") == 0, "%s of %s", f->access, f->segment);
		CHECK(strncmp(f->instruction, "flat_store_dword", 16) == 0 && f->kernel[0] == 0 && f->wave == 0, "%s", f->instruction);
		CHECK(f->register_count == 3 && strcmp(f->registers[0].name, "v0") == 0 && f->registers[0].value == 0x1008 && f->registers[2].value == 0xabc, "%zu registers", f->register_count);
		CHECK(strstr(error->message, f->reason) != NULL, "%s is not in %s", f->reason, error->message);
	}
	DONE(heddle_free(error));
	error = NULL;
	OK(heddle_wave_set(wave, "v0", HEDDLE_ALL_LANES, 0x900000, &error));
	WANT(HEDDLE_EFAULT, heddle_wave_run(wave, &error));
	DONE(heddle_close(wave));

	region.data = (char *)table + 1;
	WANT(HEDDLE_EINVALID, heddle_wave_new(gcn, "s_nop 0", HEDDLE_ZERO_TERMINATED, &o, &wave, &error)); /* not aligned as the guest's address */
	region.data = NULL;
	WANT(HEDDLE_EINVALID, heddle_wave_new(gcn, "s_nop 0", HEDDLE_ZERO_TERMINATED, &o, &wave, &error));
	region = (heddle_region){.address = UINT64_MAX - 7, .data = table, .size = 16};
	WANT(HEDDLE_EINVALID, heddle_wave_new(gcn, "s_nop 0", HEDDLE_ZERO_TERMINATED, &o, &wave, &error)); /* beyond the last address */
	region = (heddle_region){.address = 8, .data = table, .size = 0};
	WANT(HEDDLE_EINVALID, heddle_wave_new(gcn, "s_nop 0", HEDDLE_ZERO_TERMINATED, &o, &wave, &error));
	region = (heddle_region){.address = 8, .data = table, .size = 8, .flags = 2};
	WANT(HEDDLE_EINVALID, heddle_wave_new(gcn, "s_nop 0", HEDDLE_ZERO_TERMINATED, &o, &wave, &error));
	heddle_region two[2] = {{.address = 0x1000, .data = table, .size = 16}, {.address = 0x1008, .data = table, .size = 16}};
	o.region_count = 2;
	o.regions = two;
	WANT(HEDDLE_EINVALID, heddle_wave_new(gcn, "s_nop 0", HEDDLE_ZERO_TERMINATED, &o, &wave, &error)); /* one over the other */
	o = (heddle_wave_options){.struct_size = sizeof o, .lanes = 65};
	WANT(HEDDLE_EINVALID, heddle_wave_new(gcn, "s_nop 0", HEDDLE_ZERO_TERMINATED, &o, &wave, &error));
	o = (heddle_wave_options){.struct_size = sizeof o, .engine = "steam"};
	WANT(HEDDLE_ENOTFOUND, heddle_wave_new(gcn, "s_nop 0", HEDDLE_ZERO_TERMINATED, &o, &wave, &error));
}

/* Launches that cannot begin, and one whose kernel leaves its buffer. */
static void launches(const char *root) {
	heddle_error *error = NULL;
	size_t size = 0;
	uint8_t *file = read_file(root, "cases/kernels/gcn/saxpy/saxpy.gfx803.hsaco", &size);
	heddle_module module = 0, other = 0;
	OK(heddle_module_read(file, size, &module, &error));
	float x[64] = {0}, y[64] = {0}, a = 1;
	int32_t n = 64;
	heddle_launch_options o = {.struct_size = sizeof o, .grid = {64}, .block = {64}};
	heddle_arg args[5] = {{HEDDLE_ARG_BUFFER, 0, x, sizeof x}, {HEDDLE_ARG_BUFFER, 0, y, sizeof y}, {HEDDLE_ARG_VALUE, 0, &a, 4}, {HEDDLE_ARG_VALUE, 0, &n, 4}, {HEDDLE_ARG_NULL, 0, NULL, 0}};
	heddle_launch_result r;
	OK(heddle_launch(module, &o, args, 4, &r, &error));
	WANT(HEDDLE_ELAUNCH, heddle_launch(module, NULL, args, 4, &r, &error)); /* no grid */
	WANT(HEDDLE_ELAUNCH, heddle_launch(module, &o, args, 3, &r, &error));
	WANT(HEDDLE_ELAUNCH, heddle_launch(module, &o, args, 5, &r, &error));
	WANT(HEDDLE_ELAUNCH, heddle_launch(module, &o, NULL, 0, &r, &error));
	WANT(HEDDLE_EINVALID, heddle_launch(module, &o, NULL, 4, &r, &error));
	o.kernel = "saxpi";
	WANT(HEDDLE_ENOTFOUND, heddle_launch(module, &o, args, 4, &r, &error));
	o.kernel = NULL;
	o.engine = "steam";
	WANT(HEDDLE_ENOTFOUND, heddle_launch(module, &o, args, 4, &r, &error));
	o.engine = NULL;
	o.block[0] = 4096;
	WANT(HEDDLE_ELAUNCH, heddle_launch(module, &o, args, 4, &r, &error));
	o.block[0] = 64;
	args[0].kind = 17;
	WANT(HEDDLE_EINVALID, heddle_launch(module, &o, args, 4, &r, &error));
	args[0] = (heddle_arg){HEDDLE_ARG_BUFFER, 0, NULL, 16};
	WANT(HEDDLE_EINVALID, heddle_launch(module, &o, args, 4, &r, &error));
	args[0] = (heddle_arg){HEDDLE_ARG_BUFFER, 0, x, 0};
	WANT(HEDDLE_EINVALID, heddle_launch(module, &o, args, 4, &r, &error));
	args[0] = (heddle_arg){HEDDLE_ARG_BUFFER, 0, y + 1, 16}; /* in part the other buffer */
	WANT(HEDDLE_ELAUNCH, heddle_launch(module, &o, args, 4, &r, &error));
	args[0] = (heddle_arg){HEDDLE_ARG_LOCAL, 0, NULL, 16};
	WANT(HEDDLE_ELAUNCH, heddle_launch(module, &o, args, 4, &r, &error));
	args[0] = (heddle_arg){HEDDLE_ARG_VALUE, 0, x, (size_t)1 << 40}; /* refused before anything is copied */
	WANT(HEDDLE_EINVALID, heddle_launch(module, &o, args, 4, &r, &error));
	args[0] = (heddle_arg){HEDDLE_ARG_LOCAL, 0, NULL, (size_t)1 << 40};
	WANT(HEDDLE_EINVALID, heddle_launch(module, &o, args, 4, &r, &error));
	args[0] = (heddle_arg){HEDDLE_ARG_NULL, 0, NULL, 0};
	WANT(HEDDLE_EFAULT, heddle_launch(module, &o, args, 4, &r, &error));
	args[0] = (heddle_arg){HEDDLE_ARG_BUFFER, 0, x, 16}; /* 4 of the 64 that it reads */
	CHECK(heddle_launch(module, &o, args, 4, &r, &error) == HEDDLE_EFAULT && error && error->fault, "no fault");
	if (error && error->fault) {
		const heddle_fault *f = error->fault;
		CHECK(strcmp(f->kernel, "saxpy") == 0 && f->lane == 4 && f->lanes == ~0ull << 4, "%s: lanes %#" PRIx64, f->kernel, f->lanes);
		CHECK(strcmp(f->access, "load") == 0 && f->group[0] == 0 && strlen(f->segment) > 0, "%s of %s", f->access, f->segment);
	}
	DONE(heddle_free(error));
	error = NULL;
	args[0].size = sizeof x;
	o.total = 10;
	WANT(HEDDLE_ELIMIT, heddle_launch(module, &o, args, 4, &r, &error));
	WANT(HEDDLE_ENOTFOUND, heddle_module_open("/nonexistent/x.hsaco", &other, &error));
	WANT(HEDDLE_ECODE, heddle_module_open("/dev/null", &other, &error));
	DONE(heddle_close(module));
	WANT(HEDDLE_EHANDLE, heddle_launch(module, &o, args, 4, &r, &error));

	/* Files cut off anywhere, and with one byte changed anywhere, load or do not. */
	for (size_t cut = 0; cut < size; cut += 61) {
		heddle_status s = heddle_module_read(file, cut, &other, NULL);
		CHECK(s == HEDDLE_ECODE || s == HEDDLE_OK, "%zu bytes: %s", cut, heddle_status_name(s));
		if (s == HEDDLE_OK)
			DONE(heddle_close(other));
	}
	o = (heddle_launch_options){.struct_size = sizeof o, .grid = {64}, .block = {64}, .total = 100000, .timeout = 1000};
	for (size_t at = 0; at < size; at += 37) {
		uint8_t was = file[at];
		file[at] ^= 0x5a;
		if (heddle_module_read(file, size, &other, NULL) == HEDDLE_OK) {
			heddle_status s = heddle_launch(other, &o, args, 4, NULL, &error);
			CHECK(s != HEDDLE_EINTERNAL && s != HEDDLE_EINVALID, "byte %zu: %s: %s", at, heddle_status_name(s), error ? error->message : "");
			DONE(heddle_free(error));
			error = NULL;
			DONE(heddle_close(other));
		}
		file[at] = was;
	}
	free(file);
}

/* Programs that cannot be, and what they do wrong. */
static void programs(void) {
	heddle_error *error = NULL;
	heddle_isa attila = 0, tesla = 0, rogue = 0;
	heddle_module module = 0;
	OK(heddle_isa_find("attila", &attila, &error));
	OK(heddle_isa_find("tesla", &tesla, &error));
	OK(heddle_isa_find("rogue", &rogue, &error));
	WANT(HEDDLE_EUNSUPPORTED, heddle_module_assemble(attila, "end", HEDDLE_ZERO_TERMINATED, NULL, &module, &error));
	WANT(HEDDLE_ETEXT, heddle_module_assemble(tesla, "frob", HEDDLE_ZERO_TERMINATED, NULL, &module, &error));
	WANT(HEDDLE_EINVALID, heddle_module_assemble(tesla, "", 0, NULL, &module, &error));
	WANT(HEDDLE_EINVALID, heddle_module_assemble(tesla, NULL, 4, NULL, &module, &error));
	WANT(HEDDLE_EINVALID, heddle_module_assemble(tesla, "exit nop", HEDDLE_ZERO_TERMINATED, NULL, GONE, &error));
	WANT(HEDDLE_EINVALID, heddle_module_code(tesla, NULL, 4, NULL, &module, &error));
	WANT(HEDDLE_EINVALID, heddle_module_code(tesla, NULL, 0, NULL, &module, &error));
	heddle_program_options p = {.struct_size = sizeof p, .abi = "opencl"};
	WANT(HEDDLE_EINVALID, heddle_module_assemble(tesla, "exit nop", HEDDLE_ZERO_TERMINATED, &p, &module, &error));
	p.abi = "cuda";
	WANT(HEDDLE_EINVALID, heddle_module_assemble(gcn, "s_endpgm", HEDDLE_ZERO_TERMINATED, &p, &module, &error));
	p = (heddle_program_options){.struct_size = sizeof p, .group_bytes = UINT32_MAX};
	WANT(HEDDLE_EINVALID, heddle_module_assemble(tesla, "exit nop", HEDDLE_ZERO_TERMINATED, &p, &module, &error));
	p.group_bytes = 16;
	WANT(HEDDLE_EUNSUPPORTED, heddle_module_assemble(rogue, "{ s0 = r1, s1 = r2, is4 = ft0 p0: fadd ft0, s0, s1; w0 = r3 }", HEDDLE_ZERO_TERMINATED, &p, &module, &error));
	OK(heddle_module_assemble(tesla, "begin:\nmov b32 $r1 0x0\nst b32 g14[$r1] $r1\nexit nop", HEDDLE_ZERO_TERMINATED, NULL, &module, &error));
	uint32_t word = 5;
	heddle_arg args[] = {{HEDDLE_ARG_BUFFER, 0, &word, 4}, {HEDDLE_ARG_LOCAL, 0, NULL, 4}};
	heddle_launch_options o = {.struct_size = sizeof o, .grid = {33}, .block = {32}};
	WANT(HEDDLE_ELAUNCH, heddle_launch(module, &o, args, 1, NULL, &error)); /* a group in part */
	o.grid[0] = 32;
	WANT(HEDDLE_ELAUNCH, heddle_launch(module, &o, args, 2, NULL, &error));
	o.kernel = "saxpy";
	WANT(HEDDLE_ENOTFOUND, heddle_launch(module, &o, args, 1, NULL, &error));
	o.kernel = "program";
	CHECK(heddle_launch(module, &o, args, 1, NULL, &error) == HEDDLE_EFAULT && error && error->fault, "no fault");
	if (error && error->fault)
		CHECK(strstr(error->message, "begin") && strcmp(error->fault->segment, "arg0") == 0 && error->fault->address == 0, "%s", error->message);
	DONE(heddle_free(error));
	error = NULL;
	DONE(heddle_close(module));
	DONE(heddle_close(attila));
	DONE(heddle_close(tesla));
	DONE(heddle_close(rogue));
}

/* Random bytes decode to something or to an error, in every set; a listing gives them back. */
static void noise(void) {
	heddle_error *error = NULL;
	uint64_t state = 42;
	uint8_t code[256];
	for (size_t i = 0; i < heddle_isa_count(); i++) {
		heddle_isa isa = 0;
		OK(heddle_isa_at(i, &isa, &error));
		for (int round = 0; round < 20; round++) {
			for (size_t j = 0; j < sizeof code; j++) {
				state = state * 6364136223846793005ull + 1442695040888963407ull;
				code[j] = (uint8_t)(state >> 56);
			}
			static heddle_entry entries[sizeof code];
			static char text[64 * 1024];
			size_t count = 0, used = 0, at = 0;
			OK(heddle_decode_many(isa, code, sizeof code, 0, entries, sizeof code, text, sizeof text, &count, &used, &error));
			CHECK(used == sizeof code, "%zu bytes", used);
			for (size_t k = 0; k < count; k++) {
				CHECK(entries[k].offset == at && entries[k].size > 0, "entry %zu", k);
				at += entries[k].size;
				heddle_instruction *in = NULL;
				heddle_status s = heddle_decode(isa, code + entries[k].offset, sizeof code - entries[k].offset, entries[k].offset, &in, &error);
				CHECK((s == HEDDLE_OK) == (entries[k].parts > 0) && s != HEDDLE_EINTERNAL, "%s: %s", heddle_status_name(s), error ? error->message : "");
				CHECK(!in || strcmp(in->text, text + entries[k].text) == 0, "%s", in->text);
				DONE(heddle_free(in));
				DONE(heddle_free(error));
				error = NULL;
			}
			char *listing = NULL;
			heddle_assembly *made = NULL;
			OK(heddle_disassemble(isa, code, sizeof code, 0, &listing, &error));
			OK(heddle_assemble(isa, listing, HEDDLE_ZERO_TERMINATED, 0, &made, &error));
			CHECK(made && made->size == sizeof code && memcmp(made->code, code, sizeof code) == 0, "set %zu: the listing gives other bytes", i);
			DONE(heddle_free(listing));
			DONE(heddle_free(made));
		}
		DONE(heddle_close(isa));
	}
}

int main(int argc, char **argv) {
	heddle_error *error = NULL;
	if (argc != 2)
		return 2;
	OK(heddle_isa_find("gfx803", &gcn, &error));
	nulls();
	handles();
	sizes();
	texts();
	registers();
	guests();
	launches(argv[1]);
	programs();
	noise();
	DONE(heddle_close(gcn));
	clean();
	return failures != 0;
}
