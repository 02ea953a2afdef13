package draw

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// Shots are what a wave of fragments leaves.
type Shots struct {
	Color    [4][]uint32 // red, green, blue, alpha as bits of float32, a lane each
	Depth    []uint32    // as bits of float32; replaces the fragment's in the lanes of HasDepth
	HasDepth uint64
	Killed   uint64

	Each  []Shot   // if not nil, in place of all of these
	Bytes []uint32 // if not nil, in place of Color: pixels of four bytes, red the lowest, each a fraction of 255
}

// shot is what a lane leaves.
func (s *Shots) shot(lane int) (o Shot) {
	if s.Each != nil {
		return s.Each[lane]
	}
	o = Shot{HasDepth: s.HasDepth>>lane&1 != 0, Killed: s.Killed>>lane&1 != 0}
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

// flush runs the quads of the wave and writes their pixels, in their order.
func (p *painter) flush() error {
	w := &p.wave
	if p.sift(); w.Lanes == 0 {
		p.sifted = 0
		return nil
	}
	p.out.Each, p.out.Bytes = nil, nil
	if err := p.runner.Fragments(w, &p.out); err != nil {
		return err
	}
	switch {
	case p.d.Capture != nil || p.out.Each != nil || p.out.Bytes != nil && p.d.Truncate || p.d.Blend.On || p.d.Mask != 0 || len(p.t.Targets) > 0:
		p.each()
	default:
		p.rows()
	}
	w.clear()
	p.sifted = 0
	return nil
}

// each writes pixel by pixel.
func (p *painter) each() {
	w := &p.wave
	for m := w.Covered; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m)
		s := p.out.shot(lane)
		if p.d.Capture != nil {
			f := w.Fragment(lane)
			p.d.Capture(&f, &s)
		}
		p.write(lane, &s)
	}
}

// rows writes colours that nothing is mixed with.
func (p *painter) rows() {
	w, c := &p.wave, &p.out.Color
	pixels := p.pixels[:w.Lanes]
	switch {
	case p.out.Bytes != nil: // to nearest: a fraction of 255 becomes what it is a fraction of
		copy(pixels, p.out.Bytes)
	case w.wide:
		byteWide(pixels, c[0], c[1], c[2], c[3], p.d.Truncate)
	case w.vectors:
		byteRow(pixels, c[0], c[1], c[2], c[3], p.d.Truncate)
	default:
		plainBytes(pixels, c[0], c[1], c[2], c[3], p.d.Truncate)
	}
	left := w.Covered &^ p.out.Killed
	if p.late {
		left = p.passes(left)
	}
	if p.pairs && hasQuads {
		pitch := p.t.Width
		if p.t.Turned {
			pitch = -pitch
		}
		first := &p.t.Color[4*p.t.rowOf(0)]
		if w.wide {
			storeWide(&w.quads, first, pitch, w.Lanes, left, &p.pixels)
		} else {
			storeQuads(&w.quads, first, pitch, w.Lanes, left, &p.pixels)
		}
		return
	}
	p.store(left)
}

// store writes the pixels of lanes.
func (p *painter) store(lanes uint64) {
	for m := lanes; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m)
		x, y := p.wave.Pixel(lane)
		binary.LittleEndian.PutUint32(p.t.Color[4*(p.t.rowOf(y)+x):], p.pixels[lane])
	}
}

// passes tests the depths of lanes after their programs have run: those that pass.
func (p *painter) passes(lanes uint64) uint64 {
	w := &p.wave
	z := w.Depth()
	for m := lanes & p.out.HasDepth; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m)
		z[lane] = p.clamp(math.Float32frombits(p.out.Depth[lane]))
	}
	return p.test(0, lanes, p.d.Depth.Write)
}

// write is what follows a fragment program: kill, depth test, blending, colour.
func (p *painter) write(lane int, s *Shot) {
	if s.Killed {
		return
	}
	x, y := p.wave.Pixel(lane)
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

// test compares the depths of lanes with the stored ones, from a lane on, in their order, and replaces these where they pass if it is to
// write: those that pass.
func (p *painter) test(from int, lanes uint64, write bool) (passed uint64) {
	w := &p.wave
	switch {
	case p.pairs && w.wide:
		return testWide(&w.quads, &w.depth, &p.t.Depth[0], p.t.Width, from, w.Lanes, lanes, &p.outcomes, write)
	case p.pairs && hasQuads:
		return testQuads(&w.quads, &w.depth, &p.t.Depth[0], p.t.Width, from, w.Lanes, lanes, &p.outcomes, write)
	}
	for m := lanes >> from << from; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m)
		if p.testLane(lane, w.depth[lane], write) {
			passed |= 1 << lane
		}
	}
	return passed
}

// testLane is the same for a lane.
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

// clamp keeps a depth that a program gives in the viewport's range.
func (p *painter) clamp(z float32) float32 { return max(p.wave.low, min(z, p.wave.high)) }
