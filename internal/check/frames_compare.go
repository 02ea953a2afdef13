package check

import (
	"fmt"
	"math"

	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/mem"
)

// A Tape replays what the texture instructions of a run returned, whatever coordinates they use.
type Tape struct {
	Texels [][][4]uint32 // [instruction][lane]
	At     int           // number of instructions that sampled
}

// Sample returns the recorded texels to the lanes. Past the end of the tape it leaves the lanes unchanged; At tells.
func (t *Tape) Sample(q *mem.Quad) {
	if t.At < len(t.Texels) {
		for lane, texel := range t.Texels[t.At] {
			if q.Need>>lane&1 != 0 {
				q.Texel[lane] = texel
			}
		}
	}
	t.At++
}

// compare reports the first output or kill flag of a run that differs from the recording, and keeps what the picture
// needs.
func (t *frame) compare(p *frameProgram, at int) (what string) {
	run, quad := &t.Runs[at], &drawnQuad{}
	note := func(s string) {
		if what == "" {
			what = s
		}
	}
	for lane := range run.In {
		regs := casefile.Vectors{}
		for _, name := range p.outputs {
			v, err := p.vector(name, lane)
			if err != nil {
				return err.Error()
			}
			regs[name] = v
			note(p.differs(name, lane, v, run.Out[lane][name]))
		}
		quad.out = append(quad.out, regs)
		if run.Kill == nil {
			continue
		}
		got, err := p.get(p.platform.Captures.Killed, lane)
		if err != nil {
			return err.Error()
		}
		quad.kill = append(quad.kill, got != 0)
		if killed := got != 0; killed != run.Kill[lane] {
			note(fmt.Sprintf("%s lane %d is %v, want %v", p.platform.Captures.Killed, lane, killed, run.Kill[lane]))
		}
	}
	if run.Kill != nil {
		t.drawn[at] = quad
	}
	return what
}

// differs describes how an output differs from the recording, if it does, and counts the values compared.
func (p *frameProgram) differs(name string, lane int, got, want [4]uint32) (what string) {
	r := rule{typ: "f32"}
	if p.inexact {
		r.ulp = 1
	}
	for i, comp := range components {
		g, w := uint64(got[i]), uint64(want[i])
		p.values++
		if !r.same(w, g) {
			if what == "" {
				what = fmt.Sprintf("%s%s lane %d is %s, want %s", name, comp, lane, show("f32", 32, g), show("f32", 32, w))
			}
		} else if g != w {
			p.worst = max(p.worst, ulps(32, w, g))
		}
	}
	return what
}

// picture draws the picture by the rule of frames and compares it with the recorded one, pixel by pixel.
func (t *frame) picture(r *Result) string {
	want, err := t.Picture()
	if err != nil {
		return err.Error()
	}
	got := make([]byte, len(want))
	quads, pixels := 0, 0
	for i, q := range t.drawn {
		if q == nil {
			if t.Runs[i].Kill != nil {
				return fmt.Sprintf("quad %d left nothing to draw", i)
			}
			continue
		}
		quads++
		for lane := range q.out {
			if !t.Runs[i].Covered[lane] || q.kill[lane] {
				continue
			}
			pixels++
			if what := t.draw(got, &t.Runs[i], q, lane); what != "" {
				return fmt.Sprintf("quad %d lane %d: %s", i, lane, what)
			}
		}
	}
	r.Note = fmt.Sprintf("%d quads, %d fragments drawn, 0 of %d pixels differ", quads, pixels, len(want)/3)
	return t.pixels(got, want)
}

// The registers that the rule of frames names: the position of a fragment and its colour.
const (
	frameWhere  = "i0"
	frameColour = "o1"
)

// draw writes the pixel of one lane.
func (t *frame) draw(to []byte, run *casefile.FrameRun, q *drawnQuad, lane int) string {
	at := run.In[lane][frameWhere]
	x, y := math.Float32frombits(at[0]), math.Float32frombits(at[1])
	if !(x >= 0 && y >= 0 && x < float32(t.Image.Width) && y < float32(t.Image.Height)) {
		return fmt.Sprintf("%s is %g, %g, outside of the picture", frameWhere, x, y)
	}
	pixel := to[3*((t.Image.Height-1-int(y))*t.Image.Width+int(x)):]
	for i := range 3 {
		v := math.Float32frombits(q.out[lane][frameColour][i])
		if !(v > 0) { // NaN too
			v = 0
		}
		pixel[i] = byte(min(v, 1) * 255)
	}
	return ""
}

// pixels reports how many pixels of two pictures differ.
func (t *frame) pixels(got, want []byte) string {
	bad, first := 0, 0
	for i := 0; i < len(want); i += 3 {
		if [3]byte(got[i:]) != [3]byte(want[i:]) {
			if bad++; bad == 1 {
				first = i
			}
		}
	}
	if bad == 0 {
		return ""
	}
	at := first / 3
	return fmt.Sprintf("%d of %d pixels differ; the first is at column %d of row %d: %v, want %v", bad, len(want)/3,
		at%t.Image.Width, at/t.Image.Width, got[first:first+3], want[first:first+3])
}
