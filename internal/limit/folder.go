package limit

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// A Folder contains the files that a manifest or a scene names. Files elsewhere, by name or by link, are not opened.
type Folder struct {
	Of      string // the file that names others, as given; they are relative to its folder
	What    string // kind of file of Of, for messages: scene
	Outside bool   // names and links may lead out of the folder
}

// Path returns the path of a named file, whether or not it may be opened.
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
		// The root rejects a link that leads out; a file that exists otherwise must be such a link.
		if _, elsewhere := os.Stat(d.Path(name)); elsewhere == nil && !errors.Is(err, fs.ErrPermission) {
			return nil, d.outside(name)
		}
		return nil, &os.PathError{Op: "open", Path: d.Path(name), Err: e.Err}
	}
	return f, err
}

// Read reads a named file completely.
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
