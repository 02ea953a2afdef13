package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/heddle-gpu/heddle/internal/limit"
	"github.com/heddle-gpu/heddle/internal/live"
	"github.com/heddle-gpu/heddle/internal/sets"
	"github.com/heddle-gpu/heddle/internal/site"
	"github.com/heddle-gpu/heddle/isa"
)

type docsCmd struct {
	ISA    []string `name:"isa" short:"i" sep:"," placeholder:"SET" help:"Instruction set, all variants; may be given again. All sets if not given."`
	NoLive bool     `help:"Leave out what runs instructions in pages."`
	JSON   bool     `help:"Print JSON."`
	Dir    string   `arg:"" optional:"" help:"Folder of the site: a new one, an empty one, or one that holds a site from before, which is written anew."`
}

func (c *docsCmd) Help() string {
	return `A page for each instruction (bits, operands, meaning, restrictions, fidelity, sources, an example that is run), encoding,
operand kind and op of the IR, the options, the rules and the reference of each set, and a search. The pages need no server and
no network: open DIR/index.html. The same tables give the same bytes. Instructions can be run in the pages, files listed, fragment programs
drawn: docs/live.md says where the WebAssembly comes from that does it.

Examples:
  heddle docs site
  heddle docs --isa attila --isa tesla --no-live /tmp/reference`
}

func (c *docsCmd) Run(a *app) error {
	if c.Dir == "" {
		return errors.New("docs: no folder; say where the site goes, as in heddle docs site")
	}
	if c.Dir == "-" {
		return errors.New("docs: a site is a folder of many files, and cannot be written to standard output")
	}
	if c.ISA != nil && len(c.ISA) == 0 {
		return hinted{errors.New("docs: --isa names no set"), "leave --isa out for all sets"}
	}
	sets, err := setsOf(c.ISA)
	if err != nil {
		return err
	}
	old, err := formerSite(c.Dir)
	if err != nil {
		return err
	}
	o := site.Options{Sets: sets}
	if !c.NoLive {
		engine, err := a.wasm(a.ctx)
		if err != nil {
			return err
		}
		o.Live, o.Play = append(livePages(), site.File(engine.File())), live.Play()
	}
	w := &siteWriter{a: a, dir: c.Dir, folders: map[string]bool{}}
	var done, total atomic.Int64
	stop := a.watch("docs", progressAfter, func() far { return far{done.Load(), total.Load(), "pages"} })
	defer stop()
	// The mark is written first, so that the result of an interrupted run is recognised as a site.
	if err := w.put(siteMark, []byte(strings.Join(old, "\n"))); err != nil {
		return err
	}
	o.Progress = func(n, all int) {
		done.Store(int64(n))
		total.Store(int64(all))
	}
	w.files, w.bytes = nil, 0
	if err := site.Write(w.put, o); err != nil {
		list := append(slices.Clone(old), w.files...) // belonging to the site, too: the next run removes them
		slices.Sort(list)
		if e := a.save(filepath.Join(c.Dir, siteMark), bytesOf([]byte(strings.Join(slices.Compact(list), "\n")+"\n"))); e != nil {
			return errors.Join(err, e)
		}
		return err
	}
	stop()
	return c.finish(a, w, old)
}

// finish removes files of the former site that this one does not have, and reports what was written.
func (c *docsCmd) finish(a *app, w *siteWriter, old []string) error {
	files := slices.Clone(w.files)
	slices.Sort(files)
	for _, name := range old {
		if _, is := slices.BinarySearch(files, name); is || !filepath.IsLocal(filepath.FromSlash(name)) {
			continue
		}
		if err := os.Remove(filepath.Join(c.Dir, filepath.FromSlash(name))); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return unwritten{err}
		}
		w.prune(name)
	}
	n, size := len(w.files), w.bytes
	if err := w.put(siteMark, []byte(strings.Join(files, "\n")+"\n")); err != nil {
		return err
	}
	if c.JSON {
		return a.json(struct {
			Dir   string `json:"dir"`
			Files int    `json:"files"`
			Bytes int64  `json:"bytes"`
		}{c.Dir, n, size})
	}
	a.printf("wrote %s files, %.1f MB, to %s: open %s\n", grouped(uint64(n)), float64(size)/1e6, shown(c.Dir), shown(filepath.Join(c.Dir, "index.html")))
	return nil
}

// setsOf returns the named sets, all sets if there are no names.
func setsOf(names []string) (list []*isa.Set, err error) {
	for _, name := range names {
		t, err := sets.Lookup(name)
		if err != nil {
			return nil, err
		}
		if t.Name != name {
			return nil, hinted{fmt.Errorf("docs: --isa %s is a variant, and pages are about all variants of a set", name), "--isa " + t.Name}
		}
		if !slices.Contains(list, t.Set) {
			list = append(list, t.Set)
		}
	}
	if len(names) > 0 {
		return list, nil
	}
	for _, e := range sets.Entries() {
		list = append(list, e.Set())
	}
	return list, nil
}

// siteMark is the file that marks a folder as a site. It lists the files of the site.
const siteMark = ".heddle-docs"

// formerSite returns the files of the site in a folder; none if the folder does not exist or is empty. A folder with
// anything else, which belongs to the user, is an error.
func formerSite(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, unwritten{err}
	case len(entries) == 0:
		return nil, nil
	}
	data, err := limit.ReadFile(filepath.Join(dir, siteMark), limit.File)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, hinted{fmt.Errorf("docs: %s is not empty and holds no site: nothing is written into it", dir), "name a new folder, or an empty one"}
	}
	if err != nil {
		return nil, err
	}
	return strings.Fields(string(bytes.ToValidUTF8(data, nil))), nil
}

// A siteWriter writes the files of a site into a folder.
type siteWriter struct {
	a       *app
	dir     string
	folders map[string]bool // that are there
	files   []string
	bytes   int64
}

// put writes a file, named with slashes.
func (w *siteWriter) put(name string, data []byte) error {
	if err := w.a.ctx.Err(); err != nil {
		return err
	}
	file := filepath.Join(w.dir, filepath.FromSlash(name))
	if dir := filepath.Dir(file); !w.folders[dir] {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return unwritten{err}
		}
		w.folders[dir] = true
	}
	w.files, w.bytes = append(w.files, name), w.bytes+int64(len(data))
	return w.a.save(file, bytesOf(data))
}

// prune removes the empty folders of a removed file.
func (w *siteWriter) prune(name string) {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if os.Remove(filepath.Join(w.dir, filepath.FromSlash(dir))) != nil {
			return // not empty
		}
	}
}
