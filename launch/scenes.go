package launch

import (
	"context"
	"io"
	"time"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/object"
)

// Scenes is what the launch package of an instruction set offers for draws that a driver recorded. Package launch/all lists
// them.
type Scenes struct {
	ISA  string
	Kind object.FileKind // of their files
	// Read reads a recorded draw; file is its path, for errors and the files that it names.
	Read func(r io.Reader, file string) (Scene, error)
}

// A Scene is a recorded draw: what it takes to carry it out, and what it must leave.
type Scene interface {
	Name() string
	// Variants are those that it was recorded for, in the order of the file.
	Variants() []string
	// Targets are the numbers of its colour targets, as Drawn has them.
	Targets() []int
	// AllowOutside lets names of files, and links, lead out of the scene's folder.
	AllowOutside()
	// Draw carries out the draw for a variant that there is.
	Draw(ctx context.Context, variant string, set Settings) (*Drawn, error)
	// Expected is what a draw must leave. The error is of reading it.
	Expected() (*SceneExpected, error)
	// Parts are what can be run for a variant besides the whole draw.
	Parts(variant string) []ScenePart
}

// A Drawn is what a draw has left.
type Drawn struct {
	exec.Counters
	Width, Height       int
	BottomUp            bool              // row 0 is the bottom, else the top
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

// SceneExpected is what a draw must leave.
type SceneExpected struct {
	Mask    []byte // one byte a pixel: see object.MaskSkip
	Targets []TargetExpected
	Buffers []BufferExpected
}

// A TargetExpected is what a target must hold where the mask says so. A target may be compared in several ways.
type TargetExpected struct {
	At           int // in Drawn.Targets
	Number       int // of the target
	Width        int
	Compare      Comparison
	Channels     int     // that are compared
	Tolerance    float64 // absolute
	ToleranceRel float64 // and this share of the value; not of integers
	Pixels       []byte  // row by row as the draw has them, little-endian
	Clear        *[4]float64
	// Clear is what pixels of object.MaskBackground must hold exactly; nil: what Pixels says.
}

// A Comparison is how pixels are compared and how they lie in a file.
type Comparison uint8

const (
	CompareNone   Comparison = iota
	CompareBytes             // four bytes; in 1/255, after clamp and rounding
	CompareFloats            // four floats
	CompareWord              // a word, which must be that of the first channel
	CompareWords             // four words
	CompareSigned            // four words, signed
)

// Bytes is the size of a pixel in a file.
func (c Comparison) Bytes() int {
	return [...]int{CompareNone: 0, CompareBytes: 4, CompareFloats: 16, CompareWord: 4, CompareWords: 16, CompareSigned: 16}[c]
}

// A BufferExpected is what a buffer must begin with.
type BufferExpected struct {
	Name string
	Data []byte
}

// A ScenePart is something of a recorded draw that runs by itself from recorded values.
type ScenePart struct {
	Name string // that follows those of scene and variant: "sample wave"
	// Run gives what has come out and what should have. PartRun is valid beside an error.
	Run func(ctx context.Context, set Settings) (*PartRun, error)
}

// A PartRun is what has come of a part.
type PartRun struct {
	exec.Counters
	Unit      string // what outputs are, in the plural: "exports"
	Got, Want []PartOutput
}

// A PartOutput is one output of lanes.
type PartOutput struct {
	What   string     // in reports: "export 0 to mrt0"
	Form   string     // what is not a value, and must be the same; may be empty
	Lanes  uint64     // whose values count
	Values [][]uint32 // by component and lane; nil where there is none
	Bits   int        // of a value: 16 or 32
	Float  bool
	Abs    float64 // how far floats may be off
}
