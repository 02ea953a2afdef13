package profiles

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/heddle-gpu/heddle"
	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/platforms"
	"github.com/heddle-gpu/heddle/internal/render"
)

// drawn draws a scene of the tree.
func drawn(t *testing.T, path string, o render.Options) *render.Result {
	t.Helper()
	return drawnIn(t, filepath.Join("../..", path), o)
}

// drawnIn draws the scene of a folder.
func drawnIn(t *testing.T, folder string, o render.Options) *render.Result {
	t.Helper()
	path := filepath.Join(folder, "scene.json")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var r *render.Result
	if scenes := platforms.Scenes(casefile.Sniff(bytes.NewReader(data))); scenes != nil {
		s, err := scenes.Read(bytes.NewReader(data), path)
		if err != nil {
			t.Fatal(err)
		}
		r, err = render.Recorded(context.Background(), scenes.ISA, path, s, "", 0, o)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	s, err := casefile.ReadScene(bytes.NewReader(data), path)
	if err != nil {
		t.Fatal(err)
	}
	if r, err = render.Scene(context.Background(), s, o); err != nil {
		t.Fatal(err)
	}
	return r
}

// TestDraws: instructions are as many as those that the draw counts, the picture is the same, and each vertex is a lane
// of the first instruction.
func TestDraws(t *testing.T) {
	for _, x := range []struct {
		scene  string
		stages int // programs
		first  int // vertices of the program with fewest instructions, each once
	}{
		{"examples/cube", 3, 24}, {"examples/torus", 2, 2145}, {"cases/render/gcn/mvp_cube", 2, 24}, {"cases/render/gcn/mrt", 2, 6},
		{"cases/render/tesla/shadow", 2, 9}, {"cases/render/valhall/tex_shadow", 3, 6},
	} {
		for _, name := range []string{"jit", "portable"} {
			engine, err := heddle.Engine(name)
			if err != nil {
				t.Fatal(err)
			}
			plain := drawn(t, x.scene, render.Options{Engine: engine})
			live := Live{}
			counts, ended := live.Dispatch()
			r := drawn(t, x.scene, render.Options{Engine: engine, Watcher: exec.Prober(counts), Workers: 3})
			ended(nil)
			list := live.Profiles()
			all := uint64(0)
			for i := range list {
				all += list[i].Instructions
			}
			if len(list) != x.stages || all != plain.Instructions || all != r.Instructions {
				t.Errorf("%s with %s: %d programs, %d instructions; the draw counts %d, and %d without", x.scene, name, len(list), all, r.Instructions, plain.Instructions)
			}
			if !bytes.Equal(r.Image.Pix, plain.Image.Pix) {
				t.Errorf("%s with %s: the picture is another one", x.scene, name)
			}
			last := list[len(list)-1]
			if in := last.List[0]; in.Lanes != uint64(x.first) {
				t.Errorf("%s with %s: %s has %d lanes, want %d", x.scene, name, in.Text, in.Lanes, x.first)
			}
		}
	}
}

// TestFaultyDraw: what a wave of a draw would have done after a fault does not count.
func TestFaultyDraw(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../../examples/torus")); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "torus.vs.s")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	const first = "mov b32 $r8 1\nld b32 $r9 l[0xfff0]\n"
	at := bytes.Index(text, []byte("\tmov "))
	if at < 0 {
		t.Fatal("the shader has another begin")
	}
	if err := os.WriteFile(file, slices.Concat(text[:at], []byte(first), text[at:]), 0o666); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "scene.json")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	s, err := casefile.ReadScene(bytes.NewReader(data), path)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"jit", "portable"} {
		engine, err := heddle.Engine(name)
		if err != nil {
			t.Fatal(err)
		}
		live := Live{}
		counts, ended := live.Dispatch()
		_, err = render.Scene(context.Background(), s, render.Options{Engine: engine, Watcher: exec.Prober(counts)})
		if ended(err); err == nil {
			t.Fatal("no fault")
		}
		list := live.Profiles()
		if len(list) != 1 || list[0].Instructions != 1 || list[0].List[0].Text != "mov b32 $r8 0x1" {
			t.Errorf("%s: %v: %+v", name, err, list)
		}
		if list[0].Incomplete == "" {
			t.Errorf("%s: nothing tells of the fault", name)
		}
	}
}
