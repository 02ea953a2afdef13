package cpu

// Bits of MXCSR, the control word of the vector unit. Source: Intel's manual, volume 1, 10.2.3.
const (
	FlushOperands = 1 << 6    // denormal operands are zeros
	Masked        = 0x3f << 7 // no exception traps
	FlushResults  = 1 << 15   // denormal results become zeros

	// RoundingAt is the lower of the two bits of the rounding mode: to nearest, down, up, to zero.
	RoundingAt = 13
)
