package vectors

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// codeBase is the address of the instruction of every test that the maker makes.
const codeBase = 0x100000

// A single is one bundle as a program: its block, and everywhere else the end of the wave, which no test comes to. Its blocks are those of
// one instruction, so that every engine runs it as it runs whole blocks.
type single struct {
	*isa.Target
	bundle *isa.Bundle
	text   string
	lifted *ir.Block // of one mode; nil: none yet
}

var _ ir.Code = (*single)(nil)

func newSingle(t *isa.Target, b *isa.Bundle) *single {
	return &single{t, b, string(t.Print(nil, b)), nil}
}

// Block lifts the bundle under a mode, or is an end.
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

// Text is the bundle's, whatever the address.
func (c *single) Text(uint64) string { return c.text }
