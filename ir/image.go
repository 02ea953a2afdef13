package ir

import "strconv"

// ImageAttr are the attributes of a sample or image op. The first Words operands are the guest's descriptor words
// (i32, uniform except under ImageEach), which the launch interprets. All operands and results are i32; floats are
// passed as their bits.
type ImageAttr struct {
	Do    ImageDo
	Lod   LodKind // of a sample
	Comp  uint8   // of a gather: the component, 0 to 3
	With  ImageWith
	Words uint8
	Bytes uint8 // of ImagePlace: the required size of texels, else it faults; 0: any
}

// An ImageDo says what an op requests from an image.
type ImageDo uint8

const (
	SampleTexel  ImageDo = iota // a filtered texel
	SampleGather                // component Comp of the four texels that a filter would blend
	SampleLod                   // the level of detail, clamped and unclamped
	ImagePlace                  // the place of a texel in global memory: low and high half of its address, its size in bytes
	ImageDecode                 // four components from the bytes of a texel, or of a block of texels and its x and y
	ImageEncode                 // the bytes of a texel from four components
	ImageSize                   // of a level: width, height, depth or layers, number of levels
	ImageTexel                  // the components of a texel by its coordinates, without a sampler
	ImageBlock                  // as ImagePlace; a texel of a format of blocks has the place of its block
	numImageDos
)

// An imageDo describes an ImageDo apart from its words. All samples have the same operands.
type imageDo struct {
	name string
	op   Op
	args int // without words, slopes and mask
	res  int
}

var imageDos = [numImageDos]imageDo{
	SampleTexel:  {"texel", Sample, 8, 4},
	SampleGather: {"gather", Sample, 8, 4},
	SampleLod:    {"lod", Sample, 8, 2},
	ImagePlace:   {"place", Image, 5, 3},
	ImageDecode:  {"decode", Image, 6, 4},
	ImageEncode:  {"encode", Image, 4, 4},
	ImageSize:    {"size", Image, 1, 4},
	ImageTexel:   {"fetch", Image, 6, 4},
	ImageBlock:   {"block", Image, 5, 3},
}

// The numbers of requests to images and of their modifiers.
const (
	NumImageDos   = int(numImageDos)
	NumImageWiths = numImageWiths
)

// String returns the name in the text form.
func (d ImageDo) String() string {
	if d >= numImageDos {
		return "image?"
	}
	return imageDos[d].name
}

// ImageWith are modifiers of a sample or image op.
type ImageWith uint8

const (
	ImageArray    ImageWith = 1 << iota // there is a slice operand: a layer, the face of a cube, or layer*8 + face
	ImageTexels                         // coordinates are in texels
	ImageCompare                        // texels are compared with ref
	ImageLimit                          // levels of detail are clamped to at least least
	ImageHalf                           // components have 16 bits: a float, or the low half of an integer
	ImagePacked                         // x, y, z and slice are the first four coordinates in the image's own order
	ImageEach                           // descriptors may differ between lanes
	numImageWiths = iota
)

var imageWiths = [numImageWiths]string{"array", "texels", "compare", "limit", "half", "packed", "each"}

// MaxImageWords is the maximum number of descriptor words of an op.
const MaxImageWords = 16

// slopes returns the number of derivative operands: for LodSlopes, those of x y z in the directions of x and of y.
func (a *ImageAttr) slopes() int {
	if a.Lod == LodSlopes {
		return 6
	}
	return 0
}

// Op returns the op of the request: Sample or Image.
func (d ImageDo) Op() Op {
	if d >= numImageDos {
		return Image
	}
	return imageDos[d].op
}

// Operands returns the number of operands that a sample or image op has between its descriptors and its mask.
func (in *Inst) Operands() int {
	if in.Img.Do >= numImageDos {
		return 0
	}
	return imageDos[in.Img.Do].args + in.Img.slopes()
}

func (in *Inst) imageArgs() int { return int(in.Img.Words) + in.Operands() }

func (in *Inst) imageRes() int {
	if in.Img.Do >= numImageDos {
		return 0
	}
	return imageDos[in.Img.Do].res
}

// SampleAt are the operands of a sample. Those that the attributes do not require are ignored.
type SampleAt struct {
	At     [3]V // coordinates
	Slice  V    // a float
	W      V    // bias or level of detail
	Least  V    // minimum level of detail
	Ref    V    // the reference that texels are compared with
	Offset V    // of texel coordinates: signed, six bits each at 0, 8 and 16
	Dx, Dy [3]V // of LodSlopes
}

// Sample samples the image of its descriptors; see the op's doc. Coordinates must be defined in all lanes of a
// quad, as inactive neighbours count.
func (b *Builder) Sample(a ImageAttr, words []V, at SampleAt, mask V) []V {
	a.Words = uint8(len(words))
	args := append(words[:len(words):len(words)], at.At[0], at.At[1], at.At[2], at.Slice, at.W, at.Least, at.Ref, at.Offset)
	if a.Lod == LodSlopes {
		args = append(append(args, at.Dx[:]...), at.Dy[:]...)
	}
	return b.image(Sample, a, append(args, mask))
}

// Image performs another request to an image; see the op's doc.
func (b *Builder) Image(a ImageAttr, words, operands []V, mask V) []V {
	a.Words = uint8(len(words))
	args := append(words[:len(words):len(words)], operands...)
	return b.image(Image, a, append(args, mask))
}

func (b *Builder) image(op Op, a ImageAttr, args []V) []V {
	in := Inst{Op: op, Type: I32, Img: a, Args: b.args(args...)}
	return b.several(in, in.imageRes())
}

// image checks sample and image ops.
func (v *verifier) image() {
	in, a := v.in, v.in.Img
	switch {
	case a.Do >= numImageDos || imageDos[a.Do].op != in.Op:
		v.fail(RuleFields, "%s is not what it does", a.Do)
	case a.Lod >= numLods || in.Op == Image && a.Lod != 0:
		v.fail(RuleFields, "no such level of detail: %d", a.Lod)
	case a.Comp > 3 || a.Comp != 0 && a.Do != SampleGather:
		v.fail(RuleFields, "component %d of %s", a.Comp, a.Do)
	case a.Bytes != 0 && a.Do != ImagePlace:
		v.fail(RuleFields, "texels of %d bytes", a.Bytes)
	case a.With>>numImageWiths != 0:
		v.fail(RuleFields, "attributes that do not exist: %#x", a.With)
	case a.Words == 0 || a.Words > MaxImageWords:
		v.fail(RuleFields, "%d words of descriptors, want 1 to %d", a.Words, MaxImageWords)
	}
	for i := range min(int(a.Words), len(in.Args)) {
		if a.With&ImageEach == 0 && !v.b.Vals[in.Args[i]].Wave {
			v.fail(RuleType, "word %d of the descriptors is one per lane", i)
		}
	}
}

// image writes what precedes the operands: texel implicit array 12.
func (p *printer) image(in *Inst) {
	p.word(in.Img.Do.String())
	if in.Op == Sample {
		p.word(in.Img.Lod.String())
	}
	if in.Img.Do == SampleGather {
		p.word("xyzw"[in.Img.Comp&3 : in.Img.Comp&3+1])
	}
	for i, name := range imageWiths {
		if in.Img.With>>i&1 != 0 {
			p.word(name)
		}
	}
	if in.Img.Bytes != 0 {
		p.word("bytes")
		p.dst = append(strconv.AppendUint(p.dst, uint64(in.Img.Bytes), 10), ' ')
	}
	p.num(uint64(in.Img.Words))
	p.vals(in.Args)
}

// image reads what image writes.
func (p *parser) image(in *Inst) {
	var names [numImageDos]string
	for i := range imageDos {
		names[i] = imageDos[i].name
	}
	in.Img.Do = ImageDo(p.choose("question to an image", names[:]))
	if in.Op == Sample {
		in.Img.Lod = LodKind(p.choose("level of detail", lodNames[:]))
	}
	if in.Img.Do == SampleGather {
		in.Img.Comp = uint8(p.choose("component", []string{"x", "y", "z", "w"}))
	}
	for i, name := range imageWiths {
		if p.keyword(name) {
			in.Img.With |= 1 << i
		}
	}
	if p.keyword("bytes") {
		in.Img.Bytes = uint8(p.number("size of a texel", 8))
	}
	in.Img.Words = uint8(p.number("number of words", 8))
	p.more(in, 0)
}
