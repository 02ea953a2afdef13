package portable

import (
	"slices"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/num"
)

// A Native makes machine code of pieces of prepared blocks. What it leaves is run as ever, op after op.
type Native interface {
	Name() string // of the engine
	// Target is what code is made for: compilers of one name and target make the same.
	Target() string
	// Lacks is why there is no machine code at all; "" if there is.
	Lacks() string
	// Compile makes code of pieces of a block. None is no error. If a piece is the whole block, it goes on by itself where it can.
	Compile(b *Block) (Code, []Piece)
	NewWorker() Worker
}

// Code is what Compile made of one block.
type Code interface {
	CodeBytes() int
}

// A Piece is steps From to before To, which run as one from place At of the code.
type Piece struct {
	From, To, At int
	Asks         bool // code of the whole block leaves steps apart to the caller
}

// A Worker calls code for one runner.
type Worker interface {
	Run(st *exec.State)                              // what is called from here on runs for this state
	Enter(words []uint64, rows []Row, vecs []ir.Vec) // the places of the block that runs
	Call(st *exec.State, c Code, at int)             // a piece
	// NewLink is the link with that number to a whole block with these words, Join lets a block go on to another one by one of its Ways.
	NewLink(c Code, at int, words []uint64, number int) Link
	Join(from Link, way int, to Link)
	// JoinFar lets a block go on to one at the address of a token, or where lanes wait, for waves with some of their lanes active, 0, or with all, 1.
	JoinFar(from Link, pc uint64, lanes int, to Link)
	// Chain runs blocks from the link on, as long as there are ways and fewer than budget marks have run with the block that ends.
	Chain(s Start, budget uint64, ran *Ran)
	// Chains runs chains of several waves, each as Chain does, one behind the other. A wave passes the turn on to the next at the end of a
	// block by which it is Over. n have done so, Passed says what one of them has run. For the one behind them, which may be the last,
	// everything then is as after Run, Enter and Chain, but for what it has run, which Left says.
	Chains(starts []Start, budget uint64, rows []Row, vecs []ir.Vec) (n int)
	Passed(i int, st *exec.State, ran *Ran)
	// Stopped says by which link wave i of Chains has stopped, with what execution mask, and what is left of its budget; false if it was not by the end
	// of the block. Onward makes it go on at a link when all of them run Again: the block by which it has stopped counts then. Again is as Chains, and
	// what a wave has run then is all since that.
	Stopped(i int) (last int, mask uint64, left int64, end bool)
	Onward(i int, to Link, marks uint64, c exec.Cost)
	Again() (n int)
	Left(st *exec.State, ran *Ran)
	// Resume goes on where a chain has left, in the block of the link, if ran says so: in front of the step, or behind it if it is one apart
	// that the code does not know. Afterwards ran is of all of the chain.
	Resume(st *exec.State, last Link, ran *Ran)
	// Transfer loads or stores. False means that nothing was done: a lane is outside of the segment or not aligned, or there is no code.
	Transfer(t *Transfer) bool
}

// A Start is where a wave begins a chain.
type Start struct {
	State *exec.State
	Link  Link
	Wave  int // of the group
}

// A Row is a value of up to 32 bits in each lane, zeros above it.
type Row = row

// RowBytes is the size of a Row.
const RowBytes = ir.MaxLanes * 4

// A Block is a prepared block as a Native sees it: steps with operands at places. It runs from begin to end.
type Block struct {
	Lanes, Stride int // of the wave, and words from a row of the state to the next
	Steps         []Step
	Term          []Place // what the terminator reads
	Ending        Ending
	Consts        map[int32]uint64 // by place: words that never change
}

// A Kind says what a place is.
type Kind = kind

// The kinds of places.
const (
	InWord Kind = inWord // one number a wave, in a word of 64 bits
	InMask Kind = inMask // one bit a lane, in a word
	InRow  Kind = inRow  // below 0, row ^At of the runner; else the Lane32 cell of the state with that index
	InVec  Kind = inVec  // 64 bits a lane
)

// LaneRow is the row of the runner that holds the lanes' numbers.
const LaneRow = laneIDs

// A Place is where a value is found.
type Place struct {
	Kind Kind
	At   int32
}

// A StepKind says what a step does.
type StepKind uint8

const (
	Other   StepKind = iota // what it says it reads and writes, and perhaps more; it may fault. See Step.Apart
	Compute                 // Op of Args
	CopyRow                 // a row to a row
	SetRow                  // a row, or a word to all lanes, to a cell, in the lanes of Mask if there is one
	GetWord                 // Cell of State.S, to a word
	SetWord
	GetMask // Cell of State.M
	SetMask // in the lanes of Mask if there is one
	GetExec
	SetExec
	MemoryAccess // Access says which; a Native that does not carry it out leaves the block in front of it
	Expect       // no lane of Mask; if there is one, a Native leaves the block in front of the step
)

// A Step is one op.
type Step struct {
	Kind StepKind
	Op   ir.Op
	Type ir.Type
	From ir.Type // of the first operand; of an Insert of the second
	Mode num.Mode
	Wave bool   // once a wave
	Imm  uint64 // of a CtlCheck the ir.ControlKind
	Cell int32  // index among those of its kind
	Args []Place
	Mask Place // Kind 0: none
	Res  []Place
	// Apart: code of a whole block that does not know the step may leave in front of it, so that the caller carries it out, and goes on behind
	// it by Worker.Resume.
	Apart bool
	// Free: a SetRow may write lanes outside of its mask, which nobody reads.
	Free bool
	Access
}

// With is an engine that runs pieces of blocks by machine code.
func With(n Native) exec.Engine { return engine{native: n} }

// Lacks is why an engine that should have machine code has none; "" if it has, or should not.
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

// step notes what the next op does.
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

// cellStep notes a read or write of a register.
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

// fuse puts pieces of machine code in the place of ops.
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

// fused is the code of a block with machine code, for waves of one width.
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

// CodeBytes is how much machine code there is.
func (c *code) CodeBytes() int {
	if c.unit == nil {
		return 0
	}
	return c.unit.CodeBytes()
}
