// Package lanewise executes single ops of a block, lane by lane. It contains no arithmetic of its own: for a pure
// op it applies the meaning in the op's row to each lane.
//
// Values are vectors of 64 numbers ([ir.Vec]). A uniform value is in element 0; all lanes read it through an index
// mask of 0. A varying i1 is a lane mask in element 0. If a meaning needs conditions per lane, the mask is expanded
// to a vector of zeros and ones before, and packed after.
//
// The reference engine is this package and a walk through blocks. Other engines use it for ops without a faster
// implementation: rare ops, ops that access textures and other resources, and unusual memory accesses.
package lanewise

import (
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/mem"
)

// A Runner is what one goroutine needs to run ops: the wave, places for values, and scratch memory.
type Runner struct {
	Code  ir.Code // named in faults
	St    *exec.State
	Env   *exec.Env
	Slots []ir.Vec
	Fault *exec.Fault  // set by an op that returns false; its pc is that of the mark
	Watch exec.Watcher // observes accesses to memory; may be nil

	call ir.WaveCall

	// Made when an op first needs them: most programs need none.
	*expanded
	*reached
	*called

	bytes  []byte      // of an access to a device, or of a store that is watched
	access exec.Access // reported to Watch
	tell   mem.Reads   // reports texels to Watch: of reader, for lanes starting at first
	reader *Op
	first  int
}

// An expanded is values expanded to lanes.
type expanded struct {
	flags  [4]ir.Vec // conditions: operands, then results
	spread ir.Vec    // a uniform address
}

// A called is what tex, sample, image, input and output ops ask for.
type called struct {
	quad  mem.Quad     // of tex
	asked imageCall    // of sample and image
	io    exec.IOCall  // of input and output
	value exec.IOValue // of io
}

func (r *Runner) expand() *expanded {
	if r.expanded == nil {
		r.expanded = new(expanded)
	}
	return r.expanded
}

func (r *Runner) calls() *called {
	if r.called == nil {
		r.called = new(called)
	}
	return r.called
}

// A reached is the memory of an access.
type reached struct {
	cursors [256]mem.Cursor        // by op.cursor
	windows [ir.MaxLanes][]byte    // per lane: the memory that an access refers to
	places  [ir.MaxLanes]mem.Place // per lane: the same, for lanes without a window
}

// cursor returns the cursor of an op.
func (r *Runner) cursor(o *Op) *mem.Cursor {
	if r.reached == nil {
		r.reached = new(reached)
	}
	return &r.cursors[o.cursor]
}

// An Op is one op of a block, ready to run. Run returns false if the op faults, with Runner.Fault set.
type Op struct {
	Run  func(r *Runner, o *Op) bool
	In   *ir.Inst
	Args []Place // without the mask
	Res  []int   // slots; disjoint from those of operands
	Mask *Place  // nil: the op runs once per wave, or for all lanes
	Mark int
	PC   uint64 // of the mark

	each   func(c *ir.WaveCall, o *Op) // pure and cross-lane ops: the loop over lanes
	n      int                         // bits of the op's type
	from   int                         // bits of the first operand; of the second for BitsInto
	space  ir.SpaceID
	cursor uint8
	silent bool        // ir.Mem.Silent: its bytes are not counted, and it cannot fault
	kind   ir.CellKind // state ops: of the cell
	cell   int         // state ops: see exec.IndexOf
	flags  uint8       // bit i: argument i, bit 4+i: result i, is a varying i1
}

// A Place is where an operand is found: a slot of the runner, or a constant vector.
type Place struct {
	Fixed *ir.Vec
	Slot  int
	Wide  int // index mask: 0 if the value is uniform, else ir.MaxLanes-1
}

// NewOp makes the op of an instruction with operands at the places of args, its mask included. number distinguishes
// the ops of a block; mark and pc are those of its mark. The caller sets Res. It panics for terminators, constants
// and casts, which do not run.
func NewOp(m *ir.Machine, b *ir.Block, in *ir.Inst, args []Place, number, mark int, pc uint64) Op {
	o := Op{In: in, Args: args, Mark: mark, PC: pc, n: in.Type.Bits(), cursor: uint8(number), space: in.Mem.Space, kind: m.Kind(in.Cell), silent: in.Mem.Silent()}
	if o.kind != 0 {
		o.cell = exec.IndexOf(m, in.Cell)
	}
	if _, masked := b.Mask(in); masked {
		o.Mask = &o.Args[len(o.Args)-1]
		o.Args = o.Args[:len(o.Args)-1]
	}
	o.choose(b)
	return o
}

// choose selects the function that runs the op.
func (o *Op) choose(b *ir.Block) {
	if op := int(o.In.Op); op < len(effects) && effects[op] != nil {
		o.Run = effects[op]
		if o.In.Op == ir.Probe && len(o.Args) > 0 {
			o.from = b.Vals[o.In.Args[0]].Type.Bits()
		}
		return
	}
	info := o.In.Op.Info()
	o.Run, o.each = pure, loops(o.In.Meaning())
	if info.Class == ir.Cross {
		o.Run = cross
		return
	}
	if o.each == nil {
		panic("lanewise: " + o.In.Op.String() + " has no meaning")
	}
	if len(o.In.Args) > 0 {
		o.from = b.Vals[o.In.Args[0]].Type.Bits()
	}
	if _, ok := info.Meaning.(ir.BitsInto); ok {
		o.from = b.Vals[o.In.Args[1]].Type.Bits()
	}
	if o.In.Wave {
		o.Run = once
		return
	}
	o.conditions(b)
}

// conditions sets up ops that run per lane and have conditions among their operands or results.
func (o *Op) conditions(b *ir.Block) {
	for i, a := range o.In.Args {
		if b.Vals[a].Type == ir.I1 {
			o.flags |= 1 << i
		}
	}
	for i := range int(o.In.NRes) {
		if b.Vals[int(o.In.Res)+i].Type == ir.I1 {
			o.flags |= 16 << i
		}
	}
	switch {
	case o.In.Op == ir.Select && o.In.Type == ir.I1:
		o.Run = selectMasks
	case o.In.Type == ir.I1 && o.In.NRes == 1 && firstLetter(o.In.Op) == 'b':
		o.Run = onMasks
	case o.flags != 0:
		o.Run = viaLanes
	}
}

// firstLetter returns the letter of the op's first operand.
func firstLetter(op ir.Op) byte {
	args, _ := op.Slots()
	return args[0].Letter
}

// Spread returns a value per lane, also if it is uniform.
func (r *Runner) Spread(p *Place) *ir.Vec {
	v := r.Vec(p)
	if p.Wide != 0 {
		return v
	}
	s := &r.expand().spread
	for i := range s {
		s[i] = v[0]
	}
	return s
}
