package mem

import (
	"math"
	"math/bits"
)

// Samples of whole waves. The semantics are those of Sample for quads. Lanes whose texels all are within a level of
// a plain texture are processed together, as vectors. All others are left to Sample.

// rowLanes is the maximum number of lanes of a wave.
const rowLanes = 64

// Rows are one sample of the lanes of a wave: lanes 4q to 4q+3 are a Quad. Rows hold bits of floats.
type Rows struct {
	Lod   LodKind
	Need  uint64               // lanes that need their texel. The coordinates of all lanes of their quads must be defined
	X, Y  *[rowLanes]uint32    // coordinates
	W     *[rowLanes]uint32    // bias or level of detail; nil if Lod is neither
	Least *[rowLanes]uint32    // minimum level of detail; nil: no limit
	Texel *[4][rowLanes]uint32 // results by component; those of other lanes are undefined
	Idle  int                  // number of last components that are not needed: their results are undefined
	parts []part
	*rowScratch
	corners *corners // of anyRows
	cursor  Cursor   // for texels in guest memory
}

// A rowScratch is the working memory of a sample. It is a separate allocation, because objects of this size without
// pointers begin at a cache line.
type rowScratch struct {
	x, y    places            // in the current level
	weights [rowLanes]float32 // of the second level, per lane
	logs    logs              // of the quads
	views   views
}

// logs are levels of detail without bias, and the arguments of these logarithms.
type logs struct {
	log   [rowLanes / 4]float64
	slope [rowLanes / 4]float32
}

// places are an axisPos per lane.
type places struct {
	i, j [rowLanes]uint32
	w    [rowLanes]float32
}

// views are what choose finds for quads, without weights: a first level, and bits view...
type views struct {
	n     int                  // number of different views
	kind  [rowLanes / 4]uint32 // the views
	lanes [rowLanes / 4]uint64 // lanes of each
}

const (
	viewMixed = 1 << 16 << iota // a second level is blended
	viewMagnified
)

// limits are the parameters of a unit that limited and choose use, for viewRows.
type limits struct {
	bias       float64
	low, high  float32
	base, last int32
	known      bool // the other fields are valid
}

// A part is a set of lanes that read the same level in the same way.
type part struct {
	filter Filter
	level  int
	second bool // its texels are blended with those of the first level
	lanes  uint64
}

// steps are the operations of place along an axis of a level, as data. Bounds are those of the coordinate and, once
// it is scaled, of the place.
type steps struct {
	size                float32
	low, high           float32
	lowPlace, highPlace float32
	texels, top         uint32 // the number of texels, and the number less 1
	do                  uint32 // bits do...
	wrap                uint32 // wrap...
}

// Operations on a coordinate, in this order.
const (
	doAbs = 1 << iota
	doFraction
	doMirror // the same, with every other repetition reversed
	doBound
	doFlip
	doBoundPlace
	doLinear
)

// Operations on texel coordinates. The last two support those less than one size outside.
const (
	wrapNone = iota
	wrapMask
	wrapTopUnsigned
	wrapTop // clamp to the top, and to 0
	wrapMirrorMask
	wrapAbs
	wrapAbsTop
	wrapRepeat
	wrapMirror
)

// stepsOf returns the steps of a sampler along an axis of n texels.
func (u *Unit) stepsOf(axis int, n uint32, f Filter) (s steps) {
	mode, size := u.smp.Wrap[axis], float32(n)
	s.size, s.texels, s.top = size, n, n-1
	if axis == 1 && u.smp.FlipV {
		s.do = doFlip
	}
	if f == Linear {
		s.do |= doLinear
	}
	whole := n&(n-1) == 0
	if u.smp.Rules.Wrap == WrapTexel {
		s.wrap = [numWraps]uint32{Repeat: wrapRepeat, ClampToEdge: wrapTop, MirroredRepeat: wrapMirror, MirrorClamp: wrapAbs,
			MirrorClampToBorder: wrapAbs, MirrorClampToEdge: wrapAbsTop}[mode]
		switch {
		case mode == Clamp:
			s.do, s.highPlace = s.do|doBoundPlace, size
		case mode == MirrorClamp:
			s.do, s.lowPlace, s.highPlace = s.do|doBoundPlace, -size, size
		case mode == Repeat && whole:
			s.wrap = wrapMask
		case mode == MirroredRepeat && whole:
			s.wrap = wrapMirrorMask
		}
		return s
	}
	half := 1 / float32(2*size)
	edge := [2]float32{half, 1 - half}
	border := [2]float32{-half, 1 + half}
	bounds := [numWraps][2]float32{Clamp: {0, 1}, ClampToEdge: edge, ClampToBorder: border, MirroredRepeat: edge, MirrorClamp: {0, 1},
		MirrorClampToEdge: edge, MirrorClampToBorder: border}[mode]
	s.low, s.high = bounds[0], bounds[1]
	s.do |= [numWraps]uint32{doFraction, doBound, doBound, doBound, doMirror | doBound, doAbs | doBound, doAbs | doBound, doAbs | doBound}[mode]
	if f == Linear {
		s.wrap = [numWraps]uint32{Repeat: wrapRepeat, ClampToEdge: wrapTopUnsigned, MirroredRepeat: wrapTopUnsigned, MirrorClampToEdge: wrapTopUnsigned}[mode]
	}
	return s
}

// maxRowTexels is the maximum number of texels of a level for vectors of indices.
const maxRowTexels = 1 << 28

// wide prepares the unit for SampleRows, if it supports it.
func (u *Unit) wide() {
	n := u.levels[0].size
	u.wideRows = hasWideRows()
	if u.rows = u.rowTexels() && hasRows() && uint64(n[0])*uint64(n[1]) <= maxRowTexels; !u.rows {
		return
	}
	u.fourBytes = u.tex.Format.fourBytes()
	m := &u.smp
	u.limits = limits{bias: float64(within(m.Bias, -maxBias, maxBias)), low: m.MinLod, high: m.MaxLod, base: int32(u.tex.Base), last: int32(u.last),
		known: m.Mip == MipLinear && m.MinLod <= m.MaxLod}
	for l := range u.levels {
		lv := &u.levels[l]
		for f := range lv.steps {
			for axis := range lv.steps[f] {
				lv.steps[f][axis] = u.stepsOf(axis, lv.size[axis], Filter(f))
			}
		}
	}
}

// rowTexels reports whether SampleRows supports the texture and the sampler.
func (u *Unit) rowTexels() bool {
	f, s := u.tex.Format, &u.smp
	return u.tex.Target == Texture2D && u.tex.Layers == 0 && u.tex.Samples <= 1 && f.Blocks == nil && (f.Bytes <= 2 || f.Bytes%4 == 0) &&
		u.plain && s.MaxAniso <= 1 && !s.Unnormalised
}

// SampleRows is Sample for lanes of r.Need, without offsets. done are those of them whose texels it has found; the
// others must be sampled in quads.
func (u *Unit) SampleRows(r *Rows) (done uint64) {
	if !u.rows || r.Lod == LodSlopes || r.Need == 0 {
		return 0
	}
	u.partRows(r)
	done = r.Need
	for _, second := range [2]bool{false, true} {
		for i := range r.parts {
			if p := &r.parts[i]; p.second == second {
				done &^= u.partOf(r, p, p.lanes&done)
			}
		}
	}
	return done
}

// partRows finds the levels that lanes read, and their weights.
func (u *Unit) partRows(r *Rows) {
	if r.rowScratch == nil {
		r.rowScratch = new(rowScratch)
	}
	r.parts = r.parts[:0]
	if m := &u.smp; m.Mip == MipNone && m.Min == m.Mag {
		r.put(part{m.Min, u.tex.Base, false, r.Need}) // the same at every level of detail
		return
	}
	implicit := r.Lod == LodImplicit || r.Lod == LodBias
	plain := u.limits.known && r.Lod == LodImplicit && r.Least == nil
	if implicit {
		n, least := &u.levels[0].size, float32(-1)
		if plain && u.limits.bias == 0 {
			least = 1 // all levels of detail from 0 down are the same
		}
		if u.wideRows {
			logWide(&r.logs, r.X, r.Y, float32(n[0]), float32(n[1]), least, r.Need)
		} else {
			logRows(&r.logs, r.X, r.Y, float32(n[0]), float32(n[1]), least, r.Need)
		}
	}
	if plain {
		u.viewsOf(r)
	} else {
		u.chooseRows(r, implicit)
	}
}

// chooseRows finds the views of lanes one by one, or of quads.
func (u *Unit) chooseRows(r *Rows, implicit bool) {
	step := 4 // lanes that share a level of detail
	if r.Lod == LodBias || r.Lod == LodExplicit || r.Least != nil {
		step = 1
	}
	group := uint64(1)<<step - 1
	var v view
	var same uint64           // lanes that read the levels of v
	at := float32(math.NaN()) // the level of detail of v
	for need := r.Need; need != 0; {
		lane := bits.TrailingZeros64(need) &^ (step - 1) & (rowLanes - 1)
		lanes := need & (group << lane)
		need &^= lanes
		log := 0.0
		if implicit {
			log = r.logs.of(lane / 4)
		}
		if lod := u.lodOf(r, log, lane); lod != at {
			next := u.choose(lod)
			if next.filter != v.filter || next.first != v.first || next.second != v.second || next.weight > 0 != (v.weight > 0) {
				r.view(&v, same)
				same = 0
			}
			v, at = next, lod
		}
		same |= lanes
		if v.weight > 0 {
			for k := range step {
				r.weights[(lane+k)&(rowLanes-1)] = v.weight
			}
		}
	}
	r.view(&v, same)
}

// viewsOf is chooseRows for levels of detail without a bias or limit per lane.
func (u *Unit) viewsOf(r *Rows) {
	w := &r.views
	if u.wideRows {
		viewWide(w, &r.logs, &u.limits, &r.weights, r.Need)
	} else {
		viewRows(w, &r.logs, &u.limits, &r.weights, r.Need)
	}
	for i := range w.n {
		kind := w.kind[i&(rowLanes/4-1)]
		v := view{filter: u.smp.Min, first: int(kind & (viewMixed - 1))}
		v.second = min(v.first+1, u.last)
		if kind&viewMagnified != 0 {
			v.filter = u.smp.Mag
		}
		if kind&viewMixed != 0 {
			v.weight = 1 // per lane: in r.weights
		}
		r.view(&v, w.lanes[i&(rowLanes/4-1)])
	}
}

// view adds lanes to the parts of a view.
func (r *Rows) view(v *view, lanes uint64) {
	if lanes == 0 {
		return
	}
	r.put(part{v.filter, v.first, false, lanes})
	if v.weight > 0 {
		r.put(part{v.filter, v.second, true, lanes})
	}
}

// of returns the level of detail of a quad without bias.
func (l *logs) of(quad int) float64 {
	if s := l.slope[quad]; !(s > 0 && s <= math.MaxFloat32) {
		return log2(float64(s))
	}
	return l.log[quad]
}

// lodOf returns the level of detail of a lane, from that without bias.
func (u *Unit) lodOf(r *Rows, log float64, lane int) float32 {
	bias, least := u.smp.Bias, float32(math.Inf(-1))
	if r.Lod == LodBias || r.Lod == LodExplicit {
		bias += math.Float32frombits(r.W[lane])
	}
	if r.Least != nil {
		least = math.Float32frombits(r.Least[lane])
	}
	_, lod := u.limited(log, bias, least)
	return lod
}

// put adds lanes to the part that reads in the same way.
func (r *Rows) put(x part) {
	for i := range r.parts {
		if p := &r.parts[i]; p.level == x.level && p.second == x.second && p.filter == x.filter {
			p.lanes |= x.lanes
			return
		}
	}
	r.parts = append(r.parts, x)
}

// partOf reads the texels of a part, or blends them with earlier ones. odd are lanes that must be sampled in quads.
func (u *Unit) partOf(r *Rows, p *part, lanes uint64) (odd uint64) {
	lv := &u.levels[p.level]
	s := &lv.steps[p.filter]
	if u.wideRows {
		odd = alongWide(&r.x, &s[0], r.X, lanes) | alongWide(&r.y, &s[1], r.Y, lanes)
	} else {
		odd = alongRows(&r.x, &s[0], r.X, lanes) | alongRows(&r.y, &s[1], r.Y, lanes)
	}
	var weights *[rowLanes]float32
	if p.second {
		weights = &r.weights
	}
	if lanes &^= odd; lanes == 0 {
		return odd
	}
	axes := p.filter == Linear && u.smp.Rules.Mix == MixAxes
	switch w := u.windowOf(r, lv); {
	case w.data == nil:
		odd |= lanes
	case !u.fourBytes || w.pitch == 0:
		odd |= u.anyRows(r, lv, w, p.filter, weights, lanes)
	case p.filter == Nearest:
		nearestRows(r.Texel, &w.data[0], w.pitch, &r.x, &r.y, weights, lanes)
	case u.wideRows && !axes && w.pitch == lv.size[0]:
		fourWide(r.Texel, &w.data[0], lv.size[0], lv.size[1], &r.x, &r.y, weights, lanes)
	default:
		fourRows(r.Texel, &w.data[0], lv.size[0], lv.size[1], &r.x, &r.y, weights, lanes, max(1, 4-r.Idle), w.pitch, axes)
	}
	return odd
}
