package rogue

// A sketch is the input for a pattern: the positions of registers in the text of a group, and what else was found while
// it was printed. A nil sketch records nothing.
type sketch struct {
	regs         [mostRegs]sketched
	n            int
	end          int  // end of the text before the forms of maps
	forms        bool // the list of forms has begun
	lower, upper int  // numbers of sources that the text names of each map
}

// Numbers of registers in a sketched, after the sources.
const (
	resultW0 = 6
	resultW1 = 7
	mostRegs = 8
)

// A sketched is the position of a register in a text: source 0 to 5, w0 or w1.
type sketched struct {
	from, to, register, several int
	lonely                      bool
}

// add records a register.
func (s *sketch) add(from, to, register, several int, lonely bool) {
	if s != nil && s.n < mostRegs {
		s.regs[s.n] = sketched{from, to, register, several, lonely}
		s.n++
	}
}
