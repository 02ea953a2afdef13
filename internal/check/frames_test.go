package check

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/cases"
	"github.com/heddle-gpu/heddle/internal/platforms"
	"github.com/heddle-gpu/heddle/sanitize"
)

const frames = "../../casefile/testdata/frames"

// TestFrame: both variants repeat the excerpt, whose programs they lift alike.
func TestFrame(t *testing.T) {
	for name, want := range map[string]int{"": 6, "attila": 6, "attila:attila": 3, "attila:sim": 3, "gcn": 0} {
		isa, variant, _ := strings.Cut(name, ":")
		s, err := Run(context.Background(), []string{frames}, Options{ISA: isa, Variant: variant})
		if err != nil || s.Passed != want || s.Total() != want {
			t.Errorf("%q: %v, %v; want %d passed", name, s, err, want)
		}
	}
}

// TestFrameFailures: each change of a valid frame is detected, and the message names the place.
func TestFrameFailures(t *testing.T) {
	for _, c := range []struct{ name, old, new, want string }{
		{"output", `"o1": "3`, `"o1": "4`, "vertex 0: o1.x lane 0 is 0x"},
		{"output that is not listed", `"o6": "0000`, `"o7": "0000`, "vertex 0: o6.z lane 0 is 0x3f800000 (1), want 0x00000000 (0)"},
		{"kill flag", `"kill": [0, `, `"kill": [1, `, "kill0 lane 0 is false, want true"},
		{"input", `"i6": "3`, `"i6": "4`, "quad 2: "},
		{"texture", `"kill": [`, `"tex": [["0 0 0 0","0 0 0 0","0 0 0 0","0 0 0 0"]], "kill": [`, "quad 2: 0 texture instructions were executed, want 1"},
		{"text of the tool", `"frc r0, r0"`, `"frc r0, r1"`, `decodes to "frc r0, r0", want "frc r0, r1"`},
		{"covered", `"covered": [1, `, `"covered": [0, `, "1 of 16384 pixels differ; the first is at column "},
		{"register", `"i2": "`, `"j2": "`, "j2"},
		{"constant", `"c0.x"`, `"k0.x"`, `no constant "k0.x"`},
		{"reader", `"p": 1`, `"p": 5`, "there is no program 5"},
		{"picture", `"cells.ppm.gz"`, `"nowhere.ppm"`, "no such file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			all := changedFrame(t, "sim", c.old, c.new)
			if !strings.Contains(all, c.want) || !strings.Contains(all, "[failed]") {
				t.Errorf("%s\nwant %s", all, c.want)
			}
		})
	}
}

// TestFrameTextures: a program that samples more texels than were recorded is reported, too.
func TestFrameTextures(t *testing.T) {
	all := changedFrame(t, "sim", "0f00c639f3000000001b00001e001e00", "26000038f3000000061b00001b001b00", `"frc r0, r0"`, `"tex r0, i6, t0"`)
	if !strings.Contains(all, "quad 2: 1 texture instructions were executed, want 0") {
		t.Error(all)
	}
}

// TestFrameVariants: a program that the variants lift differently is checked only on the recorded variant.
func TestFrameVariants(t *testing.T) {
	guard := []string{"2900c639", "2904c639", `"kil r1.w"`, `"(p0) kil r1.w"`} // the simulator ignores the guard
	if all := changedFrame(t, "sim", guard...); strings.Count(all, "[passed]") != 3 {
		t.Errorf("attila:sim: %s", all)
	}
	all := changedFrame(t, "attila", guard...)
	if strings.Count(all, "[passed]") != 1 || strings.Count(all, "what attila:sim does, and this variant lifts the program otherwise [skipped]") != 2 {
		t.Errorf("attila: %s", all)
	}
}

// TestFramesWatched: programs of frames set what they use. The runs are what they are without checks.
func TestFramesWatched(t *testing.T) {
	for _, paths := range [][]string{{frames}, {filepath.Join(cases.Dir(t), "render", "attila")}} {
		var plain, watched strings.Builder
		for _, o := range []Options{{Each: func(r Result) { fmt.Fprintf(&plain, "%v: %s\n", r, r.Note) }}, {Sanitize: InDraws, Each: func(r Result) {
			fmt.Fprintf(&watched, "%v: %s\n", r, r.Note)
			for _, f := range r.Found.Findings {
				t.Errorf("%s: %v", r.Name, &f.Found)
			}
		}}} {
			if s, err := Run(t.Context(), paths, o); err != nil || s.Passed < 6 || s.Failed > 0 {
				t.Fatalf("%v, %v", s, err)
			}
		}
		if plain.String() != watched.String() {
			t.Errorf("without checks:\n%s\nwith them:\n%s", &plain, &watched)
		}
	}
}

// TestFrameFindings: what a program of a frame uses and nothing has set is told, with the vertex or the pixel.
func TestFrameFindings(t *testing.T) {
	for _, c := range []struct{ code, text, want string }{
		{"17008038f3000000061b000000001e00", `"mul r0, i6, c0.x"`, "undefined end in pixel (68,68) of draw cells, from register r0.x, which"},
		{"1600c4391300000004ff00001e001e00", `"mov r0.w, c4.w"`, "undefined output in vertex 0 of draw cells, from register r0.w, which"},
	} {
		got := frameWith(t, Options{Variant: "sim", Sanitize: InDraws}, c.code, strings.Repeat("0", len(c.code)), c.text, `"nop"`)
		if !strings.Contains(got, c.want) || !strings.Contains(got, "[failed]") {
			t.Errorf("%s\nwant %s", got, c.want)
		}
	}
}

// TestFramePolicy: a fault ends a run of a frame unless accesses are checked.
func TestFramePolicy(t *testing.T) {
	m, err := casefile.ReadFrameFile(filepath.Join(frames, "cells.json"))
	target, e := lookup("attila", "sim")
	if err = errors.Join(err, e); err != nil {
		t.Fatal(err)
	}
	for checks, want := range map[sanitize.Check]exec.Policy{
		0: exec.TrapFaults, sanitize.CheckInit | sanitize.CheckWait: exec.TrapFaults, sanitize.CheckMemory: exec.RecordFaults, InDraws: exec.RecordFaults,
	} {
		x := &frame{checker: &checker{Options: &Options{Sanitize: checks}}, Frame: m, variant: "sim"}
		for i := range m.Programs {
			if p, err := x.prepare(platforms.Lookup(m.ISA), target, i, &Result{}); err != nil || p.k.Waves[0].Env.Policy != want {
				t.Errorf("checks %v of program %d: %v, policy %v, want %v", checks, i, err, p.k.Waves[0].Env.Policy, want)
			}
		}
	}
}

// changedFrame checks the frame with strings replaced, given as old and new alternately, and returns the results one
// per line.
func changedFrame(t *testing.T, variant string, pairs ...string) string {
	t.Helper()
	return frameWith(t, Options{Variant: variant}, pairs...)
}

// frameWith does so with options.
func frameWith(t *testing.T, o Options, pairs ...string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(frames)); err != nil {
		t.Fatal(err)
	}
	edit(t, filepath.Join(dir, "cells.json"), func(s string) string {
		for i := 0; i < len(pairs); i += 2 {
			if !strings.Contains(s, pairs[i]) {
				t.Fatalf("the frame has no %q", pairs[i])
			}
			s = strings.Replace(s, pairs[i], pairs[i+1], 1)
		}
		return s
	})
	var b strings.Builder
	o.ISA, o.Each = "attila", func(r Result) { fmt.Fprintf(&b, "%s [%s]\n", r, r.Status) }
	if _, err := Run(context.Background(), []string{dir}, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
