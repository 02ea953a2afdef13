package launch

// Captures is what tools must know about an instruction set to replay the invocations that a frame recorded.
type Captures struct {
	// Variant is the variant whose results frames hold. Another variant must give the same results only if it lifts a
	// program to the same code.
	Variant string
	// Killed is the register that is not 0 in a lane that the program has killed.
	Killed string
	// Inexact lists the mnemonics whose results may be 1 ulp off. If a program contains one of them, its outputs get
	// that tolerance.
	Inexact []string
}
