//go:build linux && amd64

package amdgpu

import (
	"errors"
	"testing"

	"github.com/heddle-gpu/heddle/internal/gpu/amdgpu/cp"
	"github.com/heddle-gpu/heddle/internal/gpu/amdgpu/pm4"
	"github.com/heddle-gpu/heddle/internal/platforms/gcn"
	"github.com/heddle-gpu/heddle/launch"
)

// initEnable is COMPUTE_SHADER_EN: package cp refuses dispatches without it.
const initEnable = 1 << 0

// The registers of a dispatch, and the bits of its initiator, are those that package pm4 names, in each generation.
func TestDispatchRegisters(t *testing.T) {
	for gen := 6; gen <= 8; gen++ {
		table := pm4.Table(gen)
		for name, addr := range map[string]uint32{
			"COMPUTE_START_X": regStart, "COMPUTE_START_Z": regStart + 8, "COMPUTE_NUM_THREAD_X": regThreads, "COMPUTE_NUM_THREAD_Z": regThreads + 8,
			"COMPUTE_PGM_LO": regProgramLo, "COMPUTE_PGM_HI": regProgramHi, "COMPUTE_PGM_RSRC1": regRsrc1, "COMPUTE_PGM_RSRC2": regRsrc2,
			"COMPUTE_TMPRING_SIZE": regScratch, "COMPUTE_USER_DATA_0": regUser, "COMPUTE_USER_DATA_15": regUser + 4*(userWords-1),
		} {
			if r, ok := table.ByName(name); !ok || r.Addr != addr {
				t.Errorf("gfx%d: %s is at %#x, want %#x", gen, name, r.Addr, addr)
			}
		}
		init, _ := table.ByName("COMPUTE_DISPATCH_INITIATOR")
		for name, bit := range map[string]uint32{
			"COMPUTE_SHADER_EN": initEnable, "PARTIAL_TG_EN": initPartial, "FORCE_START_AT_000": initFromZero, "ORDERED_APPEND_ENBL": gcn.InitOrdered,
			"ORDERED_APPEND_MODE":   gcn.InitOrderedGroups,
			"USE_THREAD_DIMENSIONS": initDimensions,
		} {
			if f, ok := init.Field(name); !ok || f.Put(0, 1) != bit {
				t.Errorf("gfx%d: %s is bit %d, want %#x", gen, name, f.Lo, bit)
			}
		}
	}
}

// The numbers of a dispatch are ends of ranges: groups from START to DIM, or work-items with USE_THREAD_DIMENSIONS.
// With PARTIAL_TG_EN the last group of an axis has NUM_THREAD_PARTIAL work-items. Source: COMPUTE_DISPATCH_INITIATOR,
// COMPUTE_START_X and COMPUTE_NUM_THREAD_X in AMD's register references.
func TestGridOf(t *testing.T) {
	type axes = [3]uint32
	threads := func(full, partial uint32) uint32 { return full | partial<<16 }
	for _, c := range []struct {
		name                   string
		dim, start, threads    axes
		initiator              uint32
		groups, items, origins axes
	}{
		{"whole groups", axes{4, 2, 1}, axes{9, 9, 9}, axes{64, 2, 1}, initEnable | initFromZero,
			axes{4, 2, 1}, axes{}, axes{}},
		{"a partial group, as its bit says", axes{4, 2, 1}, axes{}, axes{threads(64, 10), threads(2, 1), 1}, initEnable | initFromZero | initPartial,
			axes{4, 2, 1}, axes{3*64 + 10, 3, 0}, axes{}},
		{"a partial group, without the bit", axes{4, 1, 1}, axes{}, axes{threads(64, 10), 1, 1}, initEnable | initFromZero,
			axes{4, 1, 1}, axes{}, axes{}},
		{"a partial group that is whole", axes{4, 1, 1}, axes{}, axes{threads(64, 64), 1, 1}, initEnable | initFromZero | initPartial,
			axes{4, 1, 1}, axes{256, 0, 0}, axes{}},
		{"from a start", axes{7, 3, 2}, axes{3, 1, 1}, axes{64, 1, 1}, initEnable,
			axes{4, 2, 1}, axes{}, axes{3, 1, 1}},
		{"from a start at the end", axes{3, 3, 2}, axes{3, 1, 1}, axes{64, 1, 1}, initEnable,
			axes{0, 2, 1}, axes{}, axes{3, 1, 1}},
		{"from a start after the end", axes{3, 3, 2}, axes{4, 1, 1}, axes{64, 1, 1}, initEnable,
			axes{0, 2, 1}, axes{}, axes{4, 1, 1}},
		{"work-items", axes{100, 7, 1}, axes{}, axes{64, 2, 1}, initEnable | initFromZero | initDimensions,
			axes{2, 4, 1}, axes{100, 7, 1}, axes{}},
		{"work-items from a start", axes{200, 1, 1}, axes{1, 0, 0}, axes{64, 1, 1}, initEnable | initDimensions,
			axes{3, 1, 1}, axes{136, 1, 1}, axes{1, 0, 0}},
		{"more work-items than 32 bits count", axes{1 << 31, 1, 1}, axes{}, axes{64, 1, 1}, initEnable | initFromZero,
			axes{1 << 31, 1, 1}, axes{}, axes{}},
	} {
		s := &cp.State{Gen: 8}
		for i := range 3 {
			s.Set(regStart+4*uint32(i), c.start[i])
			s.Set(regThreads+4*uint32(i), c.threads[i])
		}
		k := &gcn.RegisterLaunch{}
		gridOf(k, s, cp.Dispatch{Groups: c.dim, Initiator: c.initiator})
		want := launch.Grid{Groups: c.groups, Items: c.items}
		for i := range 3 {
			want.Block[i] = c.threads[i] & 0xffff
		}
		if k.Grid != want || k.Origin != c.origins {
			t.Errorf("%s: %+v from %v, want %+v from %v", c.name, k.Grid, k.Origin, want, c.origins)
		}
	}
}

// A program that takes 10 user registers, of which packets have set 8, faults with a register that nothing was put in.
func TestUnwritten(t *testing.T) {
	s := &cp.State{Gen: 8}
	for i := range uint32(8) {
		s.Set(regUser+4*i, 0)
	}
	fault := errors.New("fault")
	k := &gcn.RegisterLaunch{Rsrc2: 10 << 1}
	err := withUnwritten(fault, k, s)
	if want := "fault; the driver has never set s8, s9, which the program takes (COMPUTE_PGM_RSRC2 USER_SGPR)"; !errors.Is(err, fault) || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	if err := withUnwritten(nil, k, s); err != nil {
		t.Error(err)
	}
	k.Rsrc2 = 8 << 1
	if err := withUnwritten(fault, k, s); err != fault {
		t.Errorf("%v, but all is set", err)
	}
}
