package bench

import (
	"testing"
	"time"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/jit"
	"github.com/heddle-gpu/heddle/internal/pass"
	"github.com/heddle-gpu/heddle/internal/portable"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/ir"
)

// A lifted is code whose blocks exist already.
type lifted struct{ g *pass.Graph }

func (l lifted) Machine() *ir.Machine { return l.g.M }

func (l lifted) Block(at ir.Key) (*ir.Block, error) { return l.g.Nodes[l.g.At[at]].Block, nil }

func (l lifted) Text(uint64) string { return "" }

// BenchmarkCompile compiles the reachable blocks of the corpus for waves with all lanes active, in the highest tier. It
// reports the time per lifted op, and the bytes of machine code per op.
func BenchmarkCompile(b *testing.B) {
	gs := graphs(b)
	for _, e := range [...]exec.Engine{ref.New(), portable.New(), jit.New()} {
		b.Run(e.Name(), func(b *testing.B) {
			b.ReportAllocs()
			var took time.Duration
			ops, code := 0, 0
			for b.Loop() {
				for _, g := range gs {
					w := compileAll(b, exec.Eager(e), g)
					took += w.Compiling
					code += w.Code
					for i := range g.Nodes {
						ops += len(g.Nodes[i].Block.Ops)
					}
				}
			}
			b.ReportMetric(float64(took.Nanoseconds())/float64(ops), "ns/ir-op")
			b.ReportMetric(float64(code)/float64(ops), "bytes/ir-op")
		})
	}
}

// compileAll runs each block once, whatever the result.
func compileAll(b *testing.B, e exec.Engine, g *pass.Graph) exec.Work {
	p := exec.NewProgram(lifted{g})
	r := e.NewRunner(p)
	st, err := exec.NewState(g.M, 64)
	if err != nil {
		b.Fatal(err)
	}
	for at := range g.At {
		st.Start(at.PC, st.Full)
		st.At.Key = at
		r.Run(st, &exec.Env{}, exec.Budget{Steps: 1})
	}
	return p.Work()
}
