package valhall

import (
	"errors"
	"fmt"
	"math"
	"math/bits"

	"github.com/heddle-gpu/heddle/draw"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/spell"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa/valhall"
	"github.com/heddle-gpu/heddle/num"
)

// Inputs and outputs of fragments. docs/reference/valhall.md 9.4.

// fragments executes the input and output ops of a warp of fragments.
type fragments struct {
	x        *setup
	in       []draw.Fragment
	pixels   [valhall.Lanes][draw.MaxTargets]draw.Pixel
	written  [valhall.Lanes]uint8
	depth    [valhall.Lanes]float32
	hasDepth uint64
	tested   uint64 // lanes whose coverage was tested
	covered  uint64 // and passed
}

func (f *fragments) reset(x *setup, in []draw.Fragment) {
	f.x, f.in = x, in
	f.written, f.hasDepth, f.tested, f.covered = [valhall.Lanes]uint8{}, 0, 0, 0
}

// Input implements exec.Inputs.
func (f *fragments) Input(c *exec.IOCall) (refused uint64, err error) {
	for m := c.Lanes; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m) & (valhall.Lanes - 1)
		if e := f.input(c, lane); e != nil {
			if refused |= 1 << lane; err == nil {
				err = e
			}
		}
	}
	return refused, err
}

// input executes an input op for a lane.
func (f *fragments) input(c *exec.IOCall, lane int) error {
	slot := valhall.Varying(c.Slot[lane])
	if h, ok := slot.Handle(); ok {
		return f.byHandle(c, lane, h)
	}
	if n, ok := slot.Special(); ok {
		return special(c, &f.in[lane], lane, n)
	}
	if t, ok := slot.Pixel(); ok {
		return fmt.Errorf("a read of target %d by a fragment, which is not built", t)
	}
	size := 4
	if slot.Halves() {
		size = 2
	}
	var corners [3][ir.MaxComponents]uint32
	for v := range corners {
		for k := range c.Count {
			w, err := recordAt(f.in[lane].Params[v], slot.Offset()+int(k)*size, size)
			if err != nil {
				return err
			}
			if corners[v][k] = w; size == 2 && c.How != ir.HowFlat {
				corners[v][k] = uint32(num.FCvt(16, 32, num.ModeSet, uint64(w)))
			}
		}
	}
	return f.interpolate(c, lane, &corners)
}

// recordAt returns size bytes of the record of a vertex, which follows 1/w.
func recordAt(params []uint32, at, size int) (uint32, error) {
	if at%size != 0 || 4+at+size > 4*len(params) {
		return 0, fmt.Errorf("a varying of %s at byte %d of the record of a vertex, which has %d", spell.Count(size, "byte"), at, 4*len(params)-4)
	}
	return params[1+at/4] >> (8 * (at % 4)) & uint32(1<<(8*size)-1), nil
}

// special returns a value of the pipeline.
func special(c *exec.IOCall, f *draw.Fragment, lane, number int) error {
	var v float32
	switch number {
	case valhall.VaryingW:
		v = f.InvW
	case valhall.VaryingDepth:
		v = f.Depth
	default:
		return fmt.Errorf("special varying %d: only 2 and 3, 1/w and depth, are built", number)
	}
	for k := range c.Count {
		c.Value[k][lane] = math.Float32bits(v)
	}
	return nil
}

// byHandle returns a varying that an attribute descriptor places in the packet.
func (f *fragments) byHandle(c *exec.IOCall, lane int, handle uint32) error {
	d, err := lookup(f.x.space, f.x.job.fragment.resources, handle, typeAttribute)
	if err != nil {
		return err
	}
	if d.field(0, 4, 4) != attributePacket {
		return fmt.Errorf("a varying of an attribute of type %d, want %d: vertex packet", d.field(0, 4, 4), attributePacket)
	}
	format, err := formatOf(d.field(0, 10, 22), plainSwizzle)
	if err != nil {
		return err
	}
	var corners [3][ir.MaxComponents]uint32
	for v := range corners {
		var raw [16]byte
		for i := range format.Bytes {
			w, err := recordAt(f.in[lane].Params[v], int(int32(d[2]))+i, 1)
			if err != nil {
				return err
			}
			raw[i] = byte(w)
		}
		for k, x := range format.Decode(raw[:]) {
			corners[v][k] = math.Float32bits(x)
		}
	}
	return f.interpolate(c, lane, &corners)
}

// interpolate interpolates the values of the triangle's corners for a lane. For a flat value it takes that of one
// vertex.
func (f *fragments) interpolate(c *exec.IOCall, lane int, corners *[3][ir.MaxComponents]uint32) error {
	if c.How == ir.HowFlat {
		for k := range c.Count {
			c.Value[k][lane] = corners[f.x.job.flat][k]
		}
		return nil
	}
	p := f.in[lane].Persp
	shares := [3]float64{1 - float64(p[0]) - float64(p[1]), float64(p[0]), float64(p[1])}
	if c.How.At() == ir.AtOffset {
		shares = f.sharesAt(lane, float64(c.X[lane]), float64(c.Y[lane]))
	}
	for k := range c.Count {
		sum := 0.0
		for v, share := range shares {
			sum += share * float64(math.Float32frombits(corners[v][k]))
		}
		c.Value[k][lane] = math.Float32bits(float32(sum))
	}
	return nil
}

// sharesAt returns the weights of the vertices at an offset from the centre of the lane's pixel. Weights that are
// linear in screen space are extrapolated from the pixels of the quad, and then scaled by 1/w.
func (f *fragments) sharesAt(lane int, dx, dy float64) (s [3]float64) {
	quad := f.in[lane&^3:]
	l := func(lane, i int) float64 { return float64(quad[lane].Linear[i]) }
	for i := range 2 {
		s[1+i] = float64(f.in[lane].Linear[i]) + dx*(l(1, i)-l(0, i)) + dy*(l(2, i)-l(0, i))
	}
	s[0] = 1 - s[1] - s[2]
	sum := 0.0
	for v := range s {
		s[v] *= float64(math.Float32frombits(f.in[lane].Params[v][0]))
		sum += s[v]
	}
	for v := range s {
		s[v] /= sum
	}
	return s
}

// Output implements exec.Outputs.
func (f *fragments) Output(c *exec.IOCall) (refused uint64, err error) {
	for m := c.Lanes; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m) & (valhall.Lanes - 1)
		slot := valhall.PixelOut(c.Slot[lane])
		if err := checkOut(slot); err != nil {
			return c.Lanes, err
		}
		switch slot &^ 0xff {
		case valhall.PixelCoverage:
			f.tested |= 1 << lane
			f.covered = f.covered&^(1<<lane) | uint64(c.Put[0][lane]&1)<<lane
		case valhall.PixelDepth: // stencil values have no effect without a stencil test
			if slot.Depth() {
				f.depth[lane], f.hasDepth = math.Float32frombits(c.Put[0][lane]), f.hasDepth|1<<lane
			}
		default:
			f.colour(c, slot, lane)
		}
	}
	return 0, nil
}

// checkOut rejects unsupported outputs of fragments.
func checkOut(slot valhall.PixelOut) error {
	switch slot &^ 0xff {
	case valhall.PixelCoverage, valhall.PixelDepth:
		return nil
	case 0:
		if t := slot.Target(); t >= draw.MaxTargets {
			return fmt.Errorf("a colour for target %d", t)
		} else if slot&valhall.PixelStore != 0 {
			return errors.New("a colour that replaces what a target holds, which is not built")
		}
		return nil
	}
	return fmt.Errorf("output %#x of a fragment", uint32(slot))
}

// colour stores the colour of a lane. Missing components are 0, 0, 0, 1.
func (f *fragments) colour(c *exec.IOCall, slot valhall.PixelOut, lane int) {
	p := draw.Pixel{3: 1}
	if !slot.Integer() {
		p[3] = math.Float32bits(1)
	}
	for k := range c.Count {
		p[k] = c.Put[k][lane]
	}
	f.pixels[lane][slot.Target()] = p
	f.written[lane] |= 1 << slot.Target()
}

// Fragments implements draw.ShaderRunner.
func (r *runner) Fragments(in *draw.Wave, out *draw.WaveOut) error {
	r.stage.Draw, r.stage.Wave = r.x.name, in
	if r.stage.Read == nil {
		r.stage.Read = r.x.readsOfFragments
	}
	return in.Each(out, r.fragments)
}

func (r *runner) fragments(in []draw.Fragment, out []draw.FragmentOut) error {
	s, w, err := r.warp(stageFragment)
	if err != nil {
		return err
	}
	r.frags.reset(r.x, in)
	w.env.Inputs, w.env.Outputs = &r.frags, &r.frags
	if err := r.begin(w, func(st *exec.State) { r.x.beginFragments(s, st, in) }); err != nil {
		return err
	}
	if err := r.run(stageFragment, w); err != nil {
		return err
	}
	killed := w.st.Mask(ir.Cell{File: valhall.FileHelper}) | r.frags.tested&^r.frags.covered
	for lane := range out {
		out[lane] = draw.FragmentOut{Killed: killed>>lane&1 != 0, Out: &r.frags.pixels[lane], Written: r.frags.written[lane],
			Depth: r.frags.depth[lane], HasDepth: r.frags.hasDepth>>lane&1 != 0}
	}
	return nil
}

// beginFragments initialises the empty state of a warp of fragments.
func (x *setup) beginFragments(s *stage, st *exec.State, in []draw.Fragment) {
	s.begin(st, len(in))
	for i, b := range x.job.blends {
		if i < draw.MaxTargets {
			s.special(st, valhall.PageDescriptors, valhall.SpecialBlend+i, b.pair(2))
		}
	}
	helpers := uint64(0)
	for lane := range in {
		f := &in[lane]
		coverage, face := uint32(1), uint32(1)
		if !f.Covered {
			helpers, coverage = helpers|1<<lane, 0
		}
		if f.Front {
			face = 0
		}
		s.preload(st, regFacing, lane, face)
		s.preload(st, regPixel, lane, uint32(f.X)&0xffff|uint32(f.Y)<<16)
		s.preload(st, regCoverage, lane, coverage)
		s.preload(st, regSample, lane, 0) // sample 0, the only one
	}
	st.SetMask(ir.Cell{File: valhall.FileHelper}, helpers)
}

// checkFragments rejects unsupported inputs of fragments.
func (j *drawJob) checkFragments() error {
	if j.fragment.preload>>(regPrimitive-firstPreload)&1 != 0 {
		return errors.New("valhall: a fragment program that asks for the number of its primitive, which is not built")
	}
	return nil
}
