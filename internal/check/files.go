package check

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/internal/many"
	"github.com/heddle-gpu/heddle/internal/platforms"
	"github.com/heddle-gpu/heddle/internal/sets"
	"github.com/heddle-gpu/heddle/internal/vectors"
	"github.com/heddle-gpu/heddle/isa"
)

// A caseFile is a file with cases.
type caseFile struct {
	path string
	kind casefile.FileKind
	bad  string // why the file has no cases although it should
	err  error  // why it cannot be read
}

// open opens a file to check.
func (c *checker) open(path string) (io.ReadCloser, error) {
	if path == stdin {
		return io.NopCloser(bytes.NewReader(c.Stdin)), nil
	}
	return casefile.Open(path)
}

// readFile reads a file that is one document.
func readFile[T any](c *checker, path string, read func(io.Reader, string) (T, error)) (T, error) {
	f, err := c.open(path)
	if err != nil {
		var none T
		return none, err
	}
	defer f.Close()
	return read(f, path)
}

// stdin is the path that stands for Options.Stdin. Files that it names are relative to the current folder.
const stdin = "-"

// caseFiles finds the case files among the paths, including those that were evidently meant as such and those that
// cannot be read, and the other files.
func (c *checker) caseFiles(paths []string) (files []caseFile, others []Other) {
	add := func(f caseFile, other string) {
		if other != "" {
			others = append(others, Other{f.path, other})
		} else {
			files = append(files, f)
		}
	}
	w := many.Tree{}
	for _, root := range paths {
		if root == stdin {
			add(c.recognise(root, casefile.Look(bytes.NewReader(c.Stdin)), true, false))
			continue
		}
		dir, indexed := "", false                             // whether dir is a folder of test vectors
		_ = w.Walk(root, func(path string, err error) error { // the function never ends the walk
			var none many.NoFile
			switch is := errors.As(err, &none); {
			case err != nil && !is: // it may be a folder with files that match, whatever --include is
				add(caseFile{path: path, err: err}, "")
				return nil
			case path != root && !c.included(root, path):
				add(caseFile{path: path}, "not one of --include")
				return nil
			case is:
				add(c.recognise(path, casefile.Head{Err: err}, false, false))
				return nil
			}
			if d := filepath.Dir(path); d != dir {
				dir, indexed = d, path != root && hasVectorIndex(d)
			}
			f, err := casefile.LookAt(path)
			if err == nil && errors.As(f.Err, new(*fs.PathError)) { // an error of reading; invalid contents give other errors
				err = f.Err
			}
			if err != nil {
				add(caseFile{path: path, err: err}, "")
				return nil
			}
			add(c.recognise(path, f, path == root, indexed))
			return nil
		})
	}
	return files, others
}

// included reports whether Include selects a file of a folder.
func (c *checker) included(root, path string) bool {
	rel, err := filepath.Rel(root, path)
	return len(c.Include) == 0 || err == nil && slices.ContainsFunc(c.Include, func(g string) bool { return many.Match(g, rel) })
}

// recognise returns a case file, or in other why the file is ignored. A file that must not be ignored but has no cases
// has the reason in caseFile.bad.
func (c *checker) recognise(path string, h casefile.Head, named, indexed bool) (f caseFile, other string) {
	if f = (caseFile{path: path, kind: h.Kind}); holdsCases[h.Kind] {
		return f, ""
	}
	s := stranger{h, plainName(path), named, indexed}
	if s.claims() || c.Strict && s.resembles() {
		f.kind, f.bad = casefile.OtherFile, s.why()
		return f, ""
	}
	return f, s.why()
}

// hasVectorIndex reports whether heddle vectors made the folder.
func hasVectorIndex(dir string) bool {
	h, err := casefile.LookAt(filepath.Join(dir, vectors.IndexName))
	return err == nil && h.Key == "format" && strings.HasPrefix(h.Format, strings.TrimRight(vectors.Format, "0123456789"))
}

// holdsCases are the kinds of file that have cases.
var holdsCases = map[casefile.FileKind]bool{casefile.PairsFile: true, casefile.StatesFile: true, casefile.ManifestFile: true, casefile.FrameFile: true,
	casefile.GCNSceneFile: true, casefile.TeslaSceneFile: true, casefile.ValhallSceneFile: true, casefile.VectorsFile: true}

// set returns the name of the file without its extensions, after the folder where such files belong.
func (f *caseFile) set() string {
	folder := map[casefile.FileKind]string{casefile.PairsFile: "pairs/", casefile.StatesFile: "state/", casefile.ManifestFile: "kernels/",
		casefile.FrameFile: "render/", casefile.VectorsFile: "vectors/"}[f.kind]
	if f.bad != "" || f.err != nil {
		return "files"
	}
	if scenes := platforms.Scenes(f.kind); scenes != nil {
		return "render/" + scenes.ISA
	}
	name, _, _ := strings.Cut(filepath.Base(f.path), ".")
	return folder + name
}

// file makes the tasks of a file.
func (c *checker) file(ctx context.Context, f caseFile, emit func(task) bool) error {
	if f.err != nil {
		return f.err
	}
	if f.bad != "" {
		emit(one(func() Result { return broken(f, errors.New(f.bad)) }))
		return ctx.Err()
	}
	switch f.kind {
	case casefile.PairsFile:
		return c.pairsFile(ctx, f.path, emit)
	case casefile.StatesFile:
		return c.statesFile(ctx, f.path, emit)
	case casefile.FrameFile:
		return c.frameFile(ctx, f.path, emit)
	case casefile.VectorsFile:
		return c.vectorsFile(ctx, f, emit)
	case casefile.GCNSceneFile, casefile.TeslaSceneFile, casefile.ValhallSceneFile:
		return c.sceneFile(ctx, f, emit)
	}
	return c.manifestFile(ctx, f.path, emit)
}

// unreadable returns the result for a file that cannot be read.
func (f *caseFile) unreadable(err error) Result {
	f.kind, f.err = casefile.OtherFile, err
	var p *fs.PathError
	if errors.As(err, &p) && p.Path == f.path {
		err = p.Err // the result has the path
	}
	return Result{File: f.path, Set: f.set(), Name: "file", Status: Unreadable, What: "cannot be read: " + err.Error()}
}

// broken returns the result for a part of a file that is not a valid case.
func broken(f caseFile, err error) Result {
	r := Result{Kind: f.kind, File: f.path, Set: f.set(), Name: "file", Status: Failed, What: err.Error()}
	var e *casefile.Error
	if errors.As(err, &e) {
		r.Line, r.Col, r.What = e.Line, e.Col, e.Msg
		if e.Key != "" {
			r.Name = e.Key
		}
	}
	return r
}

// full returns the name of a variant with its instruction set.
func full(isa, variant string) string {
	if variant == "" {
		return isa
	}
	return isa + ":" + variant
}

// lookup returns the target for cases of an instruction set and variant.
func lookup(name, variant string) (*isa.Target, error) { return sets.Lookup(name + ":" + variant) }

// wanted resolves a name as tools accept it to an instruction set and a variant; variant is "" unless given.
func wanted(name string) (isaName, variant string, err error) {
	head, rest, _ := strings.Cut(name, ":")
	set, err := sets.Lookup(name)
	switch {
	case set != nil && rest == "" && strings.EqualFold(head, set.Name):
		return set.Name, "", nil
	case set != nil:
		return set.Name, set.Variants[set.Variant].Name, nil
	}
	return "", "", fmt.Errorf("check: %w", err)
}
