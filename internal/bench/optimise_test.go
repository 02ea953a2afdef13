package bench

import (
	"testing"

	"github.com/heddle-gpu/heddle/internal/pass"
	"github.com/heddle-gpu/heddle/internal/platforms/gcn"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// graphs returns the blocks that each kernel of the corpus can reach.
func graphs(t testing.TB) (gs []*pass.Graph) {
	d, bodies := corpus(t)
	for _, k := range bodies {
		p := &isa.Program{Target: d, Base: k.base, Code: k.code}
		g, err := pass.Build(p, ir.Key{PC: k.base, Mode: gcn.RawMode})
		if err != nil {
			t.Fatal(err)
		}
		gs = append(gs, g)
	}
	return gs
}

// size is the number of ops and guest instructions of blocks.
type size struct{ ops, instructions int }

func (s *size) add(b *ir.Block) {
	s.ops += len(b.Ops)
	s.instructions += len(b.Marks)
}

func (s size) ratio() float64 { return float64(s.ops) / float64(s.instructions) }

// BenchmarkOptimise optimises the reachable blocks of the corpus. It reports the input ops per second, and the
// remaining ops per guest instruction.
func BenchmarkOptimise(b *testing.B) {
	gs := graphs(b)
	b.ReportAllocs()
	n := 0
	var left size
	for b.Loop() {
		left = size{}
		for _, g := range gs {
			for i := range g.Nodes {
				blk := g.Nodes[i].Block
				n += len(blk.Ops)
				left.add(pass.Optimise(g.M, blk, pass.Options{}))
			}
		}
	}
	rate(b, n, "ops/s")
	b.ReportMetric(left.ratio(), "ops/instruction")
}

// BenchmarkLive finds the live cells of the corpus.
func BenchmarkLive(b *testing.B) {
	gs := graphs(b)
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		for _, g := range gs {
			pass.Live(g, pass.KeepFaults, pass.NewCellSet(g.M))
			for i := range g.Nodes {
				n += len(g.Nodes[i].Block.Ops)
			}
		}
	}
	rate(b, n, "ops/s")
}
