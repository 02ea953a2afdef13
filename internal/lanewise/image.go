package lanewise

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/mem"
)

// An imageCall is a sample or image op in progress.
type imageCall struct {
	key  exec.ImageKey
	quad mem.Quad
	spot mem.Spot
	in   [4]uint32
	out  [4]uint32
}

// ofImages clears the results and calls ask for the image of each set of descriptors, with the lanes that have it;
// false if the op stops the wave.
func (r *Runner) ofImages(o *Op, ask func(r *Runner, o *Op, img exec.Image, m uint64) bool) bool {
	r.clear(o)
	for left := r.Mask(o.Mask); left != 0; {
		m := r.sameDescriptors(o, left)
		left &^= m
		img, err := r.imageOf(o, bits.TrailingZeros64(m)&63)
		switch {
		case err == nil && !ask(r, o, img, m):
			return false
		case err != nil && !(&badHandles{m, err}).tolerate(r, o):
			return false
		}
	}
	return true
}

// sameDescriptors returns the lanes that have the same descriptors as the lowest lane.
func (r *Runner) sameDescriptors(o *Op, lanes uint64) uint64 {
	if o.In.Img.With&ir.ImageEach == 0 {
		return lanes
	}
	first := bits.TrailingZeros64(lanes) & 63
	for i := range o.In.Img.Words {
		p := &o.Args[i]
		v := r.Vec(p)
		for m := lanes; m != 0; m &= m - 1 {
			if lane := bits.TrailingZeros64(m) & 63; uint32(v[lane&p.Wide]) != uint32(v[first&p.Wide]) {
				lanes &^= 1 << lane
			}
		}
	}
	return lanes
}

// imageOf returns the image of the descriptors of a lane.
func (r *Runner) imageOf(o *Op, lane int) (exec.Image, error) {
	a, k := &o.In.Img, &r.calls().asked.key
	*k = exec.ImageKey{Count: a.Words, With: a.With & (ir.ImageArray | ir.ImageTexels | ir.ImageCompare | ir.ImagePacked), Do: a.Do}
	if o.In.Op == ir.Image {
		k.Do = ir.ImagePlace
	}
	for i := range a.Words {
		p := &o.Args[i]
		k.Words[i&(ir.MaxImageWords-1)] = uint32(r.Vec(p)[lane&p.Wide])
	}
	return r.Env.Image(k)
}

// arg returns operand i after the descriptors.
func (r *Runner) arg(o *Op, i, lane int) uint32 {
	p := &o.Args[int(o.In.Img.Words)+i]
	return uint32(r.Vec(p)[lane&p.Wide])
}

func (r *Runner) argFloat(o *Op, i, lane int) float32 { return math.Float32frombits(r.arg(o, i, lane)) }

// The operands of a sample.
const (
	argSlice = iota + 3
	argW
	argLeast
	argRef
	argOffset
	argDx
	argDy = argDx + 3
)

func sample(r *Runner, o *Op) bool { return r.ofImages(o, (*Runner).sampleOf) }

// sampleOf executes a sample op quad by quad.
func (r *Runner) sampleOf(o *Op, img exec.Image, m uint64) bool {
	q, a := &r.asked.quad, &o.In.Img
	var bad uint64
	var first *mem.Fault
	for at := 0; at < r.St.Lanes; at += 4 {
		need := m >> at & 15
		if need == 0 {
			continue
		}
		r.loadQuad(o, at)
		q.Need, q.Reads = uint8(need), r.reads(o, at)
		switch a.Do {
		case ir.SampleGather:
			img.Gather(q, a.Comp)
		case ir.SampleLod:
			img.Lods(q)
		default:
			img.Sample(q)
		}
		if q.Fault != nil {
			if bad |= need << at; first == nil {
				first = q.Fault
			}
			continue
		}
		r.storeResults(o, img, at)
	}
	return bad == 0 || r.refused(o, bad, first, func(int) uint64 { return first.Addr })
}

// loadQuad copies the operands of a quad's lanes to the runner's quad. Lanes beyond the wave get those of the first
// lane.
func (r *Runner) loadQuad(o *Op, first int) {
	q, a := &r.asked.quad, &o.In.Img
	q.Lod, q.Limit, q.Packed = mem.LodKind(a.Lod), a.With&ir.ImageLimit != 0, a.With&ir.ImagePacked != 0
	for k := range 4 {
		lane := first + k
		if lane >= r.St.Lanes {
			lane = first
		}
		offset := r.arg(o, argOffset, lane)
		for i := range 3 {
			q.Coord[k][i] = r.argFloat(o, i, lane)
			q.Offset[k][i] = offsetOf(offset, i)
			if a.Lod == ir.LodSlopes {
				q.Dx[k][i], q.Dy[k][i] = r.argFloat(o, argDx+i, lane), r.argFloat(o, argDy+i, lane)
			}
		}
		q.Slice[k], q.W[k] = r.argFloat(o, argSlice, lane), r.argFloat(o, argW, lane)
		q.Least[k], q.Ref[k] = r.argFloat(o, argLeast, lane), r.argFloat(o, argRef, lane)
	}
}

// offsetOf returns the offset along an axis: six bits, signed.
func offsetOf(offset uint32, axis int) int8 { return int8(offset>>(8*axis)<<2) >> 2 }

// storeResults stores the results of the quad at lane first.
func (r *Runner) storeResults(o *Op, img exec.Image, first int) {
	q := &r.asked.quad
	for need := q.Need; need != 0; need &= need - 1 {
		k := bits.TrailingZeros8(need) & 3
		t := q.Texel[k]
		if o.In.Img.With&ir.ImageHalf != 0 {
			t = img.Narrow(t)
		}
		for i, s := range o.Res {
			r.Slots[s][(first+k)&63] = uint64(t[i&3])
		}
	}
}

func image(r *Runner, o *Op) bool { return r.ofImages(o, (*Runner).askImage) }

// askImage executes an image op lane by lane.
func (r *Runner) askImage(o *Op, img exec.Image, m uint64) bool {
	var badHandles badHandles
	c := &r.asked
	for left := m; left != 0; left &= left - 1 {
		lane := bits.TrailingZeros64(left) & 63
		for i := range c.in {
			c.in[i] = 0
			if int(o.In.Img.Words)+i < len(o.Args) {
				c.in[i] = r.arg(o, i, lane)
			}
		}
		if err := r.imageLane(o, img, lane); err != nil {
			badHandles.add(1<<lane, err)
			continue
		}
		for i, s := range o.Res {
			r.Slots[s][lane] = uint64(c.out[i&3])
		}
	}
	return badHandles.tolerate(r, o)
}

// imageLane executes an image op for one lane.
func (r *Runner) imageLane(o *Op, img exec.Image, lane int) (err error) {
	c, half := &r.asked, o.In.Img.With&ir.ImageHalf != 0
	switch o.In.Img.Do {
	case ir.ImagePlace:
		addr, n := img.Place([3]uint32(c.in[:3]), c.in[3], r.arg(o, 4, lane))
		c.out = [4]uint32{uint32(addr), uint32(addr >> 32), n}
		if want := o.In.Img.Bytes; want != 0 && n != 0 && n != uint32(want) {
			return fmt.Errorf("an access of %d bytes to texels of %d", want, n)
		}
	case ir.ImageBlock:
		addr, n := img.Block([3]uint32(c.in[:3]), c.in[3], r.arg(o, 4, lane))
		c.out = [4]uint32{uint32(addr), uint32(addr >> 32), n}
	case ir.ImageSize:
		c.out = img.Dims(c.in[0])
	case ir.ImageTexel:
		s := &r.asked.spot
		*s = mem.Spot{At: [3]uint32(c.in[:3]), Slice: c.in[3], Level: r.arg(o, 4, lane), Packed: o.In.Img.With&ir.ImagePacked != 0, Reads: r.reads(o, lane)}
		offset := r.arg(o, 5, lane)
		for i := range s.Offset {
			s.Offset[i] = offsetOf(offset, i)
		}
		if c.out, err = img.Texel(s); half {
			c.out = img.Narrow(c.out)
		}
	case ir.ImageDecode:
		if c.out = img.Decode(c.in, r.arg(o, 4, lane), r.arg(o, 5, lane)); half {
			c.out = img.Narrow(c.out)
		}
	case ir.ImageEncode:
		if half {
			c.in = img.Widen(c.in)
		}
		c.out, err = img.Encode(c.in)
	}
	return err
}
