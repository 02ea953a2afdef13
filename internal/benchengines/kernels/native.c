/* Runs a kernel of OpenCL C on the host's processor and prints seconds of processor time for one run, over as many as take
 * so many seconds:
 *   native version
 *   native run SOURCE KERNEL SECONDS OPTIONS GX GY GZ BX BY BZ ARG...
 * An argument is @FILE, a buffer with the file's bytes, or BYTES:HEX, a number. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void need(cl_int err, const char *what) {
	if (err != CL_SUCCESS) {
		fprintf(stderr, "%s: OpenCL error %d\n", what, err);
		exit(1);
	}
}

static char *contents(const char *path, size_t *size) {
	FILE *f = fopen(path, "rb");
	if (!f || fseek(f, 0, SEEK_END)) {
		fprintf(stderr, "%s: cannot be read\n", path);
		exit(1);
	}
	*size = ftell(f);
	rewind(f);
	char *data = malloc(*size + 1);
	if (fread(data, 1, *size, f) != *size) {
		fprintf(stderr, "%s: cannot be read\n", path);
		exit(1);
	}
	data[*size] = 0;
	fclose(f);
	return data;
}

static double now(void) {
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

int main(int argc, char **argv) {
	cl_platform_id platforms[16], platform = 0;
	cl_uint n = 0;
	char name[256] = "", version[256] = "";
	need(clGetPlatformIDs(16, platforms, &n), "platforms");
	for (cl_uint i = 0; i < n && i < 16 && !platform; i++) {
		clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name, name, 0);
		if (strstr(name, "Portable Computing Language"))
			platform = platforms[i];
	}
	if (!platform) {
		fprintf(stderr, "none of %u platforms is PoCL\n", n);
		return 1;
	}
	cl_device_id device;
	need(clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 1, &device, 0), "device");
	if (argc < 3 || strcmp(argv[1], "run")) {
		clGetPlatformInfo(platform, CL_PLATFORM_VERSION, sizeof version, version, 0);
		printf("%s, %s\n", name, version);
		return 0;
	}
	cl_int err;
	cl_context context = clCreateContext(0, 1, &device, 0, 0, &err);
	need(err, "context");
	cl_command_queue queue = clCreateCommandQueue(context, device, 0, &err);
	need(err, "queue");
	size_t size;
	const char *text = contents(argv[2], &size);
	cl_program program = clCreateProgramWithSource(context, 1, &text, &size, &err);
	need(err, "program");
	if (clBuildProgram(program, 1, &device, argv[5], 0, 0) != CL_SUCCESS) {
		static char log[1 << 16];
		clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, 0);
		fprintf(stderr, "%s: %s\n", argv[2], log);
		return 1;
	}
	cl_kernel kernel = clCreateKernel(program, argv[3], &err);
	need(err, "kernel");
	double least = atof(argv[4]);
	size_t grid[3], block[3];
	for (int i = 0; i < 3; i++)
		grid[i] = atol(argv[6 + i]), block[i] = atol(argv[9 + i]);
	cl_mem buffers[32];
	char *fresh[32];
	size_t sizes[32];
	int count = argc - 12;
	for (int i = 0; i < count && i < 32; i++) {
		const char *arg = argv[12 + i];
		fresh[i] = 0;
		if (*arg == '@') {
			fresh[i] = contents(arg + 1, &sizes[i]);
			buffers[i] = clCreateBuffer(context, CL_MEM_READ_WRITE, sizes[i], 0, &err);
			need(err, "buffer");
			need(clSetKernelArg(kernel, i, sizeof buffers[i], &buffers[i]), arg);
			continue;
		}
		char *hex;
		size_t bytes = strtoul(arg, &hex, 10);
		unsigned long long bits = strtoull(hex + 1, 0, 16);
		need(clSetKernelArg(kernel, i, bytes, &bits), arg);
	}
	double sum = 0;
	int run = -1;
	for (; run < 3 || sum < least; run++) { /* the first compiles */
		for (int i = 0; i < count && i < 32; i++)
			if (fresh[i])
				need(clEnqueueWriteBuffer(queue, buffers[i], CL_TRUE, 0, sizes[i], fresh[i], 0, 0, 0), "write");
		need(clFinish(queue), "finish");
		double start = now();
		need(clEnqueueNDRangeKernel(queue, kernel, 3, 0, grid, block, 0, 0, 0), "launch");
		need(clFinish(queue), "finish");
		if (run >= 0)
			sum += now() - start;
	}
	printf("%.9f\n", sum / run);
	return 0;
}
