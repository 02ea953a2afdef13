// clrun runs a kernel of OpenCL and prints what its buffers hold afterwards. It is an ordinary OpenCL program: the tests
// run it on the GPU that heddle stands for and on PoCL.
//
//	clrun SOURCE.cl GLOBAL LOCAL [-n TIMES] [-g OFFSET] [-b BYTES[:SEED]]... [-l BYTES]... [-u VALUE]...
//
// The kernel is the one named run. GLOBAL, LOCAL and OFFSET are sizes such as 64, 8x8 or 4x4x4; a LOCAL of 0 leaves the
// choice to the driver. -n is how often the kernel is enqueued. The other options are the arguments of the kernel, in order: buffers filled with
// a sequence of SEED (0: zeros), local memory, and numbers of 32 bits.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX 16

static void check(cl_int r, const char *what) {
	if (r != CL_SUCCESS) {
		fprintf(stderr, "clrun: %s: %d\n", what, r);
		exit(1);
	}
}

#define CALL(f, ...) check(f(__VA_ARGS__), #f)

// fill writes a sequence that depends on the seed; seed 0 writes zeros.
static void fill(uint32_t *p, size_t n, uint32_t seed) {
	uint32_t x = seed;
	for (size_t i = 0; i < n; i++) {
		x = x * 1664525u + 1013904223u;
		p[i] = seed ? x ^ x >> 13 : 0;
	}
}

// parse_size reads a size of up to three dimensions and returns their number.
static cl_uint parse_size(const char *s, size_t size[3]) {
	return sscanf(s, "%zux%zux%zu", &size[0], &size[1], &size[2]);
}

static char *read_file(const char *name) {
	FILE *f = fopen(name, "rb");
	if (!f) {
		perror(name);
		exit(2);
	}
	static char text[1 << 18];
	text[fread(text, 1, sizeof text - 1, f)] = 0;
	fclose(f);
	return text;
}

static cl_program build(cl_context ctx, cl_device_id dev, const char *source) {
	cl_int r;
	cl_program p = clCreateProgramWithSource(ctx, 1, &source, 0, &r);
	check(r, "clCreateProgramWithSource");
	r = clBuildProgram(p, 1, &dev, "", 0, 0);
	if (r != CL_SUCCESS) {
		static char log[1 << 16];
		clGetProgramBuildInfo(p, dev, CL_PROGRAM_BUILD_LOG, sizeof log, log, 0);
		fprintf(stderr, "%s\n", log);
	}
	check(r, "clBuildProgram");
	return p;
}

typedef struct {
	cl_mem mem;
	uint32_t *data;
	size_t size;
} Buffer;

static Buffer bufs[MAX];
static size_t nbufs;

static void set_buffer(cl_context ctx, cl_kernel k, cl_uint arg, char *v) {
	if (nbufs == MAX) {
		fprintf(stderr, "clrun: more than %d buffers\n", MAX);
		exit(2);
	}
	char *colon = strchr(v, ':');
	Buffer *b = &bufs[nbufs++];
	b->size = strtoul(v, 0, 0);
	b->data = malloc(b->size);
	fill(b->data, b->size / 4, colon ? atoi(colon + 1) : 1);
	cl_int r;
	b->mem = clCreateBuffer(ctx, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, b->size, b->data, &r);
	check(r, "clCreateBuffer");
	CALL(clSetKernelArg, k, arg, sizeof b->mem, &b->mem);
}

int main(int argc, char **argv) {
	if (argc < 4 || argc % 2) {
		fprintf(stderr, "usage: clrun SOURCE.cl GLOBAL LOCAL [-n TIMES] [-g OFFSET] [-b BYTES[:SEED]]... [-l BYTES]... [-u VALUE]...\n");
		return 2;
	}
	cl_platform_id platform;
	cl_device_id dev;
	CALL(clGetPlatformIDs, 1, &platform, 0);
	CALL(clGetDeviceIDs, platform, CL_DEVICE_TYPE_ALL, 1, &dev, 0);
	char name[256] = "";
	CALL(clGetDeviceInfo, dev, CL_DEVICE_NAME, sizeof name, name, 0);
	fprintf(stderr, "clrun: %s\n", name);
	cl_int r;
	cl_context ctx = clCreateContext(0, 1, &dev, 0, 0, &r);
	check(r, "clCreateContext");
	cl_command_queue queue = clCreateCommandQueue(ctx, dev, 0, &r);
	check(r, "clCreateCommandQueue");
	cl_kernel k = clCreateKernel(build(ctx, dev, read_file(argv[1])), "run", &r);
	check(r, "clCreateKernel");

	size_t global[3], local[3], offset[3], *from = 0;
	cl_uint dims = parse_size(argv[2], global), times = 1, arg = 0;
	parse_size(argv[3], local);
	for (int i = 4; i < argc; i += 2) {
		char *v = argv[i + 1];
		cl_uint u = strtoul(v, 0, 0);
		switch (argv[i][1]) {
		case 'n': times = u; break;
		case 'g': parse_size(v, from = offset); break;
		case 'b': set_buffer(ctx, k, arg++, v); break;
		case 'l': CALL(clSetKernelArg, k, arg++, u, 0); break;
		case 'u': CALL(clSetKernelArg, k, arg++, sizeof u, &u); break;
		}
	}
	for (cl_uint i = 0; i < times; i++)
		CALL(clEnqueueNDRangeKernel, queue, k, dims, from, global, local[0] ? local : 0, 0, 0, 0);
	for (size_t i = 0; i < nbufs; i++) {
		Buffer *b = &bufs[i];
		CALL(clEnqueueReadBuffer, queue, b->mem, CL_TRUE, 0, b->size, b->data, 0, 0, 0);
		for (size_t j = 0; j < b->size / 4; j++)
			printf("%08x%c", b->data[j], j % 8 == 7 ? '\n' : ' ');
		printf("\n");
	}
	return 0;
}
