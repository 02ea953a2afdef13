package rogue

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/rogue/internal/group"
)

var variants = []isa.Variant{
	{Name: "rogue", Aliases: []string{"s6xt", "series6xt", "gx6250", "axe-1-16m", "bxs-4-64"}, Doc: "Series 6XT and later"},
}

// Machine is the machine of all variants.
func Machine() *ir.Machine { return machine }

// maxRepeat is the largest number of times a group runs.
const maxRepeat = 4

// Dialects by index.
const (
	PCO    = iota // as Mesa's PCO compiler prints groups
	Seed          // the listings of the reference: registers in place of sources, one statement per line
	Mesa24        // as Mesa 24.1 prints groups
)

var dialects = []string{PCO: "pco", Seed: "seed", Mesa24: "mesa24"}

// syntaxes are the names of the dialects in case files.
var syntaxes = [][]string{PCO: {"mesa-pco", "mesa-pco-25.0"}, Seed: nil, Mesa24: {"mesa-rogue-24.1"}}

// classNames are the names of the classes of parts.
var classNames = []string{group.Header: "group header", group.P0: "instruction of phase 0", group.P0Elements: "instruction of phase 0 with elements", group.P1: "instruction of phase 1", group.Pack: "pack", group.Test: "test",
	group.Move: "move", group.Backend: "backend instruction", group.Bitmask: "bitmask instruction", group.Shift1: "first shift", group.Count: "bit count",
	group.Logical: "logical instruction", group.Shift2: "second shift", group.BitTest: "bit test", group.Control: "control instruction",
	group.Lower: "lower source map", group.Upper: "upper source map", group.Selectors: "internal source selector", group.Dest: "destination map", group.Dest2: "map of two destinations"}
