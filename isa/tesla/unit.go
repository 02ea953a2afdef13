package tesla

// A unit executes instructions, or is the memory that they access. The units of arithmetic are those of Lindholm,
// Nickolls, Oberman and Montrym, "NVIDIA Tesla: A Unified Graphics and Computing Architecture", IEEE Micro 28 (2),
// 2008: eight stream processors, two special-function units, which also interpolate, and texture units. That of 64-bit
// floats is of the CUDA C Programming Guide 4.2, F.3.
type unit uint8

const (
	unitNone unit = iota
	unitSP        // the stream processors
	unitSFU       // the special-function units
	unitDP        // the unit of 64-bit floats
	unitTex
	unitShared
	unitConstant
	unitAttribute
	unitOutput
	unitLocal
	unitGlobal
	unitControl // branches, barriers, votes
)

// unitNames are the names of units in a [isa.Cost].
var unitNames = [...]string{unitSP: "sp", unitSFU: "sfu", unitDP: "dp", unitTex: "texture", unitShared: "shared", unitConstant: "constant",
	unitAttribute: "attribute", unitOutput: "output", unitLocal: "local", unitGlobal: "global", unitControl: "control"}
