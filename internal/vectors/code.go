package vectors

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// codeBase is the address of the instruction in every test made here.
const codeBase = 0x100000

// A single is one bundle as a program: its block, and at all other addresses the end of the wave, which no test
// reaches. It consists of single instructions, so that every engine runs it as it runs whole blocks.
type single struct {
	*isa.Target
	bundle *isa.Bundle
	text   string
	lifted *ir.Block // for one mode; nil: not yet lifted
}

var _ ir.Code = (*single)(nil)

func newSingle(t *isa.Target, b *isa.Bundle) *single {
	return &single{t, b, string(t.Print(nil, b)), nil}
}

// Block returns the bundle lifted in a mode, or an end.
func (c *single) Block(at ir.Key) (*ir.Block, error) {
	if at.PC != c.bundle.Addr() {
		b := ir.NewBuilder(c.Machine(), at)
		b.Mark(at.PC, 0, 0)
		b.End()
		return b.Finish(), nil
	}
	if c.lifted != nil && c.lifted.Key == at {
		return c.lifted, nil
	}
	blk := c.LiftOne(c.bundle, at.Mode)
	return blk, ir.Verify(c.Machine(), blk)
}

// Text returns the bundle's text, whatever the address.
func (c *single) Text(uint64) string { return c.text }
