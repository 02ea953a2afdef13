package casefile

import (
	"math"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/internal/jsonfile"
	"github.com/heddle-gpu/heddle/internal/limit"
	"github.com/heddle-gpu/heddle/internal/spell"
)

// check rejects an inconsistent manifest.
func (m *Manifest) check() error {
	for i := range m.Variants {
		switch v := &m.Variants[i]; {
		case v.Bare != nil && m.Format != ManifestFormat:
			return jsonfile.At(jsonfile.Bad("code is always bare in manifests of format %s", m.Format), "variants", jsonfile.Index(i), "bare")
		case v.Address != 0 && v.Bare == nil && m.Format == ManifestFormat:
			return jsonfile.At(jsonfile.Bad("a code object says where its code lies; bare code may have an address"), "variants", jsonfile.Index(i), "address")
		}
	}
	buffers, total := map[string]*Buffer{}, 0
	for i := range m.Buffers {
		b := &m.Buffers[i]
		buffers[b.Name] = b
		err := b.check()
		if err == nil {
			err = m.foreign(b)
		}
		if err != nil {
			return jsonfile.At(err, "buffers", b.Name)
		}
		if total += b.Bytes; total > maxBuffer {
			return jsonfile.At(jsonfile.Bad("more than %d bytes together", maxBuffer), "buffers")
		}
	}
	for i := range m.Launches {
		err := m.Launches[i].check(m.Format, buffers)
		if err == nil {
			err = m.foreign(&m.Launches[i])
		}
		if err != nil {
			return jsonfile.At(err, "launches", jsonfile.Index(i))
		}
	}
	if m.Format != ManifestFormat {
		if err := m.checkPlaced(buffers); err != nil {
			return err
		}
	}
	for i := range m.Pictures {
		if err := m.Pictures[i].check(buffers); err != nil {
			return jsonfile.At(err, "pictures", jsonfile.Index(i))
		}
	}
	return nil
}

// foreign rejects keys of a buffer or launch that manifests of the format do not have.
func (m *Manifest) foreign(of any) error {
	set := ""
	for _, f := range manifestFormats {
		if f.format == m.Format {
			set = f.isa
		}
	}
	return jsonfile.Foreign(of, set, func(sets []string) error {
		var formats []string
		for _, isa := range sets {
			formats = append(formats, ManifestFormatOf(isa))
		}
		return jsonfile.Bad("manifests of format %s have it, this one is %s", strings.Join(formats, ", "), m.Format)
	})
}

func (b *Buffer) check() error {
	switch size := b.elemSize(); {
	case b.Name == "":
		return jsonfile.Bad("a buffer needs a name")
	case b.Bytes%size != 0:
		return jsonfile.At(jsonfile.Bad("%d is no multiple of the %d of %s", b.Bytes, size, b.Elem), "bytes")
	case b.Init == "" && b.Words == nil:
		return jsonfile.Bad("no init")
	case b.Init != "" && b.Words != nil:
		return jsonfile.Bad("both init and words; one of them says what it begins with")
	}
	return nil
}

func (l *Launch) check(format string, buffers map[string]*Buffer) error {
	if l.Block[0]*l.Block[1]*l.Block[2] > maxGroup {
		return jsonfile.At(jsonfile.Bad("%v has more than %d work-items", l.Block, maxGroup), "block")
	}
	for i := range 3 {
		if l.Grid[i]%l.Block[i] != 0 && format != ManifestFormat {
			return jsonfile.At(jsonfile.Bad("%v is no multiple of block %v", l.Grid, l.Block), "grid")
		}
		if i >= l.WorkDim && l.Grid[i] != 1 {
			return jsonfile.At(jsonfile.Bad("%v has more than work_dim %d dimensions", l.Grid, l.WorkDim), "grid")
		}
	}
	if l.Kernarg != nil && l.Args != nil {
		return jsonfile.Bad("both args and kernarg; one of them says what the arguments are")
	}
	for name, w := range l.Registers {
		if n := len(w.V); n == 0 || n > maxWave || slices.Max(w.V) > math.MaxUint32 {
			return jsonfile.At(jsonfile.Bad("want a word of 32 bits, or 1 to %d of them", maxWave), "registers", name)
		}
	}
	for i, a := range l.Args {
		if a.Buffer != "" && buffers[a.Buffer] == nil {
			return jsonfile.At(jsonfile.Bad("there is no buffer %q", jsonfile.Clip(a.Buffer)), "args", jsonfile.Index(i), "buffer")
		}
	}
	return nil
}

func (p *Picture) check(buffers map[string]*Buffer) error {
	b := buffers[p.Buffer]
	switch {
	case strings.ContainsAny(p.Name, "/\\\x00"):
		return jsonfile.At(jsonfile.Bad("%q is no file name", jsonfile.Clip(p.Name)), "name")
	case b == nil:
		return jsonfile.At(jsonfile.Bad("there is no buffer %q", jsonfile.Clip(p.Buffer)), "buffer")
	case p.Width*p.Height > limit.Pixels:
		return jsonfile.Bad("%dx%d pixels, at most %d", p.Width, p.Height, limit.Pixels)
	case p.Width*p.Height*p.size() > b.Bytes:
		return jsonfile.Bad("%dx%d pixels of %s do not fit in the %s of %q", p.Width, p.Height, spell.Count(p.size(), "byte"), spell.Count(b.Bytes, "byte"), b.Name)
	case p.Max < p.Min:
		return jsonfile.At(jsonfile.Bad("%v is below min %v", p.Max, p.Min), "max")
	}
	return nil
}
