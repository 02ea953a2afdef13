package check

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/platforms"
	"github.com/heddle-gpu/heddle/launch"
)

// frameFile makes one task of a frame for each variant that it applies to.
func (c *checker) frameFile(ctx context.Context, path string, emit func(task) bool) error {
	f := caseFile{path: path, kind: casefile.FrameFile}
	m, err := readFile(c, path, casefile.ReadFrame)
	if err != nil {
		emit(one(func() Result { return broken(f, err) }))
		return ctx.Err()
	}
	m.AllowOutside = c.AllowOutside
	for _, s := range caseVariants(&casefile.StateCase{ISA: m.ISA, Variant: m.Variant}) {
		if !c.wants(s.ISA, s.Variant) {
			continue
		}
		t := &frame{checker: c, Frame: m, file: f, variant: s.Variant, alone: c.alone(m.Name + " " + s.Variant), drawn: make([]*drawnQuad, len(m.Runs))}
		if !emit(task{func() []Result { return t.results(ctx) }, t.cases}) {
			return ctx.Err()
		}
	}
	return nil
}

// A frame is a recorded frame being checked on one variant.
type frame struct {
	*checker
	*casefile.Frame
	file    caseFile
	variant string
	alone   string       // a name that no other case has
	drawn   []*drawnQuad // by run; nil for vertices and for runs that were not executed
}

// A drawnQuad is the result of the runs of fragments.
type drawnQuad struct {
	out  []casefile.Vectors // by lane
	kill []bool
}

// cases returns the number of results.
func (t *frame) cases() (n int) {
	for i := range t.Programs {
		if t.named(t.programName(i)) {
			n++
		}
	}
	if t.pictureWanted() {
		n++
	}
	return n
}

func (t *frame) programName(i int) string {
	return fmt.Sprintf("%s %s %d", t.Name, t.Programs[i].Stage, i)
}

func (t *frame) pictureName() string { return t.Name + " image" }

func (t *frame) pictureWanted() bool { return t.Image != nil && t.named(t.pictureName()) }

// results returns one result for each program, and one for the picture.
func (t *frame) results(ctx context.Context) (list []Result) {
	wanted := t.pictureWanted()
	lost := "" // why the picture cannot be drawn
	for i := range t.Programs {
		p := &t.Programs[i]
		r := t.result(t.programName(i))
		named := t.named(r.Name)
		if !named && !(wanted && p.Stage == "fragment") {
			continue
		}
		t.program(ctx, i, &r)
		if r.Status == Skipped && p.Stage == "fragment" {
			lost = r.What
		}
		if named {
			list = append(list, r)
		}
	}
	if wanted {
		r := t.result(t.pictureName())
		if lost != "" {
			r.skip(lost)
		} else {
			r.fail(guarded(func() string { return t.picture(&r) }))
		}
		list = append(list, r)
	}
	return list
}

func (t *frame) result(name string) Result {
	return Result{Kind: t.file.kind, File: t.file.path, Set: t.file.set(), ISA: full(t.ISA, t.variant), Name: name,
		Case: t.alone + strings.TrimPrefix(name, t.Name), Code: t.file.path}
}

// program checks all runs of one program.
func (t *frame) program(ctx context.Context, i int, r *Result) {
	target, err := lookup(t.ISA, t.variant)
	platform := platforms.Lookup(t.ISA)
	switch {
	case err != nil:
		r.unknown(err)
	case platform == nil || platform.Captures == nil:
		r.skip(t.ISA + ": captured frames cannot be run yet")
	default:
		r.fail(guarded(func() string {
			p, err := t.prepare(platform, target, i, r)
			if err != nil {
				return err.Error()
			}
			if p.counts != nil {
				defer p.counts.add()
			}
			if t.variant != platform.Captures.Variant {
				same, err := p.sameAs(platform.Captures.Variant)
				if err != nil {
					return err.Error()
				}
				if !same {
					r.skip("the frame holds what " + full(t.ISA, platform.Captures.Variant) + " does, and this variant lifts the program otherwise")
					return ""
				}
			}
			return t.runs(ctx, p, i, r)
		}))
	}
}

// runs repeats all runs of a program and reports the first that differs.
func (t *frame) runs(ctx context.Context, p *frameProgram, i int, r *Result) string {
	first, bad, count, lanes := "", 0, 0, 0
	start := time.Now()
	for k := range t.Runs {
		run := &t.Runs[k]
		if run.Program != i {
			continue
		}
		count, lanes = count+1, lanes+len(run.In)
		what := t.run(ctx, p, k, r)
		if r.Status == Skipped {
			return ""
		}
		if what == "" {
			continue
		}
		if bad++; first == "" {
			first = fmt.Sprintf("%s %d: %s", map[int]string{1: "vertex", 4: "quad"}[len(run.In)], k, what)
		}
		if ctx.Err() != nil {
			break
		}
	}
	r.Time = time.Since(start)
	if p.found != nil {
		p.found.Case = r.Case
		t.look(r, p.found, p.ended)
	}
	if what := r.Found.told(t.Options); what != "" {
		return what
	}
	r.Note = fmt.Sprintf("%d runs of %d lanes, %d words, at most %d ulp off", count, lanes, p.values, p.worst)
	if bad > 1 {
		first += fmt.Sprintf("; %d of %d runs differ", bad, count)
	}
	return first
}

// run repeats one run and compares the result.
func (t *frame) run(ctx context.Context, p *frameProgram, at int, r *Result) string {
	run, w := &t.Runs[at], &p.k.Waves[0]
	if err := p.begin(run, at); err != nil {
		return err.Error()
	}
	tape := &Tape{Texels: run.Tex}
	w.Env.TextureOf = func(uint32) (exec.Sampler, error) { return tape, nil }
	w.Env.Count = exec.Counters{}
	err := launch.RunWave(ctx, t.Engine, p.program, w.State, &w.Env, t.Limits)
	r.Instructions += w.Env.Count.Instructions
	switch {
	case err != nil:
		if p.ended = err; p.counts != nil {
			p.faulted(err)
		}
		return t.fault(err, r)
	case tape.At != len(run.Tex):
		return fmt.Sprintf("%d texture instructions were executed, want %d", tape.At, len(run.Tex))
	}
	p.end(run)
	return t.compare(p, at)
}
