package limit

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// A Folder is where the files are that a manifest or a scene names. None is opened that lies elsewhere, be it by its
// name or by a link.
type Folder struct {
	Of      string // the file that names others, as given; they are relative to its folder
	What    string // what Of is, for messages: scene
	Outside bool   // names and links may lead out of the folder
}

// Path is where a named file is, whether it may be opened or not.
func (d Folder) Path(name string) string {
	name = filepath.FromSlash(name)
	if d.Outside && filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(d.dir(), name)
}

func (d Folder) dir() string { return filepath.Dir(d.Of) }

// Open opens a named file, which must be a regular one.
func (d Folder) Open(name string) (*os.File, error) {
	if d.Outside {
		return Open(d.Path(name))
	}
	local := filepath.FromSlash(name)
	if !filepath.IsLocal(local) {
		return nil, d.outside(name)
	}
	root, err := os.OpenRoot(d.dir())
	if err != nil {
		return nil, err
	}
	defer root.Close()
	f, err := open(d.Path(name), func(string) (os.FileInfo, error) { return root.Stat(local) },
		func() (*os.File, error) { return root.OpenFile(local, os.O_RDONLY|nonBlocking, 0) })
	if e, is := err.(*os.PathError); is {
		// The root says no to a link that leads out; what can be reached without it must be such a one.
		if _, elsewhere := os.Stat(d.Path(name)); elsewhere == nil && !errors.Is(err, fs.ErrPermission) {
			return nil, d.outside(name)
		}
		return nil, &os.PathError{Op: "open", Path: d.Path(name), Err: e.Err}
	}
	return f, err
}

// Read reads a named file whole.
func (d Folder) Read(name string, s Size) ([]byte, error) {
	f, err := d.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return whole(f, d.Path(name), s)
}

func (d Folder) outside(name string) error {
	return fmt.Errorf("%s: file %q is outside of the %s's folder; --allow-outside takes it all the same", d.Of, name, d.What)
}
