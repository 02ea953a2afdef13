package console

import (
	"errors"

	"github.com/heddle-gpu/heddle/debug"
)

// doOrigin prints the instructions of the findings at which the run has stopped: where a value comes from, and what
// carried it, or the other access of a race. With an expression it prints where the undefined bits of that come from.
func (c *Console) doOrigin(rest string) (bool, error) {
	if rest != "" {
		text, err := c.run.Origin(c.scope(), rest)
		if err == nil {
			c.printf("%s\n", text)
		}
		return false, err
	}
	h := c.run.Halted()
	if h == nil || h.Reason != debug.AtFinding {
		return false, errors.New("the run has not stopped at a finding of the sanitizer")
	}
	for _, f := range h.Found {
		c.printf("%s [%s] in %v\n", f.Msg, f.Rule, f.At.Instruction)
		for i := range f.Others {
			if f.Left > 0 && i == len(f.Others)-1 {
				c.printf("  and %d more\n", f.Left)
			}
			c.printf("  %s %v\n", f.Does(i), f.Others[i].Instruction)
		}
	}
	return false, nil
}
