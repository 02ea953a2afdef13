package rogue

// A TexUse describes how an instruction uses its texture: the last word of the key of an image op.
type TexUse uint32

const (
	texArray TexUse = 1 << (iota + 2)
	texNormal
	texRows
	texPlanes
	texPacked
	texTexelFirst
	texWeights TexUse = 1 << 11
	texLevels  TexUse = 2 << 11

	texSampleAt = 8 // the sample of a texel
)

// sampleMask masks the number of a sample.
const sampleMask = 7

// Dimensions is the number of coordinates of a sample: 1 to 3; a cube map takes 3.
func (u TexUse) Dimensions() int { return int(u & 3) }

// Array reports whether a sample names a layer.
func (u TexUse) Array() bool { return u&texArray != 0 }

// Normal reports whether fixed-point texels are converted to floats; else they are integers.
func (u TexUse) Normal() bool { return u&texNormal != 0 }

// Rows reports whether a texture without a stride is stored row by row; else it is twiddled.
func (u TexUse) Rows() bool { return u&texRows != 0 }

// Planes reports whether the first samples of all texels of a level precede the second ones; else the samples of a
// texel are adjacent.
func (u TexUse) Planes() bool { return u&texPlanes != 0 }

// Sample is the number of the sample of a texel: 0 to 7.
func (u TexUse) Sample() int { return int(u>>texSampleAt) & sampleMask }

// TexelFirst reports whether a comparison is texel op reference; else it is reference op texel.
func (u TexUse) TexelFirst() bool { return u&texTexelFirst != 0 }

// Packed reports whether stored texels are given in memory format; else as components.
func (u TexUse) Packed() bool { return u&texPacked != 0 }

// Info reports whether a sample returns how it is filtered instead of a texel; then levels reports whether it returns
// the second part of that.
func (u TexUse) Info() (yes, levels bool) { return u&(texWeights|texLevels) != 0, u&texLevels != 0 }
