package launch

import (
	"context"
	"io"
	"time"

	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/exec"
)

// Scenes is what a platform provides for draws that a driver recorded.
type Scenes struct {
	ISA  string
	Kind casefile.FileKind // of their files
	// Keys returns the keys of their outer object.
	Keys func() []string
	// Read reads a recorded draw. file is its path, for errors and for the files that it names.
	Read func(r io.Reader, file string) (Scene, error)
}

// A Scene is a recorded draw: its inputs and its expected results.
type Scene interface {
	Name() string
	// Variants returns the variants that it was recorded for, in the order of the file.
	Variants() []string
	// Targets returns the numbers of its colour targets, in the order of Drawn.
	Targets() []int
	// AllowOutside lets file names and links lead out of the scene's folder.
	AllowOutside()
	// Draw executes the draw for one of its variants.
	Draw(ctx context.Context, variant string, set Settings) (*Drawn, error)
	// Expected returns the expected results of the draw. The error is an error of reading them.
	Expected() (*SceneExpected, error)
	// Parts returns what can be run for a variant besides the whole draw.
	Parts(variant string) []ScenePart
}

// A Drawn is the result of a draw.
type Drawn struct {
	exec.Counters
	Width, Height       int
	BottomUp            bool              // row 0 is the bottom; otherwise the top
	Targets             []DrawnTarget     // as the scene lists them
	Buffers             map[string][]byte // of the variant, by name
	Vertices, Triangles int
	Time                time.Duration
}

// A DrawnTarget is the pixels of a target, row by row: red, green, blue, alpha as bits of f32, or of 32-bit integers.
// Channels that its format lacks are 0, 0, 0, 1.
type DrawnTarget struct {
	Integer bool
	Pixels  [][4]uint32
}

// Values of the mask of a scene for a pixel.
const (
	MaskSkip       = 0 // do not compare
	MaskDrawn      = 1 // compare
	MaskBackground = 2 // compare: it keeps the clear colour
)

// SceneExpected is the expected result of a draw.
type SceneExpected struct {
	Mask    []byte // one byte per pixel: see MaskSkip
	Targets []TargetExpected
	Buffers []BufferExpected
}

// A TargetExpected is what a target must hold where the mask selects pixels. A target may be compared in several ways.
type TargetExpected struct {
	At           int // in Drawn.Targets
	Number       int // of the target
	Width        int
	Compare      Comparison
	Channels     int     // number of channels that are compared
	Tolerance    float64 // absolute
	ToleranceRel float64 // added to Tolerance: this fraction of the value; not for integers
	Pixels       []byte  // row by row in the order of the draw, little-endian
	Clear        *[4]float64
	// Clear is what pixels of MaskBackground must hold exactly; nil: what Pixels holds.
}

// A Comparison is how pixels are compared and how a file stores them.
type Comparison uint8

const (
	CompareNone   Comparison = iota
	CompareBytes             // four bytes; in 1/255, after clamp and rounding
	CompareFloats            // four floats
	CompareWord              // a word, compared with the first channel
	CompareWords             // four words
	CompareSigned            // four words, signed
)

// Bytes returns the size of a pixel in a file.
func (c Comparison) Bytes() int {
	return [...]int{CompareNone: 0, CompareBytes: 4, CompareFloats: 16, CompareWord: 4, CompareWords: 16, CompareSigned: 16}[c]
}

// A BufferExpected is the expected start of a buffer.
type BufferExpected struct {
	Name string
	Data []byte
}

// A ScenePart is a part of a recorded draw that runs on its own from recorded values.
type ScenePart struct {
	Name string // appended to those of scene and variant: "sample wave"
	// Run returns the actual and the expected outputs. PartRun is valid together with an error, too.
	Run func(ctx context.Context, set Settings) (*PartRun, error)
}

// A PartRun is the result of a part.
type PartRun struct {
	exec.Counters
	Unit      string // what the outputs are, in the plural: "exports"
	Got, Want []PartOutput
}

// A PartOutput is one output of several lanes.
type PartOutput struct {
	What   string     // in reports: "export 0 to mrt0"
	Form   string     // what must be equal besides the values; may be empty
	Lanes  uint64     // lanes whose values are compared
	Values [][]uint32 // by component and lane; nil if the component is missing
	Bits   int        // of a value: 16 or 32
	Float  bool
	Abs    float64 // tolerance of floats
}
