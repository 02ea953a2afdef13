// rotate is a host program of OpenCL, and nothing in it knows of heddle. Its kernel rotates 256 numbers by 64 places
// through local memory. With an argument the barrier that this needs is left out.
#define CL_TARGET_OPENCL_VERSION 110
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 256 };

static const char *source =
	"kernel void rotate64(global const uint *in, global uint *out, local uint *l) {\n"
	"	size_t i = get_local_id(0);\n"
	"	l[i] = in[i];\n"
	"#ifndef NO_BARRIER\n"
	"	barrier(CLK_LOCAL_MEM_FENCE);\n"
	"#endif\n"
	"	out[i] = l[(i + 64) % 256];\n"
	"}\n";

static void check(cl_int error, const char *what) {
	if (error != CL_SUCCESS) {
		fprintf(stderr, "rotate: %s: error %d\n", what, error);
		exit(1);
	}
}

int main(int argc, char **argv) {
	(void)argv;
	cl_uint in[N], out[N];
	for (cl_uint i = 0; i < N; i++)
		in[i] = 1000 + i;

	cl_int e;
	cl_platform_id platform;
	cl_device_id device;
	check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
	check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, NULL), "clGetDeviceIDs");
	cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &e);
	check(e, "clCreateContext");
	cl_command_queue queue = clCreateCommandQueue(context, device, 0, &e);
	check(e, "clCreateCommandQueue");
	cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &e);
	check(e, "clCreateProgramWithSource");
	check(clBuildProgram(program, 1, &device, argc > 1 ? "-DNO_BARRIER" : "", NULL, NULL), "clBuildProgram");
	cl_kernel kernel = clCreateKernel(program, "rotate64", &e);
	check(e, "clCreateKernel");
	cl_mem from = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof in, in, &e);
	check(e, "clCreateBuffer");
	cl_mem to = clCreateBuffer(context, CL_MEM_WRITE_ONLY, sizeof out, NULL, &e);
	check(e, "clCreateBuffer");

	check(clSetKernelArg(kernel, 0, sizeof from, &from), "clSetKernelArg");
	check(clSetKernelArg(kernel, 1, sizeof to, &to), "clSetKernelArg");
	check(clSetKernelArg(kernel, 2, sizeof in, NULL), "clSetKernelArg");
	size_t n = N;
	check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &n, &n, 0, NULL, NULL), "clEnqueueNDRangeKernel");
	check(clEnqueueReadBuffer(queue, to, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL), "clEnqueueReadBuffer");

	int wrong = 0;
	for (cl_uint i = 0; i < N; i++)
		wrong += out[i] != in[(i + 64) % N];
	printf("%d of %d wrong\n", wrong, N);
	return wrong != 0;
}
