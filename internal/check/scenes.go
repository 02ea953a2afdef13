package check

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/launch/all"
	"github.com/heddle-gpu/heddle/object"
)

// sceneISA is the instruction set of recorded draws.
const sceneISA = "gcn"

// sceneFile makes two tasks of each variant of a recorded draw: its picture, with the buffers that it leaves, and its
// sample wave.
func (c *checker) sceneFile(ctx context.Context, path string, emit func(task) bool) error {
	f := caseFile{path, object.GCNSceneFile}
	s, err := readFile(c, path, object.ReadGCNScene)
	if err != nil {
		emit(func() []Result { return []Result{broken(f, err)} })
		return ctx.Err()
	}
	s.AllowOutside = c.AllowOutside
	for _, v := range s.Variants {
		parts := map[string]func(*sceneCheck, context.Context) string{s.Name + " " + v.Name: (*sceneCheck).picture}
		if v.Sample != nil {
			parts[s.Name+" "+v.Name+" sample wave"] = (*sceneCheck).sample
		}
		for _, name := range slices.Sorted(maps.Keys(parts)) {
			if !c.wants(sceneISA, v.Name) || !c.named(name) {
				continue
			}
			if !emit(func() []Result { return []Result{c.scene(ctx, f, s, v, name, parts[name])} }) {
				return ctx.Err()
			}
		}
	}
	return nil
}

// A sceneCheck is a part of a recorded draw on its way through one variant.
type sceneCheck struct {
	*checker
	s      *object.GCNScene
	v      *object.GCNVariant
	scenes *launch.Scenes
	r      *Result
}

func (c *checker) scene(ctx context.Context, f caseFile, s *object.GCNScene, v *object.GCNVariant, name string, part func(*sceneCheck, context.Context) string) Result {
	r := Result{Kind: f.kind, File: f.path, Set: f.set(), ISA: full(sceneISA, v.Name), Name: name}
	_, reason, err := lookup(sceneISA, v.Name)
	switch {
	case err != nil:
		r.fail(err.Error())
	case reason != "":
		r.skip(reason)
	default:
		start := time.Now()
		x := &sceneCheck{c, s, v, all.Scenes(sceneISA), &r}
		r.fail(guarded(func() string { return part(x, ctx) }))
		r.Time = time.Since(start)
	}
	return r
}

func (x *sceneCheck) settings() launch.Settings {
	return launch.Settings{Engine: x.Engine, Workers: 1, Limits: x.Limits} // cases share the processors
}

// picture draws and compares targets and buffers.
func (x *sceneCheck) picture(ctx context.Context) string {
	d, err := x.scenes.Draw(ctx, x.s, x.v, x.settings())
	if d != nil {
		x.r.Instructions, x.r.About = d.Instructions, d.About
	}
	if err != nil {
		return x.fault(err, x.r)
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

// A SceneResult says how a target or buffer of a recorded draw compares with what is expected.
type SceneResult struct {
	What string // what differs, or nothing
	Note string // how much was compared
}

// Scene compares what a draw has left, as far as the scene says what that must be. The error is of reading an expectation.
func Scene(s *object.GCNScene, d *launch.Drawn) (cs []SceneResult, err error) {
	mask, err := s.ReadMask()
	if err != nil {
		return nil, err
	}
	for i := range s.Targets {
		if s.Targets[i].Compare == "" {
			continue
		}
		want, err := s.ReadExpect(i)
		if err != nil {
			return cs, err
		}
		cs = append(cs, compareTarget(s, i, mask, want, &d.Targets[i]))
	}
	for i := range s.After {
		want, err := s.ReadAfter(i)
		if err != nil {
			return cs, err
		}
		cs = append(cs, compareAfter(s.After[i].Name, want, d.Buffers[s.After[i].Name]))
	}
	return cs, nil
}

// compareTarget finds the first pixel of the mask that is not as expected, counts them, and notes the worst difference.
func compareTarget(s *object.GCNScene, i int, mask, want []byte, got *launch.DrawnTarget) (c SceneResult) {
	t := &s.Targets[i]
	compared, bad, worst := 0, 0, 0.0
	first := ""
	for at, pixel := range got.Pixels {
		if mask[at] == object.MaskSkip {
			continue
		}
		compared++
		wrong := false
		for k := range pixelChannels(t.Compare) {
			g, w := channelOf(t.Compare, pixel, k, got.Integer), expected(t.Compare, want, at, k)
			diff := math.Abs(g - w)
			if g != g || diff > worst {
				worst = diff
			}
			if diff <= t.Tolerance+t.ToleranceRel*math.Abs(w) || g == w {
				continue
			}
			wrong = true
			if first == "" {
				first = fmt.Sprintf("target %d: pixel %d,%d %s is %g, want %g", t.Index, at%s.Width, at/s.Width, "rgba"[k:k+1], g, w)
			}
		}
		if wrong {
			bad++
		}
	}
	c.Note = fmt.Sprintf("target %d: %d pixels, worst difference %.2g", t.Index, compared, worst)
	if bad > 0 {
		c.What = fmt.Sprintf("%s; %d of %d pixels differ, at worst by %.2g", first, bad, compared, worst)
	}
	return c
}

func pixelChannels(compare string) int {
	if compare == "u32" {
		return 1
	}
	return 4
}

// channelOf is a channel of a pixel as the comparison has it: 0 to 255, a float, or an integer.
func channelOf(compare string, p [4]uint32, k int, integer bool) float64 {
	x := float64(math.Float32frombits(p[k]))
	switch {
	case integer || compare == "u32":
		return float64(p[k])
	case compare == "rgba8":
		if x != x {
			return x
		}
		return math.RoundToEven(min(max(x, 0), 1) * 255)
	}
	return x
}

func expected(compare string, want []byte, at, k int) float64 {
	switch compare {
	case "rgba8":
		return float64(want[4*at+k])
	case "f32":
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(want[16*at+4*k:])))
	}
	return float64(binary.LittleEndian.Uint32(want[4*at:]))
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

// sample runs the sample wave and compares its exports bit for bit.
func (x *sceneCheck) sample(ctx context.Context) string {
	got, count, err := x.scenes.Sample(ctx, x.s, x.v, x.settings())
	if count != nil {
		x.r.Instructions, x.r.About = count.Instructions, count.About
	}
	if err != nil {
		return x.fault(err, x.r)
	}
	want := x.v.Sample.Exports
	if len(got) != len(want) {
		return fmt.Sprintf("%d exports, want %d", len(got), len(want))
	}
	words := 0
	for i := range want {
		n, what := compareExport(&want[i], &got[i])
		if words += n; what != "" {
			return fmt.Sprintf("export %d to %s: %s", i, want[i].Target, what)
		}
	}
	x.r.Note = fmt.Sprintf("%d exports, %d values", len(want), words)
	return ""
}

// compareExport finds the first difference of two exports, and counts values, and how far those are off that differ.
func compareExport(want, got *object.GCNExport) (n int, what string) {
	head := func(e *object.GCNExport) string {
		return fmt.Sprintf("%s enable %#x compr %v vm %v done %v exec %#x", e.Target, e.Enable, e.Compressed, e.Valid, e.Done, e.Exec)
	}
	if head(got) != head(want) {
		return 0, head(got) + ", want " + head(want)
	}
	size, typ := 32, "f32"
	if want.Compressed {
		size, typ = 16, "f16"
	}
	bad, worst := 0, uint64(0)
	for k := range want.Values {
		for lane := range want.Values[k] {
			if want.Exec>>lane&1 == 0 || want.Enable>>k&1 == 0 {
				continue
			}
			n++
			w, g := uint64(want.Values[k][lane]), uint64(got.Values[k][lane])
			if w == g {
				continue
			}
			if bad++; bad == 1 {
				what = fmt.Sprintf("component %d of lane %d is %s, want %s", k, lane, show(typ, size, g), show(typ, size, w))
			}
			worst = max(worst, ulps(size, w, g))
		}
	}
	if bad > 0 {
		what += fmt.Sprintf("; %d of %d values differ, by up to %d ulp", bad, n, worst)
	}
	return n, what
}
