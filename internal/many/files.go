// Package many processes many files with workers: it finds the files below paths, and distributes them. Output about
// each file appears in the order of the files, for any number of workers.
package many

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/internal/limit"
)

// Paths are files and folders, with a selection of files in the folders.
type Paths struct {
	Roots []string // "-" is standard input
	// Include are globs of path.Match. One without a slash matches the name of a file, one with slashes its path
	// relative to the folder. A file that matches one of them is selected; then Take is not called.
	Include []string
	// Take reports whether a file of a folder is selected, if Include is empty.
	Take func(path string) (bool, error)
}

// A File is a file to work on.
type File struct {
	Path string
	Rel  string // relative to the folder on the command line in which it was found; for a file named there, its base
	Err  error  // why it cannot be read; nil if that was not tried yet
}

// Stdin is the path of standard input.
const Stdin = "-"

// Passed counts what was skipped in folders.
type Passed struct {
	Files   int // not selected
	Links   int // symbolic links, which are not followed, and other files that are not regular
	Folders int // with names that start with a dot
}

// Any reports whether something was skipped.
func (p Passed) Any() bool { return p != Passed{} }

// String describes what was skipped, as in "3 other files, 1 hidden folder"; "" if nothing was.
func (p Passed) String() string {
	var parts []string
	for _, x := range []struct {
		n    int
		what string
	}{{p.Files, "other file"}, {p.Links, "link or special file"}, {p.Folders, "hidden folder"}} {
		switch {
		case x.n == 1:
			parts = append(parts, "1 "+x.what)
		case x.n > 1:
			parts = append(parts, fmt.Sprintf("%d %s", x.n, strings.Replace(x.what+"s", "link or special files", "links or special files", 1)))
		}
	}
	return strings.Join(parts, ", ")
}

// Check reports errors of the globs and the roots: an invalid glob, and standard input given twice.
func (p *Paths) Check() error {
	for _, g := range p.Include {
		if _, err := path.Match(g, ""); err != nil || g == "" {
			return fmt.Errorf("--include %q: want a glob such as '*.hsaco' or 'shaders/*.s'", g)
		}
	}
	if i := slices.Index(p.Roots, Stdin); i >= 0 && slices.Contains(p.Roots[i+1:], Stdin) {
		return errors.New("- is given twice, and standard input can be read once")
	}
	return nil
}

// Walk emits the files in the order of the roots, those of a folder in lexical order. A root or a folder that cannot be
// read is emitted with its error, and the walk continues. It ends early if emit returns false. Memory use does not grow
// with the number of files, except that the names of one folder are held at a time.
func (p *Paths) Walk(ctx context.Context, emit func(File) bool) (passed Passed, err error) {
	for _, root := range p.Roots {
		info, err := os.Stat(root)
		switch {
		case root != Stdin && err == nil && info.IsDir():
			if err := p.folder(ctx, root, &passed, emit); err != nil {
				return passed, err
			}
		case !emit(File{Path: root, Rel: filepath.Base(root)}): // errors are found when it is read
			return passed, errEnough
		}
	}
	return passed, ctx.Err()
}

// errEnough ends a walk early.
var errEnough = errors.New("many: interrupted")

// folder emits the files below a folder.
func (p *Paths) folder(ctx context.Context, root string, passed *Passed, emit func(File) bool) error {
	return filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		rel, e := filepath.Rel(root, file)
		if e != nil {
			return e
		}
		f := File{Path: file, Rel: rel, Err: err}
		switch {
		case err != nil: // from reading a folder: the walk continues
		case d.IsDir():
			if strings.HasPrefix(d.Name(), ".") && file != root {
				passed.Folders++
				return fs.SkipDir
			}
			return nil
		case !d.Type().IsRegular():
			passed.Links++
			return nil
		default:
			var wanted bool
			if wanted, f.Err = p.wants(file, rel); !wanted && f.Err == nil {
				passed.Files++
				return nil
			}
		}
		if !emit(f) {
			return errEnough
		}
		return nil
	})
}

// wants reports whether a file of a folder is selected.
func (p *Paths) wants(file, rel string) (bool, error) {
	if len(p.Include) == 0 {
		return p.Take(file)
	}
	return slices.ContainsFunc(p.Include, func(g string) bool { return Match(g, rel) }), nil
}

// Match reports whether a glob of Paths.Include matches a file of a folder.
func Match(glob, rel string) bool {
	name := filepath.ToSlash(rel)
	if !strings.Contains(glob, "/") {
		name = path.Base(name)
	}
	ok, _ := path.Match(glob, name) // Check has validated it
	return ok
}

// Head returns the first n bytes of a file, or all of a shorter one.
func Head(file string, n int) ([]byte, error) {
	f, err := limit.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	head := make([]byte, n)
	got := 0
	for got < n {
		k, err := f.Read(head[got:])
		if got += k; err != nil || k == 0 { // a short file; other errors will occur again when it is read
			break
		}
	}
	return head[:got], nil
}
