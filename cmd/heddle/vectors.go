package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/heddle-gpu/heddle/internal/limit"
	"github.com/heddle-gpu/heddle/internal/manual"
	"github.com/heddle-gpu/heddle/internal/vectors"
	"github.com/heddle-gpu/heddle/isa"
)

type vectorsCmd struct {
	ISA   string   `name:"isa" short:"i" placeholder:"ISA" help:"Instruction set and variant."`
	Out   string   `short:"o" placeholder:"DIR" help:"Folder for the files: one for each mnemonic, and index.json."`
	Count int      `default:"32" range:"1..16384" placeholder:"N" help:"Tests of each encoding of a mnemonic (32)."`
	Seed  uint64   `default:"1" range:"0.." placeholder:"N" help:"Seed of the random values (1): the same seed gives the same bytes, anywhere."`
	Gzip  bool     `help:"Compress the files: .json.gz."`
	JSON  bool     `help:"Print the index: the tests of each row, and what has none and why."`
	Quiet bool     `short:"q" help:"No progress."`
	Names []string `arg:"" optional:"" name:"mnemonic" help:"Mnemonics; none: all. Of one without --out the file goes to standard output."`
}

func (c *vectorsCmd) Help() string {
	return `Test vectors for emulators: one instruction run once, with registers, flags and memory before and after it, in the JSON form of
SingleStepTests: a file is an array of {"name", "bytes", "initial", "final"}. docs/vectors.md describes each key, and has runners
in Go, Rust, C++ and Python. Edge values come first, then random ones; every encoding and modifier of the mnemonic is among the tests.

The final states are what heddle's reference engine leaves: its claim, not that of a chip. Tests whose bits are not exact say so.
heddle check reads the files back, on every engine. What has no tests stands in index.json, each row with the reason.

Examples:
  heddle vectors --isa gcn:gfx8 v_add_f32 > v_add_f32.json
  heddle vectors --isa gcn:gfx8 v_add_f32 v_xor_b32 --count 100 --seed 7 -o vectors/gfx8
  heddle vectors --isa tesla:gt215 -o vectors/gt215 --gzip
  heddle vectors --isa valhall FADD.f32 --json
  heddle check vectors`
}

func (c *vectorsCmd) Run(a *app) error {
	kind := byte('o')
	switch {
	case c.Out != "":
		kind = 'd'
	case c.JSON:
		kind = 'j'
	}
	if err := a.fits("vectors", kind, ""); err != nil {
		return err
	}
	t, err := find(c.ISA, "", "")
	if err != nil {
		return err
	}
	if kind == 'o' && len(c.Names) != 1 {
		return hinted{fmt.Errorf("vectors: %d mnemonics without --out", len(c.Names)), "one goes to standard output; -o DIR takes any number, and all if none is named"}
	}
	if c.Names, err = mnemonics(t, c.Names); err != nil {
		return err
	}
	job := &vectors.Job{Target: t, Mnemonics: c.Names, Options: vectors.Options{Seed: c.Seed, Count: c.Count}, Gzip: c.Gzip}
	switch kind {
	case 'o':
		return c.print(a, job)
	case 'd':
		return c.files(a, job)
	}
	ix, err := c.index(a, job)
	if err != nil {
		return err
	}
	return a.json(ix)
}

// mnemonics returns the distinct selected mnemonics; all, if none is named.
func mnemonics(t *isa.Target, names []string) (list []string, err error) {
	known := vectors.Mnemonics(t)
	if len(names) == 0 {
		return known, nil
	}
	forms := vectors.Forms(t)
	for _, name := range names {
		meant := slices.IndexFunc(known, func(s string) bool { return strings.EqualFold(s, name) })
		switch {
		case meant >= 0:
			name = known[meant]
		case !slices.Contains(forms, name):
			err := fmt.Errorf("%s has no instruction %q", t, name)
			if near := isa.Nearest(name, append(known, forms...)); near != "" {
				return nil, hinted{err, "did you mean " + near}
			}
			if near := manual.Candidates(t, name); len(near) > 0 {
				return nil, hinted{err, "did you mean " + strings.Join(near, ", ")}
			}
			return nil, hinted{err, "heddle vectors --isa " + t.Name + " --json lists all"}
		}
		if !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list, nil
}

// print writes the file of one mnemonic to standard output.
func (c *vectorsCmd) print(a *app, job *vectors.Job) error {
	job.Put = func(_ string, data []byte) error {
		_, err := a.out.Write(data)
		return err
	}
	ix, err := c.index(a, job)
	if err != nil {
		return err
	}
	for i := range ix.Missing {
		fmt.Fprintln(a.err, "heddle: note: no tests of "+missing(&ix.Missing[i]))
	}
	if ix.Tests == 0 {
		return wrong{fmt.Errorf("vectors: %s of %s has no tests", c.Names[0], ix.ISA)}
	}
	return nil
}

// missing describes a row without tests.
func missing(r *vectors.Row) string {
	return strings.TrimSpace(fmt.Sprintf("%s, %s %s", r.Mnemonic, r.Encoding, r.Stage)) + ": " + r.Missing
}

// files writes a file for each mnemonic, and the index.
func (c *vectorsCmd) files(a *app, job *vectors.Job) error {
	if err := ownFolder(c.Out, job.Target.FullName()); err != nil {
		return err
	}
	job.Put = func(name string, data []byte) error { return a.save(filepath.Join(c.Out, name), bytesOf(data)) }
	put := func(ix *vectors.Index) error {
		data, err := ix.JSON()
		if err == nil {
			err = job.Put(vectors.IndexName, data)
		}
		return err
	}
	if err := put(job.Empty()); err != nil { // marks a folder that is incomplete
		return err
	}
	ix, err := c.index(a, job)
	if err == nil {
		err = put(ix)
	}
	if err != nil {
		return err
	}
	if c.JSON {
		return a.json(ix)
	}
	a.printf("%s: %s tests in %s files in %s", ix.ISA, grouped(uint64(ix.Tests)), grouped(uint64(len(ix.Files))), c.Out)
	if n := len(ix.Missing); n > 0 {
		a.printf("; %d rows have none: %s says why", n, vectors.IndexName)
	}
	a.printf("\n")
	return nil
}

// ownFolder makes the folder of the vectors of a variant. A folder with other files is rejected: hundreds of files
// among them would be hard to tell apart.
func ownFolder(dir, isa string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return unwritten{err}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) == 0 {
		return err
	}
	data, err := limit.ReadFile(filepath.Join(dir, vectors.IndexName), limit.File)
	of := vectors.IndexOf(data)
	if err == nil && of != "" && of != isa {
		return hinted{fmt.Errorf("vectors: %s holds vectors of %s", dir, of), "give each variant a folder of its own"}
	}
	if errors.Is(err, fs.ErrNotExist) || err == nil && of == "" {
		return hinted{fmt.Errorf("vectors: %s is not empty, and holds no vectors", dir), "give a folder that is new or empty, or one that heddle vectors has made"}
	}
	return err
}

// index makes the vectors and shows progress.
func (c *vectorsCmd) index(a *app, job *vectors.Job) (*vectors.Index, error) {
	job.Done = &atomic.Int64{}
	if !c.Quiet {
		total := int64(len(job.Mnemonics))
		defer a.watch("vectors", progressAfter, func() far { return far{job.Done.Load(), total, "mnemonics"} })()
	}
	return job.Run(a.ctx)
}
