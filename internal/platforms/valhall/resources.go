package valhall

import (
	"fmt"
	"sync"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa/valhall"
	"github.com/heddle-gpu/heddle/mem"
)

// Resources resolves the handles of image ops: attributes, buffers, textures, created from descriptors on first use.
// Later changes of descriptors have no effect.
type Resources struct {
	space   *mem.Space
	arch    int
	packets []packet // of the built-in table; only for vertex programs

	mu   sync.RWMutex
	made map[exec.ImageKey]exec.Image
}

// NewResources returns Resources for descriptors of a variant in the space, which also holds buffers and texels.
func NewResources(space *mem.Space, variant int) *Resources {
	return &Resources{space: space, arch: valhall.Arch(variant), made: map[exec.ImageKey]exec.Image{}}
}

// A packet is the location of the records of vertices that the built-in table describes; 0 bytes: none.
type packet struct{ base, stride uint64 }

// maxMade limits how many images are cached: a program can create any number of handles.
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
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.made) >= maxMade {
		clear(r.made)
	}
	r.made[*k] = img
	return img, nil
}

func (r *Resources) make(k *exec.ImageKey) (exec.Image, error) {
	if k.Count != valhall.ResWords {
		return nil, fmt.Errorf("valhall: %d words of an image op, want %d", k.Count, valhall.ResWords)
	}
	pointer := uint64(k.Words[valhall.ResTable]) | uint64(k.Words[valhall.ResTableHigh])<<32
	handle, how := k.Words[valhall.ResHandle], valhall.ResUse(k.Words[valhall.ResHow])
	switch how.Kind() {
	case valhall.UseAttribute:
		d, err := lookup(r.space, pointer, handle, typeAttribute)
		if err != nil {
			return nil, err
		}
		return newAttribute(r.space, pointer, d, r.arch)
	case valhall.UseBuffer:
		return r.buffer(pointer, handle)
	case valhall.UseConversion:
		u, err := converter(r.space, handle&pixelBits)
		return conversion{u}, err
	}
	d, err := lookup(r.space, pointer, handle, typeTexture)
	if err != nil {
		return nil, err
	}
	if how.Kind() == valhall.UseTexel {
		return newTexels(r.space, d, r.arch)
	}
	t, lods, err := textureOf(r.space, d, r.arch, how.Array() || how.Layer())
	if err != nil {
		return nil, err
	}
	if how.Layer() && t.Layers == 1 {
		t.Layers = 0 // then no layer is addressed
	}
	if want := dimensions[how.Dimension()]; t.Target != want {
		return nil, fmt.Errorf("valhall: a %s sample of a %s texture", want, t.Target)
	}
	w, err := lookup(r.space, pointer, k.Words[valhall.ResSampler], typeSampler)
	if err != nil {
		return nil, err
	}
	s, err := samplerOf(w)
	if err != nil {
		return nil, err
	}
	if how.Unbiased() {
		s.Bias = 0
	}
	return join(t, s, lods, d.field(0, 10, 22), k.With&ir.ImageCompare != 0)
}

// dimensions are the targets of samples.
var dimensions = [4]mem.Target{valhall.Dim1D: mem.Texture1D, valhall.Dim2D: mem.Texture2D, valhall.Dim3D: mem.Texture3D, valhall.DimCube: mem.TextureCube}

// converter returns a unit that only converts texels of a pixel format.
func converter(s *mem.Space, pixel uint32) (*mem.Unit, error) {
	f, err := formatOf(pixel, plainSwizzle)
	if err != nil {
		return nil, err
	}
	return mem.NewUnit(mem.Texture{Format: f, Width: 1, Guest: &mem.Placement{Space: s, Levels: []mem.Plane{{}}}}, mem.Sampler{})
}

// A conversion converts between components and the bytes of a texel.
type conversion struct{ *mem.Unit }

// Place returns only the size: there is no address.
func (c conversion) Place([3]uint32, uint32, uint32) (addr uint64, bytes uint32) {
	_, bytes = c.Unit.Place([3]uint32{}, 0, 0)
	return 0, bytes
}

// texels are those of an image or texture, addressed by integer coordinates.
type texels struct {
	*mem.Unit
	pixel uint32 // its format
}

func newTexels(s *mem.Space, d descriptor, arch int) (exec.Image, error) {
	t, _, err := textureOf(s, d, arch, true)
	if err != nil {
		return nil, err
	}
	if t.Layers == 1 && t.Target != mem.TextureCube {
		t.Layers = 0 // then no coordinate addresses it
	}
	u, err := mem.NewUnit(*t, mem.Sampler{})
	return texels{u, d.field(0, 10, 22)}, err
}

// Dims also returns the conversion.
func (t texels) Dims(level uint32) [4]uint32 {
	if level == valhall.ConversionOf {
		return [4]uint32{t.pixel}
	}
	return t.Unit.Dims(level)
}

// buffer returns the location of elements: of the records of vertices, or of a buffer with a stride.
func (r *Resources) buffer(pointer uint64, handle uint32) (exec.Image, error) {
	if handle>>valhall.HandleTable == valhall.TablePacket {
		n := int(handle & valhall.HandleIndex)
		if n >= len(r.packets) || r.packets[n].stride == 0 {
			return nil, fmt.Errorf("valhall: record %d of a vertex packet, in a program that has no such", n)
		}
		return elements{packet: r.packets[n]}, nil
	}
	d, err := lookup(r.space, pointer, handle, typeBuffer)
	if err != nil {
		return nil, err
	}
	stride := uint64(d[4])
	if kind := d.field(0, 4, 4); kind == simpleBuffer {
		stride = 1
	} else if kind != structuredBuffer {
		return nil, fmt.Errorf("valhall: the address of an element in a buffer of type %d, want 1 or 3: simple, structured", kind)
	}
	return elements{packet: packet{d.pair(2), stride}}, nil
}

// Types of buffers.
const (
	simpleBuffer     = 1
	structuredBuffer = 3
)

// elements are elements of a buffer, a stride apart.
type elements struct {
	*mem.Unit
	packet
}

func (e elements) Place(at [3]uint32, _, _ uint32) (addr uint64, bytes uint32) {
	return e.base + uint64(at[0])*e.stride, uint32(e.stride)
}
