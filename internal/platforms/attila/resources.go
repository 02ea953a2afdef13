package attila

import (
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/spell"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa/attila"
	"github.com/heddle-gpu/heddle/mem"
)

// constBytes is the size of the constants: 16 bytes each.
const constBytes = 16 * attila.NumConst

// Constants returns the constant space of a launch. data is c0.x, c0.y and so on, little-endian, followed by zeros.
func Constants(data []byte) (*mem.Space, error) {
	if len(data) > constBytes {
		return nil, fmt.Errorf("attila: %s of constants; there are %d constants of 16", spell.Count(len(data), "byte"), attila.NumConst)
	}
	g := mem.NewSegment("constants", 0, constBytes, mem.Read)
	copy(g.Data, data)
	return mem.NewSpace("const", g)
}

// prepare gives a wave the constants, textures and attribute streams of a case.
func prepare(env *exec.Env, s *casefile.State) error {
	data := make([]byte, constBytes)
	for name, w := range s.Uniform {
		at, err := constAt(name)
		if err != nil {
			return err
		}
		binary.LittleEndian.PutUint32(data[at:], uint32(w.Lane(0)))
	}
	space, err := Constants(data)
	if err != nil {
		return err
	}
	env.Spaces[ir.ConstSpace] = []*mem.Space{space}
	if err := addTextures(env, s); err != nil {
		return err
	}
	return addStreams(env, s)
}

// constAt returns the byte offset of a constant by name: c12.x.
func constAt(name string) (int, error) {
	reg, comp, _ := strings.Cut(name, ".")
	n, c := 0, strings.Index("xyzw", comp)
	_, err := fmt.Sscanf(reg, "c%d", &n)
	if err != nil || fmt.Sprintf("c%d", n) != reg || n < 0 || n >= attila.NumConst || len(comp) != 1 || c < 0 {
		return 0, fmt.Errorf("attila: no constant %q", name)
	}
	return 16*n + 4*c, nil
}

func addTextures(env *exec.Env, s *casefile.State) error {
	ts, err := s.Textures()
	if err != nil {
		return err
	}
	for i := range ts {
		t := &ts[i]
		u, err := Texture(t)
		if err != nil {
			return fmt.Errorf("attila: texture unit %d: %w", t.Unit, err)
		}
		if t.Unit >= attila.NumUnit {
			return fmt.Errorf("attila: texture unit %d; there are %d", t.Unit, attila.NumUnit)
		}
		for len(env.Textures) <= t.Unit {
			env.Textures = append(env.Textures, nil)
		}
		env.Textures[t.Unit] = u
	}
	return nil
}

// Texture returns the texture unit that a texture of a case or scene describes.
func Texture(t *casefile.Texture) (*mem.Unit, error) {
	smp := mem.Sampler{Bias: float32(t.LodBias) + float32(t.UnitLodBias), MinLod: float32(t.MinLod), MaxLod: float32(t.MaxLod), MaxAniso: t.MaxAniso}
	tex := mem.Texture{Format: mem.FormatOf(t.Format), Width: t.Width, Height: t.Height, Depth: t.Depth, Base: t.MinLevel, Last: t.MaxLevel, Levels: t.Levels}
	var ok bool
	if tex.Target, ok = mem.TargetOf(t.Target); !ok {
		return nil, fmt.Errorf("no target %q", t.Target)
	}
	if tex.Format == nil {
		return nil, fmt.Errorf("no format %q", t.Format)
	}
	if smp.Min, smp.Mip, ok = mem.FilterOf(t.MinFilter); !ok {
		return nil, fmt.Errorf("no filter %q", t.MinFilter)
	}
	if smp.Mag, _, ok = mem.FilterOf(t.MagFilter); !ok {
		return nil, fmt.Errorf("no filter %q", t.MagFilter)
	}
	for i, w := range t.Wrap {
		if smp.Wrap[i], ok = mem.WrapOf(w); !ok {
			return nil, fmt.Errorf("no wrap mode %q", w)
		}
	}
	return mem.NewUnit(tex, smp)
}

func addStreams(env *exec.Env, s *casefile.State) error {
	ss, err := s.Streams()
	if err != nil {
		return err
	}
	for i := range ss {
		a := &ss[i]
		if a.Attribute >= attila.NumUnit {
			return fmt.Errorf("attila: attribute %d; there are %d", a.Attribute, attila.NumUnit)
		}
		stream := &mem.Stream{Default: a.Default}
		if a.Bound {
			stream.Addr, stream.Stride, stream.Elements = a.Addr, a.Stride, a.Elements
			if stream.Format = mem.StreamFormatOf(a.Format); stream.Format == nil {
				return fmt.Errorf("attila: no stream format %q", a.Format)
			}
		}
		for len(env.Streams) <= a.Attribute {
			env.Streams = append(env.Streams, nil)
		}
		env.Streams[a.Attribute] = stream
	}
	return nil
}
