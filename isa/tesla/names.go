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
	nameDst
	nameSel  // which source is a constant: 1 the second, 2 the third; 3: see selPrimitive
	nameMem  // the first source is memory
	nameInc  // the address register is incremented
	nameAddr // number of the address register
	nameBank // of c[] or g[]
	nameGBank
	nameWide // the operand is a whole register
	nameMask // of the elements of a texture's result
	nameCount
	nameTarget
	nameShared // address of full range
	nameSrc1
	nameSrc2
	nameSrc3
	nameFlags   // $c that is the result
	nameSigned  // integers have signs
	nameSigned1 // of mul: the first source, the second
	nameSigned2
	nameHigh // bits 16 to 47 of a product
	nameNot1 // sources are inverted
	nameNot2
	nameFrom  // type of a cvt's integer source: see cvtSource
	nameQuad0 // of quadop: the operation of each lane of a quad
	nameQuad1
	nameQuad2
	nameQuad3
	nameUnlock // the word is unlocked
	nameLim    // a call that the limit stops
	nameBarrier
	nameThreads
	nameQuadLane // lane that the first source comes from: 4 and 6 the one beside, 5 and 7 the one below
	nameVarying  // word of v[]
	nameTex      // of a texture instruction: numbers of texture and sampler
	nameSamp
	nameDeriv // coordinates have derivatives outside of fragment programs, too
	nameOffX  // texel offsets
	nameOffY
	nameOffZ
)

// cdstOn is the bit of nameCDst that says that flags are written.
const cdstOn = 4

var names = []string{nameFlow: "flow", nameGuard: "guard", nameLanes: "lanes", nameCDst: "cdst", nameSat: "sat",
	nameNeg1: "neg1", nameAbs1: "abs1", nameNeg2: "neg2", nameAbs2: "abs2", nameNeg3: "neg3", nameRound: "round", nameCond: "cond",
	nameDst: "dst", nameSel: "sel", nameMem: "mem", nameInc: "inc", nameAddr: "addr", nameBank: "bank", nameGBank: "gbank", nameWide: "wide",
	nameMask: "mask", nameCount: "count", nameTarget: "target", nameShared: "address", nameSrc1: "src1", nameSrc2: "src2", nameSrc3: "src3",
	nameFlags: "flags", nameSigned: "signed", nameSigned1: "signed1", nameSigned2: "signed2", nameHigh: "high", nameNot1: "not1", nameNot2: "not2",
	nameFrom: "from", nameUnlock: "unlock", nameLim: "lim", nameBarrier: "barrier", nameThreads: "threads",
	nameQuad0: "quad0", nameQuad1: "quad1", nameQuad2: "quad2", nameQuad3: "quad3", nameQuadLane: "quadlane",
	nameVarying: "varying", nameTex: "tex", nameSamp: "samp", nameDeriv: "deriv", nameOffX: "x", nameOffY: "y", nameOffZ: "z"}
