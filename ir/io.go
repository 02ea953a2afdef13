package ir

// IOAttr are the attributes of input and output ops: which components of the slot, and how an input's value is
// determined.
type IOAttr struct {
	First uint8 // the first component
	Count uint8 // components: 1 to MaxComponents
	How   How
}

// MaxComponents is the maximum number of components of one input or output op.
const MaxComponents = 4

// A How says how an input is interpolated between a primitive's vertices, and at which position. It combines one
// value of the first group with one of the second.
type How uint8

const (
	HowFlat        How = iota // the value of the slot, not interpolated: that of the vertex, or of the provoking vertex
	HowPerspective            // perspective-correct
	HowLinear                 // linear in screen space
	HowP0                     // the value at vertex 0
	HowP10                    // that at vertex 1 minus that at vertex 0
	HowP20                    // that at vertex 2 minus that at vertex 0
	numHows

	AtCenter   How = 0    // of the pixel
	AtCentroid How = 0x10 // of the part of the pixel that is covered
	AtSample   How = 0x20 // the sample for which the lane runs
	AtOffset   How = 0x30 // the centre plus an offset, two operands, in pixels

	howMask = 0x0f
)

type howInfo struct{ name, doc string }

var howInfos = [numHows]howInfo{
	HowFlat:        {"flat", "The value that the slot has: of the vertex itself, or the one that stands for all vertices."},
	HowPerspective: {"perspective", "Interpolated between the vertices, and divided by w."},
	HowLinear:      {"linear", "Interpolated in the plane of the screen."},
	HowP0:          {"p0", "The value at vertex 0."},
	HowP10:         {"p10", "The value at vertex 1 minus that at vertex 0."},
	HowP20:         {"p20", "The value at vertex 2 minus that at vertex 0."},
}

var placeInfos = [...]howInfo{
	AtCenter >> 4:   {"", "The center of the pixel."},
	AtCentroid >> 4: {"centroid", "A place in the part of the pixel that is covered."},
	AtSample >> 4:   {"sample", "The place of the sample that the lane runs for."},
	AtOffset >> 4:   {"offset", "The center, moved by two operands, in pixels."},
}

// Hows returns all kinds of interpolation at the centre, and flat at each other position.
func Hows() (hs []How) {
	for h := range numHows {
		hs = append(hs, h)
	}
	return append(hs, AtCentroid, AtSample, AtOffset)
}

// Doc returns a sentence about the part of h that is not flat or not the centre.
func (h How) Doc() string {
	if p := h.At(); p != AtCenter && int(p>>4) < len(placeInfos) {
		return placeInfos[p>>4].doc
	}
	if h >= numHows {
		return ""
	}
	return howInfos[h].doc
}

// String returns h in the text form: "linear centroid".
func (h How) String() string {
	if h&howMask >= numHows || int(h>>4) >= len(placeInfos) {
		return "how?"
	}
	s := howInfos[h&howMask].name
	if p := placeInfos[h>>4].name; p != "" {
		s += " " + p
	}
	return s
}

// At returns the position of h: AtCenter, AtCentroid, AtSample or AtOffset.
func (h How) At() How { return h &^ howMask }

// Input reads components a.First to a.First+a.Count-1 of a stage input, as values of type t, which has 32 bits. The
// launch defines what a slot (i32, may vary) refers to. dx and dy (f32) are given with AtOffset only, else the zero
// V. The results are 0 in lanes outside the mask.
func (b *Builder) Input(a IOAttr, t Type, slot, dx, dy, mask V) []V {
	at := b.space(4)
	b.arg(slot)
	if dx.Valid() {
		b.arg(dx)
		b.arg(dy)
	}
	b.arg(mask)
	return b.several(Inst{Op: Input, Type: t, IO: a, Args: b.argsFrom(at)}, int(a.Count))
}

// Output writes a.Count components of a stage output, starting at a.First, in the lanes of the mask. vals are
// a.Count values of one type of 32 bits.
func (b *Builder) Output(a IOAttr, slot V, vals []V, mask V) {
	if len(vals) != int(a.Count) || len(vals) == 0 {
		panic("ir: output: the values are not as many as components")
	}
	at := b.space(len(vals) + 2)
	b.arg(slot)
	for _, v := range vals {
		b.arg(v)
	}
	b.arg(mask)
	b.push(Inst{Op: Output, Type: vals[0].Type(), IO: a, Args: b.argsFrom(at)})
}

// io checks input and output ops.
func (v *verifier) io() {
	in, a := v.in, v.in.IO
	if a.Count == 0 || a.Count > MaxComponents {
		v.fail(RuleFields, "%d components, want 1 to %d", a.Count, MaxComponents)
	}
	if in.Type.Bits() != 32 {
		v.fail(RuleType, "components of 32 bits as %s", in.Type)
	}
	if a.How&howMask >= numHows || int(a.How>>4) >= len(placeInfos) {
		v.fail(RuleFields, "no such interpolation: %#x", uint8(a.How))
	}
	if in.Op == Output {
		if a.How != 0 {
			v.fail(RuleFields, "an output that is %s", a.How)
		}
		return
	}
	if offset := len(in.Args) == 4; len(in.Args) == 3 || offset != (a.How.At() == AtOffset) {
		v.fail(RuleFields, "%s: offset given or missing", a.How)
	}
}
