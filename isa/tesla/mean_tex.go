package tesla

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/num"
)

// Reads of textures. docs/reference/tesla.md 9.5. The word does not define the dimensions of the texture: the ops
// pass on its sources in order, and the bound texture determines which exist.

// The words with which texture ops name their texture.
const (
	TexUnit    = iota // number of $t
	TexSampler        // number of $s
	TexHow            // a TexShape
	TexWords
)

// A TexShape is what an instruction says of the texture that it samples.
type TexShape uint32

const (
	shapeCount TexShape = 7      // sources
	shapeCube  TexShape = 1 << 3 // they are a direction
	shapeLevel TexShape = 1 << 4 // the last is a level of detail, or added to it
)

// Count returns how many sources there are.
func (s TexShape) Count() int { return int(s & shapeCount) }

// Cube reports whether the texture is declared a cube.
func (s TexShape) Cube() bool { return s&shapeCube != 0 }

// Level reports whether the last source is a level of detail, or added to it.
func (s TexShape) Level() bool { return s&shapeLevel != 0 }

// maxCoordinates is how many sources a texture instruction can have.
const maxCoordinates = 4

// texSources returns the sources, which begin at the destination's base, and 0 for missing ones.
func texSources(l *isa.Lift) (src [maxCoordinates]V, count int) {
	base := int(l.In.Get(nameDst))
	count = int(l.In.Opt(nameCount)) + 1
	for i := range src {
		if src[i] = l.I32(0); i < count {
			src[i] = getR(l, base+i)
		}
	}
	return src, count
}

// texWords name the texture of an instruction.
func texWords(l *isa.Lift, shape TexShape) []V {
	return []V{TexUnit: l.I32(uint32(l.In.Get(nameTex))), TexSampler: l.I32(uint32(l.In.Get(nameSamp))), TexHow: l.I32(uint32(shape))}
}

// texOffset returns the texel offsets as ops take them: six bits for each axis.
func texOffset(l *isa.Lift) V {
	offset := uint32(0)
	for i, name := range [...]isa.Name{nameOffX, nameOffY, nameOffZ} {
		four := int32(l.In.Opt(name)<<28) >> 28
		offset |= uint32(four) & 0x3f << (8 * i)
	}
	return l.I32(offset)
}

// setTexel writes the components in the mask to consecutive registers.
func setTexel(l *isa.Lift, t []V) {
	mask := uint64(1<<maxCoordinates - 1)
	if l.In.Has(nameMask) {
		mask = l.In.Get(nameMask)
	}
	at := int(l.In.Get(nameDst))
	for i, v := range t {
		if mask>>i&1 != 0 {
			putR(l, at, v)
			at++
		}
	}
}

// texSample samples. Outside of fragment programs there are no derivatives unless the instruction requests them.
// Fragments that live excludes are not visible: they are sampled, too.
func texSample(do ir.ImageDo, lod ir.LodKind, shape TexShape) isa.Effect {
	if lod == ir.LodBias || lod == ir.LodExplicit {
		shape |= shapeLevel
	}
	return func(l *isa.Lift) {
		a := ir.ImageAttr{Do: do, Lod: lod, With: ir.ImagePacked}
		if (lod == ir.LodImplicit || lod == ir.LodBias) && l.In.Stage != FP && l.In.Opt(nameDeriv) == 0 {
			a.Lod = flatLod(lod)
		}
		src, count := texSources(l)
		zero := l.I32(0)
		at := ir.SampleAt{At: [3]V(src[:3]), Slice: src[3], W: zero, Least: zero, Ref: zero, Offset: texOffset(l)}
		t := l.Sample(a, texWords(l, shape|TexShape(count)), at, l.Mask())
		if do == ir.SampleLod {
			t = []V{fixedLod(l, t[0]), fixedLod(l, t[1]), zero, zero}
		}
		setTexel(l, t)
	}
}

// flatLod returns the source of the level of detail without derivatives: they would be 0.
func flatLod(lod ir.LodKind) ir.LodKind {
	if lod == ir.LodBias {
		return ir.LodExplicit
	}
	return ir.LodZero
}

// lodFraction is the fraction bits of an explicit level of detail.
const lodFraction = 6

func fixedLod(l *isa.Lift, v V) V {
	f32(l, num.RNE)
	x := v.As(ir.F32)
	return x.FMul(x.K(0x3f800000 + lodFraction<<23)).FToS(ir.I32)
}

// The sampling instructions.
var (
	texauto         isa.Effect
	texbias         isa.Effect
	texlod          isa.Effect
	texgather       isa.Effect
	texquerylod     isa.Effect
	texautoCube     isa.Effect
	texbiasCube     isa.Effect
	texlodCube      isa.Effect
	texgatherCube   isa.Effect
	texquerylodCube isa.Effect
)

// fillTextures makes the semantics of the sampling instructions.
func fillTextures() {
	texauto = texSample(ir.SampleTexel, ir.LodImplicit, 0)
	texbias = texSample(ir.SampleTexel, ir.LodBias, 0)
	texlod = texSample(ir.SampleTexel, ir.LodExplicit, 0)
	texgather = texSample(ir.SampleGather, ir.LodZero, 0) // the first component
	texquerylod = texSample(ir.SampleLod, ir.LodImplicit, 0)

	texautoCube = texSample(ir.SampleTexel, ir.LodImplicit, shapeCube)
	texbiasCube = texSample(ir.SampleTexel, ir.LodBias, shapeCube)
	texlodCube = texSample(ir.SampleTexel, ir.LodExplicit, shapeCube)
	texgatherCube = texSample(ir.SampleGather, ir.LodZero, shapeCube)
	texquerylodCube = texSample(ir.SampleLod, ir.LodImplicit, shapeCube)
}

// texfetch reads a texel by integer coordinates. A missing texel is 0.
func texfetch(l *isa.Lift) {
	src, count := texSources(l)
	a := ir.ImageAttr{Do: ir.ImageTexel, With: ir.ImagePacked}
	setTexel(l, l.Image(a, texWords(l, TexShape(count)), append(src[:], l.I32(0), texOffset(l)), l.Mask()))
}

// texsize gives width, height, depth or layers, and levels.
func texsize(l *isa.Lift) {
	level := getR(l, int(l.In.Get(nameDst)))
	setTexel(l, l.Image(ir.ImageAttr{Do: ir.ImageSize}, texWords(l, 1), []V{level}, l.Mask()))
}
