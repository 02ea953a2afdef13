package mem

import (
	"math"
	"math/rand/v2"
	"testing"
)

// odd are coordinates and levels of detail at special cases.
var odd = []float32{0, float32(math.Copysign(0, -1)), 0.5, 1, -1, 2, -0.5, 1.5, math.SmallestNonzeroFloat32, -1e-10, 1e-10, 0.99999994, 1.0000001,
	1 << 23, -1 << 23, 1e9, -1e9, 1 << 62, 1 << 63, -1 << 63, 1e30, -1e30, math.MaxFloat32,
	float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN())}

// oddOr is sometimes an odd number, else one between -reach and reach, sometimes on a grid of the texels' edges and
// centres.
func oddOr(rnd *rand.Rand, often int, reach float32) float32 {
	switch {
	case rnd.IntN(often) == 0:
		return odd[rnd.IntN(len(odd))]
	case rnd.IntN(3) == 0:
		return float32(rnd.IntN(65)-32) / 16 * reach / 2
	}
	return (2*rnd.Float32() - 1) * reach
}

// quickUnit returns a random texture and sampler, mostly with fast paths.
func quickUnit(t *testing.T, rnd *rand.Rand) *Unit {
	formats := []string{"RGBA8888", "RGBA8888", "RGBA8888", "RGBA8888", "BGRA8888", "RGBA8888_SNORM", "RG88", "RGB565"}
	x := Texture{Target: Texture2D, Format: FormatOf(formats[rnd.IntN(len(formats))]), Width: 1 + rnd.IntN(40), Height: 1 + rnd.IntN(40), Last: 1 + rnd.IntN(8)}
	if rnd.IntN(4) == 0 {
		x.Width, x.Height = 1<<rnd.IntN(6), 1<<rnd.IntN(6)
	}
	switch rnd.IntN(8) {
	case 0:
		x.Target, x.Height = TextureCube, x.Width
	case 1:
		x.Layers = 1 + rnd.IntN(3)
	}
	for l := range 1 + rnd.IntN(6) {
		var faces [][]byte
		size := x.Size(l)
		for range x.slices() {
			data := make([]byte, size[0]*size[1]*x.Format.Bytes)
			for i := range data {
				data[i] = byte(rnd.Uint32())
			}
			faces = append(faces, data)
		}
		x.Levels = append(x.Levels, faces)
	}
	x.Base = rnd.IntN(min(len(x.Levels), x.Last+1))
	s := Sampler{Min: Filter(rnd.IntN(int(numFilters))), Mag: Filter(rnd.IntN(int(numFilters))), Mip: MipFilter(rnd.IntN(int(numMips))),
		MinLod: -1000, MaxLod: 1000, FlipV: rnd.IntN(4) == 0, Border: [4]float32{0.25, 0.5, 2, -1}}
	for i := range s.Wrap {
		s.Wrap[i] = WrapMode(rnd.IntN(int(numWraps)))
	}
	if rnd.IntN(3) == 0 {
		s.Bias, s.MinLod, s.MaxLod = oddOr(rnd, 8, 2), oddOr(rnd, 16, 1), 3*rnd.Float32()
	}
	s.Rules = Rules{Wrap: WrapRule(rnd.IntN(2)), Border: BorderRule(rnd.IntN(2)), Lod: LodRule(rnd.IntN(2)), Face: FaceRule(rnd.IntN(4)), Seam: SeamRule(rnd.IntN(2))}
	switch rnd.IntN(12) { // without fast paths, all or some
	case 0:
		s.MaxAniso = 2 + rnd.IntN(4)
	case 1:
		s.Unnormalised = true
	case 2:
		s.Compare = CompareLess
	case 3:
		s.BGR = true
	case 4:
		s.Rules.Mix = MixAxes
	}
	u, err := NewUnit(x, s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// quickQuad returns a random sample.
func quickQuad(rnd *rand.Rand) (q Quad) {
	q.Lod, q.Need = LodKind(rnd.IntN(5)), uint8(rnd.IntN(16))
	if rnd.IntN(3) > 0 {
		q.Lod = LodImplicit
	}
	reach := []float32{1, 0.1, 3, 40}[rnd.IntN(4)] // the last is in texels
	near := rnd.IntN(2) == 0
	for lane := range q.Coord {
		for i := range q.Coord[lane] {
			q.Coord[lane][i] = oddOr(rnd, 20, reach)
			if lane > 0 && near { // so that texels are about as large as pixels
				q.Coord[lane][i] = q.Coord[0][i] + float32(rnd.NormFloat64()*0.05)
			}
			q.Dx[lane][i], q.Dy[lane][i] = rnd.Float32()/8, rnd.Float32()/8
		}
		q.W[lane], q.Least[lane], q.Slice[lane] = oddOr(rnd, 6, 3), oddOr(rnd, 6, 3), float32(rnd.IntN(6))
		if rnd.IntN(20) == 0 {
			q.Offset[lane][rnd.IntN(3)] = int8(rnd.IntN(9) - 4)
		}
		for i := range q.Texel[lane] {
			q.Texel[lane][i] = rnd.Uint32()
		}
	}
	q.Limit, q.Packed, q.Fault = rnd.IntN(4) == 0, rnd.IntN(16) == 0, &Fault{} // left over from an earlier sample
	return q
}

// TestQuickPaths: fast paths read, bit for bit, what the unit without them reads, for any texture and place, and
// change only the texels of lanes in Need. Each path is taken, and left, often.
func TestQuickPaths(t *testing.T) {
	rnd := rand.New(rand.NewPCG(12, 6))
	rounds := 6000
	if testing.Short() {
		rounds = 1500
	}
	taken, left, part := 0, 0, 0
	for n := range rounds {
		u := quickUnit(t, rnd)
		slow, middle := *u, *u
		slow.fast, slow.brief, middle.brief = false, false, false
		if u.fast {
			part++
		}
		for range 24 {
			q := quickQuad(rnd)
			want, got, half := q, q, q
			slow.Sample(&want)
			middle.Sample(&half)
			if probe := q; u.sampleQuick(&probe) {
				taken++
			} else if u.brief {
				left++
			}
			u.Sample(&got)
			if got.Fault != nil || want.Fault != nil {
				t.Fatalf("unit %d: faults %v, %v", n, got.Fault, want.Fault)
			}
			for lane := range 4 {
				if got.Texel[lane] != want.Texel[lane] || half.Texel[lane] != want.Texel[lane] {
					t.Fatalf("unit %d: %+v %+v\nquad %+v\nlane %d: %x, by level %x, want %x", n, u.tex, u.smp, q, lane, got.Texel[lane], half.Texel[lane], want.Texel[lane])
				}
				if q.Need>>lane&1 == 0 && got.Texel[lane] != q.Texel[lane] {
					t.Fatalf("unit %d: the texel of lane %d, which wants none, changes", n, lane)
				}
			}
		}
	}
	t.Logf("%d quads in one go, %d left to the general way; %d units of %d with quick texels", taken, left, part, rounds)
	if taken < rounds || left < rounds/2 || part < rounds/8 {
		t.Error("quick paths are hardly met")
	}
}
