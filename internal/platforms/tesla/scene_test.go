package tesla

import (
	"bytes"
	"context"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/heddle-gpu/heddle/draw"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/isa/tesla"
	"github.com/heddle-gpu/heddle/launch"
)

const draws = "../../../cases/render/tesla"

func readScene(t *testing.T, name string) (launch.Scene, *Scene) {
	t.Helper()
	path := filepath.Join(draws, name, "scene.json")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Scenes.Read(bytes.NewReader(data), path)
	if err != nil {
		t.Fatal(err)
	}
	return s, s.(scene).s
}

func sceneSettings(workers int) launch.Settings {
	return launch.Settings{Engine: ref.New(), Workers: workers, Limits: exec.Limits{Steps: 20000, Total: 2_000_000}}
}

// TestSceneWorkers: the picture does not depend on the number of workers, and is the same for programs of all chips.
func TestSceneWorkers(t *testing.T) {
	s, _ := readScene(t, "tex_bias")
	var first *launch.Drawn
	for i, variant := range append(s.Variants(), s.Variants()...) {
		d, err := s.Draw(context.Background(), variant, sceneSettings(1+3*i))
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = d
		}
		if !slices.Equal(d.Targets[0].Pixels, first.Targets[0].Pixels) || !d.BottomUp || d.Triangles != 2 || d.Vertices != 6 {
			t.Fatalf("%s on %d workers: another picture, or %d triangles of %d vertices", variant, 1+3*i, d.Triangles, d.Vertices)
		}
	}
}

// TestSceneParts: recorded fragments run in partial warps; outputs that are not recorded are not compared.
func TestSceneParts(t *testing.T) {
	s, _ := readScene(t, "discard")
	parts := s.Parts("g80")
	if len(parts) != 1 || parts[0].Name != "fragments" {
		t.Fatalf("%+v", parts)
	}
	run, err := parts[0].Run(context.Background(), sceneSettings(1))
	if err != nil {
		t.Fatal(err)
	}
	if run.Want[0].What != killName || run.Want[0].Lanes != ^uint64(0) {
		t.Fatalf("%+v", run.Want[0])
	}
	kept := uint64(0)
	for lane, gone := range run.Want[0].Values[0] {
		if gone == 0 {
			kept |= 1 << lane
		}
	}
	for i := range run.Want {
		if i > 0 && (run.Want[i].Lanes != kept || !run.Want[i].Float || run.Want[i].What != regName(i-1)) {
			t.Errorf("%s: lanes %#x, want %#x", run.Want[i].What, run.Want[i].Lanes, kept)
		}
		if len(run.Got[i].Values[0]) != 64 {
			t.Errorf("%s: %d lanes", run.Got[i].What, len(run.Got[i].Values[0]))
		}
	}
	if kept == ^uint64(0) || kept == 0 || run.Instructions == 0 {
		t.Errorf("fragments kept %#x, %d instructions", kept, run.Instructions)
	}
}

// TestVaryingWords: 1/w is linear in screen space; a word of o[] is divided by w of each vertex, or is that of the last
// one.
func TestVaryingWords(t *testing.T) {
	params := [3][]uint32{}
	w, o := [3]float32{1, 2, 4}, [3]float32{8, -6, 20}
	for i := range params {
		params[i] = []uint32{math.Float32bits(w[i]), 0, math.Float32bits(o[i])}
	}
	f := draw.Fragment{InvW: 0.6875, Linear: [2]float32{0.25, 0.25}, Params: &params, Front: true}
	x := &setup{varyings: map[uint32]*Varying{0: {Source: "1/w"}, 3: {Out: 1}, 4: {Out: 1, Interp: "flat"}}}
	in := fragmentInputs{x, []draw.Fragment{f, {Params: &params, Linear: [2]float32{1, 0}}}}
	c := &exec.IOCall{Lanes: 3, Value: new(exec.IOValue)}
	for slot, want := range map[uint32][2]uint32{
		0:         {math.Float32bits(0.6875), 0},
		3:         {math.Float32bits(0.5*8 + 0.25*-3 + 0.25*5), math.Float32bits(-3)},
		4:         {math.Float32bits(20), math.Float32bits(20)},
		wordFront: {^uint32(0), 0},
	} {
		c.Slot[0], c.Slot[1] = slot, slot
		if refused, err := in.Input(c); refused != 0 || err != nil || c.Value[0][0] != want[0] || c.Value[0][1] != want[1] {
			t.Errorf("v[%#x] is %#x and %#x, want %#x; %v", 4*slot, c.Value[0][0], c.Value[0][1], want, err)
		}
	}
	c.Slot[0], c.Slot[1] = 1, 0
	if refused, err := in.Input(c); refused != 1 || err == nil || err.Error() != "there is no varying word v[0x4]" {
		t.Errorf("lanes %#x refused: %v", refused, err)
	}
}

// TestHostileScenes: whatever the code, maps and sizes, a draw ends with a picture or an error.
func TestHostileScenes(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 9))
	drawn, refused := 0, 0
	for round := range 80 {
		x, s := readScene(t, []string{"mrt", "loop", "tex_cube", "shadow"}[round%4])
		for range 1 + rnd.IntN(3) {
			p := &s.Programs[0]
			switch rnd.IntN(8) {
			case 0, 1:
				code := [][]byte{p.Vertex.Code, p.Fragment.Code}[rnd.IntN(2)]
				code[rnd.IntN(len(code))] ^= 1 << rnd.IntN(8)
			case 2:
				s.Varyings.Words[rnd.IntN(len(s.Varyings.Words))].Out = rnd.IntN(tesla.NumO)
			case 3:
				s.Varyings.Position[rnd.IntN(4)] = rnd.IntN(tesla.NumO)
			case 4:
				s.Attributes[rnd.IntN(len(s.Attributes))].Word = rnd.IntN(32)
			case 5:
				s.Viewport = [4]int{rnd.IntN(20), rnd.IntN(20), 1 + rnd.IntN(60), 1 + rnd.IntN(60)}
			case 6:
				in := &s.Inputs[rnd.IntN(len(s.Inputs))]
				in.Values[rnd.IntN(len(in.Values))][rnd.IntN(4)] = []uint32{0x7fc00000, 0xff800000, 0, 0x7f7fffff, rnd.Uint32()}[rnd.IntN(5)]
			case 7:
				for i := range s.Textures {
					s.Textures[i].Width, s.Textures[i].Levels = 1+rnd.IntN(32), 1+rnd.IntN(6)
				}
			}
		}
		if _, err := x.Draw(context.Background(), "g80", sceneSettings(2)); err != nil {
			refused++
		} else {
			drawn++
		}
	}
	if drawn < 10 || refused < 10 {
		t.Errorf("%d draws came to an end, %d were refused", drawn, refused)
	}
}
