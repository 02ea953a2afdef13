package many

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// A Tree walks over files and folders, and follows links. A folder or file that it has come to before, by this way or another one, is left out.
type Tree struct{ seen map[string]bool }

// Walk calls each with the files below a path in lexical order, or with the path if it is a file. Of what is no regular file, and of a link that
// leads nowhere, each gets why. Walk ends at the first error of each, and of a folder or path that cannot be read.
func (t *Tree) Walk(root string, each func(path string, err error) error) error {
	info, err := os.Stat(root)
	switch {
	case err != nil:
		return err
	case info.IsDir():
		return t.folder(root, each)
	}
	return t.file(root, nil, each)
}

func (t *Tree) folder(dir string, each func(path string, err error) error) error {
	if first, err := t.visit(dir, ""); !first {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		info, err := os.Stat(path)
		switch {
		case err != nil && e.Type()&fs.ModeSymlink != 0:
			err = t.file(path, fmt.Errorf("a link that leads nowhere: %w", err), each)
		case err != nil:
		case info.IsDir():
			err = t.folder(path, each)
		case !info.Mode().IsRegular():
			err = t.file(path, fmt.Errorf("not a regular file: %s", info.Mode().Type()), each)
		default:
			err = t.file(path, nil, each)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (t *Tree) file(path string, why error, each func(path string, err error) error) error {
	if first, err := t.visit(filepath.Dir(path), filepath.Base(path)); !first {
		return err
	}
	return each(path, why)
}

// visit notes a folder, or a file of it, and reports whether it is the first time. A file is known by its folder and its name there, not by where
// a link leads: files that it names lie beside the link.
func (t *Tree) visit(dir, name string) (first bool, err error) {
	abs, err := filepath.Abs(dir)
	if err == nil {
		abs, err = filepath.EvalSymlinks(abs)
	}
	if err != nil {
		return false, err
	}
	key := filepath.Join(abs, name)
	if t.seen[key] {
		return false, nil
	}
	if t.seen == nil {
		t.seen = map[string]bool{}
	}
	t.seen[key] = true
	return true, nil
}
