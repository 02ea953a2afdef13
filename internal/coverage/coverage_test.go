package coverage_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle"
	"github.com/heddle-gpu/heddle/internal/coverage"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/profile"
)

// text has a part that runs in 16 lanes of each wave, two branches that go one way only, and two instructions that no
// wave reaches.
const text = `v_cmp_gt_u32 vcc, 16, v0
s_and_saveexec_b64 s[2:3], vcc
s_cbranch_execz l
v_add_f32 v1, v0, v0 mul:2
l: s_mov_b64 exec, s[2:3]
s_cmp_eq_u32 s2, s2
s_cbranch_scc1 e
v_mov_b32 v2, v1
v_add_f32 v2, v1, v0
e: s_endpgm
`

// counted runs the text with groups of 64 and returns what was counted.
func counted(t *testing.T, items uint32) *profile.Profiler {
	t.Helper()
	return countedBy(t, profile.New(nil), items)
}

// countedBy runs the text with a profiler.
func countedBy(t *testing.T, counts *profile.Profiler, items uint32) *profile.Profiler {
	t.Helper()
	set, err := heddle.Find("gcn:gfx8")
	if err != nil {
		t.Fatal(err)
	}
	p, err := set.Program(text, heddle.ProgramOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Launch(context.Background(), heddle.Launch{Grid: [3]uint32{items}, Block: [3]uint32{64}, Settings: launch.Settings{Watcher: counts}}); err != nil {
		t.Fatal(err)
	}
	return counts
}

// TestCoverage: what ran is what the text says, and two runs add up, whether they are counted together or read from a
// file.
func TestCoverage(t *testing.T) {
	c := coverage.New()
	c.Add("one", "", counted(t, 128))
	s := c.Sum()
	got := fmt.Sprintf("%d code, %d of %d instructions, %d of %d directions, %d with some lanes, %d forms, %d with modifiers",
		s.Codes, s.Ran, s.Insts, s.WaysRan, s.Ways, s.Masked, len(s.Forms["gcn:gfx8"]), s.FormsWithModifiers["gcn:gfx8"])
	// Three instructions run between those that narrow and widen the lanes.
	if want := "1 code, 8 of 10 instructions, 2 of 4 directions, 3 with some lanes, 8 forms, 8 with modifiers"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if f := c.Codes[0].Insts[3].Forms[0]; f.Name != "v_add_f32_e64" || fmt.Sprint(f.Modifiers) != "[omod=1]" {
		t.Errorf("the addition has the form %+v", f)
	}
	file, err := c.Write()
	if err != nil {
		t.Fatal(err)
	}
	both, read := coverage.New(), coverage.New()
	both.Add("one", "", counted(t, 128))
	both.Add("two", "", counted(t, 256))
	if err := read.Read(file); err != nil {
		t.Fatal(err)
	}
	read.Add("two", "", counted(t, 256))
	a, _ := both.Write()
	b, _ := read.Write()
	if !bytes.Equal(a, b) {
		t.Errorf("counted together:\n%s\nread and added:\n%s", a, b)
	}
}

// TestFolders: files of one name in different folders are different, though the programs have the same bytes.
func TestFolders(t *testing.T) {
	m, err := heddle.Load("../../examples/turn/padded/turn.hsaco")
	if err != nil {
		t.Fatal(err)
	}
	c := coverage.New()
	for _, folder := range []string{"one", "two"} {
		counts := profile.New(nil)
		l := heddle.Launch{Grid: [3]uint32{64, 4}, Block: [3]uint32{64, 4}, Settings: launch.Settings{Watcher: counts}}
		if _, err := m.Launch(context.Background(), l, make([]float32, 4096), make([]float32, 4096), uint32(64)); err != nil {
			t.Fatal(err)
		}
		c.Add(folder, folder+"/turn.hsaco", counts)
	}
	var out bytes.Buffer
	if err := c.WriteLCOV(&out); err != nil {
		t.Fatal(err)
	}
	if s := c.Sum(); s.Codes != 2 || s.Lines != 16 || !strings.Contains(out.String(), "SF:one/turn.cl\n") || !strings.Contains(out.String(), "SF:two/turn.cl\n") {
		t.Errorf("%d codes, %d lines:\n%s", s.Codes, s.Lines, out.String())
	}
}

// TestReset: a profiler that counted something else before counts the same.
func TestReset(t *testing.T) {
	fresh, again := coverage.New(), coverage.New()
	fresh.Add("one", "", counted(t, 128))
	p := counted(t, 256)
	p.Reset()
	if len(p.Codes()) > 0 {
		t.Error("it has code")
	}
	again.Add("one", "", countedBy(t, p, 128))
	a, _ := fresh.Write()
	b, _ := again.Write()
	if !bytes.Equal(a, b) {
		t.Errorf("counted by a new one:\n%s\nby one that was reset:\n%s", a, b)
	}
}

// TestFaults: a wave that faults in a call, which it would have taken, has not gone on after it.
func TestFaults(t *testing.T) {
	set, err := heddle.Find("tesla:g80")
	if err != nil {
		t.Fatal(err)
	}
	p, err := set.Program("l: call l\n", heddle.ProgramOptions{})
	if err != nil {
		t.Fatal(err)
	}
	counts := profile.New(nil)
	if _, err := p.Launch(context.Background(), heddle.Launch{Grid: [3]uint32{32}, Block: [3]uint32{32}, Settings: launch.Settings{Watcher: counts}}); err == nil {
		t.Fatal("the control stack has no end")
	}
	c := coverage.New()
	c.Add("calls", "", counts)
	if in := c.Codes[0].Insts[0]; in.Waves == 0 || in.Taken != in.Waves || in.Passed != 0 {
		t.Errorf("%+v: all waves took the call", in)
	}
}

// TestRead: files that no Write writes are errors.
func TestRead(t *testing.T) {
	for _, text := range []string{
		``, `[]`, `{}`, `{"format":"heddle.coverage/2"}`,
		`{"format":"heddle.coverage/1","codes":[null]}`,
		`{"format":"heddle.coverage/1","codes":[],"more":1}`,
		`{"format":"heddle.coverage/1","codes":[{"id":"a","isa":"x","instructions":[{"address":4,"waves":-1}]}]}`,
		`{"format":"heddle.coverage/1","codes":[{"id":"a","isa":"x","instructions":[{"address":4,"waves":0,"taken":2}]}]}`,
		`{"format":"heddle.coverage/1","codes":[],"single_instructions":[{"isa":"x","forms":[],"tests":1}]}`,
		`{"format":"heddle.coverage/1","codes":[{"id":""}]}`,
		`{"format":"heddle.coverage/1","codes":[{"id":"a","isa":"x","instructions":[]},{"id":"a","isa":"x","instructions":[]}]}`,
		`{"format":"heddle.coverage/1","codes":[],"forms":{"x":-5}}`,
		`{"format":"heddle.coverage/1","codes":[{"id":"a","isa":"x","instructions":[{"address":4,"line":-5}]}]}`,
		`{"format":"heddle.coverage/1","codes":[{"id":"a","isa":"x","instructions":[null]}]}`,
		`{"format":"heddle.coverage/1","codes":[{"id":"a","isa":"x","instructions":[{"address":4},{"address":4}]}]}`,
	} {
		if err := coverage.New().Read([]byte(text)); err == nil {
			t.Errorf("%s: no error", text)
		}
	}
}
