package exec

import (
	"errors"
	"fmt"
	"math/bits"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/mem"
)

// A Sampler answers the tex ops of one texture unit. *mem.Unit implements it; another implementation may replay
// recordings of hardware. It must be safe for concurrent use.
type Sampler interface {
	// Sample fills in the texels of the lanes in q.Need, and changes nothing else of q.
	Sample(q *mem.Quad)
}

// Resources are the textures, images and streams that handles and descriptors refer to, and the sources and sinks
// of input and output ops.
type Resources struct {
	Textures []Sampler // by handle; nil if there is none
	// TextureOf returns the unit of a handle that Textures does not have, for example one made from descriptor
	// words. The function may cache units. nil: there are no others.
	TextureOf func(handle uint32) (Sampler, error)
	// ImageOf returns the image that the descriptors of sample and image ops refer to. It must be safe for
	// concurrent use and should cache what it makes. nil: there are no images.
	ImageOf func(k *ImageKey) (Image, error)
	Streams []*mem.Stream // by handle; nil if there is none; their elements are in Global
	Inputs  Inputs        // nil: there are none
	// Steady says that the inputs of a lane stay the same as long as its wave runs. They may then be requested
	// early, and for live lanes that never request them.
	Steady  bool
	Outputs Outputs // nil: there are none
}

// Texture returns the unit of a handle.
func (r *Resources) Texture(handle uint32) (Sampler, error) {
	if uint64(handle) < uint64(len(r.Textures)) && r.Textures[handle] != nil {
		return r.Textures[handle], nil
	}
	if r.TextureOf != nil {
		return r.TextureOf(handle)
	}
	return nil, fmt.Errorf("there is no texture unit %d", handle)
}

// An Image answers sample and image ops. *mem.Unit implements it. It must be safe for concurrent use.
type Image interface {
	Sampler
	// Gather and Lods fill in q as Sample does: one component of four texels, and two levels of detail.
	Gather(q *mem.Quad, comp uint8)
	Lods(q *mem.Quad)
	// Place returns the address of a texel in global memory; bytes is 0 if it has none.
	Place(at [3]uint32, slice, level uint32) (addr uint64, bytes uint32)
	// Block is as Place, but a texel of a format of blocks has the place of its block.
	Block(at [3]uint32, slice, level uint32) (addr uint64, bytes uint32)
	// Texel returns the components of a texel by its coordinates. The error says why it cannot be read.
	Texel(p *mem.Spot) ([4]uint32, error)
	// Dims returns width, height, depth or layers of a level, and the number of levels.
	Dims(level uint32) [4]uint32
	// Decode and Encode convert between the bytes of a texel and its components. Of a block of texels Decode returns
	// the one that has these coordinates in the image.
	Decode(raw [4]uint32, x, y uint32) [4]uint32
	Encode(t [4]uint32) (raw [4]uint32, err error)
	// Narrow and Widen convert between 32-bit and 16-bit components.
	Narrow(t [4]uint32) [4]uint32
	Widen(t [4]uint32) [4]uint32
}

// A RowImage is an image whose texels have one component, the first, and that can return those of many lanes in one
// call. If the call returns false the lanes must be requested one by one, as if it had not been made. The values of
// lanes that were not requested are undefined.
type RowImage interface {
	Image
	Texels(at *[ir.MaxLanes]uint32, lanes uint64, to *[4][ir.MaxLanes]uint32) (ok bool)
}

// An ImageKey is all that an op says of its image: equal keys refer to the same image.
type ImageKey struct {
	Words [ir.MaxImageWords]uint32 // of descriptors, then zeros
	Count uint8                    // words
	With  ir.ImageWith             // ImageArray, ImageTexels, ImageCompare and ImagePacked
	Do    ir.ImageDo               // ImagePlace for every image op
}

// Image returns the image of descriptors.
func (r *Resources) Image(k *ImageKey) (Image, error) {
	if r.ImageOf == nil {
		return nil, errors.New("there are no images: the launch does not know their descriptors")
	}
	return r.ImageOf(k)
}

// Stream returns the attribute stream of a handle.
func (r *Resources) Stream(handle uint32) (*mem.Stream, error) {
	if uint64(handle) < uint64(len(r.Streams)) && r.Streams[handle] != nil {
		return r.Streams[handle], nil
	}
	return nil, fmt.Errorf("there is no attribute stream %d", handle)
}

// An IOCall is one input or output op of a wave, as its implementation sees it.
type IOCall struct {
	ir.IOAttr
	Type  ir.Type
	Width int    // lanes of the wave
	Lanes uint64 // the lanes that execute the op
	Slot  [ir.MaxLanes]uint32
	One   bool                 // all of Slot are the same
	X, Y  [ir.MaxLanes]float32 // of an input with ir.AtOffset: the offset in pixels
	// Value is the components of an input, starting at First; Input fills it in for the lanes of Lanes. For an
	// input of one component only its own row may be written: the memory after it may be in other use.
	Value *IOValue
	// Put is the Count components of an output, starting at First. They are read-only, and valid until Output
	// returns.
	Put [ir.MaxComponents]*IORow
}

// An IOValue is the components of an input; an IORow is one component of an input or output: one element per lane.
type (
	IOValue = [ir.MaxComponents]IORow
	IORow   = [ir.MaxLanes]uint32
)

// Same returns the slot, if it is the same in all lanes that execute the op.
func (c *IOCall) Same() (slot uint32, ok bool) {
	if c.One {
		return c.Slot[0], c.Lanes != 0
	}
	slot = c.Slot[bits.TrailingZeros64(c.Lanes)&63]
	for m := c.Lanes; m != 0; m &= m - 1 {
		if c.Slot[bits.TrailingZeros64(m)&63] != slot {
			return 0, false
		}
	}
	return slot, c.Lanes != 0
}

// Inputs implements input ops. It is called by the goroutine that runs the wave.
type Inputs interface {
	// Input fills in c.Value for the lanes of c.Lanes except those that it refuses, whose inputs do not exist. The
	// error is that of the lowest refused lane. Whether a lane is refused depends on its slot alone.
	Input(c *IOCall) (refused uint64, err error)
}

// Outputs implements output ops.
type Outputs interface {
	// Output takes c.Put of all lanes of c.Lanes; or of none, if it refuses some.
	Output(c *IOCall) (refused uint64, err error)
}

// Input executes an input op.
func (r *Resources) Input(c *IOCall) (refused uint64, err error) {
	if r.Inputs == nil {
		return c.Lanes, fmt.Errorf("there is no stage input %d", c.Slot[bits.TrailingZeros64(c.Lanes)&63])
	}
	return r.Inputs.Input(c)
}

// Output executes an output op.
func (r *Resources) Output(c *IOCall) (refused uint64, err error) {
	if r.Outputs == nil {
		return c.Lanes, fmt.Errorf("there is no stage output %d", c.Slot[bits.TrailingZeros64(c.Lanes)&63])
	}
	return r.Outputs.Output(c)
}
