package exectest

import (
	"fmt"
	"strings"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
)

// Machine is a machine with one file of each kind and rule, and every space.
func Machine(c ir.Control) *ir.Machine {
	return &ir.Machine{
		Name: "conform",
		Files: []ir.File{
			{Name: "v", Kind: ir.Lane32, Count: 24, Range: ir.RangeFault},
			{Name: "w", Kind: ir.Lane32, Count: 3, Range: ir.RangeWrap},
			{Name: "z", Kind: ir.Lane32, Count: 3, Range: ir.RangeZero},
			{Name: "s", Kind: ir.Wave32, Count: 24, Range: ir.RangeFault},
			{Name: "p", Kind: ir.Lane1, Count: 8, Range: ir.RangeWrap},
			{Name: "f", Kind: ir.Wave1, Count: 8, Range: ir.RangeZero},
			{Name: "exec", Kind: ir.ExecMask, Count: 1},
			{Name: "mode", Kind: ir.Wave32, Count: 1},
		},
		Widths:   []int{64, 32, 16, 4, 1},
		Control:  c,
		ModeMask: 3,
		Mode:     ir.Cell{File: 7},
		Spaces:   ir.Spaces{ir.GlobalSpace: 16, ir.GroupSpace: 2, ir.PrivateSpace: 2, ir.ConstSpace: 16, ir.FlatSpace: 1},

		StackDepth: 24,
		CallLimit:  3,
	}
}

// The files of Machine.
const (
	fileV = iota
	fileW
	fileZ
	fileS
	fileP
	fileF
)

func cellOf(file, index int) ir.Cell { return ir.Cell{File: uint8(file), Index: uint16(index)} }

// Code is guest code given as blocks. The text of an instruction is its address.
type Code struct {
	M      *ir.Machine
	Blocks map[ir.Key]*ir.Block
}

// Machine implements ir.Code.
func (c *Code) Machine() *ir.Machine { return c.M }

// Block implements ir.Code.
func (c *Code) Block(at ir.Key) (*ir.Block, error) {
	if b := c.Blocks[at]; b != nil {
		return b, nil
	}
	return nil, fmt.Errorf("no block at %#x under mode %#x", at.PC, at.Mode)
}

// Text implements ir.Code.
func (c *Code) Text(pc uint64) string { return fmt.Sprintf("at%x", pc) }

// NewCode is the code made of these blocks.
func NewCode(m *ir.Machine, blocks ...*ir.Block) *Code {
	c := &Code{M: m, Blocks: map[ir.Key]*ir.Block{}}
	for _, b := range blocks {
		c.Blocks[b.Key] = b
	}
	return c
}

// Parse returns the program of blocks in the text form of package ir. Every block must verify; invalid text is a
// bug of the test and panics.
func Parse(m *ir.Machine, text string) *exec.Program {
	c := NewCode(m)
	for _, part := range strings.Split("\n"+text, "\nblock ")[1:] {
		b, err := ir.Parse(m, "block "+part)
		if err == nil {
			err = ir.Verify(m, b)
		}
		if err != nil {
			panic(fmt.Sprintf("conform: %v in\nblock %s", err, part))
		}
		c.Blocks[b.Key] = b
	}
	return exec.NewProgram(c)
}
