package profiles

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/debug"
	"github.com/heddle-gpu/heddle/internal/spell"
	"github.com/heddle-gpu/heddle/loc"
)

// A Source is a file of the source, as it was when the profile was made.
type Source struct {
	File string `json:"file"`
	Text string `json:"text"`
}

// mostSource limits the bytes of the source in all profiles of a run.
const mostSource = 16 << 20

// An Embedder reads files of the source for pages and profiles. Debug information may name any file, and these are
// given away: only files below the directories are read.
type Embedder struct {
	from  *debug.Sources
	dirs  []string // without symbolic links
	bytes int
}

// NewEmbedder returns one that reads files below the working directory, or the directories that are searched.
func NewEmbedder(from *debug.Sources) *Embedder {
	e := &Embedder{from: from}
	for _, dir := range append([]string{""}, from.Dirs...) {
		if path, err := filepath.EvalSymlinks(from.Path(dir)); err == nil && !slices.Contains(e.dirs, path) {
			e.dirs = append(e.dirs, path)
		}
	}
	return e
}

// Embed adds the text of the files that instructions are from: those that are found below the working directory or the
// directories that are searched.
func Embed(list []Profile, from *debug.Sources) {
	e := NewEmbedder(from)
	for i := range list {
		p := &list[i]
		var at []loc.Position
		for k := range p.List {
			at = append(at, p.List[k].At)
			for _, f := range p.List[k].Frames {
				at = append(at, positionOf(f.Called))
			}
		}
		p.Sources, p.NotShown = e.Texts(at)
	}
}

// Texts returns the files of positions, each once, and says which of those that exist are left out.
func (e *Embedder) Texts(list []loc.Position) (files []Source, left string) {
	seen, outside, long := map[string]bool{}, []string{}, 0
	for _, at := range list {
		if !at.Known() || seen[at.File] {
			continue
		}
		seen[at.File] = true
		path, out := e.find(at)
		if out != "" {
			outside = append(outside, out)
		}
		lines := e.from.Lines(loc.Position{File: path, Line: at.Line})
		text := strings.Join(lines, "\n")
		switch {
		case path == "" || lines == nil:
		case e.bytes+len(text) > mostSource:
			long++
		default:
			e.bytes += len(text)
			files = append(files, Source{at.File, text})
		}
	}
	if len(outside) > 0 {
		more := ""
		if len(outside) > 1 {
			more = fmt.Sprintf(" and %s more", spell.Grouped(uint64(len(outside)-1)))
		}
		left = fmt.Sprintf("%s%s, outside of %s", outside[0], more, strings.Join(e.dirs, " and "))
	}
	if long > 0 {
		left = strings.TrimPrefix(fmt.Sprintf("%s; %s beyond %d MiB of source", left, spell.Count(long, "file"), mostSource>>20), "; ")
	}
	return files, left
}

// find returns the path of the file of a position, without symbolic links; "": there is none, or it is outside of the
// directories, where it is found at the path out.
func (e *Embedder) find(at loc.Position) (path, out string) {
	for _, found := range []string{e.from.FindAt(at), e.from.Find(filepath.Base(at.File))} {
		real, err := filepath.EvalSymlinks(found)
		if found == "" || err != nil {
			continue
		}
		for _, dir := range e.dirs {
			if rel, err := filepath.Rel(dir, real); err == nil && filepath.IsLocal(rel) {
				return real, ""
			}
		}
		if out == "" {
			out = found
		}
	}
	return "", out
}

// Lines returns the lines of a file; nil: its text is not known.
func (p *Profile) Lines(file string) []string {
	for i := range p.Sources {
		if p.Sources[i].File == file {
			return strings.Split(p.Sources[i].Text, "\n")
		}
	}
	return nil
}
