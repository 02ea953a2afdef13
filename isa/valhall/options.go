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
)

// Values of options by index.
const (
	flushSubnormals = 1
	boundsChecked   = 0
	keepNaN         = 1

	reciprocalOfNegative = 1
	saturatedUnderflow   = 1
	noTables             = 1

	stageAny      = 0
	stageCompute  = 1
	stageVertex   = 2
	stageFragment = 3
	stageBlend    = 4

	fewRegisters = 1
)

// options are what the descriptor of a program says, and choices where no source decides.
var options = []isa.Option{
	optSubnormals: {Name: "subnormals", Values: []string{"preserve", flushSubnormals: "flush"}, Default: "preserve", Source: "docs/reference/valhall.md 9.2",
		Doc: "Whether subnormal floats are taken for zeros and results become zeros: a field of the program's descriptor."},
	optBounds: {Name: "bounds", Values: []string{boundsChecked: "check", "none"}, Default: "check", Source: "docs/reference/valhall.md 11",
		Doc: "Whether loads from outside of the buffer of a descriptor give 0, or what lies there in memory."},
	optNaN: {Name: "nan", Values: []string{"canonical", keepNaN: "first"}, Default: "canonical", Source: "docs/reference/valhall.md 11",
		Doc: "Which quiet NaN a float operation gives: always the positive one without a payload, or the first among its operands."},
	optReciprocal: {Name: "frexpe", Values: []string{"magnitude", reciprocalOfNegative: "reciprocal"}, Default: "magnitude", Source: "docs/reference/valhall.md 11",
		Doc: "Whether FREXPE of a number below zero gives the exponent of its magnitude, or that of the reciprocal or reciprocal root."},
	optUnderflow: {Name: "fexp_underflow", Values: []string{"zero", saturatedUnderflow: "saturate"}, Default: "zero", Source: "docs/reference/valhall.md 11",
		Doc: "What FEXP gives where its fixed-point operand has stopped at -128: 0, or 2^-128 of any finite number."},
	optTables: {Name: "tables", Values: []string{"rounded", noTables: "none"}, Default: "rounded", Source: "docs/reference/valhall.md 11",
		Doc: "Whether FRCP_APPROX, FRSQ_APPROX and FEXP_TABLE, whose tables are not public, give what they approximate, correctly rounded, or fault."},
	optStage: {Name: "stage", Values: []string{stageAny: "any", stageCompute: "compute", stageVertex: "vertex", stageFragment: "fragment", stageBlend: "blend"}, Default: "any",
		Source: "docs/reference/valhall.md 7.1", Doc: "What the program is, for lint: the registers that a launch has filled. Of any stage those that can be, r48 to r63."},
	optRegisters: {Name: "registers", Values: []string{"64", fewRegisters: "32"}, Default: "64", Source: "docs/reference/valhall.md 7.1",
		Doc: "Registers of a thread, a field of the program's descriptor: 64, or r0 to r15 and r48 to r63."},
}
