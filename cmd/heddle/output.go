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

// A sink is standard output. An error of writing ends the run, because nothing that follows could be written either.
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

// finish flushes standard output and returns the exit code: code, or 2 if some output could not be written. It does not
// report a closed pipe: the reader closed it on purpose.
func (a *app) finish(code int) int {
	err := a.out.Flush()
	if e := a.sink.file.Close(); err == nil { // some file systems report a full disk only here
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

// save writes the output of write to the file of that name; - is standard output.
//
// A regular file is written under a temporary name in the same folder and renamed when it is complete, so that a failed
// run leaves the old one; a new file keeps the permissions of the old one. A link stays a link. Anything that is not a
// regular file, such as a device or a pipe, is written directly.
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

// An unwritten is the error of a result that could not be written: exit code 2, whatever else is wrong.
type unwritten struct{ error }

func (u unwritten) Unwrap() error { return u.error }

// writable reports why files cannot be written, independent of their contents: a missing folder. It is called before
// the work that makes the contents, and its error is the one that save would return after it.
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

// put does the work of save.
func (a *app) put(path string, write func(io.Writer) error) error {
	if a.drafts.isOver(a.late) {
		return errInterrupted
	}
	if path == "-" {
		return write(a.out)
	}
	old, err := os.Stat(path)
	if err != nil {
		old = nil // other errors of the name are reported when the file is made
	}
	out, err := a.sink.file.Stat()
	switch {
	case old == nil:
		return a.replace(path, nil, write)
	case err == nil && os.SameFile(old, out): // /dev/stdout: opened twice, output would overwrite output
		return write(a.out)
	case old.IsDir():
		return &fs.PathError{Op: "write", Path: path, Err: syscall.EISDIR}
	case !old.Mode().IsRegular() || isDescriptor(path):
		return direct(path, write)
	}
	return a.replace(path, old, write)
}

// bytesOf returns a function that writes bytes, for save.
func bytesOf(data []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	}
}

// isDescriptor reports whether a path denotes an open file of this process, such as /dev/fd/3: its name is not the
// file's.
func isDescriptor(path string) bool {
	dir, err := filepath.EvalSymlinks(filepath.Dir(path))
	return err == nil && strings.HasPrefix(dir, "/proc/") || path == "/dev/stderr"
}

// direct writes to what cannot be replaced, after earlier output.
func direct(path string, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}

// replace writes a regular file; old is the existing one.
func (a *app) replace(path string, old fs.FileInfo, write func(io.Writer) error) (err error) {
	name, err := behindLinks(path)
	if err != nil {
		return err
	}
	if old != nil { // a file without write permission is not replaced either
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

// behindLinks resolves the symbolic links of a path, whether or not the file exists.
func behindLinks(path string) (string, error) {
	name := path
	for range 40 { // the limit of Linux
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

// named replaces the name of a draft in an error by that of the final file: the user does not know about drafts. With
// draft "" it applies to all errors.
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

// drafts are the temporary files being written: an interrupted run removes them.
type drafts struct {
	mu    sync.Mutex
	names map[string]bool
	over  bool // only files of interrupted work that are kept may be written
	dead  bool // nothing may be written
}

func newDrafts() *drafts { return &drafts{names: map[string]bool{}} }

// errInterrupted is the error for files that a signal prevented from being written.
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

// keep renames a draft to its final name.
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

// abandon removes all drafts and forbids new ones, except late ones unless end is set.
func (d *drafts) abandon(end bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.over, d.dead = true, d.dead || end
	for name := range d.names {
		os.Remove(name)
		delete(d.names, name)
	}
}
