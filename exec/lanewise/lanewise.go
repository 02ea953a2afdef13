// Package lanewise says what one op of a block does, op by op and lane by lane. It holds no arithmetic of its own: a pure op is
// its row's meaning applied to each lane.
//
// Values are vectors of 64 numbers ([ir.Vec]). A value that is one a wave is in element 0, and a
// lane reads it through an index mask of 0. A varying i1 is a lane mask in element 0; where a
// meaning wants conditions lane by lane, the mask is spread over a vector of zeros and ones before,
// and gathered after.
//
// It is all of the reference engine but the way through blocks, and what other engines do with ops that they
// have no faster way for: those that are rare, those that ask textures and other resources, and accesses of memory that
// are out of the ordinary.
package lanewise

import (
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/mem"
)

// A Runner is what one goroutine needs to run ops: the wave, places for values, and scratch.
type Runner struct {
	Code  ir.Code // named by faults
	St    *exec.State
	Env   *exec.Env
	Slots []ir.Vec
	Fault *exec.Fault  // set by an op that returns false; the pc is that of its mark
	Watch exec.Watcher // observes accesses to memory; may be nil

	call   ir.WaveCall
	flags  [4]ir.Vec // conditions spread over lanes: operands, then results
	spread ir.Vec    // an address that is one a wave, for all lanes

	cursors [256]mem.Cursor        // by op.cursor
	windows [ir.MaxLanes][]byte    // by lane: what an access has reached
	places  [ir.MaxLanes]mem.Place // by lane: likewise, of those without a window
	bytes   []byte                 // of an access to a device, or a store that is watched
	access  exec.Access            // reported to Watch
	tell    mem.Reads              // reports texels to Watch: of reader, for lanes from first on
	reader  *Op
	first   int
	quad    mem.Quad     // of the tex op that runs
	asked   imageCall    // of the sample or image op that runs
	io      exec.IOCall  // of the input or output op that runs
	value   exec.IOValue // of io
}

// An Op is one op of a block, ready to run. Run returns false if the op faults, with Runner.Fault set.
type Op struct {
	Run  func(r *Runner, o *Op) bool
	In   *ir.Inst
	Args []Place // without the mask
	Res  []int   // slots; none is that of an operand
	Mask *Place  // nil: the op runs once a wave, or for all lanes
	Mark int
	PC   uint64 // of the mark

	each   func(c *ir.WaveCall, o *Op) // pure and cross-lane ops: the loop over lanes
	n      int                         // bits of the op's type
	from   int                         // bits of the first operand; of the second for BitsInto
	space  ir.SpaceID
	cursor uint8
	kind   ir.CellKind // state ops: of the cell
	cell   int         // state ops: see exec.IndexOf
	flags  uint8       // bit i: argument i, bit 4+i: result i, is a varying i1
}

// A Place is where an operand is found: a slot of the runner, or a vector that never changes.
type Place struct {
	Fixed *ir.Vec
	Slot  int
	Wide  int // index mask: 0 if the value is one a wave, else ir.MaxLanes-1
}

// NewOp makes the op of an instruction whose operands are at the places of args, its mask included. number tells the ops of a block
// apart, mark and pc are those of its mark. The caller sets Res. It panics if there is no such op to run: of
// terminators, constants and casts.
func NewOp(m *ir.Machine, b *ir.Block, in *ir.Inst, args []Place, number, mark int, pc uint64) Op {
	o := Op{In: in, Args: args, Mark: mark, PC: pc, n: in.Type.Bits(), cursor: uint8(number), space: in.Mem.Space, kind: m.Kind(in.Cell)}
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

// choose finds the function that runs the op.
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

// conditions is about ops that run once a lane and have conditions among their operands or results.
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

// firstLetter is the letter of the op's first operand.
func firstLetter(op ir.Op) byte {
	args, _ := op.Slots()
	return args[0].Letter
}

// Spread is a value of all lanes, lane by lane, also if it is one a wave.
func (r *Runner) Spread(p *Place) *ir.Vec {
	v := r.Vec(p)
	if p.Wide != 0 {
		return v
	}
	for i := range r.spread {
		r.spread[i] = v[0]
	}
	return &r.spread
}
