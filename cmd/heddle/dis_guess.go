package main

import (
	"fmt"

	"github.com/heddle-gpu/heddle/internal/guess"
	"github.com/heddle-gpu/heddle/isa"
)

// guessed is the value of --isa that selects the likeliest set.
const guessed = "guess"

// target returns the target of bare code; for a guess, remark says how sure it is.
func (c *disCmd) target(code []byte) (t *isa.Target, remark string, err error) {
	switch c.ISA {
	case "":
		_, err := find("", c.Stage, fmt.Sprintf(": %s is no code object that names its own", shown(c.File)))
		list := guess.Of(code, c.Stage)
		if len(list) > 0 && list[0].Sure < guess.Least {
			return nil, "", hinted{err, "it looks like code of no set; --scan finds code in files that hold other things, too"}
		}
		if len(list) > 0 {
			g := &list[0]
			how := "--isa " + g.Target.FullName()
			if len(g.Target.Stages) > 0 && c.Stage == "" {
				how += " --stage " + g.Target.Stages[g.Target.Stage]
			}
			err = hinted{err, fmt.Sprintf("it may be code of %v: %s, or --isa guess", g, how)}
		}
		return nil, "", err
	case guessed:
		list := guess.Of(code, c.Stage)
		if len(code) == 0 {
			return nil, "", fmt.Errorf("--isa guess: %s is empty", c.File)
		}
		if len(list) == 0 {
			return nil, "", fmt.Errorf("--isa guess: %s holds nothing but zeros, which are no code of any set", c.File)
		}
		if list[0].Decoded == 0 {
			return nil, "", fmt.Errorf("--isa guess: nothing in %s is an instruction of any set", c.File)
		}
		if g := &list[0]; g.Sure < guess.Least {
			return nil, "", hinted{fmt.Errorf("--isa guess: %s looks like code of no set: the likeliest is %v, and %.0f %% are wanted", c.File, g, 100*guess.Least),
				"--scan finds code in files that hold other things, too; --isa lists it as code of a set, whatever it is"}
		}
		return list[0].Target, list[0].String(), nil
	}
	t, err = find(c.ISA, c.Stage, "")
	return t, "", err
}
