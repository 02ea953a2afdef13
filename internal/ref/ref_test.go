package ref_test

import (
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/exectest"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/ir"
)

// TestSmoke checks one block by hand, before the conformance tests.
func TestSmoke(t *testing.T) {
	m := exectest.Machine(ir.MaskData)
	p := exectest.Parse(m, `
block 0x10
mark 0x10 size 4
  %a = laneid.i32
  %k = const.i32 3
  %b = imul.i32 %a, %k
  %e = get.i1 exec
  set.i32 v[1], %b, %e
mark 0x14 size 4
  end
`)
	st, err := exec.NewState(m, 16)
	if err != nil {
		t.Fatal(err)
	}
	st.Start(0x10, 0xf0f0)
	env := &exec.Env{}
	stop := ref.New().NewRunner(p).Run(st, env, exec.Budget{Steps: 100})
	if stop.Reason != exec.StopEnd || st.V[st.Stride+5] != 15 || st.V[st.Stride+1] != 0 {
		t.Errorf("stop %v, v[1] = %v", stop, st.V[st.Stride:2*st.Stride])
	}
	if c := env.Count; c.Instructions != 2 || c.Ops != 5 || c.LaneOps != 32 {
		t.Errorf("counters %+v", c)
	}
}

func TestConform(t *testing.T) { exectest.Test(t, ref.New()) }

func BenchmarkRef(b *testing.B) { exectest.Bench(b, ref.New()) }

func TestRandom(t *testing.T) { exectest.Random(t, ref.New(), ref.New(), 3000) }
