package rogue

import (
	"fmt"
	"sync"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa/rogue"
	"github.com/heddle-gpu/heddle/mem"
)

// Resources resolves the state words of sample ops to textures with their samplers, created on first use. Texels are in
// the space.
type Resources struct {
	space *mem.Space

	mu   sync.RWMutex
	made map[exec.ImageKey]exec.Image
}

// NewResources returns Resources whose texels are in the space.
func NewResources(space *mem.Space) *Resources {
	return &Resources{space: space, made: map[exec.ImageKey]exec.Image{}}
}

// maxMade limits how many textures are cached: a program can create any number of states.
const maxMade = 4096

// Of is the ImageOf of exec.Resources.
func (r *Resources) Of(k *exec.ImageKey) (exec.Image, error) {
	r.mu.RLock()
	img := r.made[*k]
	r.mu.RUnlock()
	if img != nil {
		return img, nil
	}
	img, err := r.make(k)
	if err != nil {
		return nil, fmt.Errorf("rogue: %w", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.made) >= maxMade {
		clear(r.made)
	}
	r.made[*k] = img
	return img, nil
}

// A words is 128 bits of state; fields are identified by their lowest bit.
type words [rogue.StateWords]uint32

// field returns n bits, at most 32, from bit at up.
func (w *words) field(at, n int) uint32 {
	v := uint64(w[at/32])
	if at/32+1 < len(w) {
		v |= uint64(w[at/32+1]) << 32
	}
	return uint32(v >> (at % 32) & (1<<n - 1))
}

func (w *words) bit(at int) bool { return w.field(at, 1) != 0 }

func (r *Resources) make(k *exec.ImageKey) (exec.Image, error) {
	if k.Count != rogue.TexWords {
		return nil, fmt.Errorf("%d words of a sample, want %d", k.Count, rogue.TexWords)
	}
	image, sampler := words(k.Words[rogue.TexImage:]), words(k.Words[rogue.TexSampler:])
	how := rogue.TexUse(k.Words[rogue.TexHow])
	t, err := textureOf(r.space, &image, how)
	if err != nil {
		return nil, err
	}
	if err := fits(t.Target, how); err != nil {
		return nil, err
	}
	border, err := borderOf(&image, &sampler, t.Format)
	if err != nil {
		return nil, err
	}
	s, err := samplerOf(&sampler, &border)
	if err != nil {
		return nil, err
	}
	if k.With&ir.ImageCompare != 0 {
		s.Compare = comparison(&sampler, how)
	}
	u, err := join(t, s, &image, k.With)
	if err != nil {
		return nil, err
	}
	return asked(u, &image, how)
}

// fits returns an error if an instruction cannot sample the texture.
func fits(t mem.Target, how rogue.TexUse) error {
	want := [...]int{mem.Texture1D: 1, mem.Texture2D: 2, mem.Texture3D: 3, mem.TextureCube: 3}[t]
	if n := how.Dimensions(); n != want {
		return fmt.Errorf("a sample of %d coordinates in a %s texture, which has %d", n, t, want)
	}
	return nil
}
