package teslarun

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/isa/tesla"
	"github.com/heddle-gpu/heddle/mem"
)

// Texture instructions. docs/reference/tesla.md 9.5. Package mem tests sampling; here the request of an instruction and
// the destination of the result are tested: the texture returns a digest of the request.

// Kinds of requests.
const (
	asksTexel = iota + 1
	asksGather
	asksFetch
)

// A question is the request of an instruction to a texture in one thread.
type question struct {
	what, unit, sampler, count int
	cube, level                bool
	lod                        mem.LodKind
	src                        [4]uint32
	offset                     [3]int8
}

// answer returns component i of the result.
func (q *question) answer(i int) uint32 {
	h := uint32(2166136261)
	for _, c := range []byte(fmt.Sprint(*q, i)) {
		h = (h ^ uint32(c)) * 16777619
	}
	return h
}

// A digest is a texture that returns digests.
type digest struct{ q question }

func (w *warp) imageOf(k *exec.ImageKey) (exec.Image, error) {
	shape := tesla.TexShape(k.Words[tesla.TexHow])
	return &digest{question{unit: int(k.Words[tesla.TexUnit]), sampler: int(k.Words[tesla.TexSampler]), count: shape.Count(), cube: shape.Cube(), level: shape.Level()}}, nil
}

func (d *digest) quad(q *mem.Quad, what int) {
	for lane := range 4 {
		if q.Need>>lane&1 == 0 {
			continue
		}
		x := d.q
		x.what, x.lod, x.offset = what, q.Lod, q.Offset[lane]
		for i, c := range q.Coord[lane] {
			x.src[i] = math.Float32bits(c)
		}
		x.src[3] = math.Float32bits(q.Slice[lane])
		for i := range 4 {
			q.Texel[lane][i] = x.answer(i)
		}
	}
}

func (d *digest) Sample(q *mem.Quad) { d.quad(q, asksTexel) }

func (d *digest) Gather(q *mem.Quad, comp uint8) {
	if comp != 0 {
		panic("a component that no instruction can name")
	}
	d.quad(q, asksGather)
}

// Lods returns the first coordinate, and the second.
func (d *digest) Lods(q *mem.Quad) {
	for lane := range 4 {
		q.Texel[lane][0], q.Texel[lane][1] = math.Float32bits(q.Coord[lane][0]), math.Float32bits(q.Coord[lane][1])
	}
}

func (d *digest) Texel(p *mem.Spot) (t [4]uint32, err error) {
	x := d.q
	x.what, x.src, x.offset = asksFetch, [4]uint32{p.At[0], p.At[1], p.At[2], p.Slice}, p.Offset
	for i := range t {
		t[i] = x.answer(i)
	}
	return t, nil
}

func (d *digest) Dims(level uint32) [4]uint32 {
	return [4]uint32{100 + level, 200 + level, 300 + level, 9}
}

func (d *digest) Place([3]uint32, uint32, uint32) (uint64, uint32) { panic("no texel lies anywhere") }
func (d *digest) Block([3]uint32, uint32, uint32) (uint64, uint32) { panic("no texel lies anywhere") }
func (d *digest) Decode([4]uint32, uint32, uint32) [4]uint32       { panic("no texel has bytes") }
func (d *digest) Encode([4]uint32) ([4]uint32, error)              { panic("no texel has bytes") }
func (d *digest) Narrow([4]uint32) [4]uint32                       { panic("no texel is narrow") }
func (d *digest) Widen([4]uint32) [4]uint32                        { panic("no texel is narrow") }

// texTests are instructions, with the source of the level of detail in a fragment program, in others, and in others
// with deriv.
var texTests = []struct {
	name                     string
	what                     int
	inside, outside, derived mem.LodKind
	level, cube              bool // it has a last source with the level; it has a form for cubes
	variant                  int
}{
	{"texauto", asksTexel, mem.LodImplicit, mem.LodZero, mem.LodImplicit, false, true, tesla.G80},
	{"texbias", asksTexel, mem.LodBias, mem.LodExplicit, mem.LodBias, true, true, tesla.G80},
	{"texlod", asksTexel, mem.LodExplicit, mem.LodExplicit, mem.LodExplicit, true, true, tesla.G80},
	{"texgather", asksGather, mem.LodZero, mem.LodZero, mem.LodZero, false, true, tesla.GT215},
	{"texfetch", asksFetch, 0, 0, 0, false, false, tesla.G80},
}

// TestTextures: sources in order from the base on, all masks, units, offsets, stages, short forms.
func TestTextures(t *testing.T) {
	for _, c := range texTests {
		for i := range 16 { // masks
			q := question{what: c.what, unit: 7 * i, sampler: i, count: i%4 + 1, level: c.level, lod: c.inside, offset: [3]int8{int8(i - 8), int8(7 - i), int8(i%5 - 2)}}
			stage, words := tesla.FP, []string{"all", "live"}[i%2]
			switch i % 3 {
			case 1:
				stage, q.lod = tesla.CP, c.outside
			case 2:
				stage, q.lod, words = tesla.VP, c.derived, words+" deriv"
			}
			offsets := fmt.Sprintf(" %s %s %s", signedHex(q.offset[0]), signedHex(q.offset[1]), signedHex(q.offset[2]))
			textured(t, c.variant, stage, c.name+" "+words, q, i, offsets)
			q.offset = [3]int8{}
			if c.cube {
				q.cube = true
				textured(t, c.variant, stage, c.name+" cube "+words, q, i, "")
				q.cube = false
			}
			if i == 15 && (c.name == "texauto" || c.name == "texfetch") { // there is a short form
				for _, word := range []string{"all", "live"} {
					q.lod = c.inside
					textured(t, c.variant, tesla.FP, c.name+" "+word, q, i, "")
				}
			}
		}
	}
}

func signedHex(v int8) string {
	if v < 0 {
		return fmt.Sprintf("-%#x", -int(v))
	}
	return fmt.Sprintf("%#x", v)
}

// textured runs an instruction whose sources and result start at $r20.
func textured(t *testing.T, variant, stage int, head string, q question, mask int, offsets string) {
	t.Helper()
	w := newWarp(t, variant, stage)
	source := func(lane, i int) uint32 {
		if i >= q.count {
			return 0
		}
		return math.Float32bits(float32(lane) + float32(i)/8 + 1)
	}
	for i := range 8 {
		w.set(20+i, func(lane int) uint32 { return math.Float32bits(float32(lane) + float32(i)/8 + 1) })
	}
	elements, n := []string{"#", "#", "#", "#"}, 0
	for i := range elements {
		if mask>>i&1 != 0 {
			elements[i] = fmt.Sprintf("$r%d", 20+n)
			n++
		}
	}
	sources := []string{"$r20", "$r21", "$r22", "$r23"}[:q.count]
	w.setFlags(1, func(lane int) uint8 { return uint8(lane >> 1 & 1) })
	guard := "(e $c1) "
	if offsets == "" && !q.cube { // the short form has none
		guard = ""
	}
	old := w.st.Snapshot()
	w.run(fmt.Sprintf("%s%s %s $t%d $s%d %s%s", guard, head, strings.Join(elements, ":"), q.unit, q.sampler, strings.Join(sources, ":"), offsets))
	for lane := range tesla.Lanes {
		x := q
		for i := range x.src {
			x.src[i] = source(lane, i)
		}
		at := 20
		for i := range 4 {
			if mask>>i&1 == 0 {
				continue
			}
			want := x.answer(i)
			if guard != "" && lane>>1&1 == 0 {
				want = old.Get(reg(at), lane)
			}
			if got := w.st.Get(reg(at), lane); got != want {
				t.Fatalf("%s: %s, thread %d: $r%d is %#x, want component %d of %+v: %#x", w.target, head, lane, at, got, i, x, want)
			}
			at++
		}
		if got := w.st.Get(reg(at), lane); got != old.Get(reg(at), lane) {
			t.Fatalf("%s: %s writes $r%d behind its result", w.target, head, at)
		}
	}
}

// TestTextureSize: width, height, depth and number of levels, for the level in the source.
func TestTextureSize(t *testing.T) {
	for _, stage := range []int{tesla.FP, tesla.CP} {
		w := newWarp(t, tesla.G80, stage)
		w.set(20, func(lane int) uint32 { return uint32(lane % 3) })
		w.set(22, always(77))
		w.run("texsize live $r20:#:#:$r21 $t4 $s1 $r20")
		w.want(20, func(lane int) uint32 { return 100 + uint32(lane%3) })
		w.want(21, always(9))
		w.want(22, always(77))
	}
}

// TestTextureLod: levels of detail as fixed-point numbers of six fraction bits, to the nearest. docs/reference/tesla.md
// 12 no. 9
func TestTextureLod(t *testing.T) {
	for _, cube := range []string{"", "cube "} {
		w := newWarp(t, tesla.GT215, tesla.FP)
		w.set(20, func(lane int) uint32 { return math.Float32bits(float32(lane) / 100) })
		w.set(21, func(lane int) uint32 { return math.Float32bits(-float32(lane) / 64) })
		w.run("texquerylod " + cube + "all $r20:$r21:#:# $t4 $s1 $r20:$r21")
		w.want(20, func(lane int) uint32 { return uint32(math.RoundToEven(float64(float32(lane) / 100 * 64))) })
		w.want(21, func(lane int) uint32 { return uint32(-int32(lane)) })
	}
}
