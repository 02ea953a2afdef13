/* Every function as it is meant to be used, with results that are computed here. The argument is the repository. */
#include "check.h"

/* names is whether a list has a register. */
static int names(const char *const *list, size_t n, const char *name) {
	for (size_t i = 0; i < n; i++)
		if (strcmp(list[i], name) == 0)
			return 1;
	return 0;
}

/* variants: all are found by their names, and each runs the sum of its set. */
static void round_trip(heddle_isa isa, const heddle_isa_info *info, const sum_program *s) {
	heddle_error *error = NULL;
	heddle_assembly *made = NULL;
	OK(heddle_assemble(isa, s->program, HEDDLE_ZERO_TERMINATED, 0, &made, &error));
	if (!made)
		return;
	CHECK(made->size % info->unit == 0 && made->size > 0 && made->size <= info->longest, "%s: %zu bytes", info->name, made->size);

	heddle_instruction *in = NULL;
	OK(heddle_decode(isa, made->code, made->size, 0x40, &in, &error));
	if (in) {
		CHECK(in->size == made->size && in->address == 0x40 && in->part_count >= 1, "%s: %" PRIu32 " bytes of %zu", info->name, in->size, made->size);
		int found = 0;
		for (size_t i = 0; i < in->part_count; i++) {
			const heddle_part *p = &in->parts[i];
			CHECK((strlen(p->kind) > 0) == (strcmp(s->set, "rogue") == 0), "%s: kind %s", info->name, p->kind);
			found |= strncmp(p->mnemonic, s->mnemonic, strlen(s->mnemonic)) == 0;
		}
		CHECK(found, "%s: no %s in %s", info->name, s->mnemonic, in->text);
		CHECK(names(in->writes, in->write_count, s->d), "%s: %s does not write %s", info->name, in->text, s->d);
		if (strcmp(s->set, "gcn") == 0)
			CHECK(names(in->reads, in->read_count, "mode") && names(in->reads, in->read_count, "exec"), "%s: %s reads no mode", info->name, in->text);
		CHECK(names(in->reads, in->read_count, s->a) && names(in->reads, in->read_count, s->b), "%s: %s does not read %s and %s", info->name, in->text, s->a, s->b);

		char text[256];
		size_t length = 0, used = 0;
		OK(heddle_print(isa, made->code, made->size, 0x40, text, sizeof text, &length, &used, &error));
		CHECK(strcmp(text, in->text) == 0 && length == strlen(text) && used == made->size, "%s: %s, want %s", info->name, text, in->text);
		char cut[5] = "####";
		OK(heddle_print(isa, made->code, made->size, 0x40, cut, sizeof cut, &length, NULL, &error));
		CHECK(strncmp(cut, text, 4) == 0 && cut[4] == 0 && length == strlen(text), "%s: cut to %s", info->name, cut);

		heddle_assembly *again = NULL;
		OK(heddle_assemble(isa, in->text, strlen(in->text), 0, &again, &error));
		CHECK(again && again->size == made->size && memcmp(again->code, made->code, made->size) == 0, "%s: %s gives other bytes", info->name, in->text);
		DONE(heddle_free(again));
	}
	DONE(heddle_free(in));

	char *listing = NULL;
	OK(heddle_disassemble(isa, made->code, made->size, 0, &listing, &error));
	heddle_assembly *listed = NULL;
	OK(heddle_assemble(isa, listing, HEDDLE_ZERO_TERMINATED, 0, &listed, &error));
	CHECK(listed && listed->size == made->size && memcmp(listed->code, made->code, made->size) == 0, "%s: the listing gives other bytes", info->name);
	DONE(heddle_free(listing));
	DONE(heddle_free(listed));
	DONE(heddle_free(made));

	char *page = NULL;
	OK(heddle_explain(isa, s->program, &page, &error));
	CHECK(page && strstr(page, "Operands") && strstr(page, "Source"), "%s: %s", info->name, page);
	DONE(heddle_free(page));
}

/* The sum in all lanes, with other values in each, against the host's. */
static void sum_runs(heddle_isa isa, const heddle_isa_info *info, const sum_program *s) {
	static const float values[] = {1.5f, -2.25f, 0.0f, 3.0e38f, 1.0f / 3, -1.0e-30f, 16777216.0f, 1.0f};
	enum { N = sizeof values / sizeof values[0] };
	heddle_error *error = NULL;
	heddle_wave wave = 0;
	OK(heddle_wave_new(isa, s->program, HEDDLE_ZERO_TERMINATED, NULL, &wave, &error));
	heddle_register d = {0}, a = {0}, b = {0};
	OK(heddle_wave_register(wave, s->d, &d, &error));
	OK(heddle_wave_register(wave, s->a, &a, &error));
	OK(heddle_wave_register(wave, s->b, &b, &error));
	CHECK(d.bits == 32 && d.per_lane == 1 && d.lanes == info->lanes && d.lanes <= 64, "%s: %s has %" PRIu32 " bits, %" PRIu32 " lanes", info->name, s->d, d.bits, d.lanes);
	uint64_t x[64], y[64], sum[64];
	for (uint32_t i = 0; i < d.lanes; i++) {
		x[i] = bits_of(values[i % N]);
		y[i] = bits_of(values[(i / N + 3 * i) % N]);
	}
	OK(heddle_wave_write(wave, a.id, 0, d.lanes, x, &error));
	OK(heddle_wave_write(wave, b.id, 0, d.lanes, y, &error));
	OK(heddle_wave_run(wave, &error));
	OK(heddle_wave_read(wave, d.id, 0, d.lanes, sum, &error));
	for (uint32_t i = 0; i < d.lanes; i++) {
		volatile float want = values[i % N] + values[(i / N + 3 * i) % N];
		CHECK(sum[i] == bits_of(want), "%s: lane %" PRIu32 " has %#" PRIx64 ", want %#" PRIx32, info->name, i, sum[i], bits_of(want));
	}
	heddle_counters counters;
	OK(heddle_wave_counters(wave, &counters, &error));
	CHECK(counters.instructions == 1 && counters.approximate == 0, "%s: %" PRIu64 " instructions", info->name, counters.instructions);

	/* By name, in one lane and in all. */
	uint64_t one = 0;
	OK(heddle_wave_set(wave, s->a, HEDDLE_ALL_LANES, bits_of(2.0f), &error));
	OK(heddle_wave_set(wave, s->b, (int32_t)d.lanes - 1, bits_of(0.5f), &error));
	OK(heddle_wave_run(wave, &error));
	OK(heddle_wave_get(wave, s->d, (int32_t)d.lanes - 1, &one, &error));
	CHECK(one == bits_of(2.5f), "%s: %#" PRIx64, info->name, one);

	/* Many states at once: a has a value for each lane, b one for all of them. */
	enum { RUNS = 5 };
	uint64_t as[RUNS * 64], bs[RUNS], ds[RUNS * 64];
	for (int i = 0; i < RUNS; i++) {
		bs[i] = bits_of((float)i);
		for (uint32_t j = 0; j < d.lanes; j++)
			as[(size_t)i * 64 + j] = bits_of(0.25f * (float)j);
	}
	heddle_port in[] = {{a.id, HEDDLE_EACH_LANE, as, 64}, {b.id, HEDDLE_ALL_LANES, bs, 1}};
	heddle_port out[] = {{d.id, HEDDLE_EACH_LANE, ds, 64}};
	size_t done = 0;
	OK(heddle_wave_run_many(wave, RUNS, in, 2, out, 1, &done, &error));
	CHECK(done == RUNS, "%s: %zu runs", info->name, done);
	for (int i = 0; i < RUNS; i++)
		for (uint32_t j = 0; j < d.lanes; j++)
			CHECK(ds[(size_t)i * 64 + j] == bits_of((float)i + 0.25f * (float)j), "%s: run %d, lane %" PRIu32 ": %#" PRIx64, info->name, i, j, ds[(size_t)i * 64 + j]);
	DONE(heddle_close(wave));
}

static void sets(void) {
	heddle_error *error = NULL;
	int seen[SUMS] = {0};
	for (size_t i = 0; i < heddle_isa_count(); i++) {
		heddle_isa isa = 0, named = 0;
		heddle_isa_info *info = NULL;
		OK(heddle_isa_at(i, &isa, &error));
		OK(heddle_isa_describe(isa, &info, &error));
		if (!info)
			continue;
		OK(heddle_isa_find(info->name, &named, &error));
		DONE(heddle_close(named));
		for (size_t j = 0; j < info->alias_count; j++) {
			OK(heddle_isa_find(info->aliases[j], &named, &error));
			DONE(heddle_close(named));
		}
		for (int j = 0; j < SUMS; j++)
			if (strcmp(sums[j].set, info->set) == 0) {
				seen[j]++;
				round_trip(isa, info, &sums[j]);
				sum_runs(isa, info, &sums[j]);
			}
		DONE(heddle_free(info));
		DONE(heddle_close(isa));
	}
	CHECK(seen[0] == 3 && seen[1] == 6 && seen[2] == 5 && seen[3] == 1 && seen[4] == 2, "%d %d %d %d %d variants", seen[0], seen[1], seen[2], seen[3], seen[4]);
}

/* Stages, dialects and options change what a set is. */
static void configured(void) {
	heddle_error *error = NULL;
	heddle_isa tesla = 0, fp = 0, gfx7 = 0;
	heddle_isa_info *info = NULL;
	OK(heddle_isa_find("TESLA:G80", &tesla, &error));
	heddle_isa_config c = {.struct_size = sizeof c, .stage = "fp"};
	OK(heddle_isa_with(tesla, &c, &fp, &error));
	OK(heddle_isa_describe(fp, &info, &error));
	CHECK(info && strcmp(info->stage, "fp") == 0 && strcmp(info->variant, "g80") == 0 && info->stage_count > 1, "stage %s", info->stage);
	DONE(heddle_free(info));
	heddle_isa gcn = 0;
	OK(heddle_isa_find("gcn", &gcn, &error));
	OK(heddle_isa_with(gcn, &(heddle_isa_config){.struct_size = sizeof c, .variant = "bonaire"}, &gfx7, &error));
	OK(heddle_isa_describe(gfx7, &info, &error));
	CHECK(info && strcmp(info->name, "gcn:gfx7") == 0 && info->dialect_count == 2, "%s", info->name);
	DONE(heddle_free(info));
	/* Mesa's two compilers write the same group differently. */
	static const uint8_t group[] = {0x24, 0x02, 0x40, 0xc7, 0xa9, 0x00, 0x00, 0x44};
	static const char *const texts[][2] = {{"pco", "{ s0 = r7, s1 = r9, is4 = ft0 p0: fmul ft0, s0, s1; w0 = r4 }"},
		{"mesa24", "{ main p0: fmul ft0, s0, s1; s0=r7, s1=r9 is4/w0=ft0 w0=r4 }"}};
	heddle_isa rogue = 0, dialect = 0;
	OK(heddle_isa_find("rogue", &rogue, &error));
	for (int i = 0; i < 2; i++) {
		char text[128];
		OK(heddle_isa_with(rogue, &(heddle_isa_config){.struct_size = sizeof c, .dialect = texts[i][0]}, &dialect, &error));
		OK(heddle_print(dialect, group, sizeof group, 0, text, sizeof text, NULL, NULL, &error));
		CHECK(strcmp(text, texts[i][1]) == 0, "%s: %s", texts[i][0], text);
		DONE(heddle_close(dialect));
	}
	DONE(heddle_close(rogue));
	DONE(heddle_close(gfx7));
	DONE(heddle_close(gcn));
	DONE(heddle_close(fp));
	/* An option of ATTILA's rounding is an option of the set; its value shows in the description. */
	heddle_isa attila = 0, changed = 0;
	OK(heddle_isa_find("attila", &attila, &error));
	OK(heddle_isa_describe(attila, &info, &error));
	CHECK(info && info->option_count > 0, "no options");
	if (info && info->option_count > 0) {
		const char *same[] = {info->options[0]};
		OK(heddle_isa_with(attila, &(heddle_isa_config){.struct_size = sizeof c, .option_count = 1, .options = same}, &changed, &error));
		DONE(heddle_close(changed));
	}
	DONE(heddle_free(info));
	DONE(heddle_close(attila));
	DONE(heddle_close(tesla));
}

/* A program with labels, listed entry by entry into arrays that are too small at first. */
static void decode_many(void) {
	static const char source[] = "begin:\n  s_mov_b32 s0, 0x12345678\n  v_add_f32 v0, v1, v2\n  s_branch begin\nend:\n  s_endpgm\n  .byte 0xff, 0xff, 0xff, 0xff\n";
	heddle_error *error = NULL;
	heddle_isa isa = 0;
	heddle_assembly *made = NULL;
	OK(heddle_isa_find("gfx803", &isa, &error));
	OK(heddle_assemble(isa, source, sizeof source - 1, 0x100, &made, &error));
	if (!made)
		return;
	CHECK(made->size == 24 && made->base == 0x100 && made->label_count == 2, "%zu bytes, %zu labels", made->size, made->label_count);
	CHECK(strcmp(made->labels[0].name, "begin") == 0 && made->labels[0].address == 0x100, "%s", made->labels[0].name);
	CHECK(strcmp(made->labels[1].name, "end") == 0 && made->labels[1].address == 0x110, "%s", made->labels[1].name);
	static const struct {
		uint64_t offset;
		uint32_t size;
		const char *mnemonic;
	} want[] = {{0, 8, "s_mov_b32"}, {8, 4, "v_add_f32"}, {12, 4, "s_branch"}, {16, 4, "s_endpgm"}, {20, 4, NULL}};
	enum { N = sizeof want / sizeof want[0] };
	heddle_entry entries[2];
	char text[64];
	size_t n = 0, used = 0, at = 0, count = 0;
	for (; at < made->size; at += used) {
		OK(heddle_decode_many(isa, made->code + at, made->size - at, 0x100 + at, entries, 2, text, sizeof text, &count, &used, &error));
		if (count == 0)
			break;
		for (size_t i = 0; i < count && n < N; i++, n++) {
			const heddle_entry *e = &entries[i];
			CHECK(e->offset + at == want[n].offset && e->size == want[n].size, "entry %zu: %" PRIu64 ", %" PRIu32 " bytes", n, e->offset, e->size);
			if (want[n].mnemonic)
				CHECK(e->mnemonic && strncmp(e->mnemonic, want[n].mnemonic, strlen(want[n].mnemonic)) == 0 && e->parts == 1, "entry %zu: %s", n, e->mnemonic);
			else
				CHECK(!e->mnemonic && e->parts == 0, "entry %zu: %s", n, e->mnemonic);
			CHECK(strlen(text + e->text) == e->text_length && e->text_length > 0, "entry %zu: %s", n, text + e->text);
		}
	}
	CHECK(n == N && at == made->size, "%zu entries, %zu bytes", n, at);
	heddle_entry all[N];
	OK(heddle_decode_many(isa, made->code, made->size, 0, all, N, NULL, 0, &count, &used, &error));
	CHECK(count == N && used == made->size && all[0].text_length == 0, "without text: %zu entries", count);
	WANT(HEDDLE_EINVALID, heddle_decode_many(isa, made->code, made->size, 0, all, N, text, 2, &count, &used, &error));
	DONE(heddle_free(made));
	DONE(heddle_close(isa));
}

/* A wave on the caller's memory. */
static void regions(void) {
	heddle_error *error = NULL;
	heddle_isa isa = 0;
	heddle_wave wave = 0;
	OK(heddle_isa_find("gfx803", &isa, &error));
	uint32_t *global = calloc(64, 4), *group = calloc(64, 4);
	if (!global || !group)
		exit(2);
	heddle_region region = {.name = "table", .address = 0x2000, .data = global, .size = 64 * 4};
	heddle_wave_options o = {.struct_size = sizeof o, .lanes = 8, .region_count = 1, .regions = &region, .group = {.data = group, .size = 64 * 4}};
	OK(heddle_wave_new(isa, "flat_load_dword v3, v[0:1]\ns_waitcnt vmcnt(0)\nds_write_b32 v2, v3\nflat_store_dword v[0:1], v2", HEDDLE_ZERO_TERMINATED, &o, &wave, &error));
	OK(heddle_wave_set(wave, "m0", 0, 0xffffffff, &error));
	for (int i = 0; i < 8; i++) {
		global[i] = 1000u + (uint32_t)i;
		OK(heddle_wave_set(wave, "v[0:1]", i, 0x2000u + 4u * (uint32_t)i, &error));
		OK(heddle_wave_set(wave, "v2", i, 8u * (uint32_t)i, &error));
	}
	OK(heddle_wave_run(wave, &error));
	for (uint32_t i = 0; i < 8; i++)
		CHECK(global[i] == 8 * i && group[2 * i] == 1000 + i && global[8 + i] == 0, "lane %" PRIu32 ": %" PRIu32 " and %" PRIu32, i, global[i], group[2 * i]);
	heddle_counters c;
	OK(heddle_wave_counters(wave, &c, &error));
	CHECK(c.instructions == 4 && c.global.bytes_read == 32 && c.global.bytes_written == 32 && c.group.bytes_written == 32, "%" PRIu64 " bytes read, %" PRIu64 " written", c.global.bytes_read, c.global.bytes_written);
	global[3] = 77; /* the host's stores are there for the next run */
	OK(heddle_wave_run(wave, &error));
	CHECK(group[6] == 77, "%" PRIu32, group[6]);
	/* A register of the wave, one of a bit, and one of 64. */
	heddle_register r;
	OK(heddle_wave_register(wave, "scc", &r, &error));
	CHECK(r.bits == 1 && r.per_lane == 0 && r.lanes == 1, "scc has %" PRIu32 " bits", r.bits);
	OK(heddle_wave_register(wave, "exec", &r, &error));
	CHECK(r.bits == 64 && r.per_lane == 0, "exec has %" PRIu32 " bits", r.bits);
	uint64_t mask = 0;
	OK(heddle_wave_read(wave, r.id, 0, 1, &mask, &error));
	CHECK(mask == 0xff, "exec is %#" PRIx64, mask);
	DONE(heddle_close(wave));
	free(global);
	free(group);
	DONE(heddle_close(isa));
}

static void kernel_is(const heddle_kernel *k) {
	static const uint32_t kinds[] = {HEDDLE_ARG_BUFFER, HEDDLE_ARG_BUFFER, HEDDLE_ARG_VALUE, HEDDLE_ARG_VALUE}, sizes[] = {8, 8, 4, 4};
	CHECK(strcmp(k->name, "saxpy") == 0 && k->described == 1 && k->arg_count == 4 && k->block[0] == 0, "%s, %zu arguments", k->name, k->arg_count);
	for (size_t i = 0; i < 4 && k->arg_count == 4; i++)
		CHECK(k->args[i].kind == kinds[i] && k->args[i].size == sizes[i], "argument %zu: kind %" PRIu32 ", %" PRIu32 " bytes", i, k->args[i].kind, k->args[i].size);
}

/* saxpy, as clang compiled it, on the caller's arrays. */
static void launch(const char *root) {
	heddle_error *error = NULL;
	size_t size = 0;
	void *file = read_file(root, "cases/kernels/gcn/saxpy/saxpy.gfx803.hsaco", &size);
	heddle_module module = 0;
	OK(heddle_module_read(file, size, &module, &error));
	memset(file, 0xee, size); /* the module has its own copy */
	free(file);
	heddle_isa isa = 0;
	heddle_isa_info *info = NULL;
	OK(heddle_module_isa(module, &isa, &error));
	OK(heddle_isa_describe(isa, &info, &error));
	CHECK(info && strcmp(info->name, "gcn:gfx8") == 0, "%s", info->name);
	DONE(heddle_free(info));
	DONE(heddle_close(isa));
	heddle_kernels *list = NULL;
	OK(heddle_module_kernels(module, &list, &error));
	CHECK(list && list->count == 1, "%zu kernels", list->count);
	kernel_is(&list->kernels[0]);
	DONE(heddle_free(list));

	enum { N = 1000 };
	static float x[N + 1], y[N + 1], want[N];
	for (int align = 0; align < 2; align++) { /* at a multiple of 8, or 4 bytes behind one */
		float *xs = x + align, *ys = y + align, a = 1.75f;
		int32_t n = N;
		for (int i = 0; i < N; i++) {
			xs[i] = 0.37f * (float)i;
			ys[i] = (float)(N - i) / 3;
			volatile float product = a * xs[i];
			want[i] = product + ys[i];
		}
		heddle_arg args[] = {{HEDDLE_ARG_BUFFER, HEDDLE_READ_ONLY, xs, N * sizeof *xs}, {HEDDLE_ARG_BUFFER, 0, ys, N * sizeof *ys},
			{HEDDLE_ARG_VALUE, 0, &a, sizeof a}, {HEDDLE_ARG_VALUE, 0, &n, sizeof n}};
		heddle_launch_options o = {.struct_size = sizeof o, .kernel = "saxpy", .grid = {1024}, .block = {64}, .exact = 1};
		heddle_launch_result r = {0};
		OK(heddle_launch(module, &o, args, 4, &r, &error));
		CHECK(memcmp(ys, want, sizeof want) == 0, "the sums are not the host's");
		CHECK(r.groups == 16 && r.waves == 16 && r.counters.global.bytes_written == 4 * N && r.counters.global.bytes_read >= 8 * N, "%" PRIu64 " groups, %" PRIu64 " bytes written", r.groups, r.counters.global.bytes_written);
		o.engine = "reference";
		o.workers = 1;
		memcpy(ys, want, sizeof want);
		OK(heddle_launch(module, &o, args, 4, &r, &error));
		CHECK(r.workers == 1 && r.nanoseconds > 0 && ys[1] == want[1] + a * xs[1], "the reference engine on %" PRIu32 " threads", r.workers);
	}
	DONE(heddle_close(module));
}

/* A kernel with local memory and atomics, on files whose contents come from elsewhere. */
static void launch_files(const char *root) {
	heddle_error *error = NULL;
	size_t in_size = 0, want_size = 0;
	uint32_t *in = read_file(root, "examples/reduction/in.in.bin", &in_size), *want = read_file(root, "examples/reduction/out.exp.bin", &want_size);
	uint32_t *out = calloc(1, want_size), n = (uint32_t)(in_size / 4);
	char path[4096];
	snprintf(path, sizeof path, "%s/examples/reduction/reduce_lds.gfx803.hsaco", root);
	heddle_module module = 0;
	OK(heddle_module_open(path, &module, &error));
	heddle_arg args[] = {{HEDDLE_ARG_BUFFER, 0, in, in_size}, {HEDDLE_ARG_BUFFER, 0, out, want_size}, {HEDDLE_ARG_VALUE, 0, &n, sizeof n}};
	heddle_launch_options o = {.struct_size = sizeof o, .grid = {1024}};
	OK(heddle_launch(module, &o, args, 3, NULL, &error)); /* one kernel, compiled for one size of groups */
	CHECK(out && memcmp(out, want, want_size) == 0, "the sums are not those of the file");
	DONE(heddle_close(module));
	free(in);
	free(want);
	free(out);
}

/* A program of Tesla, Valhall or Rogue from its text, on files whose results come from elsewhere. in and result are arguments that are buffers. */
static void program(const char *root, const char *set, const char *source, const char *expected, uint32_t group_bytes, uint32_t block_x, uint32_t block_y,
	uint32_t grid_x, uint32_t grid_y, heddle_arg *args, size_t count, size_t result) {
	heddle_error *error = NULL;
	size_t length = 0, size = 0;
	char *text = read_file(root, source, &length);
	void *want = read_file(root, expected, &size), *out = calloc(1, size);
	heddle_isa isa = 0, own = 0;
	heddle_module module = 0;
	heddle_program_options p = {.struct_size = sizeof p, .name = "example", .group_bytes = group_bytes};
	OK(heddle_isa_find(set, &isa, &error));
	OK(heddle_module_assemble(isa, text, length, &p, &module, &error));
	OK(heddle_module_isa(module, &own, &error));
	heddle_kernels *list = NULL;
	OK(heddle_module_kernels(module, &list, &error));
	CHECK(list && list->count == 1 && strcmp(list->kernels[0].name, "example") == 0 && list->kernels[0].described == 0 && list->kernels[0].group_bytes == group_bytes, "%s: kernels", set);
	args[result] = (heddle_arg){HEDDLE_ARG_BUFFER, 0, out, size};
	heddle_launch_options o = {.struct_size = sizeof o, .grid = {grid_x, grid_y}, .block = {block_x, block_y}, .exact = 1};
	heddle_launch_result r = {0};
	OK(heddle_launch(module, &o, args, count, &r, &error));
	CHECK(memcmp(out, want, size) == 0 && r.counters.global.bytes_written >= size, "%s: the result is not that of the file", set);
	DONE(heddle_free(list));
	DONE(heddle_close(own));
	DONE(heddle_close(module));
	DONE(heddle_close(isa));
	free(text);
	free(want);
	free(out);
}

static void programs(const char *root) {
	heddle_error *error = NULL;
	uint32_t columns = 64, rows = 48, words = 96;
	size_t sizes[4];
	void *files[4] = {read_file(root, "examples/scan/in.in.bin", &sizes[0]), read_file(root, "examples/transpose/in.in.bin", &sizes[1]),
		read_file(root, "examples/over/lower.in.bin", &sizes[2]), read_file(root, "examples/over/upper.in.bin", &sizes[3])};
	heddle_arg in[4];
	for (int i = 0; i < 4; i++)
		in[i] = (heddle_arg){HEDDLE_ARG_BUFFER, HEDDLE_READ_ONLY, files[i], sizes[i]};
	program(root, "tesla", "examples/scan/scan.s", "examples/scan/out.exp.bin", 1040, 256, 1, 1024, 1, (heddle_arg[]){in[0], {0}}, 2, 1);
	program(root, "valhall", "examples/transpose/transpose.s", "examples/transpose/out.exp.bin", 1088, 16, 16, 64, 48,
		(heddle_arg[]){in[1], {0}, {HEDDLE_ARG_VALUE, 0, &columns, 4}, {HEDDLE_ARG_VALUE, 0, &rows, 4}}, 4, 1);
	program(root, "rogue", "examples/over/over.s", "examples/over/out.exp.bin", 0, 96, 1, 3072, 1,
		(heddle_arg[]){in[2], in[3], {0}, {HEDDLE_ARG_VALUE, 0, &words, 4}}, 4, 2);
	for (int i = 0; i < 4; i++)
		free(files[i]);

	/* Machine code of each generation of GCN: v0 is the work-item, and s[4:5] the address of the arguments. */
	static const char store[] = "s_load_dwordx2 s[0:1], s[4:5], %s\ns_waitcnt lgkmcnt(0)\n%s\ns_endpgm";
	static const struct {
		const char *set, *offset, *code;
	} chips[] = {
		{"gfx6", "0", "s_mov_b32 s2, -1\ns_mov_b32 s3, 0xf000\nv_mul_u32_u24 v1, 7, v0\nv_lshlrev_b32 v0, 2, v0\nbuffer_store_dword v1, v0, s[0:3], 0 offen"},
		{"gfx7", "0", "v_mul_u32_u24 v2, 7, v0\nv_lshlrev_b32 v0, 2, v0\nv_add_i32 v0, vcc, s0, v0\nv_mov_b32 v1, s1\nv_addc_u32 v1, vcc, 0, v1, vcc\nflat_store_dword v[0:1], v2"},
		{"gfx8", "0x0", "v_mul_u32_u24 v2, 7, v0\nv_lshlrev_b32 v0, 2, v0\nv_add_u32 v0, vcc, s0, v0\nv_mov_b32 v1, s1\nv_addc_u32 v1, vcc, 0, v1, vcc\nflat_store_dword v[0:1], v2"},
	};
	for (int i = 0; i < 3; i++) {
		char text[512];
		uint32_t out[64] = {0};
		heddle_isa isa = 0;
		heddle_assembly *made = NULL;
		heddle_module module = 0;
		snprintf(text, sizeof text, store, chips[i].offset, chips[i].code);
		OK(heddle_isa_find(chips[i].set, &isa, &error));
		OK(heddle_assemble(isa, text, HEDDLE_ZERO_TERMINATED, 0, &made, &error));
		if (!made)
			continue;
		OK(heddle_module_code(isa, made->code, made->size, NULL, &module, &error));
		DONE(heddle_free(made));
		heddle_arg args[] = {{HEDDLE_ARG_BUFFER, 0, out, sizeof out}};
		OK(heddle_launch(module, &(heddle_launch_options){.struct_size = sizeof(heddle_launch_options), .grid = {64}, .block = {64}}, args, 1, NULL, &error));
		for (uint32_t j = 0; j < 64; j++)
			CHECK(out[j] == 7 * j, "%s: item %" PRIu32 " left %" PRIu32, chips[i].set, j, out[j]);
		DONE(heddle_close(module));
		DONE(heddle_close(isa));
	}
}

static void append(void *user, const char *text, size_t length) {
	char *to = user;
	size_t had = strlen(to);
	if (had + length < 4096) {
		memcpy(to + had, text, length);
		to[had + length] = 0;
	}
}

/* What a kernel prints. */
static void printing(const char *root, const char *chip) {
	heddle_error *error = NULL;
	char path[4096], said[4096] = "";
	snprintf(path, sizeof path, "%s/internal/platforms/gcn/testdata/talk.%s.hsaco", root, chip);
	heddle_module module = 0;
	OK(heddle_module_open(path, &module, &error));
	heddle_kernels *list = NULL;
	OK(heddle_module_kernels(module, &list, &error));
	CHECK(list && list->count > 0, "no kernels");
	static const float in[] = {0.5f, 1.5f, 2.5f, 3.5f}; /* the host cannot write to it either */
	int32_t n = 7;
	heddle_arg args[] = {{HEDDLE_ARG_BUFFER, HEDDLE_READ_ONLY, (void *)(uintptr_t)in, sizeof in}, {HEDDLE_ARG_VALUE, 0, &n, sizeof n}};
	heddle_launch_options o = {.struct_size = sizeof o, .kernel = "talk", .grid = {4}, .print = append, .user = said};
	OK(heddle_launch(module, &o, args, 2, NULL, &error));
	for (int i = 0; i < 4; i++) {
		char line[64];
		snprintf(line, sizeof line, "item %d: %f\n", i, in[i]);
		CHECK(strstr(said, line) != NULL, "%s: no line %s in %s", chip, line, said);
	}
	CHECK(strstr(said, "str hello and   2.5% of 123456789abcdef \"q\" a:b\t|\n") != NULL, "%s", said);
	DONE(heddle_free(list));
	DONE(heddle_close(module));
}

int main(int argc, char **argv) {
	if (argc != 2)
		return 2;
	CHECK(heddle_abi() == HEDDLE_ABI, "the library has ABI %" PRIu32, heddle_abi());
	CHECK(strstr(heddle_version(), "go1.") != NULL, "%s", heddle_version());
	CHECK(strcmp(heddle_status_name(HEDDLE_EFAULT), "HEDDLE_EFAULT") == 0 && strcmp(heddle_status_name(99), "?") == 0, "names");
	sets();
	configured();
	decode_many();
	regions();
	launch(argv[1]);
	launch_files(argv[1]);
	programs(argv[1]);
	CHECK(heddle_stop(0) == HEDDLE_EHANDLE, "there is no module 0");
	printing(argv[1], "gfx600");
	printing(argv[1], "gfx700");
	printing(argv[1], "gfx803");
	clean();
	return failures != 0;
}
