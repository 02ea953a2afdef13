package exectest

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/mem"
)

// A picture is an image whose answers depend on all parameters of the request.
type picture uint32

func pictureOf(k *exec.ImageKey) (exec.Image, error) {
	h := uint32(k.Count)<<16 | uint32(k.With)<<8 | uint32(k.Do)
	for _, w := range k.Words {
		h = mixed(h, w)
	}
	return picture(h), nil
}

func mixed(h, x uint32) uint32 { return (h ^ x) * 0x01000193 }

func (p picture) four(h uint32) (t [4]uint32) {
	for i := range t {
		t[i] = mixed(uint32(p)^h, uint32(i))
	}
	return t
}

func (p picture) Sample(q *mem.Quad)             { p.answer(q, 1) }
func (p picture) Gather(q *mem.Quad, comp uint8) { p.answer(q, 2+uint32(comp)) }
func (p picture) Lods(q *mem.Quad)               { p.answer(q, 7) }

func (p picture) answer(q *mem.Quad, h uint32) {
	for lane := range 4 {
		if q.Need>>lane&1 != 0 {
			q.Texel[lane] = p.texel(q, lane, h)
		}
	}
}

// texel hashes the coordinates of the quad and all parameters of the lane.
func (p picture) texel(q *mem.Quad, lane int, h uint32) [4]uint32 {
	f := func(x float32) { h = mixed(h, math.Float32bits(x)) }
	h = mixed(h, uint32(q.Lod))
	for k := range 4 {
		for i, x := range q.Coord[k] {
			f(x)
			if q.Lod == mem.LodSlopes {
				f(q.Dx[k][i])
				f(q.Dy[k][i])
			}
		}
	}
	for _, o := range q.Offset[lane] {
		h = mixed(h, uint32(o))
	}
	f(q.Slice[lane])
	f(q.W[lane])
	f(q.Ref[lane])
	if q.Limit {
		f(q.Least[lane])
	}
	if q.Packed {
		h = mixed(h, 17)
	}
	return p.four(h)
}

func (p picture) Place(at [3]uint32, slice, level uint32) (addr uint64, bytes uint32) {
	t := p.four(mixed(mixed(mixed(mixed(mixed(11, at[0]), at[1]), at[2]), slice), level))
	return uint64(t[1])<<32 | uint64(t[0]), t[2]
}

func (p picture) Block(at [3]uint32, slice, level uint32) (addr uint64, bytes uint32) {
	return p.Place(at, slice, level+1)
}

func (p picture) Texel(s *mem.Spot) ([4]uint32, error) {
	h := mixed(mixed(18, s.Slice), s.Level)
	for i, x := range s.At {
		h = mixed(mixed(h, x), uint32(s.Offset[i]))
	}
	if s.Packed {
		h = mixed(h, 17)
	}
	return p.four(h), nil
}

func (p picture) Dims(level uint32) [4]uint32 { return p.four(mixed(12, level)) }
func (p picture) Decode(raw [4]uint32, x, y uint32) [4]uint32 {
	return p.all(mixed(mixed(13, x), y), raw)
}
func (p picture) Encode(t [4]uint32) ([4]uint32, error) { return p.all(14, t), nil }
func (p picture) Narrow(t [4]uint32) [4]uint32          { return p.all(15, t) }
func (p picture) Widen(t [4]uint32) [4]uint32           { return p.all(16, t) }

func (p picture) all(h uint32, t [4]uint32) [4]uint32 {
	for _, x := range t {
		h = mixed(h, x)
	}
	return p.four(h)
}

// A rowPicture is a picture whose texels have one component. It answers many lanes in one call, unless it is shy;
// then it leaves garbage.
type rowPicture struct {
	picture
	shy bool
}

func (p rowPicture) Texel(s *mem.Spot) ([4]uint32, error) {
	h := mixed(19, s.At[0])
	if s.Packed {
		h = mixed(h, 17)
	}
	return p.four(h), nil
}

func (p rowPicture) Texels(at *[ir.MaxLanes]uint32, lanes uint64, to *[4][ir.MaxLanes]uint32) bool {
	for lane := range at {
		for i, x := range p.four(mixed(19, at[lane])) {
			if to[i][lane] = 0xdead; lanes>>lane&1 != 0 && !p.shy {
				to[i][lane] = x
			}
		}
	}
	return !p.shy
}

// imageWords are descriptors; the following operands are v[0] and up, results go to v[16] and up, the mask is p[1].
var imageWords = []uint32{5, 0x12345678, 9}

// imageText is a block with one op.
func imageText(do ir.ImageDo, a ir.ImageAttr) string {
	in := ir.Inst{Op: do.Op(), Img: a}
	var b strings.Builder
	b.WriteString("block 0x100\nmark 0x100 size 4\n")
	var args []string
	for i, w := range imageWords {
		fmt.Fprintf(&b, "%%w%d = const.i32 %#x\n", i, w)
		args = append(args, fmt.Sprintf("%%w%d", i))
	}
	if a.With&ir.ImageEach != 0 {
		b.WriteString("%l = laneid\n%two = const.i32 2\n%each = and.i32 %l, %two\n")
		args[len(args)-1] = "%each"
	}
	for i := range in.Operands() {
		fmt.Fprintf(&b, "%%o%d = get.i32 v[%d]\n", i, i)
		args = append(args, fmt.Sprintf("%%o%d", i))
	}
	b.WriteString("%m = get.i1 p[1]\n%e = get.i1 exec\n")
	n := map[ir.ImageDo]int{ir.SampleLod: 2, ir.ImagePlace: 3, ir.ImageBlock: 3}[do]
	if n == 0 {
		n = 4
	}
	fmt.Fprintf(&b, "%s = %s %s ", strings.Join([]string{"%a", "%b", "%c", "%d"}[:n], ":"), in.Op, do)
	if in.Op == ir.Sample {
		b.WriteString(a.Lod.String() + " ")
	}
	if do == ir.SampleGather {
		b.WriteString("xyzw"[a.Comp:a.Comp+1] + " ")
	}
	for i, name := range []string{"array", "texels", "compare", "limit", "half", "packed", "each"} {
		if a.With>>i&1 != 0 {
			b.WriteString(name + " ")
		}
	}
	fmt.Fprintf(&b, "%d, %s, %%m\n", len(imageWords), strings.Join(args, ", "))
	for i := range n {
		fmt.Fprintf(&b, "set.i32 v[%d], %%%c, %%e\n", 16+i, 'a'+i)
	}
	return b.String() + "jump 0x100\n"
}

// testImages: every lane of the mask gets the image's answer for its operands and, for a sample, for the
// coordinates of its whole quad; the others get 0.
func testImages(t *testing.T, e exec.Engine) {
	m := Machine(ir.MaskData)
	rnd := rand.New(rand.NewPCG(15, 15))
	for do := ir.ImageDo(0); int(do) < ir.NumImageDos; do++ {
		for with := range ir.ImageWith(1 << ir.NumImageWiths) {
			a := ir.ImageAttr{Do: do, With: with, Words: uint8(len(imageWords))}
			if do.Op() == ir.Sample {
				a.Lod = ir.LodKind(rnd.IntN(int(ir.LodSlopes) + 1))
			}
			if do == ir.SampleGather {
				a.Comp = uint8(rnd.IntN(4))
			}
			runImages(t, e, m, a, pictureOf, rnd)
			if do.Op() == ir.Image && do != ir.ImageTexel {
				runImages(t, e, m, a, unitOf(t), rnd)
			}
			for _, shy := range []bool{false, true} {
				if do != ir.ImageTexel {
					break
				}
				runImages(t, e, m, a, func(k *exec.ImageKey) (exec.Image, error) {
					p, err := pictureOf(k)
					return rowPicture{p.(picture), shy}, err
				}, rnd)
			}
		}
	}
	testNoImage(t, e, m)
}

// unitOf returns images in guest memory, with two sizes of texels, by the last word of their descriptors.
func unitOf(t *testing.T) func(k *exec.ImageKey) (exec.Image, error) {
	var units [2]*mem.Unit
	for i, format := range []string{"RGBA1010102", "RGBA16F"} {
		f := mem.FormatOf(format)
		at := &mem.Placement{Space: new(mem.Space)}
		for l := range 3 {
			at.Levels = append(at.Levels, mem.Plane{Base: 0x1_fffe_f000 + uint64(l)<<16, Row: 0x100})
		}
		u, err := mem.NewUnit(mem.Texture{Target: mem.Texture2D, Format: f, Width: 6, Height: 5, Last: 2, Guest: at}, mem.Sampler{})
		if err != nil {
			t.Fatal(err)
		}
		units[i] = u
	}
	return func(k *exec.ImageKey) (exec.Image, error) { return units[k.Words[len(imageWords)-1]>>1&1], nil }
}

// near makes the coordinates of texels, in v[0] to v[4], such as images have.
func near(st *exec.State) {
	for i := range 5 {
		for lane := range st.Lanes {
			st.Set(cellOf(fileV, i), lane, st.Get(cellOf(fileV, i), lane)&7)
		}
		for lane := 1; i == 4 && lane < st.Lanes && st.Get(cellOf(fileV, 3), 0)&1 != 0; lane++ {
			st.Set(cellOf(fileV, i), lane, st.Get(cellOf(fileV, i), 0)&3)
		}
	}
}

// runImages runs an op on waves of each width.
func runImages(t *testing.T, e exec.Engine, m *ir.Machine, a ir.ImageAttr, of func(k *exec.ImageKey) (exec.Image, error), rnd *rand.Rand) {
	t.Helper()
	text := imageText(a.Do, a)
	r := e.NewRunner(Parse(m, text))
	env := &exec.Env{Resources: exec.Resources{ImageOf: of}}
	for _, lanes := range m.Widths {
		st, _ := exec.NewState(m, lanes)
		fill(st, rnd)
		if a.Do == ir.ImagePlace || a.Do == ir.ImageBlock {
			near(st)
		}
		ms := masks(st, rnd)
		st.M[1] = ms[rnd.IntN(len(ms))]
		st.Start(entry, st.Full)
		want := st.Snapshot()
		expectImages(st, want, a, of)
		stop := r.Run(st, env, exec.Budget{Steps: 1})
		if d := want.Diff(st, 5); stop.Reason != exec.StopBudget || d != nil {
			t.Fatalf("%s%d lanes, mask %#x: stop %v %v; want, got: %q", text, lanes, st.M[1], stop.Reason, stop.Fault, d)
		}
	}
}

// testNoImage: invalid descriptors fault in the lanes of the mask, if there are any.
func testNoImage(t *testing.T, e exec.Engine, m *ir.Machine) {
	for _, do := range []ir.ImageDo{ir.SampleTexel, ir.ImagePlace} {
		r := e.NewRunner(Parse(m, imageText(do, ir.ImageAttr{Do: do})))
		for _, mask := range []uint64{0, 6} {
			env := &exec.Env{Resources: exec.Resources{ImageOf: func(*exec.ImageKey) (exec.Image, error) { return nil, errors.New("bad words") }}}
			st, _ := exec.NewState(m, 16)
			st.M[1] = mask
			st.Start(entry, st.Full)
			stop := r.Run(st, env, exec.Budget{Steps: 1})
			if mask == 0 && stop.Reason != exec.StopBudget {
				t.Errorf("%s: no lane, but %v", do, stop.Fault)
			}
			if f := stop.Fault; mask != 0 && (f == nil || f.Lanes != mask || !strings.Contains(f.Error(), "lane 1: bad words")) {
				t.Errorf("%s: fault %v", do, f)
			}
		}
	}
}

func expectImages(st, want *exec.State, a ir.ImageAttr, of func(k *exec.ImageKey) (exec.Image, error)) {
	want.Clock++
	k := &exec.ImageKey{Count: uint8(len(imageWords)), With: a.With & (ir.ImageArray | ir.ImageTexels | ir.ImageCompare | ir.ImagePacked), Do: a.Do}
	if a.Do.Op() == ir.Image {
		k.Do = ir.ImagePlace
	}
	copy(k.Words[:], imageWords)
	n := map[ir.ImageDo]int{ir.SampleLod: 2, ir.ImagePlace: 3, ir.ImageBlock: 3}[a.Do]
	if n == 0 {
		n = 4
	}
	for lane := range st.Lanes {
		var res [4]uint32
		if st.M[1]>>lane&1 != 0 {
			if a.With&ir.ImageEach != 0 { // the descriptors of a lane end in bit 1 of its number
				k.Words[len(imageWords)-1] = uint32(lane & 2)
			}
			img, _ := of(k)
			if a.Do.Op() == ir.Sample {
				res = expectSample(st, img.(picture), a, lane)
			} else {
				res = expectImage(st, img, a, lane)
			}
		}
		for i := range n {
			if st.Exec>>lane&1 != 0 {
				want.Set(cellOf(fileV, 16+i), lane, res[i])
			}
		}
	}
}

func expectSample(st *exec.State, p picture, a ir.ImageAttr, lane int) [4]uint32 {
	q := mem.Quad{Lod: mem.LodKind(a.Lod)}
	q.Limit, q.Packed = a.With&ir.ImageLimit != 0, a.With&ir.ImagePacked != 0
	for k := range 4 {
		from := lane&^3 + k
		if from >= st.Lanes {
			from = lane &^ 3
		}
		u := func(i int) uint32 { return st.Get(cellOf(fileV, i), from) }
		v := func(i int) float32 { return math.Float32frombits(u(i)) }
		q.Coord[k] = [3]float32{v(0), v(1), v(2)}
		q.Slice[k], q.W[k], q.Least[k], q.Ref[k] = v(3), v(4), v(5), v(6)
		for i := range 3 {
			q.Offset[k][i] = sixBits(u(7), i)
			if a.Lod == ir.LodSlopes {
				q.Dx[k][i], q.Dy[k][i] = v(8+i), v(11+i)
			}
		}
	}
	h := map[ir.ImageDo]uint32{ir.SampleTexel: 1, ir.SampleGather: 2 + uint32(a.Comp), ir.SampleLod: 7}[a.Do]
	t := p.texel(&q, lane&3, h)
	if a.With&ir.ImageHalf != 0 {
		t = p.Narrow(t)
	}
	return t
}

// sixBits is the offset along an axis.
func sixBits(offset uint32, axis int) int8 {
	six := int(offset >> (8 * axis) & 63)
	return int8(six - six>>5*64)
}

func expectImage(st *exec.State, img exec.Image, a ir.ImageAttr, lane int) (res [4]uint32) {
	var in [6]uint32
	for i := range in {
		in[i] = st.Get(cellOf(fileV, i), lane)
	}
	four, half := [4]uint32(in[:4]), a.With&ir.ImageHalf != 0
	switch a.Do {
	case ir.ImagePlace:
		addr, n := img.Place([3]uint32(in[:3]), in[3], in[4])
		res = [4]uint32{uint32(addr), uint32(addr >> 32), n}
	case ir.ImageBlock:
		addr, n := img.Block([3]uint32(in[:3]), in[3], in[4])
		res = [4]uint32{uint32(addr), uint32(addr >> 32), n}
	case ir.ImageSize:
		res = img.Dims(in[0])
	case ir.ImageTexel:
		s := &mem.Spot{At: [3]uint32(in[:3]), Slice: in[3], Level: in[4], Packed: a.With&ir.ImagePacked != 0}
		for i := range s.Offset {
			s.Offset[i] = sixBits(in[5], i)
		}
		if res, _ = img.Texel(s); half {
			res = img.Narrow(res)
		}
	case ir.ImageDecode:
		if res = img.Decode(four, in[4], in[5]); half {
			res = img.Narrow(res)
		}
	case ir.ImageEncode:
		if half {
			four = img.Widen(four)
		}
		res, _ = img.Encode(four)
	}
	return res
}
