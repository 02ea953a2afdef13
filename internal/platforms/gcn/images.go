package gcn

import (
	"fmt"
	"sync"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/mem"
)

// Images are the images of a space, created from descriptors on first use. They have no copies of texels, so launches
// may share them.
type Images struct {
	space  *mem.Space
	tiling *Tiling
	mu     sync.RWMutex
	made   map[exec.ImageKey]exec.Image
}

// NewImages returns Images whose texels are in the space. Without a tiling only linear images are accessed.
func NewImages(space *mem.Space, tiling *Tiling) *Images {
	return &Images{space: space, tiling: tiling, made: map[exec.ImageKey]exec.Image{}}
}

// Space returns the space that has the texels.
func (i *Images) Space() *mem.Space { return i.space }

// maxMade limits how many images are cached: a program can create any number of descriptors.
const maxMade = 4096

// Of returns the image that the descriptors of a sample or image op describe: a T# of eight words, and for a sample an
// S# after it. It is the ImageOf of exec.Resources.
func (i *Images) Of(k *exec.ImageKey) (exec.Image, error) {
	i.mu.RLock()
	u := i.made[*k]
	i.mu.RUnlock()
	if u != nil {
		return u, nil
	}
	u, err := i.make(k)
	if err != nil {
		return nil, err
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if len(i.made) >= maxMade {
		clear(i.made)
	}
	i.made[*k] = u
	return u, nil
}

func (i *Images) make(k *exec.ImageKey) (exec.Image, error) {
	if k.Count != TextureWords && k.Count != TextureWords+SamplerWords {
		return nil, fmt.Errorf("gcn: %d words of descriptors", k.Count)
	}
	words := k.Words[:TextureWords]
	if [TextureWords]uint32(words) == ([TextureWords]uint32{}) {
		return noImage{}, nil
	}
	t, err := textureOf(words, i.space, i.tiling, k.With&ir.ImageArray != 0)
	if err != nil {
		return nil, err
	}
	if k.Count == TextureWords {
		return mem.NewUnit(*t, mem.Sampler{})
	}
	if t.Samples > 0 {
		return nil, fmt.Errorf("gcn: a sampler for a T# of type %d, whose pixels have several samples", field(words, 3, 28, 4))
	}
	s, err := samplerOf(k.Words[TextureWords:k.Count])
	if err != nil {
		return nil, err
	}
	join(s, t, words, k)
	return mem.NewUnit(*t, *s)
}

// join completes a sampler with the fields of the image and the instruction.
func join(s *mem.Sampler, t *mem.Texture, words []uint32, k *exec.ImageKey) {
	integer := t.Format.Integer()
	s.Border = borderOf(s.Border, words, integer)
	s.MinLod = max(s.MinLod, fixed(int32(field(words, 1, 8, 12))))
	s.Unnormalised = s.Unnormalised || k.With&ir.ImageTexels != 0
	if k.With&ir.ImageCompare == 0 {
		s.Compare = mem.CompareNone
	} else if field(words, 1, 26, 4) == 0 { // unorm
		s.Rules.Ref = mem.RefWithin
	}
	if integer && k.Do != ir.SampleTexel { // no texels are blended
		s.Min, s.Mag, s.MaxAniso = mem.Nearest, mem.Nearest, 0
		s.Mip = min(s.Mip, mem.MipNearest)
	}
}
