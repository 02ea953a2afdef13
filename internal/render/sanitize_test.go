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
	"github.com/heddle-gpu/heddle/ir"
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

// A filler fills the registers that nothing has set when a wave begins, as instruction sets say: those of the files
// below, up to a number.
type filler struct {
	with  uint32
	files map[string]int
}

var unsetFiles = map[string]map[string]int{
	"attila":  {"r": 128, "a": 8, "p": 32},
	"rogue":   {"r": 248, "i": 8, "po": 8, "idx": 2, "vo": 256, "p": 1},
	"tesla":   {"r": 128, "a": 8, "c": 16, "o": 128},
	"valhall": {"r": 48},
}

func (f *filler) Watch(code ir.Code, _ []exec.Window) ir.Code { return code }

func (f *filler) Observe(e exec.Event) {
	if e.Kind != exec.WaveStart {
		return
	}
	st := e.State
	for i, file := range st.Machine.Files {
		for k := range min(f.files[file.Name], file.Count) {
			c := ir.Cell{File: uint8(i), Index: uint16(k)}
			if file.Kind == ir.Lane1 {
				st.SetMask(c, -uint64(f.with&1))
				continue
			}
			row := st.Row(c)
			for lane := range row {
				row[lane] = f.with
			}
		}
	}
}

// A seedKind makes a defect of an instruction, a line of a program, and the next one.
type seedKind struct {
	name string
	make func(line, next string) (string, string)
}

var seedKinds = [...]seedKind{
	{"dropped", func(line, next string) (string, string) { return "//" + line, next }},
	{"swapped", func(line, next string) (string, string) { return next, line }},
}

// seedCounts are what became of defects: found, and of those with a register of the instruction as origin; such that
// show in no picture, with a finding and without; and missed.
type seedCounts struct{ made, found, origin, told, same, missed int }

// TestSeeds drops or swaps instructions of the programs of the examples, one at a time. A defect that makes the picture
// depend on what registers hold that nothing has set must be found. Others leave it the same for any such contents.
func TestSeeds(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	each := 6
	if os.Getenv("HEDDLE_LONG") != "" {
		each = 1
	}
	all := seedCounts{}
	for _, s := range watchedScenes(t) {
		for _, kind := range &seedKinds {
			var c seedCounts
			for _, p := range s.programs {
				s.seeds(t, p, &kind, each, &c)
			}
			t.Logf("%s, instructions %s: %+v", s.ISA, kind.name, c)
			all.found, all.origin, all.made = all.found+c.found, all.origin+c.origin, all.made+c.made
		}
	}
	if all.found < all.made/20 || all.origin < all.found*3/4 {
		t.Errorf("of %d defects %d were found, %d with their origin", all.made, all.found, all.origin)
	}
}

// seeds makes one of each so many defects in a program.
func (s *watchedScene) seeds(t *testing.T, program string, kind *seedKind, each int, c *seedCounts) {
	file := filepath.Join(filepath.Dir(s.File), program)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(data), "\n")
	is := func(i int) bool {
		return i < len(lines) && strings.HasPrefix(lines[i], "\t") && strings.Trim(lines[i], "\t ") != "" && !strings.HasPrefix(strings.Trim(lines[i], "\t "), "//")
	}
	for i, n := 0, 0; i < len(lines); i++ {
		if !is(i) || !is(i+1) || strings.Contains(lines[i]+lines[i+1], "end") {
			continue
		}
		if n++; n%each != 0 {
			continue
		}
		changed := slices.Clone(lines)
		changed[i], changed[i+1] = kind.make(lines[i], lines[i+1])
		if err := os.WriteFile(file, []byte(strings.Join(changed, "\n")), 0o666); err != nil {
			t.Fatal(err)
		}
		s.seed(t, program+": "+strings.TrimSpace(lines[i]), lines[i]+lines[i+1], c)
	}
	if err := os.WriteFile(file, data, 0o666); err != nil {
		t.Fatal(err)
	}
}

// seed draws with a defect.
func (s *watchedScene) seed(t *testing.T, name, text string, c *seedCounts) {
	set, _, _ := strings.Cut(s.ISA, ":")
	var pictures [2][]byte
	for i, with := range [...]uint32{0, 0x7fc5_5aa3} {
		var err error
		if pictures[i], err = s.draw(t, &filler{with, unsetFiles[set]}); pictures[i] == nil {
			t.Logf("%s: %v", name, err) // such a program does not begin
			return
		}
	}
	w := sanitize.New(sanitize.CheckInit|sanitize.CheckMemory, nil)
	s.draw(t, w)
	found, origin := false, false
	for _, f := range w.Findings() {
		found = found || strings.HasPrefix(f.Rule, "undefined")
		register, _, _ := strings.Cut(strings.TrimPrefix(f.Origin, "register "), ",")
		register, _, _ = strings.Cut(register, ".")
		origin = origin || strings.HasPrefix(f.Origin, "register ") && strings.Contains(text, register)
	}
	depends := !bytes.Equal(pictures[0], pictures[1])
	c.made++
	switch {
	case found && depends:
		if c.found++; origin {
			c.origin++
		}
	case found:
		c.told++
	case depends:
		c.missed++
		t.Errorf("%s: the picture depends on registers that nothing has set, and nothing is found", name)
	default:
		c.same++
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
