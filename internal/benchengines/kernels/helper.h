/* What native.c and hand.c share. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { most = 32 }; /* arguments */

static void check(int ok, const char *what) {
	if (!ok) {
		fprintf(stderr, "%s\n", what);
		exit(1);
	}
}

static char *contents(const char *path, size_t *size) {
	FILE *f = fopen(path, "rb");
	check(f && !fseek(f, 0, SEEK_END), path);
	*size = ftell(f);
	rewind(f);
	char *data = aligned_alloc(64, (*size + 1 + 63) / 64 * 64);
	check(fread(data, 1, *size, f) == *size, path);
	data[*size] = 0;
	fclose(f);
	return data;
}

/* left writes what a run leaves of a buffer beside the file that it came from. */
static void left(const char *path, const void *data, size_t size) {
	char name[4096];
	check(snprintf(name, sizeof name, "%s.left", path) < (int)sizeof name, path);
	FILE *f = fopen(name, "wb");
	check(f && fwrite(data, 1, size, f) == size && !fclose(f), name);
}

static double now(void) {
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}
