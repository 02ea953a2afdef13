package draw

import (
	"math"

	"github.com/heddle-gpu/heddle/ir"
)

// Interpolation by runs of a wave, in Go. With assembly, depthRuns, weightRuns, shareRuns, mixRuns and firstRuns
// process all runs of a wave in one call, eight lanes at a time on processors with hasVectors; depthWide and so on
// process sixteen on those with hasWide.

// plainDepths computes the depths of lanes starting at w.depths, before clamping.
func plainDepths(w *Wave) {
	for i := range w.runs {
		run := &w.runs[i]
		if from, to, c := max(run.from, w.depths), run.to, &run.r.c; from < to {
			plainLinear(w.depth[from:to], w.e[1][from:to], w.e[2][from:to], run.r.scaled, c[0].z, c[1].z-c[0].z, c[2].z-c[0].z)
		}
	}
}

// plainWeights computes 1/w of all lanes.
func plainWeights(w *Wave) {
	for i := range w.runs {
		run := &w.runs[i]
		from, to, c := run.from, run.to, &run.r.c
		plainLinear(w.invW[from:to], w.e[1][from:to], w.e[2][from:to], run.r.scaled, c[0].invW, c[1].invW-c[0].invW, c[2].invW-c[0].invW)
	}
}

// plainShares computes the weights of the second and third corner in varyings.
func plainShares(w *Wave) {
	for i := range w.runs {
		run := &w.runs[i]
		from, to, c := run.from, run.to, &run.r.c
		plainShare(w.p[0][from:to], w.p[1][from:to], w.e[0][from:to], w.e[1][from:to], w.e[2][from:to], run.r.scaled, c[0].invW, c[1].invW, c[2].invW)
	}
}

// plainVector computes the four components of a varying, as bits.
func plainVector(w *Wave, to *vector, n int) {
	for i := range w.runs {
		run := &w.runs[i]
		from, end, c := run.from, run.to, &run.r.c
		v0, v1, v2 := w.outs.of(c[0].out, n), w.outs.of(c[1].out, n), w.outs.of(c[2].out, n)
		for k, a := range v0 {
			plainMix(to[k][from:end], w.p[0][from:end], w.p[1][from:end], a, v1[k]-a, v2[k]-a)
		}
	}
}

// plainCentres computes the centres of the pixels of n quads, as bits of floats.
func plainCentres(x, y *[ir.MaxLanes]uint32, quads *[ir.MaxLanes / 4]quad, n int) {
	for i := range quads[:n] {
		q := &quads[i]
		for k := range 4 {
			x[4*i+k], y[4*i+k] = math.Float32bits(float32(int(q.x)+k&1)+0.5), math.Float32bits(float32(int(q.y)+k>>1)+0.5)
		}
	}
}
