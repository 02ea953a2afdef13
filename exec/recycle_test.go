package exec_test

import (
	"runtime"
	"slices"
	"testing"
	"time"
	"unsafe"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
)

// writer is a Runner that writes the cell that writes sets.
type writer struct{ p *exec.Program }

func (w writer) Run(st *exec.State, _ *exec.Env, _ exec.Budget) exec.Stop {
	st.Runs(w.p)
	st.V[st.Index(written)*st.Stride] = 1
	return exec.Stop{Reason: exec.StopBudget}
}

var written = ir.Cell{File: 4, Index: 1}

// TestRecycledState: no program leaves anything in a later state, whoever made it, and whatever happened to the state
// before it ran.
func TestRecycledState(t *testing.T) {
	for name, program := range map[string]func(st *exec.State) *exec.Program{
		"its own":   func(st *exec.State) *exec.Program { return st.NewProgram(writes{}) },
		"another's": func(*exec.State) *exec.Program { return exec.NewProgram(writes{}) },
		"a copy's":  func(st *exec.State) *exec.Program { return st.Snapshot().NewProgram(writes{}) },
		"after a reset": func(st *exec.State) *exec.Program {
			p := st.NewProgram(writes{})
			st.Restore(st.Snapshot())
			st.Reset()
			return p
		},
		"made after a restore": func(st *exec.State) *exec.Program {
			st.Restore(st.Snapshot())
			p := st.NewProgram(writes{})
			st.Reset()
			return p
		},
		"the last of many": func(st *exec.State) *exec.Program {
			for range 20 {
				st.NewProgram(several{})
			}
			return st.NewProgram(writes{})
		},
	} {
		m := *machine // has states of its own
		again, seen := false, map[uintptr]bool{}
		for round := 0; round < 100 && !again; round++ { // finalizers may be late
			for range 4 {
				at := runRecycled(t, name, &m, program)
				again = again || seen[at]
				seen[at] = true
			}
			runtime.GC()
			time.Sleep(time.Millisecond) // for finalizers
		}
		if !again {
			t.Errorf("%s: no buffer was used again", name)
		}
	}
}

// runRecycled checks that a new state is zero, and runs a program on it. It returns the address of the registers.
func runRecycled(t *testing.T, name string, m *ir.Machine, program func(st *exec.State) *exec.Program) uintptr {
	st, err := exec.RecycledState(m, 33)
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range st.V {
		if x != 0 {
			t.Fatalf("%s: word %d of a new state is %d", name, i, x)
		}
	}
	p := program(st)
	st.Start(0, 1)
	if _, err := p.Block(st.At.Key); err != nil {
		t.Fatal(err)
	}
	exec.NewMeter(t.Context(), exec.Limits{}).Run(writer{p}, p, st, &exec.Env{}, exec.Budget{Steps: 1})
	if st.Get(written, 0) != 1 {
		t.Fatalf("%s: nothing was written", name)
	}
	return uintptr(unsafe.Pointer(&st.V[0]))
}

// TestRecycledMemory: only so many buffers are kept for other states, however many there are.
func TestRecycledMemory(t *testing.T) {
	m := *machine // has states of its own
	m.Files = slices.Clone(m.Files)
	var all []*exec.State
	for range 1000 {
		st, err := exec.RecycledState(&m, 64)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, st)
	}
	if n := exec.RecycledBuffers(&m, 64); n != exec.MostRecycled {
		t.Errorf("%d buffers are kept, want %d", n, exec.MostRecycled)
	}
	runtime.KeepAlive(all)
}

// TestSparse: a snapshot has what the host and a program have written, and files are compared by it.
func TestSparse(t *testing.T) {
	for name, change := range map[string]func(st *exec.State, to uint32){
		"set":     func(st *exec.State, to uint32) { st.Set(ir.Cell{File: 0, Index: 2}, 32, to) },
		"row":     func(st *exec.State, to uint32) { st.Row(ir.Cell{File: 4})[5] = to },
		"word":    func(st *exec.State, to uint32) { st.Words(ir.Cell{File: 1, Index: 3})[0] = to },
		"mask":    func(st *exec.State, to uint32) { st.SetMask(ir.Cell{File: 2, Index: 1}, uint64(to)) },
		"program": func(st *exec.State, to uint32) { st.V[st.Index(written)*st.Stride+7] = to },
	} {
		st, err := exec.RecycledState(machine, 33)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := st.NewProgram(writes{}).Block(ir.Key{}); err != nil {
			t.Fatal(err)
		}
		change(st, 3)
		was := st.Snapshot()
		if d := was.Diff(st, 9); len(d) > 0 {
			t.Errorf("%s: the snapshot differs: %v", name, d)
		}
		same := func() bool {
			for i := range machine.Files {
				if !st.SameFile(was, i) || !was.SameFile(st, i) {
					return false
				}
			}
			return true
		}
		if !same() {
			t.Errorf("%s: the snapshot's files are not the same", name)
		}
		if change(st, 1); same() {
			t.Errorf("%s: a change is not seen", name)
		}
	}
}
