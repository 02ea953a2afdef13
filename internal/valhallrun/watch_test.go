package valhallrun

import (
	"slices"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/valhall"
)

// A reader collects the texels that a warp reads, by lane.
type reader struct {
	t      *testing.T
	texels [valhall.Lanes][][4]byte
}

func (r *reader) Accessed(a *exec.Access) {
	if a.Kind != exec.AccessTexel {
		return // descriptors
	}
	there, f := a.Env.Space(a.Space, a.Bank).Segment("textures")
	if !f || a.Addr < there.Base || a.Addr >= there.Limit() {
		for _, g := range a.Env.Space(a.Space, a.Bank).Segments() {
			if a.Addr-g.Base < uint64(len(g.Data)) {
				there = g
			}
		}
	}
	if !slices.Equal(there.Data[a.Addr-there.Base:][:len(a.Data)], a.Data) {
		r.t.Errorf("lane %d: %x is not what lies at %#x", a.Lane, a.Data, a.Addr)
	}
	r.texels[a.Lane] = append(r.texels[a.Lane], [4]byte(a.Data))
}

// TestTexelsAreTold: a watcher is notified of the texels that samples, fetches and gathers read. Texels encode their
// position.
func TestTexelsAreTold(t *testing.T) {
	w := samplesOf(t, integers(flat, true), sampler([3]uint32{wrapRepeat, wrapEdge, wrapRepeat}, true, mipNone, 0))
	for _, c := range []struct {
		text  string
		whole bool
		want  func(lane int) [][4]byte
	}{
		{"TEX_FETCH.slot0.u.32.2d @r4:r5:r6:r7, @r0:r1, r10", true, func(lane int) [][4]byte { return [][4]byte{{byte(lane), byte(15 - lane), 0, 0}} }},
		{"TEX_SINGLE.slot0.u.32.2d.explicit @r4:r5:r6:r7, @r0:r1:r2, r10", false, func(lane int) [][4]byte {
			return [][4]byte{{byte(lane), byte(15 - lane), 0, 0}}
		}},
		{"TEX_GATHER.slot0.u.32.2d.gather4_r @r4:r5:r6:r7, @r0:r1, r10", false, func(lane int) [][4]byte {
			x, y := byte(lane), byte(15-lane)
			x1, y0 := (x+1)%16, byte(max(int(y)-1, 0))
			return [][4]byte{{x, y, 0, 0}, {x1, y, 0, 0}, {x1, y0, 0, 0}, {x, y0, 0, 0}}
		}},
	} {
		w.set(0, func(lane int) uint32 {
			if c.whole {
				return uint32(lane)
			}
			return float((float64(lane) + 0.75) / 16)
		})
		w.set(1, func(lane int) uint32 {
			if c.whole {
				return uint32(15 - lane)
			}
			return float((float64(15-lane) + 0.25) / 16)
		})
		w.set(2, func(int) uint32 { return 0 })
		told := &reader{t: t}
		if f := w.steps(ref.Watched(told).NewRunner(exec.NewProgram(&isa.Program{Target: w.target, Code: w.encode(c.text)})), 1); f != nil {
			t.Fatal(f)
		}
		for lane := range valhall.Lanes {
			if want := c.want(lane); !slices.Equal(told.texels[lane], want) {
				t.Errorf("%s: lane %d reads %v, want %v", c.text, lane, told.texels[lane], want)
			}
		}
	}
}
