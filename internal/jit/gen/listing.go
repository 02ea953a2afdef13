package gen

import (
	"github.com/heddle-gpu/heddle/internal/jit/x86"
)

// A listing records what machine code is for. A nil listing records nothing.
type listing struct {
	a     *x86.Asm
	lines []line
}

// A line is what the code from a label on is for, up to the next line.
type line struct {
	label x86.Label
	what  string // "step", the name of other code, or a register event
	step  int
	reg   string   // of a register event
	value register // likewise
}

// add adds a line for the code from here on.
func (l *listing) add(n line) {
	n.label = l.a.NewLabel()
	l.a.Bind(n.label)
	l.lines = append(l.lines, n)
}

// begin begins code for something other than a step.
func (c *assembly) begin(what string) {
	if c.list != nil {
		c.list.add(line{what: what})
	}
}

// at begins the code of step i.
func (c *assembly) at(i int) {
	c.now = i
	if c.list != nil {
		c.list.add(line{what: "step", step: i})
	}
}

// traced makes the register files record their events in the listing.
func (c *compiler) traced() {
	for _, f := range []*regFile{&c.words, &c.vecs, &c.masks} {
		f.trace = func(f *regFile, e regEvent, i int) {
			reg := x86.K(i)
			switch f {
			case &c.words:
				reg = x86.R64(wordRegs[i])
			case &c.vecs:
				reg = c.v(i)
			}
			c.list.add(line{what: string(e), reg: reg.String(), value: f.regs[i]})
		}
	}
}
