package template

import (
	"github.com/heddle-gpu/heddle/exec/jit/code"
	"github.com/heddle-gpu/heddle/exec/jit/cpu"
	"github.com/heddle-gpu/heddle/exec/jit/emul"
)

// nativeOf is the compiler for processors with those features: this one, or one that is emulated.
func nativeOf(set cpu.Set) *native {
	if cpu.Host().Has(set) {
		return newNative(set, code.NewArena)
	}
	return newNative(set, func(limit int) (*code.Arena, error) { return code.NewEmulated(limit, emul.Call) })
}
