package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
)

// A sink is standard output. What it does not take ends the run: nothing that follows could be written either.
type sink struct {
	file *os.File
	stop context.CancelFunc
	used bool // something was written
}

func (s *sink) Write(p []byte) (int, error) {
	s.used = true
	n, err := s.file.Write(p)
	if err != nil {
		s.stop()
	}
	return n, err
}

// finish writes what is left of standard output and returns the exit code: code, or 2 if any of it could not be written.
// Nothing is said of a reader that has gone away: whoever closed the pipe knows.
func (a *app) finish(code int) int {
	err := a.out.Flush()
	if e := a.sink.file.Close(); err == nil { // some file systems say only here that the disk is full
		err = e
	}
	if err == nil {
		return code
	}
	if !errors.Is(err, syscall.EPIPE) {
		fmt.Fprintf(a.err, "heddle: %v\n", err)
	}
	return 2
}

// save puts what write makes into the file of that name; - is standard output.
//
// A regular file is written beside its name and renamed once it is whole, so that a run that fails leaves the old one; a new
// one keeps the permissions of the old one. A link stays a link. What is no regular file, such as a device or a pipe, is
// written directly.
//
// The error is an unwritten.
func (a *app) save(path string, write func(io.Writer) error) error {
	if a.readOnly {
		return fmt.Errorf("%s: %w", path, errReadOnly)
	}
	if err := a.put(path, write); err != nil {
		return unwritten{err}
	}
	return nil
}

// An unwritten is of a result that could not be written: exit code 2, whatever else is wrong.
type unwritten struct{ error }

func (u unwritten) Unwrap() error { return u.error }

// writable is why files cannot be written whatever they will hold: a folder that is not there. It is asked before work whose
// results they get, and its error is what save would say after it.
func writable(paths ...string) error {
	for _, path := range paths {
		if path == "" || path == "-" {
			continue
		}
		dir := filepath.Dir(path)
		info, err := os.Stat(dir)
		if err == nil && !info.IsDir() {
			err = &fs.PathError{Op: "write", Path: path, Err: syscall.ENOTDIR}
		}
		if err != nil {
			return unwritten{named(err, dir, path)}
		}
	}
	return nil
}

// put is save.
func (a *app) put(path string, write func(io.Writer) error) error {
	if a.drafts.isOver(a.late) {
		return errInterrupted
	}
	if path == "-" {
		return write(a.out)
	}
	old, err := os.Stat(path)
	if err != nil {
		old = nil // what else may be wrong with the name, making the file says
	}
	out, err := a.sink.file.Stat()
	switch {
	case old == nil:
		return a.replace(path, nil, write)
	case err == nil && os.SameFile(old, out): // /dev/stdout: opened again, one would write over the other
		return write(a.out)
	case old.IsDir():
		return &fs.PathError{Op: "write", Path: path, Err: syscall.EISDIR}
	case !old.Mode().IsRegular() || isDescriptor(path):
		return direct(path, write)
	}
	return a.replace(path, old, write)
}

// bytesOf writes bytes, for save.
func bytesOf(data []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	}
}

// isDescriptor is whether a path stands for an open file of this process, such as /dev/fd/3: its name is not the file's.
func isDescriptor(path string) bool {
	dir, err := filepath.EvalSymlinks(filepath.Dir(path))
	return err == nil && strings.HasPrefix(dir, "/proc/") || path == "/dev/stderr"
}

// direct writes what cannot be replaced, behind what others have written there.
func direct(path string, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}

// replace writes a regular file; old is the one there is.
func (a *app) replace(path string, old fs.FileInfo, write func(io.Writer) error) (err error) {
	name, err := behindLinks(path)
	if err != nil {
		return err
	}
	if old != nil { // a file that must not be written is not replaced either
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			return named(err, name, path)
		}
		f.Close()
	}
	draft, err := a.drafts.create(filepath.Dir(name), a.late)
	if err != nil {
		return named(err, "", path)
	}
	defer func() {
		if err != nil {
			a.drafts.drop(draft.Name())
			err = named(err, draft.Name(), path)
		}
	}()
	err = write(draft)
	if old != nil && err == nil {
		err = draft.Chmod(old.Mode().Perm())
	}
	if e := draft.Close(); err == nil {
		err = e
	}
	if err != nil {
		return err
	}
	return a.drafts.keep(draft.Name(), name, a.late)
}

// behindLinks is the name that a path leads to through symbolic links, whether there is such a file or not.
func behindLinks(path string) (string, error) {
	name := path
	for range 40 { // as many as Linux follows
		to, err := os.Readlink(name)
		if err != nil { // no link, or no file
			return name, nil
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(name), to)
		}
		name = to
	}
	return "", &fs.PathError{Op: "write", Path: path, Err: syscall.ELOOP}
}

// named is an error of a draft as one of the file that it was to become: the user has not heard of drafts. With draft ""
// all errors are meant.
func named(err error, draft, path string) error {
	var p *fs.PathError
	if errors.As(err, &p) && (draft == "" || p.Path == draft) {
		return &fs.PathError{Op: "write", Path: path, Err: p.Err}
	}
	var l *os.LinkError
	if errors.As(err, &l) {
		return &fs.PathError{Op: "write", Path: path, Err: l.Err}
	}
	return err
}

// drafts are the files being written, beside their names: a run that is interrupted leaves none behind.
type drafts struct {
	mu    sync.Mutex
	names map[string]bool
	over  bool // nothing is written any more, but for what is kept of work that was interrupted
	dead  bool // nothing at all
}

func newDrafts() *drafts { return &drafts{names: map[string]bool{}} }

// errInterrupted is of files that a signal kept from being written.
var errInterrupted = errors.New("interrupted")

func (d *drafts) isOver(late bool) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.dead || d.over && !late
}

// create makes a draft in a folder, with the permissions of a new file.
func (d *drafts) create(dir string, late bool) (*os.File, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.dead || d.over && !late {
		return nil, errInterrupted
	}
	for range 100 {
		name := filepath.Join(dir, fmt.Sprintf(".heddle-%016x", rand.Uint64()))
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if err == nil {
			d.names[name] = true
		}
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
	return nil, &fs.PathError{Op: "create", Path: dir, Err: fs.ErrExist}
}

// keep gives a draft its name.
func (d *drafts) keep(draft, name string, late bool) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.dead || d.over && !late {
		return errInterrupted
	}
	if err := os.Rename(draft, name); err != nil {
		return err
	}
	delete(d.names, draft)
	return nil
}

// drop removes a draft.
func (d *drafts) drop(draft string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.names[draft] {
		os.Remove(draft)
		delete(d.names, draft)
	}
}

// abandon removes all drafts, and there are no others from then on, but for late ones until it is the end.
func (d *drafts) abandon(end bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.over, d.dead = true, d.dead || end
	for name := range d.names {
		os.Remove(name)
		delete(d.names, name)
	}
}
