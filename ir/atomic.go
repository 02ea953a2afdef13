package ir

// The values of Mem.Atomic, in the order and with the meanings of mem.AtomicOp. They are repeated here because a
// frontend names them and does not import package mem; a test in internal/layering compares the two.
const (
	AtomicAdd = iota
	AtomicSub
	AtomicRSub
	AtomicSMin
	AtomicSMax
	AtomicUMin
	AtomicUMax
	AtomicAnd
	AtomicOr
	AtomicXor
	AtomicInc
	AtomicDec
	AtomicSwap
	AtomicCmpSwap
	AtomicMskOr
	AtomicWrap
	AtomicFAdd
	AtomicFMin
	AtomicFMax
	AtomicFCmpSwap
	numAtomics
)

var atomics = [numAtomics]struct {
	name string
	two  bool // has a comparand
}{
	{"add", false}, {"sub", false}, {"rsub", false},
	{"smin", false}, {"smax", false}, {"umin", false}, {"umax", false},
	{"and", false}, {"or", false}, {"xor", false},
	{"inc", false}, {"dec", false}, {"swap", false},
	{"cmpswap", true}, {"mskor", true}, {"wrap", true},
	{"fadd", false}, {"fmin", false}, {"fmax", false}, {"fcmpswap", true},
}

// AtomicName returns the name of a value of Mem.Atomic in the text form, and whether the operation has a comparand;
// "" if there is no such operation.
func AtomicName(op uint8) (name string, two bool) {
	if int(op) >= len(atomics) {
		return "", false
	}
	return atomics[op].name, atomics[op].two
}
