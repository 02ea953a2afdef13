package sanitize_test

import (
	"context"
	"fmt"
	"log"

	"github.com/heddle-gpu/heddle"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/sanitize"
)

// Two waves of a workgroup swap their items' numbers through workgroup memory, first without a barrier, then with
// one.
func ExampleRaces() {
	gcn := heddle.MustFind("gfx803")
	const store = "v_lshlrev_b32 v1, 2, v0\ns_mov_b32 m0, -1\nds_write_b32 v1, v0\ns_waitcnt lgkmcnt(0)\n"
	const load = "v_xor_b32 v1, 0x100, v1\nds_read_b32 v2, v1\ns_waitcnt lgkmcnt(0)\ns_endpgm\n"
	for _, text := range []string{store + load, store + "s_barrier\n" + load} {
		p, err := gcn.Program(text, heddle.ProgramOptions{Name: "swap", Group: 512})
		if err != nil {
			log.Fatal(err)
		}
		races := &sanitize.Races{}
		l := heddle.Launch{Grid: [3]uint32{128}, Block: [3]uint32{128}, Settings: launch.Settings{Watcher: races}}
		if _, err := p.Launch(context.Background(), l); err != nil {
			log.Fatal(err)
		}
		fmt.Println(len(races.Found()), "races")
		for _, r := range races.Found() {
			fmt.Printf("byte %#x: %q of wave %d and %q of wave %d\n", r.Addr, r.First.Text, r.First.Wave, r.Second.Text, r.Second.Wave)
		}
	}
	// Output:
	// 2 races
	// byte 0x0: "ds_write_b32 v1, v0" of wave 0 and "ds_read_b32 v2, v1" of wave 1
	// byte 0x100: "ds_read_b32 v2, v1" of wave 0 and "ds_write_b32 v1, v0" of wave 1
	// 0 races
}
