package check

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/platforms"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/sanitize"
)

// A scenePart runs a part of a recorded draw and describes what is wrong, or returns "".
type scenePart func(x *sceneCheck, ctx context.Context) string

// sceneFile makes the tasks for each variant of a recorded draw: its picture, with the buffers that it writes, and its
// parts, such as a sample wave.
func (c *checker) sceneFile(ctx context.Context, f caseFile, emit func(task) bool) error {
	scenes := platforms.Scenes(f.kind)
	s, err := readFile(c, f.path, func(r io.Reader, file string) (launch.Scene, error) { return scenes.Read(r, file) })
	if err != nil {
		emit(one(func() Result { return broken(f, err) }))
		return ctx.Err()
	}
	if c.AllowOutside {
		s.AllowOutside()
	}
	for _, v := range s.Variants() {
		parts := map[string]scenePart{s.Name() + " " + v: (*sceneCheck).picture}
		for _, p := range s.Parts(v) {
			parts[s.Name()+" "+v+" "+p.Name] = func(x *sceneCheck, ctx context.Context) string { return x.part(ctx, &p) }
		}
		for _, name := range slices.Sorted(maps.Keys(parts)) {
			if !c.wants(scenes.ISA, v) || !c.named(name) {
				continue
			}
			r := Result{Kind: f.kind, File: f.path, Set: f.set(), ISA: full(scenes.ISA, v), Name: name, Case: c.alone(name), Code: f.path}
			if !emit(one(func() Result { return c.scene(ctx, scenes.ISA, s, v, r, parts[name]) })) {
				return ctx.Err()
			}
		}
	}
	return nil
}

// A sceneCheck is a part of a recorded draw being checked on one variant.
type sceneCheck struct {
	*checker
	s       launch.Scene
	variant string
	r       *Result
}

func (c *checker) scene(ctx context.Context, isa string, s launch.Scene, variant string, r Result, part scenePart) Result {
	_, err := lookup(isa, variant)
	switch {
	case err != nil:
		r.unknown(err)
	default:
		start := time.Now()
		x := &sceneCheck{c, s, variant, &r}
		r.fail(guarded(func() string { return part(x, ctx) }))
		r.Time = time.Since(start)
	}
	return r
}

func (x *sceneCheck) settings() launch.Settings {
	return launch.Settings{Engine: x.Engine, Workers: 1, Limits: x.Limits} // cases share the processors
}

// unnamed removes the name of the draw from an error, because the name of the result has it.
func (x *sceneCheck) unnamed(text string) string {
	name := x.s.Name() + " " + x.variant + ": "
	return strings.TrimPrefix(strings.TrimPrefix(text, "draw "+name), name)
}

// picture draws and compares targets and buffers.
func (x *sceneCheck) picture(ctx context.Context) string {
	set := x.settings()
	w := Watch(x.Sanitize&InDraws, nil)
	if w != nil {
		set.Watcher, w.Case = w, x.r.Case
	}
	if x.Sanitize&sanitize.CheckMemory != 0 {
		set.Policy = exec.RecordFaults
	}
	if counts := x.counting(x.r); counts != nil {
		set.Watcher = counts
		defer counts.add()
	}
	d, err := x.s.Draw(ctx, x.variant, set)
	x.look(x.r, w, err)
	if d != nil {
		x.r.Instructions, x.r.About = d.Instructions, d.About
	}
	if err != nil {
		return x.unnamed(x.fault(err, x.r))
	}
	if what := x.r.Found.told(x.Options); what != "" {
		return what
	}
	cs, err := Scene(x.s, d)
	if err != nil {
		return err.Error()
	}
	for i := range cs {
		if x.r.Note != "" {
			x.r.Note += "; "
		}
		x.r.Note += cs[i].Note
		if cs[i].What != "" {
			return cs[i].What
		}
	}
	return ""
}

// A SceneResult is the comparison of a target or buffer of a recorded draw with its expectation.
type SceneResult struct {
	What string // the difference, or ""
	Note string // how much was compared
}

// Scene compares the results of a draw with what the scene expects. The error reports that an expectation cannot be
// read.
func Scene(s launch.Scene, d *launch.Drawn) (cs []SceneResult, err error) {
	e, err := s.Expected()
	if err != nil {
		return nil, err
	}
	for i := range e.Targets {
		t := &e.Targets[i]
		cs = append(cs, compareTarget(t, e.Mask, &d.Targets[t.At]))
	}
	for _, b := range e.Buffers {
		cs = append(cs, compareAfter(b.Name, b.Data, d.Buffers[b.Name]))
	}
	return cs, nil
}

// compareTarget reports the first pixel in the mask that differs, how many differ, and the largest difference.
func compareTarget(t *launch.TargetExpected, mask []byte, got *launch.DrawnTarget) (c SceneResult) {
	compared, bad, worst := 0, 0, 0.0
	first := ""
	for at, pixel := range got.Pixels {
		if mask[at] == launch.MaskSkip {
			continue
		}
		compared++
		wrong := false
		for k := range t.Channels {
			g, w, near := channelOf(t.Compare, pixel, k, got.Integer), expected(t, at, k), t.Tolerance
			near += t.ToleranceRel * math.Abs(w)
			if mask[at] == launch.MaskBackground && t.Clear != nil {
				w, near = t.Clear[k], 0
			}
			diff := math.Abs(g - w)
			if g != g || diff > worst {
				worst = diff
			}
			if diff <= near || g == w {
				continue
			}
			wrong = true
			if first == "" {
				first = fmt.Sprintf("target %d: pixel %d,%d %s is %g, want %g", t.Number, at%t.Width, at/t.Width, "rgba"[k:k+1], g, w)
			}
		}
		if wrong {
			bad++
		}
	}
	c.Note = fmt.Sprintf("target %d: %d pixels, worst difference %.2g", t.Number, compared, worst)
	if bad > 0 {
		c.What = fmt.Sprintf("%s; %d of %d pixels differ, at worst by %.2g", first, bad, compared, worst)
	}
	return c
}

// channelOf converts a channel of a pixel for comparison: 0 to 255, a float, or an integer.
func channelOf(how launch.Comparison, p [4]uint32, k int, integer bool) float64 {
	x := float64(math.Float32frombits(p[k]))
	switch {
	case how == launch.CompareSigned:
		return float64(int32(p[k]))
	case integer || how == launch.CompareWord || how == launch.CompareWords:
		return float64(p[k])
	case how == launch.CompareBytes:
		if x != x {
			return x
		}
		return math.RoundToEven(min(max(x, 0), 1) * 255)
	}
	return x
}

// expected returns a channel of the pixel with that index.
func expected(t *launch.TargetExpected, at, k int) float64 {
	pixel := t.Pixels[at*t.Compare.Bytes():]
	if t.Compare == launch.CompareBytes {
		return float64(pixel[k])
	}
	word := binary.LittleEndian.Uint32(pixel[4*k:])
	switch t.Compare {
	case launch.CompareFloats:
		return float64(math.Float32frombits(word))
	case launch.CompareSigned:
		return float64(int32(word))
	}
	return float64(word)
}

func compareAfter(name string, want, got []byte) (c SceneResult) {
	c.Note = fmt.Sprintf("%s: %d bytes", name, len(want))
	if len(got) < len(want) {
		c.What = fmt.Sprintf("%s: %d bytes, want %d", name, len(got), len(want))
		return c
	}
	got = got[:len(want)]
	if bytes.Equal(got, want) {
		return c
	}
	first, bad := -1, 0
	for i := range want {
		if got[i] != want[i] {
			if bad++; first < 0 {
				first = i
			}
		}
	}
	c.What = fmt.Sprintf("%s: byte %d is %#x, want %#x; %d of %d bytes differ", name, first, got[first], want[first], bad, len(want))
	return c
}

// part runs a part and compares the result: bit for bit, except for floats with a tolerance.
func (x *sceneCheck) part(ctx context.Context, p *launch.ScenePart) string {
	set := x.settings()
	if counts := x.counting(x.r); counts != nil {
		set.Watcher = counts
		defer counts.add()
	}
	run, err := p.Run(ctx, set)
	if run != nil {
		x.r.Instructions, x.r.About = run.Instructions, run.About
	}
	if err != nil {
		return x.unnamed(x.fault(err, x.r))
	}
	if len(run.Got) != len(run.Want) {
		return fmt.Sprintf("%d %s, want %d", len(run.Got), run.Unit, len(run.Want))
	}
	words := 0
	for i := range run.Want {
		n, what := compareOutput(&run.Want[i], &run.Got[i])
		if words += n; what != "" {
			return fmt.Sprintf("%s: %s", run.Want[i].What, what)
		}
	}
	x.r.Note = fmt.Sprintf("%d %s, %d values", len(run.Want), run.Unit, words)
	return ""
}

// compareOutput reports the first difference of two outputs, counts values, and measures the difference.
func compareOutput(want, got *launch.PartOutput) (n int, what string) {
	if got.Form != want.Form {
		return 0, got.Form + ", want " + want.Form
	}
	r := rule{abs: want.Abs}
	if want.Float {
		r.typ = map[int]string{16: "f16", 32: "f32"}[want.Bits]
	}
	bad, worst := 0, uint64(0)
	for k := range want.Values {
		for lane := range want.Values[k] {
			if want.Lanes>>lane&1 == 0 {
				continue
			}
			n++
			w, g := uint64(want.Values[k][lane]), uint64(got.Values[k][lane])
			if w == g || want.Abs > 0 && r.same(w, g) {
				continue
			}
			if bad++; bad == 1 {
				what = fmt.Sprintf("lane %d is %s, want %s", lane, show(r.typ, want.Bits, g), show(r.typ, want.Bits, w))
				if len(want.Values) > 1 {
					what = fmt.Sprintf("component %d of %s", k, what)
				}
			}
			worst = max(worst, ulps(want.Bits, w, g))
		}
	}
	switch {
	case bad > 0 && want.Float:
		what += fmt.Sprintf("; %d of %d values differ, by up to %d ulp", bad, n, worst)
	case bad > 0:
		what += fmt.Sprintf("; %d of %d values differ", bad, n)
	}
	return n, what
}
