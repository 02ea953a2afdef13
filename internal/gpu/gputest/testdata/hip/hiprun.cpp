// A program of HIP: each of its tests computes something on the GPU and compares it with formulas. It prints a line for
// each, and exits with 1 if one is wrong.
#include <hip/hip_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <thread>
#include <vector>

static void check(hipError_t e, const char *what, int line)
{
	if (e != hipSuccess) {
		printf("line %d: %s: %s\n", line, what, hipGetErrorString(e));
		exit(1);
	}
}
#define CHECK(x) check((x), #x, __LINE__)

template <typename T> struct Device {
	T *p;
	size_t n;
	explicit Device(size_t n) : n(n) { CHECK(hipMalloc(&p, n * sizeof(T))); }
	explicit Device(const std::vector<T> &v) : Device(v.size()) { CHECK(hipMemcpy(p, v.data(), n * sizeof(T), hipMemcpyHostToDevice)); }
	~Device() { CHECK(hipFree(p)); }
	std::vector<T> host() const
	{
		std::vector<T> v(n);
		CHECK(hipMemcpy(v.data(), p, n * sizeof(T), hipMemcpyDeviceToHost));
		return v;
	}
};

__global__ void add(const float *a, const float *b, float *c, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		c[i] = a[i] + b[i];
}

static bool vectorAdd()
{
	const int n = 100003;
	std::vector<float> a(n), b(n);
	for (int i = 0; i < n; i++)
		a[i] = i, b[i] = 2 * i + 0.5f;
	Device<float> da(a), db(b), dc(n);
	add<<<(n + 255) / 256, 256>>>(da.p, db.p, dc.p, n);
	CHECK(hipGetLastError());
	std::vector<float> c = dc.host();
	for (int i = 0; i < n; i++)
		if (c[i] != 3 * i + 0.5f)
			return false;
	return true;
}

// A reduction in LDS, then atomics on memory.
__global__ void sum(const uint32_t *in, unsigned long long *total, uint32_t *most, int n)
{
	__shared__ unsigned long long part[256];
	unsigned long long s = 0;
	uint32_t m = 0;
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		s += in[i];
		m = max(m, in[i]);
	}
	part[threadIdx.x] = s;
	__syncthreads();
	for (int k = blockDim.x / 2; k > 0; k /= 2) {
		if (threadIdx.x < k)
			part[threadIdx.x] += part[threadIdx.x + k];
		__syncthreads();
	}
	if (threadIdx.x == 0)
		atomicAdd(total, part[0]);
	atomicMax(most, m);
}

static bool reduction()
{
	const int n = 50000;
	std::vector<uint32_t> in(n);
	unsigned long long want = 0;
	uint32_t most = 0;
	for (int i = 0; i < n; i++) {
		in[i] = (uint32_t)i * 2654435761u;
		want += in[i];
		most = in[i] > most ? in[i] : most;
	}
	Device<uint32_t> d(in);
	Device<unsigned long long> total(std::vector<unsigned long long>(1));
	Device<uint32_t> m(std::vector<uint32_t>(1));
	sum<<<12, 256>>>(d.p, total.p, m.p, n);
	return total.host()[0] == want && m.host()[0] == most;
}

// LDS whose size the launch gives, and a partial last group.
__global__ void reverse(uint32_t *v, int n)
{
	extern __shared__ uint32_t tile[];
	int base = blockIdx.x * blockDim.x, size = min((int)blockDim.x, n - base), i = threadIdx.x;
	if (i < size)
		tile[i] = v[base + i];
	__syncthreads();
	if (i < size)
		v[base + i] = tile[size - 1 - i];
}

static bool dynamicLDS()
{
	const int n = 1000, block = 96;
	std::vector<uint32_t> v(n);
	for (int i = 0; i < n; i++)
		v[i] = i;
	Device<uint32_t> d(v);
	reverse<<<(n + block - 1) / block, block, block * 4>>>(d.p, n);
	std::vector<uint32_t> r = d.host();
	for (int i = 0; i < n; i++) {
		int base = i / block * block, size = n - base < block ? n - base : block;
		if (r[i] != (uint32_t)(base + size - 1 - (i - base)))
			return false;
	}
	return true;
}

// Scratch, by resource and by generic addresses.
__device__ __noinline__ void fill(int *p, int n, int seed)
{
	for (int i = 0; i < n; i++)
		p[i] = seed * 31 + i;
}

__global__ void scratch(const int *index, int *out, int lds)
{
	__shared__ int shared[64];
	int own[64];
	int *p = lds && threadIdx.x == 0 ? shared : own;
	fill(p, 64, threadIdx.x + blockIdx.x);
	__syncthreads(); // the compiler reads shared memory in all lanes
	own[63] = p == own ? own[63] : shared[63];
	int i = index[threadIdx.x];
	out[blockIdx.x * blockDim.x + threadIdx.x] = (p == own ? own[i] : shared[i]) + own[63];
}

static bool scratchMemory()
{
	const int blocks = 5, block = 128;
	std::vector<int> index(block);
	for (int i = 0; i < block; i++)
		index[i] = i * 7 % 64;
	Device<int> di(index), out(blocks * block);
	bool good = true;
	for (int lds = 0; lds < 2; lds++) {
		scratch<<<blocks, block>>>(di.p, out.p, lds);
		std::vector<int> r = out.host();
		for (int b = 0; b < blocks; b++)
			for (int t = 0; t < block; t++)
				good = good && r[b * block + t] == (t + b) * 31 * 2 + index[t] + 63;
	}
	return good;
}

// More scratch than a queue has at first.
__global__ void deep(const int *index, int *out)
{
	int own[1500];
	for (int i = 0; i < 1500; i++)
		own[i] = i * i + threadIdx.x;
	int i = index[threadIdx.x];
	own[i] += 5;
	out[blockIdx.x * blockDim.x + threadIdx.x] = own[i] + own[1499 - i];
}

static bool muchScratch()
{
	const int block = 64;
	std::vector<int> index(block);
	for (int i = 0; i < block; i++)
		index[i] = i * 23;
	Device<int> di(index), out(block);
	deep<<<1, block>>>(di.p, out.p);
	std::vector<int> r = out.host();
	for (int t = 0; t < block; t++) {
		int i = index[t], k = 1499 - i;
		if (r[t] != i * i + t + 5 + k * k + t)
			return false;
	}
	return true;
}

__global__ void lanes(uint64_t *mask, int *shuffled)
{
	mask[threadIdx.x] = __ballot(threadIdx.x % 3 == 0);
#ifdef __GFX7__ // has no ds_bpermute
	int other = __builtin_amdgcn_ds_swizzle((int)threadIdx.x * 10, 5 << 10 | 0x1f);
#else
	int other = __shfl_xor((int)threadIdx.x * 10, 5);
#endif
	shuffled[threadIdx.x] = other + __popcll(__ballot(1));
}

static bool crossLane()
{
	Device<uint64_t> m(64);
	Device<int> s(64);
	lanes<<<1, 64>>>(m.p, s.p);
	std::vector<uint64_t> mask = m.host();
	std::vector<int> got = s.host();
	uint64_t want = 0;
	for (int i = 0; i < 64; i += 3)
		want |= 1ull << i;
	for (int i = 0; i < 64; i++)
		if (mask[i] != want || got[i] != (i ^ 5) * 10 + 64)
			return false;
	return true;
}

__global__ void step(uint32_t *v, uint32_t mul, uint32_t plus)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	v[i] = v[i] * mul + plus;
}

// Two streams that wait for each other's events.
static bool streams()
{
	const int n = 4096, rounds = 20;
	Device<uint32_t> d(std::vector<uint32_t>(n, 1));
	hipStream_t s[2];
	hipEvent_t e[2], begin, end;
	for (int i = 0; i < 2; i++) {
		CHECK(hipStreamCreateWithFlags(&s[i], hipStreamNonBlocking));
		CHECK(hipEventCreateWithFlags(&e[i], hipEventDisableTiming));
	}
	CHECK(hipEventCreate(&begin));
	CHECK(hipEventCreate(&end));
	CHECK(hipEventRecord(begin, s[0]));
	uint32_t want = 1;
	for (int r = 0; r < rounds; r++) {
		step<<<n / 256, 256, 0, s[0]>>>(d.p, 3, r);
		CHECK(hipEventRecord(e[0], s[0]));
		CHECK(hipStreamWaitEvent(s[1], e[0], 0));
		step<<<n / 256, 256, 0, s[1]>>>(d.p, 5, 1);
		CHECK(hipEventRecord(e[1], s[1]));
		CHECK(hipStreamWaitEvent(s[0], e[1], 0));
		want = (want * 3 + r) * 5 + 1;
	}
	CHECK(hipEventRecord(end, s[0]));
	CHECK(hipEventSynchronize(end));
	float ms = -1;
	CHECK(hipEventElapsedTime(&ms, begin, end));
	bool good = ms > 0 && ms < 60000 && hipEventQuery(end) == hipSuccess;
	for (uint32_t v : d.host())
		good = good && v == want;
	for (int i = 0; i < 2; i++) {
		CHECK(hipStreamDestroy(s[i]));
		CHECK(hipEventDestroy(e[i]));
	}
	return good;
}

// Copies of all directions and sizes, also of rectangles, and fills.
static bool copies()
{
	bool good = true;
	for (size_t n : {1, 3, 4096, 70001, 5 << 20}) {
		std::vector<uint8_t> a(n), b(n);
		for (size_t i = 0; i < n; i++)
			a[i] = (uint8_t)(i * 7 + (i >> 8));
		Device<uint8_t> x(a), y(n);
		CHECK(hipMemcpy(y.p, x.p, n, hipMemcpyDeviceToDevice));
		CHECK(hipMemcpy(b.data(), y.p, n, hipMemcpyDeviceToHost));
		good = good && a == b;
		CHECK(hipMemset(x.p, 0x5a, n));
		good = good && x.host() == std::vector<uint8_t>(n, 0x5a);
	}
	const size_t w = 100, h = 37, pitch = 128;
	std::vector<uint8_t> a(w * h), b(w * h);
	for (size_t i = 0; i < a.size(); i++)
		a[i] = (uint8_t)(i * 3);
	Device<uint8_t> x(pitch * h), y(pitch * h);
	CHECK(hipMemcpy2D(x.p, pitch, a.data(), w, w, h, hipMemcpyHostToDevice));
	CHECK(hipMemcpy2D(y.p, pitch, x.p, pitch, w, h, hipMemcpyDeviceToDevice));
	CHECK(hipMemcpy2D(b.data(), w, y.p, pitch, w, h, hipMemcpyDeviceToHost));
	return good && a == b;
}

// Memory of the host that the GPU accesses: allocated by HIP, and given to it.
static bool hostMemory()
{
	const int n = 5000;
	uint32_t *pinned, *where;
	CHECK(hipHostMalloc(&pinned, n * 4, 0));
	std::vector<uint32_t> own(n, 7);
	CHECK(hipHostRegister(own.data(), n * 4, hipHostRegisterDefault));
	CHECK(hipHostGetDevicePointer((void **)&where, own.data(), 0));
	for (int i = 0; i < n; i++)
		pinned[i] = i;
	step<<<n / 250, 250>>>(pinned, 2, 1);
	step<<<n / 250, 250>>>(where, 11, 1);
	CHECK(hipDeviceSynchronize());
	bool good = true;
	for (int i = 0; i < n; i++)
		good = good && pinned[i] == (uint32_t)i * 2 + 1 && own[i] == 78;
	own[1] = 1000; // seen by the next kernel
	step<<<n / 250, 250>>>(where, 1, 5);
	CHECK(hipDeviceSynchronize());
	good = good && own[0] == 83 && own[1] == 1005;
	CHECK(hipHostUnregister(own.data()));
	CHECK(hipHostFree(pinned));
	return good;
}

// Memory that both sides use by the same address.
static bool managed()
{
	const int n = 1000;
	uint32_t *p;
	CHECK(hipMallocManaged(&p, n * 4));
	for (int i = 0; i < n; i++)
		p[i] = i;
	step<<<n / 250, 250>>>(p, 7, 2);
	CHECK(hipDeviceSynchronize());
	bool good = true;
	for (int i = 0; i < n; i++)
		good = good && p[i] == (uint32_t)i * 7 + 2;
	CHECK(hipFree(p));
	return good;
}

__global__ void halves(double *d, const float *f, int n)
{
	int i = threadIdx.x;
	d[i] = sqrt((double)f[i]) * 0.5 + fma((double)i, 0.25, 1.0);
}

static bool doubles()
{
	const int n = 64;
	std::vector<float> f(n);
	for (int i = 0; i < n; i++)
		f[i] = i * i;
	Device<float> df(f);
	Device<double> d(n);
	halves<<<1, n>>>(d.p, df.p, n);
	std::vector<double> r = d.host();
	for (int i = 0; i < n; i++)
		if (r[i] != i * 0.5 + i * 0.25 + 1)
			return false;
	return true;
}

// Several threads with a stream each.
static bool threads()
{
	const int n = 1024, count = 4;
	bool good[count] = {};
	std::vector<std::thread> list;
	for (int t = 0; t < count; t++)
		list.emplace_back([&, t] {
			hipStream_t s;
			CHECK(hipStreamCreate(&s));
			Device<uint32_t> d(std::vector<uint32_t>(n, t));
			uint32_t want = t;
			for (int r = 0; r < 10; r++) {
				step<<<n / 64, 64, 0, s>>>(d.p, 3, t);
				want = want * 3 + t;
			}
			CHECK(hipStreamSynchronize(s));
			good[t] = d.host() == std::vector<uint32_t>(n, want);
			CHECK(hipStreamDestroy(s));
		});
	bool all = true;
	for (int t = 0; t < count; t++) {
		list[t].join();
		all = all && good[t];
	}
	return all;
}

__global__ void stray(int *p) { p[threadIdx.x] = 1; }

__global__ void endless(volatile int *p)
{
	while (*p == 0)
		;
}

__global__ void talk(int n) { printf("item %d of group %d: %s %g\n", (int)threadIdx.x, (int)blockIdx.x, "text", n * 0.5); }

__global__ void wrong(int n) { assert(n == 1); }

// other runs a kernel that prints, or does what no kernel should.
static int other(const char *what)
{
	Device<int> d(std::vector<int>(64));
	if (!strcmp(what, "printf"))
		talk<<<2, 2>>>(3);
	else if (!strcmp(what, "assert"))
		wrong<<<1, 1>>>(2);
	else if (!strcmp(what, "stray"))
		stray<<<1, 64>>>((int *)0x1234567000);
	else
		endless<<<1, 64>>>(d.p);
	hipError_t e = hipDeviceSynchronize();
	printf("the program goes on: %s\n", hipGetErrorString(e));
	return 0;
}

int main(int argc, char **argv)
{
	if (argc > 2)
		return other(argv[2]);
	struct {
		const char *name;
		std::function<bool()> run;
	} tests[] = {{"add", vectorAdd}, {"reduction", reduction}, {"dynamic LDS", dynamicLDS}, {"lanes", crossLane}, {"doubles", doubles}, {"scratch", scratchMemory},
		{"much scratch", muchScratch}, {"streams", streams}, {"copies", copies}, {"host memory", hostMemory}, {"managed", managed}, {"threads", threads}};
	bool good = true;
	for (auto &t : tests) {
		if (argc > 1 && strcmp(argv[1], t.name))
			continue;
		bool ok = t.run();
		printf("%s: %s\n", t.name, ok ? "right" : "wrong");
		fflush(stdout);
		good = good && ok;
	}
	return !good;
}
