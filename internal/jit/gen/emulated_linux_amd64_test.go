package gen

import (
	"testing"

	"github.com/heddle-gpu/heddle/internal/jit/code"
	"github.com/heddle-gpu/heddle/internal/jit/cpu"
	"github.com/heddle-gpu/heddle/internal/jit/emul"
)

// nativeOf is the compiler for processors with those features: this one, or one that is emulated.
func nativeOf(set cpu.Set) *native {
	if cpu.Host().Has(set) {
		return newNative(set, code.NewArena)
	}
	return newNative(set, func(limit int) (*code.Arena, error) { return code.NewEmulated(limit, emul.Call) })
}

// tested are the levels that tests are for. Under the race detector, which sees nothing of it, the emulator is too slow.
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
