package draw

import (
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
)

// Graphics is what the platform of an instruction set provides for drawing with its programs. Package
// internal/platforms lists them.
type Graphics struct {
	Stages  Stages
	LiveOut LiveOut
	// Given means that InitFragments provides all inputs of a program's wave. Otherwise Graphics keeps the wave,
	// and provides inputs on demand.
	Given bool
	// ByTriangle means that lanes of a wave share setup data of a triangle; Call.ByTriangle must be set.
	ByTriangle bool
	// Discard is the cell of the lanes that a fragment program discards, if a program can prevent a fragment from
	// being drawn only in this way and cannot tell which lanes a triangle covers; nil if either is not known.
	Discard *ir.Cell
	// NewEnv returns the environment of a program before constants and textures are added.
	NewEnv func() (exec.Env, error)
	// Constant sets a constant, by the name that programs use, and those that follow it.
	Constant func(env *exec.Env, name string, words []uint32) error
	// Reads returns which components of varyings a fragment program may read.
	Reads func(code []byte) Components
	// Place says where a fragment program finds a varying and its position, for help texts.
	Place string
}
