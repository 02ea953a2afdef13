/* Runs a kernel of OpenCL C on the host's processor and prints seconds of processor time for all launches of a run, over
 * as many runs as take so many seconds. What the first leaves of buffers is in files beside them, FILE.left.
 *   native version PLATFORM
 *   native run PLATFORM SOURCE KERNEL RUNS SECONDS LAUNCHES GX GY GZ BX BY BZ ARG...
 * PLATFORM is the name of OpenCL's platform, or a part of it. So many RUNS are timed at least, after one that compiles;
 * if it is 0, that one is timed, too.
 * An argument is buffer:FILE; number:BYTES:HEX,HEX,... by launch; local:BYTES; image:WIDTH:HEIGHT:FILE, four bytes a
 * texel; or sampler:. */
#define CL_TARGET_OPENCL_VERSION 120
#include "helper.h"
#include <CL/cl.h>

static void need(cl_int err, const char *what) {
	if (err != CL_SUCCESS) {
		fprintf(stderr, "%s: OpenCL error %d\n", what, err);
		exit(1);
	}
}

struct arg {
	const char *text, *path; /* what follows the kind; the file, or 0 */
	cl_mem mem;
	char *data;
	size_t size, width, height; /* of a buffer and a number, of an image */
};

static struct arg args[most];

static void add(cl_context context, cl_kernel kernel, cl_device_id device, int i, const char *text) {
	struct arg *a = &args[i];
	cl_int err = CL_SUCCESS;
	const char *rest = strchr(text, ':') + 1;
	if (*text == 'b' || *text == 'i') {
		if (*text == 'i') {
			a->width = strtoul(rest, (char **)&rest, 10);
			a->height = strtoul(rest + 1, (char **)&rest, 10);
			rest++;
		}
		a->data = contents(a->path = rest, &a->size);
		cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
		cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = a->width, .image_height = a->height};
		a->mem = a->width ? clCreateImage(context, CL_MEM_READ_ONLY, &format, &desc, 0, &err) : clCreateBuffer(context, CL_MEM_READ_WRITE, a->size, 0, &err);
		need(err, text);
		need(clSetKernelArg(kernel, i, sizeof a->mem, &a->mem), text);
	} else if (*text == 'n') {
		a->size = strtoul(rest, (char **)&a->text, 10);
	} else if (*text == 'l') {
		need(clSetKernelArg(kernel, i, strtoul(rest, 0, 10), 0), text);
	} else {
		cl_sampler s = clCreateSampler(context, CL_TRUE, CL_ADDRESS_REPEAT, CL_FILTER_LINEAR, &err);
		need(err, text);
		need(clSetKernelArg(kernel, i, sizeof s, &s), text);
	}
}

/* set sets the numbers of a launch. */
static void set(cl_kernel kernel, int count, int launch) {
	for (int i = 0; i < count; i++) {
		const char *at = args[i].text, *next;
		for (int k = 0; at && k < launch && (next = strchr(at + 1, ',')); k++)
			at = next;
		unsigned long long bits = at ? strtoull(at + 1, 0, 16) : 0;
		if (at)
			need(clSetKernelArg(kernel, i, args[i].size, &bits), args[i].text);
	}
}

/* move writes the buffers and images before a run, or reads and keeps them after it. */
static void move(cl_command_queue queue, int count, int keep) {
	const size_t origin[3] = {0};
	for (int i = 0; i < count; i++) {
		struct arg *a = &args[i];
		const size_t region[3] = {a->width, a->height, 1};
		if (!a->path || (a->width && keep))
			continue;
		char *back = keep ? malloc(a->size) : 0;
		need(a->width ? clEnqueueWriteImage(queue, a->mem, CL_TRUE, origin, region, 0, 0, a->data, 0, 0, 0)
		     : keep   ? clEnqueueReadBuffer(queue, a->mem, CL_TRUE, 0, a->size, back, 0, 0, 0)
		              : clEnqueueWriteBuffer(queue, a->mem, CL_TRUE, 0, a->size, a->data, 0, 0, 0), a->path);
		if (keep)
			left(a->path, back, a->size);
		free(back);
	}
}

int main(int argc, char **argv) {
	cl_platform_id platforms[16], platform = 0;
	cl_uint n = 0;
	char name[256] = "", version[256] = "";
	check(argc > 2, "native version|run PLATFORM ...");
	need(clGetPlatformIDs(16, platforms, &n), "platforms");
	for (cl_uint i = 0; i < n && i < 16 && !platform; i++) {
		clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name, name, 0);
		if (strstr(name, argv[2]))
			platform = platforms[i];
	}
	check(platform != 0, "no platform of OpenCL has that name");
	cl_device_id device;
	need(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, 0), "device");
	if (argc < 14 || argc > 14 + most || strcmp(argv[1], "run")) {
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
	const char *text = contents(argv[3], &size);
	cl_program program = clCreateProgramWithSource(context, 1, &text, &size, &err);
	need(err, "program");
	if (clBuildProgram(program, 1, &device, "-cl-std=CL1.2", 0, 0) != CL_SUCCESS) {
		static char log[1 << 16];
		clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, 0);
		fprintf(stderr, "%s: %s\n", argv[3], log);
		return 1;
	}
	cl_kernel kernel = clCreateKernel(program, argv[4], &err);
	need(err, "kernel");
	double least = atof(argv[6]), sum = 0;
	int runs = atoi(argv[5]), launches = atoi(argv[7]), count = argc - 14, first = runs ? -1 : 0, run = first;
	size_t grid[3], block[3];
	for (int i = 0; i < 3; i++)
		grid[i] = atol(argv[8 + i]), block[i] = atol(argv[11 + i]);
	for (int i = 0; i < count; i++)
		add(context, kernel, device, i, argv[14 + i]);
	do {
		move(queue, count, 0);
		need(clFinish(queue), "finish");
		double start = now();
		for (int i = 0; i < launches; i++) {
			set(kernel, count, i);
			need(clEnqueueNDRangeKernel(queue, kernel, 3, 0, grid, block, 0, 0, 0), "launch");
		}
		need(clFinish(queue), "finish");
		if (run >= 0)
			sum += now() - start;
		if (run == first)
			move(queue, count, 1);
	} while (++run < runs || sum < least);
	printf("%.9f\n", sum / run);
	return 0;
}
