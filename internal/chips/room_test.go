package chips

import "testing"

// TestRoom: waves and groups that a core has room for, by hand from LLVM's and NVIDIA's tables. Where registers or
// memory limit waves, the room is that of OccupancyOf.
func TestRoom(t *testing.T) {
	for _, c := range []struct {
		isa                  string
		r                    Resources
		units, waves, groups int
	}{
		{"gcn:gfx8", Resources{Vector: 24, Scalar: 16, Items: 256}, 4, 10, 10},
		{"gcn:gfx8", Resources{Vector: 64, Scalar: 16, Items: 256}, 4, 4, 4},
		{"gcn:gfx8", Resources{Vector: 24, Items: 256, Memory: 32 << 10}, 4, 10, 2},
		{"gcn:gfx8", Resources{Vector: 24, Items: 64}, 4, 10, 40},
		{"gcn:gfx8", Resources{Vector: 24, Items: 128}, 4, 10, 16}, // 16 barriers
		{"gcn:gfx8", Resources{Vector: 256, Items: 1024}, 4, 4, 1}, // does not fit: it has the core for itself
		{"tesla:g80", Resources{Vector: 10, Items: 256}, 1, 24, 3},
		{"tesla:g80", Resources{Vector: 16, Items: 256}, 1, 24, 2},
		{"tesla:g200", Resources{Vector: 16, Items: 256, Memory: 9 << 10}, 1, 32, 1},
		{"valhall:v9", Resources{Vector: 64, Items: 64}, 1, 32, 8},
		{"valhall:v9", Resources{Vector: 32, Items: 64}, 1, 64, 16},
		{"rogue:rogue", Resources{Items: 64}, 1, 0, 0},
	} {
		if x := RoomOf(chipOf(t, c.isa), c.r); x.Units != c.units || x.Waves != c.waves || x.Groups != c.groups || x.From == "" {
			t.Errorf("%s %+v: %+v", c.isa, c.r, x)
		}
	}
}

// chipOf returns the default chip of a variant, with figures that are set.
func chipOf(t *testing.T, isa string, set ...string) *Chip {
	t.Helper()
	c, err := Named(isa, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range set {
		if err := c.Set(s); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// TestRoomGiven: the number of waves of a SIMD that is given limits them.
func TestRoomGiven(t *testing.T) {
	r := Resources{Vector: 24, Scalar: 16, Items: 64}
	if x := RoomOf(chipOf(t, "gcn:gfx8", "simd.waves=2"), r); x.Waves != 2 || x.Groups != 8 {
		t.Errorf("%+v", x)
	}
	r.Vector = 4
	if x := RoomOf(chipOf(t, "gcn:gfx8", "simd.waves=20"), r); x.Waves != 20 || x.Groups != 40 {
		t.Errorf("%+v", x)
	}
}
