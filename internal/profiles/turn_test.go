package profiles

import (
	"context"
	"testing"

	"github.com/heddle-gpu/heddle"
	"github.com/heddle-gpu/heddle/internal/chips"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/profile"
)

// TestTurn: the kernels that docs/tour.md compares turn a matrix, and lines and passes are those of their strides.
// 1 024 requests store 64 floats each, in one line of 64 bytes for each, or for 16 of them; of words that are 64 apart
// all lie in one of 32 banks, and of words that are 65 apart each of half a wave lies in another. 64 waves load
// arguments, in two requests of one line.
func TestTurn(t *testing.T) {
	const n, waves, requests = 256, 64, 1024
	for _, x := range []struct {
		name          string
		lines, passes uint64
	}{
		{"strided", requests*(64+64/16) + 2*waves, 0},
		{"square", requests*2*64/16 + 2*waves, requests * (64 - 2)},
		{"padded", requests*2*64/16 + 2*waves, 0},
	} {
		m, err := heddle.Load("../../examples/turn/" + x.name + "/turn.hsaco")
		if err != nil {
			t.Fatal(err)
		}
		counts := profile.New(func(code ir.Code) profile.Memory { return chips.Of(ISA(code)).Memory })
		in, out := make([]float32, n*n), make([]float32, n*n)
		for i := range in {
			in[i] = float32(i)
		}
		l := heddle.Launch{Grid: [3]uint32{256, 16}, Block: [3]uint32{64, 4}, Settings: launch.Settings{Watcher: counts}}
		if _, err := m.Launch(context.Background(), l, in, out, uint32(n)); err != nil {
			t.Fatal(err)
		}
		for i, got := range out {
			if want := float32(i%n*n + i/n); got != want {
				t.Fatalf("%s: out[%d] = %v, want %v", x.name, i, got, want)
			}
		}
		p := &Of(counts)[0]
		for name, want := range map[string]uint64{"memory_lines": x.lines, "conflict_passes": x.passes} {
			if got := MetricOf(name).Total(p); got != want {
				t.Errorf("%s: %d %s, want %d", x.name, got, name, want)
			}
		}
	}
}
