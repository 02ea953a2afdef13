package many

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// A Tree walks files and folders, and follows links. It skips a folder or file that it has visited before, by any path.
type Tree struct{ seen map[string]bool }

// A NoFile is the reason why something in a folder is skipped: it is not a regular file, or a dangling link.
type NoFile struct{ error }

// Walk calls each with the files below a path in lexical order, or with the path if it is a file. For what is no file
// each gets a NoFile, and for a path, a file or a folder that cannot be read the error; the walk continues. Walk ends
// at the first error of each.
func (t *Tree) Walk(root string, each func(path string, err error) error) error {
	info, err := os.Stat(root)
	switch {
	case err != nil:
		return each(root, err)
	case info.IsDir():
		return t.folder(root, each)
	}
	return t.file(root, nil, each)
}

func (t *Tree) folder(dir string, each func(path string, err error) error) error {
	first, err := t.visit(dir, "")
	if err != nil {
		return each(dir, err)
	} else if !first {
		return nil
	}
	entries, err := os.ReadDir(dir) // with an error, the entries before it
	if err != nil {
		if err := each(dir, err); err != nil {
			return err
		}
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		info, err := os.Stat(path)
		switch {
		case err != nil && e.Type()&fs.ModeSymlink != 0:
			err = t.file(path, NoFile{fmt.Errorf("a link that leads nowhere: %w", err)}, each)
		case err != nil:
			err = each(path, err)
		case info.IsDir():
			err = t.folder(path, each)
		case !info.Mode().IsRegular():
			err = t.file(path, NoFile{fmt.Errorf("not a regular file: %s", info.Mode().Type())}, each)
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
	first, err := t.visit(filepath.Dir(path), filepath.Base(path))
	switch {
	case err != nil:
		return each(path, err)
	case !first:
		return nil
	}
	return each(path, why)
}

// visit records a folder, or a file of it, and reports whether it is the first visit. A file is identified by its
// folder and its name there, not by the target of a link: files that it names are relative to the link.
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
