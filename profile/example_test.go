package profile_test

import (
	"context"
	"fmt"
	"log"

	"github.com/heddle-gpu/heddle"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/profile"
)

// Lanes store words that lie 32 words apart in LDS, all in one bank.
func ExampleProfiler() {
	p, err := heddle.MustFind("gfx803").Program("s_mov_b32 m0, -1\nv_lshlrev_b32 v1, 7, v0\nds_write_b32 v1, v0\ns_endpgm\n", heddle.ProgramOptions{Group: 8192})
	if err != nil {
		log.Fatal(err)
	}
	counts := profile.New(func(ir.Code) profile.Memory { return profile.Memory{Line: 64, Banks: 32, Pass: 32} })
	l := heddle.Launch{Grid: [3]uint32{64}, Block: [3]uint32{64}, Settings: launch.Settings{Watcher: counts}}
	if _, err := p.Launch(context.Background(), l); err != nil {
		log.Fatal(err)
	}
	for _, c := range counts.Codes() {
		for _, in := range c.Insts {
			fmt.Println(in.Waves, in.Lanes, c.Text(in.PC))
			for _, u := range in.Memory {
				fmt.Printf("  %v in %v memory: %d passes in place of %d\n", u.How, u.Space, u.Passes, u.Free)
			}
		}
	}
	// Output:
	// 1 64 s_mov_b32 m0, -1
	// 1 64 v_lshlrev_b32_e32 v1, 7, v0
	// 1 64 ds_write_b32 v1, v0
	//   store in group memory: 64 passes in place of 2
	// 1 64 s_endpgm
}
