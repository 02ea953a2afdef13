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

	"github.com/heddle-gpu/heddle/internal/many"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/all"
	fronts "github.com/heddle-gpu/heddle/launch/all"
	"github.com/heddle-gpu/heddle/object"
)

// A caseFile is a file that has cases.
type caseFile struct {
	path string
	kind object.FileKind
}

// open opens a file to be checked.
func (c *checker) open(path string) (io.ReadCloser, error) {
	if path == stdin {
		return io.NopCloser(bytes.NewReader(c.Stdin)), nil
	}
	return object.Open(path)
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

// stdin is the path of Options.Stdin. Files that it names are in the current folder.
const stdin = "-"

// caseFiles finds the case files among the paths and counts the others.
func (c *checker) caseFiles(paths []string) (files []caseFile, others int, err error) {
	for _, root := range paths {
		if root == stdin {
			if kind := object.Sniff(bytes.NewReader(c.Stdin)); holdsCases[kind] {
				files = append(files, caseFile{root, kind})
			} else {
				others++
			}
			continue
		}
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !d.Type().IsRegular() && path != root {
				return err
			}
			if path != root && !c.included(root, path) {
				others++
				return nil
			}
			kind, err := object.Detect(path)
			switch {
			case err != nil:
				return err
			case holdsCases[kind]:
				files = append(files, caseFile{path, kind})
			default:
				others++
			}
			return nil
		})
		if err != nil {
			return files, others, err
		}
	}
	return files, others, nil
}

// included is whether a file of a folder is looked at.
func (c *checker) included(root, path string) bool {
	rel, err := filepath.Rel(root, path)
	return len(c.Include) == 0 || err == nil && slices.ContainsFunc(c.Include, func(g string) bool { return many.Match(g, rel) })
}

// holdsCases is which kinds of file have cases.
var holdsCases = map[object.FileKind]bool{object.PairsFile: true, object.StatesFile: true, object.ManifestFile: true, object.FrameFile: true,
	object.GCNSceneFile: true, object.TeslaSceneFile: true, object.ValhallSceneFile: true, object.VectorsFile: true}

// set is the name of the file without its endings, behind the folder where such files belong.
func (f *caseFile) set() string {
	folder := map[object.FileKind]string{object.PairsFile: "pairs/", object.StatesFile: "state/", object.ManifestFile: "kernels/",
		object.FrameFile: "render/", object.VectorsFile: "vectors/"}[f.kind]
	if scenes := fronts.Scenes(f.kind); scenes != nil {
		return "render/" + scenes.ISA
	}
	name, _, _ := strings.Cut(filepath.Base(f.path), ".")
	return folder + name
}

// file makes the tasks of a file.
func (c *checker) file(ctx context.Context, f caseFile, emit func(task) bool) error {
	switch f.kind {
	case object.PairsFile:
		return c.pairsFile(ctx, f.path, emit)
	case object.StatesFile:
		return c.statesFile(ctx, f.path, emit)
	case object.FrameFile:
		return c.frameFile(ctx, f.path, emit)
	case object.VectorsFile:
		return c.vectorsFile(ctx, f, emit)
	case object.GCNSceneFile, object.TeslaSceneFile, object.ValhallSceneFile:
		return c.sceneFile(ctx, f, emit)
	}
	return c.manifestFile(ctx, f.path, emit)
}

// broken is the result of something in a file that is no case.
func broken(f caseFile, err error) Result {
	r := Result{Kind: f.kind, File: f.path, Set: f.set(), Name: "file", Status: Failed, What: err.Error()}
	var e *object.Error
	if errors.As(err, &e) {
		r.Line, r.What = e.Line, e.Msg
		if e.Key != "" {
			r.Name = e.Key
		}
	}
	return r
}

// full is the name of a variant with its instruction set.
func full(isa, variant string) string {
	if variant == "" {
		return isa
	}
	return isa + ":" + variant
}

// lookup finds what cases of an instruction set and variant need.
func lookup(name, variant string) (*isa.Target, error) { return all.Lookup(name + ":" + variant) }

// wanted turns a name as tools take it into that of a set and a variant, the latter "" unless given.
func wanted(name string) (isaName, variant string, err error) {
	head, rest, _ := strings.Cut(name, ":")
	set, err := all.Lookup(name)
	switch {
	case set != nil && rest == "" && strings.EqualFold(head, set.Name):
		return set.Name, "", nil
	case set != nil:
		return set.Name, set.Variants[set.Variant].Name, nil
	}
	return "", "", fmt.Errorf("check: %w", err)
}
