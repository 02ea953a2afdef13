package ir_test

import (
	"math/rand/v2"
	"testing"

	"github.com/heddle-gpu/heddle/internal/irgen"
	"github.com/heddle-gpu/heddle/ir"
)

func benchBlock() (*ir.Machine, *ir.Block) {
	m := irgen.Machine()
	return m, irgen.Block(rand.New(rand.NewPCG(1, 1)), m, irgen.Options{Marks: 50, Ops: 10, Memory: windows})
}

// BenchmarkVerify reports verified ops per second.
func BenchmarkVerify(b *testing.B) {
	m, blk := benchBlock()
	for b.Loop() {
		if err := ir.Verify(m, blk); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N*len(blk.Ops))/b.Elapsed().Seconds(), "ops/s")
}

// BenchmarkPrint reports printed ops per second.
func BenchmarkPrint(b *testing.B) {
	m, blk := benchBlock()
	var dst []byte
	for b.Loop() {
		dst = ir.Append(dst[:0], m, blk, nil)
	}
	b.ReportMetric(float64(b.N*len(blk.Ops))/b.Elapsed().Seconds(), "ops/s")
}
