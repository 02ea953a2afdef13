package suites

import (
	"fmt"
	"testing"

	"github.com/heddle-gpu/heddle/internal/clang"
)

// Matrices have 32 rows of 32 numbers: i and j are those of the item.
const loopTypes = oclgrindTypes + `
#define R (ID / 32)
#define C (ID % 32)
#define AT(m, i, j) m[(i) * 32 + (j)]
#define EACH(k) for (int k = 0; k < 32; k++)
#define SYNC barrier(CLK_LOCAL_MEM_FENCE)
`

// The loops of PolyBench (linear algebra, stencils, statistics) and the ways of Rodinia's programs, in kernels of our
// own without defects: nothing is found in them. Where an original has a race of equal values, as the breadth-first
// search of Rodinia, the kernel is one that has none.
var loops = [...]restated{
	{name: "polybench/gemm", grid: 1024, args: "a:4096 b:4096 c:4096", text: "(global float *a, global float *b, global float *c) { float s = 0; EACH(k) s += AT(a, R, k) * AT(b, k, C); AT(c, R, C) = 2 * AT(c, R, C) + s; }"},
	{name: "polybench/syrk", grid: 1024, args: "a:4096 c:4096", text: "(global float *a, global float *c) { float s = AT(c, R, C); EACH(k) s += AT(a, R, k) * AT(a, C, k); AT(c, R, C) = s; }"},
	{name: "polybench/syr2k", grid: 1024, args: "a:4096 b:4096 c:4096", text: "(global float *a, global float *b, global float *c) { float s = AT(c, R, C); EACH(k) s += AT(a, R, k) * AT(b, C, k) + AT(b, R, k) * AT(a, C, k); AT(c, R, C) = s; }"},
	{name: "polybench/trmm", grid: 1024, args: "a:4096 b:4096 c:4096", text: "(global float *a, global float *b, global float *c) { float s = AT(b, R, C); for (int k = R + 1; k < 32; k++) s += AT(a, k, R) * AT(b, k, C); AT(c, R, C) = s; }"},
	{name: "polybench/atax", grid: 32, args: "a:4096 x:128 y:128", text: "(global float *a, global float *x, global float *y) { float s = 0; EACH(k) s += AT(a, k, ID) * x[k]; y[ID] = s; }"},
	{name: "polybench/bicg", grid: 32, args: "a:4096 r:128 p:128 s:128 q:128", text: "(global float *a, global float *r, global float *p, global float *s, global float *q) { float x = 0, y = 0; EACH(k) { x += AT(a, k, ID) * r[k]; y += AT(a, ID, k) * p[k]; } s[ID] = x; q[ID] = y; }"},
	{name: "polybench/gesummv", grid: 32, args: "a:4096 b:4096 x:128 y:128", text: "(global float *a, global float *b, global float *x, global float *y) { float s = 0, t = 0; EACH(k) { s += AT(a, ID, k) * x[k]; t += AT(b, ID, k) * x[k]; } y[ID] = 3 * s + 2 * t; }"},
	{name: "polybench/gemver", grid: 1024, args: "a:4096 u:128 v:128", text: "(global float *a, global float *u, global float *v) { AT(a, R, C) += u[R] * v[C]; }"},
	{name: "polybench/doitgen", grid: 1024, args: "a:32768 c:32768 s:4096", text: "(global float *a, global float *c, global float *s) { for (int p = 0; p < 8; p++) { float t = 0; for (int k = 0; k < 8; k++) t += a[ID * 8 + k] * s[k * 8 + p]; c[ID * 8 + p] = t; } }"},
	{name: "polybench/covariance", grid: 1024, args: "a:4096 mean:128 c:4096", text: "(global float *a, global float *mean, global float *c) { if (R <= C) { float s = 0; EACH(k) s += (AT(a, k, R) - mean[R]) * (AT(a, k, C) - mean[C]); AT(c, R, C) = s; if (R < C) AT(c, C, R) = s; } }"},
	{name: "polybench/correlation", grid: 32, args: "a:4096 mean:128 dev:128", text: "(global float *a, global float *mean, global float *dev) { float s = 0; EACH(k) s += AT(a, k, ID); mean[ID] = s /= 32; float t = 0; EACH(k) t += (AT(a, k, ID) - s) * (AT(a, k, ID) - s); t = sqrt(t / 32); dev[ID] = t <= 0.1f ? 1 : t; }"},
	{name: "polybench/convolution2d", grid: 1024, args: "a:4096 b:4096", text: "(global float *a, global float *b) { if (R > 0 && R < 31 && C > 0 && C < 31) { float s = 0; for (int y = -1; y <= 1; y++) for (int x = -1; x <= 1; x++) s += (y * 3 + x) * AT(a, R + y, C + x); AT(b, R, C) = s; } }"},
	{name: "polybench/convolution3d", grid: 1024, args: "a:32768 b:32768", text: "(global float *a, global float *b) { if (R > 0 && R < 31 && C > 0 && C < 31) for (int z = 1; z < 7; z++) b[z * 1024 + ID] = a[z * 1024 + ID - 33] + 2 * a[z * 1024 + ID + 33] - a[z * 1024 + ID - 1024] + a[z * 1024 + ID + 1024]; }"},
	{name: "polybench/jacobi1d", grid: 256, args: "a:1024 b:1024", text: "(global float *a, global float *b) { if (ID > 0 && ID < 255) b[ID] = 0.33333f * (a[ID - 1] + a[ID] + a[ID + 1]); }"},
	{name: "polybench/jacobi2d", grid: 1024, args: "a:4096 b:4096", text: "(global float *a, global float *b) { if (R > 0 && R < 31 && C > 0 && C < 31) AT(b, R, C) = 0.2f * (AT(a, R, C) + AT(a, R, C - 1) + AT(a, R, C + 1) + AT(a, R - 1, C) + AT(a, R + 1, C)); }"},
	{name: "polybench/fdtd2d", grid: 1024, args: "ex:4096 ey:4096 hz:4096", text: "(global float *ex, global float *ey, global float *hz) { if (R < 31 && C < 31) AT(hz, R, C) -= 0.7f * (AT(ex, R, C + 1) - AT(ex, R, C) + AT(ey, R + 1, C) - AT(ey, R, C)); }"},
	{name: "polybench/adi", grid: 32, args: "x:4096 a:4096 b:4096", text: "(global float *x, global float *a, global float *b) { for (int k = 1; k < 32; k++) { AT(x, ID, k) -= AT(x, ID, k - 1) * AT(a, ID, k) / (AT(b, ID, k - 1) + 1); AT(b, ID, k) -= AT(a, ID, k) * AT(a, ID, k) / (AT(b, ID, k - 1) + 1); } }"},
	{name: "polybench/gramschmidt", grid: 32, args: "a:4096 q:4096 r:4096 one:4", text: "(global float *a, global float *q, global float *r, global int *one) { int k = *one; if (ID > k) { float s = 0; EACH(i) s += AT(q, i, k) * AT(a, i, ID); AT(r, k, ID) = s; EACH(i) AT(a, i, ID) -= AT(q, i, k) * s; } }"},
	{name: "polybench/lu", grid: 1024, args: "a:4096 one:4", text: "(global float *a, global int *one) { int k = *one; if (R > k && C > k) AT(a, R, C) -= AT(a, R, k) * AT(a, k, C); }"},
	{name: "polybench/floyd", grid: 1024, args: "from:4096 to:4096 one:4", text: "(global int *from, global int *to, global int *one) { int k = *one; AT(to, R, C) = min(AT(from, R, C), AT(from, R, k) + AT(from, k, C)); }"},

	{name: "rodinia/backprop", grid: 256, args: "in:64 w:1088 local:64 local:1024 sums:64", text: `(global float *in, global float *w, local float *a, local float *p, global float *sums) {
		int x = L % 16, y = L / 16; if (x == 0) a[y] = in[G * 8 + y]; SYNC; p[L] = w[ID] * a[y]; SYNC;
		for (int n = 1; n < 8; n *= 2) { if (y % (2 * n) == 0) p[L] += p[L + 16 * n]; SYNC; } if (y == 0 && G == 0) sums[x] = p[x]; }`},
	{name: "rodinia/bfs", grid: 256, args: "row:1028 adj:1024 cost:1024 next:1024", text: "(global int *row, global int *adj, global int *cost, global int *next) { int c = cost[ID]; for (int e = row[ID]; e < row[ID + 1]; e++) c = min(c, cost[adj[e] & 255] + 1); next[ID] = c; }"},
	{name: "rodinia/gaussian", grid: 1024, args: "a:4096 m:4096 b:128 one:4", text: "(global float *a, global float *m, global float *b, global int *one) { int t = *one; if (R > t && C >= t) { AT(a, R, C) -= AT(m, R, t) * AT(a, t, C); if (C == t) b[R] -= AT(m, R, t) * b[t]; } }"},
	{name: "rodinia/hotspot", grid: 1024, args: "t:4096 p:4096 local:512 out:4096", text: `(global float *t, global float *p, local float *tile, global float *out) {
		tile[L] = t[ID]; SYNC; float up = L < 32 ? t[max(ID - 32, C)] : tile[L - 32], down = L >= 96 ? t[min(ID + 32, 31 * 32 + C)] : tile[L + 32];
		out[ID] = tile[L] + 0.1f * (p[ID] + up + down + tile[C > 0 ? L - 1 : L] + tile[C < 31 ? L + 1 : L] - 4 * tile[L]); }`},
	{name: "rodinia/kmeans", grid: 256, args: "points:4096 centres:128 own:1024", text: `(global float *points, global float *centres, global int *own) {
		int best = 0; float least = FLT_MAX; for (int c = 0; c < 8; c++) { float d = 0; for (int k = 0; k < 4; k++) { float x = points[k * 256 + ID] - centres[c * 4 + k]; d += x * x; } if (d < least) { least = d; best = c; } } own[ID] = best; }`},
	{name: "rodinia/lud", grid: 128, args: "m:256 local:256", text: `(global float *m, local float *s) {
		for (int k = L; k < 64; k += N) s[k] = m[k] + (k % 9 == 0); SYNC;
		for (int k = 0; k < 7; k++) { if (L > k && L < 8) s[L * 8 + k] /= s[k * 8 + k]; SYNC; if (L > k && L < 8) for (int j = k + 1; j < 8; j++) s[L * 8 + j] -= s[L * 8 + k] * s[k * 8 + j]; SYNC; }
		for (int k = L; k < 64; k += N) m[k] = s[k]; }`},
	{name: "rodinia/nw", grid: 128, args: "ref:16384 out:4 local:1548", text: `(global int *ref, global int *out, local int *s) {
		for (int k = L; k < 387; k += N) s[k] = -k; SYNC; // three diagonals of 129
		for (int d = 2; d < 258; d++) { local int *now = s + d % 3 * 129, *last = s + (d + 2) % 3 * 129, *before = s + (d + 1) % 3 * 129; int i = L + 1, j = d - i;
			if (j >= 1 && j <= 128) now[i] = max(before[i - 1] + (ref[(i & 63) * 64 + (j & 63)] & 7), max(last[i - 1], last[i]) - 3); SYNC; if (L == 0) now[0] = -d; SYNC; }
		if (L == 0) *out = s[128]; }`},
	{name: "rodinia/pathfinder", grid: 128, args: "wall:2048 out:512 local:512 local:512", text: `(global int *wall, global int *out, local int *before, local int *now) {
		before[L] = wall[L]; SYNC; for (int y = 1; y < 4; y++) { int s = min(before[max(L - 1, 0)], min(before[L], before[min(L + 1, N - 1)])); now[L] = s + wall[y * N + L]; SYNC; before[L] = now[L]; SYNC; } out[L] = before[L]; }`},
	{name: "rodinia/srad", grid: 1024, args: "j:4096 c:4096 d:16384", text: `(global float *j, global float *c, global float *d) {
		float x = j[ID] + 1, n = AT(j, max(R - 1, 0), C) - x, s = AT(j, min(R + 1, 31), C) - x, w = AT(j, R, max(C - 1, 0)) - x, e = AT(j, R, min(C + 1, 31)) - x;
		float g = (n * n + s * s + w * w + e * e) / (x * x); d[ID] = n; d[1024 + ID] = s; d[2048 + ID] = w; d[3072 + ID] = e; c[ID] = clamp(1 / (1 + g), 0.0f, 1.0f); }`},
	{name: "rodinia/lavamd", grid: 256, args: "pos:1024 near:64 force:1024 local:512", text: `(global float *pos, global int *near, global float *force, local float *tile) {
		float f = 0; for (int b = 0; b < 2; b++) { int box = (G + near[b]) % 2; tile[L] = pos[box * N + L]; SYNC; for (int k = 0; k < N; k++) { float r = tile[k] - pos[ID]; f += r / (1 + r * r); } SYNC; } force[ID] = f; }`},
	{name: "rodinia/nn", grid: 256, args: "at:2048 out:1024", text: "(global float *at, global float *out) { float x = at[2 * ID] - 3, y = at[2 * ID + 1] - 4; out[ID] = sqrt(x * x + y * y); }"},
	{name: "rodinia/particlefilter", grid: 256, args: "cdf:1024 u:1024 x:1024 out:1024", text: "(global float *cdf, global float *u, global float *x, global float *out) { int at = 255; for (int k = 0; k < 256; k++) if (cdf[k] >= u[ID]) { at = k; break; } out[ID] = x[at]; }"},
	{name: "rodinia/streamcluster", grid: 256, args: "points:4096 weight:1024 cost:1024 gain:1024 zero:4 local:16", text: `(global float *points, global float *weight, global float *cost, global float *gain, global int *sum, local float *centre) {
		if (L < 4) centre[L] = points[L * 256]; SYNC; float d = 0; for (int k = 0; k < 4; k++) { float x = points[k * 256 + ID] - centre[k]; d += x * x; } d = d * weight[ID] - cost[ID]; gain[ID] = d; if (d < 0) atomic_inc(sum); }`},
	{name: "rodinia/cfd", grid: 256, args: "near:4096 v:1024 area:4096 flux:1024", text: "(global int *near, global float *v, global float *area, global float *flux) { float s = 0; for (int k = 0; k < 4; k++) { int o = near[k * 256 + ID] & 255; s += area[k * 256 + ID] * 0.5f * (v[ID] + v[o]); } flux[ID] = s; }"},
	{name: "rodinia/hybridsort", grid: 256, args: "keys:1024 zero:64 local:64", text: "(global uint *keys, global uint *all, local uint *own) { if (L < 16) own[L] = 0; SYNC; atomic_inc(&own[keys[ID] & 15]); SYNC; if (L < 16) atomic_add(&all[L], own[L]); }"},
	{name: "rodinia/btree", grid: 256, args: "keys:1024 find:1024 out:1024", text: "(global int *keys, global int *find, global int *out) { int lo = 0, hi = 256; while (hi - lo > 1) { int m = (lo + hi) / 2; if (keys[m] <= find[ID]) lo = m; else hi = m; } out[ID] = lo; }"},
	{name: "rodinia/dwt2d", grid: 128, args: "in:1024 out:1024", text: "(global float *in, global float *out) { float a = in[2 * ID], b = in[2 * ID + 1]; out[ID] = 0.5f * (a + b); out[128 + ID] = 0.5f * (a - b); }"},
	{name: "rodinia/leukocyte", grid: 256, args: "gx:4096 gy:4096 out:1024", text: "(global float *gx, global float *gy, global float *out) { float best = 0; for (int r = 1; r < 4; r++) { float s = 0; for (int k = 0; k < 8; k++) { int at = (ID + r * k) & 1023; s += gx[at] * k + gy[at] * r; } best = max(best, s * s); } out[ID] = best; }"},
	{name: "rodinia/mummer", grid: 128, args: "text:1024 query:512 out:512", text: "(global char *text, global char *query, global int *out) { int best = 0; for (int at = 0; at < 64; at++) { int n = 0; while (n < 16 && text[at + n] == query[ID + n]) n++; best = max(best, n); } out[ID] = best; }"},
}

// TestLoops: nothing is found in programs without defects.
func TestLoops(t *testing.T) {
	needClang(t, compiler)
	for _, level := range []string{"2", "0"} {
		if level == "0" && !long {
			continue
		}
		text := loopTypes
		for i := range loops {
			text += "kernel void " + loops[i].kernel() + loops[i].text + "\n"
		}
		m := compiled(t, text, clang.Options{Clang: compiler, Opt: level})
		for i := range loops {
			if got := loops[i].run(t, m); got != "" {
				t.Errorf("-O%s: %s: found %q", level, loops[i].name, got)
			}
		}
	}
	inDocs(t, fmt.Sprintf("%d kernels after PolyBench and Rodinia", len(loops)))
}
