package gcn

import (
	"context"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/launch"
)

// TestHostileDraws: whatever the registers, code and draw command, a draw ends with a picture or an error.
func TestHostileDraws(t *testing.T) {
	rnd := rand.New(rand.NewPCG(9, 9))
	drawn, refused := 0, 0
	for round := range 60 {
		name := []string{"mvp_cube", "mandelbrot_discard", "mrt"}[round%3]
		s, err := ReadSceneFile(filepath.Join(drawn3, name, "scene.json"))
		if err != nil {
			t.Fatal(err)
		}
		v := s.Variant("gfx8")
		regs := slices.Sorted(maps.Keys(v.Registers))
		for range 1 + rnd.IntN(3) {
			switch r := regs[rnd.IntN(len(regs))]; rnd.IntN(8) {
			case 0:
				v.Registers[r] = rnd.Uint32()
			case 1:
				v.Registers[r] ^= 1 << rnd.IntN(32)
			case 2:
				delete(v.Registers, r)
			case 3:
				code := [2][]byte{v.Vertex.Code, v.Pixel.Code}[rnd.IntN(2)]
				code[rnd.IntN(len(code))] ^= 1 << rnd.IntN(8)
			case 4:
				v.Draw.Count, v.Draw.Instances = 1+rnd.IntN(100), 1+rnd.IntN(10)
			case 5:
				v.Draw.IndexType, v.Draw.IndexAddr = []string{"u16", "u32"}[rnd.IntN(2)], v.Memory[rnd.IntN(len(v.Memory))].Addr
			case 6:
				v.Registers["PA_CL_VPORT_"+[]string{"XSCALE", "YOFFSET", "ZSCALE"}[rnd.IntN(3)]] = []uint32{0x7fc00000, 0xff800000, 0x46000000, 0xc5000000, 0}[rnd.IntN(5)]
			case 7:
				s.Size[0], s.Size[1] = 1+rnd.IntN(70), 1+rnd.IntN(70)
			}
		}
		_, err = Draw(context.Background(), s, v, launch.Settings{Engine: ref.New(), Workers: 2, Limits: exec.Limits{Steps: 20000, Total: 300000}})
		if err != nil {
			refused++
		} else {
			drawn++
		}
	}
	if drawn < 10 || refused < 10 {
		t.Errorf("%d draws came to an end, %d were refused", drawn, refused)
	}
}
