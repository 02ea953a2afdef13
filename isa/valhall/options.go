package valhall

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// Options by index.
const (
	optSubnormals = iota
	optBounds
	optNaN
	optTables
	optStage     // which stage has filled registers
	optRegisters // number of registers per thread
	optSegmentNull
	optLaneRange
	optMaskLanes
	optMaskBits
	optDistance
	optTexturePairs
	optTile
	optAddresses
	optRescale
	optCarries
	optFunctions
	optClock
	optLdexpHalves
)

// Values of options by index.
const (
	flushSubnormals = 1
	boundsChecked   = 0
	keepNaN         = 1

	noModel = 1 // of all options in unmodelled

	stageAny      = 0
	stageCompute  = 1
	stageVertex   = 2
	stageFragment = 3
	stageBlend    = 4

	fewRegisters  = 1
	nullSecond    = 1
	rangeAbsent   = 1
	maskLive      = 1
	bitsWarp      = 1
	distanceWords = 1

	halvesV9  = 0
	halvesAll = 1
)

// unmodelled are the options that can turn a model off, with the reason why there is no better source.
var unmodelled = [...]string{
	optTables:       "the contents of its table are not public",
	optTexturePairs: "what its registers hold is not known",
	optTile:         "what names its target is not known",
	optAddresses:    "no source says what it gives",
	optCarries:      "no source says what its third operand is",
	optFunctions:    "how exact it is, is not public",
}

// modelled starts the lift of an instruction whose semantics are a model that an option can turn off; if ok is false,
// it traps.
func modelled(l *isa.Lift, option int) (ok bool) {
	if l.Option(option) == noModel {
		l.Fail(ir.TrapUndefined, l.In.Def.Name+": "+unmodelled[option])
		return false
	}
	return true
}

// model is a function of one source that an option can turn off: see modelled.
func model(option int, f isa.Unary) isa.Meaning {
	return isa.Effect(func(l *isa.Lift) {
		if modelled(l, option) {
			l.Dst(0, f(l.Src(0)))
		}
	})
}

// Names of options in rows.
const (
	choiceSegmentNull = "segment-null"
	choiceBounds      = "bounds"
	choiceTables      = "tables"
	choiceRescale     = "rescale"
	choiceLaneRange   = "lane-range"
	choicePairs       = "texture-pairs"
	choiceTile        = "tile"
	choiceAddresses   = "buffer-addresses"
	choiceMaskLanes   = "mask-lanes"
	choiceMaskBits    = "mask-bits"
	choiceDistance    = "branch-distance"
	choiceCarries     = "carries"
	choiceFunctions   = "functions"
	choiceClock       = "clock"
	choiceLdexpHalves = "ldexp-halves"
)

// options are settings of a program's descriptor, and choices that no source decides. docs/reference/valhall.md 11.
var options = []isa.Option{
	optSubnormals: {Name: "subnormals", Values: []string{"preserve", flushSubnormals: "flush"}, Default: "preserve", Source: "docs/reference/valhall.md 9.2",
		Doc: "Whether subnormal floats are taken for zeros and results become zeros: a field of the program's descriptor."},
	optBounds: {Name: choiceBounds, Values: []string{boundsChecked: "check", "none"}, Default: "check", Source: "docs/reference/valhall.md 11",
		Doc: "Whether loads from outside of the buffer of a descriptor give 0, or what lies there in memory."},
	optNaN: {Name: "nan", Values: []string{"canonical", keepNaN: "first"}, Default: "first", Source: "docs/reference/valhall.md 11",
		Doc: "Which quiet NaN a float operation gives: always the positive one without a payload, or the first among its operands."},
	optTables: {Name: choiceTables, Values: []string{"rounded", noModel: "none"}, Default: "rounded", Source: "docs/reference/valhall.md 11",
		Doc: "Whether FRCP_APPROX, FRSQ_APPROX and FEXP_TABLE, whose tables are not public, give what they approximate, correctly rounded, or fault."},
	optStage: {Name: "stage", Values: []string{stageAny: "any", stageCompute: "compute", stageVertex: "vertex", stageFragment: "fragment", stageBlend: "blend"}, Default: "any",
		Source: "docs/reference/valhall.md 7.1", Doc: "What the program is, for lint: the registers that a launch has filled. Of any stage those that can be, r48 to r63."},
	optRegisters: {Name: "registers", Values: []string{"64", fewRegisters: "32"}, Default: "64", Source: "docs/reference/valhall.md 7.1",
		Doc: "Registers of a thread, a field of the program's descriptor: 64, or r0 to r15 and r48 to r63."},
	optSegmentNull: {Name: choiceSegmentNull, Values: []string{"first", nullSecond: "second"}, Default: "first", Source: "docs/reference/valhall.md 11",
		Doc: "The source of SEG_ADD that is the pointer which preserve_null keeps if it is null."},
	optLaneRange: {Name: choiceLaneRange, Values: []string{"modulo", rangeAbsent: "inactive"}, Default: "modulo", Source: "docs/reference/valhall.md 11",
		Doc: "What CLPER makes of a lane that the subgroup lacks: the lane modulo its size, or one that is not active."},
	optMaskLanes: {Name: choiceMaskLanes, Values: []string{"active", maskLive: "live"}, Default: "active", Source: "docs/reference/valhall.md 11",
		Doc: "Which lanes WMASK counts: those that are active, or all that have not ended."},
	optMaskBits: {Name: choiceMaskBits, Values: []string{"group", bitsWarp: "warp"}, Default: "group", Source: "docs/reference/valhall.md 11",
		Doc: "The lowest bit of WMASK in subgroups of less than a warp: that of the subgroup's first lane, or of the warp's."},
	optDistance: {Name: choiceDistance, Values: []string{"bytes", distanceWords: "words"}, Default: "bytes", Source: "docs/reference/valhall.md 11",
		Doc: "In what BRANCHZI without absolute counts the distance from the next instruction: bytes, or words of 8 bytes."},
	optTexturePairs: {Name: choicePairs, Values: []string{"words", noModel: "none"}, Default: "words", Source: "docs/reference/valhall.md 11",
		Doc: "Whether samples of two textures, samples at varyings and gradients do what their names say, with registers in the order of other samples, or fault."},
	optTile: {Name: choiceTile, Values: []string{"target", noModel: "none"}, Default: "target", Source: "docs/reference/valhall.md 11",
		Doc: "Whether LD_TILE and ST_TILE take the target from the low bits of their first source, or fault."},
	optAddresses: {Name: choiceAddresses, Values: []string{"kin", noModel: "none"}, Default: "kin", Source: "docs/reference/valhall.md 11",
		Doc: "Whether LEA_PKA gives the address that LD_BUFFER reads from and LEA_BUF what LEA_BUF_IMM gives, or they fault: no source says it but their names."},
	optRescale: {Name: choiceRescale, Values: []string{"steps"}, Default: "steps", Source: "docs/reference/valhall.md 11",
		Doc: "What LDEXP and FMA_RSCALE give of zeros, infinities, NaNs and beyond the range: what the product or FMA gives, scaled and rounded."},
	optCarries: {Name: choiceCarries, Values: []string{"word", noModel: "none"}, Default: "word", Source: "docs/reference/valhall.md 11",
		Doc: "Whether IADDC adds and ISUBB subtracts their third source, a word, and give the carry or borrow as 1, or fault: no source says it but their names."},
	optFunctions: {Name: choiceFunctions, Values: []string{"rounded", noModel: "none"}, Default: "rounded", Source: "docs/reference/valhall.md 11",
		Doc: "Whether FLOG, FEXPF, FSQRT, FSINCOS and FPOW give the function that Mesa's compiler and its fork use them for, rounded, or fault."},
	optClock: {Name: choiceClock, Values: []string{"instructions"}, Default: "instructions", Source: "docs/reference/valhall.md 11",
		Doc: "What LD_GCLK gives, of both clocks: the warp's count of instructions begun."},
	optLdexpHalves: {Name: choiceLdexpHalves, Values: []string{halvesV9: "v9", halvesAll: "all", "none"}, Default: "v9", Source: "docs/reference/valhall.md 11",
		Doc: "The architectures where bits 28 and 29 of LDEXP choose halves of its first source, as Mesa 24.1 says. In the others they say what becomes of infinities, as Arm's table says: 0 changes nothing, 2 of halves is left to option rescale, and other values fault."},
}
