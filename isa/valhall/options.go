package valhall

import "github.com/heddle-gpu/heddle/isa"

// Options by index.
const (
	optSubnormals = iota
)

// Values of options by index.
const (
	flushSubnormals = 1
)

// options are what the descriptor of a program says, and choices where no source decides.
var options = []isa.Option{
	optSubnormals: {Name: "subnormals", Values: []string{"preserve", flushSubnormals: "flush"}, Default: "preserve", Source: "docs/reference/valhall.md 9.2",
		Doc: "Whether subnormal floats are taken for zeros and results become zeros: a field of the program's descriptor."},
}
