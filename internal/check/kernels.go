package check

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/platforms"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/sanitize"
)

// manifestFile makes one task of each build of a kernel.
func (c *checker) manifestFile(ctx context.Context, path string, emit func(task) bool) error {
	f := caseFile{path: path, kind: casefile.ManifestFile}
	m, err := readFile(c, path, casefile.ReadManifest)
	if err != nil {
		emit(one(func() Result { return broken(f, err) }))
		return ctx.Err()
	}
	m.AllowOutside, m.Assemble = c.AllowOutside, Assemble
	for i := range m.Variants {
		b := &m.Variants[i]
		name := BuildName(m, b)
		if !c.wants(b.ISA, b.Variant) || !c.named(name) {
			continue
		}
		alone := c.alone(name)
		if !emit(one(func() Result { return c.kernel(ctx, m, b, name, alone) })) {
			return ctx.Err()
		}
	}
	return nil
}

// Assemble returns the code of a build that is assembly.
func Assemble(b *casefile.Build, file string, text []byte) ([]byte, error) {
	r, err := Assembled(b, file, text)
	if err != nil {
		return nil, err
	}
	return r.Code, nil
}

// Assembled is Assemble with all information about the code.
func Assembled(b *casefile.Build, file string, text []byte) (*asm.Assembly, error) {
	t, err := lookup(b.ISA, b.Variant)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	r, errs := asm.AssembleToRun(t.AskedBy(t.FullName(), ""), text, asm.Options{File: file, Base: b.Address})
	if len(errs) == 0 {
		if b.Address != 0 && b.Address != r.Base {
			return nil, fmt.Errorf("%s: the code begins at %#x, the manifest says %#x", file, r.Base, b.Address)
		}
		b.Address, b.From = r.Base, r.Map()
		if b.Instructions = nil; r.Bundles != nil {
			b.Instructions = r.Bundles
		}
		return r, nil
	}
	all := make([]error, 0, maxAssembleErrors)
	for _, e := range errs[:min(len(errs), maxAssembleErrors)] {
		all = append(all, errors.New(e.Detail()))
	}
	return nil, errors.Join(all...)
}

// maxAssembleErrors limits the errors shown of one file.
const maxAssembleErrors = 10

// BuildName returns the name of a build in reports: "saxpy gfx803.O0".
func BuildName(m *casefile.Manifest, b *casefile.Build) string {
	file := filepath.Base(b.File)
	file = strings.TrimPrefix(file, m.Name+".")
	return m.Name + " " + strings.TrimSuffix(file, ".hsaco")
}

// kernel runs all launches of a manifest on one build and compares the buffers.
func (c *checker) kernel(ctx context.Context, m *casefile.Manifest, b *casefile.Build, name, alone string) Result {
	r := Result{Kind: casefile.ManifestFile, File: m.File, Set: "kernels/" + b.ISA, ISA: full(b.ISA, b.Variant), Name: name, Case: alone, Code: m.Path(b.File)}
	_, err := lookup(b.ISA, b.Variant)
	platform := platforms.Lookup(b.ISA)
	switch {
	case err != nil:
		r.unknown(err)
	case platform == nil || !platform.RunsManifests():
		r.skip(b.ISA + ": kernels cannot be run yet")
	default:
		r.fail(guarded(func() string { return c.launches(ctx, platform, m, b, &r) }))
	}
	return r
}

func (c *checker) launches(ctx context.Context, platform *launch.Platform, m *casefile.Manifest, b *casefile.Build, r *Result) string {
	start := time.Now()
	// Cases share the processors, so a launch gets one.
	set := launch.Settings{Engine: c.Engine, Workers: 1, Limits: c.Limits}
	if c.Sanitize&sanitize.CheckMemory != 0 {
		set.Policy, set.Declared = exec.RecordFaults, true
	}
	w := Watch(c.Sanitize, nil)
	run := *m
	if w != nil {
		set.Watcher, w.HostReads, w.Case = w, Expected(m), r.Case
		run.Assemble = func(b *casefile.Build, file string, text []byte) ([]byte, error) {
			a, err := Assembled(b, file, text)
			if err != nil {
				return nil, err
			}
			r.Text, r.Target = text, a.Target
			return a.Code, nil
		}
	}
	if counts := c.counting(r); counts != nil {
		set.Watcher = counts
		defer counts.add()
	}
	buffers, results, err := platform.RunManifest(ctx, &run, b, set)
	r.Time = time.Since(start)
	for _, l := range results {
		r.Instructions += l.Instructions
		r.About = r.About || l.About
	}
	c.look(r, w, err)
	if err != nil {
		return c.fault(err, r)
	}
	if what := r.Found.told(c.Options); what != "" {
		return what
	}
	compared, err := Buffers(m, buffers)
	if err != nil {
		return err.Error()
	}
	for _, b := range compared {
		if b.What != "" {
			return b.What
		}
	}
	return ""
}

// Expected returns which buffers of a manifest have an expectation, and so are read.
func Expected(m *casefile.Manifest) func(buffer string) bool {
	return func(name string) bool {
		return slices.ContainsFunc(m.Buffers, func(b casefile.Buffer) bool { return b.Name == name && b.Expect != "" })
	}
}

// elemType returns the size in bytes of an element type of buffers, 1 if the type is not known, and its name for show.
func elemType(name string) (size int, typ string) {
	switch name {
	case "int16", "uint16":
		return 2, ""
	case "int32", "uint32":
		return 4, ""
	case "int64", "uint64":
		return 8, ""
	case "float16":
		return 2, "f16"
	case "float32":
		return 4, "f32"
	case "float64":
		return 8, "f64"
	}
	return 1, ""
}

// CompareBuffer compares the contents of a buffer with the expected ones by its Elem and Compare. It names the first
// element that differs and counts them; "" if none differs.
func CompareBuffer(b *casefile.Buffer, want, got []byte) string {
	if bytes.Equal(want, got) {
		return ""
	}
	if len(got) != len(want) {
		return fmt.Sprintf("buffer %s has %d bytes, want %d", b.Name, len(got), len(want))
	}
	r := bufferRule(&b.Compare)
	size, typ := elemType(b.Elem)
	if n := floatWidth(r.typ) / 8; n != 0 && n != size {
		size, typ = n, r.typ
	}
	first, bad := -1, 0
	for i := 0; i+size <= len(want); i += size {
		if !r.same(element(want[i:], size), element(got[i:], size)) {
			if bad++; first < 0 {
				first = i
			}
		}
	}
	if bad == 0 {
		return ""
	}
	w, g := element(want[first:], size), element(got[first:], size)
	what := ""
	if b.Expect == "" {
		what = ", and must stay as it was"
	}
	return fmt.Sprintf("buffer %s[%d] is %s, want %s%s; %d of %d elements differ", b.Name, first/size,
		show(typ, 8*size, g), show(typ, 8*size, w), what, bad, len(want)/size)
}

// element returns the little-endian number at the start of b.
func element(b []byte, size int) uint64 {
	var full [8]byte
	copy(full[:], b[:size])
	return binary.LittleEndian.Uint64(full[:])
}

// bufferRule returns the rule of a buffer; in the mode exact only the keys for NaN and zero give tolerance.
func bufferRule(c *casefile.BufferCompare) rule {
	r := rule{typ: c.Type, nanAny: c.NaNAny, zeroAny: c.ZeroAny}
	if c.Mode == "ulp_or_abs" {
		r.ulp, r.abs = uint64(c.ULP), c.Abs
	}
	return r
}
