package exec

import (
	"fmt"
	"math/bits"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/mem"
)

// A Sampler answers the tex ops of one texture unit. A *mem.Unit is one; another may play back what a unit
// of real hardware once said. It is called by several goroutines.
type Sampler interface {
	// Sample fills in the texels of the lanes in q.Need, and changes nothing else of q.
	Sample(q *mem.Quad)
}

// Resources are what handles of tex and fetch stand for, and who answers input and output ops.
type Resources struct {
	Textures []Sampler // by handle; nil where there is none
	// TextureOf gives the unit of a handle that Textures does not have: one made from descriptor words,
	// say, which the function may keep. Nil: there are no others.
	TextureOf func(handle uint32) (Sampler, error)
	Streams   []*mem.Stream // by handle; nil where there is none. Their elements lie in Global
	Inputs    Inputs        // nil: there are none
	Outputs   Outputs       // nil: there are none
}

// Texture is the unit of a handle.
func (r *Resources) Texture(handle uint32) (Sampler, error) {
	if uint64(handle) < uint64(len(r.Textures)) && r.Textures[handle] != nil {
		return r.Textures[handle], nil
	}
	if r.TextureOf != nil {
		return r.TextureOf(handle)
	}
	return nil, fmt.Errorf("there is no texture unit %d", handle)
}

// Stream is the attribute stream of a handle.
func (r *Resources) Stream(handle uint32) (*mem.Stream, error) {
	if uint64(handle) < uint64(len(r.Streams)) && r.Streams[handle] != nil {
		return r.Streams[handle], nil
	}
	return nil, fmt.Errorf("there is no attribute stream %d", handle)
}

// An IOCall is one input or output op of a wave, as whoever answers it sees it.
type IOCall struct {
	ir.IOAttr
	Type  ir.Type
	Width int    // lanes of the wave
	Lanes uint64 // that ask, or put out
	Slot  [ir.MaxLanes]uint32
	X, Y  [ir.MaxLanes]float32 // of an input with ir.AtOffset: the offset in pixels
	// Value is by component, from First on: to be filled in for the lanes that ask, or what they put out.
	Value [ir.MaxComponents][ir.MaxLanes]uint32
}

// Inputs answers input ops. It is called by the goroutine that runs the wave.
type Inputs interface {
	// Input fills in c.Value for the lanes of c.Lanes, but for those that it refuses: they ask for what there
	// is not, and the error says what of the lowest. Whether a lane is refused depends on its slot alone.
	Input(c *IOCall) (refused uint64, err error)
}

// Outputs takes what output ops put out.
type Outputs interface {
	// Output takes c.Value of all lanes of c.Lanes; or of none, if it refuses some.
	Output(c *IOCall) (refused uint64, err error)
}

// Input answers an input op.
func (r *Resources) Input(c *IOCall) (refused uint64, err error) {
	if r.Inputs == nil {
		return c.Lanes, fmt.Errorf("there is no stage input %d", c.Slot[bits.TrailingZeros64(c.Lanes)&63])
	}
	return r.Inputs.Input(c)
}

// Output takes what an output op puts out.
func (r *Resources) Output(c *IOCall) (refused uint64, err error) {
	if r.Outputs == nil {
		return c.Lanes, fmt.Errorf("there is no stage output %d", c.Slot[bits.TrailingZeros64(c.Lanes)&63])
	}
	return r.Outputs.Output(c)
}
