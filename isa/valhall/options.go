package valhall

import "github.com/heddle-gpu/heddle/isa"

// Options by index.
const (
	optSubnormals = iota
	optBounds
	optNaN
	optReciprocal
	optUnderflow
	optTables
	optStage     // what has filled registers
	optRegisters // of a thread
	optMulLimit
	optSegmentNull
	optShiftWiden
	optByteAmounts
	optIntOrder
	optThird
	optLowerTruth
	optLaneRange
	optLaneElements
	optInactiveWide
	optMaskLanes
	optMaskBits
	optDistance
	optLowBits
	optTexturePairs
	optTile
	optRescale
	optLogScale
	optCubeTies
)

// Values of options by index.
const (
	flushSubnormals = 1
	boundsChecked   = 0
	keepNaN         = 1

	reciprocalOfNegative = 1
	saturatedUnderflow   = 1
	noTables             = 1
	noTexturePairs       = 1
	noTile               = 1

	stageAny      = 0
	stageCompute  = 1
	stageVertex   = 2
	stageFragment = 3
	stageBlend    = 4

	fewRegisters  = 1
	limitSigned   = 1
	nullSecond    = 1
	widenSign     = 1
	amountsPairs  = 1
	orderTrap     = 1
	lowerOnes     = 1
	rangeAbsent   = 1
	elementsFirst = 1
	inactiveLow   = 1
	maskLive      = 1
	bitsWarp      = 1
	distanceWords = 1
	lowBitsTrap   = 1
)

// Names of options that rows cite.
const (
	choiceSegmentNull  = "segment-null"
	choiceMulLimit     = "product-limit"
	choiceBounds       = "bounds"
	choiceReciprocal   = "frexpe"
	choiceUnderflow    = "fexp-underflow"
	choiceTables       = "tables"
	choiceRescale      = "rescale"
	choiceLogScale     = "log-scale"
	choiceCubeTies     = "cube-ties"
	choiceShiftWiden   = "shift-widen"
	choiceByteAmounts  = "byte-amounts"
	choiceIntOrder     = "integer-order"
	choiceThird        = "compare-third"
	choiceLowerTruth   = "compare-u1"
	choiceLaneRange    = "lane-range"
	choiceLaneElements = "lane-elements"
	choiceInactiveWide = "inactive-wide"
	choicePairs        = "texture-pairs"
	choiceTile         = "tile"
	choiceMaskLanes    = "mask-lanes"
	choiceMaskBits     = "mask-bits"
	choiceDistance     = "branch-distance"
	choiceLowBits      = "branch-lowbits"
)

// What comparisons and permutations of lanes cite.
var (
	compareFloats = []string{choiceThird, choiceLowerTruth}
	compareInts   = []string{choiceThird, choiceLowerTruth, choiceIntOrder}
	compareLong   = []string{choiceLowerTruth, choiceIntOrder}
	laneVectors   = []string{choiceLaneRange, choiceLaneElements}
	laneWide      = []string{choiceLaneRange, choiceInactiveWide}
)

// options are what the descriptor of a program says, and choices where no source decides. docs/reference/valhall.md 11.
var options = []isa.Option{
	optSubnormals: {Name: "subnormals", Values: []string{"preserve", flushSubnormals: "flush"}, Default: "preserve", Source: "docs/reference/valhall.md 9.2",
		Doc: "Whether subnormal floats are taken for zeros and results become zeros: a field of the program's descriptor."},
	optBounds: {Name: choiceBounds, Values: []string{boundsChecked: "check", "none"}, Default: "check", Source: "docs/reference/valhall.md 11",
		Doc: "Whether loads from outside of the buffer of a descriptor give 0, or what lies there in memory."},
	optNaN: {Name: "nan", Values: []string{"canonical", keepNaN: "first"}, Default: "first", Source: "docs/reference/valhall.md 11",
		Doc: "Which quiet NaN a float operation gives: always the positive one without a payload, or the first among its operands."},
	optReciprocal: {Name: choiceReciprocal, Values: []string{"magnitude", reciprocalOfNegative: "reciprocal"}, Default: "magnitude", Source: "docs/reference/valhall.md 11",
		Doc: "Whether FREXPE of a number below zero gives the exponent of its magnitude, or that of the reciprocal or reciprocal root."},
	optUnderflow: {Name: choiceUnderflow, Values: []string{"zero", saturatedUnderflow: "saturate"}, Default: "zero", Source: "docs/reference/valhall.md 11",
		Doc: "What FEXP gives where its fixed-point operand has stopped at -128: 0, or 2^-128 of any finite number."},
	optTables: {Name: choiceTables, Values: []string{"rounded", noTables: "none"}, Default: "rounded", Source: "docs/reference/valhall.md 11",
		Doc: "Whether FRCP_APPROX, FRSQ_APPROX and FEXP_TABLE, whose tables are not public, give what they approximate, correctly rounded, or fault."},
	optStage: {Name: "stage", Values: []string{stageAny: "any", stageCompute: "compute", stageVertex: "vertex", stageFragment: "fragment", stageBlend: "blend"}, Default: "any",
		Source: "docs/reference/valhall.md 7.1", Doc: "What the program is, for lint: the registers that a launch has filled. Of any stage those that can be, r48 to r63."},
	optRegisters: {Name: "registers", Values: []string{"64", fewRegisters: "32"}, Default: "64", Source: "docs/reference/valhall.md 7.1",
		Doc: "Registers of a thread, a field of the program's descriptor: 64, or r0 to r15 and r48 to r63."},
	optMulLimit: {Name: choiceMulLimit, Values: []string{"unsigned", limitSigned: "signed"}, Default: "unsigned", Source: "docs/reference/valhall.md 11",
		Doc: "At which limits IMUL.i32, IMUL.v2i16 and IMUL.v4i8 stop with saturate."},
	optSegmentNull: {Name: choiceSegmentNull, Values: []string{"first", nullSecond: "second"}, Default: "first", Source: "docs/reference/valhall.md 11",
		Doc: "The source of SEG_ADD that is the pointer which preserve_null keeps if it is null."},
	optShiftWiden: {Name: choiceShiftWiden, Values: []string{"zero", widenSign: "sign"}, Default: "zero", Source: "docs/reference/valhall.md 11",
		Doc: "How a part of a register is widened for a right shift that keeps the sign."},
	optByteAmounts: {Name: choiceByteAmounts, Values: []string{"own", amountsPairs: "pairs"}, Default: "own", Source: "docs/reference/valhall.md 11",
		Doc: "What b02 is of shifts of four bytes: to each the amount in its place, or to the lower two that of byte 0, to the upper two that of byte 2."},
	optIntOrder: {Name: choiceIntOrder, Values: []string{"ordered", orderTrap: "trap"}, Default: "ordered", Source: "docs/reference/valhall.md 11",
		Doc: "What the conditions gtlt and total are of integers: those of numbers, so unequal and always; or a trap."},
	optThird: {Name: choiceThird, Values: []string{"nonzero"}, Default: "nonzero", Source: "docs/reference/valhall.md 11",
		Doc: "When the third source of a comparison holds: if its element is not 0."},
	optLowerTruth: {Name: choiceLowerTruth, Values: []string{"one", lowerOnes: "ones"}, Default: "one", Source: "docs/reference/valhall.md 11",
		Doc: "What a comparison gives that holds, of type u1: only comparisons of the words above read it."},
	optLaneRange: {Name: choiceLaneRange, Values: []string{"modulo", rangeAbsent: "inactive"}, Default: "modulo", Source: "docs/reference/valhall.md 11",
		Doc: "What CLPER makes of a lane that the subgroup lacks: the lane modulo its size, or one that is not active."},
	optLaneElements: {Name: choiceLaneElements, Values: []string{"own", elementsFirst: "first"}, Default: "own", Source: "docs/reference/valhall.md 11",
		Doc: "Which lane CLPER takes elements of a vector from: each that of its own element of b, or all that of the first."},
	optInactiveWide: {Name: choiceInactiveWide, Values: []string{"both", inactiveLow: "low"}, Default: "both", Source: "docs/reference/valhall.md 11",
		Doc: "Which words of a CLPER of 64 bits have the result of an inactive lane; the other is 0."},
	optMaskLanes: {Name: choiceMaskLanes, Values: []string{"active", maskLive: "live"}, Default: "active", Source: "docs/reference/valhall.md 11",
		Doc: "Which lanes WMASK counts: those that are active, or all that have not ended."},
	optMaskBits: {Name: choiceMaskBits, Values: []string{"group", bitsWarp: "warp"}, Default: "group", Source: "docs/reference/valhall.md 11",
		Doc: "The lowest bit of WMASK in subgroups of less than a warp: that of the subgroup's first lane, or of the warp's."},
	optDistance: {Name: choiceDistance, Values: []string{"bytes", distanceWords: "words"}, Default: "bytes", Source: "docs/reference/valhall.md 11",
		Doc: "In what BRANCHZI without absolute counts the distance from the next instruction: bytes, or words of 8 bytes."},
	optLowBits: {Name: choiceLowBits, Values: []string{"lowest", lowBitsTrap: "trap"}, Default: "lowest", Source: "docs/reference/valhall.md 11",
		Doc: "What lowbits of a branch tests: the lowest bit; or a trap."},
	optTexturePairs: {Name: choicePairs, Values: []string{"words", noTexturePairs: "none"}, Default: "words", Source: "docs/reference/valhall.md 11",
		Doc: "Whether samples of two textures, samples at varyings and gradients do what their names say, with registers in the order of other samples, or fault."},
	optTile: {Name: choiceTile, Values: []string{"target", noTile: "none"}, Default: "target", Source: "docs/reference/valhall.md 11",
		Doc: "Whether LD_TILE and ST_TILE take the target from the low bits of their first source, or fault."},
	optRescale: {Name: choiceRescale, Values: []string{"steps"}, Default: "steps", Source: "docs/reference/valhall.md 11",
		Doc: "What LDEXP and FMA_RSCALE give of zeros, infinities, NaNs and beyond the range: what the product or FMA gives, scaled and rounded."},
	optLogScale: {Name: choiceLogScale, Values: []string{"significand"}, Default: "significand", Source: "docs/reference/valhall.md 11",
		Doc: "What FADD_LSCALE adds: the significand that FREXPM.log gives."},
	optCubeTies: {Name: choiceCubeTies, Values: []string{"first"}, Default: "first", Source: "docs/reference/valhall.md 11",
		Doc: "The face of CUBEFACE2 where coordinates are equally large: that of x before y before z."},
}
