package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/internal/check"
	"github.com/heddle-gpu/heddle/internal/elem"
	"github.com/heddle-gpu/heddle/internal/fidelity"
	"github.com/heddle-gpu/heddle/internal/picture"
	"github.com/heddle-gpu/heddle/internal/platforms"
	"github.com/heddle-gpu/heddle/internal/sets"
	"github.com/heddle-gpu/heddle/launch"
)

// A build is the result of a manifest's launches on one of its code objects, for output.
type build struct {
	File     string     `json:"file"`
	ISA      string     `json:"isa"`
	Compiler string     `json:"compiler,omitempty"`
	Launches []buildRun `json:"launches"`
	Counters counters   `json:"counters"`
	Stats    *stats     `json:"stats,omitempty"`
	// Fidelity is the fidelity of the executed instructions, with --fidelity.
	Fidelity *fidelity.Report `json:"fidelity,omitempty"`
	Buffers  []buildBuf       `json:"buffers,omitempty"`
	Printed  []printed        `json:"print,omitempty"`
	Pictures []string         `json:"pictures,omitempty"`
	Engines  []agreement      `json:"engines,omitempty"` // for --engine all, except the reference
	Fault    string           `json:"fault,omitempty"`
	met
	wrong  error       // makes the exit code 1
	source string      // of the expectation
	dims   []dimension // of the pictures
	held   *held       // nil: the launches have no results
}

type dimension struct{ w, h int }

type buildRun struct {
	Kernel string `json:"kernel"`
	Grid   [3]int `json:"grid"`
	Block  [3]int `json:"block"`
}

type buildBuf struct {
	Name string `json:"name"`
	OK   bool   `json:"ok"`
	What string `json:"what,omitempty"`
	summed
}

func (c *runCmd) manifest(a *app, m *casefile.Manifest) error {
	if err := a.fits("run", 'm', m.File); err != nil {
		return err
	}
	h := &held{}
	for i := range m.Buffers {
		b := &m.Buffers[i]
		typ := elem.NumPy(b.Elem)
		h.bufs = append(h.bufs, heldBuf{name: b.Name, data: new([]byte), size: b.Bytes, typ: typ, sums: typ})
	}
	if err := h.resolve(&c.wants); err != nil {
		return err
	}
	for i := 0; i < len(m.Pictures) && !c.NoPNG; i++ {
		path := c.picture(&m.Pictures[i])
		if err := c.wants.alone("picture "+m.Pictures[i].Name+" of the manifest", path); err != nil {
			return hinted{err, "--no-png leaves out the manifest's own pictures"}
		}
		if err := writable(path); err != nil {
			return err
		}
	}
	m.AllowOutside, m.Assemble = c.AllowOutside, check.Assemble
	builds, err := c.builds(m)
	if err != nil {
		return fmt.Errorf("%s: %w", m.File, err)
	}
	var all []*build
	var bad error
	for i, b := range builds {
		r, err := c.build(a, m, b, h)
		if err != nil {
			return err
		}
		if err := c.results(a, m, r, i == 0); err != nil {
			return err
		}
		all = append(all, r)
		if bad == nil {
			bad = r.wrong
		}
	}
	if c.JSON {
		if err := a.json(all); err != nil {
			return err
		}
	}
	return bad
}

// results prints the result of a build and writes the files, which have the results of the first build.
func (c *runCmd) results(a *app, m *casefile.Manifest, r *build, first bool) error {
	if first && !c.NoPNG && r.Fault == "" && r.held != nil {
		if err := c.pictures(a, m, r); err != nil {
			return err
		}
	}
	if !c.JSON && !c.wants.toStdout() {
		r.print(a)
	}
	if !first || r.held == nil {
		return nil
	}
	return c.write(a, r.held, nil)
}

// builds returns the builds to run: the requested ones, or all for supported variants.
func (c *runCmd) builds(m *casefile.Manifest) (list []*casefile.Build, err error) {
	var names []string
	for i := range m.Variants {
		b := &m.Variants[i]
		names = append(names, b.File)
		t, lookup := sets.Lookup(b.ISA + ":" + b.Variant)
		want := c.Variant == "" && lookup == nil
		if c.Variant != "" && t != nil {
			n, ok := t.Arch.Variant(c.Variant)
			want = ok && n == t.Variant
		}
		if c.CodeObject != "" {
			want = c.CodeObject == b.File || sameFile(c.CodeObject, m.Path(b.File))
		}
		if want {
			if lookup != nil {
				return nil, lookup
			}
			list = append(list, b)
		}
	}
	if len(list) == 0 {
		err := fmt.Errorf("no build to run among %s", strings.Join(names, ", "))
		if c.CodeObject == "" {
			return nil, err
		}
		return nil, hinted{err, "--code-object takes one of these names, or the path of such a file"}
	}
	return list, nil
}

// sameFile reports whether two paths lead to one file.
func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// build runs the launches of the manifest on one build. The error is about what cannot be read or written; faults and
// differences are in the result.
func (c *runCmd) build(a *app, m *casefile.Manifest, b *casefile.Build, h *held) (*build, error) {
	r := &build{File: b.File, ISA: b.ISA + ":" + b.Variant, Compiler: strings.TrimSpace(b.Compiler + " " + b.Opt), source: m.ExpectedFrom,
		Counters: counters{Exact: true, Memory: traffic{}}}
	platform := platforms.Lookup(b.ISA)
	if platform == nil || !platform.RunsManifests() {
		return nil, fmt.Errorf("%s: kernels of %s cannot be run yet", m.File, b.ISA)
	}
	if err := c.lintBuild(m, b); err != nil {
		return nil, err
	}
	got, results, err := c.runBuild(a, platform, m, b)
	if err != nil && (len(results) == 0 || ended(err)) {
		return nil, err
	}
	for i, res := range results {
		l := &m.Launches[i]
		r.Launches = append(r.Launches, buildRun{l.Kernel, l.Grid, l.Block})
		r.Counters.add(countersOf(res, b.ISA))
	}
	r.Stats = statsOf(c.took, &r.Counters)
	var counted error
	if r.Fidelity, counted = c.fidelity(); counted != nil {
		return nil, errors.Join(err, counted)
	}
	r.Engines = c.agree
	if h.left(got) {
		r.held, r.Printed = h, h.printed()
	}
	r.met = c.met(a, err)
	c.keepFindings(&r.met)
	if err != nil {
		r.Fault, r.wrong = a.plain(err), cmp.Or(disagreement(r.Engines), error(wrong{err}))
		return r, nil
	}
	r.wrong = cmp.Or(r.met.err(), disagreement(r.Engines))
	compared, err := check.Buffers(m, got)
	if err != nil {
		return nil, err
	}
	for _, v := range compared {
		if v.Output || v.What != "" {
			r.Buffers = append(r.Buffers, buildBuf{v.Buffer.Name, v.What == "", v.What, h.summary(v.Buffer.Name)})
		}
		if v.What != "" && r.wrong == nil {
			r.wrong = wrong{fmt.Errorf("%s: %s", b.File, v.What)}
		}
	}
	return r, nil
}

// writes reports whether a buffer is written to a file after the run.
func (c *runCmd) writes(buffer string) bool {
	return slices.ContainsFunc(c.Out, func(text string) bool { return strings.HasPrefix(text, buffer+"=") })
}

// runBuild runs the launches of a manifest on one build. With all engines the results are those of the reference.
func (c *runCmd) runBuild(a *app, platform *launch.Platform, m *casefile.Manifest, b *casefile.Build) (got map[string][]byte, results []*launch.Result, err error) {
	run := func() (map[string][]byte, []*launch.Result, error) {
		defer c.watched(a, manifestGroups(m))()
		set := c.settings(a)
		if c.found != nil {
			expected := check.Expected(m)
			c.found.Case = check.BuildName(m, b)
			c.found.HostReads = func(buffer string) bool { return expected(buffer) || c.writes(buffer) }
		}
		return platform.RunManifest(a.ctx, m, b, set)
	}
	if c.Engine != allEngines {
		return run()
	}
	first := true
	ended := c.onAll(a, func() (o outcome) {
		buffers, res, end := run()
		if first {
			got, results, err, first = buffers, res, end, false
		}
		if end != nil {
			o.fault = a.plain(end)
		}
		o.met = c.met(a, nil)
		for i := range m.Buffers {
			name := m.Buffers[i].Name
			o.names, o.buffers = append(o.names, name), append(o.buffers, buffers[name])
		}
		return o
	})
	return got, results, cmp.Or(ended, err)
}

// picture returns the path for a picture.
func (c *runCmd) picture(p *casefile.Picture) string { return filepath.Join(c.Dir, p.Name+".png") }

// pictures writes the pictures of the manifest.
func (c *runCmd) pictures(a *app, m *casefile.Manifest, r *build) error {
	for i := range m.Pictures {
		p := &m.Pictures[i]
		b, err := r.held.find(p.Buffer)
		if err != nil {
			return err
		}
		img, err := picture.Of(p, *b.data)
		if err != nil {
			return err
		}
		path := c.picture(p)
		if err := a.save(path, pngOf(a.ctx, img)); err != nil {
			return err
		}
		r.Pictures = append(r.Pictures, path)
		r.dims = append(r.dims, dimension{p.Width, p.Height})
	}
	return nil
}

func (r *build) print(a *app) {
	by := ""
	if r.Compiler != "" {
		by = " (" + r.Compiler + ")"
	}
	a.say("%s on %s%s\n", r.File, r.ISA, by)
	for _, l := range r.Launches {
		a.say("  %s: grid %s in groups of %s\n", l.Kernel, axesOf(l.Grid), axesOf(l.Block))
	}
	for _, b := range r.Buffers {
		what := b.What
		if b.OK {
			what = "buffer " + b.Name + " is as expected"
		}
		a.say("  %s\n", what)
		if b.Summary != nil {
			a.printf("    %s\n", b.Summary)
		}
	}
	if r.held != nil {
		r.held.show(a, "  ")
	}
	printAgreement(a, r.Engines)
	r.met.print(a, "  ")
	for i, p := range r.Pictures {
		a.say("  wrote %s, %dx%d\n", p, r.dims[i].w, r.dims[i].h)
	}
	r.Counters.print(a)
	r.Stats.print(a)
	printFidelity(a, r.Fidelity)
}

func axesOf(d [3]int) string { return axes([3]uint32{uint32(d[0]), uint32(d[1]), uint32(d[2])}) }
