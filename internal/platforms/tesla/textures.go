package tesla

import (
	"fmt"
	"sync"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/spell"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa/tesla"
	"github.com/heddle-gpu/heddle/mem"
)

// Textures are the textures and samplers of $t and $s of a program. The zero value has none. They are not changed once
// a program runs.
type Textures struct {
	textures map[uint32]texture
	samplers map[uint32]mem.Sampler

	mu    sync.RWMutex
	units map[unitKey]*mem.Unit // created on first use
}

type texture struct {
	*mem.Texture
	depth *mem.Format // the format of comparisons, for samplers that compare; nil: they do not compare
}

// A unitKey is a texture and the sampler that it is read with.
type unitKey struct {
	texture, sampler uint32
	bare             bool // without a sampler
}

// rules are the rules of OpenGL ES 3.1.
var rules = mem.Rules{Face: mem.FaceEach, Wrap: mem.WrapTexel, Border: mem.BorderColour, Lod: mem.LodSigned, Ref: mem.RefGiven, Mix: mem.MixAxes}

// formatNames are the formats of a texture as colours and as depth.
type formatNames struct{ colour, depth string }

// formats returns the texel formats by name. Read as a colour, depth is in red.
func formats() map[string]formatNames {
	return map[string]formatNames{
		"rgba8": {"RGBA8888", ""}, "rgba8ui": {"RGBA8888_UINT", ""}, "d32f": {"R32F", "DEPTH32F"},
	}
}

// AddTexture binds a texture with texels in the layout of Texture.
func (t *Textures) AddTexture(x *Texture, texels []byte) error {
	f, ok := formats()[x.Format]
	if !ok {
		return fmt.Errorf("$t%d: no format %q", x.Number, x.Format)
	}
	m := &mem.Texture{Target: mem.Texture2D, Format: mem.FormatOf(f.colour), Width: x.Width, Height: x.Height, Depth: 1, Last: x.Levels - 1}
	switch x.Kind {
	case "2d":
	case "cube":
		m.Target = mem.TextureCube
	case "2darray":
		m.Layers = x.Layers
	default:
		return fmt.Errorf("$t%d: no kind %q", x.Number, x.Kind)
	}
	for level := range x.Levels {
		size := m.Size(level)
		n := size[0] * size[1] * m.Format.Bytes
		var slices [][]byte
		for range x.Layers {
			if len(texels) < n {
				return fmt.Errorf("$t%d: %s: level %d of %dx%d texels needs %s more", x.Number, x.Texels, level, size[0], size[1], spell.Count(n-len(texels), "byte"))
			}
			slices, texels = append(slices, texels[:n:n]), texels[n:]
		}
		m.Levels = append(m.Levels, slices)
	}
	if len(texels) > 0 {
		return fmt.Errorf("$t%d: %s: %s after the last level", x.Number, x.Texels, spell.Count(len(texels), "byte"))
	}
	return t.Bind(uint32(x.Number), m, mem.FormatOf(f.depth))
}

// Bind binds a texture of any kind to $tN. depth is the format with which samplers that compare read it; nil: these
// sample it as other samplers do.
func (t *Textures) Bind(number uint32, m *mem.Texture, depth *mem.Format) error {
	if err := m.Check(); err != nil {
		return fmt.Errorf("$t%d: %w", number, err)
	}
	if t.textures == nil {
		t.textures = map[uint32]texture{}
	}
	t.textures[number] = texture{m, depth}
	return nil
}

// filterNames are the filters that a filter's name selects.
type filterNames struct {
	filter mem.Filter
	mip    mem.MipFilter
}

// filters and the functions below return names in scenes.
func filters() map[string]filterNames {
	return map[string]filterNames{
		"nearest": {mem.Nearest, mem.MipNone}, "linear": {mem.Linear, mem.MipNone},
		"nearest_mip_nearest": {mem.Nearest, mem.MipNearest}, "linear_mip_nearest": {mem.Linear, mem.MipNearest},
		"nearest_mip_linear": {mem.Nearest, mem.MipLinear}, "linear_mip_linear": {mem.Linear, mem.MipLinear},
	}
}

func wraps() map[string]mem.WrapMode {
	return map[string]mem.WrapMode{"repeat": mem.Repeat, "mirrored_repeat": mem.MirroredRepeat, "clamp_to_edge": mem.ClampToEdge}
}

// compares returns comparisons of the reference with the texel, as comparisons of the texel with the reference.
func compares() map[string]mem.Compare {
	return map[string]mem.Compare{
		"none": mem.CompareNone, "never": mem.CompareNever, "always": mem.CompareAlways, "equal": mem.CompareEqual, "not_equal": mem.CompareNotEqual,
		"less": mem.CompareGreater, "less_equal": mem.CompareGreaterEqual, "greater": mem.CompareLess, "greater_equal": mem.CompareLessEqual,
	}
}

// AddSampler binds a sampler.
func (t *Textures) AddSampler(x *Sampler) error {
	low, ok1 := filters()[x.Min]
	high, ok2 := filters()[x.Mag]
	compare, ok3 := compares()[x.Compare]
	s := mem.Sampler{Min: low.filter, Mip: low.mip, Mag: high.filter, Compare: compare, Rules: rules,
		MinLod: float32(x.MinLod), MaxLod: float32(x.MaxLod), Bias: float32(x.Bias)}
	for i, name := range x.Wrap {
		mode, ok := wraps()[name]
		ok1 = ok1 && ok
		s.Wrap[i] = mode
	}
	if !ok1 || !ok2 || !ok3 || high.mip != mem.MipNone {
		return fmt.Errorf("$s%d: a filter, wrap mode or comparison that does not exist: %+v", x.Number, *x)
	}
	return t.BindSampler(uint32(x.Number), s)
}

// BindSampler binds a sampler to $sN, under the rules of OpenGL ES 3.1.
func (t *Textures) BindSampler(number uint32, s mem.Sampler) error {
	if err := s.Check(); err != nil {
		return fmt.Errorf("$s%d: %w", number, err)
	}
	if t.samplers == nil {
		t.samplers = map[uint32]mem.Sampler{}
	}
	s.Rules = rules
	t.samplers[number] = s
	return nil
}

// Of returns the unit that the words of a texture instruction select. It is safe for concurrent use.
func (t *Textures) Of(k *exec.ImageKey) (exec.Image, error) {
	if k.Count != tesla.TexWords {
		return nil, fmt.Errorf("%d words of a texture instruction, want %d", k.Count, tesla.TexWords)
	}
	at := unitKey{k.Words[tesla.TexUnit], k.Words[tesla.TexSampler], k.Do == ir.ImagePlace}
	if at.bare {
		at.sampler = 0
	}
	u, err := t.unit(at)
	if err != nil || at.bare {
		return u, err
	}
	return u, fits(at.texture, u, tesla.TexShape(k.Words[tesla.TexHow]))
}

// fits returns an error if an instruction cannot access the texture that it names.
func fits(number uint32, u *mem.Unit, how tesla.TexShape) error {
	kind := mem.LodImplicit
	if how.Level() {
		kind = mem.LodBias
	}
	cube := u.Target() == mem.TextureCube
	switch need := u.Values(kind); {
	case cube != how.Cube():
		return fmt.Errorf("an instruction with cube %v, and $t%d with cube %v", how.Cube(), number, cube)
	case need > how.Count():
		return fmt.Errorf("an instruction that gives %d values, and $t%d takes %d", how.Count(), number, need)
	}
	return nil
}

// unit returns a texture with a sampler.
func (t *Textures) unit(at unitKey) (*mem.Unit, error) {
	t.mu.RLock()
	u := t.units[at]
	t.mu.RUnlock()
	if u != nil {
		return u, nil
	}
	tex, ok := t.textures[at.texture]
	if !ok {
		return nil, fmt.Errorf("there is no texture $t%d", at.texture)
	}
	m, s := *tex.Texture, mem.Sampler{Rules: rules}
	if !at.bare {
		if s, ok = t.samplers[at.sampler]; !ok {
			return nil, fmt.Errorf("there is no sampler $s%d", at.sampler)
		}
		switch {
		case tex.depth == nil:
			s.Compare = mem.CompareNone
		case s.Compare != mem.CompareNone:
			m.Format = tex.depth
		}
	}
	u, err := mem.NewUnit(m, s)
	if err != nil {
		return nil, fmt.Errorf("$t%d with $s%d: %w", at.texture, at.sampler, err)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.units == nil {
		t.units = map[unitKey]*mem.Unit{}
	}
	t.units[at] = u
	return u, nil
}
