package launch

// Captures is what tools must know of an instruction set to repeat the invocations that a frame recorded.
type Captures struct {
	// Variant is the one whose answers frames hold. Another must give them only where it lifts a program to the
	// same code.
	Variant string
	// Killed is the register that is not 0 in a lane that the program has killed.
	Killed string
	// Inexact are the mnemonics whose results may be 1 ulp off; one of them in a program grants that to its outputs.
	Inexact []string
}
