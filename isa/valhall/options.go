package valhall

import "github.com/heddle-gpu/heddle/isa"

// Options by index.
const (
	optSubnormals = iota
	optBounds
	optNaN
)

// Values of options by index.
const (
	flushSubnormals = 1
	boundsChecked   = 0
	keepNaN         = 1
)

// options are what the descriptor of a program says, and choices where no source decides.
var options = []isa.Option{
	optSubnormals: {Name: "subnormals", Values: []string{"preserve", flushSubnormals: "flush"}, Default: "preserve", Source: "docs/reference/valhall.md 9.2",
		Doc: "Whether subnormal floats are taken for zeros and results become zeros: a field of the program's descriptor."},
	optBounds: {Name: "bounds", Values: []string{boundsChecked: "check", "none"}, Default: "check", Source: "docs/reference/valhall.md 11",
		Doc: "Whether loads from outside of the buffer of a descriptor give 0, or what lies there in memory."},
	optNaN: {Name: "nan", Values: []string{"canonical", keepNaN: "first"}, Default: "canonical", Source: "docs/reference/valhall.md 11",
		Doc: "Which quiet NaN a float operation gives: always the positive one without a payload, or the first among its operands."},
}
