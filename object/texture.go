package object

import (
	"slices"
)

// A Texture is an image that a case binds to a texture unit, and how the unit samples it. The names are those of the
// case: OpenGL's for filters and wrap modes, 1D 2D 3D CUBE for targets, RGBA8888 and the like.
type Texture struct {
	Unit                 int
	Target, Format       string
	Width, Height, Depth int       // of level 0, in texels
	Wrap                 [3]string // of s, t, r
	MinFilter, MagFilter string
	MinLod, MaxLod       float64
	LodBias              float64 // of the texture
	UnitLodBias          float64 // of the unit, added to it
	MinLevel, MaxLevel   int
	MaxAniso             int
	Levels               [][][]byte // [level][face]: texels, x fastest, then y, then z
}

// A Stream is the layout of the elements of one vertex attribute. If no stream is bound to an attribute, Bound is false
// and it reads as its default.
type Stream struct {
	Attribute int
	Bound     bool
	Addr      uint64
	Stride    uint64 // bytes
	Format    string // of one component: unorm8, float32 and the like
	Elements  int    // components in memory, 1 to 4
	Default   [4]uint32
}

// Limits of the claims of a case, far above any real one.
const (
	maxUnit    = 1 << 10
	maxTexture = 1 << 16
)

var textureKeys = keyTable[Texture]{rows: func() keys[Texture] {
	return keys[Texture]{
		"unit":          asInt(0, maxUnit, func(t *Texture) *int { return &t.Unit }),
		"target":        asString(func(t *Texture) *string { return &t.Target }),
		"format":        asString(func(t *Texture) *string { return &t.Format }),
		"width":         asInt(0, maxTexture, func(t *Texture) *int { return &t.Width }),
		"height":        asInt(0, maxTexture, func(t *Texture) *int { return &t.Height }),
		"depth":         asInt(0, maxTexture, func(t *Texture) *int { return &t.Depth }),
		"wrap":          readWrap,
		"min_filter":    asString(func(t *Texture) *string { return &t.MinFilter }),
		"mag_filter":    asString(func(t *Texture) *string { return &t.MagFilter }),
		"min_lod":       asFloat(func(t *Texture) *float64 { return &t.MinLod }),
		"max_lod":       asFloat(func(t *Texture) *float64 { return &t.MaxLod }),
		"lod_bias":      asFloat(func(t *Texture) *float64 { return &t.LodBias }),
		"unit_lod_bias": asFloat(func(t *Texture) *float64 { return &t.UnitLodBias }),
		"min_level":     asInt(0, 64, func(t *Texture) *int { return &t.MinLevel }),
		"max_level":     asInt(0, 64, func(t *Texture) *int { return &t.MaxLevel }),
		"max_aniso":     asInt(0, 64, func(t *Texture) *int { return &t.MaxAniso }),
		"levels":        readLevels,
		"layout":        func(*Texture, []byte) error { return nil }, // describes Levels in words
	}
}}

func readWrap(t *Texture, v []byte) error {
	n := 0
	err := eachElement(v, func(i int, v []byte) error {
		s, err := jsonString(v)
		if i < len(t.Wrap) {
			t.Wrap[i] = s
		}
		n++
		return err
	})
	if err == nil && n != len(t.Wrap) {
		err = badValue("%d wrap modes, want %d", n, len(t.Wrap))
	}
	return err
}

func readLevels(t *Texture, v []byte) error {
	return eachElement(v, func(_ int, v []byte) error {
		var faces [][]byte
		err := eachElement(v, func(_ int, v []byte) error {
			b, err := readBytes(v)
			faces = append(faces, b)
			return err
		})
		t.Levels = append(t.Levels, faces)
		return err
	})
}

// Textures returns the texture units that the state sets up; it is no error if there are none. Limits that are missing
// have the simulator's values: levels and their detail up to 12, no anisotropy.
func (s *State) Textures() (ts []Texture, err error) {
	err = s.eachExtra("textures", func(v []byte) error {
		t := Texture{MaxLod: 12, MaxLevel: 12, MaxAniso: 1}
		if err := readObject(&t, v, &textureKeys, nil); err != nil {
			return err
		}
		if slices.ContainsFunc(ts, func(u Texture) bool { return u.Unit == t.Unit }) {
			return badValue("a second texture of unit %d", t.Unit)
		}
		ts = append(ts, t)
		return nil
	})
	return ts, err
}

// eachExtra calls f with the elements of a list that the state keeps in Extra, if it exists.
func (s *State) eachExtra(key string, f func(v []byte) error) error {
	v, ok := s.Extra[key]
	if !ok {
		return nil
	}
	return under(key, eachElement(v, func(_ int, v []byte) error { return f(v) }))
}

// A streamEntry is one of: the stream bound to an attribute, an attribute's default, a stream.
type streamEntry struct {
	attribute, stream int // -1: not given
	words             []uint64
	Stream
}

var streamKeys = keyTable[streamEntry]{rows: func() keys[streamEntry] {
	return keys[streamEntry]{
		"attribute": asInt(0, maxUnit, func(e *streamEntry) *int { return &e.attribute }),
		"stream":    asInt(0, maxUnit, func(e *streamEntry) *int { return &e.stream }),
		"default": func(e *streamEntry, v []byte) error {
			w, err := readWords(v)
			if err == nil && (!w.List || len(w.V) != 4) {
				err = badValue("%d words, want a list of 4", len(w.V))
			}
			e.words = w.V
			return err
		},
		"addr":     func(e *streamEntry, v []byte) (err error) { e.Addr, err = readWord(v); return err },
		"stride":   func(e *streamEntry, v []byte) (err error) { e.Stride, err = readWord(v); return err },
		"format":   asString(func(e *streamEntry) *string { return &e.Format }),
		"elements": asInt(1, 4, func(e *streamEntry) *int { return &e.Elements }),
	}
}}

// Streams returns the vertex attributes that the state sets up, by ascending number; it is no error if there are none.
// A missing default is 0, 0, 0, 1.
func (s *State) Streams() ([]Stream, error) {
	var entries []streamEntry
	err := s.eachExtra("streams", func(v []byte) error {
		e := streamEntry{attribute: -1, stream: -1}
		err := readObject(&e, v, &streamKeys, nil)
		if err == nil && e.attribute < 0 && (e.stream < 0 || e.Elements == 0) {
			err = badValue("neither an attribute nor a stream with its elements")
		}
		entries = append(entries, e)
		return err
	})
	if err != nil {
		return nil, err
	}
	ss, err := bind(entries)
	slices.SortFunc(ss, func(a, b Stream) int { return a.Attribute - b.Attribute })
	return ss, under("streams", err)
}

// bind combines attributes with their streams and defaults.
func bind(entries []streamEntry) (ss []Stream, err error) {
	streams := map[int]*streamEntry{}
	for i := range entries {
		if e := &entries[i]; e.attribute < 0 {
			streams[e.stream] = e
		}
	}
	at := map[int]int{} // in ss, by attribute
	for _, e := range entries {
		if e.attribute < 0 {
			continue
		}
		i, ok := at[e.attribute]
		if !ok {
			i = len(ss)
			at[e.attribute] = i
			ss = append(ss, Stream{Attribute: e.attribute, Default: [4]uint32{3: 0x3f800000}})
		}
		a := &ss[i]
		for k, w := range e.words {
			a.Default[k] = uint32(w)
		}
		from := streams[e.stream]
		switch {
		case from != nil:
			a.Bound, a.Addr, a.Stride, a.Format, a.Elements = true, from.Addr, from.Stride, from.Format, from.Elements
		case e.stream >= 0:
			return nil, badValue("attribute %d: stream %d is not described", e.attribute, e.stream)
		}
	}
	return ss, nil
}
