package debug

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/heddle-gpu/heddle/internal/limit"
	"github.com/heddle-gpu/heddle/loc"
)

// Sources finds source files, which code often names without a directory.
type Sources struct {
	Base string   // what relative paths are relative to; "": the working directory
	Dirs []string // directories to search

	lines map[string][]string // of files that have been read
}

// Find returns the path of a file that code names; "": it is not found.
func (s *Sources) Find(file string) string {
	for _, in := range append([]string{""}, s.Dirs...) {
		path := file
		if in != "" {
			path = filepath.Join(in, filepath.Base(file))
		}
		path = s.Path(path)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path
		}
	}
	return ""
}

// FindAt returns the file of a position: by its path if it has one, else by its name.
func (s *Sources) FindAt(p loc.Position) string {
	if p.Path != "" {
		if info, err := os.Stat(p.Path); err == nil && info.Mode().IsRegular() {
			return p.Path
		}
	}
	return s.Find(p.File)
}

// Path returns an absolute path, relative to Base.
func (s *Sources) Path(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	if abs, err := filepath.Abs(filepath.Join(s.Base, path)); err == nil {
		return abs
	}
	return path
}

// Lines returns the lines of the file of a position; nil: it is not found, or cannot be read.
func (s *Sources) Lines(p loc.Position) []string {
	path := s.FindAt(p)
	if path == "" {
		return nil
	}
	if s.lines == nil {
		s.lines = map[string][]string{}
	}
	lines, ok := s.lines[path]
	if !ok {
		if data, err := limit.ReadFile(path, limit.Size{What: "source file", Bytes: 4 << 20}); err == nil {
			lines = strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
		}
		s.lines[path] = lines
	}
	return lines
}
