package render

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/platforms"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/launch"
)

// TestDrawnAgain: a second draw of a recorded scene gives the same, and no block of its shaders is lifted again.
// Another variant has programs of its own.
func TestDrawnAgain(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "cases", "render", "*", "*", "scene.json"))
	if err != nil || len(files) < 10 {
		t.Fatalf("%d recorded draws, %v", len(files), err)
	}
	for _, file := range files {
		kind, err := casefile.Detect(file)
		if err != nil {
			t.Fatal(err)
		}
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		s, err := platforms.Scenes(kind).Read(f, file)
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		e, lifted := exec.Measure(ref.New()), 0
		for _, variant := range s.Variants() {
			var first *launch.Drawn
			for range 2 {
				d, err := s.Draw(t.Context(), variant, launch.Settings{Engine: e, Workers: 1})
				if err != nil {
					t.Fatal(file, variant, err)
				}
				n := e.Taken().Blocks
				switch {
				case first == nil && n <= lifted:
					t.Errorf("%s %s: no block is lifted", file, variant)
				case first != nil && n != lifted:
					t.Errorf("%s %s: the second draw lifts %d blocks", file, variant, n-lifted)
				case first != nil && !(reflect.DeepEqual(first.Targets, d.Targets) && reflect.DeepEqual(first.Buffers, d.Buffers)):
					t.Errorf("%s %s: the second draw gives something else", file, variant)
				}
				first, lifted = d, n
			}
		}
	}
}
