package gcn

import (
	"fmt"

	"github.com/heddle-gpu/heddle/isa/gcn"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/mem"
	"github.com/heddle-gpu/heddle/object"
)

// Bits of COMPUTE_DISPATCH_INITIATOR that order the appends of a launch.
const (
	InitOrdered       = 1 << 3 // ORDERED_APPEND_ENBL
	InitOrderedGroups = 1 << 4 // ORDERED_APPEND_MODE: of groups, not of waves
)

// An appendOrder numbers the waves of a launch with ordered append in the order in which they begin. Sources:
// docs/reference/gcn.md 8.3 and 9.2.
type appendOrder struct {
	grid   *launch.Grid
	groups bool   // the waves of a group have one number
	turns  []byte // the memory of turns
}

// orderOf returns the order that COMPUTE_DISPATCH_INITIATOR asks for, nil if there is none, and the memory of turns.
func orderOf(initiator uint32, grid *launch.Grid) (*appendOrder, *mem.Space) {
	if initiator&InitOrdered == 0 {
		return nil, unordered
	}
	s := mem.NewSegment("turns", 0, gcn.OrderBytes, mem.ReadWrite)
	turns, err := mem.NewSpace("ordered append", s)
	if err != nil {
		panic(err)
	}
	return &appendOrder{grid, initiator&InitOrderedGroups != 0, s.Data}, turns
}

// of makes a launch run its groups one after another: numbers have 11 bits, and workers are up to 1024 waves apart.
func (o *appendOrder) of(l *launch.Launch) *launch.Launch {
	if o != nil {
		l.Workers = 1
	}
	return l
}

// begin prepares the turns for the first wave of each run of a launch.
func (o *appendOrder) begin(g *launch.Group, wave int) {
	if o != nil && g.Index == 0 && wave == 0 {
		clear(o.turns)
	}
}

// unordered takes the place of the turns in other launches: ds_ordered_count is a fault there.
var unordered = &mem.Space{Name: "ordered append, which the launch has not enabled (ORDERED_APPEND_ENBL):"}

// term is the ordered append term of a wave. It has 11 bits.
func (o *appendOrder) term(g *launch.Group, wave int) uint32 {
	n := g.Index
	if !o.groups {
		n = o.wavesBefore(g) + uint64(wave)
	}
	return uint32(n % gcn.OrderIDs)
}

// wavesBefore is the number of waves in the groups before a group. Groups before it on an axis are whole there.
func (o *appendOrder) wavesBefore(g *launch.Group) (n uint64) {
	for axis := range 3 {
		size := g.Size
		size[axis] = o.grid.Block[axis]
		n += uint64(g.ID[axis]) * o.waves(axis, size)
	}
	return n
}

// waves is the number of waves in the groups of all places on the axes below one, which have the given size on the
// others.
func (o *appendOrder) waves(axis int, size [3]uint32) uint64 {
	if axis == 0 {
		return (uint64(size[0])*uint64(size[1])*uint64(size[2]) + waveLanes - 1) / waveLanes
	}
	axis--
	whole := o.grid.Block[axis]
	size[axis] = whole
	n := uint64(o.grid.Groups[axis]-1) * o.waves(axis, size)
	if items := o.grid.Items[axis]; items != 0 {
		size[axis] = items - (o.grid.Groups[axis]-1)*whole
	}
	return n + o.waves(axis, size)
}

// initiatorOf returns the bits of COMPUTE_DISPATCH_INITIATOR with which a kernel is launched.
func (m *Module) initiatorOf(d *object.Descriptor) uint32 {
	if d.Ordered {
		return m.initiator | InitOrdered
	}
	return m.initiator
}

// checkInitiator returns an error for a COMPUTE_DISPATCH_INITIATOR that is no order of appends alone.
func checkInitiator(initiator uint32) error {
	switch initiator {
	case 0, InitOrdered, InitOrdered | InitOrderedGroups:
		return nil
	}
	return fmt.Errorf("compute_dispatch_initiator: %#x is not ORDERED_APPEND_ENBL (8), alone or with ORDERED_APPEND_MODE (24)", initiator)
}
