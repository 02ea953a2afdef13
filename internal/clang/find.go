package clang

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A NotFoundError reports that there is no clang.
type NotFoundError struct {
	Name string // the requested program; "": any
	Err  error  // from the search
}

func (e *NotFoundError) Error() string {
	if e.Name == "" {
		return "no clang is on $PATH: source files are compiled by clang"
	}
	return fmt.Sprintf("no clang: %v", e.Err)
}

func (e *NotFoundError) Unwrap() error { return e.Err }

// Hint suggests a remedy.
func (e *NotFoundError) Hint() string {
	return "install clang 14 or later with the AMDGPU target (Debian, Ubuntu: apt install clang; Fedora: dnf install clang), or name one with --clang PATH or $HEDDLE_CLANG"
}

var numbered = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^clang-([0-9]{1,4})$`) })

// Find returns the path of a clang: the named one, else $HEDDLE_CLANG, else clang on $PATH, else the clang-N there with
// the greatest N.
func Find(name string) (string, error) {
	if name == "" {
		name = os.Getenv("HEDDLE_CLANG")
	}
	if name != "" {
		path, err := exec.LookPath(name)
		if err != nil {
			return "", &NotFoundError{name, err}
		}
		return path, nil
	}
	if path, err := exec.LookPath("clang"); err == nil {
		return path, nil
	}
	best, most := "", 0
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue // as a shell does
		}
		for _, e := range entries {
			m := numbered().FindStringSubmatch(e.Name())
			if m == nil {
				continue
			}
			n, _ := strconv.Atoi(m[1]) // digits
			if path, err := exec.LookPath(filepath.Join(dir, e.Name())); err == nil && n > most {
				best, most = path, n
			}
		}
	}
	if best == "" {
		return "", &NotFoundError{Err: exec.ErrNotFound}
	}
	return best, nil
}

var versionWord = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`version ([0-9]{1,4})\.`) })

// majorOf returns LLVM's major version from the output of clang --version; 0 if it is not there.
func majorOf(version string) int {
	m := versionWord().FindStringSubmatch(version)
	if m == nil {
		return 0
	}
	n, _ := strconv.Atoi(m[1])
	return n
}

// A FailedError reports that clang has rejected a source file. Its messages have been written already.
type FailedError struct {
	File, Clang string
	Errors      []Diagnostic // errors of clang, in order
	Err         error
}

func (e *FailedError) Error() string {
	return fmt.Sprintf("%s: %s does not compile it", e.File, e.Clang)
}

func (e *FailedError) Unwrap() error { return e.Err }

// A FlagError reports that flags of the user make clang write something other than an object.
type FlagError struct{ File, Clang string }

func (e *FlagError) Error() string {
	return fmt.Sprintf("%s: %s writes no object file with these flags", e.File, e.Clang)
}

// Hint suggests a remedy.
func (e *FlagError) Hint() string {
	return "leave out flags that change what clang writes, such as -S, -E, -emit-llvm, -flto and -fsyntax-only"
}

// unwritten returns the error for a file that clang should have written but cannot be read.
func (c *compiler) unwritten(err error) error {
	if errors.Is(err, fs.ErrNotExist) && len(c.o.Flags) > 0 {
		return &FlagError{c.path, filepath.Base(c.clang)}
	}
	return err
}

// An exitError reports that clang ended with an exit code other than 0.
type exitError struct{ error }

// maxSaid limits the messages of a compiler that are kept.
const maxSaid = 1 << 20

// run runs clang, and returns its messages.
func (c *compiler) run(args []string) (said []byte, err error) {
	var out capped
	cmd := c.command(args)
	cmd.Stderr = &out
	err = c.done(cmd.Run())
	return out.Bytes(), err
}

// command returns a call of clang that ends with the context.
func (c *compiler) command(args []string) *exec.Cmd {
	cmd := exec.CommandContext(c.ctx, c.clang, args...)
	cmd.WaitDelay = time.Second
	return cmd
}

// done returns the error of a call of clang.
func (c *compiler) done(err error) error {
	if c.ctx.Err() != nil {
		return context.Cause(c.ctx)
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return &exitError{fmt.Errorf("%s: %w", c.clang, err)}
	}
	return err
}

// ask returns the standard output of a short call.
func (c *compiler) ask(args ...string) (string, error) {
	var out, said capped
	cmd := c.command(args)
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := c.done(cmd.Run()); err != nil {
		return "", fmt.Errorf("%w: %s", err, bytes.TrimSpace(said.Bytes()))
	}
	return out.String(), nil
}

// isExit reports whether an error means that clang has rejected something.
func isExit(err error) bool {
	var exit *exitError
	return errors.As(err, &exit)
}

// failed returns the error of a call of clang about the source, with its messages.
func (c *compiler) failed(err error, said []byte) error {
	if !isExit(err) {
		return err
	}
	c.say(said)
	return &FailedError{c.path, filepath.Base(c.clang), diagnostics(said), err}
}

// say passes the messages of clang on.
func (c *compiler) say(text []byte) {
	c.says.Write(text)
	if c.o.Err != nil {
		c.o.Err.Write(text) // a write error does not affect the compilation
	}
}

func (c *compiler) file(name string) string { return filepath.Join(c.dir, name) }

// A capped buffer keeps the first maxSaid bytes.
type capped struct{ bytes.Buffer }

func (b *capped) Write(p []byte) (int, error) {
	if room := maxSaid - b.Len(); room < len(p) {
		b.Buffer.Write(p[:max(room, 0)])
		return len(p), nil
	}
	return b.Buffer.Write(p)
}

// shortVersion returns the first line of the output of clang --version.
func (c *compiler) shortVersion() string {
	line, _, _ := strings.Cut(c.version, "\n")
	return line
}
