package digest

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/internal/platforms"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/internal/render"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/object"
)

// A set is the input of one or several digests. run passes its items to put, each with the name of its digest.
type set struct {
	name   string
	inputs []string
	run    func(put func(of, item string)) error
}

// setsOf finds the sets of an instruction set in a folder of cases. Names begin with root.
func setsOf(root, dir string) (list []set, err error) {
	return list, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		kind, err := casefile.Detect(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		stem, _, _ := strings.Cut(filepath.Base(path), ".")
		s := set{name: filepath.ToSlash(filepath.Join(root, filepath.Dir(rel), stem)), inputs: []string{path}}
		switch {
		case kind == casefile.PairsFile && concerns(stem):
			s.run = func(put func(of, item string)) error { return pairs(path, put) }
		case kind == casefile.StatesFile && concerns(stem):
			s.run = func(put func(of, item string)) error { return states(path, put) }
		case kind == casefile.FrameFile:
			s.run = func(put func(of, item string)) error { return frame(path, put) }
		case kind == casefile.GCNSceneFile:
			s.name = filepath.ToSlash(filepath.Join(root, filepath.Dir(rel)))
			s.run = func(put func(of, item string)) error { return recorded(path, put) }
			if s.inputs, err = files(filepath.Dir(path)); err != nil {
				return err
			}
		case kind == casefile.ManifestFile:
			s.name = filepath.ToSlash(filepath.Join(root, filepath.Dir(rel)))
			s.run = func(put func(of, item string)) error { return kernel(path, put) }
			if s.inputs, err = files(filepath.Dir(path)); err != nil {
				return err
			}
		default:
			return nil
		}
		list = append(list, s)
		return nil
	})
}

// concerns reports whether a file of cases is named after the instruction set of a subject.
func concerns(stem string) bool {
	return slices.ContainsFunc(subjects, func(s string) bool {
		isa, _, _ := strings.Cut(s, ":")
		return strings.HasPrefix(stem, isa+"-")
	})
}

// files returns the files of a folder.
func files(dir string) (list []string, err error) {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if !e.IsDir() {
			list = append(list, filepath.Join(dir, e.Name()))
		}
	}
	return list, err
}

// scenes returns the pictures of the examples.
func scenes(dir string) ([]set, error) {
	cube, err := files(filepath.Join(dir, "cube"))
	if err != nil {
		return nil, err
	}
	source := filepath.Join(dir, "julia", "julia.s")
	o := render.Options{Engine: ref.New(), Workers: 1}
	return []set{
		{"examples/cube", cube, func(put func(of, item string)) error {
			s, err := casefile.ReadSceneFile(filepath.Join(dir, "cube", "scene.json"))
			if err != nil {
				return err
			}
			r, err := render.Scene(context.Background(), s, o)
			if err == nil {
				picture(r.Image, put)
			}
			return err
		}},
		{"examples/julia", []string{source}, func(put func(of, item string)) error {
			code, err := os.ReadFile(source)
			if err != nil {
				return err
			}
			r, err := render.Fragment(context.Background(), &render.FragmentRun{ISA: "attila", File: source, Code: code, Width: 96, Height: 64}, o)
			if err == nil {
				picture(r.Image, put)
			}
			return err
		}},
	}, nil
}

// recorded puts the pixels and buffers of a recorded draw.
func recorded(path string, put func(of, item string)) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	scenes := platforms.Scenes(casefile.Sniff(bytes.NewReader(data)))
	s, err := scenes.Read(bytes.NewReader(data), path)
	if err != nil {
		return err
	}
	for _, v := range s.Variants() {
		if !slices.Contains(subjects, scenes.ISA+":"+v) {
			continue
		}
		d, err := s.Draw(context.Background(), v, launch.Settings{Engine: ref.New(), Workers: 1})
		if err != nil {
			return err
		}
		for i := range d.Targets {
			for at, p := range d.Targets[i].Pixels {
				put("targets", fmt.Sprintf("%s target %d pixel %d %x", v, i, at, p))
			}
		}
		for _, name := range slices.Sorted(maps.Keys(d.Buffers)) {
			put("buffers", fmt.Sprintf("%s %s %x", v, name, d.Buffers[name]))
		}
	}
	return nil
}

// picture puts a picture, one row per item.
func picture(img *image.NRGBA, put func(of, item string)) {
	for y := range img.Rect.Dy() {
		put("picture", fmt.Sprintf("row %d %x", y, img.Pix[y*img.Stride:][:4*img.Rect.Dx()]))
	}
}

// pairs puts the text of each word and the bytes of each text in a table.
func pairs(path string, put func(of, item string)) error {
	f, err := casefile.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	targets, err := targets()
	if err != nil {
		return err
	}
	for p, err := range casefile.Pairs(f, path) {
		if err != nil {
			return err
		}
		for _, t := range targets {
			if t.isa != p.ISA || p.Variant != "" && p.Variant != t.variant {
				continue
			}
			if p.Hex != "" {
				text, err := t.text(p.Stage, p.Code())
				if err != nil {
					return err
				}
				put(t.name()+" text", p.Hex+"\t"+text)
			}
			if p.Text != "" {
				code, err := t.bytes(p.Stage, p.Text)
				if err != nil {
					return err
				}
				put(t.name()+" bytes", p.Text+"\t"+code)
			}
		}
	}
	return nil
}

func targets() (list []*target, err error) {
	for _, name := range subjects {
		t, err := newTarget(name)
		if err != nil {
			return nil, err
		}
		list = append(list, t)
	}
	return list, nil
}

// lists puts the listings of code.
func (t *target) lists(name string, code []byte, base uint64, put func(of, item string)) error {
	for _, exact := range []bool{true, false} {
		text, err := t.list(code, base, exact)
		if err != nil {
			return err
		}
		put(t.name()+" list", fmt.Sprintf("%s exact=%v\n%s", name, exact, text))
	}
	return nil
}

// kernel puts the listings of the builds of a kernel, and the results of their launches.
func kernel(path string, put func(of, item string)) error {
	m, err := casefile.ReadManifestFile(path)
	if err != nil {
		return err
	}
	for i := range m.Variants {
		b := &m.Variants[i]
		name := b.ISA + ":" + b.Variant
		if !slices.Contains(subjects, name) {
			continue
		}
		t, err := newTarget(name)
		if err != nil {
			return err
		}
		if err := t.listings(m, b, put); err != nil {
			return err
		}
		if err := t.launches(m, b, put); err != nil {
			return err
		}
	}
	return nil
}

func (t *target) listings(m *casefile.Manifest, b *casefile.Build, put func(of, item string)) error {
	data, err := os.ReadFile(m.Path(b.File))
	if err != nil {
		return err
	}
	o, err := object.ReadHSAFile(data, b.File)
	if err != nil {
		return err
	}
	for i := range o.Kernels {
		k := &o.Kernels[i]
		if err := t.lists(b.File+" "+k.Name, o.Code(k), k.Entry, put); err != nil {
			return err
		}
	}
	return nil
}

// launches puts all buffers and counters. The counters of IR ops are separate, because they change with how semantics
// are written.
func (t *target) launches(m *casefile.Manifest, b *casefile.Build, put func(of, item string)) error {
	platform := platforms.Lookup(t.isa)
	buffers, results, err := platform.RunManifest(context.Background(), m, b, launch.Settings{Engine: ref.New(), Workers: 1})
	if err != nil {
		put(t.name()+" buffers", b.File+" ERROR "+err.Error())
	}
	for _, name := range slices.Sorted(maps.Keys(buffers)) {
		put(t.name()+" buffers", fmt.Sprintf("%s %s %x", b.File, name, buffers[name]))
	}
	for i, r := range results {
		n := r.Total()
		put(t.name()+" buffers", fmt.Sprintf("%s launch %d: %d groups, %d waves, %d instructions, %d bytes read, %d written, %d atomics, %d barriers, %d dropped, serial %v",
			b.File, i, r.Groups, r.Waves, r.Instructions, n.Read, n.Written, n.Atomics, r.Barriers, r.Dropped, r.Serial))
		put(t.name()+" ops", fmt.Sprintf("%s launch %d: %d ops, %d lane-ops", b.File, i, r.Ops, r.LaneOps))
	}
	return nil
}
