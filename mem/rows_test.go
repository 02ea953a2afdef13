package mem

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"
)

// TestSampleRows: samples of waves equal, bit for bit, samples of quads without any fast path, for any texture and
// place. Lanes that are not needed, or that must be sampled in quads, are distinguished, and most lanes of plain
// textures are sampled by rows.
func TestSampleRows(t *testing.T) {
	if !hasRows() {
		t.Skip("this processor has no functions for rows: nothing is tested")
	}
	rnd := rand.New(rand.NewPCG(9, 10))
	rounds := 4000
	if testing.Short() {
		rounds = 1000
	}
	var r Rows
	formats := rowFormats(t)
	wanted, found, units := 0, 0, 0
	for n := range rounds {
		u := quickUnit(t, rnd)
		if n%2 == 0 {
			u = anyUnit(t, rnd, u, formats[rnd.IntN(len(formats))])
		}
		slow := *u
		slow.fast, slow.brief = false, false
		if u.rows {
			units++
		}
		for range 6 {
			quads := r.random(rnd)
			before := *r.Texel
			r.Idle = rnd.IntN(4)
			done := u.SampleRows(&r)
			if done&^r.Need != 0 || !u.rows && done != 0 {
				t.Fatalf("unit %d: lanes %x are done, of %x", n, done, r.Need)
			}
			if found += bits.OnesCount64(done); u.rows {
				wanted += bits.OnesCount64(r.Need)
			}
			for k := range quads {
				q := &quads[k]
				slow.Sample(q)
				for i := range q.Texel {
					lane := 4*k + i
					if done>>lane&1 == 0 {
						continue
					}
					got, want := [4]uint32{r.Texel[0][lane], r.Texel[1][lane], r.Texel[2][lane], r.Texel[3][lane]}, q.Texel[i]
					if asked := 4 - r.Idle; !slices.Equal(got[:asked], want[:asked]) {
						t.Fatalf("unit %d: %dx%d, levels %d to %d, %+v\nquad %+v\nlane %d: %x, want %x", n, u.tex.Width, u.tex.Height, u.tex.Base, u.last, u.smp, q, i, got, want)
					}
				}
			}
			for lane := range rowLanes {
				if r.Need>>lane&1 == 0 && before[0][lane] != r.Texel[0][lane] {
					t.Fatalf("unit %d: lane %d wants nothing and gets something", n, lane)
				}
			}
		}
	}
	t.Logf("%d units of %d, %d texels of %d", units, rounds, found, wanted)
	if units < rounds/6 || found < wanted/3 {
		t.Errorf("rows are hardly met: %d units of %d, %d texels of %d", units, rounds, found, wanted)
	}
}

// anyUnit is a unit with the sampler of u and any texture of two axes, mostly in guest memory.
func anyUnit(t *testing.T, rnd *rand.Rand, u *Unit, f *Format) *Unit {
	if rnd.IntN(3) == 0 {
		f = FormatOf("RGBA8888")
	}
	x := noise(rnd, Texture2D, 0)
	x.Format = f
	for l := range x.Levels {
		size := x.Size(l)
		data := make([]byte, size[0]*size[1]*f.Bytes)
		for i := range data {
			if data[i] = byte(rnd.Uint32()); rnd.IntN(3) == 0 {
				data[i] = []byte{0, 0x3c, 0x3f, 0x80, 0x7f, 0xff}[rnd.IntN(6)] // floats near 1, infinities and NaNs
			}
		}
		x.Levels[l][0] = data
	}
	if rnd.IntN(4) > 0 {
		x = guestOf(t, x)
		storeOddly(rnd, &x)
	}
	s := u.smp
	if s.Rules.Mix = MixRule(rnd.IntN(2)); f.Integer() {
		s.Min, s.Mag, s.Mip, s.MaxAniso = Nearest, Nearest, min(s.Mip, MipNearest), 0
	}
	u, err := NewUnit(x, s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// random makes r a random sample; quads is the same sample in quads.
func (r *Rows) random(rnd *rand.Rand) (quads [rowLanes / 4]Quad) {
	*r = Rows{Lod: LodKind(rnd.IntN(4)), X: new([rowLanes]uint32), Y: new([rowLanes]uint32), W: new([rowLanes]uint32), Texel: new([4][rowLanes]uint32)}
	if rnd.IntN(2) == 0 {
		r.Lod = LodImplicit
	}
	if rnd.IntN(4) == 0 {
		r.Least = new([rowLanes]uint32)
	}
	alike := rnd.IntN(2) == 0 // quads are close to each other
	for k := range quads {
		q := quickQuad(rnd)
		if alike && k > 0 {
			for lane := range q.Coord {
				for i, x := range quads[0].Coord[lane] {
					q.Coord[lane][i] = x + float32(k)/64
				}
			}
		}
		q.Lod, q.Limit, q.Packed, q.Offset = r.Lod, r.Least != nil, false, [4][3]int8{}
		quads[k] = q
		r.Need |= uint64(q.Need) << (4 * k)
		for i := range 4 {
			lane := 4*k + i
			r.X[lane], r.Y[lane], r.W[lane] = math.Float32bits(q.Coord[i][0]), math.Float32bits(q.Coord[i][1]), math.Float32bits(q.W[i])
			if r.Least != nil {
				r.Least[lane] = math.Float32bits(q.Least[i])
			}
		}
	}
	for k := range r.Texel {
		for lane := range r.Texel[k] {
			r.Texel[k][lane] = rnd.Uint32()
		}
	}
	return quads
}

// TestRowValues: vectors convert every byte as the format defines.
func TestRowValues(t *testing.T) {
	if !hasRows() {
		t.Skip("this processor has no functions for rows: nothing is tested")
	}
	data := make([]byte, 4*256)
	for i := range 256 {
		data[4*i], data[4*i+1], data[4*i+2], data[4*i+3] = byte(i), byte(i+1), byte(i+2), byte(i+3)
	}
	var x, y places
	var texels [4][rowLanes]uint32
	for from := 0; from < 256; from += rowLanes {
		for lane := range rowLanes {
			x.i[lane] = uint32(from + lane)
		}
		nearestRows(&texels, &data[0], 256, &x, &y, nil, ^uint64(0))
		for lane := range rowLanes {
			for k := range texels {
				if got, want := texels[k][lane], math.Float32bits(unorm8[(from+lane+k)&255]); got != want {
					t.Errorf("component %d of texel %d is %#x, want %#x", k, from+lane, got, want)
				}
			}
		}
		x.j = x.i
		var four [4][rowLanes]uint32
		if fourRows(&four, &data[0], 256, 1, &x, &y, nil, ^uint64(0), 4, 256, false); four != texels {
			t.Errorf("texels from %d on are %x, want %x", from, four, texels)
		}
		if !hasWideRows() {
			continue
		}
		var wide [4][rowLanes]uint32
		if fourWide(&wide, &data[0], 256, 1, &x, &y, nil, ^uint64(0)); wide != texels {
			t.Errorf("texels from %d on are %x, want %x", from, wide, texels)
		}
	}
}

// TestFourRows: blending eight and sixteen lanes at a time equals blending one by one, with and without weights,
// for levels of any size: neighbours, the same texel twice, texels of both ends, in any order. Texels of other
// lanes are unchanged.
func TestFourRows(t *testing.T) {
	if !hasRows() {
		t.Skip("this processor has no functions for rows: nothing is tested")
	}
	rnd := rand.New(rand.NewPCG(5, 4))
	for n := range 6000 {
		width, height := 1+rnd.Uint32N(14), 1+rnd.Uint32N(14)
		pitch, axes := width, n%5 == 0
		if n%7 == 0 {
			pitch += rnd.Uint32N(5)
		}
		data := make([]byte, 4*(pitch*(height-1)+width))
		for i := range data {
			data[i] = byte(rnd.Uint32())
		}
		var x, y places
		var weight *[rowLanes]float32
		var got, want [4][rowLanes]uint32
		if n%2 == 0 {
			weight = new([rowLanes]float32)
		}
		x.random(rnd, width, n%8)
		y.random(rnd, height, n/8%8)
		for lane := range rowLanes {
			if weight != nil {
				weight[lane] = rnd.Float32()
			}
			for k := range got {
				got[k][lane] = math.Float32bits(rnd.Float32())
			}
		}
		want = got
		need := rnd.Uint64()
		if n%3 == 0 {
			need &= 0xffff_0000_000f_ffff
		}
		for lane := range rowLanes {
			if need>>lane&1 == 0 { // may be anywhere
				x.i[lane], y.j[lane] = rnd.Uint32(), rnd.Uint32()
			}
		}
		wide, part, count := got, got, 1+rnd.IntN(4)
		plainFour(t, &want, data, width, height, pitch, &x, &y, weight, need, axes)
		copy(part[:count], want[:count])
		if fourRows(&got, &data[0], width, height, &x, &y, weight, need, count, pitch, axes); got != part {
			t.Fatalf("%d by %d, %d components of lanes %x: %x, want %x", width, height, count, need, got, part)
		}
		if !hasWideRows() || axes || pitch != width {
			continue
		}
		if fourWide(&wide, &data[0], width, height, &x, &y, weight, need); wide != want {
			t.Fatalf("%d by %d, sixteen lanes at a time, lanes %x: %x, want %x", width, height, need, wide, want)
		}
	}
	if !hasWideRows() {
		t.Log("NOT TESTED: sixteen lanes at a time, for lack of vectors of 512 bits")
	}
}

// plainFour is fourRows lane by lane.
func plainFour(t *testing.T, to *[4][rowLanes]uint32, data []byte, width, height, pitch uint32, x, y *places, weight *[rowLanes]float32, need uint64, axes bool) {
	for lane := range rowLanes {
		if need>>lane&1 == 0 {
			continue
		}
		for k := range to {
			texel := func(i, j uint32) float32 {
				if i >= width || j >= height {
					t.Fatalf("lane %d reads texels that there are not", lane)
				}
				return float32(data[4*(j*pitch+i)+uint32(k)]) / 255
			}
			t00, t10, t01, t11 := texel(x.i[lane], y.i[lane]), texel(x.j[lane], y.i[lane]), texel(x.i[lane], y.j[lane]), texel(x.j[lane], y.j[lane])
			a, b := x.w[lane], y.w[lane]
			na, nb := 1-a, 1-b
			v := float32(float32(t00*na)*nb) + float32(float32(t10*a)*nb) + float32(float32(t01*na)*b) + float32(float32(t11*a)*b)
			if axes {
				v = float32((float32(t00*na)+float32(t10*a))*nb) + float32((float32(t01*na)+float32(t11*a))*b)
			}
			if weight != nil {
				old := math.Float32frombits(to[k][lane])
				v = float32(old*(1-weight[lane])) + float32(v*weight[lane])
			}
			to[k][lane] = math.Float32bits(v)
		}
	}
}

// random makes p places along an axis of n texels: neighbours inside, at an edge, and others.
func (p *places) random(rnd *rand.Rand, n uint32, how int) {
	weights := []float32{0, 1, 0.5, 1.0 / (1 << 26), 1 - 1.0/(1<<24)}
	for lane := range rowLanes {
		i := rnd.Uint32N(n)
		j := min(i+1, n-1)
		switch {
		case how < 2 && n > 1:
			i = min(i, n-2)
			j = i + 1
		case how < 4:
		case rnd.IntN(20) == 0:
			i, j = n-1, 0
		case rnd.IntN(10) == 0:
			i, j = j, i
		case rnd.IntN(10*how) == 0:
			j = rnd.Uint32N(n)
		}
		p.i[lane], p.j[lane], p.w[lane] = i, j, rnd.Float32()
		if rnd.IntN(4) == 0 {
			p.w[lane] = weights[rnd.IntN(len(weights))]
		}
	}
}

// sameViews compares the parts of lanes, and the weights of those that read a second level, whose number it
// returns.
func (r *Rows) sameViews(t *testing.T, u *Unit, want *Rows) (seconds int) {
	t.Helper()
	if !slices.Equal(r.parts, want.parts) {
		t.Fatalf("%+v: %+v, want %+v", u.smp, r.parts, want.parts)
	}
	for _, p := range r.parts {
		for lane := range rowLanes {
			if !p.second || p.lanes>>lane&1 == 0 {
				continue
			}
			if seconds++; math.Float32bits(r.weights[lane]) != math.Float32bits(want.weights[lane]) {
				t.Fatalf("%+v: weight %g of lane %d, want %g", u.smp, r.weights[lane], lane, want.weights[lane])
			}
		}
	}
	return seconds
}

// TestViewRows: views of quads, and the weights of their second levels, equal those chosen one by one, at any level
// of detail.
func TestViewRows(t *testing.T) {
	if !hasRows() {
		t.Skip("this processor has no functions for rows: nothing is tested")
	}
	rnd := rand.New(rand.NewPCG(8, 15))
	levels, seconds := 0, 0
	for range 20000 {
		u := quickUnit(t, rnd)
		m := &u.smp
		if rnd.IntN(4) == 0 {
			m.Bias, m.MinLod, m.MaxLod = oddOr(rnd, 2, 3), oddOr(rnd, 2, 3), oddOr(rnd, 2, 3)
			u.wide()
		}
		if !u.limits.known {
			continue
		}
		var got, want Rows
		got.random(rnd)
		got.Lod, got.Least = LodImplicit, nil
		if got.Need == 0 {
			continue
		}
		for lane := range rowLanes {
			if rnd.IntN(20) == 0 {
				got.X[lane] = rnd.Uint32()
			}
		}
		want, wide := got, got
		u.wideRows = false
		u.partRows(&got)
		u.limits.known = false
		u.partRows(&want)
		levels += len(want.parts)
		seconds += got.sameViews(t, u, &want)
		if hasWideRows() {
			u.limits.known, u.wideRows = true, true
			u.partRows(&wide)
			wide.sameViews(t, u, &want)
		}
	}
	if levels < 2_000 || seconds < 10_000 {
		t.Errorf("only %d levels, %d lanes that read a second", levels, seconds)
	}
}

// same compares places of lanes.
func (p *places) same(t *testing.T, want *places, lanes uint64, f Filter) {
	t.Helper()
	for lane := range rowLanes {
		if lanes>>lane&1 == 0 {
			continue
		}
		if p.i[lane] != want.i[lane] || f == Linear && (p.j[lane] != want.j[lane] || math.Float32bits(p.w[lane]) != math.Float32bits(want.w[lane])) {
			t.Fatalf("lane %d: %d %d %g, want %d %d %g", lane, p.i[lane], p.j[lane], p.w[lane], want.i[lane], want.j[lane], want.w[lane])
		}
	}
}

// TestLogRows: levels of detail of four and of eight quads at a time equal those computed singly, for the requested
// quads; NaNs may differ.
func TestLogRows(t *testing.T) {
	if !hasRows() {
		t.Skip("this processor has no functions for rows: nothing is tested")
	}
	functions := []func(l *logs, x, y *[rowLanes]uint32, width, height, least float32, need uint64){logRows}
	if hasWideRows() {
		functions = append(functions, logWide)
	} else {
		t.Log("NOT TESTED: eight quads at a time, for lack of vectors of 512 bits")
	}
	rnd := rand.New(rand.NewPCG(6, 4))
	found, less := 0, 0
	for n := range 6000 {
		var x, y [rowLanes]uint32
		often, reach := 12, float32(3)
		if n%2 == 0 {
			often, reach = 100, 1.0/256
		}
		for lane := range rowLanes {
			x[lane], y[lane] = math.Float32bits(oddOr(rnd, often, reach)), math.Float32bits(oddOr(rnd, often, reach))
		}
		need := rnd.Uint64() | rnd.Uint64()
		if rnd.IntN(2) == 0 {
			need &= 0xf000_0000_0fff
		}
		size := [3]uint32{1 + rnd.Uint32N(300), 1 + rnd.Uint32N(300), 1}
		u := Unit{levels: []level{{size: size}}}
		least := []float32{-1, 1}[rnd.IntN(2)]
		for _, f := range functions {
			var got logs
			f(&got, &x, &y, float32(size[0]), float32(size[1]), least, need)
			for quad, slope := range got.slope {
				if need>>(4*quad)&15 == 0 {
					continue
				}
				var q Quad
				for k := range q.Coord {
					q.Coord[k][0], q.Coord[k][1] = math.Float32frombits(x[4*quad+k]), math.Float32frombits(y[4*quad+k])
				}
				a, b := got.of(quad), u.logOfPlane(&q)
				same := math.Float64bits(a) == math.Float64bits(b) || a != a && b != b
				switch {
				case same && slope > least:
					found++
				case same:
				case slope <= least && a == 0 && b <= 0:
					less++
				default:
					t.Fatalf("level of quad %d, of slope %g, is %g, want %g", quad, slope, a, b)
				}
			}
		}
	}
	if found < 5_000 || less < 1_000 {
		t.Errorf("only %d levels, and %d that are not found out", found, less)
	}
}

// TestAlongRows: places of rows equal those of single lanes: neighbours and weights.
func TestAlongRows(t *testing.T) {
	if !hasRows() {
		t.Skip("this processor has no functions for rows: nothing is tested")
	}
	rnd := rand.New(rand.NewPCG(3, 4))
	found := 0
	for range 3000 {
		u := quickUnit(t, rnd)
		if !u.rows {
			continue
		}
		var x [rowLanes]uint32
		for lane := range x {
			x[lane] = math.Float32bits(oddOr(rnd, 12, 3))
		}
		for axis, f := range [2]Filter{Filter(rnd.IntN(2)), Filter(rnd.IntN(2))} {
			var p places
			n := u.levels[0].size[axis]
			need := rnd.Uint64()
			odd := alongRows(&p, &u.levels[0].steps[f][axis], &x, need)
			if u.wideRows {
				var wide places
				if got := alongWide(&wide, &u.levels[0].steps[f][axis], &x, need); got != odd {
					t.Fatalf("%+v: wide rows say that lanes %x are odd, not %x", u.smp, got, odd)
				}
				wide.same(t, &p, need&^odd, f)
			}
			for lane := range x {
				i, j, w := u.along(axis, math.Float32frombits(x[lane]), n, f, 0)
				if (need&^odd)>>lane&1 == 0 {
					continue
				}
				if found++; p.i[lane] != i || f == Linear && (p.j[lane] != j || math.Float32bits(p.w[lane]) != math.Float32bits(w)) {
					t.Fatalf("%+v, axis %d of %d texels, filter %d at %g: %d %d %g, want %d %d %g", u.smp, axis, n, f, math.Float32frombits(x[lane]), p.i[lane], p.j[lane], p.w[lane], i, j, w)
				}
			}
		}
	}
	if found < 10_000 {
		t.Errorf("only %d places", found)
	}
}

// BenchmarkSampleRows measures a wave of 64 lanes, 8 by 8, on a 2D texture.
func BenchmarkSampleRows(b *testing.B) {
	for _, c := range []struct {
		name string
		s    Sampler
		turn float32 // rotation of the wave: its quads differ in their levels of detail
	}{
		{"bilinear", Sampler{Min: Linear, Mag: Linear, Wrap: [3]WrapMode{ClampToEdge, ClampToEdge}}, 0},
		{"trilinear", Sampler{Min: Linear, Mag: Linear, Mip: MipLinear, Wrap: [3]WrapMode{ClampToEdge, ClampToEdge}}, 0},
		{"perspective", Sampler{Min: Linear, Mag: Linear, Mip: MipLinear, Wrap: [3]WrapMode{ClampToEdge, ClampToEdge}}, 0.02},
		{"repeated", Sampler{Min: Linear, Mag: Linear, Mip: MipLinear}, 0.02},
	} {
		u := benchUnit(b, c.s)
		b.Run(c.name, func(b *testing.B) {
			r := Rows{Need: ^uint64(0), X: new([rowLanes]uint32), Y: new([rowLanes]uint32), Texel: new([4][rowLanes]uint32)}
			for lane := range rowLanes {
				x, y := float32(lane/4%4*2+lane%2), float32(lane/16*2+lane%4/2)
				far := 1 + c.turn*x
				r.X[lane], r.Y[lane] = math.Float32bits(0.2+(x*0.7-y*0.2)*far/128), math.Float32bits(0.3+(y*0.6+x*0.3)*far/128)
			}
			for b.Loop() {
				if u.SampleRows(&r) != r.Need {
					b.Fatal("lanes are left")
				}
			}
		})
	}
}

// TestLines: the working memory of a sample begins at a cache line.
func TestLines(t *testing.T) {
	list := make([]*rowScratch, 50)
	for i := range list {
		list[i] = new(rowScratch)
		if at := uintptr(unsafe.Pointer(list[i])); at%64 != 0 {
			t.Fatalf("rows begin %d bytes behind a line", at%64)
		}
	}
}
