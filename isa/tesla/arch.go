package tesla

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// Variants by index. docs/reference/tesla.md 1.
const (
	G80 = iota
	G84
	G200
	MCP77
	GT215
	numVariants
)

// Stages by index: compute, vertex, geometry and fragment programs.
const (
	CP = iota
	VP
	GP
	FP
)

var variants = []isa.Variant{
	G80:   {Name: "g80", Aliases: []string{"nv50"}, Doc: "G80"},
	G84:   {Name: "g84", Aliases: []string{"g86", "g92", "g94", "g96", "g98", "nv84", "nv86", "nv92", "nv94", "nv96", "nv98"}, Doc: "G84 to G98: atomics, loads from shared memory, breakpoints"},
	G200:  {Name: "g200", Aliases: []string{"gt200", "nva0"}, Doc: "GT200: votes, locks, 64-bit atomics, f64"},
	MCP77: {Name: "mcp77", Aliases: []string{"mcp79", "nvaa", "nvac"}, Doc: "MCP77, MCP79: as GT200 without f64"},
	GT215: {Name: "gt215", Aliases: []string{"gt216", "gt218", "mcp89", "nva3", "nva5", "nva8", "nvaf"}, Doc: "GT215 to GT218, MCP89: gathered and queried textures, preret, indirect branches"},
}

var stages = []string{CP: "cp", VP: "vp", GP: "gp", FP: "fp"}

// stageNames are those of cases and scenes.
var stageNames = []string{CP: "compute", VP: "vertex", GP: "geometry", FP: "fragment"}

// Machine returns the machine of all variants.
func Machine() *ir.Machine { return machine }
