package valhall

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/draw"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/valhall"
	"github.com/heddle-gpu/heddle/mem"
)

// Graphics describes how scenes use programs of this instruction set.
var Graphics = &draw.Graphics{
	Stages:   sceneStages{},
	LiveOut:  draw.LiveOut{Vertices: []ir.Cell{}, Fragments: []ir.Cell{{File: valhall.FileHelper}}}, // records and outputs are not registers
	NewEnv:   sceneEnv,
	Constant: sceneConstant,
	Reads:    reads,
	Place:    "varying n is at byte 16n of LD_VAR_BUF_IMM; r59 is the pixel, x in the low half; the colour goes to BLEND with blend_descriptor_0",
}

// sceneStages: LD_ATTR_IMM reads attribute n of table 1. LEA_BUF_IMM of table 0xD is the record of the vertex: its
// position in clip space at byte 0, output n at byte 16n. Fragments read varyings at these bytes; LD_VAR_SPECIAL
// returns 1/w and depth. Fragments end with ATEST and BLEND to target 0. Initial registers are those of recorded draws;
// uniform words are constants.
type sceneStages struct{}

// Lanes: warps of fragments run side by side if the program cannot observe it. Only blend shaders may be called, and
// there are none.
func (sceneStages) Lanes(_, fragment *draw.Stage) (vertices, fragments int) {
	if fragment.Packable(4, draw.Promise{Outputs: true, Returns: callsBlends(fragment)}) {
		return valhall.Lanes, ir.MaxLanes
	}
	return valhall.Lanes, valhall.Lanes
}

// callsBlends reports whether all indirect branches of the code go to addresses of blend shaders.
func callsBlends(s *draw.Stage) bool {
	p, ok := s.Program.Code.(*isa.Program)
	if !ok {
		return false
	}
	var b isa.Bundle
	for at := 0; at+p.Unit <= len(p.Code); at += p.Unit {
		if p.DecodeBundle(p.Code[at:], p.Base+uint64(at), &b) == nil && valhall.GoesFar(&b.Parts[0]) {
			return false
		}
	}
	return true
}

// Addresses in a scene's memory.
const (
	sceneUniforms = 1 << 32
	sceneRecords  = 1 << 33
	recordBytes   = 16 * draw.Varyings
	sceneWords    = "uniform words" // the name of their segment
)

// A sceneWarp executes the input and output ops of a warp.
type sceneWarp struct {
	// Outputs of fragments; masks are over lanes. The rows come first so that they are aligned to cache lines.
	color    [4][ir.MaxLanes]uint32
	depth    [ir.MaxLanes]uint32
	lacks    exec.IORow // a component that a colour lacks
	written  uint64
	hasDepth uint64
	tested   uint64 // coverage was tested
	covered  uint64 // and passed

	env     *exec.Env
	records []byte
	uniform [valhall.NumU]uint32
	given   *exec.State     // the state that holds them
	verts   []draw.VertexIn // nil for fragments
	next    int             // index in verts at which the next search starts
	frags   *draw.Wave      // nil for vertices
}

// warpOf returns the warp of an environment, created when it first starts: runners share nothing that programs write.
func warpOf(env *exec.Env) *sceneWarp {
	w, ok := env.Inputs.(*sceneWarp)
	if ok && w.env == env {
		return w
	}
	w = &sceneWarp{env: env}
	g := mem.NewSegment("records of vertices", sceneRecords, recordBytes*valhall.Lanes, mem.ReadWrite)
	space := env.Space(ir.GlobalSpace, 0).Clone()
	if err := space.Add(g); err == nil { // it overlaps nothing: the environment is from sceneEnv
		env.Spaces[ir.GlobalSpace] = []*mem.Space{space}
	}
	w.records = g.Data
	env.Inputs, env.Steady, env.Outputs, env.ImageOf = w, true, w, w.imageOf
	w.read()
	return w
}

// read reads the uniform words.
func (w *sceneWarp) read() {
	g, _ := w.env.Space(ir.GlobalSpace, 0).Segment(sceneWords)
	for i := range w.uniform {
		w.uniform[i] = binary.LittleEndian.Uint32(g.Data[4*i:])
	}
}

// begin sets the initial state of all lanes.
func (w *sceneWarp) begin(st *exec.State, verts []draw.VertexIn, frags *draw.Wave) {
	if st.Lanes == valhall.Lanes { // otherwise no program writes to memory
		w.read()
		clear(w.records)
	}
	if w.given != st || st.Lanes == valhall.Lanes { // no program writes to uniform words
		copy(st.S[st.Index(ir.Cell{File: valhall.FileU}):], w.uniform[:])
		w.given = st
	}
	w.verts, w.frags = verts, frags
	w.written, w.hasDepth, w.tested, w.covered = 0, 0, 0, 0
	opaque := uint32(blendOpaque | 3<<3)
	st.Set(valhall.Special(valhall.PageDescriptors, valhall.SpecialBlend, 0), 0, opaque)
}

// register returns a register of all lanes; lanes from n on are zeroed.
func register(st *exec.State, number uint16, n int) []uint32 {
	r := st.Row(ir.Cell{File: valhall.FileR, Index: number})
	clear(r[n:])
	return r
}

func (sceneStages) InitVertices(st *exec.State, env *exec.Env, in []draw.VertexIn) {
	w := warpOf(env)
	w.begin(st, in, nil)
	index, vertex, instance := register(st, regIndex, len(in)), register(st, regVertex, len(in)), register(st, regInstance, len(in))
	for lane := range in {
		index[lane], vertex[lane], instance[lane] = uint32(lane), in[lane].Index, in[lane].Instance
	}
}

func (sceneStages) VerticesOut(_ *exec.State, env *exec.Env, out []draw.Vertex, used uint32) {
	w := warpOf(env)
	for lane := range out {
		o := &out[lane]
		for m := used | 1; m != 0; m &= m - 1 {
			n := bits.TrailingZeros32(m) & (draw.Varyings - 1)
			at := w.records[lane*recordBytes+16*n:][:16]
			for k := range o.Out[n] {
				o.Out[n][k] = math.Float32frombits(binary.LittleEndian.Uint32(at[4*k:]))
			}
		}
		o.Position = o.Out[0]
	}
}

func (sceneStages) InitFragments(st *exec.State, env *exec.Env, in *draw.Wave) {
	warpOf(env).begin(st, nil, in)
	live := ^uint64(0) >> (64 - in.Lanes)
	draw.Spread(st.Row(ir.Cell{File: valhall.FileR, Index: regFacing}), live&^in.Facing()) // 1: the back
	in.Pixels(st.Row(ir.Cell{File: valhall.FileR, Index: regPixel}))
	draw.Spread(st.Row(ir.Cell{File: valhall.FileR, Index: regCoverage}), in.Covered&live)
	st.SetMask(ir.Cell{File: valhall.FileHelper}, live&^in.Covered)
}

func (sceneStages) FragmentsOut(st *exec.State, env *exec.Env, out *draw.WaveOut) {
	w := warpOf(env)
	out.Killed = st.Mask(ir.Cell{File: valhall.FileHelper}) | w.tested&^w.covered | ^w.written
	for k := range out.Color {
		out.Color[k] = w.color[k][:]
	}
	out.Depth, out.HasDepth = w.depth[:], w.hasDepth
}

// Input implements exec.Inputs. Varyings are interpolated already.
func (w *sceneWarp) Input(c *exec.IOCall) (refused uint64, err error) {
	if slot, ok := c.Same(); ok && w.frags != nil {
		if at, err := plain(valhall.Varying(slot), c); err == nil {
			if c.Count > 1 && at%4 == 0 {
				w.frags.Vector(c.Value, at/4)
				return 0, nil
			}
			for k := range int(c.Count) {
				w.frags.Component(c.Value[k][:], (at+k)/4, (at+k)%4)
			}
			return 0, nil
		}
	}
	for m := c.Lanes; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m)
		if e := w.input(c, lane); e != nil {
			if refused |= 1 << lane; err == nil {
				err = e
			}
		}
	}
	return refused, err
}

func (w *sceneWarp) input(c *exec.IOCall, lane int) error {
	slot := valhall.Varying(c.Slot[lane])
	if n, ok := slot.Special(); ok {
		var f draw.Fragment
		if w.frags != nil {
			f.InvW, f.Depth = w.frags.InvW()[lane], w.frags.Depth()[lane]
		}
		return special(c, &f, lane, n)
	}
	at, err := plain(slot, c)
	if err != nil {
		return err
	}
	var row [ir.MaxLanes]uint32
	for k := range int(c.Count) {
		n := at + k
		if w.frags == nil {
			c.Value[k][lane] = math.Float32bits(w.verts[lane].Attr[n/4][n%4])
			continue
		}
		w.frags.Component(row[:], n/4, n%4)
		c.Value[k][lane] = row[lane]
	}
	return nil
}

// Output implements exec.Outputs. Colours for targets other than 0 are discarded.
func (w *sceneWarp) Output(c *exec.IOCall) (refused uint64, err error) {
	if slot, ok := c.Same(); ok && checkOut(valhall.PixelOut(slot)) == nil {
		w.put(c, valhall.PixelOut(slot), c.Lanes)
		return 0, nil
	}
	for todo := c.Lanes; todo != 0; {
		slot := valhall.PixelOut(c.Slot[bits.TrailingZeros64(todo)])
		same := uint64(0)
		for m := todo; m != 0; m &= m - 1 {
			if lane := bits.TrailingZeros64(m); valhall.PixelOut(c.Slot[lane]) == slot {
				same |= 1 << lane
			}
		}
		if err := checkOut(slot); err != nil {
			return c.Lanes, err
		}
		w.put(c, slot, same)
		todo &^= same
	}
	return 0, nil
}

// put stores the outputs of lanes to one slot. Missing components of colours are 0, 0, 0, 1.
func (w *sceneWarp) put(c *exec.IOCall, slot valhall.PixelOut, lanes uint64) {
	switch {
	case slot&^0xff == valhall.PixelCoverage:
		w.tested |= lanes
		w.covered = w.covered&^lanes | draw.Lowest(c.Put[0])&lanes
	case slot&^0xff == valhall.PixelDepth:
		if slot.Depth() {
			merge(&w.depth, c.Put[0], lanes, w.hasDepth)
			w.hasDepth |= lanes
		}
	case slot.Target() == 0:
		for k := range w.color {
			from := c.Put[k]
			if k >= int(c.Count) {
				from = &w.lacks
				fill(from, lacking(slot, k))
			}
			merge(&w.color[k], from, lanes, w.written)
		}
		w.written |= lanes
	}
}

// lacking returns the value of component k of a colour that lacks it.
func lacking(slot valhall.PixelOut, k int) uint32 {
	switch {
	case k != 3:
		return 0
	case slot.Integer():
		return 1
	}
	return math.Float32bits(1)
}

// fill sets all lanes of a row to one value.
func fill(row *exec.IORow, v uint32) {
	for lane := range row {
		row[lane] = v
	}
}

// merge copies lanes of a row. Other lanes keep their value if they are in held.
func merge(to, from *exec.IORow, lanes, held uint64) {
	if held&^lanes == 0 {
		*to = *from
		return
	}
	for m := lanes; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m)
		to[lane] = from[lane]
	}
}

// plain returns the index of the first word of a varying that is addressed by its position among all varyings.
func plain(slot valhall.Varying, c *exec.IOCall) (at int, err error) {
	_, special := slot.Special()
	_, byHandle := slot.Handle()
	_, ofTile := slot.Pixel()
	at = slot.Offset()
	switch {
	case special || byHandle || ofTile || slot.Halves():
		return 0, errors.New("a varying by handle, of halves, or of the tile; scenes have words by their place")
	case at%4 != 0 || at/4+int(c.Count) > 4*draw.Varyings:
		return 0, fmt.Errorf("%d words of a varying at byte %d; a draw has %d vectors", c.Count, at, draw.Varyings)
	}
	return at / 4, nil
}

// imageOf returns an attribute, the records of the warp's vertices, or the texture unit with the index in the handle.
func (w *sceneWarp) imageOf(k *exec.ImageKey) (exec.Image, error) {
	handle, how := k.Words[valhall.ResHandle], valhall.ResUse(k.Words[valhall.ResHow])
	n := handle & valhall.HandleIndex
	switch how.Kind() {
	case valhall.UseAttribute:
		if handle>>valhall.HandleTable != 1 || n >= draw.Varyings {
			return nil, fmt.Errorf("attribute %d of table %d; scenes have %d in table 1", n, handle>>valhall.HandleTable, draw.Varyings)
		}
		return sceneAttribute{w: w, n: n}, nil
	case valhall.UseBuffer:
		if handle != valhall.TablePacket<<valhall.HandleTable {
			return nil, fmt.Errorf("buffer %d of table %d; scenes have the record of the vertex, 0 of table 13", n, handle>>valhall.HandleTable)
		}
		return elements{packet: packet{sceneRecords, recordBytes}}, nil
	case valhall.UseSample:
		return w.unit(n, how)
	}
	return nil, errors.New("an image or a conversion, which scenes do not have")
}

// unit returns a texture with its sampler.
func (w *sceneWarp) unit(n uint32, how valhall.ResUse) (exec.Image, error) {
	s, err := w.env.Texture(n)
	if err != nil {
		return nil, err
	}
	u, ok := s.(*mem.Unit)
	switch {
	case !ok:
		return nil, fmt.Errorf("texture %d cannot be read by this instruction", n)
	case u.Target() != dimensions[how.Dimension()] || how.Array():
		return nil, fmt.Errorf("a sample of another shape than texture %d has, which is %s", n, u.Target())
	case u.Target() == mem.TextureCube:
		return nil, fmt.Errorf("texture %d is a cube map, which scenes sample by direction and Valhall by face", n)
	}
	return u, nil
}

// A sceneAttribute is attribute n of the vertices of a warp.
type sceneAttribute struct {
	*mem.Unit
	w *sceneWarp
	n uint32
}

// Texel returns the attribute of the vertex with a number.
func (a sceneAttribute) Texel(p *mem.Spot) (t [4]uint32, err error) {
	w := a.w
	for range w.verts {
		if w.next >= len(w.verts) {
			w.next = 0
		}
		v := &w.verts[w.next]
		w.next++
		if v.Index != p.At[0] {
			continue
		}
		for k, x := range v.Attr[a.n] {
			t[k] = math.Float32bits(x)
		}
		return t, nil
	}
	return t, fmt.Errorf("attribute %d of vertex %d, which is not of this warp", a.n, p.At[0])
}

// Texels implements exec.RowImage.
func (a sceneAttribute) Texels(at *[ir.MaxLanes]uint32, lanes uint64, to *[4][ir.MaxLanes]uint32) bool {
	for lane := range a.w.verts {
		v := &a.w.verts[lane]
		if v.Index != at[lane] && lanes>>lane&1 != 0 {
			return false
		}
		for k, x := range &v.Attr[a.n] {
			to[k][lane] = math.Float32bits(x)
		}
	}
	return lanes>>len(a.w.verts) == 0
}

// Narrow converts floats to half precision.
func (a sceneAttribute) Narrow(t [4]uint32) [4]uint32 {
	u, err := converter(a.w.env.Space(ir.GlobalSpace, 0), floats)
	if err != nil {
		return [4]uint32{}
	}
	return u.Narrow(t)
}

// floats is the pixel format of four floats.
const floats = 191 << codeAt

// Place returns no address: attributes of scenes are not in memory.
func (a sceneAttribute) Place([3]uint32, uint32, uint32) (addr uint64, bytes uint32) { return 0, 0 }
func (a sceneAttribute) Dims(uint32) (d [4]uint32)                                   { return d }

// sceneEnv returns an environment with uniform words, all zero.
func sceneEnv() (exec.Env, error) {
	space, err := mem.NewSpace(ir.GlobalSpace.String(), mem.NewSegment(sceneWords, sceneUniforms, 4*valhall.NumU, mem.ReadWrite))
	return exec.Env{Spaces: exec.Spaces{ir.GlobalSpace: {space}}}, err
}

// sceneConstant sets consecutive uniform words, beginning at the one named: u0, u12.
func sceneConstant(env *exec.Env, name string, words []uint32) error {
	number, ok := strings.CutPrefix(name, "u")
	n, err := strconv.ParseUint(number, 10, 16)
	switch {
	case !ok || err != nil || n >= valhall.NumU:
		return fmt.Errorf("valhall: no constant %q; u0 to u%d", name, valhall.NumU-1)
	case n+uint64(len(words)) > valhall.NumU:
		return fmt.Errorf("valhall: %d constants from u%d on; the last is u%d", len(words), n, valhall.NumU-1)
	}
	data := env.Space(ir.GlobalSpace, 0).Segments()[0].Data
	for i, w := range words {
		binary.LittleEndian.PutUint32(data[4*(int(n)+i):], w)
	}
	return nil
}

// reads returns the components of varyings that are operands of instructions of the code, and the position.
func reads(code []byte) (read draw.Components) {
	read[0] = 15
	words, all := varyingsRead(code)
	if all {
		return draw.AllComponents
	}
	for word := range words {
		read[word/4%draw.Varyings] |= 1 << (word % 4)
	}
	return read
}

// varyingsRead returns the words of records that are operands of instructions of the code; all: any may be.
func varyingsRead(code []byte) (words map[int]bool, all bool) {
	tg := valhall.Set().At(0, 0)
	words = map[int]bool{}
	var b isa.Bundle
	for at := 0; at+tg.Unit <= len(code); at += tg.Unit {
		if tg.DecodeBundle(code[at:], uint64(at), &b) != nil {
			continue
		}
		first, n, ok := valhall.ReadsVarying(&b.Parts[0])
		if ok && first < 0 {
			return nil, true
		}
		for k := range n {
			words[first/4+k] = true
		}
	}
	return words, false
}
