/* The kernels of micro.cl by hand, with vectors of AVX2, up to four in flight. Prints as native.c does:
 *   hand KERNEL SECONDS ITEMS buffer:FILE buffer:FILE */
#include "helper.h"
#include <immintrin.h>
#include <stdint.h>

typedef __m256i v;
#define EACH for (int i = 0; i < 4; i++)
#define ROTATE(bits, x, n) _mm256_or_si256(_mm256_slli_epi##bits(x, n), _mm256_srli_epi##bits(x, bits - (n)))

static v at(const void *p) { return _mm256_loadu_si256(p); }
static v words(int x) { return _mm256_set1_epi32(x); }
static void put(void *p, v x) { _mm256_storeu_si256(p, x); }

static void alu(int n, const uint32_t *in, uint32_t *out) {
	for (int g = 0; g < n; g += 32) {
		v a[4], b[4];
		EACH a[i] = at(in + g + 8 * i), b[i] = _mm256_xor_si256(a[i], words(-1));
		for (int k = 0; k < 512; k++)
			EACH {
				a[i] = _mm256_xor_si256(ROTATE(32, a[i], 5), b[i]);
				b[i] = _mm256_add_epi32(_mm256_add_epi32(_mm256_slli_epi32(b[i], 3), b[i]), words(k));
				a[i] = _mm256_add_epi32(a[i], _mm256_srli_epi32(b[i], 7));
			}
		EACH put(out + g + 8 * i, _mm256_xor_si256(a[i], b[i]));
	}
}

#define CHAIN(name, number, vec, sfx, lanes, rounds)                                           \
	static void name(int n, const number *in, number *out) {                               \
		for (int g = 0; g < n; g += 4 * lanes) {                                       \
			vec a[4], b[4], c[4], d[4], half = _mm256_set1_##sfx(0.5);             \
			EACH {                                                                 \
				a[i] = _mm256_loadu_##sfx(in + g + lanes * i);                 \
				b[i] = _mm256_sub_##sfx(_mm256_set1_##sfx(1), a[i]);           \
				c[i] = _mm256_mul_##sfx(a[i], half);                           \
				d[i] = _mm256_mul_##sfx(b[i], half);                           \
			}                                                                      \
			for (int k = 0; k < rounds; k++)                                       \
				EACH {                                                         \
					a[i] = _mm256_add_##sfx(_mm256_mul_##sfx(a[i], b[i]), c[i]); \
					b[i] = _mm256_add_##sfx(_mm256_mul_##sfx(b[i], c[i]), d[i]); \
					c[i] = _mm256_add_##sfx(_mm256_mul_##sfx(c[i], d[i]), a[i]); \
					d[i] = _mm256_add_##sfx(_mm256_mul_##sfx(d[i], a[i]), _mm256_set1_##sfx(0.25)); \
				}                                                              \
			EACH _mm256_storeu_##sfx(out + g + lanes * i,                          \
				_mm256_add_##sfx(_mm256_add_##sfx(_mm256_add_##sfx(a[i], b[i]), c[i]), d[i])); \
		}                                                                              \
	}
CHAIN(f32, float, __m256, ps, 8, 512)
CHAIN(f64, double, __m256d, pd, 4, 256)

static void u64(int n, const uint64_t *in, uint64_t *out) {
	for (int g = 0; g < n; g += 16) {
		v a[4], b[4];
		EACH a[i] = at(in + g + 4 * i), b[i] = _mm256_xor_si256(a[i], words(-1));
		for (int k = 0; k < 256; k++)
			EACH {
				a[i] = _mm256_add_epi64(ROTATE(64, a[i], 11), b[i]);
				b[i] = _mm256_xor_si256(b[i], _mm256_srli_epi64(a[i], 9));
				b[i] = _mm256_add_epi64(b[i], _mm256_set1_epi64x(k));
			}
		EACH put(out + g + 4 * i, _mm256_xor_si256(a[i], b[i]));
	}
}

/* SUM adds up 256 loads of each of 32 items. */
#define SUM(name, element, load)                                              \
	static void name(int n, const element *in, uint32_t *out) {           \
		const v apart = _mm256_setr_epi32(0, 16, 32, 48, 64, 80, 96, 112); \
		(void)apart;                                                  \
		for (int g = 0; g < n; g += 32) {                             \
			v s[4] = {words(0), words(0), words(0), words(0)};    \
			for (int k = 0; k < 256; k++)                         \
				EACH s[i] = _mm256_add_epi32(s[i], load);     \
			EACH put(out + g + 8 * i, s[i]);                      \
		}                                                             \
	}
SUM(load, uint32_t, at(in + (g & 1023) + 8 * i + k * 64))
SUM(load_stride, uint32_t, _mm256_i32gather_epi32((const int *)in + ((g + 8 * i) & 255) * 16 + k, apart, 4))
SUM(load_bytes, uint8_t, _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(in + (g & 1023) + 8 * i + k * 64))))

static void load_random(int n, const uint32_t *in, uint32_t *out) {
	for (int g = 0; g < n; g += 32) {
		v s[4];
		EACH s[i] = _mm256_add_epi32(words(g + 8 * i), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
		for (int k = 0; k < 256; k++)
			EACH s[i] = _mm256_i32gather_epi32((const int *)in, _mm256_and_si256(_mm256_xor_si256(s[i], words(k)), words(16383)), 4);
		EACH put(out + g + 8 * i, s[i]);
	}
}

static void store(int n, const uint32_t *in, uint32_t *out) {
	for (int g = 0; g < n; g += 32) {
		v s[4];
		EACH s[i] = at(in + g + 8 * i);
		for (int k = 0; k < 256; k++)
			EACH put(out + (size_t)k * n + g + 8 * i, s[i]), s[i] = _mm256_add_epi32(s[i], words(k));
	}
}

static void lds(int n, const uint32_t *in, uint32_t *out) {
	for (int g = 0; g < n; g += 64) {
		uint32_t t[128]; /* twice, so that a turned row is in one piece */
		v s[8];
		for (int i = 0; i < 8; i++)
			s[i] = at(in + g + 8 * i);
		for (int k = 0; k < 128; k++) {
			for (int i = 0; i < 8; i++)
				put(t + 8 * i, s[i]), put(t + 64 + 8 * i, s[i]);
			for (int i = 0; i < 8; i++)
				s[i] = _mm256_add_epi32(s[i], at(t + (k & 63) + 8 * i));
		}
		for (int i = 0; i < 8; i++)
			put(out + g + 8 * i, s[i]);
	}
}

static void diverge(int n, const uint32_t *in, uint32_t *out) {
	for (int g = 0; g < n; g += 32) {
		v s[4], left[4], any = words(0);
		EACH s[i] = at(in + g + 8 * i), left[i] = _mm256_and_si256(s[i], words(255)), any = _mm256_or_si256(any, left[i]);
		while (!_mm256_testz_si256(any, any)) {
			any = words(0);
			EACH {
				v more = _mm256_cmpgt_epi32(left[i], words(0));
				v odd = _mm256_cmpeq_epi32(_mm256_and_si256(s[i], words(1)), words(1));
				v up = _mm256_add_epi32(_mm256_add_epi32(_mm256_slli_epi32(s[i], 1), s[i]), words(1));
				s[i] = _mm256_blendv_epi8(s[i], _mm256_blendv_epi8(_mm256_srli_epi32(s[i], 1), up, odd), more);
				left[i] = _mm256_add_epi32(left[i], more);
				any = _mm256_or_si256(any, left[i]);
			}
		}
		EACH put(out + g + 8 * i, s[i]);
	}
}

typedef void kernel(int, const void *, void *);
#define NAMED(f) {#f, (kernel *)f}
static const struct {
	const char *name;
	kernel *run;
} kernels[] = {
	NAMED(alu), NAMED(f32), NAMED(f64), NAMED(u64), NAMED(load), NAMED(load_stride), NAMED(load_bytes),
	NAMED(load_random), NAMED(store), NAMED(lds), NAMED(diverge),
};

int main(int argc, char **argv) {
	if (argc != 6) {
		printf("AVX2\n");
		return !__builtin_cpu_supports("avx2");
	}
	char *data[2];
	size_t size[2];
	for (int i = 0; i < 2; i++)
		data[i] = contents(strchr(argv[4 + i], ':') + 1, &size[i]);
	for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
		if (strcmp(kernels[k].name, argv[1]))
			continue;
		double least = atof(argv[2]), sum = 0;
		int run = -1;
		for (; run < 3 || sum < least; run++) {
			double start = now();
			kernels[k].run(atoi(argv[3]), data[0], data[1]);
			if (run >= 0)
				sum += now() - start;
		}
		left(strchr(argv[5], ':') + 1, data[1], size[1]);
		printf("%.9f\n", sum / run);
		return 0;
	}
	check(0, "no such kernel");
}
