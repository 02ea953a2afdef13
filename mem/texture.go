package mem

import "fmt"

// A Texture is an image with its mipmap levels. It is read-only during a run.
type Texture struct {
	Target               Target
	Format               *Format
	Width, Height, Depth int        // of level 0, in texels; those that the target does not have are ignored
	Layers               int        // of an array: each has the faces of the target; 0: no array. Not of 3D textures
	Levels               [][][]byte // [level][slice]: texels, x fastest, then y, then z, without padding between rows
	Base, Last           int        // levels in use; Last beyond Levels means the last level
	// Samples, if more than 1, is the number of samples of a pixel. Levels are then samples, all of the same size. Only
	// in guest memory, for Texel, Block and Place.
	Samples int
	// Guest, if not nil, is where the texels are instead of Levels: in memory that the program can also access by
	// address, and change.
	Guest *Placement
}

// A Placement is the place of a texture's texels in guest memory. Reads of them are not reported as accesses.
type Placement struct {
	Space  *Space
	Levels []Plane
}

// A Plane is the place of the texels of a level: the address of the first, and the distances in bytes between rows,
// and between slices: the z of a 3D texture, else face layer*6 + face, or layer; with several samples a pixel each
// layer has as many slices. First is added to the slice. With a
// Swizzle, rows are rows of blocks, and slices those of blocks. In a Twiddled texture the index of a texel in its
// slice, or in the level of a 3D texture, is in Morton order: bits of y, x and z in turn, y first, as many as Logs
// says; Row is unused.
type Plane struct {
	Base, Row, Slice uint64
	First            uint32
	Texel            uint64 // distance between texels in bytes, if it is more than the format's size; unused with a Swizzle
	Swizzle          *Swizzle
	Part             uint64 // of a Swizzle: the distance between parts of a block in bytes
	Twiddled         bool
	Logs             [3]uint8 // of Twiddled: the sides of the level in memory are these powers of two
}

// A Target is the shape of a texture.
type Target uint8

const (
	Texture1D Target = iota
	Texture2D
	Texture3D
	TextureCube // faces in the order +x -x +y -y +z -z
	numTargets
)

var targetNames = [numTargets]string{"1D", "2D", "3D", "CUBE"}

func (t Target) String() string { return nameOf(targetNames[:], t) }

// TargetOf returns the target of that name: 1D, 2D, 3D, CUBE.
func TargetOf(name string) (Target, bool) { return named[Target](targetNames[:], name) }

// axes is the number of coordinates within a face.
func (t Target) axes() int { return [numTargets]int{1, 2, 3, 2}[t] }

func (t Target) faces() int {
	if t == TextureCube {
		return 6
	}
	return 1
}

// slices is the number of slices of a level: the faces of all layers.
func (t *Texture) slices() int { return t.Target.faces() * max(t.Layers, 1) }

// levels returns the number of levels.
func (t *Texture) levels() int {
	if t.Guest != nil {
		return len(t.Guest.Levels)
	}
	return len(t.Levels)
}

// Size returns the number of texels along each axis at a level: half of the next lower level, rounded down, at
// least 1.
func (t *Texture) Size(level int) (size [3]int) {
	if t.Samples > 1 {
		level = 0
	}
	for i, n := range [3]int{t.Width, t.Height, t.Depth} {
		size[i] = 1
		if i < t.Target.axes() {
			size[i] = max(n>>min(level, 62), 1)
		}
	}
	return size
}

// maxSide limits the size of a texture, so that sizes of levels can be multiplied without overflow.
const maxSide = 1 << 16

// Check reports what is wrong with the texture: no format, no texels, or a level whose data is too short.
func (t *Texture) Check() error {
	if t.Target >= numTargets || t.Format == nil {
		return fmt.Errorf("mem: texture: target %s, format %v", t.Target, t.Format)
	}
	for i, n := range [3]int{t.Width, t.Height, t.Depth} {
		if i < t.Target.axes() && (n < 1 || n > maxSide) {
			return fmt.Errorf("mem: %s texture: %d texels along axis %d, want 1 to %d", t.Target, n, i, maxSide)
		}
	}
	if t.Layers < 0 || t.Layers > maxSide || t.Layers > 0 && t.Target == Texture3D {
		return fmt.Errorf("mem: %s texture: %d layers", t.Target, t.Layers)
	}
	if t.Base < 0 || t.Base >= t.levels() || t.Last < t.Base {
		return fmt.Errorf("mem: %s texture: levels %d to %d of %d", t.Target, t.Base, t.Last, t.levels())
	}
	if t.Guest != nil {
		return t.Guest.check(t)
	}
	if t.Format.Blocks != nil {
		return fmt.Errorf("mem: %s texture: %s, of blocks, not in guest memory", t.Target, t.Format.Name)
	}
	for l, faces := range t.Levels {
		size := t.Size(l)
		want := size[0] * size[1] * size[2] * t.Format.Bytes
		if len(faces) != t.slices() {
			return fmt.Errorf("mem: %s texture: level %d has %d faces, want %d", t.Target, l, len(faces), t.slices())
		}
		for f, data := range faces {
			if len(data) < want {
				return fmt.Errorf("mem: %s texture: level %d, face %d: %d bytes, want %d of %s", t.Target, l, f, len(data), want, t.Format.Name)
			}
		}
	}
	return nil
}

func (p *Placement) check(t *Texture) error {
	if t.Samples > 1 && (t.Target != Texture2D || len(p.Levels) != t.Samples) {
		return fmt.Errorf("mem: %s texture: %d samples a pixel, places of %d", t.Target, t.Samples, len(p.Levels))
	}
	if p.Space == nil || t.Levels != nil {
		return fmt.Errorf("mem: %s texture: in guest memory and in its own, or in no space", t.Target)
	}
	return nil
}

// A Sampler says how a texture is read.
type Sampler struct {
	Wrap           [3]WrapMode // by axis
	Min, Mag       Filter
	Mip            MipFilter // of Min
	Bias           float32   // added to every level of detail
	MinLod, MaxLod float32
	MaxAniso       int        // 1 (or 0): off. Only for implicit levels of detail of 2D and cube textures
	Unnormalised   bool       // coordinates are in texels; the level of detail is then the bias alone
	FlipV          bool       // the second coordinate is reversed
	Compare        Compare    // each component of a texel becomes 1 or 0: texel Compare z of the lane
	BGR            bool       // x and z are swapped, after Compare
	Reverse        bool       // x and w, y and z are swapped, after BGR
	Curve          Curve      // of x, y, z, after Reverse
	Border         [4]float32 // the colour outside of the texture, not converted except under RefGiven; only under BorderColour
	Rules          Rules
}

// Rules are choices in which otherwise similar units differ. The zero value is ATTILA's.
type Rules struct {
	Face   FaceRule
	Wrap   WrapRule
	Border BorderRule
	Lod    LodRule
	Ref    RefRule
	Mix    MixRule
	Seam   SeamRule
	Gather GatherRule
}

// A GatherRule says which four texels a gather of integers reads; of others it is those that a linear filter blends.
type GatherRule uint8

const (
	GatherAround GatherRule = iota // the same
	GatherFrom                     // the texel that has the coordinate, and the next along each axis. Only under WrapTexel
)

// A SeamRule says what a linear filter reads beyond the edge of a cube's face under FaceGiven and FaceUnit.
type SeamRule uint8

const (
	SeamWrap   SeamRule = iota // by the wrap modes
	SeamAcross                 // the texel of the adjacent face; at a corner, where there is none, the mean of the other three
)

// A MixRule is the order in which a linear filter blends texels; each product and sum is rounded.
type MixRule uint8

const (
	MixCorners MixRule = iota // the sum of texels times all their weights
	MixAxes                   // pairs along the first axis, the results along the second, then the third
)

// A RefRule says what a comparison compares texels with.
type RefRule uint8

const (
	RefThird  RefRule = iota // the third coordinate
	RefGiven                 // Quad.Ref; the border is compared too
	RefWithin                // the same, first clamped to 0 to 1; NaN is 0
)

// A LodRule says how the level of detail is computed from differences, and which of two equally near levels is the
// nearest.
type LodRule uint8

const (
	LodSigned LodRule = iota // for a texture of one axis: the larger difference, with its sign. Of two equally near levels the larger
	LodLength                // the longer of the two differences. Of two equally near levels the smaller
)

// A FaceRule says which face of a cube a lane reads.
type FaceRule uint8

const (
	FaceVote  FaceRule = iota // the one that most lanes of the quad hit, the lowest if several: for all four
	FaceEach                  // its own; differences are computed on it
	FaceGiven                 // by Quad.Slice; coordinates are on the face already, 1 to 2 unless they are in texels
	FaceUnit                  // the same, with coordinates from 0 to 1
)

// A WrapRule says what a wrap mode applies to.
type WrapRule uint8

const (
	// WrapCoordinate applies to the coordinate before it is scaled, and for linear filters again to texel numbers
	// as unsigned integers. So nearest reads texel n, which does not exist, at 1.0 under Clamp.
	WrapCoordinate WrapRule = iota
	// WrapTexel applies to texel numbers only, as signed integers.
	WrapTexel
)

// A BorderRule says what is read outside of the texture.
type BorderRule uint8

const (
	BorderZeroBytes BorderRule = iota // a texel of zero bytes, converted by the format
	BorderColour                      // Sampler.Border
)

// A WrapMode says how a coordinate outside the texture is handled.
type WrapMode uint8

const (
	Repeat WrapMode = iota
	Clamp           // to [0, 1]: half of the border under linear filters
	ClampToEdge
	ClampToBorder
	MirroredRepeat
	MirrorClamp // the absolute value, then as Clamp; likewise the other two
	MirrorClampToEdge
	MirrorClampToBorder
	numWraps
)

var wrapNames = [numWraps]string{"REPEAT", "CLAMP", "CLAMP_TO_EDGE", "CLAMP_TO_BORDER", "MIRRORED_REPEAT",
	"MIRROR_CLAMP", "MIRROR_CLAMP_TO_EDGE", "MIRROR_CLAMP_TO_BORDER"}

func (w WrapMode) String() string { return nameOf(wrapNames[:], w) }

// WrapOf returns the wrap mode of that name, as OpenGL writes it.
func WrapOf(name string) (WrapMode, bool) { return named[WrapMode](wrapNames[:], name) }

// A Filter says how texels of one level are blended.
type Filter uint8

const (
	Nearest Filter = iota
	Linear
	numFilters
)

// A MipFilter says which levels are read when the texture is minified.
type MipFilter uint8

const (
	MipNone    MipFilter = iota // the base level
	MipNearest                  // the nearest
	MipLinear                   // the two around the level of detail, blended
	numMips
)

// The names of a minification filter, by MipFilter and Filter.
var filterNames = [numMips][numFilters]string{
	{"NEAREST", "LINEAR"},
	{"NEAREST_MIPMAP_NEAREST", "LINEAR_MIPMAP_NEAREST"},
	{"NEAREST_MIPMAP_LINEAR", "LINEAR_MIPMAP_LINEAR"},
}

// FilterOf returns the filter of that name, as OpenGL writes it.
func FilterOf(name string) (f Filter, m MipFilter, ok bool) {
	for m := range filterNames {
		if f, ok := named[Filter](filterNames[m][:], name); ok {
			return f, MipFilter(m), true
		}
	}
	return 0, 0, false
}

// A Compare is a relation of a texel to a reference; with NaN only CompareNotEqual and CompareAlways are true.
type Compare uint8

const (
	CompareNone Compare = iota
	CompareNever
	CompareLess
	CompareEqual
	CompareLessEqual
	CompareGreater
	CompareNotEqual
	CompareGreaterEqual
	CompareAlways
	numCompares
)

// holds reports whether the relation of texel t to reference r is true.
func (c Compare) holds(t, r float32) bool {
	switch c {
	case CompareLess:
		return t < r
	case CompareEqual:
		return t == r
	case CompareLessEqual:
		return t <= r
	case CompareGreater:
		return t > r
	case CompareNotEqual:
		return t != r
	case CompareGreaterEqual:
		return t >= r
	}
	return c == CompareAlways
}

// Check reports what is wrong with the sampler.
func (s *Sampler) Check() error {
	bad := s.Min >= numFilters || s.Mag >= numFilters || s.Mip >= numMips || s.Compare >= numCompares || s.Curve >= numCurves
	for _, w := range s.Wrap {
		bad = bad || w >= numWraps
	}
	if bad || s.MaxAniso < 0 || s.MaxAniso > maxAniso {
		return fmt.Errorf("mem: sampler: a mode that does not exist, or anisotropy %d, want up to %d", s.MaxAniso, maxAniso)
	}
	return nil
}

const maxAniso = 64

func nameOf[T ~uint8](names []string, x T) string {
	if int(x) >= len(names) {
		return "?"
	}
	return names[x]
}

func named[T ~uint8](names []string, name string) (T, bool) {
	for i, n := range names {
		if n == name {
			return T(i), true
		}
	}
	return 0, false
}
