package draw

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
)

// WaveOut are the outputs of a wave of fragments.
type WaveOut struct {
	Color    [4][]uint32 // red, green, blue, alpha as bits of float32, one per lane
	Depth    []uint32    // as bits of float32; replaces the fragment's in the lanes of HasDepth
	HasDepth uint64
	Killed   uint64

	Each  []FragmentOut // if not nil, replaces all of these
	Bytes []uint32      // if not nil, replaces Color: pixels of four bytes, red the lowest, each a fraction of 255

	of    *exec.State // see Keep
	kills *uint64
}

// Keep says that all outputs are rows of the state, and that the killed lanes are those of its cell. They need not
// be filled in again for other waves that run in the state.
func (s *WaveOut) Keep(st *exec.State, killed ir.Cell) {
	s.of, s.kills = st, &st.M[st.Index(killed)]
	s.Killed = *s.kills
}

// keeps reports whether nothing needs to be filled in for a wave that has run in the state.
func (s *WaveOut) keeps(st *exec.State) bool {
	if s.of != st {
		return false
	}
	s.Killed = *s.kills
	return true
}

// fragment returns the output of a lane.
func (s *WaveOut) fragment(lane int) (o FragmentOut) {
	if s.Each != nil {
		return s.Each[lane]
	}
	o = FragmentOut{HasDepth: s.HasDepth>>lane&1 != 0, Killed: s.Killed>>lane&1 != 0}
	if o.HasDepth {
		o.Depth = math.Float32frombits(s.Depth[lane])
	}
	for k := range o.Color {
		if s.Bytes != nil {
			o.Color[k] = float32(s.Bytes[lane]>>(8*k)&0xff) / 255
		} else {
			o.Color[k] = math.Float32frombits(s.Color[k][lane])
		}
	}
	return o
}

// flush runs the waves that have quads and writes their pixels, in order.
func (p *painter) flush() error {
	p.sift()
	if p.wave.Lanes > 0 {
		if err := p.launch(); err != nil {
			return err
		}
	}
	p.sifted = 0
	n := p.begun
	if n == 0 {
		return nil
	}
	p.fly(0)
	var err error
	if p.batch != nil {
		begun := n
		if n, err = p.batch.Finish(p.results[:n]); err != nil && n < begun {
			err = p.flights[n].at(err)
		}
	}
	lanes := 0
	for i := range n {
		lanes += p.flights[i].lanes
		p.write(&p.flights[i], &p.results[i])
	}
	p.fetch(lanes)
	p.wave.clear()
	return err
}

// launch begins the wave, or runs it if there is no BatchRunner.
func (p *painter) launch() error {
	w, f, out := &p.wave, &p.flights[p.begun], &p.results[p.begun]
	if out.Each != nil || out.Bytes != nil {
		out.Each, out.Bytes = nil, nil
	}
	if p.batch == nil {
		f.runs = append(f.runs[:0], w.runs...)
		if err := p.runner.Fragments(w, out); err != nil {
			f.lanes, f.covered = w.Lanes, w.Covered
			return f.at(err)
		}
	} else if err := p.batch.Begin(w); err != nil {
		return err
	}
	f.lanes, f.covered = w.Lanes, w.Covered
	p.fly(p.begun + 1)
	if p.batch != nil {
		f.runs, w.runs = w.runs, f.runs
		w.clear()
		p.sifted = 0
	}
	return nil
}

// write writes the pixels of a wave that has run.
func (p *painter) write(f *flight, out *WaveOut) {
	if p.plain && out.Each == nil && (out.Bytes == nil || !p.d.Truncate) {
		p.rows(f, out)
	} else {
		p.each(f, out)
	}
}

// each writes pixel by pixel.
func (p *painter) each(f *flight, out *WaveOut) {
	for m := f.covered; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m)
		s := out.fragment(lane)
		if p.d.Capture != nil {
			fragment, shot := p.wave.Fragment(lane), s // only what is captured is moved to the heap
			p.d.Capture(&fragment, &shot)
		}
		p.writeLane(f, lane, &s)
	}
}

// rows writes colours without blending.
func (p *painter) rows(f *flight, out *WaveOut) {
	left := f.covered &^ out.Killed
	if p.late {
		left = p.passes(left, out)
	}
	if p.paints && out.Bytes == nil {
		paintQuads(&f.quads, p.color, p.pitch, f.lanes, left, &out.Color, p.d.Truncate)
		return
	}
	w := &p.wave
	p.bytes(w.pixels[:f.lanes], out)
	switch {
	case p.pairs && hasQuads && w.wide:
		storeWide(&f.quads, p.color, p.pitch, f.lanes, left, &w.pixels)
	case p.pairs && hasQuads:
		storeQuads(&f.quads, p.color, p.pitch, f.lanes, left, &w.pixels)
	default:
		p.store(f, left)
	}
}

// bytes converts colours to pixels as they are stored.
func (p *painter) bytes(pixels []uint32, out *WaveOut) {
	switch {
	case out.Bytes != nil: // to nearest: exact for a fraction of 255
		copy(pixels, out.Bytes)
	case p.wave.wide:
		byteWide(pixels, &out.Color, p.d.Truncate)
	case p.wave.vectors:
		byteRow(pixels, &out.Color, p.d.Truncate)
	default:
		plainBytes(pixels, &out.Color, p.d.Truncate)
	}
}

// store writes the pixels of lanes.
func (p *painter) store(f *flight, lanes uint64) {
	for m := lanes; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m)
		x, y := f.pixel(lane)
		binary.LittleEndian.PutUint32(p.t.Color[4*(p.t.rowOf(y)+x):], p.wave.pixels[lane])
	}
}

// passes tests the depths of lanes after their programs have run, and returns those that pass.
func (p *painter) passes(lanes uint64, out *WaveOut) uint64 {
	w := &p.wave
	z := w.Depth()
	for m := lanes & out.HasDepth; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m)
		z[lane] = p.clamp(math.Float32frombits(out.Depth[lane]))
	}
	return p.test(0, lanes, p.d.Depth.Write)
}

// writeLane performs what follows a fragment program: kill, depth test, blending, colour.
func (p *painter) writeLane(f *flight, lane int, s *FragmentOut) {
	if s.Killed {
		return
	}
	x, y := f.pixel(lane)
	if p.late {
		z := p.wave.Depth()[lane]
		if s.HasDepth {
			z = p.clamp(s.Depth)
		}
		if !p.testLane(lane, z, p.d.Depth.Write) {
			return
		}
	}
	if len(p.t.Targets) > 0 {
		p.targets(y*p.t.Width+x, s)
		return
	}
	at := 4 * (p.t.rowOf(y) + x)
	pixel := p.t.Color[at : at+4]
	color := s.Color
	if p.d.Blend.On {
		var old Vec4
		for k := range old {
			old[k] = float32(pixel[k]) / 255
		}
		color = p.d.Blend.mix(color, old)
	}
	for k := range color {
		if p.d.Mask>>k&1 == 0 {
			pixel[k] = toByte(color[k], p.d.Truncate)
		}
	}
}

// A quadTest tests depths of quads whose pixels are all in a canvas of that width, in a range of lanes, and writes
// those that pass if write is set.
type quadTest func(quads *[ir.MaxLanes / 4]quad, z *[ir.MaxLanes]float32, depth *float32, width, from, to int, lanes uint64, write bool) (passed uint64)

// test compares the depths of lanes, starting at one, with the stored ones, in order, and replaces these for lanes
// that pass if write is set. It returns the lanes that pass.
func (p *painter) test(from int, lanes uint64, write bool) (passed uint64) {
	w := &p.wave
	switch {
	case p.pairs && w.wide:
		return testsWide[p.d.Depth.Func](w.quads, &w.depth, &p.t.Depth[0], p.t.Width, from, w.Lanes, lanes, write)
	case p.pairs && w.vectors:
		return testsQuads[p.d.Depth.Func](w.quads, &w.depth, &p.t.Depth[0], p.t.Width, from, w.Lanes, lanes, write)
	}
	for m := lanes >> from << from; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m)
		if p.testLane(lane, w.depth[lane], write) {
			passed |= 1 << lane
		}
	}
	return passed
}

// testLane is the same for one lane.
func (p *painter) testLane(lane int, z float32, write bool) bool {
	x, y := p.wave.Pixel(lane)
	stored := &p.t.Depth[y*p.t.Width+x]
	if !p.compares.pass(z, *stored) {
		return false
	}
	if write {
		*stored = z
	}
	return true
}

// clamp clamps a depth output to the viewport's range.
func (p *painter) clamp(z float32) float32 { return max(p.wave.low, min(z, p.wave.high)) }
