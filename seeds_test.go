package heddle_test

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"github.com/heddle-gpu/heddle"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/seeds"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/mem"
	"github.com/heddle-gpu/heddle/sanitize"
)

// A seedProgram is an example program, its launch, and the files of its arguments.
type seedProgram struct {
	isa, dir, file string
	o              heddle.ProgramOptions
	l              heddle.Launch
	in             []string
	out            int // bytes of the result, which is the next argument
	args           []any
	unset          map[string][2]int // registers that nothing has set when a wave begins, by file: from, to before
}

var seedPrograms = [...]seedProgram{
	{"tesla", "scan", "scan.s", heddle.ProgramOptions{Group: 1040}, heddle.Launch{Grid: [3]uint32{1024}, Block: [3]uint32{256}}, []string{"in.in.bin"}, 4096, nil,
		map[string][2]int{"r": {1, 16}, "a": {1, 5}, "c": {0, 16}}},
	{"valhall", "transpose", "transpose.s", heddle.ProgramOptions{Group: 1088}, heddle.Launch{Grid: [3]uint32{64, 48}, Block: [3]uint32{16, 16}}, []string{"in.in.bin"},
		12288, []any{uint32(64), uint32(48)}, map[string][2]int{"r": {0, 48}}},
	{"rogue", "over", "over.s", heddle.ProgramOptions{}, heddle.Launch{Grid: [3]uint32{3072}, Block: [3]uint32{96}}, []string{"lower.in.bin", "upper.in.bin"}, 12288,
		[]any{uint32(96)}, map[string][2]int{"r": {0, 32}, "i": {0, 8}, "p": {0, 1}}},
}

// run runs a program under a watcher and returns what it leaves; the error is a fault. Of buffer small half is missing;
// -1: of none.
func (x *seedProgram) run(t *testing.T, p *heddle.Program, w launch.Watcher, small int) ([]byte, error) {
	t.Helper()
	l, out := x.l, mem.Alloc(x.out)
	if small == len(x.in) {
		out = mem.Alloc(x.out / 2)
	}
	l.Watcher, l.Policy, l.Declared, l.Limits, l.Workers = w, exec.RecordFaults, true, exec.Limits{Steps: 1 << 14, Total: 1 << 20}, 1
	var args []any
	for i, name := range x.in {
		data := contents(t, "examples/"+x.dir+"/"+name)
		if i == small {
			data = data[:len(data)/2]
		}
		args = append(args, heddle.InPlace{Data: data, ReadOnly: true})
	}
	_, err := p.Launch(t.Context(), l, append(append(args, heddle.InPlace{Data: out}), x.args...)...)
	var fault *exec.Fault
	if err != nil && !errors.As(err, &fault) {
		t.Fatal(err)
	}
	return out, err
}

// seedNames are the sets by their names in docs/sanitize.md.
var seedNames = map[string]string{"tesla": "Tesla", "valhall": "Valhall", "rogue": "Rogue"}

// seed runs a program with a defect.
func (x *seedProgram) seed(t *testing.T, p *heddle.Program, k *seeds.Kind, lines string, c *seeds.Counts) {
	t.Helper()
	s := sanitize.New(sanitize.CheckAll, nil)
	out, err := x.run(t, p, s, -1)
	zeros, _ := x.run(t, p, &seeds.Fill{With: seeds.Fills[0], Unset: x.unset}, -1)
	other, _ := x.run(t, p, &seeds.Fill{With: seeds.Fills[1], Unset: x.unset}, -1)
	k.Count(t, c, &seeds.Ran{Lines: lines, Depends: !bytes.Equal(zeros, other), Wrong: !bytes.Equal(out, contents(t, "examples/"+x.dir+"/out.exp.bin")),
		Findings: s.Findings(), Err: err}, x.isa+": "+lines)
}

// shrink runs a program with half of its group memory, and of each buffer. It accesses all of them.
func (x *seedProgram) shrink(t *testing.T, c *seeds.Counts) {
	t.Helper()
	text := string(contents(t, "examples/"+x.dir+"/"+x.file))
	run := func(what string, o heddle.ProgramOptions, small int) {
		p, err := heddle.MustFind(x.isa).Program(text, o)
		if err != nil {
			t.Fatal(err)
		}
		s := sanitize.New(sanitize.CheckAll, nil)
		_, err = x.run(t, p, s, small)
		seeds.Shrunk.Count(t, c, &seeds.Ran{Lines: "\n", Wrong: true, Findings: s.Findings(), Err: err}, x.isa+": "+what)
	}
	if half := x.o; half.Group > 0 {
		half.Group /= 2
		run("group memory", half, -1)
	}
	for i := range len(x.in) + 1 {
		run(fmt.Sprintf("buffer %d", i), x.o, i)
	}
}

// TestSeeds makes defects in the example programs of Tesla, Valhall and Rogue, one at a time, and runs them under the
// sanitizer.
func TestSeeds(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	for i := range seedPrograms {
		x, all := &seedPrograms[i], seeds.Counts{}
		for k := range seeds.Kinds {
			kind := &seeds.Kinds[k]
			kind.Each(string(contents(t, "examples/"+x.dir+"/"+x.file)), 1, func(changed, lines string) {
				if p, err := heddle.MustFind(x.isa).Program(changed, x.o); err == nil {
					x.seed(t, p, kind, lines, &all)
				}
			})
		}
		x.shrink(t, &all)
		all.Hold(t, "docs/sanitize.md", seedNames[x.isa], "program `"+x.dir+"`")
	}
}
