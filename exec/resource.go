package exec

import (
	"errors"
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
	// ImageOf gives what the descriptors of sample and image ops stand for; it is called by several goroutines and
	// should keep what it makes. Nil: there are no images.
	ImageOf func(k *ImageKey) (Image, error)
	Streams []*mem.Stream // by handle; nil where there is none. Their elements lie in Global
	Inputs  Inputs        // nil: there are none
	// Steady says that what Inputs give a lane of a wave stays the same as long as it runs: they may be asked early, and for lanes
	// that live and never ask themselves.
	Steady  bool
	Outputs Outputs // nil: there are none
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

// An Image answers sample and image ops. A *mem.Unit is one. It is called by several goroutines.
type Image interface {
	Sampler
	// Gather and Lods fill in q as Sample does: four texels' component, two levels of detail.
	Gather(q *mem.Quad, comp uint8)
	Lods(q *mem.Quad)
	// Place is where a texel lies in global memory; 0 bytes: there is none.
	Place(at [3]uint32, slice, level uint32) (addr uint64, bytes uint32)
	// Texel is the components of a texel by its numbers. The error says why it cannot be read.
	Texel(p *mem.Spot) ([4]uint32, error)
	// Dims is width, height, depth or layers of a level, and how many levels there are.
	Dims(level uint32) [4]uint32
	// Decode and Encode convert between the bytes of a texel and components.
	Decode(raw [4]uint32) [4]uint32
	Encode(t [4]uint32) (raw [4]uint32, err error)
	// Narrow and Widen convert between components of 32 and of 16 bits.
	Narrow(t [4]uint32) [4]uint32
	Widen(t [4]uint32) [4]uint32
}

// A RowImage is an image whose texels have one number, the first, and that knows those of many lanes at once. False: lanes have to be asked one by one,
// and it is as if nobody had asked. Where lanes do not ask it may leave anything.
type RowImage interface {
	Image
	Texels(at *[ir.MaxLanes]uint32, lanes uint64, to *[4][ir.MaxLanes]uint32) (ok bool)
}

// An ImageKey is all that an op says of the image it asks: equal keys stand for the same image.
type ImageKey struct {
	Words [ir.MaxImageWords]uint32 // of descriptors, zeros after them
	Count uint8                    // words
	With  ir.ImageWith             // ImageArray, ImageTexels, ImageCompare and ImagePacked
	Do    ir.ImageDo               // of an image op ImagePlace, whichever it is
}

// Image is what descriptors stand for.
func (r *Resources) Image(k *ImageKey) (Image, error) {
	if r.ImageOf == nil {
		return nil, errors.New("there are no images: the launch does not know their descriptors")
	}
	return r.ImageOf(k)
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
	One   bool                 // all of Slot are the same
	X, Y  [ir.MaxLanes]float32 // of an input with ir.AtOffset: the offset in pixels
	// Value is the components of an input, from First on: to be filled in for the lanes that ask. Of an input of one component no more than its row may be
	// written: what is behind it may be others'.
	Value *IOValue
	// Put is the Count components of an output, from First on. They are not to be written, and stand there until Output returns.
	Put [ir.MaxComponents]*IORow
}

// An IOValue is the components of an input, an IORow one of an input or output: a lane each.
type (
	IOValue = [ir.MaxComponents]IORow
	IORow   = [ir.MaxLanes]uint32
)

// Same is the slot, if it is one for all lanes that ask.
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

// Inputs answers input ops. It is called by the goroutine that runs the wave.
type Inputs interface {
	// Input fills in c.Value for the lanes of c.Lanes, but for those that it refuses: they ask for what there
	// is not, and the error says what of the lowest. Whether a lane is refused depends on its slot alone.
	Input(c *IOCall) (refused uint64, err error)
}

// Outputs takes what output ops put out.
type Outputs interface {
	// Output takes c.Put of all lanes of c.Lanes; or of none, if it refuses some.
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
