/* What heddle.h says of threads. The argument is the repository. */
#define _POSIX_C_SOURCE 200809L

#include "check.h"

#include <pthread.h>

enum { THREADS = 8, ROUNDS = 60 };

static heddle_isa shared[SUMS];
static heddle_module module, numbers;
static heddle_wave contended;
static pthread_barrier_t start;

/* in_threads runs a function in all threads at once. */
static void in_threads(void *(*f)(void *)) {
	pthread_t ids[THREADS];
	for (intptr_t i = 0; i < THREADS; i++)
		if (pthread_create(&ids[i], NULL, f, (void *)i) != 0)
			exit(2);
	for (int i = 0; i < THREADS; i++)
		pthread_join(ids[i], NULL);
}

/* Threads with waves of their own, made of sets that all of them share, which also decode and assemble. */
static void *own_waves(void *arg) {
	heddle_error *error = NULL;
	int me = (int)(intptr_t)arg;
	pthread_barrier_wait(&start);
	for (int round = 0; round < ROUNDS; round++) {
		const sum_program *s = &sums[(round + me) % SUMS];
		heddle_isa isa = shared[(round + me) % SUMS];
		heddle_wave wave = 0;
		heddle_assembly *made = NULL;
		heddle_instruction *in = NULL;
		OK(heddle_assemble(isa, s->program, HEDDLE_ZERO_TERMINATED, 0, &made, &error));
		OK(heddle_decode(isa, made->code, made->size, 0, &in, &error));
		OK(heddle_wave_new(isa, in->text, HEDDLE_ZERO_TERMINATED, NULL, &wave, &error));
		uint64_t got = 0;
		OK(heddle_wave_set(wave, s->a, HEDDLE_ALL_LANES, bits_of((float)me), &error));
		OK(heddle_wave_set(wave, s->b, 0, bits_of((float)round), &error));
		OK(heddle_wave_run(wave, &error));
		OK(heddle_wave_get(wave, s->d, 0, &got, &error));
		CHECK(got == bits_of((float)(me + round)), "%s: %#" PRIx64, s->set, got);
		DONE(heddle_close(wave));
		DONE(heddle_free(in));
		DONE(heddle_free(made));

		/* An error is that of the thread's own call. */
		char wrong[32], want[32];
		snprintf(wrong, sizeof wrong, "frob%dx%d", me, round);
		snprintf(want, sizeof want, "frob%dx%d", me, round);
		CHECK(heddle_assemble(isa, wrong, HEDDLE_ZERO_TERMINATED, 0, &made, &error) == HEDDLE_ETEXT && strstr(error->message, want), "%s is not in %s", want, error ? error->message : "nothing");
		DONE(heddle_free(error));
		error = NULL;
	}
	return NULL;
}

/* Threads on one wave: a call is carried out whole, or is refused and does nothing. */
static int64_t ran;

static void *one_wave(void *arg) {
	heddle_error *error = NULL;
	(void)arg;
	pthread_barrier_wait(&start);
	for (int round = 0; round < 50 * ROUNDS; round++) {
		heddle_status s = heddle_wave_run(contended, &error);
		CHECK(s == HEDDLE_OK || s == HEDDLE_EBUSY, "%s: %s", heddle_status_name(s), error ? error->message : "");
		if (s == HEDDLE_OK)
			__atomic_add_fetch(&ran, 1, __ATOMIC_RELAXED);
		DONE(heddle_free(error));
		error = NULL;
	}
	return NULL;
}

/* Threads that close one wave while others use it: one of them closes it, and nobody finds half of it. */
static int closed;

static void *closing(void *arg) {
	heddle_status s = HEDDLE_EBUSY;
	pthread_barrier_wait(&start);
	for (int tries = 0; tries < 1000000 && s != HEDDLE_EHANDLE; tries++) {
		uint64_t value;
		if ((intptr_t)arg % 2 == 0) {
			s = heddle_close(contended);
			if (s == HEDDLE_OK)
				__atomic_add_fetch(&closed, 1, __ATOMIC_RELAXED);
		} else {
			s = tries % 2 ? heddle_wave_run(contended, NULL) : heddle_wave_get(contended, "s0", 0, &value, NULL);
		}
		CHECK(s == HEDDLE_OK || s == HEDDLE_EBUSY || s == HEDDLE_EHANDLE, "%s", heddle_status_name(s));
	}
	CHECK(s == HEDDLE_EHANDLE, "the wave is still there");
	return NULL;
}

/* Threads that launch kernels of one module, each on its own memory. */
static void *launching(void *arg) {
	enum { N = 512 };
	heddle_error *error = NULL;
	int32_t n = N;
	float a = (float)(intptr_t)arg, x[N], y[N];
	pthread_barrier_wait(&start);
	for (int round = 0; round < 5; round++) {
		for (int i = 0; i < N; i++) {
			x[i] = (float)i;
			y[i] = (float)round;
		}
		heddle_arg args[] = {{HEDDLE_ARG_BUFFER, HEDDLE_READ_ONLY, x, sizeof x}, {HEDDLE_ARG_BUFFER, 0, y, sizeof y}, {HEDDLE_ARG_VALUE, 0, &a, 4}, {HEDDLE_ARG_VALUE, 0, &n, 4}};
		heddle_launch_options o = {.struct_size = sizeof o, .grid = {N}, .block = {64}, .workers = 2};
		OK(heddle_launch(module, &o, args, 4, NULL, &error));
		for (int i = 0; i < N; i++)
			CHECK(y[i] == a * (float)i + (float)round, "thread %d, %d: %g", (int)a, i, (double)y[i]);

		uint32_t out[64] = {0};
		heddle_arg one[] = {{HEDDLE_ARG_BUFFER, 0, out, sizeof out}};
		o.grid[0] = o.block[0] = 64;
		OK(heddle_launch(numbers, &o, one, 1, NULL, &error));
		for (uint32_t i = 0; i < 64; i++)
			CHECK(out[i] == i, "%" PRIu32 ": %" PRIu32, i, out[i]);
	}
	return NULL;
}

/* A launch that does not end by itself, and is ended from outside. */
static heddle_module endless;

static void *stopped(void *arg) {
	heddle_error *error = NULL;
	heddle_launch_options o = {.struct_size = sizeof o, .grid = {64}, .block = {64}, .steps = UINT64_MAX, .total = UINT64_MAX, .timeout = 60000};
	(void)arg;
	CHECK(heddle_launch(endless, &o, NULL, 0, NULL, &error) == HEDDLE_ESTOPPED && error && error->fault && error->fault->kind == HEDDLE_FAULT_STOPPED, "%s", error ? error->message : "it ended");
	DONE(heddle_free(error));
	__atomic_store_n(&closed, 2, __ATOMIC_SEQ_CST);
	return NULL;
}

static void stopping(void) {
	heddle_error *error = NULL;
	pthread_t id;
	OK(heddle_module_assemble(shared[0], "l: s_branch l", HEDDLE_ZERO_TERMINATED, NULL, &endless, &error));
	DONE(heddle_stop(endless)); /* nothing runs */
	if (pthread_create(&id, NULL, stopped, NULL) != 0)
		exit(2);
	while (__atomic_load_n(&closed, __ATOMIC_SEQ_CST) != 2)
		DONE(heddle_stop(endless)); /* it may not have begun */
	pthread_join(id, NULL);
	DONE(heddle_close(endless));
	CHECK(heddle_stop(endless) == HEDDLE_EHANDLE, "closed");
}

int main(int argc, char **argv) {
	heddle_error *error = NULL;
	char path[4096];
	if (argc != 2 || pthread_barrier_init(&start, NULL, THREADS) != 0)
		return 2;
	for (int i = 0; i < SUMS; i++)
		OK(heddle_isa_find(sums[i].set, &shared[i], &error));
	in_threads(own_waves);

	OK(heddle_wave_new(shared[0], "s_add_u32 s0, s0, 1", HEDDLE_ZERO_TERMINATED, NULL, &contended, &error));
	in_threads(one_wave);
	uint64_t count = 0;
	OK(heddle_wave_get(contended, "s0", 0, &count, &error));
	CHECK(ran > 0 && (int64_t)count == ran, "%" PRId64 " runs were carried out, %" PRIu64 " counted", ran, count);
	in_threads(closing);
	CHECK(closed == 1, "closed %d times", closed);

	snprintf(path, sizeof path, "%s/cases/kernels/gcn/saxpy/saxpy.gfx803.hsaco", argv[1]);
	OK(heddle_module_open(path, &module, &error));
	OK(heddle_module_assemble(shared[1], "SHADDX.u64 r0, u0, r60.w0, shift:0x2\nSTORE.i32.slot0.end @r60, r0, offset:0", HEDDLE_ZERO_TERMINATED, NULL, &numbers, &error));
	in_threads(launching);
	DONE(heddle_close(numbers));
	DONE(heddle_close(module));
	stopping();
	for (int i = 0; i < SUMS; i++)
		DONE(heddle_close(shared[i]));
	clean();
	return failures != 0;
}
