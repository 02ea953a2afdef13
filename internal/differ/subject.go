package differ

import (
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"time"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/exectest"
	"github.com/heddle-gpu/heddle/internal/irgen"
	"github.com/heddle-gpu/heddle/internal/shadow"
	"github.com/heddle-gpu/heddle/ir"
)

// A subject is a program to run, with its initial state.
type subject struct {
	wave *exectest.Wave
	text func() string
	// smaller yields reduced programs with the same initial state.
	smaller func(yield func(*subject) bool)
}

// Limits of runs: programs may be endless loops. Marks of a flow have more ops, including functions whose exact results
// take long.
const (
	flowMarks = 100
	codeMarks = 300
)

// finds describes how an engine differs from the oracle on the subject; "" if it does not. The seed selects the turns.
func (s *subject) finds(e, oracle exec.Engine, seed uint64) (what string) {
	defer func() {
		if p := recover(); p != nil {
			what = fmt.Sprintf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return s.wave.Differ(e, oracle, rand.New(rand.NewPCG(seed, 99)))
}

// shrinkTime limits the time of shrink.
const shrinkTime = 4 * time.Second

// shrink returns the subject without the parts that are not needed to show the difference.
func (s *subject) shrink(e, oracle exec.Engine, seed uint64) *subject {
	end := time.Now().Add(shrinkTime)
	for again := true; again; {
		again = false
		s.smaller(func(try *subject) bool {
			if try.finds(e, oracle, seed) != "" {
				s, again = try, true
				return false
			}
			return time.Now().Before(end)
		})
		again = again && time.Now().Before(end)
	}
	return s
}

// slow are ops whose exact results take milliseconds for some operands.
var slow = []ir.Op{ir.FSin, ir.FCos, ir.FSinRev, ir.FCosRev}

// flowSubject returns random blocks.
func flowSubject(r *rand.Rand, width int) *subject {
	m := irgen.Machine()
	m.Control = []ir.Control{ir.MaskStack, ir.LowestPC, ir.MaskData}[r.IntN(3)]
	o := irgen.Options{Memory: exectest.Windows(), Handles: exectest.Handles, Exec: true, Faults: r.IntN(2) == 0}
	if r.IntN(2) == 0 {
		o.Serial, o.Without = true, slow // serial blocks run every op lane by lane
	}
	f := irgen.NewFlow(r, m, 1+r.IntN(8), o)
	st := newState(m, width)
	w := &exectest.Wave{Start: st, World: exectest.NewWorld(r, st.Lanes), Marks: flowMarks}
	exectest.RandomState(r, st, ir.Key{PC: f.Entry()})
	return ofFlow(w, f)
}

func ofFlow(w *exectest.Wave, f *irgen.Flow) *subject {
	made := *w
	made.Code = f
	return &subject{wave: &made, text: f.Print, smaller: func(yield func(*subject) bool) {
		f.Smaller(func(g *irgen.Flow) bool { return yield(ofFlow(w, g)) })
	}}
}

// shadowSubject returns random blocks with the shadow of a sanitizer. Few bits are undefined: most blocks run as if
// none was.
func shadowSubject(r *rand.Rand, width int) *subject {
	m := irgen.Machine()
	m.Control = []ir.Control{ir.MaskStack, ir.LowestPC, ir.MaskData}[r.IntN(3)]
	f := irgen.NewFlow(r, m, 1+r.IntN(4), irgen.Options{Memory: exectest.Windows(), Handles: exectest.Handles, Exec: true, Serial: true, Without: slow})
	code := shadow.New(f, 1)
	st := newState(code.Machine(), width)
	w := &exectest.Wave{Start: st, World: exectest.NewWorld(r, st.Lanes), Marks: flowMarks}
	w.World.Shadow(r, code.Machine().Shadow, st.Lanes)
	exectest.RandomState(r, st, ir.Key{PC: f.Entry()})
	often := []int{0, 1, 4}[r.IntN(3)]
	for i := range code.Machine().Files[len(m.Files):] {
		file := len(m.Files) + i
		for k := range code.Machine().Files[file].Count {
			for lane := range st.Lanes {
				v := uint32(0)
				if r.IntN(64) < often {
					v = r.Uint32() & r.Uint32()
				}
				st.Set(ir.Cell{File: uint8(file), Index: uint16(k)}, lane, v)
			}
		}
	}
	if st.SumShadow(); r.IntN(2) == 0 {
		some := ir.Cell{File: uint8(code.Machine().Shadow.Some)}
		st.Set(some, 0, st.Get(some, 0)|r.Uint32()) // registers of which nothing is undefined any more
	}
	return ofShadow(w, f)
}

func ofShadow(w *exectest.Wave, f *irgen.Flow) *subject {
	made := *w
	made.Code = exec.NewProgram(shadow.New(f, 1)) // so that probes have one kind each
	return &subject{wave: &made, text: f.Print, smaller: func(yield func(*subject) bool) {
		f.Smaller(func(g *irgen.Flow) bool { return yield(ofShadow(w, g)) })
	}}
}

// structuredSubject returns a structured program, which terminates.
func structuredSubject(r *rand.Rand, width int) *subject {
	m := exectest.Machine([]ir.Control{ir.MaskStack, ir.LowestPC}[r.IntN(2)])
	p := irgen.NewProgram(r, m)
	m.StackDepth = p.Tokens()
	st := newState(m, width)
	w := &exectest.Wave{Start: st, World: exectest.NewWorld(r, st.Lanes), Marks: 1 << 16}
	exectest.RandomState(r, st, ir.Key{PC: p.Entry})
	st.Exec = st.Live
	return ofFlow(w, &irgen.Flow{M: m, Blocks: p.Blocks})
}

func newState(m *ir.Machine, width int) *exec.State {
	st, err := exec.NewState(m, width)
	if err != nil {
		panic(err)
	}
	return st
}
