// A client of rocRAND: its generators run on the GPU. Streams with a short formula are compared with it, of others the
// moments. It prints a line for each, and exits with 1 if one is wrong.
#include <hip/hip_runtime.h>
#include <rocrand/rocrand.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

static void check(int e, const char *what, int line)
{
	if (e != 0) {
		printf("line %d: %s: error %d\n", line, what, e);
		exit(1);
	}
}
#define CHECK(x) check((x), #x, __LINE__)

static bool good = true;

static void say(const char *name, bool ok)
{
	printf("%s: %s\n", name, ok ? "right" : "wrong");
	fflush(stdout);
	good = good && ok;
}

template <typename T> static std::vector<T> host(const T *p, size_t n)
{
	std::vector<T> v(n);
	CHECK(hipMemcpy(v.data(), p, n * sizeof(T), hipMemcpyDeviceToHost));
	return v;
}

// Philox4x32-10, from Salmon and others, "Parallel Random Numbers: As Easy as 1, 2, 3" (2011).
static void philox(uint64_t counter, uint64_t seed, uint32_t out[4])
{
	uint32_t c[4] = {(uint32_t)counter, (uint32_t)(counter >> 32), 0, 0}, k[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
	for (int round = 0; round < 10; round++) {
		uint64_t a = 0xD2511F53ull * c[0], b = 0xCD9E8D57ull * c[2];
		uint32_t n[4] = {(uint32_t)(b >> 32) ^ c[1] ^ k[0], (uint32_t)b, (uint32_t)(a >> 32) ^ c[3] ^ k[1], (uint32_t)a};
		for (int i = 0; i < 4; i++)
			c[i] = n[i];
		k[0] += 0x9E3779B9;
		k[1] += 0xBB67AE85;
	}
	for (int i = 0; i < 4; i++)
		out[i] = c[i];
}

static bool moments(const std::vector<float> &v, double mean, double deviation)
{
	double s = 0, q = 0;
	for (float x : v)
		s += x, q += (double)x * x;
	double m = s / v.size(), d = sqrt(q / v.size() - m * m);
	return fabs(m - mean) < 0.02 && fabs(d - deviation) < 0.02;
}

int main()
{
	const size_t n = 50000;
	const uint64_t seed = 0x123456789abcull;
	uint32_t *words;
	float *floats;
	CHECK(hipMalloc(&words, n * 4));
	CHECK(hipMalloc(&floats, n * 4));

	rocrand_generator g;
	CHECK(rocrand_create_generator(&g, ROCRAND_RNG_PSEUDO_PHILOX4_32_10));
	CHECK(rocrand_set_seed(g, seed));
	CHECK(rocrand_generate(g, words, n));
	bool ok = true;
	std::vector<uint32_t> w = host(words, n);
	for (size_t i = 0; i < n; i++) {
		uint32_t want[4];
		philox(i / 4, seed, want);
		ok = ok && w[i] == want[i % 4];
	}
	say("philox", ok);
	CHECK(rocrand_generate_uniform(g, floats, n));
	ok = true;
	for (float x : host(floats, n))
		ok = ok && x > 0 && x <= 1;
	say("philox, uniform", ok && moments(host(floats, n), 0.5, sqrt(1 / 12.0)));
	CHECK(rocrand_destroy_generator(g));

	// The first dimension of a Sobol sequence is the reversed bits of the Gray code of the index.
	CHECK(rocrand_create_generator(&g, ROCRAND_RNG_QUASI_SOBOL32));
	CHECK(rocrand_generate(g, words, n));
	ok = true;
	w = host(words, n);
	for (size_t i = 0; i < n; i++)
		ok = ok && w[i] == __builtin_bitreverse32((uint32_t)(i ^ i >> 1));
	say("sobol", ok);
	CHECK(rocrand_destroy_generator(g));

	struct {
		const char *name;
		rocrand_rng_type type;
	} all[] = {{"xorwow", ROCRAND_RNG_PSEUDO_XORWOW}, {"mrg32k3a", ROCRAND_RNG_PSEUDO_MRG32K3A}, {"mtgp32", ROCRAND_RNG_PSEUDO_MTGP32}};
	for (auto &a : all) {
		CHECK(rocrand_create_generator(&g, a.type));
		CHECK(rocrand_set_seed(g, seed));
		CHECK(rocrand_generate_uniform(g, floats, n));
		ok = moments(host(floats, n), 0.5, sqrt(1 / 12.0));
		CHECK(rocrand_generate_normal(g, floats, n, 2, 0.5));
		say(a.name, ok && moments(host(floats, n), 2, 0.5));
		CHECK(rocrand_generate_poisson(g, words, n, 30));
		double s = 0;
		for (uint32_t x : host(words, n))
			s += x;
		printf("%s, ", a.name);
		say("poisson", fabs(s / n - 30) < 0.3);
		CHECK(rocrand_destroy_generator(g));
	}
	return !good;
}
