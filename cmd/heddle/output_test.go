//go:build unix

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// saving is every command that writes a file, in every way. FILE is in the folder out.
var saving = []struct {
	invocation
	file string
}{
	{invocation{"asm", "asm --isa gcn end.s -o FILE", ""}, "end.bin"},
	{invocation{"asm_hex", "asm --isa gcn end.s --hex -o FILE", ""}, "end.hex"},
	{invocation{"run_out", "run " + kernel + " --out out=FILE", ""}, "sums.bin"},
	{invocation{"run_picture", "run sums --dir out", ""}, "sums.png"},
	{invocation{"render", pixels + " -o FILE", ""}, "uv.png"},
	{invocation{"render_diff", pixels + " --diff black.png --tolerance 255 --diff-out FILE", ""}, "diff.png"},
}

// TestStdoutFull: an error of writing to standard output gives exit code 2 and the reason.
func TestStdoutFull(t *testing.T) {
	dir := fixture(t)
	for _, c := range printing {
		t.Run(c.name, func(t *testing.T) {
			full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer full.Close()
			cmd, stderr := c.prepare(t, dir, "")
			cmd.Stdout = full
			if code := exitCode(t, cmd.Run()); code != 2 {
				t.Errorf("exit code %d", code)
			}
			if want := "heddle: write /dev/stdout: no space left on device\n"; stderr.String() != want {
				t.Errorf("%q, want %q", stderr, want)
			}
		})
	}
}

// TestStdoutClosed: a pipe without reader gives exit code 2 and no message.
func TestStdoutClosed(t *testing.T) {
	dir := fixture(t)
	for _, c := range printing {
		t.Run(c.name, func(t *testing.T) {
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			r.Close()
			defer w.Close()
			cmd, stderr := c.prepare(t, dir, "")
			cmd.Stdout = w
			if code := exitCode(t, cmd.Run()); code != 2 {
				t.Errorf("exit code %d", code)
			}
			if stderr.Len() > 0 {
				t.Errorf("%q", stderr)
			}
		})
	}
}

// An endless repeats a line.
type endless string

func (e endless) Read(p []byte) (n int, err error) {
	for n+len(e) <= len(p) {
		n += copy(p[n:], e)
	}
	return n, nil
}

// TestReaderLeaves: a command whose reader closes after the first line ends soon, however much work is left.
func TestReaderLeaves(t *testing.T) {
	dir := fixture(t)
	for name, text := range map[string]string{
		"long.bin":  strings.Repeat("\x01\x05\x00\x02", 200_000), // about 15 MB of text
		"many.json": strings.Repeat(mine, 20_000),
		"many.s":    strings.Repeat("s_nop 0\n", 100_000),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		invocation
		in io.Reader
	}{
		{invocation{name: "dis", args: "dis --isa gcn long.bin"}, nil},
		{invocation{name: "dis_lines", args: "dis --isa gcn --lines"}, endless("01050002\n")},
		{invocation{name: "asm_lines", args: "asm --isa gcn --lines"}, endless("s_endpgm\n")},
		{invocation{name: "asm_hex", args: "asm --isa gcn --hex many.s"}, nil},
		{invocation{name: "check", args: "check -v many.json"}, nil},
		{invocation{name: "dis_json", args: "dis --isa gcn --json long.bin"}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cmd, stderr := tt.prepare(t, dir, "")
			cmd.Stdin = nil
			if tt.in != nil {
				in, err := cmd.StdinPipe()
				if err != nil {
					t.Fatal(err)
				}
				go io.Copy(in, tt.in) // until the command has ended
			}
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			var b [1]byte
			if _, err := out.Read(b[:]); err != nil {
				t.Errorf("nothing to read: %v", err)
			}
			out.Close()
			left := time.Now()
			if code := exitCode(t, cmd.Wait()); code != 2 || stderr.Len() > 0 {
				t.Errorf("exit code %d: %s", code, stderr)
			}
			if d := time.Since(left); d > atOnce {
				t.Errorf("it went on for %v", d)
			}
		})
	}
}

// obstacles prevent a file from being written; out is its folder, file its name.
var obstacles = []struct {
	name, says string
	put        func(out, file string) error
	shell      string // before the command
}{
	{"full device", "no space left on device", func(out, file string) error {
		return errors.Join(os.Mkdir(out, 0o777), os.Symlink("/dev/full", file))
	}, ""},
	{"full disk", "file too large", func(out, file string) error {
		return errors.Join(os.Mkdir(out, 0o777), os.WriteFile(file, []byte("old"), 0o640))
	}, "ulimit -f 0"}, // simulates a full disk: files cannot have any bytes
	{"is a folder", "is a directory", func(out, file string) error { return os.MkdirAll(file, 0o777) }, ""},
	{"in a file", "not a directory", func(out, file string) error { return os.WriteFile(out, nil, 0o666) }, ""},
	{"in no folder", "no such file or directory", func(out, file string) error { return nil }, ""},
	{"goes in circles", "too many levels of symbolic links", func(out, file string) error {
		return errors.Join(os.Mkdir(out, 0o777), os.Symlink(file, file))
	}, ""},
	{"read-only folder", "permission denied", func(out, file string) error { return os.Mkdir(out, 0o555) }, ""},
	{"read-only file", "permission denied", func(out, file string) error {
		return errors.Join(os.Mkdir(out, 0o777), os.WriteFile(file, []byte("old"), 0o444))
	}, ""},
}

// TestCannotWrite: a file that cannot be written gives exit code 2 and is named; the old file stays, and nothing is
// left over.
func TestCannotWrite(t *testing.T) {
	for _, o := range obstacles {
		for _, c := range saving {
			t.Run(o.name+"/"+c.name, func(t *testing.T) {
				t.Parallel()
				dir := fixture(t)
				out := filepath.Join(dir, "out")
				file := filepath.Join(out, c.file)
				if err := o.put(out, file); err != nil {
					t.Fatal(err)
				}
				old, oldErr := os.Lstat(file)
				cmd, stderr := c.prepare(t, dir, filepath.Join("out", c.file))
				shellFirst(cmd, o.shell)
				unprivileged(t, cmd, dir)
				if code := exitCode(t, cmd.Run()); code != 2 {
					t.Errorf("exit code %d", code)
				}
				if want := "heddle: write out/" + c.file + ": " + o.says + "\n"; !strings.HasSuffix(stderr.String(), want) {
					t.Errorf("%q, want %q", stderr, want)
				}
				now, nowErr := os.Lstat(file)
				if (oldErr == nil) != (nowErr == nil) || old != nil && now != nil && (old.Mode() != now.Mode() || old.Size() != now.Size()) {
					t.Errorf("%v, %v before, %v, %v after", old, oldErr, now, nowErr)
				}
				if left := draftsIn(t, out); len(left) > 0 {
					t.Errorf("left over: %s", left)
				}
			})
		}
	}
}

// shellFirst makes a shell run something before it becomes the command.
func shellFirst(cmd *exec.Cmd, what string) {
	if what != "" {
		cmd.Args = append([]string{"sh", "-c", what + ` && exec "$0" "$@"`, cmd.Path}, cmd.Args[1:]...)
		cmd.Path = "/bin/sh"
	}
}

// unprivileged runs a command of the superuser, who has all permissions, as the user nobody, who becomes the owner of
// the folder.
func unprivileged(t *testing.T, cmd *exec.Cmd, dir string) {
	t.Helper()
	if os.Geteuid() != 0 {
		return
	}
	const nobody = 65534
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		return errors.Join(err, os.Lchown(path, nobody, nobody))
	})
	command, e := exec.LookPath("heddle")
	err = errors.Join(err, e)
	for _, up := range []string{filepath.Dir(dir), filepath.Dir(command), filepath.Dir(filepath.Dir(command))} {
		err = errors.Join(err, os.Chmod(up, 0o755))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestFaultCannotWrite: the buffers of a run that faulted are written, too; if that fails, both errors are reported and
// the exit code is 2.
func TestFaultCannotWrite(t *testing.T) {
	c := invocation{"run", "run loop.hsaco --grid 256 --block 256 --max-steps 100 --arg zero:4 --arg out=zero:4 --arg u32:0 --out out=FILE", ""}
	for file, want := range map[string]string{"x": "", "taken": "\nwrite taken: is a directory"} {
		dir, code := fixture(t), 1
		if err := os.Mkdir(filepath.Join(dir, "taken"), 0o777); err != nil {
			t.Fatal(err)
		}
		if want != "" {
			code = 2
		}
		cmd, stderr := c.prepare(t, dir, file)
		if got := exitCode(t, cmd.Run()); got != code {
			t.Errorf("%s: exit code %d, want %d", file, got, code)
		}
		if s := stderr.String(); !strings.Contains(s, "step limit of 100 guest instructions reached") || !strings.HasSuffix(s, want+"\n") {
			t.Errorf("%s: %q", file, s)
		}
		if data, err := os.ReadFile(filepath.Join(dir, file)); (err == nil) != (want == "") || err == nil && len(data) != 4 {
			t.Errorf("%s: %x, %v", file, data, err)
		}
	}
}

// saved assembles into a file and checks its contents and mode; mode 0 means that it is not a regular file.
func saved(t *testing.T, dir, file string, mode fs.FileMode) {
	t.Helper()
	c := invocation{"asm", "asm --isa gcn end.s -o FILE", ""}
	cmd, stderr := c.prepare(t, dir, file)
	shellFirst(cmd, "umask 027")
	if out, err := cmd.Output(); err != nil || len(out) > 0 || stderr.Len() > 0 {
		t.Errorf("%v: %s%s", err, out, stderr)
	}
	if left := draftsIn(t, dir); len(left) > 0 {
		t.Errorf("left over: %s", left)
	}
	if mode == 0 {
		return
	}
	path := filepath.Join(dir, file)
	data, err := os.ReadFile(path)
	info, e := os.Stat(path)
	if err = errors.Join(err, e); err != nil || string(data) != endpgm || info.Mode() != mode {
		t.Errorf("%s: %x, %v, %v, want %v", path, data, info.Mode(), err, mode)
	}
}

// endpgm is s_endpgm: SOPP, opcode 1.
const endpgm = "\x00\x00\x81\xbf"

// TestSaved: the state of a file after it has been written.
func TestSaved(t *testing.T) {
	t.Run("new", func(t *testing.T) {
		saved(t, fixture(t), "new", 0o640) // as umask permits
	})
	t.Run("old", func(t *testing.T) {
		dir := fixture(t)
		old := filepath.Join(dir, "old")
		if err := errors.Join(os.WriteFile(old, []byte("longer than what comes"), 0o666), os.Chmod(old, 0o755), os.Link(old, old+"er")); err != nil {
			t.Fatal(err)
		}
		saved(t, dir, "old", 0o755)
		if data, err := os.ReadFile(old + "er"); err != nil || string(data) != "longer than what comes" {
			t.Errorf("it was written over in place: %q, %v", data, err)
		}
	})
	t.Run("link", func(t *testing.T) {
		dir := fixture(t)
		link := filepath.Join(dir, "link")
		if err := errors.Join(os.Mkdir(filepath.Join(dir, "there"), 0o777), os.Symlink("link2", link), os.Symlink("there/file", link+"2")); err != nil {
			t.Fatal(err)
		}
		for range 2 { // without an existing target file, and with one
			saved(t, dir, "link", 0o640)
			if to, err := os.Readlink(link); to != "link2" {
				t.Errorf("the link leads to %q, %v", to, err)
			}
		}
	})
}

// TestSavedDirectly: what is not a regular file is written, and not replaced.
func TestSavedDirectly(t *testing.T) {
	dir := fixture(t)
	saved(t, dir, "/dev/null", 0)
	if info, err := os.Stat("/dev/null"); err != nil || info.Mode()&os.ModeCharDevice == 0 {
		t.Fatalf("/dev/null is %v, %v", info, err)
	}
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o666); err != nil {
		t.Fatal(err)
	}
	read := make(chan string, 1)
	go func() {
		data, err := os.ReadFile(pipe)
		read <- string(data) + fmt.Sprint(err)
	}()
	saved(t, dir, "pipe", 0)
	if got, want := <-read, endpgm+"<nil>"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestSavedToStdout: names of standard output mean standard output, so that output is neither overwritten nor lost.
func TestSavedToStdout(t *testing.T) {
	for _, name := range []string{"-", "/dev/stdout", "/dev/fd/1"} {
		t.Run(strings.ReplaceAll(name, "/", "_"), func(t *testing.T) {
			dir := fixture(t)
			c := invocation{"run", "run " + kernel + " --out out=FILE", ""}
			cmd, stderr := c.prepare(t, dir, name)
			f, err := os.Create(filepath.Join(dir, "all"))
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			cmd.Stdout = f
			if err := cmd.Run(); err != nil {
				t.Fatalf("%v: %s", err, stderr)
			}
			got, err := os.ReadFile(filepath.Join(dir, "all"))
			sums, e := os.ReadFile(filepath.Join(dir, "sums", "out.exp.bin"))
			if err = errors.Join(err, e); err != nil {
				t.Fatal(err)
			}
			if name == "-" { // only the buffer
				if !bytes.Equal(got, sums) {
					t.Errorf("%x, want %x", got, sums)
				}
				return
			}
			if !bytes.HasPrefix(got, []byte("reduce_lds: grid 1024 ")) || !bytes.HasSuffix(got, sums) || !bytes.Contains(got, []byte("\ncounters: ")) {
				t.Errorf("%q", got)
			}
		})
	}
}
