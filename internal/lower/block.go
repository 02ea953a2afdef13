package lower

import (
	"sync"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/num"
)

// A Block is a lowered block. It runs from beginning to end.
type Block struct {
	Frame         *exec.Frame
	Machine       *ir.Machine
	Lanes, Stride int // lanes of the wave; words between rows of the state
	Steps         []Step
	Starts        []int   // the first step of each mark
	Term          []Place // the operands of the terminator
	Ending        Ending
	Words         []uint64         // constants, and zeros for computed values
	Consts        map[int32]uint64 // by place: words that never change
	Rows, Vecs    int              // how many the runner needs
	Sites         []int32          // words that cache segments
	Early         []EarlyInput     // inputs that the block needs when the wave begins
}

// room has the steps of released blocks.
var room = sync.Pool{New: func() any { return new([]Step) }}

// Release gives the room of the steps to other blocks. The block must not be used any more, except the lists of places
// that were taken from it.
func (b *Block) Release() {
	clear(b.Steps)
	s := b.Steps[:0]
	b.Steps = nil
	room.Put(&s)
}

// A Row is a value of up to 32 bits per lane, zero-extended.
type Row = [ir.MaxLanes]uint32

// RowBytes is the size of a Row.
const RowBytes = ir.MaxLanes * 4

// LaneRow is the row of the runner with the lane numbers.
const LaneRow = 0

// A Place is the location of a value.
type Place struct {
	Kind Kind
	At   int32
}

// A Kind is the storage class of a place.
type Kind uint8

// The kinds of places.
const (
	InWord Kind = iota + 1 // a uniform value, in a 64-bit word
	InMask                 // one bit per lane, in a word
	InRow                  // negative: row ^At of the runner; else the Lane32 cell of the state with that index
	InVec                  // 64 bits per lane
)

// A StepKind is the kind of a step.
type StepKind uint8

const (
	Fallback StepKind = iota // reads and writes what it names, and perhaps more; it may fault. See Step.MayExit
	Compute                  // Op of Args
	CopyRow                  // a row to a row
	SetRow                   // a row, or a word in all lanes, to a cell, in the lanes of Mask if there is one
	GetWord                  // Cell of State.S, to a word
	SetWord
	GetMask // Cell of State.M
	SetMask // in the lanes of Mask if there is one
	GetExec
	SetExec
	MemoryAccess // Access has the details; machine code that cannot execute it exits before it
	Expect       // a guard: Mask has no lane; if it has one, machine code exits before the step
	Observe      // the value of op Stable with number Imm among those of its block; in canonical blocks only
)

// A Step is one op.
type Step struct {
	Kind StepKind
	Op   ir.Op
	Type ir.Type
	From ir.Type // the type of the first operand; of the second for Insert
	Mode num.Mode
	Wave bool   // uniform: once per wave
	Dead uint8  // number of last results that no step reads
	Imm  uint64 // the ir.ControlKind of a CtlCheck
	Cell int32  // index among the cells of its kind
	Mark int32  // that the step belongs to
	Args []Place
	Mask Place // Kind 0: no mask
	Res  []Place
	Inst *ir.Inst // nil: the lowering has made the step
	// MayExit: machine code of a whole block that has no code for the step may exit before it, so that the caller
	// executes it, and continue after it.
	MayExit bool
	// MayWriteAll: a SetRow may write lanes outside of its mask, which are dead.
	MayWriteAll bool
	Access
}
