package rogue

// A TexUse is what an instruction says of its texture: the last word with which image ops name what they ask.
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

// sampleMask are the bits of the number of a sample.
const sampleMask = 7

// Dimensions is how many coordinates a sample has: 1 to 3; a cube map takes 3.
func (u TexUse) Dimensions() int { return int(u & 3) }

// Array is whether a sample names a layer.
func (u TexUse) Array() bool { return u&texArray != 0 }

// Normal is whether texels of fixed point become floats; else they are integers.
func (u TexUse) Normal() bool { return u&texNormal != 0 }

// Rows is whether texels of a texture without a stride lie row after row; else they are twiddled.
func (u TexUse) Rows() bool { return u&texRows != 0 }

// Planes is whether the first samples of all texels of a level lie in front of the second ones; else those of a texel lie beside each
// other.
func (u TexUse) Planes() bool { return u&texPlanes != 0 }

// Sample is which sample of a texel is meant: 0 to 7.
func (u TexUse) Sample() int { return int(u>>texSampleAt) & sampleMask }

// TexelFirst is whether a comparison asks how the texel stands to the reference; else how the reference stands to the texel.
func (u TexUse) TexelFirst() bool { return u&texTexelFirst != 0 }

// Packed is whether texels to be stored come as they lie in memory; else as components.
func (u TexUse) Packed() bool { return u&texPacked != 0 }

// Info is whether a sample asks how it is filtered instead of a texel; then levels is whether it asks for the second part of that.
func (u TexUse) Info() (yes, levels bool) { return u&(texWeights|texLevels) != 0, u&texLevels != 0 }
