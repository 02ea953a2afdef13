package chips

import "strings"

// A Room is what a core has room for of a launch at once.
type Room struct {
	Units  int    `json:"simds"`        // that issue the instructions of their waves: SIMDs, or 1
	Waves  int    `json:"waves_a_simd"` // of one of them
	Groups int    `json:"groups"`       // of the core
	From   string `json:"from"`         // whose rules they are
}

// Threads of a Valhall core, which are not in the table of cores as nothing is published of groups.
const (
	valhallWarps = 1024 / 16
	valhallFrom  = "Mesa, src/panfrost/lib/pan_props.c: 1024 threads a core, or 512 with more than 32 registers; what else limits groups is not published"
)

// RoomOf returns what a core of a chip has room for. It is never less than a group: one that does not fit does not
// run on the chip, and has the core for itself.
func RoomOf(chip *Chip, r Resources) Room {
	isa, c := chip.ISA, coreOf(chip.ISA)
	if f := chip.Figure("simd.waves"); c != nil && f != nil && f.Sure == Given {
		given := *c
		given.waves, c = int(f.Value), &given
	}
	switch {
	case strings.HasPrefix(isa, "valhall:"):
		x := Room{Units: 1, Waves: valhallWarps, From: valhallFrom}
		if r.Vector > 32 {
			x.Waves /= 2
		}
		return x.of((max(r.Items, 1) + 15) / 16)
	case c == nil || c.waves == 0:
		return Room{Units: 1, From: "nothing is published of how many waves run beside each other: a group has a core for itself"}
	}
	gw := c.groupWaves(&r)
	x := Room{Units: c.units, Waves: min(c.waves, c.byScalar(&r)), From: c.source}
	groups := c.groups
	if c.slots > 0 && gw > 1 {
		groups = min(groups, c.slots)
	}
	if r.Memory > 0 {
		groups = min(groups, c.memory.of(r.Memory))
	}
	switch {
	case r.Vector == 0:
	case c.pair == 0:
		x.Waves = min(x.Waves, c.vector.of(r.Vector*c.lanes))
	default:
		groups = min(groups, c.vector.of(roundUp(gw, c.pair)*c.lanes*r.Vector))
	}
	x = x.of(gw)
	x.Groups = max(1, min(x.Groups, groups))
	return x
}

// RoomOfWaves returns what a core of a chip has room for of waves that are of no group, as those of draws: each has
// registers of its own.
func RoomOfWaves(chip *Chip, r Resources) Room {
	r.Items, r.Memory = 0, 0
	x := RoomOf(chip, r)
	c := coreOf(chip.ISA)
	if c == nil || c.waves == 0 {
		return x
	}
	if c.pair > 0 && r.Vector > 0 {
		x.Waves = min(x.Waves, max(1, c.vector.of(r.Vector*c.lanes)))
	}
	x.Groups = x.Units * x.Waves
	return x
}

// of returns the room in groups of so many waves.
func (x Room) of(groupWaves int) Room {
	x.Groups = max(1, x.Units*x.Waves/groupWaves)
	x.Waves = max(x.Waves, (groupWaves+x.Units-1)/x.Units)
	return x
}
