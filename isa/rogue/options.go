package rogue

import "github.com/heddle-gpu/heddle/isa"

// Options by index.
const (
	optDenormals = iota
	optFused
	optSlots
	numOptions
)

// Values of options by index.
const (
	flushDenormals = 1
	unfused        = 1
)

// Names of options that rows cite.
const (
	choiceFused        = "fmad"
	choiceGamma        = "gamma"
	choiceReduction    = "reduction"
	choicePack         = "pack-formats"
	choiceLink         = "link"
	choiceAlpha        = "alpha-test"
	choiceCoefficients = "coefficients"
	choiceEmit         = "emitpix"
	choiceTexture      = "texture"
	choiceMutex        = "mutex"
	choiceBase         = "base-offset"
	choiceSOP          = "sop"
	choiceDouble       = "f64"
	choiceTess         = "tessellator"
)

// options are choices where no source decides. docs/reference/rogue.md 8.
var options = []isa.Option{
	optDenormals: {Name: "denormals", Values: []string{"preserve", flushDenormals: "flush"}, Default: "preserve", Source: "docs/reference/rogue.md 8",
		Doc: "Whether denormal floats are taken for zeros and results become zeros."},
	optFused: {Name: choiceFused, Values: []string{"fused", unfused: "unfused"}, Default: "fused", Source: "docs/reference/rogue.md 8",
		Doc: "Whether FMAD rounds once, or its product and its sum."},
	optSlots: {Name: "slots", Values: []string{"0", "1", "2", "3", "4", "5", "6", "7", "8"}, Default: "0", Source: "docs/reference/rogue.md 8",
		Doc: "How many of the eight internal registers are slot registers: those of the highest numbers."},
}
