package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestVariablesOfClang: variables of code that each installed clang compiles from srcinfo/testdata/vars.cl, by the
// formulas of that file: in lane 5 of the first wave, l is 5, sum is 0.5*(5+6+7+8) = 13, and steps[k] is 5*k.
func TestVariablesOfClang(t *testing.T) {
	source, err := filepath.Abs(filepath.Join("..", "..", "srcinfo", "testdata", "vars.cl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range []string{"14", "19", "22"} {
		t.Run("clang-"+v, func(t *testing.T) {
			for _, tool := range []string{"clang-" + v, "ld.lld-" + v} {
				if _, err := exec.LookPath(tool); err != nil {
					t.Skipf("%s is not installed: apt-get install clang-%s lld-%s", tool, v, v)
				}
			}
			dir := t.TempDir()
			for _, words := range []string{
				"clang-" + v + " -x cl -cl-std=CL1.2 -target amdgcn-amd-amdhsa -mcpu=gfx803 -nogpulib -g -O0 -w -c " + source + " -o vars.o",
				"ld.lld-" + v + " -shared vars.o -o vars.hsaco",
			} {
				list := strings.Fields(words)
				cmd := exec.Command(list[0], list[1:]...)
				cmd.Dir = dir
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("%s: %v\n%s", words, err, out)
				}
			}
			cmd := exec.Command("heddle", "step", filepath.Join(dir, "vars.hsaco"), "--grid", "64", "--block", "64", "--arg", "f32:iota:64", "--arg", "out=zero:256",
				"--arg", "u32:64", "--arg", "hex:0000003f0000803f0000004000004040")
			cmd.Stdin = strings.NewReader("break vars.cl:29\ncontinue\nlane 5\nprint l sum n steps[0:4] scale.y\nquit\n")
			cmd.Env = os.Environ()
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			for _, want := range []string{"\nl = 5\n", "\nsum = 13\n", "\nn = 64\n", "\nsteps[0:4] = {0, 5, 10, 15}\n", "\nscale.y = 1\n"} {
				if !strings.Contains(string(out), want) {
					t.Errorf("no %q in\n%s", want, out)
				}
			}
		})
	}
}
