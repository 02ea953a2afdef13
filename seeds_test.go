package heddle_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/mem"
	"github.com/heddle-gpu/heddle/sanitize"
)

// seedings make a defect of a line of a program, with the next one. What they leave as it is has none.
var seedings = [...]struct {
	name string
	make func(line, next string) (string, string)
}{
	{"dropped", func(line, next string) (string, string) { return "//" + line, next }},
	{"swapped", func(line, next string) (string, string) { return next, line }},
	{"wait dropped", func(line, next string) (string, string) {
		for _, wait := range []string{".wait0", ".wait1", "wdf"} {
			if before, after, ok := strings.Cut(line, wait); ok && wait != "wdf" {
				return before + after, next
			} else if ok {
				return "//" + line, next
			}
		}
		return line, next
	}},
}

// A seedCount counts defects: those found, those of which the result is right, and those that compute something else
// from values that are set, which no sanitizer can know.
type seedCount struct{ made, found, right, other int }

// A seedProgram is an example program, its launch, and the files of its arguments.
type seedProgram struct {
	isa, dir, file string
	o              heddle.ProgramOptions
	l              heddle.Launch
	in             []string
	out            int // bytes of the result, which is the next argument
	args           []any
	unset          map[string][2]int // registers that nothing has set when a wave begins, by file: from, to before
	least          int               // defects that must be found
}

var seedPrograms = [...]seedProgram{
	{"tesla", "scan", "scan.s", heddle.ProgramOptions{Group: 1040}, heddle.Launch{Grid: [3]uint32{1024}, Block: [3]uint32{256}}, []string{"in.in.bin"}, 4096, nil,
		map[string][2]int{"r": {1, 16}, "a": {1, 5}, "c": {0, 16}}, 20},
	{"valhall", "transpose", "transpose.s", heddle.ProgramOptions{Group: 1088}, heddle.Launch{Grid: [3]uint32{64, 48}, Block: [3]uint32{16, 16}}, []string{"in.in.bin"},
		12288, []any{uint32(64), uint32(48)}, map[string][2]int{"r": {0, 48}}, 20},
	{"rogue", "over", "over.s", heddle.ProgramOptions{}, heddle.Launch{Grid: [3]uint32{3072}, Block: [3]uint32{96}}, []string{"lower.in.bin", "upper.in.bin"}, 12288,
		[]any{uint32(96)}, map[string][2]int{"r": {0, 32}, "i": {0, 8}, "p": {0, 1}}, 10},
}

// A registerFill fills the registers of a program that nothing has set.
type registerFill struct {
	with  uint32
	unset map[string][2]int
}

func (f *registerFill) Watch(code ir.Code, _ []exec.Window) ir.Code { return code }

func (f *registerFill) Observe(e exec.Event) {
	if e.Kind != exec.WaveStart {
		return
	}
	for i, file := range e.State.Machine.Files {
		for k := f.unset[file.Name][0]; k < f.unset[file.Name][1]; k++ {
			for lane := range e.State.Lanes {
				c := ir.Cell{File: uint8(i), Index: uint16(k)}
				if v := f.with; file.Kind == ir.Lane1 {
					e.State.Set(c, lane, v&1)
				} else {
					e.State.Set(c, lane, v)
				}
			}
		}
	}
}

// run runs a program under a watcher and returns what it leaves; the error is a fault.
func (x *seedProgram) run(t *testing.T, p *heddle.Program, w launch.Watcher) ([]byte, error) {
	t.Helper()
	l, out := x.l, mem.Alloc(x.out)
	l.Watcher, l.Policy, l.Declared, l.Limits, l.Workers = w, exec.RecordFaults, true, exec.Limits{Steps: 1 << 14, Total: 1 << 20}, 1
	var args []any
	for _, name := range x.in {
		args = append(args, heddle.InPlace{Data: contents(t, "examples/"+x.dir+"/"+name), ReadOnly: true})
	}
	_, err := p.Launch(t.Context(), l, append(append(args, heddle.InPlace{Data: out}), x.args...)...)
	var fault *exec.Fault
	if err != nil && !errors.As(err, &fault) {
		t.Fatal(err)
	}
	return out, err
}

// seed runs a program with a defect in a line. It must be found if the result changes with what registers held, or if
// the line is a barrier.
func (x *seedProgram) seed(t *testing.T, p *heddle.Program, line string, c *seedCount) {
	t.Helper()
	s := sanitize.New(sanitize.CheckAll, nil)
	out, err := x.run(t, p, s)
	c.made++
	if err != nil || slices.ContainsFunc(s.Findings(), func(f sanitize.Finding) bool { return f.Rule != "idle-wait" && f.Rule != "clipped" }) {
		c.found++
		return
	}
	zeros, _ := x.run(t, p, &registerFill{0, x.unset})
	other, _ := x.run(t, p, &registerFill{0x7fc5_5aa3, x.unset})
	right := bytes.Equal(out, contents(t, "examples/"+x.dir+"/out.exp.bin"))
	if !bytes.Equal(zeros, other) || !right && strings.Contains(strings.ToLower(line), "bar") {
		t.Errorf("%s: %s: nothing is found", x.isa, line)
	}
	if right {
		c.right++
	} else {
		c.other++
		t.Logf("%s: computes something else: %s", x.isa, strings.TrimSpace(line))
	}
}

// TestSeeds makes defects in the example programs of Tesla, Valhall and Rogue, one at a time, and runs them under the
// sanitizer.
func TestSeeds(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	for i := range seedPrograms {
		x := &seedPrograms[i]
		lines, found := strings.Split(string(contents(t, "examples/"+x.dir+"/"+x.file)), "\n"), 0
		is := func(s string) bool { return strings.HasPrefix(s, "\t") && strings.Trim(s, "\t") != "" }
		for _, kind := range seedings {
			c := seedCount{}
			for i := range lines[:len(lines)-1] {
				changed := slices.Clone(lines)
				changed[i], changed[i+1] = kind.make(lines[i], lines[i+1])
				if !is(lines[i]) || !is(lines[i+1]) && kind.name == "swapped" || slices.Equal(changed, lines) {
					continue
				}
				if p, err := heddle.MustFind(x.isa).Program(strings.Join(changed, "\n"), x.o); err == nil {
					x.seed(t, p, lines[i], &c)
				}
			}
			found += c.found
			t.Logf("%s, %s: %+v", x.isa, kind.name, c)
		}
		if found < x.least {
			t.Errorf("%s: %d defects found, want %d", x.isa, found, x.least)
		}
	}
}
