package profiles

import (
	"context"
	"testing"

	"github.com/heddle-gpu/heddle"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/profile"
)

// TestOccupancy: registers are those of the descriptor, or those that bare code names, with what hardware keeps after
// them.
func TestOccupancy(t *testing.T) {
	if got := heat(t).Launches[0].Occupancy; got.From != fromObject || got.Takes.Vector == 0 || got.Takes.Scalar == 0 || got.Takes.Items != 64 || got.Takes.Memory != 8192 {
		t.Errorf("%+v", got)
	}
	for _, x := range []struct{ isa, text, want string }{
		{"gfx803", "v_mov_b32 v9, 0\ns_mov_b32 s20, 0\ns_endpgm", "10 VGPRs, 21 SGPRs (those that the code names), 512 bytes of LDS, groups of 64"},
		{"gfx803", "v_add_u32 v9, vcc, v0, v1\ns_mov_b32 s20, 0\ns_endpgm", "10 VGPRs, 23 SGPRs (those that the code names), 512 bytes of LDS, groups of 64"},
		{"gfx803", "s_mov_b64 vcc, flat_scratch\ns_mov_b64 s[20:21], 0\ns_endpgm", "28 SGPRs (those that the code names), 512 bytes of LDS, groups of 64"},
		{"gfx700", "v_mov_b32 v255, 0\ns_mov_b64 vcc, flat_scratch\ns_endpgm", "256 VGPRs, 4 SGPRs (those that the code names), 512 bytes of LDS, groups of 64"},
		{"gfx600", "v_mov_b32 v3, vcc_lo\ns_endpgm", "4 VGPRs, 2 SGPRs (those that the code names), 512 bytes of LDS, groups of 64"},
		{"valhall:v9", "IADD.u32.end r15, r0, r63", "32 registers (those that the code names), groups of 64"},
		{"valhall:v9", "IADD.u32.end r16, r0, r63", "64 registers (those that the code names), groups of 64"},
	} {
		set, err := heddle.Find(x.isa)
		if err != nil {
			t.Fatal(err)
		}
		p, err := set.Program(x.text, heddle.ProgramOptions{Group: 512})
		if err != nil {
			t.Fatal(err)
		}
		counts := profile.New(nil)
		if _, err := p.Launch(context.Background(), heddle.Launch{Grid: [3]uint32{64}, Block: [3]uint32{64}, Settings: launch.Settings{Watcher: counts}}); err != nil {
			t.Fatal(err)
		}
		list := Of(counts)
		if got := list[0].Launches[0].Occupancy.Detail(list[0].ISA); got != x.want {
			t.Errorf("%s: %s, want %s", x.text, got, x.want)
		}
	}
}
