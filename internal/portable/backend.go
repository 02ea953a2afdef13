package portable

import (
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/lower"
	"github.com/heddle-gpu/heddle/ir"
)

// A Backend compiles segments of lowered blocks to machine code. Steps that it does not compile are interpreted.
type Backend interface {
	Name() string // of the engine
	// Target identifies the target of the code: compilers of one name and target produce the same code.
	Target() string
	// Lacks says why there is no machine code at all; "" if there is.
	Lacks() string
	// Compile compiles segments of a block. No segment is not an error. If a segment is the whole block, its code
	// continues at the next block where it can. Compile may change the steps, but not their lists of places, and must
	// not keep the block.
	Compile(b *lower.Block) (Code, []Segment)
	NewWorker() CodeRunner
}

// Code is the result of Compile for one block.
type Code interface {
	CodeBytes() int
}

// A Segment is the steps of a block from From to before To, compiled as one, with its code at offset At.
type Segment struct {
	From, To, At int
	Exits        bool // code of the whole block leaves some steps (see lower.Step.MayExit) to the caller
}

// A Link is the machine code of a whole block, as one runner knows it.
type Link any

// Ways is the number of successors in machine code: two, each for waves with some lanes active and with all.
const Ways = 4

// A Start is where a wave begins a chain.
type Start struct {
	State *exec.State
	Link  Link
	Wave  int // its number in the group
}

// A CodeRunner calls machine code for one runner.
type CodeRunner interface {
	Run(st *exec.State)                                    // sets the state for what is called from here on
	Enter(words []uint64, rows []lower.Row, vecs []ir.Vec) // sets the places of the block that runs
	Call(st *exec.State, c Code, at int)                   // runs a segment
	// NewLink returns the link with that number to a whole block with these words. Join links a block to its successor
	// in one of its Ways; rarely says that waves yield rarely there.
	NewLink(c Code, at int, words []uint64, number int) Link
	Join(from Link, way int, to Link, rarely bool)
	// JoinFar links a block to one at the address of a token, at the PC of waiting lanes, or at one that is computed,
	// for waves with some of their lanes active, 0, or with all, 1.
	JoinFar(from Link, pc uint64, lanes int, to Link, rarely bool)
	// Chain runs blocks from the link on, as long as successors are linked and fewer than budget marks have run, those
	// of the ending block included.
	Chain(s Start, budget uint64, ran *ChainExit)
	// Chains runs chains of several waves one after the other, each as Chain does. A wave passes on to the next at the
	// end of a block that ends with TermEnd. n waves have done so; WaveExit reports what one of them has run. For the
	// wave after them, which may be the last, the state is as after Run, Enter and Chain, but LastExit reports what it
	// has run.
	Chains(starts []Start, budget uint64, rows []lower.Row, vecs []ir.Vec) (n int)
	WaveExit(i int, st *exec.State, ran *ChainExit)
	// StoppedAt returns the link at which wave i of Chains has stopped, its execution mask, and the rest of its budget;
	// end is false if it has not stopped at the end of the block. ContinueAt selects the link at which it continues
	// when ContinueAll runs all of them; the block at which it has stopped then counts as run. ContinueAll is like
	// Chains, and what a wave has run is counted from its beginning.
	StoppedAt(i int) (last int, mask uint64, left int64, end bool)
	ContinueAt(i int, to Link, marks uint64, c exec.Cost)
	ContinueAll() (n int)
	LastExit(st *exec.State, ran *ChainExit)
	// Log makes chains from here on log what probes tell, as far as there is code for it: see ChainExit.Log.
	Log()
	// Resume continues where a chain has exited, in the block of the link, as ran says. Afterwards ran describes the
	// whole chain.
	Resume(st *exec.State, last Link, ran *ChainExit)
	// Transfer loads or stores. If it returns false, nothing was done: a lane is out of bounds or misaligned, or there
	// is no code.
	Transfer(t *Transfer) bool
}

// A ChainExit is what a chain has executed, except the terminator of its last block.
type ChainExit struct {
	Last int // the number of the last link
	Step int // the step of the last block before which the code has exited; -1: all steps have run
	// The code can continue by Resume: after Step if Caller says so, which the caller executes first; else before it, if
	// the caller has cached a segment for an access, or made room to mark it.
	Resumes, Caller bool
	Memory          *[ir.FlatSpace]exec.Traffic // as in exec.Counters; valid until the code runs again

	// Lane-operations up to the last time that lanes retired, of the lanes that were live; Cost counts from then on.
	EarlierLaneOps uint64

	Marks uint64
	Cost  struct{ Ops, LaneOps uint64 } // LaneOps per live lane

	// Log is what probes have told since the last exit, in order: a record for each that had a lane. It is valid until
	// the code runs again. A record begins with LogHead words: the number of the link, with the step in the upper half
	// and LogRow in the highest bit, and the lanes. Two words follow of an operand that is a series: its value in lane 0,
	// and the difference from lane to lane. After LogRow its values follow in all lanes of the wave, and up to a
	// multiple of LogLanes.
	Log []uint64
}

// Parts of ChainExit.Log.
const (
	LogHead   = 2
	LogSeries = LogHead + 2 // words of a record of a series
	LogRow    = 1 << 63
	LogLanes  = 4
)

// A Transfer is an access of lanes to one segment.
type Transfer struct {
	lower.TransferKind
	Row   *lower.Row // addresses
	Quads *ir.Vec    // addresses of 64 bits; nil: use Row
	Mask  uint64     // active lanes, at least one
	Rest  uint64     // the wave's other lanes; loads give 0 there
	Base  uint64     // address of Data[0]
	Data  []byte     // of the segment, at least Size
	Last  uint64     // the largest offset of an access
	Align uint64     // bits that must be 0 in addresses
	Size  uint64     // bytes of a lane's access
	First uint64     // address of lane 0 if the lanes of Mask are consecutive
	Count uint64     // elements
	Lanes uint64     // of the wave
	// The values that are stored or loaded. One of the loaded ones may be where the addresses are.
	Rows [lower.TransferElems]*lower.Row
	Vecs [lower.TransferElems]*ir.Vec // if Wide
}
