package mem

import (
	"fmt"
	"math"
)

// A Unit is a texture with the sampler that reads it, ready for use by any number of goroutines.
type Unit struct {
	tex    Texture
	smp    Sampler
	levels []level // of tex, all levels
	axes   int
	each   uint32     // slices of a Plane for each layer: samples of a pixel
	last   int        // the highest level that is read
	border [4]float32 // the value outside of the texture
	raw    bool       // components are integers
	plain  bool       // Sampler.finish has no effect
	fast   bool       // see quick
	brief  bool       // see sampleQuick
	rows   bool       // see SampleRows
	fields [4]field   // of the format

	wideRows  bool // hasWideRows
	fourBytes bool // of the format
	limits    limits
}

type level struct {
	size  [3]uint32
	faces [][]byte
	plane Plane // of guest memory
	steps [numFilters][2]steps
}

// NewUnit combines a texture and a sampler. Its errors are those of their Check, and linear filters of integers.
func NewUnit(t Texture, s Sampler) (*Unit, error) {
	if err := t.Check(); err != nil {
		return nil, err
	}
	if err := s.Check(); err != nil {
		return nil, err
	}
	u := &Unit{tex: t, smp: s, axes: t.Target.axes(), each: uint32(max(t.Samples, 1)), raw: t.Format.Integer(), fields: fieldsOf(t.Format)}
	if t.Samples > 1 && s != (Sampler{}) {
		return nil, fmt.Errorf("mem: a sampler for a texture of %d samples a pixel", t.Samples)
	}
	if u.raw && (s.Min != Nearest || s.Mag != Nearest || s.Mip == MipLinear || s.MaxAniso > 1) {
		return nil, errMixed(t.Format.Name)
	}
	u.plain = s.Compare == CompareNone && !s.BGR && !s.Reverse && s.Curve == CurveNone
	for l := range t.levels() {
		n := t.Size(l)
		lv := level{size: [3]uint32{uint32(n[0]), uint32(n[1]), uint32(n[2])}}
		if t.Guest != nil {
			lv.plane = t.Guest.Levels[l]
		} else {
			lv.faces = t.Levels[l]
		}
		u.levels = append(u.levels, lv)
	}
	n := t.Size(0)
	u.last = min(log2Floor(max(n[0], n[1], n[2]))+t.Base, t.Last, t.levels()-1)
	if s.Rules.Border == BorderColour {
		u.border = s.Border
	} else {
		u.border = t.Format.Decode(make([]byte, t.Format.Bytes))
	}
	u.fast = u.quick()
	u.brief = u.fast && t.Target == Texture2D && t.Layers == 0 && s.MaxAniso <= 1 && !s.Unnormalised
	u.wide()
	return u, nil
}

// errMixed is the error of a filter that would blend integers.
type errMixed string

func (e errMixed) Error() string {
	return "mem: a filter that mixes texels of integers (" + string(e) + ")"
}

func log2Floor(n int) (l int) {
	for ; n > 1; n >>= 1 {
		l++
	}
	return l
}

// A LodKind says how a sample's level of detail is determined: the values of package ir's LodKind.
type LodKind uint8

const (
	LodImplicit LodKind = iota // differences of coordinates in the quad
	LodBias                    // the same plus W
	LodExplicit                // W
	LodZero                    // 0
	LodSlopes                  // Dx and Dy, plus W
)

// A Quad is one sample of four lanes: 0 and 1 are next to each other, 2 and 3 are the row below them.
type Quad struct {
	Lod   LodKind
	Need  uint8         // bit i: lane i needs its texel. The coordinates of all lanes must be defined
	Coord [4][3]float32 // per lane
	W     [4]float32    // bias or level of detail, per lane
	Texel [4][4]uint32  // results of the lanes in Need: bits of floats, or of integers
	QuadMore
}

// A QuadMore holds the parameters of unusual samples. Its zero value is a plain sample.
type QuadMore struct {
	Slice  [4]float32    // of an array, or under FaceGiven: layer, or layer*8 + face; rounded to the nearest that exists
	Dx, Dy [4][3]float32 // of LodSlopes: the change of coordinates to the next lane and to the next row
	Offset [4][3]int8    // added to texel coordinates
	Ref    [4]float32    // under RefGiven
	// Packed means that the parameters of a lane are not separated. Its coordinates and Slice are four values, in
	// the order in which the unit uses them: coordinates, the layer as the bits of an integer, Ref, W.
	Packed bool
	Limit  bool // levels of detail are at least Least
	Least  [4]float32
	Cursor Cursor // for texels in guest memory
	Reads  Reads  // callback for texels in guest memory; may be nil
	Fault  *Fault // result: the access that memory refused, if any; the texel is 0
}

// Reads is called for a texel, or block of texels, that a lane of the quad, from 0 to 3, reads from guest memory,
// with its address and its bytes, which it must not change or keep. It may be called several times for a texel that
// a filter uses several times.
type Reads func(lane int, addr uint64, data []byte)

// Sample reads the texels of the quad.
func (u *Unit) Sample(q *Quad) {
	if !u.sampleQuick(q) {
		u.answer(q, forTexel, 0)
	}
}

// Gather reads one component of the four texels that a linear filter would blend: of those adjacent in x and y, in
// the order (0, 1), (1, 1), (1, 0), (0, 0).
func (u *Unit) Gather(q *Quad, comp uint8) { u.answer(q, forGather, comp&3) }

// Lods returns the level of detail of each lane in Need, clamped and unclamped, as the first two components,
// floats.
func (u *Unit) Lods(q *Quad) { u.answer(q, forLod, 0) }

// Weights returns the weights of a linear filter for each lane in Need, at the first level that it reads: along x,
// y and z the weight of the second of two neighbours, floats, 0 along axes that the texture does not have.
func (u *Unit) Weights(q *Quad) { u.answer(q, forWeights, 0) }

// given reports whether quads specify the face of a cube.
func (u *Unit) given() bool {
	return u.tex.Target == TextureCube && (u.smp.Rules.Face == FaceGiven || u.smp.Rules.Face == FaceUnit)
}

// An answer is the kind of result that a quad requests.
type answer uint8

const (
	forTexel answer = iota
	forGather
	forLod
	forWeights
)

func (u *Unit) answer(q *Quad, a answer, comp uint8) {
	if q.Packed {
		p := u.unpacked(q)
		u.answer(p, a, comp)
		q.Texel, q.Cursor, q.Fault = p.Texel, p.Cursor, p.Fault
		return
	}
	s := quadSample{u: u, coord: q.Coord, quad: q}
	q.Fault = nil
	cube := u.tex.Target == TextureCube
	each := cube && u.smp.Rules.Face == FaceEach
	if u.given() && u.smp.Rules.Face == FaceGiven && !u.smp.Unnormalised {
		for lane := range s.coord {
			s.coord[lane][0]--
			s.coord[lane][1]--
		}
	}
	if !each {
		if cube && u.smp.Rules.Face == FaceVote {
			s.project(vote(&q.Coord))
		}
		s.scale(q.Lod)
	}
	for lane := range q.Coord {
		if q.Need>>lane&1 == 0 {
			continue
		}
		if each {
			s.coord = q.Coord
			s.project(faceOf(&q.Coord[lane]))
			s.scale(q.Lod)
		}
		s.more(lane)
		switch a {
		case forTexel:
			for i, x := range s.lane(lane, q) {
				q.Texel[lane][i] = math.Float32bits(x)
			}
		case forGather:
			q.Texel[lane] = s.gather(lane, comp)
		case forLod:
			raw, lod := u.lod(s.log, lane, q)
			q.Texel[lane] = [4]uint32{math.Float32bits(lod), math.Float32bits(raw)}
		case forWeights:
			q.Texel[lane] = s.weights(lane)
		}
	}
}

// gather returns one component of the four texels around the place of a lane.
func (s *quadSample) gather(lane int, comp uint8) (t [4]uint32) {
	_, lod := s.u.lod(s.log, lane, s.quad)
	lv := &s.u.levels[s.u.choose(lod).first]
	f := Linear
	if s.u.raw && s.u.smp.Rules.Gather == GatherFrom {
		f = Nearest
	}
	p := s.places(lv, f, &s.coord[lane])
	for i, at := range [4][2]int{{0, 1}, {1, 1}, {1, 0}, {0, 0}} {
		j := uint32(0)
		if s.u.axes > 1 {
			j = p[1].i[at[1]]
		}
		t[i] = math.Float32bits(s.texel(lv, p[0].i[at[0]], j, p[2].i[0])[comp])
	}
	return t
}

// weights returns those of the second neighbours along each axis.
func (s *quadSample) weights(lane int) (t [4]uint32) {
	_, lod := s.u.lod(s.log, lane, s.quad)
	p := s.places(&s.u.levels[s.u.choose(lod).first], Linear, &s.coord[lane])
	for i := range p {
		t[i] = math.Float32bits(p[i].w)
	}
	return t
}

// more copies the parameters of one lane from the quad.
func (s *quadSample) more(lane int) {
	q, u := s.quad, s.u
	s.number = lane
	s.offset, s.compare = q.Offset[lane], q.Coord[lane][2]
	switch u.smp.Rules.Ref {
	case RefGiven:
		s.compare = q.Ref[lane]
	case RefWithin:
		if s.compare = 0; q.Ref[lane] > 0 {
			s.compare = min(q.Ref[lane], 1)
		}
	}
	given := u.given()
	if u.tex.Layers > 0 || given {
		s.choose(q.Slice[lane], given)
	}
	if q.Lod == LodSlopes {
		var dx, dy [3]float32
		for i := range u.axes {
			n := float32(u.levels[0].size[i])
			dx[i], dy[i] = float32(q.Dx[lane][i]*n), float32(q.Dy[lane][i]*n)
		}
		s.measure(dx, dy)
	}
}

// choose finds the slice: the nearest layer that exists, ties to even, and its face. NaN is layer 0.
func (s *quadSample) choose(x float32, given bool) {
	at := math.RoundToEven(float64(x))
	whole := 0
	if at > 0 { // not NaN
		whole = int(min(at, 8*maxSide))
	}
	if !given {
		face := s.face % s.u.tex.Target.faces()
		s.face = min(whole, s.u.tex.Layers-1)*s.u.tex.Target.faces() + face
		return
	}
	s.face = min(whole/8, max(s.u.tex.Layers, 1)-1)*6 + min(whole%8, 5)
}

// A quadSample is a quad being processed by the unit.
type quadSample struct {
	u       *Unit
	coord   [4][3]float32 // on the face
	face    int
	slope   float32    // texels per lane
	log     float64    // its logarithm: the level of detail without bias
	samples int        // under anisotropy
	step    [2]float32 // between samples, in coordinates
	compare float32    // reference of the lane
	offset  [3]int8    // of the lane
	number  int        // of the lane
	quad    *Quad
}

// faceOf returns the face of a cube that a direction hits. The order of the comparisons decides ties, and maps NaN
// to z.
func faceOf(c *[3]float32) int {
	x, y, z := abs(c[0]), abs(c[1]), abs(c[2])
	axis := 2
	switch {
	case x >= y && x > z:
		axis = 0
	case y >= z && y > x:
		axis = 1
	}
	if c[axis] < 0 {
		return 2*axis + 1
	}
	return 2 * axis
}

// vote returns the face that most lanes hit, the lowest if there are several.
func vote(coord *[4][3]float32) (face int) {
	var votes [6]int
	for lane := range coord {
		votes[faceOf(&coord[lane])]++
	}
	for f, n := range votes {
		if n > votes[face] {
			face = f
		}
	}
	return face
}

// abs leaves -0 and NaN as they are.
func abs(x float32) float32 {
	if x < 0 {
		return -x
	}
	return x
}

// faceAxes says for each face which coordinates, with which signs, are its first and second.
var faceAxes = [6]struct {
	s, t       int
	negS, negT bool
}{
	{2, 1, true, true}, {2, 1, false, true}, // +x, -x
	{0, 2, false, false}, {0, 2, false, true}, // +y, -y
	{0, 1, false, true}, {0, 1, true, true}, // +z, -z
}

// project projects the coordinates of all lanes onto one face.
func (s *quadSample) project(face int) {
	s.face = face
	a := &faceAxes[face]
	for lane := range s.coord {
		c := &s.coord[lane]
		major, x, y := abs(c[face/2]), c[a.s], c[a.t]
		if a.negS {
			x = -x
		}
		if a.negT {
			y = -y
		}
		c[0], c[1] = float32((x/major)+1)*0.5, float32((y/major)+1)*0.5
	}
}

// scale computes the slope, the samples and their step from the differences of lanes 1 and 2 to lane 0.
func (s *quadSample) scale(kind LodKind) {
	s.slope, s.log, s.samples, s.step = 1, 0, 1, [2]float32{}
	if kind == LodExplicit || kind == LodZero || kind == LodSlopes || s.u.smp.Unnormalised {
		return
	}
	var dx, dy [3]float32
	for i := range s.u.axes {
		n := float32(s.u.levels[0].size[i])
		at := float32(s.coord[0][i] * n)
		dx[i], dy[i] = float32(s.coord[1][i]*n)-at, float32(s.coord[2][i]*n)-at
	}
	s.measure(dx, dy)
}

// measure uses the differences in texels to the next lane and the next row.
func (s *quadSample) measure(dx, dy [3]float32) {
	switch {
	case s.u.axes == 1 && s.u.smp.Rules.Lod == LodSigned:
		s.slope = larger(dx[0], dy[0]) // signed: a decreasing coordinate has no logarithm
	case s.u.axes == 2 && s.u.smp.MaxAniso > 1:
		s.twoAxes(dx, dy)
	default:
		s.slope = larger(s.length(dx), s.length(dy))
	}
	s.log = log2(float64(s.slope))
}

// length is the length of a vector of the texture's axes.
func (s *quadSample) length(d [3]float32) float32 {
	sum := float32(d[0] * d[0])
	for _, x := range d[1:s.u.axes] {
		sum += float32(x * x)
	}
	return float32(math.Sqrt(float64(sum)))
}

// twoAxes places several samples along the longer of the two differences, at the level of the shorter one.
func (s *quadSample) twoAxes(dx, dy [3]float32) {
	px, py := s.length(dx), s.length(dy)
	long, short := larger(px, py), py
	if px < py {
		short = px
	}
	ratio := float32(s.u.smp.MaxAniso)
	if r := long / short; r < ratio {
		ratio = r
	}
	s.samples = max(int(math.Ceil(float64(ratio))), 1)
	s.slope = long / ratio
	d := &dy
	if long == px {
		d = &dx
	}
	for i := range s.step {
		s.step[i] = d[i] / float32(s.samples+1) / float32(s.u.levels[0].size[i])
	}
}

// larger is a if it is above b, else b: also for NaN.
func larger(a, b float32) float32 {
	if a > b {
		return a
	}
	return b
}

// within is x in [low, high]; NaN becomes high.
func within(x, low, high float32) float32 {
	switch {
	case low <= x && x <= high:
		return x
	case x < low:
		return low
	}
	return high
}

// maxBias limits the sum of the biases.
const maxBias = 1000

// lane returns the texel of one lane: the mean of its samples. The sum starts at +0, so -0 becomes +0.
func (s *quadSample) lane(lane int, q *Quad) (sum [4]float32) {
	u := s.u
	_, lod := u.lod(s.log, lane, q)
	v := u.choose(lod)
	c := s.coord[lane]
	if u.raw {
		return s.level(&v, v.first, &c)
	}
	if u.smp.MaxAniso <= 1 {
		t := s.mixLevels(&v, &c)
		for k := range sum {
			sum[k] += t[k]
		}
		return sum
	}
	for i := 1; i <= s.samples; i++ {
		at, off := c, float32(i)-float32(0.5*float32(s.samples+1))
		at[0] += float32(s.step[0] * off)
		at[1] += float32(s.step[1] * off)
		t := s.mixLevels(&v, &at)
		for k := range sum {
			sum[k] += t[k]
		}
	}
	for k := range sum {
		sum[k] /= float32(s.samples)
	}
	return sum
}

// lod returns the level of detail of a lane, before and after the limits. log is that without bias.
func (u *Unit) lod(log float64, lane int, q *Quad) (raw, lod float32) {
	bias, least := u.smp.Bias, float32(math.Inf(-1))
	if q.Lod == LodBias || q.Lod == LodExplicit {
		bias += q.W[lane]
	}
	if q.Limit {
		least = q.Least[lane]
	}
	return u.limited(log, bias, least)
}

// limited adds the bias to a level of detail. It returns it before and after the limits, one of which may be per
// lane.
func (u *Unit) limited(log float64, bias, least float32) (raw, lod float32) {
	raw = float32(log + float64(within(bias, -maxBias, maxBias)))
	lod = within(raw, u.smp.MinLod, u.smp.MaxLod)
	if least > lod {
		lod = least
	}
	return raw, lod
}

// A view says which levels are read and how.
type view struct {
	filter        Filter
	first, second int
	weight        float32 // of second; 0: it is not read
}

// choose returns the view at a level of detail: up to 0 the texture is magnified.
func (u *Unit) choose(lod float32) view {
	base := u.tex.Base
	if !(lod > 0) {
		return view{filter: u.smp.Mag, first: base}
	}
	v := view{filter: u.smp.Min, first: base}
	switch u.smp.Mip {
	case MipNearest:
		at := float32(base) + lod
		switch {
		case u.smp.Rules.Lod == LodLength:
			v.first = min(base+int(math.Floor(min(float64(lod), maxBias)+0.5)), u.last)
		case lod <= 0.5:
		case at <= float32(u.last)+0.5:
			v.first = min(int(math.Ceil(float64(at+0.5)))-1, u.last)
		default:
			v.first = u.last
		}
	case MipLinear:
		whole := math.Floor(float64(lod))
		v.first = min(base+int(min(whole, maxBias)), u.last)
		v.second = min(v.first+1, u.last)
		v.weight = lod - float32(whole)
	}
	return v
}

// mixLevels returns the texel of a view, from its one level or blended from two.
func (s *quadSample) mixLevels(v *view, c *[3]float32) [4]float32 {
	t := s.level(v, v.first, c)
	if v.weight > 0 {
		t2 := s.level(v, v.second, c)
		for i := range t {
			t[i] = float32(t[i]*(1-v.weight)) + float32(t2[i]*v.weight)
		}
	}
	return t
}
