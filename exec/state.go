package exec

import (
	"bytes"
	"fmt"
	"slices"
	"unsafe"

	"github.com/heddle-gpu/heddle/ir"
)

// A State is all mutable state of one wave outside memory. Engines read and write the fields directly; others use
// the accessors by cell.
//
// V, S and M start at multiples of 64 bytes, and so does every row of V, so that generated code can use them in
// place. The words of a row beyond Lanes are padding: engines may leave any value there, nothing depends on it, and
// Diff and Equal ignore it. The capacity of V extends beyond its length, so that every row can be used as an array
// of ir.MaxLanes words, of which only the first Stride belong to the row.
type State struct {
	*Layout
	V []uint32 // Lane32 cells: cell r of lane i is V[r*Stride+i]
	S []uint32 // Wave32 and Wave1 cells
	M []uint64 // Lane1 cells, bit i for lane i

	Exec  uint64 // the execution mask; on machines with a divergence policy, the active lanes
	Live  uint64 // lanes that exist and have not ended; 0: the wave has ended
	last  uint64 // the value of Exec when op end ended the wave; see Last
	At    Pos    // where the wave continues
	Clock uint64 // marks begun

	// Places passed at which the wave yields rarely, since it last did; less than YieldEvery. Diff and Equal ignore it.
	Passed uint64

	Stack  []Token  // MaskStack
	LanePC []uint64 // LowestPC: where the lanes outside Exec continue

	// Tallies are the counters of the observer of the code, to which tally ops add; see Counted. They are no state of the
	// wave: states may share them, Reset leaves them as they are, and Diff and Equal ignore them.
	Tallies []uint64

	buf []uint64 // backs V, S and M
	*written
	recycler *recycler // that made it; nil: none did
}

// A written says which words of a state may have changed since they were zero, besides those that blocks of programs
// write.
type written struct {
	given []uint64 // bits of rows of V that Set or Row may have changed
	whole bool     // Restore has written all cells, or other programs any

	programs clobbers // of programs of State.NewProgram
}

// A Pos is a position where a wave can stop: before a mark of a block.
type Pos struct {
	Key  ir.Key
	Mark int
}

// PC returns the address of the next instruction, or of its block if the code has no such instruction.
func (p Pos) PC(code ir.Code) uint64 {
	if p.Mark != 0 {
		if b, err := code.Block(p.Key); err == nil && p.Mark < len(b.Marks) {
			return b.Marks[p.Mark].PC
		}
	}
	return p.Key.PC
}

// NewState returns a state of zeros with that many lanes, all ended; 0 is the default width.
func NewState(m *ir.Machine, lanes int) (*State, error) {
	l, err := NewLayout(m, lanes)
	if err != nil {
		return nil, err
	}
	return l.NewState(), nil
}

// NewState returns a state of zeros, all its lanes ended.
func (l *Layout) NewState() *State {
	return l.stateOf(aligned(make([]uint64, l.words()+alignBytes/8-1)), &written{given: make([]uint64, (l.nV/l.Stride+63)/64)})
}

// stateOf returns a state with that buffer.
func (l *Layout) stateOf(buf []uint64, w *written) *State {
	st := &State{Layout: l, buf: buf, written: w}
	s, m := l.nV/2, l.nV/2+l.wordsS()
	st.V = words32(st.buf, l.nV+l.spill())[:l.nV]
	st.S = words32(st.buf[s:], l.nS)
	st.M = st.buf[m : m+l.nM : m+l.nM]
	if l.Machine.Control == ir.LowestPC {
		st.LanePC = make([]uint64, l.Lanes)
	}
	return st
}

// aligned returns all words of buf but alignBytes/8-1, from a multiple of alignBytes on. Heap objects do not move, so
// they stay aligned.
func aligned(buf []uint64) []uint64 {
	skip, n := 0, len(buf)-alignBytes/8+1
	if at := uintptr(unsafe.Pointer(unsafe.SliceData(buf))) % alignBytes; at != 0 {
		skip = int(alignBytes-at) / 8
	}
	return buf[skip : skip+n : skip+n]
}

// words32 returns the first n 32-bit words of buf.
func words32(buf []uint64, n int) []uint32 {
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*uint32)(unsafe.Pointer(&buf[0])), n)
}

// Reset makes the state what NewState returned.
func (st *State) Reset() {
	clear(st.buf)
	clear(st.given)
	st.whole = false
	st.restart()
}

// restart ends the wave and clears what its lanes did.
func (st *State) restart() {
	clear(st.LanePC)
	st.Exec, st.Live, st.last, st.At, st.Clock, st.Passed, st.Stack = 0, 0, 0, Pos{}, 0, 0, st.Stack[:0]
}

// Counted returns Tallies, after making unused ones if the machine has more of them.
func (st *State) Counted() []uint64 {
	if len(st.Tallies) < st.Machine.Tallies {
		st.Tallies = make([]uint64, st.Machine.Tallies)
	}
	return st.Tallies
}

// Start makes the lanes of the mask live and active at pc, with none waiting, under the mode that the mode cell has
// now.
func (st *State) Start(pc uint64, lanes uint64) {
	st.Exec, st.Live, st.last = lanes&st.Full, lanes&st.Full, 0
	st.Stack = st.Stack[:0]
	clear(st.LanePC)
	st.Goto(pc)
}

// Goto makes the wave continue at pc, under the mode that the mode cell has now.
func (st *State) Goto(pc uint64) { st.At = Pos{Key: ir.Key{PC: pc, Mode: st.Mode()}} }

// Mode returns the part of the mode cell that affects how code is lifted.
func (st *State) Mode() uint32 {
	m := st.Machine
	if m.ModeMask == 0 {
		return 0
	}
	return st.S[st.Index(m.Mode)] & m.ModeMask
}

// Ended reports whether no lane of the wave is live.
func (st *State) Ended() bool { return st.Live == 0 }

// Get returns the value of a cell in a lane; the lane does not matter for a cell that is per wave.
func (st *State) Get(c ir.Cell, lane int) uint32 {
	i := st.Index(c)
	switch st.Machine.Kind(c) {
	case ir.Lane32:
		return st.V[i*st.Stride+lane]
	case ir.Wave32, ir.Wave1:
		return st.S[i]
	}
	return uint32(st.Mask(c) >> lane & 1)
}

// Same reports whether a cell has the same value in all lanes of two states of one machine and width.
func (st *State) Same(o *State, c ir.Cell) bool {
	switch st.Machine.Kind(c) {
	case ir.Lane32:
		at := st.Index(c) * st.Stride
		return equal(st.V[at:at+st.Lanes], o.V[at:at+st.Lanes])
	case ir.Lane1, ir.ExecMask:
		return st.Mask(c) == o.Mask(c)
	}
	return st.Get(c, 0) == o.Get(c, 0)
}

// SameFile reports whether all words of a file are equal in two states of one machine and width. If it is false, only
// padding may differ.
func (st *State) SameFile(o *State, file int) bool {
	f, at := &st.Machine.Files[file], st.base[file]
	switch f.Kind {
	case ir.Lane32:
		return st.sameRows(o, at, at+f.Count)
	case ir.Lane1:
		return slices.Equal(st.M[at:at+f.Count], o.M[at:at+f.Count])
	case ir.ExecMask:
		return st.Exec == o.Exec
	}
	return equal(st.S[at:at+f.Count], o.S[at:at+f.Count])
}

// sameRows reports whether the words of the rows from first to before last are equal in two states.
func (st *State) sameRows(o *State, first, last int) bool {
	if !st.sparse() || !o.sparse() {
		return equal(st.V[first*st.Stride:last*st.Stride], o.V[first*st.Stride:last*st.Stride])
	}
	same := true
	compare := func(from, n int) { // the others are 0 in both
		if from, to := max(from, first), min(from+n, last); from < to && same {
			same = equal(st.V[from*st.Stride:to*st.Stride], o.V[from*st.Stride:to*st.Stride])
		}
	}
	st.eachRows(compare)
	o.eachRows(compare)
	return same
}

// equal is slices.Equal, many words at a time.
func equal(a, b []uint32) bool {
	return bytes.Equal(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(a))), 4*len(a)), unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(b))), 4*len(b)))
}

// Look is Get, but returns the execution mask as a whole.
func (st *State) Look(c ir.Cell, lane int) uint64 {
	if st.Machine.Kind(c) == ir.ExecMask {
		return st.Exec
	}
	return uint64(st.Get(c, lane))
}

// Set changes the value of a cell in a lane. One-bit cells take the lowest bit.
func (st *State) Set(c ir.Cell, lane int, v uint32) {
	i := st.Index(c)
	switch st.Machine.Kind(c) {
	case ir.Lane32:
		st.given[i/64] |= 1 << (i % 64)
		st.V[i*st.Stride+lane] = v
	case ir.Wave32:
		st.S[i] = v
	case ir.Wave1:
		st.S[i] = v & 1
	default:
		st.SetMask(c, st.Mask(c)&^(1<<lane)|uint64(v&1)<<lane)
	}
}

// Words returns the cells of a file of per-wave words, starting at c.
func (st *State) Words(c ir.Cell) []uint32 {
	f := &st.Machine.Files[c.File]
	if f.Kind != ir.Wave32 {
		panic(fmt.Sprintf("exec: cell %v of %s is no word of the wave", c, st.Machine.Name))
	}
	i := st.Index(c)
	n := f.Count - int(c.Index)
	return st.S[i : i+n : i+n]
}

// Mask returns a one-bit cell of all lanes.
func (st *State) Mask(c ir.Cell) uint64 {
	switch st.Machine.Kind(c) {
	case ir.Lane1:
		return st.M[st.Index(c)]
	case ir.ExecMask:
		return st.Exec
	}
	panic(fmt.Sprintf("exec: cell %v of %s is no lane mask", c, st.Machine.Name))
}

// SetMask sets a one-bit cell of all lanes; bits beyond the wave are dropped.
func (st *State) SetMask(c ir.Cell, v uint64) {
	switch st.Machine.Kind(c) {
	case ir.Lane1:
		st.M[st.Index(c)] = v & st.Full
	case ir.ExecMask:
		st.Exec = v & st.Full
	default:
		panic(fmt.Sprintf("exec: cell %v of %s is no lane mask", c, st.Machine.Name))
	}
}

// Row returns a Lane32 cell of all lanes, sharing the state's memory.
func (st *State) Row(c ir.Cell) []uint32 {
	i := uint(st.Index(c))
	st.given[i/64] |= 1 << (i % 64)
	return st.V[i*uint(st.Stride):][:st.Lanes:st.Lanes]
}

// Vector returns four consecutive Lane32 cells of all lanes, sharing the state's memory; nil if their rows are
// shorter than those of the widest wave.
func (st *State) Vector(c ir.Cell) *[4][ir.MaxLanes]uint32 {
	if st.Stride != ir.MaxLanes {
		return nil
	}
	i := st.Index(c)
	word, at := uint(i)/64, uint(i)%64
	st.given[word] |= 0xf << at
	if at > 60 {
		st.given[word+1] |= 0xf >> (64 - at)
	}
	return (*[4][ir.MaxLanes]uint32)(unsafe.Pointer((*[4 * ir.MaxLanes]uint32)(st.V[i*st.Stride:])))
}

// Last returns the value of the execution mask when op end ended the wave; Exec itself is then 0, as no lane is
// active. It is 0 for a wave that has not ended, or whose lanes ended one after another.
func (st *State) Last() uint64 { return st.last }

// Snapshot returns a copy that later changes of st do not affect.
func (st *State) Snapshot() *State {
	var t *State
	switch {
	case st.sparse():
		t = st.recycler.zeroed()
		copy(t.S, st.S)
		copy(t.M, st.M)
		st.eachRows(func(first, n int) {
			copy(t.V[first*t.Stride:(first+n)*t.Stride], st.V[first*t.Stride:])
			for i := first; i < first+n; i++ {
				t.given[i/64] |= 1 << (i % 64)
			}
		})
		t.restored(st)
		return t
	case st.recycler != nil:
		t = st.recycler.any()
	default:
		t = st.NewState()
	}
	t.Restore(st)
	return t
}

// Restore makes st equal to from, a state of the same layout.
func (st *State) Restore(from *State) {
	copy(st.buf, from.buf)
	st.whole = true
	st.restored(from)
}

// restored makes what is not in the buffer equal to that of from.
func (st *State) restored(from *State) {
	copy(st.LanePC, from.LanePC)
	st.Exec, st.Live, st.last, st.At, st.Clock, st.Passed = from.Exec, from.Live, from.last, from.At, from.Clock, from.Passed
	st.Stack = append(st.Stack[:0], from.Stack...)
}

// Equal reports whether two states of one machine and width are the same in every bit.
func (st *State) Equal(o *State) bool { return len(st.Diff(o, 1)) == 0 }

// Diff describes up to limit differences, one per string: "v[3] lane 5: 0x1, 0x2".
func (st *State) Diff(o *State, limit int) []string {
	var d []string
	note := func(same bool, format string, args ...any) {
		if !same && len(d) < limit {
			d = append(d, fmt.Sprintf(format, args...))
		}
	}
	if st.Machine != o.Machine || st.Lanes != o.Lanes {
		return []string{"machine or width"}
	}
	note(st.Exec == o.Exec, "exec: %#x, %#x", st.Exec, o.Exec)
	note(st.Live == o.Live, "live: %#x, %#x", st.Live, o.Live)
	note(st.At == o.At, "at: %+v, %+v", st.At, o.At)
	note(st.Clock == o.Clock, "clock: %d, %d", st.Clock, o.Clock)
	note(slices.Equal(st.Stack, o.Stack), "stack: %v, %v", st.Stack, o.Stack)
	note(slices.Equal(st.LanePC, o.LanePC), "lane pcs: %#x, %#x", st.LanePC, o.LanePC)
	if slices.Equal(st.buf, o.buf) {
		return d
	}
	for fi, f := range st.Machine.Files {
		for i := 0; i < f.Count && f.Kind != ir.ExecMask; i++ {
			st.diffCell(o, ir.Cell{File: uint8(fi), Index: uint16(i)}, note)
		}
	}
	return d
}

func (st *State) diffCell(o *State, c ir.Cell, note func(bool, string, ...any)) {
	f := st.Machine.Files[c.File]
	if !f.Kind.PerLane() {
		a, b := st.Get(c, 0), o.Get(c, 0)
		note(a == b, "%s[%d]: %#x, %#x", f.Name, c.Index, a, b)
		return
	}
	for lane := range st.Lanes {
		a, b := st.Get(c, lane), o.Get(c, lane)
		note(a == b, "%s[%d] lane %d: %#x, %#x", f.Name, c.Index, lane, a, b)
	}
}
