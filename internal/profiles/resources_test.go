package profiles

import (
	"image"
	"reflect"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/render"
	"github.com/heddle-gpu/heddle/profile"
)

// painted returns the pixels of a picture that have another colour than the first one, which is the background.
func painted(p *image.NRGBA) (n uint64) {
	b := p.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			if p.NRGBAAt(x, y) != p.NRGBAAt(b.Min.X, b.Min.Y) {
				n++
			}
		}
	}
	return n
}

// TestResources: each vertex reads its attributes and exports once, and each pixel of pictures without overdraw is one
// lane of each export of fragments; all lanes of a fragment program sample. So it is on all engines.
func TestResources(t *testing.T) {
	for _, x := range []struct {
		scene, text string
		kind        profile.Kind
		requests    uint64 // 0: as many as waves
		lanes       uint64 // 0: as many as the picture has pixels that are painted; 1: as many as the instruction has
	}{
		{"cases/render/gcn/mvp_cube", "exp pos0", profile.Output, 1, 24},
		{"cases/render/gcn/mvp_cube", "exp param1", profile.Output, 1, 24},
		{"cases/render/gcn/mrt", "exp pos0", profile.Output, 1, 6},
		{"cases/render/gcn/mrt", "exp mrt0", profile.Output, 0, 0},
		{"cases/render/gcn/mrt", "exp mrt2", profile.Output, 0, 0},
		{"cases/render/gcn/mrt", "v_interp_p1_f32_e32 v3", profile.Input, 0, 1},
		{"cases/render/tesla/shadow", "mov b32 o[0x4] a[0x4]", profile.Input, 1, 9},
		{"cases/render/tesla/shadow", "texauto", profile.Sample, 0, 1},
		{"cases/render/valhall/tex_shadow", "LD_ATTR_IMM.v4", profile.Texel, 1, 6},
		{"cases/render/valhall/tex_shadow", "TEX_SINGLE", profile.Sample, 0, 1},
		{"cases/render/valhall/tex_shadow", "BLEND", profile.Output, 0, 0},
		{"examples/cube", "tex r0", profile.Sample, 0, 1},
	} {
		for _, name := range heddle.Engines() {
			if name == "reference" && strings.HasPrefix(x.scene, "examples") { // a large picture
				continue
			}
			engine, err := heddle.Engine(name)
			if err != nil {
				t.Fatal(err)
			}
			live := Live{}
			counts, ended := live.Dispatch()
			r := drawn(t, x.scene, render.Options{Engine: engine, Watcher: exec.Prober(counts), Workers: 3})
			ended(nil)
			in := startsWith(t, live.Profiles(), x.text)
			want := profile.Resource{Kind: x.kind, Requests: x.requests, Lanes: x.lanes}
			if want.Requests == 0 {
				want.Requests = in.Waves
			}
			switch want.Lanes {
			case 0:
				want.Lanes = painted(r.Image)
			case 1:
				want.Lanes = in.Lanes
			}
			if !reflect.DeepEqual(in.Resources, []profile.Resource{want}) {
				t.Errorf("%s with %s: %s: %+v, want %+v", x.scene, name, in.Text, in.Resources, want)
			}
		}
	}
}

// startsWith returns the first instruction with this text.
func startsWith(t *testing.T, list []Profile, text string) *Inst {
	t.Helper()
	for i := range list {
		for k := range list[i].List {
			if in := &list[i].List[k]; strings.HasPrefix(in.Text, text) {
				return in
			}
		}
	}
	t.Fatalf("no %s ran", text)
	return nil
}
