// Package emulated has the engines for processors that this one is not: package emul carries their code out. It is for tests. No program
// that runs work for anybody has it, nor the emulator.
package emulated

import (
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/jit/cpu"
	"github.com/heddle-gpu/heddle/internal/jit/emul"
	"github.com/heddle-gpu/heddle/internal/jit/gen"
)

// Wide are the jit engine and its template mode with vectors of 512 bits.
func Wide() (usual, single exec.Engine) {
	return gen.Emulated(cpu.Level512|cpu.AVX512VPOPCNTDQ, emul.Call)
}
