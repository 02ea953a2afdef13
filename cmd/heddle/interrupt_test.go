//go:build unix

package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// lasting is every command that may take long, in every way: it waits for input, for a reader, or works. SILENT is a
// pipe without writer or reader, as are standard input and output; OUT is a folder for results. Endless loops use the
// slowest engine: faster ones reach the step limit before a signal arrives.
var lasting = []invocation{
	{"dis_stdin", "dis --isa gcn -", ""},
	{"dis_pipe", "dis --isa gcn SILENT", ""},
	{"dis_lines", "dis --isa gcn --lines", ""},
	{"dis_lines_pipe", "dis --isa gcn --lines SILENT", ""},
	{"dis_unread", "dis --isa gcn long.bin", ""},
	{"asm_stdin", "asm --isa gcn - -o OUT/x", ""},
	{"asm_pipe", "asm --isa gcn SILENT -o OUT/x", ""},
	{"asm_lines", "asm --isa gcn --lines", ""},
	{"asm_lines_pipe", "asm --isa gcn --lines SILENT", ""},
	{"asm_into_pipe", "asm --isa gcn end.s -o SILENT", ""},
	{"asm_unread", "asm --isa gcn --hex long.s", ""},
	{"asm_working", "asm --isa gcn longer.s -o OUT/x", ""},
	{"run_stdin", "run -", ""},
	{"run_argument_stdin", "run --engine reference loop.hsaco --grid 256 --block 256 --arg buf:-", ""},
	{"run_working", "run --engine reference loop.hsaco --grid 256 --block 256 --arg zero:4 --arg out=zero:4 --arg u32:0 --out out=OUT/x", ""},
	{"run_working_json", "run --engine reference --json loop.hsaco --grid 256 --block 256 --arg zero:4 --arg out=zero:4 --arg u32:0 --out out=OUT/x", ""},
	{"run_manifest", "run --engine reference loops --dir OUT", ""},
	{"run_into_pipe", "run " + kernel + " --out out=SILENT", ""},
	{"render_pipe", "render SILENT -o OUT/x.png", ""},
	{"render_program_pipe", "render --fragment SILENT --isa attila -o OUT/x.png", ""},
	{"render_stdin", "render - -o OUT/x.png", ""},
	{"render_program_stdin", "render --fragment - --isa attila -o OUT/x.png", ""},
	{"render_diff_stdin", pixels + " --diff -", ""},
	{"render_working", "render --engine reference --fragment forever.s --isa attila -o OUT/x.png", ""},
	{"render_into_pipe", pixels + " -o SILENT", ""},
	{"check_stdin", "check -", ""},
	{"check_working", "check --engine reference loops", ""},
	{"check_unread", "check -v long.json", ""},
	{"lint_stdin", "lint --isa gcn -", ""},
	{"lint_pipe", "lint --isa gcn SILENT", ""},
	{"asm_many", "asm --isa gcn -j 1 longer.s end.s -o OUT/made", ""},
	{"dis_many_unread", "dis --isa gcn -j 2 long.bin end.s long.bin", ""},
	{"fidelity_many_stdin", "fidelity --isa gcn end.s -", ""},
	{"lint_many_stdin", "lint --isa gcn wrong.bin -", ""},
	{"lint_unread", "lint --isa gcn wrong.bin", ""},
	{"eval_stdin", "eval --isa gcn -", ""},
	{"eval_memory_stdin", "eval --isa gcn 's_nop 0' --mem 0=-", ""},
	{"explain_stdin", "explain --isa gcn -", ""},
	{"eval_working", "eval --isa gcn 'top: s_branch top' --max-steps 1000000000000", ""},
}

// lastingFixture is fixture with larger files.
func lastingFixture(t *testing.T) (dir string) {
	t.Helper()
	dir = fixture(t)
	files := map[string]string{
		"long.bin":  strings.Repeat("\x01\x05\x00\x02", 50_000),
		"wrong.bin": strings.Repeat("\x00\x00\x01\xd1\x00\x02\x00\x00", 5_000), // v_add_f32_e64 v0, s0, s1
		"long.s":    strings.Repeat("s_nop 0\n", 50_000),
		"longer.s":  differentLines(2_000_000),
		"long.json": strings.Repeat(mine, 5_000),
	}
	for _, name := range []string{"manifest.json", "in.in.bin", "out.exp.bin"} {
		data, err := os.ReadFile(filepath.Join(dir, "sums", name))
		if err != nil {
			t.Fatal(err)
		}
		files["loops/"+name] = string(data)
	}
	loop, err := os.ReadFile(filepath.Join(dir, "loop.hsaco"))
	files["loops/reduce_lds.gfx803.hsaco"] = string(loop)
	if err = errors.Join(err, os.Mkdir(filepath.Join(dir, "loops"), 0o777)); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// differentLines returns so many different instructions, so that the assembler's cache does not help.
func differentLines(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "v_add_f32 v0, 0x%08x, v1\n", i<<8|0xff)
	}
	return b.String()
}

// start runs a command between two silent pipes for a while; the channel reports its end.
func start(t *testing.T, cmd *exec.Cmd) (ended chan error) {
	t.Helper()
	cmd.Stdin = nil
	in, err := cmd.StdinPipe()
	out, w, e := os.Pipe()
	if err = errors.Join(err, e); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close(); out.Close() })
	cmd.Stdout = w
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	ended = make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		t.Fatalf("it ended by itself: %v: %s", err, cmd.Stderr)
	case <-time.After(300 * time.Millisecond):
	}
	return ended
}

// atOnce limits the time in which a command must end: grace, plus the delay of a busy machine.
const atOnce = 30 * time.Second

// TestInterrupt: one signal ends every command at once, with the status of the signal, and the command leaves nothing
// except the picture being drawn.
func TestInterrupt(t *testing.T) {
	dir := lastingFixture(t)
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		for _, c := range lasting {
			if sig != syscall.SIGINT && !strings.HasSuffix(c.name, "_working") && !strings.HasSuffix(c.name, "_stdin") {
				continue // other signals behave the same elsewhere; these commands wait and work
			}
			t.Run(fmt.Sprintf("%d/%s", sig, c.name), func(t *testing.T) {
				t.Parallel()
				own := t.TempDir()
				out, silent := filepath.Join(own, "out"), filepath.Join(own, "silent")
				if err := errors.Join(os.Mkdir(out, 0o777), syscall.Mkfifo(silent, 0o666)); err != nil {
					t.Fatal(err)
				}
				c.args = strings.NewReplacer("OUT", out, "SILENT", silent).Replace(c.args)
				cmd, _ := c.prepare(t, dir, "")
				ended := start(t, cmd)
				sent := time.Now()
				if err := cmd.Process.Signal(sig); err != nil {
					t.Fatal(err)
				}
				select {
				case <-ended:
				case <-time.After(atOnce):
					cmd.Process.Kill()
					<-ended
					t.Fatalf("it goes on %v after the signal", time.Since(sent))
				}
				if w := cmd.ProcessState.Sys().(syscall.WaitStatus); !w.Signaled() || w.Signal() != sig {
					t.Errorf("it ended with %v", cmd.ProcessState)
				}
				left, err := os.ReadDir(out)
				if c.name == "render_working" && len(left) == 1 && left[0].Name() == "x.png" {
					left = nil // what was drawn so far
				}
				if err != nil || len(left) > 0 {
					t.Errorf("left over: %v, %v", left, err)
				}
			})
		}
	}
}

// TestInterruptedRun: a run reports its position, and no error about output that the interrupt prevented.
func TestInterruptedRun(t *testing.T) {
	c := invocation{"run", "run --engine reference loop.hsaco --grid 256 --block 256 --arg zero:4 --arg out=zero:4 --arg u32:0 --out out=x", ""}
	dir, s := fixture(t), ""
	for more := time.Duration(0); more < atOnce; more = 2*more + time.Second {
		cmd, stderr := c.prepare(t, dir, "")
		ended := start(t, cmd)
		time.Sleep(more)
		if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
		select {
		case <-ended:
		case <-time.After(atOnce):
			t.Fatal("it goes on")
		}
		// On a busy machine the run may not have started yet.
		if s = stderr.String(); s != "heddle: reading loop.hsaco: interrupted\n" {
			break
		}
	}
	if !strings.HasPrefix(s, "heddle: kernel reduce_lds pc 0x") || !strings.HasSuffix(s, " wave 0: stopped: interrupted\n") {
		t.Errorf("%q", s)
	}
}

// TestHangup: the end of a terminal ends a command, unless it was started to ignore that.
func TestHangup(t *testing.T) {
	dir := fixture(t)
	c := invocation{"dis", "dis --isa gcn -", ""}
	for _, ignored := range []bool{false, true} {
		cmd, _ := c.prepare(t, dir, "")
		if ignored {
			shellFirst(cmd, "trap '' HUP")
		}
		ended := start(t, cmd)
		if err := cmd.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
		wait := atOnce
		if ignored {
			wait = time.Second
		}
		select {
		case <-ended:
			if w := cmd.ProcessState.Sys().(syscall.WaitStatus); ignored || w.Signal() != syscall.SIGHUP {
				t.Errorf("ignored %v: it ended with %v", ignored, cmd.ProcessState)
			}
		case <-time.After(wait):
			if !ignored {
				t.Error("it goes on")
			}
			cmd.Process.Kill()
			<-ended
		}
	}
}

// TestInterruptedSave: a partly written file is removed when a signal arrives, and nothing is written afterwards.
func TestInterruptedSave(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("old"), 0o666); err != nil {
		t.Fatal(err)
	}
	a := newApp(t.Context(), os.Stdin, os.Stdout, os.Stderr)
	err := a.save(file, func(w io.Writer) error {
		if len(draftsIn(t, dir)) != 1 {
			t.Error("there is no draft")
		}
		_, err := w.Write([]byte("half"))
		a.drafts.abandon(true)
		if left := draftsIn(t, dir); len(left) > 0 {
			t.Errorf("left over: %s", left)
		}
		return err
	})
	if !errors.Is(err, errInterrupted) {
		t.Errorf("%v", err)
	}
	if err := a.save(filepath.Join(dir, "other"), bytesOf([]byte("more"))); !errors.Is(err, errInterrupted) {
		t.Errorf("%v", err)
	}
	names, err := os.ReadDir(dir)
	data, e := os.ReadFile(file)
	if err = errors.Join(err, e); err != nil || len(names) != 1 || string(data) != "old" {
		t.Errorf("%v: %q, %v", names, data, err)
	}
}
