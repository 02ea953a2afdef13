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

// Segment256 is Segment with vectors of 256 bits although the processor has wider ones; nil if it has none.
func Segment256() exec.Engine {
	if !cpu.Host().Has(cpu.Level512) {
		return nil
	}
	return template.With(cpu.Level2)
}
