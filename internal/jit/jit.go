// Package jit lists the engines that run machine code of the host.
package jit

import (
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/jit/cpu"
	"github.com/heddle-gpu/heddle/internal/jit/gen"
)

// New is the engine with machine code for runs of ops.
func New() exec.Engine { return gen.New() }

// Template is New with values in memory after each op, for tests to compare with it.
func Template() exec.Engine { return gen.Single() }

// New256 is New with vectors of 256 bits although the processor has wider ones; nil if it has none.
func New256() exec.Engine {
	if !cpu.Host().Has(cpu.Level512) {
		return nil
	}
	return gen.With(cpu.Level2)
}
