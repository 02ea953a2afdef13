//go:build linux && amd64

package host

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// A Tree is a private folder with the files that describe a device, such as those of /sys. For the paths that it
// claims, programs see its files and no others.
type Tree struct {
	root   string
	fd     int
	claims []string
}

// NewTree creates an empty tree in a temporary folder. It claims no path yet.
func NewTree() (*Tree, error) {
	root, err := os.MkdirTemp("", "heddle-gpu-")
	if err != nil {
		return nil, err
	}
	fd, err := unix.Open(root, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		os.Remove(root)
		return nil, fmt.Errorf("%s: %w", root, err)
	}
	return &Tree{root: root, fd: fd}, nil
}

// Close removes the folder.
func (t *Tree) Close() error {
	unix.Close(t.fd)
	return os.RemoveAll(t.root)
}

// Claim makes the tree answer for a path and all paths below it, or for all paths that start with it, if it ends with a
// colon: /sys/dev/char/226:
func (t *Tree) Claim(paths ...string) { t.claims = append(t.claims, paths...) }

// File adds a file.
func (t *Tree) File(name, text string) error {
	if err := t.Dir(path.Dir(name)); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(t.root, name), []byte(text), 0o444)
}

// Link adds a symbolic link.
func (t *Tree) Link(name, target string) error {
	if err := t.Dir(path.Dir(name)); err != nil {
		return err
	}
	return os.Symlink(target, filepath.Join(t.root, name))
}

// Dir adds a folder, and those that contain it.
func (t *Tree) Dir(name string) error { return os.MkdirAll(filepath.Join(t.root, name), 0o755) }

// claimed reports whether the tree answers for a path, which is absolute and clean.
func (t *Tree) claimed(name string) bool {
	for _, c := range t.claims {
		if strings.HasPrefix(name, c) && (len(name) == len(c) || name[len(c)] == '/' || c[len(c)-1] == ':') {
			return true
		}
	}
	return false
}

// enter follows an absolute path until the tree claims it: it returns the path to there, clean, with the rest as it is.
func (t *Tree) enter(name string) (in string, ok bool) {
	at := "/"
	for i := 0; i < len(name); {
		end := len(name)
		if n := strings.IndexByte(name[i:], '/'); n >= 0 {
			end = i + n
		}
		if at = path.Join(at, name[i:end]); t.claimed(at) {
			return at + name[end:], true
		}
		i = end + 1
	}
	return "", false
}

// real returns the path without links of a file in the tree.
func (t *Tree) real(name string, flags int) (string, error) {
	fd, err := t.open(name, unix.O_PATH|flags)
	if err != nil {
		return "", err
	}
	defer unix.Close(fd)
	link, err := os.Readlink("/proc/self/fd/" + strconv.Itoa(fd))
	if err != nil {
		return "", err
	}
	in, ok := t.inside(link)
	if !ok {
		return "", unix.ENOENT
	}
	return in, nil
}

// inside returns the path in the tree of an absolute path of the folder that holds it.
func (t *Tree) inside(real string) (name string, ok bool) {
	rest, ok := strings.CutPrefix(real, t.root)
	switch {
	case !ok || rest != "" && rest[0] != '/':
		return "", false
	case rest == "":
		return "/", true
	}
	return rest, true
}

// open opens a file of the tree. Links are followed within it, and absolute ones start at its root. Linux answers
// EAGAIN if something was renamed anywhere while it resolved "..": it could not tell then whether the path has left the
// tree.
func (t *Tree) open(name string, flags int) (fd int, err error) {
	how := unix.OpenHow{Flags: uint64(flags) | unix.O_CLOEXEC, Resolve: unix.RESOLVE_IN_ROOT | unix.RESOLVE_NO_MAGICLINKS}
	for range maxTries {
		if fd, err = unix.Openat2(t.fd, strings.TrimPrefix(name, "/"), &how); err != unix.EAGAIN {
			break
		}
	}
	return fd, err
}

// maxTries is how often opening a file is tried while something is renamed.
const maxTries = 1000
