package draw

import (
	"fmt"
	"math"
)

// A Vec4 is four floats: a position, a colour, an attribute.
type Vec4 = [4]float32

// Varyings is the number of vectors that a vertex passes to fragments.
const Varyings = 16

// A Call is a draw call: a list of vertices, the vertex and fragment programs, and the fixed-function steps:
// clipping, viewport, rasterisation, depth test, blending. Conventions are OpenGL's: pixel (0,0) is at the bottom
// left and its centre at window (0.5, 0.5). Run does not change it.
//
// The result does not depend on the number of workers or on chance: the picture is divided into tiles, each tile
// processes its triangles in the order of the draw, and quads are packed into waves tile by tile.
type Call struct {
	Name   string // for reports
	Shader Shader

	Inputs    [][]Vec4 // by attribute slot: the values of all vertices; nil: 0,0,0,1
	Count     int      // vertices, if there are no indices
	Indices   []uint32
	Primitive Primitive
	Instances int // number of instances, drawn one after the other; 0: one

	Viewport Viewport
	Cull     Face
	FrontCW  bool   // a triangle is front-facing if its vertices are clockwise in the window
	Used     uint32 // varyings that fragments read, bit i for slot i; 0: all
	Flat     uint32 // varyings that are constant over a triangle, from its last vertex

	// Weights means that fragment programs interpolate themselves. Fragments get Persp, Linear and Params, and
	// nothing in In. These, depth and 1/w are computed in float64 from positions that are not rounded to 1/256
	// pixel, and rounded once.
	Weights bool
	TopDown bool // row 0 is the top, y of the window increases downwards

	Depth     DepthTest
	LateDepth bool // the fragment program writes depths: no test before it runs
	// ByTriangle means that each wave of fragments holds those of one triangle, because its lanes share setup data.
	ByTriangle bool
	// EarlyDepth means that the depth test and write precede the fragment program, which does not run if the test
	// fails.
	EarlyDepth bool
	Blend      Blend
	Mask       uint8 // colour channels that are not written: bit 0 red to bit 3 alpha
	// Targets are Blend and Mask of each target of a canvas with Targets; targets beyond the list are written
	// without either.
	Targets []TargetState
	// Truncate makes the conversion of colours to bytes truncate instead of rounding to nearest, ties to even.
	Truncate bool

	Workers  int                               // at most; 0: the number of processors of the host
	Progress func(done, all int)               // after each tile, from any goroutine; nil: no reports
	Capture  func(f *Fragment, o *FragmentOut) // receives each covered lane's inputs and results; nil: none. Workers must be 1.
}

// used returns the varyings that fragments read.
func (d *Call) used() uint32 { return usedOr(d.Used) }

// usedOr returns all varyings if used is 0.
func usedOr(used uint32) uint32 {
	if used == 0 {
		return 1<<Varyings - 1
	}
	return used
}

// A Primitive says how vertices make triangles.
type Primitive uint8

const (
	Triangles Primitive = iota
	Strip
	Fan
)

// ParsePrimitive finds a primitive by its name in scenes.
func ParsePrimitive(name string) (Primitive, error) {
	switch name {
	case "triangles":
		return Triangles, nil
	case "strip":
		return Strip, nil
	case "fan":
		return Fan, nil
	case "points", "lines", "line_strip", "line_loop":
		return 0, fmt.Errorf("primitive %q is not built yet; there are triangles, strip, fan", name)
	}
	return 0, fmt.Errorf("no primitive %q; there are triangles, strip, fan", name)
}

// A Viewport is the destination of the clip volume, in pixels, and the range of depths.
type Viewport struct {
	X, Y, W, H int
	Near, Far  float32 // depth of the near and far plane; both 0: 0 and 1
	Map        *Map    // nil: OpenGL's
}

// A Map transforms positions divided by w to the window, instead of the transformation by X, Y, W, H, Near and Far.
// These still bound pixels and depths.
type Map struct {
	Scale, Offset [3]float32
	ZeroToOne     bool // the near plane is z = 0
	NoNear, NoFar bool // do not clip there
}

// Face is a side of triangles.
type Face uint8

const (
	NoFace Face = iota
	FrontFace
	BackFace
	BothFaces
)

// A DepthTest compares a fragment's depth with the target's. With the zero value all pass and nothing is written.
type DepthTest struct {
	Func  Compare
	Write bool
}

// Compare is a test of a new value (left) against the stored one (right).
type Compare uint8

const (
	Always Compare = iota
	Never
	Less
	LessEqual
	Equal
	NotEqual
	GreaterEqual
	Greater
)

// CompareNames are the names of the tests in scenes.
var CompareNames = [...]string{"always", "never", "less", "lequal", "equal", "notequal", "gequal", "greater"}

// Outcomes of a comparison, bits of compares.
const (
	unordered = 0
	less      = 1
	greater   = 2
	equal     = 4
)

// compares are the outcomes for which a test passes: bit i for outcome i.
type compares uint8

// table returns the outcomes that pass; with a NaN only Always and NotEqual do.
func (c Compare) table() compares {
	return [...]compares{Always: 1<<unordered | 1<<less | 1<<greater | 1<<equal, Never: 0, Less: 1 << less, LessEqual: 1<<less | 1<<equal, Equal: 1 << equal,
		NotEqual: 1<<unordered | 1<<less | 1<<greater, GreaterEqual: 1<<greater | 1<<equal, Greater: 1 << greater}[c]
}

// pass performs the test.
func (c compares) pass(x, stored float32) bool {
	outcome := unordered
	if x < stored {
		outcome = less
	}
	if x > stored {
		outcome = greater
	}
	if x == stored {
		outcome = equal
	}
	return c>>outcome&1 != 0
}

// monotone reports whether a fragment that fails now also fails against all values that may be written later.
func (c Compare) monotone() bool {
	return c == Never || c == Less || c == LessEqual || c == Greater || c == GreaterEqual
}

// toByte converts to a channel of 8 bits: clamped to 0 to 1, NaN as 0, times 255, to nearest, ties to even.
func toByte(x float32, truncate bool) byte {
	switch {
	case !(x > 0):
		return 0
	case x > 1:
		return 255
	}
	x = float32(x * 255)
	if truncate {
		return byte(x)
	}
	return byte(math.Float32bits(x + units))
}

// units is a float32 whose last bit has the value 1: a sum with it is rounded to an integer, to nearest, ties to
// even.
const units = 1 << 23
