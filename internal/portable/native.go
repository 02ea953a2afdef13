package portable

import (
	"slices"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/num"
)

// A Native is a backend that compiles pieces of prepared blocks. Ops that it does not compile are interpreted.
type Native interface {
	Name() string // of the engine
	// Target identifies the target of the code: compilers of one name and target produce the same code.
	Target() string
	// Lacks says why there is no machine code at all; "" if there is.
	Lacks() string
	// Compile compiles pieces of a block. No piece is not an error. If a piece is the whole block, its code continues
	// at the next block where it can.
	Compile(b *Block) (Code, []Piece)
	NewWorker() Worker
}

// Code is the result of Compile for one block.
type Code interface {
	CodeBytes() int
}

// A Piece is a segment of a block: the steps from From to before To, compiled as one, with its code at offset At.
type Piece struct {
	From, To, At int
	Asks         bool // code of the whole block leaves some steps (see Step.Apart) to the caller
}

// A Worker calls machine code for one runner.
type Worker interface {
	Run(st *exec.State)                              // sets the state for what is called from here on
	Enter(words []uint64, rows []Row, vecs []ir.Vec) // sets the places of the block that runs
	Call(st *exec.State, c Code, at int)             // runs a piece
	// NewLink returns the link with that number to a whole block with these words. Join links a block to its successor
	// in one of its Ways.
	NewLink(c Code, at int, words []uint64, number int) Link
	Join(from Link, way int, to Link)
	// JoinFar links a block to one at the address of a token, or at the PC of waiting lanes, for waves with some of
	// their lanes active, 0, or with all, 1.
	JoinFar(from Link, pc uint64, lanes int, to Link)
	// Chain runs blocks from the link on, as long as successors are linked and fewer than budget marks have run, those
	// of the ending block included.
	Chain(s Start, budget uint64, ran *Ran)
	// Chains runs chains of several waves one after the other, each as Chain does. A wave passes on to the next at the
	// end of a block that is Over. n waves have done so; Passed reports what one of them has run. For the wave after
	// them, which may be the last, the state is as after Run, Enter and Chain, but Left reports what it has run.
	Chains(starts []Start, budget uint64, rows []Row, vecs []ir.Vec) (n int)
	Passed(i int, st *exec.State, ran *Ran)
	// Stopped returns the link at which wave i of Chains has stopped, its execution mask, and the rest of its budget;
	// end is false if it has not stopped at the end of the block. Onward makes it continue at a link when all of them
	// run Again; the block at which it has stopped then counts as run. Again is like Chains, and what a wave has run
	// is counted from its beginning.
	Stopped(i int) (last int, mask uint64, left int64, end bool)
	Onward(i int, to Link, marks uint64, c exec.Cost)
	Again() (n int)
	Left(st *exec.State, ran *Ran)
	// Resume continues where a chain has exited, in the block of the link, if ran permits it: before the step, or
	// after it if it is an Apart step without code. Afterwards ran describes the whole chain.
	Resume(st *exec.State, last Link, ran *Ran)
	// Transfer loads or stores. If it returns false, nothing was done: a lane is out of bounds or misaligned, or there
	// is no code.
	Transfer(t *Transfer) bool
}

// A Start is where a wave begins a chain.
type Start struct {
	State *exec.State
	Link  Link
	Wave  int // its number in the group
}

// A Row is a value of up to 32 bits per lane, zero-extended.
type Row = row

// RowBytes is the size of a Row.
const RowBytes = ir.MaxLanes * 4

// A Block is a prepared block as a Native sees it: steps with operands at places. It runs from beginning to end.
type Block struct {
	Lanes, Stride int // lanes of the wave; words between rows of the state
	Steps         []Step
	Term          []Place // the operands of the terminator
	Ending        Ending
	Consts        map[int32]uint64 // by place: words that never change
}

// A Kind is the storage class of a place.
type Kind = kind

// The kinds of places.
const (
	InWord Kind = inWord // a uniform value, in a 64-bit word
	InMask Kind = inMask // one bit per lane, in a word
	InRow  Kind = inRow  // negative: row ^At of the runner; else the Lane32 cell of the state with that index
	InVec  Kind = inVec  // 64 bits per lane
)

// LaneRow is the row of the runner with the lane numbers.
const LaneRow = laneIDs

// A Place is the location of a value.
type Place struct {
	Kind Kind
	At   int32
}

// A StepKind is the kind of a step.
type StepKind uint8

const (
	Other   StepKind = iota // reads and writes what it names, and perhaps more; it may fault. See Step.Apart
	Compute                 // Op of Args
	CopyRow                 // a row to a row
	SetRow                  // a row, or a word in all lanes, to a cell, in the lanes of Mask if there is one
	GetWord                 // Cell of State.S, to a word
	SetWord
	GetMask // Cell of State.M
	SetMask // in the lanes of Mask if there is one
	GetExec
	SetExec
	MemoryAccess // Access has the details; a Native that cannot execute it exits before it
	Expect       // a guard: Mask has no lane; if it has one, a Native exits before the step
)

// A Step is one op.
type Step struct {
	Kind StepKind
	Op   ir.Op
	Type ir.Type
	From ir.Type // the type of the first operand; of the second for Insert
	Mode num.Mode
	Wave bool   // uniform: once per wave
	Imm  uint64 // the ir.ControlKind of a CtlCheck
	Cell int32  // index among the cells of its kind
	Args []Place
	Mask Place // Kind 0: no mask
	Res  []Place
	// Apart: code of a whole block that does not know the step may exit before it, so that the caller executes it, and
	// continue after it by Worker.Resume.
	Apart bool
	// Free: a SetRow may write lanes outside of its mask, which are dead.
	Free bool
	Access
}

// With returns an engine that runs pieces of blocks by machine code.
func With(n Native) exec.Engine { return engine{native: n} }

// Lacks says why an engine that should have machine code has none; "" if it has, or should not.
func (e engine) Lacks() string {
	if e.native == nil {
		return ""
	}
	return e.native.Lacks()
}

func (p place) public() Place { return Place{p.kind, p.at} }

func public(ps []place) []Place {
	list := make([]Place, len(ps))
	for i, p := range ps {
		list[i] = p.public()
	}
	return list
}

// step adds the step of the next op.
func (p *preparer) step(kind StepKind, in *ir.Inst, args []place, mask place, res ...place) {
	if !p.noting {
		return
	}
	s := Step{Kind: kind, Op: in.Op, Type: in.Type, Mode: in.Mode, Wave: in.Wave, Imm: in.Imm, Args: public(args), Mask: mask.public(), Res: public(res)}
	if len(in.Args) > 0 {
		s.From = p.b.Vals[in.Args[0]].Type
	}
	p.next = s
}

// cellStep adds the step of a register read or write.
func (p *preparer) cellStep(i int, o *op, args []place) {
	if !p.noting {
		return
	}
	in := &p.b.Ops[i]
	at, kind := int32(exec.IndexOf(p.m, in.Cell)), p.m.Kind(in.Cell)
	if in.Op == ir.Get {
		k := map[ir.CellKind]StepKind{ir.Lane1: GetMask, ir.ExecMask: GetExec}[kind]
		if k == Other {
			k = GetWord
		}
		p.step(k, in, nil, place{}, p.places[in.Res])
	} else {
		k := map[ir.CellKind]StepKind{ir.Lane32: SetRow, ir.Lane1: SetMask, ir.ExecMask: SetExec}[kind]
		if k == Other {
			k = SetWord
		}
		mask := o.mask
		if mask.kind != 0 && p.full != nil && p.full[p.root[in.Args[len(in.Args)-1]]] {
			mask = place{}
		}
		var res []place
		if k == SetRow {
			res = []place{{inRow, at}}
		}
		p.step(k, in, args, mask, res...)
		_, p.next.Free = slices.BinarySearch(p.free, int32(i))
	}
	p.next.Cell = at
}

// fuse replaces ops by pieces of machine code.
func fuse(n Native, m *ir.Machine, c *code, b *Block) {
	if c.Block.Serial {
		return
	}
	b.Term = public(c.term)
	ending, targets := c.ending(m)
	b.Ending = ending
	unit, pieces := n.Compile(b)
	if len(pieces) == 0 {
		return
	}
	c.unit, c.targets, c.over, c.joins = unit, targets, ending.Turn == Over, ending.Step == ir.CtlJoin || ending.Lowest
	if p := pieces[0]; p.From == 0 && p.To == len(b.Steps) {
		c.entry, c.asks = p.At, p.Asks
		return
	}
	ops := make([]op, 0, len(c.ops))
	at := 0
	for _, p := range pieces {
		ops = append(append(ops, c.ops[at:p.From]...), op{run: runNative, imm: uint64(p.At), mark: c.ops[p.From].mark})
		at = p.To
	}
	c.ops = slices.Clip(append(ops, c.ops[at:]...))
}

func runNative(r *runner, o *op) bool {
	r.worker.Call(r.st, r.unit, int(o.imm))
	return true
}

// fused returns the code of a block with machine code, for waves of one width.
func fused(n Native, p *exec.Program, at ir.Key, lanes int, usual, dense, asked, ahead bool, unseen *exec.LiveOut) (*code, error) {
	f, err := optimised(p, usual, unseen).Get(at)
	if err != nil {
		return nil, err
	}
	var w *wants
	if ahead {
		if w, err = wantsOf(p); err != nil {
			return nil, err
		}
	}
	made, b := prepareSteps(f, p.Machine(), usual, dense, asked, w)
	b.Lanes = lanes
	b.Stride = (lanes + 15) / 16 * 16
	fuse(n, p.Machine(), made, b)
	return made, nil
}

// CodeBytes returns the size of the machine code.
func (c *code) CodeBytes() int {
	if c.unit == nil {
		return 0
	}
	return c.unit.CodeBytes()
}
