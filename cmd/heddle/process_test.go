//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// An invocation is a command that runs in a folder with the files of fixture.
type invocation struct {
	name  string
	args  string // as in a shell; FILE is a name from the test
	stdin string
}

const kernel = "sums/reduce_lds.gfx803.hsaco --grid 1024 --block 256 --arg buf:sums/in.in.bin --arg out=zero:16 --arg u32:5000"
const pixels = "render --fragment uv.s --isa attila --size 4x4"

// printing is every command, in every way in which it prints on standard output.
var printing = []invocation{
	{"usage", "", ""},
	{"help", "--help", ""},
	{"help_isas", "isas --help", ""},
	{"help_dis", "dis --help", ""},
	{"help_asm", "asm --help", ""},
	{"help_run", "run --help", ""},
	{"help_step", "step --help", ""},
	{"help_render", "render --help", ""},
	{"help_dap", "dap --help", ""},
	{"help_check", "check --help", ""},
	{"help_lint", "lint --help", ""},
	{"help_eval", "eval --help", ""},
	{"help_explain", "explain --help", ""},
	{"help_version", "version --help", ""},
	{"help_lsp", "lsp --help", ""},
	{"lsp", "lsp", lspSession()},
	{"version", "version", ""},
	{"version_json", "version --json", ""},
	{"isas", "isas", ""},
	{"isas_json", "isas --json", ""},
	{"isas_markdown", "isas --markdown", ""},
	{"dis", "dis --isa gcn ones.bin", ""},
	{"dis_stdin", "dis --isa gcn -", "\x01\x05\x00\x02"},
	{"dis_object", "dis sums/reduce_lds.gfx803.hsaco", ""},
	{"dis_json", "dis --isa gcn --json ones.bin", ""},
	{"dis_object_json", "dis --json sums/reduce_lds.gfx803.hsaco", ""},
	{"dis_lines", "dis --isa gcn --lines", "01050002\n"},
	{"asm_hex", "asm --isa gcn --hex end.s", ""},
	{"asm_stdout", "asm --isa gcn end.s -o -", ""},
	{"asm_dev_stdout", "asm --isa gcn end.s -o /dev/stdout", ""},
	{"asm_json", "asm --isa gcn end.s --json", ""},
	{"asm_lines", "asm --isa gcn --lines", "s_endpgm\n"},
	{"run", "run sums --no-png", ""},
	{"run_json", "run --json sums --no-png", ""},
	{"run_object", "run " + kernel, ""},
	{"run_object_json", "run --json " + kernel, ""},
	{"run_out", "run " + kernel + " --out out=-", ""},
	{"run_trace", "run " + kernel + " --trace=wave:0,max:9", ""},
	{"run_trace_json", "run " + kernel + " --trace=wave:0,max:9,file:/dev/null --json", ""},
	{"run_break", "run " + kernel + " --break s_barrier --dump", ""},
	{"run_break_json", "run " + kernel + " --break s_barrier --json", ""},
	{"step", "step " + kernel, "step 3\nprint v0\nback\nquit\n"},
	{"render", pixels + " -o x.png", ""},
	{"render_json", pixels + " -o x.png --json", ""},
	{"render_stdout", pixels + " -o -", ""},
	{"check", "check mine.json", ""},
	{"check_stdin", "check -", mine},
	{"check_failing", "check wrong.json", ""}, // exit code 1, if it could print
	{"check_json", "check --json mine.json", ""},
	{"check_verbose", "check -v mine.json", ""},
	{"lint", "lint --isa gcn ones.bin", ""},
	{"lint_json", "lint --isa gcn --json end.bin", ""},
	{"eval", "eval --isa gcn 'v_mov_b32 v0, 1'", ""},
	{"eval_fault_json", "eval --isa gcn --json ffffffff", ""},
	{"eval_json", "eval --isa gcn --json 'v_mov_b32 v0, 1'", ""},
	{"explain", "explain --isa gcn s_nop", ""},
	{"explain_json", "explain --isa gcn --json s_nop", ""},
}

const mine = `{"name":"mine","isa":"gcn","variant":"gfx8","stage":"raw","code":"01050002000081bf","asm":["v_add_f32_e32 v0, v1, v2","s_endpgm"],"launch":{"lanes":1},"initial":{"regs":{"v1":"0x3fc00000","v2":"0x3f800000"}},"final":{"regs":{"v0":"0x40200000"}},"compare":{"type":"u32"}}` + "\n"

// fixture makes a folder with the files in the tables.
func fixture(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	example := filepath.Join("..", "..", "examples", "reduction")
	files := map[string]string{
		"ones.bin":   strings.Repeat("\xff", 64),
		"end.bin":    "\x00\x00\x81\xbf",
		"end.s":      "s_endpgm\n",
		"uv.s":       "add o1, i6, c0 <- end\n",
		"forever.s":  "here:\njmp true, here\n",
		"loop.s":     "top:\n\ts_nop 0\n\ts_branch top\n",
		"mine.json":  mine,
		"wrong.json": strings.Replace(mine, "0x40200000", "0x40200001", 1),
	}
	for _, name := range []string{"manifest.json", "in.in.bin", "out.exp.bin", "reduce_lds.gfx803.hsaco"} {
		data, err := os.ReadFile(filepath.Join(example, name))
		if err != nil {
			t.Fatal(err)
		}
		files["sums/"+name] = string(data)
	}
	files["sums/manifest.json"] = strings.Replace(files["sums/manifest.json"], "{",
		`{"pictures": [{"name": "sums", "buffer": "out", "width": 2, "height": 2, "format": "rgba8"}],`, 1)
	var black bytes.Buffer
	if err := png.Encode(&black, image.NewGray(image.Rect(0, 0, 4, 4))); err != nil {
		t.Fatal(err)
	}
	files["black.png"] = black.String()
	if err := os.Mkdir(filepath.Join(dir, "sums"), 0o777); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := patchFile(filepath.Join(example, "reduce_lds.gfx803.hsaco"), "reduce_lds", filepath.Join(dir, "loop.s"), filepath.Join(dir, "loop.hsaco")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// words splits a command line into words; text between single quotes is one word.
func words(line string) (list []string) {
	for i, part := range strings.Split(line, "'") {
		if i%2 == 1 {
			list = append(list, part)
		} else {
			list = append(list, strings.Fields(part)...)
		}
	}
	return list
}

// prepare returns the process of the command, not yet started. It is killed after a minute.
func (c *invocation) prepare(t *testing.T, dir, file string) (cmd *exec.Cmd, stderr *bytes.Buffer) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(stop)
	cmd = exec.CommandContext(ctx, "heddle", words(strings.ReplaceAll(c.args, "FILE", file))...)
	cmd.Dir, stderr = dir, &bytes.Buffer{}
	cmd.Stdin, cmd.Stderr = strings.NewReader(c.stdin), stderr
	return cmd, stderr
}

// exitCode returns the exit code of a command that was not killed.
func exitCode(t *testing.T, err error) int {
	t.Helper()
	var e *exec.ExitError
	if err != nil && !errors.As(err, &e) || e != nil && !e.Exited() {
		t.Fatal(err)
	}
	if e == nil {
		return 0
	}
	return e.ExitCode()
}

// draftsIn returns the files in a folder that are no results of the command.
func draftsIn(t *testing.T, dir string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, ".heddle-*"))
	if err != nil {
		t.Fatal(err)
	}
	return names
}
