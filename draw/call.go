package draw

import (
	"fmt"
	"math"
)

// A Vec4 is four floats: a position, a colour, an attribute.
type Vec4 = [4]float32

// Varyings is how many vectors a vertex hands to the fragments.
const Varyings = 16

// A Call is a draw call: a list of vertices, the programs that turn them into pixels, and the fixed steps between:
// clipping, viewport, rasterisation, depth test, blending. Conventions are OpenGL's: pixel (0,0) is at the
// bottom left and its centre at window (0.5, 0.5). It is not changed by Run.
//
// What a pixel becomes depends on neither the number of workers nor chance: the picture is cut into
// tiles, each tile sees its triangles in the order of the draw, and quads are packed into waves tile by tile.
type Call struct {
	Name   string // for reports
	Shader Shader

	Inputs    [][]Vec4 // by attribute slot: the values of all vertices; nil: 0,0,0,1
	Count     int      // vertices, if there are no indices
	Indices   []uint32
	Primitive Primitive
	Instances int // how often all of it is drawn, one after the other; 0: once

	Viewport Viewport
	Cull     Face
	FrontCW  bool   // a triangle is front-facing if its vertices go clockwise in the window
	Used     uint32 // varyings that fragments read, bit i for slot i; 0: all
	Flat     uint32 // varyings that all of a triangle has from its last vertex

	// Weights: fragment programs interpolate themselves. Fragments get Persp, Linear and Params, and nothing in In; these
	// and depth and 1/w are computed in float64 of positions that are not rounded to 1/256 pixel, and rounded once.
	Weights bool
	TopDown bool // row 0 is the top, y of the window grows downwards

	Depth     DepthTest
	LateDepth bool // the fragment program gives depths of its own: no test before it runs
	// ByTriangle: waves of fragments hold those of one triangle each, because their lanes share what is set up for it.
	ByTriangle bool
	// EarlyDepth: test and write come before the fragment program, which does not run where the test fails.
	EarlyDepth bool
	Blend      Blend
	Mask       uint8 // colour channels that are not written: bit 0 red to bit 3 alpha
	// Targets are Blend and Mask of each target of a canvas that has Targets; those that it lacks are written as they are.
	Targets []TargetState
	// Truncate turns colours into bytes by cutting off instead of rounding to nearest, ties to even.
	Truncate bool

	Workers  int                        // at most; 0: as many as the host has processors
	Progress func(done, all int)        // after each tile, from any goroutine; nil: no reports
	Capture  func(f *Fragment, o *Shot) // each covered lane's inputs and results; nil: none. Workers must be 1.
}

// used are the varyings that fragments read.
func (d *Call) used() uint32 { return usedOr(d.Used) }

// usedOr is all varyings if there are none.
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

// A Viewport is where the picture of the clip volume goes, in pixels, and which depths it gets.
type Viewport struct {
	X, Y, W, H int
	Near, Far  float32 // depth of the near and far plane; both 0: 0 and 1
	Map        *Map    // nil: OpenGL's
}

// A Map brings positions divided by w into the window, in place of what follows from X, Y, W, H, Near and Far. These still
// bound pixels and depths.
type Map struct {
	Scale, Offset [3]float32
	ZeroToOne     bool // the near plane is z = 0
	NoNear, NoFar bool // do not clip there
}

// Face is which side of triangles is meant.
type Face uint8

const (
	NoFace Face = iota
	FrontFace
	BackFace
	BothFaces
)

// A DepthTest compares a fragment's depth with the target's. The zero value lets all pass and writes nothing.
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

// compares are the outcomes with which a test is passed: bit i for outcome i.
type compares uint8

// table is which outcomes pass; with a NaN only Always and NotEqual do.
func (c Compare) table() compares {
	return [...]compares{Always: 1<<unordered | 1<<less | 1<<greater | 1<<equal, Never: 0, Less: 1 << less, LessEqual: 1<<less | 1<<equal, Equal: 1 << equal,
		NotEqual: 1<<unordered | 1<<less | 1<<greater, GreaterEqual: 1<<greater | 1<<equal, Greater: 1 << greater}[c]
}

// pass is the test.
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

// monotone reports whether a fragment that fails now fails against all that is written later too.
func (c Compare) monotone() bool {
	return c == Never || c == Less || c == LessEqual || c == Greater || c == GreaterEqual
}

// toByte is a channel of 8 bits: clamped to 0 and 1, NaN as 0, times 255, to nearest, ties to even.
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

// units is a float32 whose last bit stands for 1: a sum with it is rounded to a whole number, to nearest, ties to even.
const units = 1 << 23
