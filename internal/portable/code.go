package portable

import (
	"slices"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/lanewise"
	"github.com/heddle-gpu/heddle/internal/lower"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/num"
)

// A code is a lowered block with a function for each step.
type code struct {
	*exec.Frame
	ops      []op
	term     []lower.Place // operands of the terminator
	masked   bool          // the last of them is a mask
	far      bool          // the first of them is an address per lane
	marks    []int         // the first op of each
	words    []uint64      // constants, and zeros for computed values
	rows     int           // how many rows of the runner it needs; vecs likewise
	vecs     int
	slots    int  // of lanes
	asks     bool // it needs runner.asking
	cursors  int
	sites    []int32            // words that cache segments
	early    []lower.EarlyInput // inputs that are fetched early
	unit     Code               // machine code of some of the ops; nil: none
	entry    int                // offset in the unit, if all ops are machine code; else -1
	targets  [2]uint64
	ways     int  // how many targets there are
	exits    bool // likewise, and some ops are left to functions
	endsTurn bool // likewise, and it ends the wave's turn
	linksFar bool // likewise, and waves may continue at the address of a token, at the PC of waiting lanes, or at one computed
	rarely   bool // likewise, and the code counts places at which waves yield rarely
}

// An op is one step of a block. run returns false if it faults; the fault is in runner.lanes.
type op struct {
	run     func(r *runner, o *op) bool
	d, e    int32 // places of the results
	a, b, c int32 // places of the operands
	mask    lower.Place
	mark    int32
	mode    num.Mode
	imm     uint64
	mayExit bool
	code    bool // machine code of a segment
	kind    lower.StepKind
	op      ir.Op
	typ     ir.Type
	wave    uint64 // bit i: operand i is uniform
	more    *extra // of ops that need more
}

// An extra is the data that only some ops need.
type extra struct {
	args        []lower.Place // the mask is the last
	res         []lower.Place
	generic     lanewise.Op
	access      access        // of memory
	request     request       // of resources
	words       []lower.Place // of broadcast loads: the places of the results
	observation *observation
	direct      bool // texels are written to the results directly
	dead        int  // the number of last results that no op reads
}

// compile replaces ops by segments of machine code.
func (c *code) compile(to Backend, b *lower.Block) {
	if c.Block.Serial {
		return
	}
	unit, segments := to.Compile(b)
	if len(segments) == 0 {
		return
	}
	e := &b.Ending
	c.unit, c.targets, c.endsTurn, c.rarely = unit, e.To, e.Kind == lower.TermEnd, e.Rarely
	if e.Kind != lower.TermFar {
		c.ways = len(e.To)
	}
	c.linksFar = e.Kind == lower.TermFar || e.Step == ir.CtlJoin || e.Step == ir.CtlBreak || e.Step == ir.CtlReturn || e.Lowest
	if s := segments[0]; s.From == 0 && s.To == len(b.Steps) {
		c.entry, c.exits = s.At, s.Exits
		return
	}
	ops := make([]op, 0, len(c.ops))
	at := 0
	for _, s := range segments {
		ops = append(append(ops, c.ops[at:s.From]...), op{run: runSegment, code: true, imm: uint64(s.At), mark: c.ops[s.From].mark})
		at = s.To
	}
	c.ops = slices.Clip(append(ops, c.ops[at:]...))
}

func runSegment(r *runner, o *op) bool {
	r.worker.Call(r.st, r.unit, int(o.imm))
	return true
}

// CodeBytes returns the size of the machine code.
func (c *code) CodeBytes() int {
	if c.unit == nil {
		return 0
	}
	return c.unit.CodeBytes()
}
