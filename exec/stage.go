package exec

import (
	"fmt"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/mem"
)

// A Prober observes what waves do, by probes in their code. It is also an observer.
type Prober interface {
	Observer
	// Watch returns the code to run in place of another one. windows are those of its flat address space. If it returns an
	// *Program, what engines have compiled of it is kept.
	Watch(code ir.Code, windows []Window) ir.Code
}

// A Beginner is a Prober that gets the place where the waves of a launch, or of a stage of a draw, begin, before
// Watch.
type Beginner interface {
	Prober
	Begins(at ir.Key)
}

// A Tallier is a Prober whose code may count (ir.Machine.Tallies).
type Tallier interface {
	Prober
	// Tallies returns the counters to which the waves of a slot add: no two goroutines run waves of one slot.
	Tallies(slot int) []uint64
}

// A Shadower is a Prober whose code may be for a machine with a shadow (ir.Shadowing).
type Shadower interface {
	Prober
	// Shadows returns the shadow of the memory that waves share.
	Shadows() *mem.Shadows
}

// A Stage says of the wave of a draw what its lanes work on, and which of its outputs the draw reads.
type Stage interface {
	// Item returns what a lane works on.
	Item(lane int) Item
	// Wants returns the bits of a component of an output op that the draw reads of a lane. slot is that of the op.
	Wants(lane int, slot uint32, component int) uint32
}

// An Item is what a lane of a draw works on: a vertex or a fragment.
type Item struct {
	Draw     string // its name
	Fragment bool   // otherwise a vertex
	Vertex   int
	Instance int
	// Primitive is the number of the triangle in its instance, before clipping and culling, negative if it is not known,
	// and X, Y its pixel in the program's coordinates.
	Primitive, X, Y int
}

// String returns what it is without the draw: vertex 5 of instance 1; primitive 3, pixel (1,2).
func (i *Item) String() string {
	instance := ""
	if i.Instance > 0 {
		instance = fmt.Sprintf(" of instance %d", i.Instance)
	}
	if !i.Fragment {
		return fmt.Sprintf("vertex %d%s", i.Vertex, instance)
	}
	primitive := ""
	if i.Primitive >= 0 {
		primitive = fmt.Sprintf("primitive %d%s, ", i.Primitive, instance)
	}
	return fmt.Sprintf("%spixel (%d,%d)", primitive, i.X, i.Y)
}

// An OutputRead is an output that a draw reads of a wave that has ended: bits of a register in lanes, or bytes of
// global memory.
type OutputRead struct {
	Cell  ir.Cell
	Bits  uint32
	Lanes uint64
	Addr  uint64
	Bytes int // 0: a register; of memory Lanes is the lane for which it is read
}

// GiveShadow puts the shadow of an environment's global memory into it, for a machine with a shadow.
func (e *Env) GiveShadow(s *ir.Shadowing, shadows *mem.Shadows) error {
	e.Shadow = s.Banks
	first, banks := s.Banks[ir.GlobalSpace], e.Spaces[ir.GlobalSpace]
	if first == 0 || len(banks) == 0 {
		return nil
	}
	if len(banks) > first {
		banks = banks[:first]
	}
	list := make([]*mem.Space, first+len(banks))
	copy(list, banks)
	for i, space := range banks {
		if space == nil {
			continue
		}
		t, err := shadows.Space(space, uint8(i))
		if err != nil {
			return fmt.Errorf("shadow of memory: %w", err)
		}
		list[first+i] = t
	}
	e.Spaces[ir.GlobalSpace] = list
	return nil
}

// GivePrivateShadow puts the shadow of an environment's private memory into it, and returns its bytes; nil: it has
// none.
func (e *Env) GivePrivateShadow(s *ir.Shadowing) []byte {
	first := s.Banks[ir.PrivateSpace]
	if first == 0 || len(e.Private) == 0 || e.Private[0] == nil {
		return nil
	}
	of := *e.Private[0]
	of.Data = mem.Alloc(len(of.Data))
	e.Private = append(append(make([]*mem.Private, 0, first+1), e.Private[0]), make([]*mem.Private, first)...)
	e.Private[first] = &of
	return of.Data
}
