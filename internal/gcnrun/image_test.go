package gcnrun

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/isa/gcn"
)

// An image is a T# and the layout of its texels, written independently of the code that reads descriptors.
type image struct {
	kind          int // 8 1D, 9 2D, 10 3D, 11 cube, 12 1D array, 13 2D array
	data, number  int // formats
	bytes         int // of a texel
	width, height int
	depth         int // of 3D, or layers and faces
	levels        int
	selects       [4]int
	base          int   // first level
	pitch         []int // by level, texels
	rows          []int // by level, rows of a slice
	offset        []int // by level, bytes
}

var identity = [4]int{4, 5, 6, 7}

// lay computes the offsets of levels: docs/reference/gcn.md 8.4.1, restated.
func (g *image) lay() {
	at := 0
	up := func(n int) int {
		for n&(n-1) != 0 {
			n++
		}
		return n
	}
	for l := range g.levels {
		h, d := max(g.height>>l, 1), g.depth
		if g.kind == 10 {
			d = max(g.depth>>l, 1)
		}
		if g.levels > 1 {
			h, d = up(h), up(d)
		}
		unit := max(8, 64/g.bytes)
		p := g.firstPitch()
		if l > 0 {
			p = max(p>>l, 1)
		}
		for p%unit != 0 || p*h%max(64, 256/g.bytes) != 0 {
			p++
		}
		g.pitch, g.rows, g.offset = append(g.pitch, p), append(g.rows, h), append(g.offset, at)
		at += p * h * d * g.bytes
	}
	g.offset = append(g.offset, at)
}

// firstPitch returns the pitch of level 0, larger than necessary.
func (g *image) firstPitch() int {
	unit := max(8, 64/g.bytes)
	p := (g.width/unit + 1) * unit
	h := g.height
	for h&(h-1) != 0 && g.levels > 1 {
		h++
	}
	for p*h%max(64, 256/g.bytes) != 0 {
		p += unit
	}
	return p
}

// at returns the offset of a texel.
func (g *image) at(l, slice, y, x int) int {
	return g.offset[l] + ((slice*g.rows[l]+y)*g.pitch[l]+x)*g.bytes
}

// words returns the T#.
func (g *image) words(addr uint64) []uint32 {
	var bits [256]bool
	put := func(at, n int, v uint64) {
		for i := range n {
			bits[at+i] = v>>i&1 != 0
		}
	}
	put(0, 40, addr>>8)
	put(52, 6, uint64(g.data))
	put(58, 4, uint64(g.number))
	put(64, 14, uint64(g.width-1))
	put(78, 14, uint64(g.height-1))
	for i, s := range g.selects {
		put(96+3*i, 3, uint64(s))
	}
	put(108, 4, uint64(g.base))
	put(112, 4, uint64(g.levels-1))
	put(116, 5, 8)
	put(121, 1, uint64(min(g.levels-1, 1)))
	put(124, 4, uint64(g.kind))
	if g.kind != 11 {
		put(128, 13, uint64(g.depth-1))
	}
	put(141, 14, uint64(g.pitch[0]-1))
	if g.kind >= 11 {
		put(173, 13, uint64(g.depth-1))
	}
	w := make([]uint32, 8)
	for i, b := range bits {
		if b {
			w[i/32] |= 1 << (i % 32)
		}
	}
	return w
}

// imageAt is the offset of a test's image in global memory.
const imageAt = 0x800

// put lays out the image and writes its texels from f: one value per component, 32 bits each, in the size of
// components.
func (g *image) put(m *memRun, size int, f func(l, slice, y, x, c int) uint32) {
	g.lay()
	if imageAt+g.offset[g.levels] > len(m.global) {
		panic("image too large for the test")
	}
	for l := range g.levels {
		d := g.depth
		if g.kind == 10 {
			d = max(d>>l, 1)
		}
		for s := range d {
			for y := range max(g.height>>l, 1) {
				for x := range max(g.width>>l, 1) {
					for c := range g.bytes / size {
						var b [4]byte
						binary.LittleEndian.PutUint32(b[:], f(l, s, y, x, c))
						copy(m.global[imageAt+g.at(l, s, y, x)+c*size:], b[:size])
					}
				}
			}
		}
	}
	m.s(8, g.words(globalBase+imageAt)...)
}

// A samplerWords is an S#.
type samplerWords struct {
	clamp           [3]int
	compare         int
	minLod, maxLod  float64
	bias            float64
	mag, min, mip   int
	border          int
	aniso, unormBit int
	filterMode      int
}

func (s *samplerWords) words() []uint32 {
	w := make([]uint32, 4)
	w[0] = uint32(s.clamp[0] | s.clamp[1]<<3 | s.clamp[2]<<6 | s.aniso<<9 | s.compare<<12 | s.unormBit<<15 | s.filterMode<<29)
	w[1] = uint32(s.minLod*256) | uint32(s.maxLod*256)<<12
	w[2] = uint32(int32(s.bias*256))&0x3fff | uint32(s.mag<<20|s.min<<22|s.mip<<26)
	w[3] = uint32(s.border) << 30
	return w
}

// smooth returns a texel of the sampled images, different in each component, level and slice, and varying along each
// axis.
func smooth(l, slice, y, x, c int) float64 {
	return float64((x*37+y*53+slice*29+l*101+c*17)%64) / 64
}

func smoothBits(l, slice, y, x, c int) uint32 {
	return math.Float32bits(float32(smooth(l, slice, y, x, c)))
}

// A sampling is one sample in one lane, by docs/reference/gcn.md 8.4.4, in double precision.
type sampling struct {
	g       *image
	s       *samplerWords
	axes    int
	at      [3]float64
	slice   int
	lod     float64 // before clamping, with all biases
	least   float64
	off     [3]int
	compare bool
	ref     float64
}

// wrap returns the index of texel i of n, -1 for the border.
func wrap(mode, i, n int) int {
	switch mode {
	case 0:
		return ((i % n) + n) % n
	case 1:
		i = ((i % (2 * n)) + 2*n) % (2 * n)
		if i >= n {
			i = 2*n - 1 - i
		}
		return i
	case 2:
		return min(max(i, 0), n-1)
	case 3:
		if i < 0 {
			i = -1 - i
		}
		return min(i, n-1)
	case 7:
		if i < 0 {
			i = -1 - i
		}
	}
	if i < 0 || i >= n {
		return -1
	}
	return i
}

func (p *sampling) size(l int) [3]int {
	n := [3]int{max(p.g.width>>l, 1), 1, 1}
	if p.axes > 1 {
		n[1] = max(p.g.height>>l, 1)
	}
	if p.axes > 2 {
		n[2] = max(p.g.depth>>l, 1)
	}
	return n
}

// texel returns component c of a texel, or of the border.
func (p *sampling) texel(l int, i [3]int, c int) float64 {
	n := p.size(l)
	inside := true
	for k := range p.axes {
		i[k] = wrap(p.s.clamp[k], i[k], n[k])
		inside = inside && i[k] >= 0
	}
	v := 0.0
	if inside {
		v = smooth(l, p.slice+i[2], i[1], i[0], c)
	} else {
		v = [3][4]float64{{}, {3: 1}, {1, 1, 1, 1}}[p.s.border][c]
	}
	if p.compare {
		holds := [8]bool{false, p.ref < v, p.ref == v, p.ref <= v, p.ref > v, p.ref != v, p.ref >= v, true}[p.s.compare]
		if v = 0; holds {
			v = 1
		}
	}
	return v
}

// filtered returns component c of one level.
func (p *sampling) filtered(l, filter, c int) float64 {
	n := p.size(l)
	var i [3]int
	var w [3]float64
	for k := range p.axes {
		x := p.at[k] * float64(n[k])
		if filter == 1 {
			x -= 0.5
		}
		i[k] = int(math.Floor(x))
		w[k] = x - math.Floor(x)
		i[k] += p.off[k]
	}
	if filter == 0 {
		return p.texel(l, i, c)
	}
	sum := 0.0
	for corner := range 1 << p.axes {
		j, weight := i, 1.0
		for k := range p.axes {
			if corner>>k&1 != 0 {
				j[k]++
				weight *= w[k]
			} else {
				weight *= 1 - w[k]
			}
		}
		sum += weight * p.texel(l, j, c)
	}
	return sum
}

// limited returns the level of detail, clamped.
func (p *sampling) limited() float64 {
	return max(min(max(p.lod, p.s.minLod), p.s.maxLod), p.least)
}

func (p *sampling) sample(c int) float64 {
	lod := p.limited()
	if lod <= 0 {
		return p.filtered(0, p.s.mag, c)
	}
	top := p.g.levels - 1
	switch p.s.mip {
	case 1:
		return p.filtered(min(int(math.Floor(lod+0.5)), top), p.s.min, c)
	case 2:
		l := min(int(lod), top)
		f := lod - math.Floor(lod)
		return (1-f)*p.filtered(l, p.s.min, c) + f*p.filtered(min(l+1, top), p.s.min, c)
	}
	return p.filtered(0, p.s.min, c)
}

// gather returns component c of the four texels.
func (p *sampling) gather(c int) (t [4]float64) {
	l := 0
	if lod := p.limited(); lod > 0 && p.s.mip == 1 {
		l = min(int(math.Floor(lod+0.5)), p.g.levels-1)
	}
	n := p.size(l)
	x := int(math.Floor(p.at[0]*float64(n[0])-0.5)) + p.off[0]
	y := int(math.Floor(p.at[1]*float64(n[1])-0.5)) + p.off[1]
	for i, d := range [4][2]int{{0, 1}, {1, 1}, {1, 0}, {0, 0}} {
		t[i] = p.texel(l, [3]int{x + d[0], y + d[1], 0}, c)
	}
	return t
}

// A sampleRow is an instruction of the families sample and gather4 with the features in its name.
type sampleRow struct {
	name                         string
	c, d, l, b, lz, cl, o, fours bool
}

// sampleRows returns all of them, with their names in LLVM's tables.
func sampleRows() (rows []sampleRow) {
	lods := []string{"", "_cl", "_d", "_d_cl", "_l", "_b", "_b_cl", "_lz", "_cd", "_cd_cl"}
	for _, base := range []string{"image_sample", "image_gather4"} {
		for _, c := range []string{"", "_c"} {
			for _, lod := range lods {
				for _, o := range []string{"", "_o"} {
					if base == "image_gather4" && strings.Contains(lod, "d") {
						continue
					}
					rows = append(rows, sampleRow{name: base + c + lod + o, c: c != "", d: strings.Contains(lod, "d"), l: lod == "_l",
						b: strings.Contains(lod, "b"), lz: lod == "_lz", cl: strings.Contains(lod, "_cl"), o: o != "", fours: base == "image_gather4"})
				}
			}
		}
	}
	return rows
}

// A sampleRun is one instruction with random operands for 64 lanes.
type sampleRun struct {
	m     *memRun
	g     *image
	s     samplerWords
	row   sampleRow
	axes  int
	slice bool
	lanes [64]sampling
}

// extras are the operands of a lane besides coordinates.
type extras struct{ bias, ref, slice, lod, least float64 }

// operands are the random operands of all lanes.
type operands struct {
	coord, dx, dy [64][3]float64
	extra         [64]extras
}

// random makes coordinates that change linearly within a quad, and random extras.
func (r *sampleRun) random(rnd *rand.Rand) (o operands) {
	for q := 0; q < 64; q += 4 {
		for k := range r.axes {
			at := float64(rnd.IntN(4096))/4096*1.5 - 0.25
			sx, sy := float64(rnd.IntN(64)-32)/128, float64(rnd.IntN(64)-32)/128
			for i := range 4 {
				o.coord[q+i][k] = at + float64(i&1)*sx + float64(i>>1)*sy
				o.dx[q+i][k], o.dy[q+i][k] = float64(rnd.IntN(256))/256, float64(rnd.IntN(256)-128)/256
			}
		}
	}
	for lane := range o.extra {
		o.extra[lane] = extras{
			bias: float64(rnd.IntN(64)-32) / 16, lod: float64(rnd.IntN(96)-16) / 16, least: float64(rnd.IntN(48)) / 16,
			ref: float64(2*rnd.IntN(64)-1) / 128, slice: float64(rnd.IntN(r.g.depth)),
		}
	}
	return o
}

// prepare writes random operands to registers from v20 up and computes what each lane samples.
func (r *sampleRun) prepare(rnd *rand.Rand) {
	o := r.random(rnd)
	for lane := range r.lanes {
		e := &o.extra[lane]
		p := sampling{g: r.g, s: &r.s, axes: r.axes, at: o.coord[lane], compare: r.row.c, ref: e.ref, least: math.Inf(-1)}
		if r.slice {
			p.slice = int(e.slice)
		}
		if r.row.o {
			p.off = [3]int{rnd.IntN(15) - 7, rnd.IntN(15) - 7, (rnd.IntN(3) - 1) * (r.axes / 3)}
		}
		if r.row.cl {
			p.least = e.least
		}
		p.lod = r.lodOf(&o, &p, lane) + r.s.bias
		r.lanes[lane] = p
	}
	r.registers(&o)
}

// lodOf returns the level of detail of a lane without the sampler's bias.
func (r *sampleRun) lodOf(o *operands, p *sampling, lane int) float64 {
	switch {
	case r.row.l:
		return o.extra[lane].lod
	case r.row.lz:
		return 0
	}
	var length [2]float64
	for k := range r.axes {
		n, q := float64(p.size(0)[k]), lane&^3
		a, b := o.coord[q+1][k]-o.coord[q][k], o.coord[q+2][k]-o.coord[q][k]
		if r.row.d {
			a, b = o.dx[lane][k], o.dy[lane][k]
		}
		length[0], length[1] = length[0]+a*a*n*n, length[1]+b*b*n*n
	}
	lod := math.Log2(math.Sqrt(max(length[0], length[1])))
	if r.row.b {
		lod += o.extra[lane].bias
	}
	return lod
}

// registers writes the address registers in the order of docs/reference/gcn.md 8.4.
func (r *sampleRun) registers(o *operands) {
	next := 20
	float := func(asked bool, f func(lane int) float64) {
		if asked {
			r.m.v(next, func(lane int) uint32 { return math.Float32bits(float32(f(lane))) })
			next++
		}
	}
	if r.row.o {
		r.m.v(next, func(lane int) uint32 {
			off := r.lanes[lane].off
			return uint32(off[0])&63 | uint32(off[1])&63<<8 | uint32(off[2])&63<<16
		})
		next++
	}
	float(r.row.b, func(lane int) float64 { return o.extra[lane].bias })
	float(r.row.c, func(lane int) float64 { return o.extra[lane].ref })
	for _, d := range []*[64][3]float64{&o.dx, &o.dy} {
		for k := range r.axes {
			float(r.row.d, func(lane int) float64 { return d[lane][k] })
		}
	}
	for k := range r.axes {
		float(true, func(lane int) float64 { return o.coord[lane][k] })
	}
	float(r.slice, func(lane int) float64 { return o.extra[lane].slice })
	float(r.row.l, func(lane int) float64 { return o.extra[lane].lod })
	float(r.row.cl, func(lane int) float64 { return o.extra[lane].least })
}

// TestImageSample: all instructions of the families sample and gather4, and get_lod, on images of each type.
func TestImageSample(t *testing.T) {
	for _, k := range []struct {
		kind, axes, depth int
		slice             bool
	}{{9, 2, 1, false}, {8, 1, 1, false}, {10, 3, 4, false}, {12, 1, 3, true}, {13, 2, 3, true}} {
		for i, row := range sampleRows() {
			if row.fours && k.axes != 2 {
				continue
			}
			rnd := rand.New(rand.NewPCG(uint64(i), uint64(k.kind)))
			m := newMemRun(t)
			g := &image{kind: k.kind, data: 14, number: 7, bytes: 16, width: 8, height: 6, depth: k.depth, levels: 3, selects: identity}
			if k.axes == 1 {
				g.height = 1
			}
			g.put(m, 4, smoothBits)
			r := &sampleRun{m: m, g: g, row: row, axes: k.axes, slice: k.slice}
			r.s = samplerWords{clamp: [3]int{rnd.IntN(4), []int{0, 1, 2, 3, 6, 7}[rnd.IntN(6)], 2}, compare: 1 + rnd.IntN(6), maxLod: 2.5,
				minLod: 0.125, bias: -0.25, mag: 1, min: rnd.IntN(2), mip: 1 + rnd.IntN(2), border: rnd.IntN(3)}
			if row.fours {
				r.s.mip = 1
			}
			m.s(20, r.s.words()...)
			r.prepare(rnd)
			r.check(t, 1+rnd.IntN(15))
		}
	}
}

// check runs the instruction and compares the components of dmask, in order.
func (r *sampleRun) check(t *testing.T, dmask int) {
	t.Helper()
	modifiers := ""
	if r.slice {
		modifiers = " da"
	}
	comps := []int{}
	for c := range 4 {
		if dmask>>c&1 != 0 {
			comps = append(comps, c)
		}
	}
	n := len(comps)
	if r.row.fours {
		n, dmask = 4, 1<<comps[0]
	}
	r.m.st.Exec = 0x5fff_ffff_ffff_7ffe
	for i := range 5 {
		r.m.v(60+i, all(0xdead0000+uint32(i)))
	}
	text := fmt.Sprintf("%s v[60:%d], v[20:27], s[8:15], s[20:23] dmask:%#x%s", r.row.name, 60+n-1, dmask, modifiers)
	if n == 1 {
		text = fmt.Sprintf("%s v60, v[20:27], s[8:15], s[20:23] dmask:%#x%s", r.row.name, dmask, modifiers)
	}
	r.m.run(text)
	for lane := range 64 {
		p := &r.lanes[lane]
		for i := range 5 {
			got := r.m.st.Get(gcn.VGPR(60+i), lane)
			if r.m.st.Exec>>lane&1 == 0 || i >= n {
				if got != 0xdead0000+uint32(i) {
					t.Fatalf("%s: v%d of lane %d was written", text, 60+i, lane)
				}
				continue
			}
			want := 0.0
			if r.row.fours {
				want = p.gather(comps[0])[i]
			} else {
				want = p.sample(comps[i])
			}
			if x := float64(math.Float32frombits(got)); !(math.Abs(x-want) < 2e-4) {
				t.Fatalf("%s: type %d, lane %d, component %d: %v, want %v (%+v, %+v)", text, r.g.kind, lane, i, x, want, *p, r.s)
			}
		}
	}
}
