package rogue

import "github.com/heddle-gpu/heddle/isa"

// Options by index.
const (
	optDenormals = iota
	optFused
	optSlots
	optNarrow
	optGamma
	optReduction
	optPack
	optRest
	optUnpack
	optCoverage
	optLink
	optBranch
	optAlignment
	optAlpha
	optCoefficients
	optEmit
	optMutex
	optDistance
	optSOP
	optDouble
	optConvert
	optTess
	optBase
	optTexture
	optNaN
	optTestNaN
	optIndexUnit
	optPerspective
	optSamples
	optReference
	optOrder
	optRaw
	optBypass
	optStore
	optCover
	optTiled
	optConstants
	optPackNaN
	optLow
	optRounding
	numOptions
)

// Values of options by index.
const (
	flushDenormals  = 1
	sopFused        = 1
	convertZero     = 1
	unfused         = 1
	narrowWide      = 1
	gammaPower      = 1
	reduceAgain     = 1
	packPublic      = 1
	restZero        = 1
	unpackTowards0  = 1
	linkBytes       = 1
	branchSatisfied = 1
	anyAlignment    = 1
	referenceFirst  = 1
	constantFirst   = 1
	fromEnd         = 1
	baseSets        = 1
	textureRows     = 1
	keepNaN         = 1
	nanFails        = 1
	timesInverse    = 1
	samplePlanes    = 1
	referenceLast   = 1
	texelFirst      = 1
	rawByY          = 1
	infoFirst       = 1
	storeComponents = 1
	coverFirst      = 1
	constantsMove   = 1
	nanLeast        = 1
	towardZero      = 1
)

// Names of options in rows.
const (
	choiceFused        = "fmad"
	choiceNarrow       = "narrow-result"
	choiceGamma        = "gamma"
	choiceReduction    = "reduction"
	choicePack         = "pack-formats"
	choiceRest         = "pack-rest"
	choiceUnpack       = "unpack-32"
	choiceCoverage     = "coverage-samples"
	choiceLink         = "link"
	choiceAlpha        = "alpha-test"
	choiceCoefficients = "coefficients"
	choiceEmit         = "emitpix"
	choiceTexture      = "texture"
	choiceMutex        = "mutex"
	choiceSamples      = "samples"
	choiceReference    = "comparison-reference"
	choiceOrder        = "comparison-order"
	choiceRaw          = "raw-order"
	choiceBypass       = "bypass-order"
	choiceStore        = "texel-store"
	choiceCover        = "store-mask"
	choiceTiled        = "tiled-store"
	choicePackNaN      = "pack-nan"
	choiceLow          = "low-precision"
	choiceRounding     = "rounding"
	choiceBase         = "base-offset"
	choiceSOP          = "sop"
	choiceDouble       = "f64"
	choiceConvert      = "f64-to-integer"
	choiceTess         = "tessellator"
	choiceBranch       = "branch-instances"
	choiceAlignment    = "alignment"
	choiceDistance     = "branch-distance"
	choiceTestNaN      = "test-nan"
	choicePerspective  = "perspective"
)

// options are choices that no source decides. docs/reference/rogue.md 8.
var options = []isa.Option{
	optDenormals: {Name: "denormals", Values: []string{"preserve", flushDenormals: "flush"}, Default: "preserve", Source: "docs/reference/rogue.md 8",
		Doc: "Whether denormals of 32 bits are taken for zeros and results become zeros. Those of 16 and 64 bits stay: Mesa's driver promises these, and nothing of 32 bits."},
	optFused: {Name: choiceFused, Values: []string{"fused", unfused: "unfused"}, Default: "fused", Source: "docs/reference/rogue.md 8",
		Doc: "Whether FMAD rounds once, or its product and its sum."},
	optSOP: {Name: choiceSOP, Values: []string{"rounded", sopFused: "fused"}, Default: "rounded", Source: "docs/reference/rogue.md 8",
		Doc: "Whether each product of F16SOP is rounded to 16 bits, or the first is not."},
	optDouble: {Name: choiceDouble, Values: []string{"pairs"}, Default: "pairs", Source: "docs/reference/rogue.md 8",
		Doc: "Where the operands of 64-bit floats lie: in pairs of registers, the lower word first."},
	optConvert: {Name: choiceConvert, Values: []string{"nearest", convertZero: "zero"}, Default: "nearest", Source: "docs/reference/rogue.md 8",
		Doc: "How CONVERTFROMF64 rounds to integers: to the nearest, to even between two; or toward zero."},
	optTess: {Name: choiceTess, Values: []string{"outputs"}, Default: "outputs", Source: "docs/reference/rogue.md 8",
		Doc: "Where TESSW writes: to the outputs of the vertex."},
	optSlots: {Name: "slots", Values: []string{"0", "1", "2", "3", "4", "5", "6", "7", "8"}, Default: "0", Source: "docs/reference/rogue.md 8",
		Doc: "How many of the eight internal registers are slot registers: those of the highest numbers."},
	optNarrow: {Name: choiceNarrow, Values: []string{"extend", narrowWide: "wide"}, Default: "extend", Source: "docs/reference/rogue.md 8",
		Doc: "What is above the element that an integer of 8 or 16 bits gives: its sign or zeros, or the rest of the exact result."},
	optGamma: {Name: choiceGamma, Values: []string{"srgb", gammaPower: "power-2.2"}, Default: "srgb", Source: "docs/reference/rogue.md 8",
		Doc: "The curve of GCMP and GEXP: that of sRGB, or powers of 1/2.2 and 2.2."},
	optReduction: {Name: choiceReduction, Values: []string{"carried", reduceAgain: "repeated"}, Default: "carried", Source: "docs/reference/rogue.md 8",
		Doc: "Which part of FRED reduces the angle: part A, and part B passes s3 on; or part B, from s0 alone."},
	optPack: {Name: choicePack, Values: []string{"proposed", packPublic: "public"}, Default: "proposed", Source: "docs/reference/rogue.md 8",
		Doc: "Whether formats whose layout is not public are packed as docs/reference/rogue.md 5.4 reads their names, or trap."},
	optRest: {Name: choiceRest, Values: []string{"keep", restZero: "zero"}, Default: "keep", Source: "docs/reference/rogue.md 8",
		Doc: "What the elements become that a pack does not reach: they stay, or are zeros."},
	optUnpack: {Name: choiceUnpack, Values: []string{"scale", unpackTowards0: "roundzero"}, Default: "scale", Source: "docs/reference/rogue.md 8",
		Doc: "What the modifier of UNPCK does to integers of 32 bits: it scales them, or they are rounded towards zero."},
	optCoverage: {Name: choiceCoverage, Values: []string{"1", "2", "4", "8"}, Default: "4", Source: "docs/reference/rogue.md 8",
		Doc: "How many samples the mask has that PCK.COV makes of a coverage."},
	optLink: {Name: choiceLink, Values: []string{"halves", linkBytes: "bytes"}, Default: "halves", Source: "docs/reference/rogue.md 8",
		Doc: "What SETL and CNDSETL count an address in: 16 bits, as SAVL does, or bytes."},
	optBranch: {Name: choiceBranch, Values: []string{"fail", branchSatisfied: "satisfy"}, Default: "fail", Source: "docs/reference/rogue.md 8",
		Doc: "What all instances (ALLINST) or one (ANYINST) must do for a branch to be taken: fail the condition of its group, or satisfy it."},
	optAlignment: {Name: choiceAlignment, Values: []string{"natural", anyAlignment: "any"}, Default: "natural", Source: "docs/reference/rogue.md 8",
		Doc: "Whether an address must be a multiple of the size of an element, or may be any."},
	optAlpha: {Name: choiceAlpha, Values: []string{"data-reference", referenceFirst: "reference-data"}, Default: "data-reference", Source: "docs/reference/rogue.md 8",
		Doc: "The order in which ATST compares: data (s1) with reference (s0), or the other way round."},
	optCoefficients: {Name: choiceCoefficients, Values: []string{"abc", constantFirst: "cab"}, Default: "abc", Source: "docs/reference/rogue.md 8",
		Doc: "The order of the words of a coefficient set: a, b and c of a * x + b * y + c, or c first."},
	optEmit: {Name: choiceEmit, Values: []string{"keep"}, Default: "keep", Source: "docs/reference/rogue.md 8",
		Doc: "What EMITPIX does to a task: nothing; pixels are what the pixel outputs hold when it ends."},
	optDistance: {Name: choiceDistance, Values: []string{"begin", fromEnd: "end"}, Default: "begin", Source: "docs/reference/rogue.md 8",
		Doc: "What the distance of BR counts from: the begin of its group, as in the vendor's programs and in PCO, or its end, padding included, as in Mesa 24.1."},
	optBase: {Name: choiceBase, Values: []string{"registers", baseSets: "sets"}, Default: "registers", Source: "docs/reference/rogue.md 8",
		Doc: "What SBO counts in: registers, or sets of four."},
	optMutex: {Name: choiceMutex, Values: []string{"tasks"}, Default: "tasks", Source: "docs/reference/rogue.md 8",
		Doc: "Who waits for a mutex of the cluster: tasks of one work-group for each other; those of another do not run at the same time."},
	optTexture: {Name: choiceTexture, Values: []string{"twiddled", textureRows: "rows"}, Default: "twiddled", Source: "docs/reference/rogue.md 8",
		Doc: "How texels of a texture without a stride lie: twiddled, the bits of their coordinates in turns from y up, or row after row."},
	optNaN: {Name: "nan", Values: []string{"canonical", keepNaN: "first"}, Default: "canonical", Source: "docs/reference/rogue.md 8",
		Doc: "Which NaN a float operation gives: 7fc00000, or the first among its operands, made quiet."},
	optTestNaN: {Name: choiceTestNaN, Values: []string{"unequal", nanFails: "never"}, Default: "unequal", Source: "docs/reference/rogue.md 8",
		Doc: "Whether a NaN is unequal to everything, or fulfils no test."},
	optIndexUnit: {Name: "index-unit", Values: []string{"1", "2", "4", "8", "16"}, Default: "1", Source: "docs/reference/rogue.md 8",
		Doc: "How many registers an index register counts at once: its dimension, for which no encoding is known."},
	optPerspective: {Name: choicePerspective, Values: []string{"divide", timesInverse: "reciprocal"}, Default: "divide", Source: "docs/reference/rogue.md 8",
		Doc: "How iterated values are divided: a quotient rounded once, or the product with the rounded reciprocal."},
	optSamples: {Name: choiceSamples, Values: []string{"texel", samplePlanes: "planes"}, Default: "texel", Source: "docs/reference/rogue.md 8",
		Doc: "How the samples of a texel lie: beside each other, or the first ones of all texels of a level in front of the second ones."},
	optReference: {Name: choiceReference, Values: []string{"coordinates", referenceLast: "last"}, Default: "coordinates", Source: "docs/reference/rogue.md 8",
		Doc: "Where SMP finds the reference of a comparison: behind coordinates, what divides them and the layer; or behind all else."},
	optOrder: {Name: choiceOrder, Values: []string{"reference-texel", texelFirst: "texel-reference"}, Default: "reference-texel", Source: "docs/reference/rogue.md 8",
		Doc: "The order in which a sample compares: reference with texel, or the other way round."},
	optRaw: {Name: choiceRaw, Values: []string{"x", rawByY: "y"}, Default: "x", Source: "docs/reference/rogue.md 8",
		Doc: "Which coordinate counts fastest in the four texels of the bypass mode DATA."},
	optBypass: {Name: choiceBypass, Values: []string{"data-info", infoFirst: "info-data"}, Default: "data-info", Source: "docs/reference/rogue.md 8",
		Doc: "The order of what the bypass mode BOTH gives."},
	optStore: {Name: choiceStore, Values: []string{"packed", storeComponents: "components"}, Default: "packed", Source: "docs/reference/rogue.md 8",
		Doc: "What SMP with WRT and FCNORM takes: the texel as PCK makes it, or its components as floats."},
	optCover: {Name: choiceCover, Values: []string{"any", coverFirst: "first"}, Default: "any", Source: "docs/reference/rogue.md 8",
		Doc: "Which bits of the coverage mask of a store let an instance store: any, or that of its first sample alone."},
	optTiled: {Name: choiceTiled, Values: []string{"address"}, Default: "address", Source: "docs/reference/rogue.md 8",
		Doc: "Where a tiled store puts its words: at the address that it has, as a load would find them."},
	optConstants: {Name: "repeat-constants", Values: []string{"stay", constantsMove: "advance"}, Default: "stay", Source: "docs/reference/rogue.md 8",
		Doc: "Whether a group that repeats takes the same constant each time, or the next one as of registers."},
	optPackNaN: {Name: choicePackNaN, Values: []string{"zero", nanLeast: "least"}, Default: "zero", Source: "docs/reference/rogue.md 8",
		Doc: "What a NaN becomes that is packed as an integer: 0, or the least value of the field."},
	optLow: {Name: choiceLow, Values: []string{"same"}, Default: "same", Source: "docs/reference/rogue.md 8",
		Doc: "What low precision is: the same as full precision."},
	optRounding: {Name: choiceRounding, Values: []string{"nearest", towardZero: "zero"}, Default: "nearest", Source: "docs/reference/rogue.md 8",
		Doc: "How sums and products of floats round: to the nearest, to even between two, or toward zero, as Mesa's driver claims of cores without usc_alu_roundingmode_rne, GX6250 among them."},
}
