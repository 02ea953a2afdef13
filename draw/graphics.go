package draw

import (
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
)

// Graphics is what the launch package of an instruction set offers to those who draw with its programs.
// Package launch/all lists them.
type Graphics struct {
	Stages Stages
	Left   Left
	// Given: InitFragments gives programs all that they can ask of their wave. Others keep it, and answer once they are asked.
	Given bool
	// ByTriangle: lanes of a wave share what is set up for a triangle; Call.ByTriangle has to be set.
	ByTriangle bool
	// Discard is the cell of the lanes that a fragment program discards, if a program can keep a fragment from being drawn by that alone and cannot tell which
	// lanes a triangle covers; nil: neither is known.
	Discard *ir.Cell
	// NewEnv is what a program reaches before it is given constants and textures.
	NewEnv func() (exec.Env, error)
	// Constant sets a constant, by the name that programs call it, and those that follow it.
	Constant func(env *exec.Env, name string, words []uint32) error
	// Reads is which varyings a fragment program may read, bit i for slot i.
	Reads func(code []byte) uint32
	// Place says where a fragment program finds a varying and its position, for help texts.
	Place string
}
