package tesla

import "github.com/heddle-gpu/heddle/isa"

// Fields, operands and parts that meanings and texts read. docs/reference/tesla.md 2.
const (
	nameFlow  isa.Name = iota // 1 exit, 2 join
	nameGuard                 // condition code in bits 0 to 4, $c above
	nameLanes                 // lane mask of a mov
	nameCDst                  // $c that gets the flags, cdstOn if there is one
	nameSat
	nameNeg1 // signs and absolute values of sources, by number; neg1 is also that of a product
	nameAbs1
	nameNeg2
	nameAbs2
	nameNeg3
	nameRound // 0 to nearest, 1 down, 2 up, 3 to zero
	nameCond  // of set: bits l, e, g, u
)

// cdstOn is the bit of nameCDst that says that flags are written.
const cdstOn = 4

var names = []string{nameFlow: "flow", nameGuard: "guard", nameLanes: "lanes", nameCDst: "cdst", nameSat: "sat",
	nameNeg1: "neg1", nameAbs1: "abs1", nameNeg2: "neg2", nameAbs2: "abs2", nameNeg3: "neg3", nameRound: "round", nameCond: "cond"}
