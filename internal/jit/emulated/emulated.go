// Package emulated returns engines for processors other than the host: package emul executes their code. It is for
// tests only. No program for users links it or the emulator.
package emulated

import (
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/jit/cpu"
	"github.com/heddle-gpu/heddle/internal/jit/emul"
	"github.com/heddle-gpu/heddle/internal/jit/gen"
)

// Wide returns the jit engine and its template mode with vectors of 512 bits.
func Wide() (usual, single exec.Engine) {
	return gen.Emulated(cpu.Level512|cpu.AVX512VPOPCNTDQ, emul.Call)
}
