package profiles

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle"
	"github.com/heddle-gpu/heddle/internal/chips"
	"github.com/heddle-gpu/heddle/internal/render"
)

// timedScene draws a scene on an engine, and returns its profiles with a model of its time.
func timedScene(t *testing.T, folder, engine string) []Profile {
	t.Helper()
	e, err := heddle.Engine(engine)
	if err != nil {
		t.Fatal(err)
	}
	live := Live{Timed: true}
	counts, ended := live.Dispatch()
	drawnIn(t, folder, render.Options{Engine: e, Watcher: counts, Workers: 3})
	ended(nil)
	list := live.Profiles()
	lost, err := live.Time(list, true, func(isa string) (*chips.Chip, error) { return chips.Named(isa, "") })
	if lost != 0 || err != nil {
		t.Fatal(lost, err)
	}
	return list
}

// whole checks that the time of waves is that of their instructions.
func whole(t *testing.T, p *Profile) {
	t.Helper()
	life, spent := 0.0, 0.0
	for i := range p.Timing.Launches {
		life += p.Timing.Launches[i].Wave * float64(p.Timing.Launches[i].Waves)
	}
	for i := range p.Timing.Insts {
		spent += p.Timing.Insts[i].Clocks
	}
	if math.Abs(life-spent) > 1e-6*life {
		t.Errorf("%s: waves take %g clocks, their instructions %g", p.Launches[0].Kernel, life, spent)
	}
}

// square writes a scene of one or more draws of a square that covers 8 pixels each way, in two triangles.
func square(t *testing.T, isa, vertex, fragment string, draws int) string {
	t.Helper()
	dir := t.TempDir()
	one := `{"name": "square", "vertex": "v.s", "fragment": "f.s", "primitive": "strip", "attributes": [{"slot": 0, "size": 2, "data": [-1, -1, 1, -1, -1, 1, 1, 1]}]}`
	scene := fmt.Sprintf(`{"format": "heddle-scene-1", "name": "square", "isa": %q, "width": 8, "height": 8, "draws": [%s]}`, isa, strings.Repeat(one+",", draws-1)+one)
	for name, text := range map[string]string{"scene.json": scene, "v.s": vertex, "f.s": fragment} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestDraw: clocks that follow by hand from the figures. The two triangles of a square of 8 by 8 pixels have 20 quads,
// as four lie in both: a wave of 64 lanes and one of 16, or five waves of attila's 16 lanes and three of tesla's 32.
func TestDrawTime(t *testing.T) {
	for _, x := range []struct {
		isa, vertex, fragment string
		waves                 int     // of fragments
		first, then           float64 // clocks of the stages
	}{
		// attila: 1 clock an instruction, results after 3; one wave after another.
		{"attila", "mov o0, i0\nmov o1, i0 <- end\n", "mul r0, i1, i1\nmul o1, r0, r0 <- end\n", 5, 2, 5 * (3 + 1)},
		// g80: 4 clocks an instruction, results after 24; a core for each wave.
		{"tesla:g80", "mov b32 o[0x0] a[0x0]\nmov b32 o[0x4] a[0x4]\nmov b32 o[0x8] a[0x8]\nmov b32 o[0xc] a[0xc]\nexit nop\n",
			"mov b32 $r0 0x3f800000\nmov b32 $r1 $r0\nexit nop\n", 3, 20, 24 + 4 + 4},
	} {
		for _, draws := range []int{1, 3} {
			list := timedScene(t, square(t, x.isa, x.vertex, x.fragment, draws), "jit")
			launches, begin := Sequence(list), 0.0
			if len(launches) != 2*draws {
				t.Fatalf("%s: %d stages of %d draws", x.isa, len(launches), draws)
			}
			for i, l := range launches {
				stage, waves, clocks := "vertex", 1, x.first
				if i%2 == 1 {
					stage, waves, clocks = "fragment", x.waves, x.then
				}
				if d := l.Draw; d == nil || d.Number != i/2 || d.Name != "square" || d.Stage != stage || l.Waves != waves || l.Clocks != clocks || l.Begin != begin || l.Order != i {
					t.Errorf("%s, stage %d: %+v of %+v; want %s, %d waves, %g clocks from %g on", x.isa, i, l, l.Draw, stage, waves, clocks, begin)
				}
				begin += clocks
			}
			for i := range list {
				whole(t, &list[i])
			}
		}
	}
}

// TestDrawnScenes: of a scene of each instruction set the time of waves is that of their instructions, it is the same
// on all engines, and stages of vertices come before those of fragments.
func TestDrawnScenes(t *testing.T) {
	for scene, stages := range map[string]string{
		"examples/cube": "0f 1v 1f", "examples/rope": "0v 0f", "cases/render/gcn/mvp_cube": "0v 0f", "cases/render/tesla/shadow": "0v 0f",
		"cases/render/valhall/tex_shadow": "0v 0v 0f",
	} {
		var first []Profile
		for _, engine := range []string{"jit", "portable"} {
			list := timedScene(t, "../../"+scene, engine)
			if first == nil {
				first = list
			}
			got, begin := "", 0.0
			for _, l := range Sequence(list) {
				got += fmt.Sprintf(" %d%.1s", l.Draw.Number, l.Draw.Stage)
				if l.Begin != begin || l.Left != 0 {
					t.Errorf("%s: %+v, want it from %g on", scene, l, begin)
				}
				begin += l.Clocks
			}
			if got[1:] != stages {
				t.Errorf("%s with %s: stages%s, want %s", scene, engine, got, stages)
			}
			for i := range list {
				whole(t, &list[i])
				if !reflect.DeepEqual(list[i].Timing, first[i].Timing) {
					t.Errorf("%s with %s: another model of %s", scene, engine, list[i].Launches[0].Kernel)
				}
			}
		}
	}
}

// TestDrawRegisters: stages have the registers that the command stream of the scene allocates: 12 and 32 in vertex, 8
// and 16 in pixel shaders, as the scene says in words, too.
func TestDrawRegisters(t *testing.T) {
	for _, p := range timedScene(t, "../../cases/render/gcn/mvp_cube", "jit") {
		vector, scalar := 8, 16
		if p.Launches[0].Kernel == "vertex shader" {
			vector, scalar = 12, 32
		}
		if r := p.Launches[0].Occupancy.Takes; r.Vector != vector || r.Scalar != scalar {
			t.Errorf("%s: %+v", p.Launches[0].Kernel, r)
		}
	}
}

// TestDrawnTimeline: in the trace event format a stage is in its draw, and waves are in their stage.
func TestDrawnTimeline(t *testing.T) {
	list := timedScene(t, square(t, "attila", "mov o0, i0\nmov o1, i0 <- end\n", "mul r0, i1, i1\nmul o1, r0, r0 <- end\n", 2), "jit")
	var out bytes.Buffer
	if err := WritePerfetto(&out, list); err != nil {
		t.Fatal(err)
	}
	var file struct {
		TraceEvents []struct {
			Name, Cat string
			Ts, Dur   float64 // µs: a thousandth is a clock
		}
	}
	if err := json.Unmarshal(out.Bytes(), &file); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range file.TraceEvents {
		if e.Cat != "" {
			got = append(got, fmt.Sprintf("%s %s %.0f-%.0f", e.Cat, e.Name, 1000*e.Ts, 1000*(e.Ts+e.Dur)))
		}
	}
	var want []string
	for d := range 2 {
		at := 22 * d
		want = append(want, fmt.Sprintf("draw draw %d: square %d-%d", d, at, at+22), fmt.Sprintf("launch v.s %d-%d", at, at+2),
			fmt.Sprintf("wave draw %d, vertex wave 0 %d-%d", d, at, at+2), fmt.Sprintf("launch f.s %d-%d", at+2, at+22))
		for w := range 5 {
			want = append(want, fmt.Sprintf("wave draw %d, fragment wave %d %d-%d", d, w, at+2+4*w, at+6+4*w))
		}
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
}
