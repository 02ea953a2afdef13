package chips_test

import (
	"testing"

	"github.com/heddle-gpu/heddle/internal/chips"
)

// TestOccupancy: examples of documents, and what would allow more waves.
func TestOccupancy(t *testing.T) {
	for _, x := range []struct {
		isa   string
		takes chips.Resources
		want  string
	}{
		// CUDA C Programming Guide 4.2, 5.2.3: two blocks of 512 threads with 16 registers on 1.2, one with 17.
		{"tesla:gt215", chips.Resources{Vector: 16, Items: 512}, "32 of 32 warps a multiprocessor"},
		{"tesla:gt215", chips.Resources{Vector: 17, Items: 512}, "16 of 32 warps a multiprocessor, limited by 17 registers; with 16 registers or fewer 32"},
		// Kirk and Hwu, Programming Massively Parallel Processors, 5.4: three blocks of 256 threads with 10 registers on
		// G80, two with 11.
		{"tesla:g80", chips.Resources{Vector: 10, Items: 256}, "24 of 24 warps a multiprocessor"},
		{"tesla:g80", chips.Resources{Vector: 11, Items: 256}, "16 of 24 warps a multiprocessor, limited by 11 registers; with 10 registers or fewer 24"},
		{"tesla:g80", chips.Resources{Vector: 10, Items: 64}, "16 of 24 warps a multiprocessor, limited by 64 work-items of a group; with 96 work-items of a group 18"},
		{"tesla:g80", chips.Resources{Vector: 10, Items: 256, Memory: 6000}, "16 of 24 warps a multiprocessor, limited by 6000 bytes of shared memory; with 5120 bytes of shared memory or fewer 24"},
		// A SIMD has 256 VGPRs, in fours, and a compute unit 16 barriers.
		{"gcn:gfx8", chips.Resources{Vector: 24, Scalar: 80, Items: 256}, "10 of 10 waves a SIMD"},
		{"gcn:gfx8", chips.Resources{Vector: 25, Scalar: 80, Items: 256}, "9 of 10 waves a SIMD, limited by 25 VGPRs; with 24 VGPRs or fewer 10"},
		{"gcn:gfx8", chips.Resources{Vector: 25, Scalar: 96, Items: 64}, "8 of 10 waves a SIMD, limited by 96 SGPRs; with 80 SGPRs or fewer 9"},
		{"gcn:gfx7", chips.Resources{Vector: 24, Scalar: 96, Items: 64}, "5 of 10 waves a SIMD, limited by 96 SGPRs; with 80 SGPRs or fewer 6"},
		{"gcn:gfx7", chips.Resources{Vector: 24, Items: 128}, "8 of 10 waves a SIMD, limited by 128 work-items of a group; with 192 work-items of a group 10"},
		{"gcn:gfx7", chips.Resources{Vector: 24, Items: 256, Memory: 16384}, "4 of 10 waves a SIMD, limited by 16384 bytes of LDS; with 12800 bytes of LDS or fewer 5"},
		{"gcn:gfx6", chips.Resources{Vector: 129, Items: 128}, "1 of 10 waves a SIMD, limited by 129 VGPRs; with 128 VGPRs or fewer 2"},
		{"gcn:gfx6", chips.Resources{Vector: 129, Items: 1024}, "a group does not fit: 129 VGPRs and 1024 work-items of a group; with 64 VGPRs or fewer 4"},
		// Of gfx6 a group has 32 KiB at most: LLVM, FeatureAddressableLocalMemorySize32768.
		{"gcn:gfx6", chips.Resources{Items: 256, Memory: 32 << 10}, "2 of 10 waves a SIMD, limited by 32768 bytes of LDS; with 21760 bytes of LDS or fewer 3"},
		{"gcn:gfx6", chips.Resources{Items: 256, Memory: 32<<10 + 1}, "a group does not fit: 32769 bytes of LDS; with 32768 bytes of LDS or fewer 2"},
		{"gcn:gfx6", chips.Resources{Memory: 32<<10 + 1}, "a group does not fit: 32769 bytes of LDS; with 32768 bytes of LDS or fewer 10"},
		{"gcn:gfx7", chips.Resources{Items: 256, Memory: 64 << 10}, "1 of 10 waves a SIMD, limited by 65536 bytes of LDS; with 32768 bytes of LDS or fewer 2"},
		{"gcn:gfx7", chips.Resources{Items: 256, Memory: 64<<10 + 1}, "a group does not fit: 65537 bytes of LDS; with 65536 bytes of LDS or fewer 1"},
		// CLRX, occupancy table: 96 SGPRs with 5 waves, 128 with 4.
		{"gcn:gfx6", chips.Resources{Scalar: 96}, "5 of 10 waves a SIMD, limited by 96 SGPRs; with 80 SGPRs or fewer 6"},
		{"gcn:gfx6", chips.Resources{Scalar: 97}, "4 of 10 waves a SIMD, limited by 97 SGPRs; with 96 SGPRs or fewer 5"},
		{"gcn:gfx7", chips.Resources{Scalar: 104}, "4 of 10 waves a SIMD, limited by 104 SGPRs; with 96 SGPRs or fewer 5"},
		{"valhall:v9", chips.Resources{Vector: 64, Items: 256}, "1 of 2 halves of the threads of a core, limited by 64 registers; with 32 registers or fewer 2"},
		{"valhall:v9", chips.Resources{Vector: 32}, "2 of 2 halves of the threads of a core"},
		{"tesla:g80", chips.Resources{Vector: 10}, "not known: registers are those of whole groups, whose size is not known"},
		{"gcn:gfx8", chips.Resources{Items: 64}, "not known: nothing is known of what the program takes"},
		{"gcn:gfx8", chips.Resources{Items: 64, Memory: 1<<32 - 1}, "a group does not fit: 4294967295 bytes of LDS; with 65536 bytes of LDS or fewer 1"},
		{"rogue:rogue", chips.Resources{Vector: 32}, "not known: Imagination publishes tasks of up to 32 work-items, not how many a cluster holds"},
	} {
		o := chips.OccupancyOf(x.isa, x.takes)
		if got := o.String(); got != x.want {
			t.Errorf("%s %+v:\n%s\nwant\n%s", x.isa, x.takes, got, x.want)
		}
	}
}
