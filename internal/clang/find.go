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

// A NotFoundError says that there is no clang.
type NotFoundError struct {
	Name string // the program that was asked for; "": any
	Err  error  // of looking for it
}

func (e *NotFoundError) Error() string {
	if e.Name == "" {
		return "no clang is on $PATH: source files are compiled by clang"
	}
	return fmt.Sprintf("no clang: %v", e.Err)
}

func (e *NotFoundError) Unwrap() error { return e.Err }

// Hint says what would do.
func (e *NotFoundError) Hint() string {
	return "install clang 14 or later with the AMDGPU target (Debian, Ubuntu: apt install clang; Fedora: dnf install clang), or name one with --clang PATH or $HEDDLE_CLANG"
}

var numbered = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^clang-([0-9]{1,4})$`) })

// Find is the path of a clang: of the named one, or else of $HEDDLE_CLANG, of clang on $PATH, or of the clang-N there with the greatest N.
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

// majorOf is the number of LLVM's release in what clang says of its version; 0 if it is not there.
func majorOf(version string) int {
	m := versionWord().FindStringSubmatch(version)
	if m == nil {
		return 0
	}
	n, _ := strconv.Atoi(m[1])
	return n
}

// A FailedError says that clang has refused a source file. What clang says of it has been written already.
type FailedError struct {
	File, Clang string
	Errors      []Diagnostic // what clang calls errors, in its order
	Err         error
}

func (e *FailedError) Error() string {
	return fmt.Sprintf("%s: %s does not compile it", e.File, e.Clang)
}

func (e *FailedError) Unwrap() error { return e.Err }

// A FlagError says that flags of the user make clang write something else than an object.
type FlagError struct{ File, Clang string }

func (e *FlagError) Error() string {
	return fmt.Sprintf("%s: %s writes no object file with these flags", e.File, e.Clang)
}

// Hint says what would do.
func (e *FlagError) Hint() string {
	return "leave out flags that change what clang writes, such as -S, -E, -emit-llvm, -flto and -fsyntax-only"
}

// unwritten is the error of reading what clang should have written.
func (c *compiler) unwritten(err error) error {
	if errors.Is(err, fs.ErrNotExist) && len(c.o.Flags) > 0 {
		return &FlagError{c.path, filepath.Base(c.clang)}
	}
	return err
}

// An exitError is that clang has ended with another code than 0.
type exitError struct{ error }

// maxSaid bounds what is kept of what a compiler says.
const maxSaid = 1 << 20

// run runs clang, and gives what it says.
func (c *compiler) run(args []string) (said []byte, err error) {
	var out capped
	cmd := c.command(args)
	cmd.Stderr = &out
	err = c.done(cmd.Run())
	return out.Bytes(), err
}

// command is a call of clang that ends with the context.
func (c *compiler) command(args []string) *exec.Cmd {
	cmd := exec.CommandContext(c.ctx, c.clang, args...)
	cmd.WaitDelay = time.Second
	return cmd
}

// done is the error of a call of clang.
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

// ask is the standard output of a short question.
func (c *compiler) ask(args ...string) (string, error) {
	var out, said capped
	cmd := c.command(args)
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := c.done(cmd.Run()); err != nil {
		return "", fmt.Errorf("%w: %s", err, bytes.TrimSpace(said.Bytes()))
	}
	return out.String(), nil
}

// isExit is whether an error is that clang has refused something.
func isExit(err error) bool {
	var exit *exitError
	return errors.As(err, &exit)
}

// failed is the error of a call of clang about the source, of which clang has said something.
func (c *compiler) failed(err error, said []byte) error {
	if !isExit(err) {
		return err
	}
	c.say(said)
	return &FailedError{c.path, filepath.Base(c.clang), diagnostics(said), err}
}

// say hands on what clang says.
func (c *compiler) say(text []byte) {
	c.says.Write(text)
	if c.o.Err != nil {
		c.o.Err.Write(text) // an error there is no error of the compilation
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

// shortVersion is the first line of what clang says of its version.
func (c *compiler) shortVersion() string {
	line, _, _ := strings.Cut(c.version, "\n")
	return line
}
