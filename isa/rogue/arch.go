package rogue

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

var variants = []isa.Variant{
	{Name: "rogue", Aliases: []string{"s6xt", "series6xt", "gx6250", "axe-1-16m", "bxs-4-64"}, Doc: "Series 6XT and later"},
}

// Machine is the machine of all variants.
func Machine() *ir.Machine { return machine }

// maxGroup is the largest size of a group in bytes.
const maxGroup = 32

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

// Classes of parts, in the order of text; those before the maps are instructions.
const (
	classHeader = iota
	classP0
	classP0Sel // instructions of phase 0 whose three bytes begin like others of two bytes
	classP1
	classPck
	classTst
	classMov
	classBackend
	classBitmask // has the bytes of the bit unit's phase 0
	classShift1  // a view of them
	classCount   // a view of them
	classLogical
	classShift2 // has the byte of the bit unit's phase 2
	classBitTest
	classControl // header and instruction of a control group
	classLower
	classUpper
	classISS
	classDest
	classDest2
	numClasses
)

var classNames = []string{classHeader: "group header", classP0: "instruction of phase 0", classP0Sel: "instruction of phase 0 with elements", classP1: "instruction of phase 1", classPck: "pack", classTst: "test",
	classMov: "move", classBackend: "backend instruction", classBitmask: "bitmask instruction", classShift1: "first shift", classCount: "bit count",
	classLogical: "logical instruction", classShift2: "second shift", classBitTest: "bit test", classControl: "control instruction",
	classLower: "lower source map", classUpper: "upper source map", classISS: "internal source selector", classDest: "destination map", classDest2: "map of two destinations"}

// inMemory is the position of a class in the order of memory.
var inMemory = [numClasses]int8{classHeader: 0, classControl: 0, classBackend: 1, classMov: 2, classTst: 3, classPck: 4, classShift2: 2, classBitTest: 3,
	classLogical: 4, classP1: 5, classP0: 6, classP0Sel: 6, classBitmask: 6, classShift1: 7, classCount: 8, classLower: 9, classUpper: 10, classISS: 11, classDest: 12, classDest2: 12}

// isView reports whether parts of the class share the bytes of the part before.
func isView(class uint8) bool {
	return class == classShift1 || class == classCount || class == classBitTest
}
