package lower

import (
	"slices"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/mem"
)

// Options select how a block is lowered.
type Options struct {
	Dense bool // all lanes of the wave are active on entry
	// Code: for a code generator, of waves with that many lanes. 0: for the interpreter, to which the options below do
	// not apply.
	Code     int
	Likely   bool         // no lane is active where that is unlikely
	Recorded Recording    // accesses that may have to be marked
	WriteAll []int32      // register writes, by ascending op, that may write lanes outside of their masks
	Early    *EarlyInputs // inputs that are fetched when a wave begins; nil: none
}

// A Recording is which accesses are recorded in footprints.
type Recording uint8

const (
	NotRecorded    Recording = iota
	SharedRecorded           // those to memory that groups share
	AllRecorded              // those to the memory of groups, too
	GroupRecorded            // only those
)

// recordingNames are parts of names of forms.
var recordingNames = [...]string{"", " recorded", " all recorded", " group recorded"}

func (r Recording) String() string { return recordingNames[r] }

// records reports whether accesses to a space are recorded.
func (r Recording) records(space ir.SpaceID) bool {
	switch r {
	case SharedRecorded:
		return space != ir.GroupSpace
	case GroupRecorded:
		return space == ir.GroupSpace || space == ir.FlatSpace
	}
	return r == AllRecorded
}

// RecordingOf returns what is recorded in a footprint; nil: nothing.
func RecordingOf(p *mem.Footprint) Recording {
	switch {
	case p == nil:
		return NotRecorded
	case p.Local() && p.Shared():
		return AllRecorded
	case p.Local():
		return GroupRecorded
	}
	return SharedRecorded
}

// Lower lowers the block of a frame. The caller may release the block after use.
func Lower(f *exec.Frame, m *ir.Machine, opt Options) *Block {
	l := newLowerer(f, m, opt)
	if !f.Own.Serial {
		l.findFull()
	}
	next := 0
	for i := range l.ir.Ops {
		for ; next < len(l.ir.Marks) && int(l.ir.Marks[next].Op) <= i; next++ {
			l.b.Starts = append(l.b.Starts, len(l.b.Steps))
		}
		if len(l.b.Starts) == 0 { // a block in a test may have none
			l.b.Starts = append(l.b.Starts, 0)
		}
		l.add(i)
	}
	if opt.Code > 0 {
		l.b.Consts = make(map[int32]uint64, len(l.consts))
		for x, at := range l.consts {
			l.b.Consts[at] = x
		}
	}
	l.b.end()
	return l.b
}

// A lowerer lowers one block.
type lowerer struct {
	Options
	ir      *ir.Block
	b       *Block
	root    []ir.Val           // by value: the value that a chain of casts starts from
	last    []int              // by root: its last reader
	places  []Place            // by root
	inCell  map[int32][]ir.Val // by cell: roots that are in the cell's row
	rows    []int32            // of the runner, free
	vecs    []int32            // likewise
	consts  map[uint64]int32   // words, by value
	spreads map[int32]Place    // words that are broadcast to all lanes
	full    []bool             // by value: it is a full mask; nil if nothing is known
	done    []bool             // by op: a register write that an earlier op has done
	first   int                // row of the runner that is the destination
	stable  uint64             // ops Stable so far
	lists   []Place            // room for operands and results of steps
}

func newLowerer(f *exec.Frame, m *ir.Machine, opt Options) *lowerer {
	own := f.Own
	l := &lowerer{
		Options: opt, ir: own,
		b:      &Block{Frame: f, Machine: m, Lanes: opt.Code, Stride: (opt.Code + 15) / 16 * 16, Steps: *room.Get().(*[]Step)},
		places: make([]Place, len(own.Vals)),
		done:   make([]bool, len(own.Ops)),
		first:  LaneRow + 1,
	}
	if opt.Early != nil {
		l.first += MaxEarly + ir.MaxComponents - 1 // fetching one writes rows of all components
	}
	l.b.Rows = l.first
	l.newWord(0) // so that no site is 0
	l.root, l.last = own.Reads()
	return l
}

// add lowers op i: results get places before those of the operands are freed, so that no result shares a place with an
// operand.
func (l *lowerer) add(i int) {
	in := &l.ir.Ops[i]
	class := in.Op.Info().Class
	switch {
	case in.Op == ir.Const:
		l.places[in.Res] = Place{InWord, l.constant(in.Imm)}
	case in.Op == ir.Unlikely && l.ir != l.b.Frame.Block:
		l.push(Expect, in, nil, l.at(in.Args[0]), nil)
	case in.Op == ir.Stable && l.ir == l.b.Frame.Block:
		l.push(Observe, in, l.operands(in.Args), Place{}, nil).Imm = l.stable
		l.stable++
	case l.done[i] || in.Op == ir.Cast || class == ir.Marker && !in.Op.Told():
	case in.Op == ir.LaneID:
		l.places[in.Res] = Place{InRow, ^int32(LaneRow)}
	case in.Op == ir.Input && l.early(in):
	case in.Op == ir.Load && l.broadcast(in):
	case class == ir.Ctl:
		l.b.Term = l.operands(in.Args)
	case in.Op == ir.Get && l.b.Machine.Kind(in.Cell) == ir.Lane32:
		at := int32(exec.IndexOf(l.b.Machine, in.Cell))
		l.places[in.Res] = Place{InRow, at}
		l.hold(at, in.Res)
	default:
		l.clobber(i)
		l.emit(i)
	}
	l.release(in, i)
}

// hold records that a value is in the row of a cell.
func (l *lowerer) hold(at int32, v ir.Val) {
	if l.inCell == nil {
		l.inCell = map[int32][]ir.Val{}
	}
	l.inCell[at] = append(l.inCell[at], v)
}

// emit adds the step of op i.
func (l *lowerer) emit(i int) {
	in := &l.ir.Ops[i]
	args, mask := l.operands(in.Args), Place{}
	if _, masked := l.ir.Mask(in); masked {
		mask, args = args[len(args)-1], args[:len(args)-1]
	}
	if in.Op == ir.Set || in.Op == ir.Get {
		l.cell(i, args, mask)
		return
	}
	kind := Fallback
	if c := in.Op.Info().Class; c == ir.Pure || in.Op == ir.Ballot || in.Op == ir.Lanes || in.Op == ir.Any || in.Op == ir.All {
		kind = Compute
	}
	res, a, ok := l.results(i), Access{}, false
	switch in.Op {
	case ir.Load, ir.Store, ir.Check, ir.AtomicRMW:
		if a, ok = l.access(in, args, mask, res); ok {
			kind = MemoryAccess
		}
	}
	s := l.push(kind, in, args, mask, res)
	s.Access, s.MayExit = a, mayExit(in.Op)
	switch in.Op {
	case ir.CtlCheck:
		s.Imm = in.Alt
	case ir.Insert:
		s.From = l.ir.Vals[in.Args[1]].Type
	}
	for k := in.NRes; k > 0 && l.last[in.Res+ir.Val(k-1)] < 0; k-- {
		s.Dead++
	}
}

// mayExit reports whether machine code may exit before an op, so that the caller executes it, and continue after it: if
// the op needs nothing but its operands, registers, memory, the control stack and the environment.
func mayExit(op ir.Op) bool {
	switch op.Info().Class {
	case ir.Pure, ir.Cross, ir.Memory, ir.Resource:
		return true
	case ir.Reg:
		return op != ir.Clock // it counts the instructions of the block
	case ir.Marker:
		return op.Told()
	}
	return false
}

// push adds the step of an instruction.
func (l *lowerer) push(kind StepKind, in *ir.Inst, args []Place, mask Place, res []Place) *Step {
	s := l.made(kind, args, res)
	s.Op, s.Type, s.Mode, s.Wave, s.Imm, s.Mask, s.Inst = in.Op, in.Type, in.Mode, in.Wave, in.Imm, mask, in
	if len(in.Args) > 0 {
		s.From = l.ir.Vals[in.Args[0]].Type
	}
	return s
}

// made adds a step that has no instruction.
func (l *lowerer) made(kind StepKind, args []Place, res []Place) *Step {
	l.b.Steps = append(l.b.Steps, Step{Kind: kind, Args: args, Res: res, Mark: int32(len(l.b.Starts) - 1)})
	return &l.b.Steps[len(l.b.Steps)-1]
}

// cell adds the step of a register read or write. Reads of rows have none.
func (l *lowerer) cell(i int, args []Place, mask Place) {
	in := &l.ir.Ops[i]
	at, kind := int32(exec.IndexOf(l.b.Machine, in.Cell)), l.b.Machine.Kind(in.Cell)
	if in.Op == ir.Get {
		k := GetWord
		switch kind {
		case ir.Lane1:
			k = GetMask
		case ir.ExecMask:
			k = GetExec
		}
		l.push(k, in, nil, Place{}, l.list(l.result(i, in.Res))).Cell = at
		return
	}
	if mask.Kind != 0 && l.isFull(in.Args[len(in.Args)-1]) {
		mask = Place{}
	}
	k, res := SetWord, []Place(nil)
	switch kind {
	case ir.Lane32:
		k, res = SetRow, l.list(Place{InRow, at})
	case ir.Lane1:
		k = SetMask
	case ir.ExecMask:
		k = SetExec
	}
	s := l.push(k, in, args, mask, res)
	s.Cell = at
	_, s.MayWriteAll = slices.BinarySearch(l.WriteAll, int32(i))
}

// clobber saves the live values in rows that op i overwrites.
func (l *lowerer) clobber(i int) {
	in := &l.ir.Ops[i]
	if in.Op != ir.Set && in.Op != ir.SetX && in.Op != ir.SetLast || l.b.Machine.Kind(in.Cell) != ir.Lane32 {
		return
	}
	first, n := int32(exec.IndexOf(l.b.Machine, in.Cell)), int32(1)
	if in.Op == ir.SetX {
		first, n = int32(exec.IndexOf(l.b.Machine, ir.Cell{File: in.Cell.File})), int32(l.b.Machine.Files[in.Cell.File].Count)
	}
	for at := first; at < first+n; at++ {
		for _, v := range l.inCell[at] {
			if l.last[v] > i {
				saved := Place{InRow, l.newRow()}
				l.made(CopyRow, l.list(Place{InRow, at}), l.list(saved))
				l.places[v] = saved
			}
		}
		delete(l.inCell, at)
	}
}
