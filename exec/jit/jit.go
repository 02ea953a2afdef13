// Package jit lists the engines that run machine code of the host.
package jit

import (
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/exec/jit/cpu"
	"github.com/heddle-gpu/heddle/exec/jit/template"
)

// Template is the engine with machine code for ops, one after another.
func Template() exec.Engine { return template.Template() }

// Segment is the engine with machine code for runs of ops.
func Segment() exec.Engine { return template.Segment() }

// Region is the segment engine that runs loops for some lanes of a wave after others.
func Region() exec.Engine { return template.Region() }

// Regions is the region engine, but for running every loop that it can for some lanes after others, whether it pays or not: for tests.
func Regions() exec.Engine { return template.Regions() }

// Segment256 is Segment with vectors of 256 bits although the processor has wider ones; nil if it has none.
func Segment256() exec.Engine {
	if !cpu.Host().Has(cpu.Level512) {
		return nil
	}
	return template.With(cpu.Level2)
}
