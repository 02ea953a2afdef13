// A program of HIP whose kernels read what nothing has set, in the test that the argument names.
#include <hip/hip_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

static void check(hipError_t e, int line)
{
	if (e != hipSuccess) {
		printf("line %d: %s\n", line, hipGetErrorString(e));
		exit(1);
	}
}
#define CHECK(x) check((x), __LINE__)

// Items of the last wave do not store to LDS.
__global__ void lds(uint32_t *out, int n)
{
	__shared__ uint32_t tile[256];
	int i = threadIdx.x;
	if (i < n)
		tile[i] = 3 * i;
	__syncthreads();
	out[i] = tile[255 - i];
}

// The assembly has a register that nothing sets.
__global__ void reg(uint32_t *out)
{
	uint32_t v;
	asm volatile("v_or_b32 %0, 1, v77" : "=v"(v) : : "v77");
	if (v == 12345)
		out[1] = 1;
	out[0] = 2;
}

__global__ void leave(uint32_t *p, uint32_t *from)
{
	__shared__ uint32_t tile[64];
	if (threadIdx.x < 32)
		tile[threadIdx.x] = 1;
	__syncthreads();
	p[threadIdx.x] = tile[63 - threadIdx.x] + from[threadIdx.x];
}

__global__ void decide(const uint32_t *p, uint32_t *out)
{
	if (p[threadIdx.x] == 77)
		out[threadIdx.x] = 1;
}

int main(int argc, char **argv)
{
	uint32_t *p, *out, *host;
	CHECK(hipMalloc(&p, 4096));
	CHECK(hipMalloc(&out, 4096));
	CHECK(hipHostMalloc(&host, 4096));
	CHECK(hipMemset(p, 0, 4096));
	CHECK(hipMemset(out, 0, 4096));
	memset(host, 0, 4096);
	const char *what = argv[1];
	bool host_memory = !strcmp(what, "written");
	if (!strcmp(what, "clean"))
		lds<<<1, 256>>>(out, 256);
	else if (!strcmp(what, "lds"))
		lds<<<1, 256>>>(out, 192);
	else if (!strcmp(what, "register"))
		reg<<<1, 64>>>(out);
	else { // what one kernel leaves undefined decides a branch of the next one, unless something writes it between
		leave<<<1, 64>>>(host_memory ? host : p, out);
		CHECK(hipDeviceSynchronize());
		if (!strcmp(what, "set"))
			CHECK(hipMemset(p, 0, 4096));
		if (!strcmp(what, "copied")) // the bytes that are there
			CHECK(hipMemcpy(p, host, 4096, hipMemcpyDefault));
		if (host_memory)
			memset(host, 5, 4096);
		decide<<<1, 64>>>(host_memory ? host : p, out);
	}
	CHECK(hipDeviceSynchronize());
	std::vector<uint32_t> got(256);
	CHECK(hipMemcpy(got.data(), out, 1024, hipMemcpyDeviceToHost));
	puts("done");
	return 0;
}
