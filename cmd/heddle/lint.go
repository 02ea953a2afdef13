package main

import (
	"errors"
	"fmt"

	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/object"
)

type lintCmd struct {
	ISA   string `name:"isa" short:"i" placeholder:"ISA" help:"Instruction set; a code object names its own."`
	Stage string `placeholder:"STAGE" help:"Stage, where decoding depends on it."`
	Raw   bool   `help:"The file is bare machine code."`
	JSON  bool   `help:"Print JSON."`
	File  string `arg:"" optional:"" help:"Code object, bare code, or - for standard input."`
}

func (c *lintCmd) Help() string {
	return `Findings go to standard output, one a line; the exit code is 1 if there are any.

Example:
  heddle lint examples/reduction/reduce_lds.gfx803.hsaco`
}

// A lintFinding is a finding and its place.
type lintFinding struct {
	Addr   uint64 `json:"addr"`
	Text   string `json:"text,omitempty"`
	Rule   string `json:"rule"`
	Msg    string `json:"msg"`
	Source string `json:"source,omitempty"`
}

func (c *lintCmd) Run(a *app) error {
	if c.File == "" {
		return errors.New("lint: no file; - is standard input")
	}
	data, err := a.read(c.File)
	if err != nil {
		return err
	}
	var t *isa.Target
	found := []lintFinding{}
	if !c.Raw && object.IsHSA(data) {
		found, err = c.codeObject(data)
	} else if t, err = find(c.ISA, c.Stage, ": bare code does not name its own"); err == nil {
		found = lintCode(t, data, 0, found)
	}
	if err != nil {
		return err
	}
	if c.JSON {
		if err := a.json(found); err != nil {
			return err
		}
	} else {
		for _, f := range found {
			a.say("%s+%#x: %s [%s]", c.File, f.Addr, f.Msg, f.Rule)
			if f.Text != "" {
				a.say(" in %q", f.Text)
			}
			a.say("\n")
		}
	}
	if len(found) > 0 {
		return wrong{fmt.Errorf("%s: %s", c.File, count(len(found), "finding"))}
	}
	return nil
}

// codeObject lints the code of each kernel and function.
func (c *lintCmd) codeObject(data []byte) ([]lintFinding, error) {
	o, err := object.ReadHSAFile(data, c.File)
	if err != nil {
		return nil, err
	}
	t, err := findFor(o, c.File, c.ISA, c.Stage)
	if err != nil {
		return nil, err
	}
	found := []lintFinding{}
	for _, y := range o.Symbols {
		if y.Defined && y.Kind == object.Func {
			if code, ok := o.Bytes(y.Addr, y.Size); ok {
				found = lintCode(t, code, y.Addr, found)
			}
		}
	}
	return found, nil
}

// lintCode adds the findings in code at base.
func lintCode(t *isa.Target, code []byte, base uint64, found []lintFinding) []lintFinding {
	var prev, next *isa.Bundle
	b, err := decoded(t, code, 0, base)
	for off := 0; off < len(code); {
		addr := base + uint64(off)
		if err != nil {
			f := lintFinding{Addr: addr, Rule: "undecodable", Msg: err.Error()}
			var e *isa.Error
			if errors.As(err, &e) {
				f.Rule, f.Msg = e.Code, e.Msg
			}
			found = append(found, f)
			off += t.Unit
			prev = nil
			b, err = decoded(t, code, off, base)
			continue
		}
		off += b.Size()
		next, err = decoded(t, code, off, base)
		for _, f := range t.Lint(prev, b, next) {
			found = append(found, lintFinding{addr, string(t.Print(nil, b)), f.Rule, f.Msg, f.Source})
		}
		prev, b = b, next
	}
	return found
}

// decoded is the bundle at an offset of the code, nil if there is none.
func decoded(t *isa.Target, code []byte, off int, base uint64) (*isa.Bundle, error) {
	if off >= len(code) {
		return nil, nil
	}
	b := &isa.Bundle{}
	if err := t.DecodeBundle(code[off:], base+uint64(off), b); err != nil {
		return nil, err
	}
	return b, nil
}
