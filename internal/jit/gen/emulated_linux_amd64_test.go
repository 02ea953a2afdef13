package gen

import (
	"testing"

	"github.com/heddle-gpu/heddle/internal/jit/code"
	"github.com/heddle-gpu/heddle/internal/jit/cpu"
	"github.com/heddle-gpu/heddle/internal/jit/emul"
)

// nativeOf returns the compiler for processors with those features: the host, or an emulated one.
func nativeOf(set cpu.Set) *native {
	if cpu.Host().Has(set) {
		return newNative(set, code.NewArena)
	}
	return newNative(set, func(limit int) (*code.Arena, error) { return code.NewEmulated(limit, emul.Call) })
}

// tested returns the feature levels to test. With the race detector, which does not see emulated code, the emulator is
// too slow.
func tested(t *testing.T) (list []cpu.Set) {
	t.Helper()
	for _, set := range []cpu.Set{cpu.Level512, cpu.Level2} {
		if raceEnabled && !cpu.Host().Has(set) {
			t.Logf("NOT TESTED: an emulator under the race detector, with %v", set)
			continue
		}
		list = append(list, set)
	}
	return list
}
