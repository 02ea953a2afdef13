package exec

import (
	"fmt"

	"github.com/heddle-gpu/heddle/mem"
)

// A Sampler answers the tex ops of one texture unit. A *mem.Unit is one; another may play back what a unit
// of real hardware once said. It is called by several goroutines.
type Sampler interface {
	// Sample fills in the texels of the lanes in q.Need, and changes nothing else of q.
	Sample(q *mem.Quad)
}

// Resources are what handles of tex and fetch stand for.
type Resources struct {
	Textures []Sampler // by handle; nil where there is none
	// TextureOf gives the unit of a handle that Textures does not have: one made from descriptor words,
	// say, which the function may keep. Nil: there are no others.
	TextureOf func(handle uint32) (Sampler, error)
	Streams   []*mem.Stream // by handle; nil where there is none. Their elements lie in Global
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
