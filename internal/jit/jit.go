// Package jit returns the engine that runs machine code of the host, and its variants for tests.
package jit

import (
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/jit/cpu"
	"github.com/heddle-gpu/heddle/internal/jit/gen"
)

// New returns the jit engine: it compiles segments of blocks to machine code.
func New() exec.Engine { return gen.New() }

// Template returns the jit engine in the template mode, with values in memory after each op, with which tests compare
// it.
func Template() exec.Engine { return gen.Single() }

// New256 returns the jit engine with vectors of 256 bits even if the processor has wider ones; nil if it has none.
func New256() exec.Engine {
	if !cpu.Host().Has(cpu.Level512) {
		return nil
	}
	return gen.With(cpu.Level2)
}
