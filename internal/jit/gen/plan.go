package gen

import (
	"slices"

	"github.com/heddle-gpu/heddle/internal/jit/cpu"
	"github.com/heddle-gpu/heddle/internal/lower"
	"github.com/heddle-gpu/heddle/ir"
)

// A target is the processor, and the mode of the compiler.
type target struct {
	set    cpu.Set
	bits   int  // of vectors
	lanes  int  // of 32 bits, of a vector
	single bool // the template mode: each op is a loop of its own
}

// wide reports whether there are vectors of 512 bits and mask registers.
func (t *target) wide() bool { return t.bits == 512 }

// A plan is the result of selection for a block: what emission emits, except for registers.
type plan struct {
	target
	b         *lower.Block
	whole     bool // all steps have code: the block is one unit of code, with links to its successors
	choices   []choice
	segments  []segment
	lastExit  int          // the last step before which the code may exit, or which it lacks; 0: only the first, if any
	known     []knownProbe // of a fast plan: logged probes whose operands are checked on entry
	fallsBack bool         // the caller executes some steps
	split     []splitAddr  // packed addresses that are not computed
	guards    []guardGroup // guards that are not tested
	faster    *fastPath    // another plan, which the code prefers; nil: none
	exitFrom  int          // of that plan: the first step before which the code may exit
	affine    []affineAccess
	*tables
}

// A choice is what selection has decided about a step.
type choice struct {
	form  form
	phase phase
	into  int32          // the step that does the work of this one, plus 1, or unneeded or onEntry: this one has no code here; 0: it has
	joint int32          // the number of loads that are emitted together from here on, with as many checks before them
	nan   int32          // for ops that may leave any NaN: the later one that propagates it, or the op itself; -1: no such op
	last  [results]int32 // the last reader of each result; -1: none; number of steps: the terminator
	uses  [2]use         // of results that are uniform
	tree  *ternary       // of bitwise ops
}

// results is the number of results of a step whose readers are tracked; further ones are words of uniform loads.
const results = ir.MaxComponents

// A use describes the readers of a uniform result.
type use struct {
	last int  // the last reader in the same phase of the segment; 0: none
	out  bool // there are readers elsewhere: it must be stored
}

// A segment is a run of steps that is compiled as uniform steps, one loop, and uniform steps.
type segment struct {
	from, to int
	control  uint32      // MXCSR for the first op of the loop that needs a mode
	floats   bool        // it has ops on floats
	skip     lower.Place // a mask: the loop skips iterations without a lane of it; Kind 0: it skips none
	spec     nanSpeculation
}

// checked returns the affine access of a step.
func (p *plan) checked(i int) *affineAccess {
	return &p.affine[slices.IndexFunc(p.affine, func(a affineAccess) bool { return a.step == i })]
}

// number returns the value of a place that is constant.
func (p *plan) number(at lower.Place) (x uint64, known bool) {
	if at.Kind == lower.InWord {
		x, known = p.b.Consts[at.At]
	}
	return x, known
}

// allTrue reports whether a condition is uniform and always true.
func (p *plan) allTrue(cond lower.Place) bool {
	v, known := p.number(cond)
	return known && v&1 != 0
}
