package laws

import (
	"bytes"
	"slices"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/pass"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// optimisedMarks limits a run: a branch may jump to itself.
const optimisedMarks = 64

// Optimised runs words of every row with semantics as canonical and as optimised blocks: registers, memory and faults
// must be the same. It returns the number of runs.
func Optimised(t testing.TB, s *isa.Set, o RunOptions) int {
	return rewritten(t, s, o, func(m *ir.Machine, b *ir.Block) *ir.Block {
		return pass.Optimise(m, b, pass.Options{Keep: pass.KeepFaults})
	})
}

// rewritten is Optimised for any rewrite of blocks.
func rewritten(t testing.TB, s *isa.Set, o RunOptions, rewrite func(m *ir.Machine, b *ir.Block) *ir.Block) int {
	return eachRun(t, s, o, []uint64{0xaaaaaaaaaaaaaaaa, ^uint64(0)}, func(c *laneRun, mask uint64) {
		c.compare(mask, &rewrittenCode{c.prog.Code, t, rewrite})
	})
}

// rewrittenCode is code with rewritten blocks.
type rewrittenCode struct {
	ir.Code
	t       testing.TB
	rewrite func(m *ir.Machine, b *ir.Block) *ir.Block
}

func (c *rewrittenCode) Block(at ir.Key) (*ir.Block, error) {
	b, err := c.Code.Block(at)
	if err != nil {
		return nil, err
	}
	made := c.rewrite(c.Machine(), b)
	if err := ir.VerifyOptimised(c.Machine(), made); err != nil {
		c.t.Errorf("%s: %v", c.Text(at.PC), err)
	}
	return made, nil
}

// compare compares a run of canonical blocks with a run of rewritten blocks.
func (c *laneRun) compare(mask uint64, blocks ir.Code) {
	first := c.begin(mask)
	second := first.Snapshot()
	run := func(st *exec.State, code ir.Code) (exec.Stop, []byte) {
		p := exec.NewProgram(code)
		stop := ref.New().NewRunner(p).Run(st, c.env(), exec.Budget{Steps: optimisedMarks})
		return stop, slices.Concat(c.global, c.group)
	}
	stop, memory := run(first, c.prog.Code)
	other, otherMemory := run(second, blocks)
	switch {
	case stop.Reason != other.Reason || (stop.Fault == nil) != (other.Fault == nil):
		c.errorf("mask %x: stops with %v, %v; optimised with %v, %v", mask, stop.Reason, stop.Fault, other.Reason, other.Fault)
	case stop.Fault != nil && stop.Fault.Error() != other.Fault.Error():
		c.errorf("mask %x: faults with %v; optimised with %v", mask, stop.Fault, other.Fault)
	case !first.Equal(second):
		c.errorf("mask %x: optimised leaves %v", mask, second.Diff(first, 3))
	case !bytes.Equal(memory, otherMemory):
		c.errorf("mask %x: optimised leaves other bytes in memory", mask)
	}
}
