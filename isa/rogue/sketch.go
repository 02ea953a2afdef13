package rogue

// A sketch is what a pattern is made from: where registers stand in the text of a group, and what else was found out while it was
// printed. A nil sketch takes no notes.
type sketch struct {
	regs         [mostRegs]sketched
	n            int
	end          int  // of the text up to the forms of maps
	forms        bool // it has begun the list of forms
	lower, upper int  // sources of either map that the text names
}

// Registers of a sketched by number, behind the sources.
const (
	resultW0 = 6
	resultW1 = 7
	mostRegs = 8
)

// A sketched is where a register stands in a text: source 0 to 5, w0 or w1.
type sketched struct {
	from, to, register, several int
	lonely                      bool
}

// add notes a register.
func (s *sketch) add(from, to, register, several int, lonely bool) {
	if s != nil && s.n < mostRegs {
		s.regs[s.n] = sketched{from, to, register, several, lonely}
		s.n++
	}
}
