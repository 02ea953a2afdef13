/* What the test programs share: checks that count, and the values that they expect. */
#ifndef CHECK_H
#define CHECK_H

#include "heddle.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

/* CHECK fails with a line of the program and what printf makes of the rest. */
#define CHECK(ok, ...) \
	do { \
		if (!(ok)) { \
			__atomic_add_fetch(&failures, 1, __ATOMIC_RELAXED); \
			fprintf(stderr, "%s:%d: %s: ", __FILE__, __LINE__, #ok); \
			fprintf(stderr, __VA_ARGS__); \
			fputc('\n', stderr); \
		} \
	} while (0)

/* WANT is a call that must have that status. `error` is in scope and holds what is said; it is given back here. */
#define WANT(want, call) \
	do { \
		heddle_status got_ = (call); \
		CHECK(got_ == (want), "%s, want %s: %s", heddle_status_name(got_), heddle_status_name(want), error ? error->message : "-"); \
		CHECK((error != NULL) == (got_ != HEDDLE_OK), "an error beside %s", heddle_status_name(got_)); \
		CHECK(error == NULL || error->status == got_, "the error says %s", heddle_status_name(error->status)); \
		CHECK(heddle_free(error) == HEDDLE_OK, "free"); \
		error = NULL; \
	} while (0)

#define OK(call) WANT(HEDDLE_OK, call)

/* DONE is a call that says nothing but its status. */
#define DONE(call) CHECK((call) == HEDDLE_OK, "failed")

/* clean is whether all that was opened was closed. */
static inline void clean(void) {
	size_t handles = 0, blocks = 0;
	heddle_live(&handles, &blocks);
	CHECK(handles == 0 && blocks == 0, "%zu handles are open, %zu blocks were not given back", handles, blocks);
}

static inline uint32_t bits_of(float f) {
	uint32_t u;
	memcpy(&u, &f, sizeof u);
	return u;
}

/* A sum of floats for each instruction set: d = a + b. */
typedef struct {
	const char *set, *program, *mnemonic, *d, *a, *b;
} sum_program;

static const sum_program sums[] = {
	{"gcn", "v_add_f32 v0, v1, v2", "v_add_f32", "v0", "v1", "v2"},
	{"valhall", "FADD.f32 r0, r1, r2", "FADD.f32", "r0", "r1", "r2"},
	{"tesla", "add rn f32 $r0 $r1 $r2", "add", "$r0", "$r1", "$r2"},
	{"rogue", "{ s0 = r1, s1 = r2, is4 = ft0 p0: fadd ft0, s0, s1; w0 = r3 }", "fadd", "r3", "r1", "r2"},
	{"attila", "add r0, r1, r2", "add", "r0.y", "r1.y", "r2.y"},
};

enum { SUMS = sizeof sums / sizeof sums[0] };

/* read_file is a whole file. */
static inline void *read_file(const char *dir, const char *name, size_t *size) {
	char path[4096];
	snprintf(path, sizeof path, "%s/%s", dir, name);
	FILE *f = fopen(path, "rb");
	if (!f || fseek(f, 0, SEEK_END) != 0) {
		perror(path);
		exit(2);
	}
	long n = ftell(f);
	rewind(f);
	void *data = malloc((size_t)n);
	if (n <= 0 || !data || fread(data, 1, (size_t)n, f) != (size_t)n) {
		perror(path);
		exit(2);
	}
	fclose(f);
	*size = (size_t)n;
	return data;
}

#endif
