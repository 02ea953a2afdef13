package exec

import (
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/heddle-gpu/heddle/ir"
)

// A recycler makes states of one machine and width from the buffers of states that are no longer in use. A register
// file is tens of kilobytes: where programs of a few instructions run once, making, zeroing and collecting them would
// cost more than all else.
type recycler struct {
	*Layout
	zeros, used sync.Pool    // of *uint64: the first word of a buffer
	made        atomic.Int64 // buffers in these and in states that return theirs
}

// mostRecycled limits the buffers that are used again. Between two collections a program that makes states uses all
// that have returned, and needs more: without a limit there would be more of them the longer it runs.
const mostRecycled = 256

// recyclers are the recyclers by recyclerKey.
var recyclers sync.Map

type recyclerKey struct {
	m     *ir.Machine
	lanes int
}

// RecycledState is NewState for waves that are made often and seldom run. The buffer of the state is used again once
// the garbage collector finds that nothing refers to it, and so to no row of the state. Only the methods of State, and
// Runners that call Runs, may write the state. Its programs should be made by its NewProgram: after any other, the
// whole buffer is cleared.
func RecycledState(m *ir.Machine, lanes int) (*State, error) {
	key := recyclerKey{m, lanes}
	if r, ok := recyclers.Load(key); ok {
		return r.(*recycler).zeroed(), nil
	}
	l, err := NewLayout(m, lanes)
	if err != nil {
		return nil, err
	}
	r, _ := recyclers.LoadOrStore(key, &recycler{Layout: l})
	return r.(*recycler).zeroed(), nil
}

// NewProgram is the function NewProgram for code that runs on the state. All programs of a state share one set of cells
// that their blocks write.
func (st *State) NewProgram(code ir.Code) *Program {
	return &Program{Code: code, clobbers: &st.programs}
}

// Runs says that blocks of a program may write the state from now on. Every Runner calls it before it writes a state.
func (st *State) Runs(p *Program) {
	if st.recycler != nil && p.clobbers != &st.programs {
		st.whole = true
	}
}

// zeroed returns a state of zeros.
func (r *recycler) zeroed() *State {
	first, _ := r.zeros.Get().(*uint64)
	if first == nil {
		if first, _ = r.used.Get().(*uint64); first != nil {
			clear(r.buffer(first))
		}
	}
	return r.state(first)
}

// any returns a state whose words have any value.
func (r *recycler) any() *State {
	first, _ := r.used.Get().(*uint64)
	if first == nil {
		first, _ = r.zeros.Get().(*uint64)
	}
	return r.state(first)
}

// state returns a state with the buffer of that first word; with a new one if it is nil.
func (r *recycler) state(first *uint64) *State {
	if first == nil {
		if r.made.Load() >= mostRecycled {
			st := r.NewState()
			st.recycler = r
			return st
		}
		first = unsafe.SliceData(make([]uint64, r.words()+alignBytes/8-1))
		r.made.Add(1)
		runtime.AddCleanup(first, func(r *recycler) { r.made.Add(-1) }, r)
	}
	w := &written{given: make([]uint64, (r.nV/r.Stride+63)/64)}
	// The finalizer gets the only reference. The buffer has no pointers, and w has none to it: they would be a cycle.
	runtime.SetFinalizer(first, func(first *uint64) { r.recycle(first, w) })
	st := r.stateOf(aligned(r.buffer(first)), w)
	st.recycler = r
	return st
}

// recycle keeps the buffer of a state that has been used as w says, without what programs have left in it.
func (r *recycler) recycle(first *uint64, w *written) {
	if w.whole {
		r.used.Put(first)
		return
	}
	st := r.stateOf(aligned(r.buffer(first)), w)
	st.clearSpans(w.programs.list(), false)
	st.clearGiven()
	r.zeros.Put(first)
}

func (r *recycler) buffer(first *uint64) []uint64 {
	return unsafe.Slice(first, r.words()+alignBytes/8-1)
}
