package render

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/engines"
	"github.com/heddle-gpu/heddle/internal/seeds"
	"github.com/heddle-gpu/heddle/sanitize"
)

// A watchedScene is a scene of examples with programs that can be changed, small and of few vertices.
type watchedScene struct {
	name string
	*casefile.Scene
	programs []string // their files
}

// watchedScenes are scenes, one of each instruction set, in copies that a test may change.
func watchedScenes(t *testing.T) (list []*watchedScene) {
	t.Helper()
	for _, name := range []string{"cube", "knot", "rope", "torus"} {
		dir := filepath.Join(t.TempDir(), name)
		if err := os.CopyFS(dir, os.DirFS(filepath.Join("../../examples", name))); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(dir, "scene.json")
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		s, err := casefile.ReadScene(bytes.NewReader(data), file)
		if err != nil {
			t.Fatal(err)
		}
		s.Width, s.Height = 48, 36
		x := &watchedScene{name: name, Scene: s}
		for i := range s.Draws {
			d := &s.Draws[i]
			d.Indices = d.Indices[:min(len(d.Indices), 384)]
			for _, p := range []string{d.Vertex, d.Fragment} {
				if p != "" && !slices.Contains(x.programs, p) {
					x.programs = append(x.programs, p)
				}
			}
		}
		list = append(list, x)
	}
	return list
}

// draw draws the scene and returns the picture.
func (s *watchedScene) draw(t *testing.T, w exec.Prober) ([]byte, error) {
	t.Helper()
	o := Options{Engine: engines.Fastest(engines.Use{}), Watcher: w, Limits: exec.Limits{Steps: 1 << 16}, Policy: exec.RecordFaults}
	r, err := Scene(t.Context(), s.Scene, o)
	if r == nil {
		return nil, err
	}
	return r.Image.Pix, err
}

// TestSilent: in the examples the sanitizer finds nothing, and draws are what they are without it.
func TestSilent(t *testing.T) {
	for _, s := range watchedScenes(t) {
		w := sanitize.New(sanitize.CheckInit|sanitize.CheckMemory|sanitize.CheckWait, nil)
		got, err := s.draw(t, w)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range w.Findings() {
			t.Errorf("%s: %v", s.name, &f)
		}
		if plain, err := s.draw(t, nil); err != nil || !bytes.Equal(got, plain) {
			t.Errorf("%s: another picture with the sanitizer: %v", s.name, err)
		}
	}
}

// unsetFiles are the registers that nothing has set when a wave begins, by set and file.
var unsetFiles = map[string]map[string][2]int{
	"attila":  {"r": {0, 128}, "a": {0, 8}, "p": {0, 32}},
	"rogue":   {"r": {0, 248}, "i": {0, 8}, "po": {0, 8}, "idx": {0, 2}, "vo": {0, 256}, "p": {0, 1}},
	"tesla":   {"r": {0, 128}, "a": {0, 8}, "c": {0, 16}, "o": {0, 128}},
	"valhall": {"r": {0, 48}},
}

// seedNames are the sets by their names in docs/sanitize.md.
var seedNames = map[string]string{"attila": "ATTILA", "rogue": "Rogue", "tesla": "Tesla", "valhall": "Valhall"}

// TestSeeds makes defects in the programs of the examples, one at a time. One that makes the picture depend on what
// registers hold that nothing has set must be found. Others leave it the same for any such contents.
func TestSeeds(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	for _, s := range watchedScenes(t) {
		t.Run(s.name, func(t *testing.T) {
			set, _, _ := strings.Cut(s.ISA, ":")
			right, err := s.draw(t, nil)
			if err != nil {
				t.Fatal(err)
			}
			all := seeds.Counts{}
			for i := range seeds.Kinds {
				for _, p := range s.programs {
					s.seeds(t, p, &seeds.Kinds[i], right, &all)
				}
			}
			all.Hold(t, "../../docs/sanitize.md", seedNames[set], "scene `"+s.name+"`")
		})
	}
}

// seeds makes the defects of a kind in a program.
func (s *watchedScene) seeds(t *testing.T, program string, kind *seeds.Kind, right []byte, c *seeds.Counts) {
	file := filepath.Join(filepath.Dir(s.File), program)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	set, _, _ := strings.Cut(s.ISA, ":")
	kind.Each(string(data), seeds.Sample(6), func(changed, lines string) {
		if err := os.WriteFile(file, []byte(changed), 0o666); err != nil {
			t.Fatal(err)
		}
		var pictures [len(seeds.Fills)][]byte
		for i, with := range seeds.Fills {
			if pictures[i], _ = s.draw(t, &seeds.Fill{With: with, Unset: unsetFiles[set]}); pictures[i] == nil {
				return // such a program does not begin
			}
		}
		w := sanitize.New(sanitize.CheckInit|sanitize.CheckMemory|sanitize.CheckWait, nil)
		_, err := s.draw(t, w)
		kind.Count(t, c, &seeds.Ran{Lines: lines, Depends: !bytes.Equal(pictures[0], pictures[1]), Wrong: !bytes.Equal(pictures[0], right),
			Findings: w.Findings(), Err: err}, program+": "+lines)
	})
	if err := os.WriteFile(file, data, 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestWaits: a varying that nothing waits for is told where it is used, with the pixel.
func TestWaits(t *testing.T) {
	for name, c := range map[string]struct{ old, new, want string }{
		"knot": {".wait0 @r0:r1:r2", " @r0:r1:r2", "(knot.fs.s:28:8)"},
		"rope": {"{ ctrl: wdf drc1; }", "", "(rope.fs.s:11:2)"},
	} {
		scenes := watchedScenes(t)
		s := scenes[slices.IndexFunc(scenes, func(s *watchedScene) bool { return s.name == name })]
		file := filepath.Join(filepath.Dir(s.File), s.programs[1])
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(strings.Replace(string(data), c.old, c.new, 1)), 0o666); err != nil {
			t.Fatal(err)
		}
		w := sanitize.New(sanitize.CheckWait, nil)
		if _, err := s.draw(t, w); err != nil {
			t.Fatal(err)
		}
		list := w.Findings()
		if len(list) == 0 || list[0].Rule != "missing-wait" || list[0].At.Item == nil || !list[0].At.Item.Fragment || !strings.Contains(list[0].String(), c.want) {
			t.Errorf("%s: %v, want %s", name, list, c.want)
		}
	}
}
