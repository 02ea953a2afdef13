package portable

import (
	"math"
	"math/bits"
	"slices"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/lower"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/mem"
)

// Inputs, outputs and samples whose slot or unit is the same for all lanes are requested here. If one fails, package
// lanewise repeats the request and reports the fault: nothing has been written by then.

// A request is the data of an input, output, tex or sample op.
type request struct {
	io  ir.IOAttr
	typ ir.Type
	img ir.ImageAttr
}

// onResources builds an op that accesses resources of the environment.
func (p *binder) onResources(s *lower.Step, o *op, args []lower.Place) bool {
	if o.mask.Kind == 0 || !rowsOrWords(args) || !rowsOrWords(s.Res) {
		return false
	}
	var run func(r *runner, o *op) bool
	switch in := s.Inst; {
	case in.Op == ir.Input && len(args) == 1 && args[0].Kind == lower.InWord:
		run = input
	case in.Op == ir.Output:
		run = output
	case in.Op == ir.Tex && args[4].Kind == lower.InWord:
		run = tex
	case in.Op == ir.Sample && len(args) <= ir.MaxLanes:
		run = sample
	case in.Op == ir.Image && imageOps[in.Img.Do] != nil && in.Img.With&(ir.ImageHalf|ir.ImagePacked) == 0 && len(args) <= ir.MaxLanes:
		run = image
	default:
		return false
	}
	p.generic(s, o, args, s.Res)
	o.more.request, o.more.dead = request{s.Inst.IO, s.Type, s.Inst.Img}, int(s.Dead)
	o.more.direct = together(s.Res) && !slices.ContainsFunc(s.Res, func(pl lower.Place) bool { return slices.Contains(args, pl) })
	o.run = run
	return true
}

func rowsOrWords(ps []lower.Place) bool {
	for _, p := range ps {
		if p.Kind != lower.InRow && p.Kind != lower.InWord {
			return false
		}
	}
	return true
}

// call fills in what input and output ops have in common.
func (r *runner) call(o *op) *exec.IOCall {
	x := o.more
	c := r.cachedCall(uint32(r.words[x.args[0].At]))
	c.IOAttr, c.Type, c.Width, c.Lanes = x.request.io, x.request.typ, r.st.Lanes, r.mask(o.mask)
	c.One, c.Value = true, &r.scratch().ioValue
	return c
}

// cachedCall returns a call with one slot for all lanes. Calls are cached: programs mostly use the same few slots.
func (r *runner) cachedCall(slot uint32) *exec.IOCall {
	for i := range r.calls {
		if c := &r.calls[i]; c.Slot[0] == slot {
			return c
		}
	}
	c := &r.calls[r.oldest&1]
	r.oldest++
	fill(&c.Slot, slot, ir.MaxLanes)
	return c
}

func input(r *runner, o *op) bool {
	c := r.call(o)
	if c.Lanes != 0 {
		if refused, err := r.env.Input(c); refused != 0 || err != nil {
			return runGeneric(r, o)
		}
	}
	for i, pl := range o.more.res {
		r.writeResult(r.row(pl.At), &c.Value[i&3], c.Lanes)
	}
	return true
}

// writeResult writes a result v to its row d; lanes outside of m get 0.
func (r *runner) writeResult(d, v *row, m uint64) {
	if m&(m+1) == 0 { // the lanes from 0 on
		n := bits.TrailingZeros64(^m)
		copy(d[:n], v[:n])
		clear(d[n:r.n])
		return
	}
	for i := 0; i < r.n; i += laneBlock {
		to, from := (*[laneBlock]uint32)(d[i&(ir.MaxLanes-laneBlock):]), (*[laneBlock]uint32)(v[i&(ir.MaxLanes-laneBlock):])
		switch need := m >> i & (1<<laneBlock - 1); need {
		case 0:
			*to = [laneBlock]uint32{}
		case 1<<laneBlock - 1:
			*to = *from
		default:
			for k := range to {
				to[k] = from[k] & -uint32(need>>k&1)
			}
		}
	}
}

// putRow returns a row for a uniform component. Rows are reused if the word is the same.
func (r *runner) putRow(i int, word uint32) *row {
	row := &r.scratch().put[i&3]
	if row[0] != word {
		fill(row, word, ir.MaxLanes)
	}
	return row
}

func output(r *runner, o *op) bool {
	c := &r.varied
	if slot := o.more.args[0]; slot.Kind == lower.InRow {
		c.IOAttr, c.Type, c.Width, c.Lanes = o.more.request.io, o.more.request.typ, r.st.Lanes, r.mask(o.mask)
		copy(c.Slot[:r.n], r.row(slot.At)[:r.n])
	} else {
		c = r.call(o)
	}
	if c.Lanes == 0 {
		return true
	}
	for i, pl := range o.more.args[1 : len(o.more.args)-1] {
		if pl.Kind == lower.InRow {
			c.Put[i&3] = r.row(pl.At)
		} else {
			c.Put[i&3] = r.putRow(i&3, uint32(r.words[pl.At]))
		}
	}
	if refused, err := r.env.Output(c); refused != 0 || err != nil {
		return runGeneric(r, o)
	}
	return true
}

// An operand is a 32-bit operand: a row, or a uniform word.
type operand struct {
	v       *row
	k, base int
}

func (p *operand) at(lane int) uint32     { return p.v[(lane&p.k|p.base)&63] }
func (p *operand) float(lane int) float32 { return math.Float32frombits(p.at(lane)) }
func (p *operand) set(f *[4]float32, quad int) {
	for k := range f {
		f[k] = p.float(quad + k)
	}
}

// operands returns those of the op, without the mask.
func (r *runner) operands(x *extra) []operand {
	r.operandList = r.operandList[:0]
	singles := &r.scratch().singles
	for i, p := range x.args[:len(x.args)-1] {
		if p.Kind == lower.InRow {
			r.operandList = append(r.operandList, operand{r.row(p.At), ir.MaxLanes - 1, 0})
			continue
		}
		singles[i&63] = uint32(r.words[p.At])
		r.operandList = append(r.operandList, operand{singles, 0, i & 63})
	}
	return r.operandList
}

// together reports whether places are four consecutive rows of the runner.
func together(rows []lower.Place) bool {
	for i, pl := range rows {
		if pl.Kind != lower.InRow || pl.At >= 0 || pl.At != rows[0].At-int32(i) {
			return false
		}
	}
	return len(rows) == ir.MaxComponents
}

// selectTexels selects the rows to which texels of the op are written.
func (r *runner) selectTexels(o *op) {
	if o.more.direct {
		r.to = (*[4]row)(r.rows[^o.more.res[0].At:])
	} else {
		r.to = &r.scratch().texels
	}
}

// writeTexels copies the texels to the rows of the results; lanes outside of m get 0.
func (r *runner) writeTexels(o *op, m uint64) {
	if o.more.direct && m == ^uint64(0)>>(64-r.n) {
		return
	}
	for i, pl := range o.more.res {
		r.writeResult(r.row(pl.At), &r.to[i&3], m)
	}
}

// storeTexels stores the texels of the quad that begins at a lane.
func (r *runner) storeTexels(q *mem.Quad, lane int) {
	for need := q.Need; need != 0; need &= need - 1 {
		k := bits.TrailingZeros8(need) & 3
		for i := range r.to {
			r.to[i][(lane+k)&63] = q.Texel[k][i]
		}
	}
}

func tex(r *runner, o *op) bool {
	m := r.mask(o.mask)
	if r.st.Lanes < 4 {
		return runGeneric(r, o)
	}
	if r.selectTexels(o); m == 0 {
		r.writeTexels(o, 0)
		return true
	}
	u, err := r.env.Texture(uint32(r.words[o.more.args[4].At]))
	if err != nil {
		return runGeneric(r, o)
	}
	q, left := &r.quad, m
	q.Lod = mem.LodKind(o.more.request.img.Lod)
	if plain, ok := u.(*mem.Unit); ok {
		ask, args := &r.wave, o.more.args
		ask.X, ask.Y, ask.Least = r.rowAt(args[0], 0), r.rowAt(args[1], 1), nil
		if q.Lod == mem.LodBias || q.Lod == mem.LodExplicit {
			ask.W = r.rowAt(args[3], 2)
		}
		left &^= r.sampleRows(plain, q.Lod, m, o.more.dead)
	}
	if left != 0 {
		r.texQuads(u, r.operands(o.more), left)
	}
	r.writeTexels(o, m)
	return true
}

// texQuads requests the texels of lanes quad by quad.
func (r *runner) texQuads(u exec.Sampler, args []operand, left uint64) {
	q := &r.quad
	for at := 0; left != 0 && at < r.st.Lanes; at += 4 {
		need := left >> at & 15
		if need == 0 {
			continue
		}
		for k := range q.Coord {
			q.Coord[k] = [3]float32{args[0].float(at + k), args[1].float(at + k), args[2].float(at + k)}
		}
		args[3].set(&q.W, at)
		q.Need = uint8(need)
		u.Sample(q)
		r.storeTexels(q, at)
	}
}

// The operands of a sample after its descriptors.
const (
	argSlice = iota + 3
	argW
	argLeast
	argRef
	argOffset
	argDx
	argDy = argDx + 3
)

// sameImage returns the lanes that have the same descriptors as the lowest.
func (r *runner) sameImage(a *ir.ImageAttr, lanes uint64) uint64 {
	if a.With&ir.ImageEach == 0 {
		return lanes
	}
	first := bits.TrailingZeros64(lanes) & 63
	for i := range a.Words {
		p := &r.operandList[i]
		if p.k == 0 {
			continue
		}
		word := p.at(first)
		for m := lanes; m != 0; m &= m - 1 {
			if lane := bits.TrailingZeros64(m) & 63; p.at(lane) != word {
				lanes &^= 1 << lane
			}
		}
	}
	return lanes
}

// imageOf returns the image of the lowest lane's descriptors.
func (r *runner) imageOf(a *ir.ImageAttr, m uint64) (exec.Image, error) {
	k := &r.key
	*k = exec.ImageKey{Count: a.Words, With: a.With & (ir.ImageArray | ir.ImageTexels | ir.ImageCompare | ir.ImagePacked), Do: a.Do}
	if a.Do.Op() == ir.Image {
		k.Do = ir.ImagePlace
	}
	for i := range a.Words {
		k.Words[i&(ir.MaxImageWords-1)] = r.operandList[i].at(bits.TrailingZeros64(m) & 63)
	}
	return r.env.Image(k)
}

func sample(r *runner, o *op) bool {
	m, a := r.mask(o.mask), &o.more.request.img
	if r.selectTexels(o); m == 0 {
		r.writeTexels(o, 0)
		return true
	}
	if r.st.Lanes < 4 {
		return runGeneric(r, o)
	}
	r.operands(o.more)
	for left := m; left != 0; {
		lanes := r.sameImage(a, left)
		left &^= lanes
		if img, err := r.imageOf(a, lanes); err != nil || !r.sampleOf(img, a, lanes, o.more.dead) {
			return runGeneric(r, o)
		}
	}
	r.writeTexels(o, m)
	return true
}

// imageOps are the image ops of many lanes of one image, by ImageDo: args are the operands after the descriptors, and
// r.to has the results. They return false if the lanes must be requested one by one.
var imageOps = [ir.NumImageDos]func(r *runner, img exec.Image, a *ir.ImageAttr, args []operand, m uint64) bool{
	ir.ImageTexel:  texels,
	ir.ImagePlace:  texelPlaces,
	ir.ImageBlock:  texelPlaces,
	ir.ImageDecode: decodeTexels,
	ir.ImageEncode: encodeTexels,
}

// image executes an image op that is for one image.
func image(r *runner, o *op) bool {
	m, a := r.mask(o.mask), &o.more.request.img
	if r.selectTexels(o); m == 0 {
		r.writeTexels(o, 0)
		return true
	}
	args := r.operands(o.more)
	if r.sameImage(a, m) != m {
		return runGeneric(r, o)
	}
	img, err := r.imageOf(a, m)
	if err != nil || !imageOps[a.Do](r, img, a, args[a.Words:], m) {
		return runGeneric(r, o)
	}
	r.writeTexels(o, m)
	return true
}

// texels loads texels by their texel coordinates.
func texels(r *runner, img exec.Image, _ *ir.ImageAttr, args []operand, m uint64) bool {
	rows, ok := img.(exec.RowImage)
	return ok && rows.Texels(r.rowOf(&args[0], 0), m, r.to)
}

func texelPlaces(r *runner, img exec.Image, a *ir.ImageAttr, args []operand, m uint64) bool {
	u, ok := img.(*mem.Unit)
	if !ok || a.Bytes != 0 && uint32(a.Bytes) != u.TexelBytes() || a.Do == ir.ImagePlace && !u.Places() {
		return false
	}
	rows := [5]*mem.Row{}
	for i := range rows {
		rows[i] = r.rowOf(&args[i], i)
	}
	u.BlockRows(&mem.Spots{At: [3]*mem.Row(rows[:3]), Slice: rows[3], Level: rows[4]}, m, r.to)
	return true
}

func decodeTexels(r *runner, img exec.Image, _ *ir.ImageAttr, args []operand, _ uint64) bool {
	u, ok := img.(*mem.Unit)
	return ok && u.DecodeRows(r.componentRows(args), r.st.Lanes, r.to)
}

func encodeTexels(r *runner, img exec.Image, _ *ir.ImageAttr, args []operand, _ uint64) bool {
	u, ok := img.(*mem.Unit)
	return ok && u.EncodeRows(r.componentRows(args), r.st.Lanes, r.to)
}

// componentRows returns the first four operands as rows.
func (r *runner) componentRows(args []operand) *[4]*mem.Row {
	for i := range r.components {
		r.components[i] = r.rowOf(&args[i], i)
	}
	return &r.components
}

// sampleOf samples one image for all lanes or quad by quad; the last idle components are unused. It returns false if
// memory reports an error.
func (r *runner) sampleOf(img exec.Image, a *ir.ImageAttr, m uint64, idle int) bool {
	args, q := r.operandList[a.Words:], &r.quad
	q.Lod, q.Limit, q.Packed = mem.LodKind(a.Lod), a.With&ir.ImageLimit != 0, a.With&ir.ImagePacked != 0
	if unit, ok := img.(*mem.Unit); ok && r.plainSample(a, &args[argOffset]) {
		ask := &r.wave
		ask.X, ask.Y, ask.Least = r.rowOf(&args[0], 0), r.rowOf(&args[1], 1), nil
		if q.Lod == mem.LodBias || q.Lod == mem.LodExplicit {
			ask.W = r.rowOf(&args[argW], 2)
		}
		if q.Limit {
			ask.Least = r.rowOf(&args[argLeast], 3)
		}
		m &^= r.sampleRows(unit, q.Lod, m, idle)
	}
	for at := 0; m != 0 && at < r.st.Lanes; at += 4 {
		need := m >> at & 15
		if need == 0 {
			continue
		}
		r.quadOperands(args, at, a.Lod == ir.LodSlopes)
		q.Need = uint8(need)
		switch a.Do {
		case ir.SampleGather:
			img.Gather(q, a.Comp)
		case ir.SampleLod:
			img.Lods(q)
		default:
			img.Sample(q)
		}
		if q.Fault != nil {
			return false
		}
		if a.With&ir.ImageHalf != 0 {
			for k := range q.Texel {
				q.Texel[k] = img.Narrow(q.Texel[k])
			}
		}
		r.storeTexels(q, at)
	}
	return true
}

// plainSample reports whether a sample is for 32-bit texels without optional operands that only some samples have.
func (r *runner) plainSample(a *ir.ImageAttr, offset *operand) bool {
	if a.Do == ir.SampleGather || a.Do == ir.SampleLod || a.With&(ir.ImageHalf|ir.ImagePacked) != 0 {
		return false
	}
	if offset.k == 0 {
		return offset.at(0) == 0
	}
	for lane := range r.st.Lanes {
		if offset.at(lane) != 0 {
			return false
		}
	}
	return true
}

// sampleRows samples all lanes of m at once, at the coordinates of r.wave, except idle components. done are the lanes
// that it could sample.
func (r *runner) sampleRows(u *mem.Unit, lod mem.LodKind, m uint64, idle int) (done uint64) {
	q := &r.wave
	q.Lod, q.Need, q.Texel, q.Idle = lod, m, r.to, idle
	return u.SampleRows(q)
}

// rowAt returns the value at a place as a row; a uniform value is broadcast to a row of the runner.
func (r *runner) rowAt(p lower.Place, at int) *row {
	if p.Kind == lower.InRow {
		return r.row(p.At)
	}
	return r.singleRow(uint32(r.words[p.At]), at)
}

// singleRow returns one of the runner's rows, filled with a word.
func (r *runner) singleRow(v uint32, at int) *row {
	to := &r.scratch().single5[at]
	fill(to, v, ir.MaxLanes)
	return to
}

// rowOf returns an operand as a row; a uniform one is broadcast to a row of the runner.
func (r *runner) rowOf(p *operand, at int) *row {
	if p.k != 0 {
		return p.v
	}
	return r.singleRow(p.at(0), at)
}

// quadOperands writes the operands of a quad's lanes to the runner's quad.
func (r *runner) quadOperands(args []operand, at int, slopes bool) {
	q := &r.quad
	for k := range 4 {
		lane := at + k
		offset := args[argOffset].at(lane)
		for i := range 3 {
			q.Coord[k][i] = args[i].float(lane)
			q.Offset[k][i] = int8(offset>>(8*i)<<2) >> 2
			if slopes {
				q.Dx[k][i], q.Dy[k][i] = args[argDx+i].float(lane), args[argDy+i].float(lane)
			}
		}
	}
	args[argSlice].set(&q.Slice, at)
	args[argW].set(&q.W, at)
	args[argLeast].set(&q.Least, at)
	args[argRef].set(&q.Ref, at)
}
