package casefile

import (
	"slices"

	"github.com/heddle-gpu/heddle/internal/jsonfile"
)

// A Texture is an image that a case binds to a texture unit, and how the unit samples it. The names are those of the
// case: OpenGL's for filters and wrap modes, 1D 2D 3D CUBE for targets, RGBA8888 and the like.
type Texture struct {
	Unit        int        `json:"unit" range:"0..1024"`
	Target      string     `json:"target"`
	Format      string     `json:"format"`
	Width       int        `json:"width" range:"0..0x10000"` // of level 0, in texels, as are Height and Depth
	Height      int        `json:"height" range:"0..0x10000"`
	Depth       int        `json:"depth" range:"0..0x10000"`
	Wrap        [3]string  `json:"wrap" of:"those of s, t, r"`
	MinFilter   string     `json:"min_filter"`
	MagFilter   string     `json:"mag_filter"`
	MinLod      float64    `json:"min_lod"`
	MaxLod      float64    `json:"max_lod" default:"12"`
	LodBias     float64    `json:"lod_bias"`      // of the texture
	UnitLodBias float64    `json:"unit_lod_bias"` // of the unit, added to it
	MinLevel    int        `json:"min_level" range:"0..64"`
	MaxLevel    int        `json:"max_level" default:"12" range:"0..64"`
	MaxAniso    int        `json:"max_aniso" default:"1" range:"0..64"`
	Levels      [][][]byte `json:"levels"`   // [level][face]: texels, x fastest, then y, then z
	_           struct{}   `ignore:"layout"` // describes Levels in words
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

// Textures returns the texture units that the state sets up; it is no error if there are none. Limits that are missing
// have the simulator's values: levels and their detail up to 12, no anisotropy.
func (s *State) Textures() (ts []Texture, err error) {
	err = s.eachExtra("textures", func(v []byte) error {
		var t Texture
		if err := jsonfile.Decode(v, &t); err != nil {
			return err
		}
		if slices.ContainsFunc(ts, func(u Texture) bool { return u.Unit == t.Unit }) {
			return jsonfile.Bad("a second texture of unit %d", t.Unit)
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
	return jsonfile.Under(key, jsonfile.EachElement(v, func(_ int, v []byte) error { return f(v) }))
}

// A streamEntry is one of: the stream bound to an attribute, an attribute's default, a stream.
type streamEntry struct {
	Attribute int        `json:"attribute" default:"-1" range:"0..1024"` // -1: not given
	Stream    int        `json:"stream" default:"-1" range:"0..1024"`    // -1: not given
	Default   *[4]uint32 `json:"default"`
	Addr      uint64     `json:"addr"`
	Stride    uint64     `json:"stride"`
	Format    string     `json:"format"`
	Elements  int        `json:"elements" range:"1..4"`
}

// Streams returns the vertex attributes that the state sets up, by ascending number; it is no error if there are none.
// A missing default is 0, 0, 0, 1.
func (s *State) Streams() ([]Stream, error) {
	var entries []streamEntry
	err := s.eachExtra("streams", func(v []byte) error {
		var e streamEntry
		err := jsonfile.Decode(v, &e)
		if err == nil && e.Attribute < 0 && (e.Stream < 0 || e.Elements == 0) {
			err = jsonfile.Bad("neither an attribute nor a stream with its elements")
		}
		entries = append(entries, e)
		return err
	})
	if err != nil {
		return nil, err
	}
	ss, err := bind(entries)
	slices.SortFunc(ss, func(a, b Stream) int { return a.Attribute - b.Attribute })
	return ss, jsonfile.At(err, "streams")
}

// bind combines attributes with their streams and defaults.
func bind(entries []streamEntry) (ss []Stream, err error) {
	streams := map[int]*streamEntry{}
	for i := range entries {
		if e := &entries[i]; e.Attribute < 0 {
			streams[e.Stream] = e
		}
	}
	at := map[int]int{} // in ss, by attribute
	for _, e := range entries {
		if e.Attribute < 0 {
			continue
		}
		i, ok := at[e.Attribute]
		if !ok {
			i = len(ss)
			at[e.Attribute] = i
			ss = append(ss, Stream{Attribute: e.Attribute, Default: [4]uint32{3: 0x3f800000}})
		}
		a := &ss[i]
		if e.Default != nil {
			a.Default = *e.Default
		}
		from := streams[e.Stream]
		switch {
		case from != nil:
			a.Bound, a.Addr, a.Stride, a.Format, a.Elements = true, from.Addr, from.Stride, from.Format, from.Elements
		case e.Stream >= 0:
			return nil, jsonfile.Bad("attribute %d: stream %d is not described", e.Attribute, e.Stream)
		}
	}
	return ss, nil
}
