package gen

import (
	"unsafe"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/jit/code"
	"github.com/heddle-gpu/heddle/internal/jit/x86"
	"github.com/heddle-gpu/heddle/internal/lower"
	"github.com/heddle-gpu/heddle/internal/portable"
	"github.com/heddle-gpu/heddle/ir"
)

// A link is a wholly compiled block as the code of other blocks finds it. Its addresses are of objects that the runner
// keeps alive.
type link struct {
	words      unsafe.Pointer // for Context.Consts
	number     uint64
	ways       [portable.Ways]way
	at         uintptr // of its code
	unit       unit
	first      int            // offset of its code in the unit
	successors *farSuccessors // nil: none
}

// A way is a successor of a block.
type way struct {
	at     uintptr // its code; 0: exit to the caller
	to     uintptr // its link
	rarely uint64  // 1: waves yield rarely there
}

const (
	offNumber = int32(unsafe.Offsetof(link{}.number))
	offWords  = int32(unsafe.Offsetof(link{}.words))
	offWays   = int32(unsafe.Offsetof(link{}.ways))
	offAt     = int32(unsafe.Offsetof(way{}.at))
	offTo     = int32(unsafe.Offsetof(way{}.to))
	offRarely = int32(unsafe.Offsetof(way{}.rarely))
	sizeWay   = int32(unsafe.Sizeof(way{}))
)

// Context.Args of chains.
const (
	argLink    = iota // the link that runs
	argFull           // the mask of all lanes
	argOps            // of the blocks that the chain has left
	argLaneOps        // likewise, of one lane
	argNumber         // of the last link
	argNext           // the context of the wave that runs next, 0: none
	argWave           // its number among lower.PrevWaves
	argTokens         // the depth of the control stack; argDepth is its capacity
	argDepth
	argEarlier // lane-operations from before lanes retired
	argPlaces  // the number of places up to the next at which the wave yields: exec.YieldEvery less State.Passed
)

// NewLink implements portable.CodeRunner.
func (w *worker) NewLink(c portable.Code, at int, words []uint64, number int) portable.Link {
	u := c.(unit)
	return &link{words: unsafe.Pointer(unsafe.SliceData(words)), number: uint64(number), at: u.Address(at), unit: u, first: at}
}

// Join implements portable.CodeRunner.
func (w *worker) Join(from portable.Link, n int, to portable.Link, rarely bool) {
	from.(*link).ways[n] = wayTo(to, rarely)
}

func wayTo(to portable.Link, rarely bool) way {
	l := to.(*link)
	y := way{at: l.at, to: uintptr(unsafe.Pointer(l))}
	if rarely {
		y.rarely = 1
	}
	return y
}

// chainedOn is Context.What of a wave whose turn has ended and after which the code ran the next wave.
const chainedOn = ^uint32(0)

// enterChain prepares the context for a wave that starts at the link.
func enterChain(c *code.Context, s *portable.Start, budget uint64) *link {
	st, l := s.State, s.Link.(*link)
	c.Exec, c.Live, c.Budget = st.Exec, st.Live, int64(budget)
	c.Args = [len(c.Args)]uint64{argLink: uint64(uintptr(unsafe.Pointer(l))), argFull: st.Full, argWave: uint64(s.Wave) % lower.PrevWaves,
		argPlaces: exec.YieldEvery - st.Passed}
	c.What, c.Memory, c.Resume, c.Logged = 0, [code.Spaces]code.Traffic{}, 0, 0
	lendStack(c, st)
	return l
}

// Chain implements portable.CodeRunner.
func (w *worker) Chain(s portable.Start, budget uint64, ran *portable.ChainExit) {
	w.budget = budget
	w.lendLog(w.ctx)
	l := enterChain(w.ctx, &s, budget)
	l.unit.Call(w.ctx, l.first)
	w.LastExit(s.State, ran)
}

// Chains implements portable.CodeRunner. Each wave has a context, which points to that of the next.
func (w *worker) Chains(starts []portable.Start, budget uint64, rows []lower.Row, vecs []ir.Vec) (n int) {
	for len(w.contexts) < len(starts) {
		w.contexts = append(w.contexts, code.NewContext())
	}
	w.budget = budget
	for i := range starts {
		s, c := &starts[i], w.contexts[i]
		l := enterChain(c, s, budget)
		w.lendLog(c)
		w.ctx = c
		w.Run(s.State)
		c.Consts, c.Rows, c.Vecs = l.words, unsafe.Pointer(unsafe.SliceData(rows)), unsafe.Pointer(unsafe.SliceData(vecs))
		if i > 0 {
			w.contexts[i-1].Args[argNext] = uint64(uintptr(unsafe.Pointer(c)))
		}
	}
	w.first = starts[0].Link.(*link)
	return w.ContinueAll()
}

// ContinueAll implements portable.CodeRunner.
func (w *worker) ContinueAll() (n int) {
	w.first.unit.Call(w.contexts[0], w.first.first)
	for w.contexts[n].What == chainedOn {
		n++
	}
	w.ctx = w.contexts[n]
	return n
}

// StoppedAt implements portable.CodeRunner.
func (w *worker) StoppedAt(i int) (last int, mask uint64, left int64, end bool) {
	c := w.contexts[i]
	return int(c.Args[argNumber]), c.Exec, c.Budget, c.What == chainedOn || c.What == 0 && c.Resume == 0
}

// ContinueAt implements portable.CodeRunner.
func (w *worker) ContinueAt(i int, to portable.Link, marks uint64, cost exec.Cost) {
	c, l := w.contexts[i], to.(*link)
	c.Budget -= int64(marks)
	c.Args[argOps] += uint64(cost.Ops)
	c.Args[argLaneOps] += uint64(cost.LaneOps)
	c.Args[argLink], c.Consts, c.What = uint64(uintptr(unsafe.Pointer(l))), l.words, 0
	if i == 0 {
		w.first = l
	}
}

// WaveExit implements portable.CodeRunner.
func (w *worker) WaveExit(i int, st *exec.State, ran *portable.ChainExit) {
	w.exitOf(w.contexts[i], st, ran)
}

// Resume implements portable.CodeRunner.
func (w *worker) Resume(st *exec.State, last portable.Link, ran *portable.ChainExit) {
	w.ctx.What, w.ctx.Args[argNext] = 0, 0 // this wave only
	last.(*link).unit.Continue(w.ctx)
	w.LastExit(st, ran)
}

// LastExit implements portable.CodeRunner.
func (w *worker) LastExit(st *exec.State, ran *portable.ChainExit) { w.exitOf(w.ctx, st, ran) }

// The counters of a context are those of package exec.
var (
	_ = exec.Traffic(code.Traffic{})
	_ = [1]int{}[code.Spaces-int(ir.FlatSpace)]
)

// exitOf reports what the chain of a context has run.
func (w *worker) exitOf(c *code.Context, st *exec.State, ran *portable.ChainExit) {
	st.Exec, st.Live, st.Passed = c.Exec, c.Live, exec.YieldEvery-c.Args[argPlaces]
	returnStack(c, st)
	ran.Step, ran.Resumes, ran.Caller = int(c.What&^callerStep)-1, c.Resume != 0, c.What&callerStep != 0
	ran.Memory = (*[ir.FlatSpace]exec.Traffic)(unsafe.Pointer(&c.Memory))
	ran.Marks = w.budget - uint64(c.Budget)
	ran.Cost.Ops, ran.Cost.LaneOps = c.Args[argOps], c.Args[argLaneOps]
	ran.EarlierLaneOps = c.Args[argEarlier]
	ran.Last = int(c.Args[argNumber])
	ran.Log = nil
	if c.Logged > 0 {
		ran.Log, c.Logged = unsafe.Slice((*uint64)(c.Log), c.Logged/8), 0
	}
}

// A terminator emits the end of a whole block.
type terminator struct{ *assembly }

// write emits it: the code continues at a successor that is linked, or exits to the caller.
func (c *terminator) write() {
	a, e := c.a, &c.b.Ending
	back, over, found := a.NewLabel(), a.NewLabel(), a.NewLabel()
	if e.Kind == lower.TermEnd {
		c.nextWave()
		return
	}
	if e.Kind != lower.TermCaller {
		a.Emit(x86.CMP, x86.At(x86.RDI, code.OffBudget).Size(8), x86.Imm(int64(e.Marks)))
		a.Emit(x86.JLE, x86.To(back))
		a.Emit(x86.MOV, x86.RCX, arg(argLink))
		a.Emit(x86.MOV, regWords, x86.At(x86.RDI, code.OffConsts))
		switch e.Kind {
		case lower.TermStack:
			c.controlStep(back, found)
		case lower.TermFar:
			a.Emit(x86.MOV, x86.RDX, x86.At(regWords, 8*e.Cond.At))
			a.Emit(x86.MOV, regRun, execMask)
			c.cachedWay(back)
		default:
			c.way(back, over, found)
		}
		a.Bind(found)
		a.Emit(x86.SUB, x86.At(x86.RDI, code.OffBudget).Size(8), x86.Imm(int64(e.Marks)))
		a.Emit(x86.ADD, arg(argOps).Size(8), x86.Imm(int64(e.Ops)))
		a.Emit(x86.ADD, arg(argLaneOps).Size(8), x86.Imm(int64(e.LaneOps)))
		c.jumpToWay()
	}
	if e.Kind == lower.TermRetire {
		a.Bind(over)
		c.nextWave()
	}
	a.Bind(back)
	c.returnToCaller()
}

// jumpToWay continues at the successor to which rcx points, less offWays, with its code in rax.
func (c *terminator) jumpToWay() {
	a := c.a
	a.Emit(x86.MOV, x86.RCX, x86.At(x86.RCX, offWays+offTo))
	a.Emit(x86.MOV, arg(argLink), x86.RCX)
	a.Emit(x86.MOV, x86.RBX, x86.At(x86.RCX, offWords))
	a.Emit(x86.MOV, x86.At(x86.RDI, code.OffConsts), x86.RBX)
	a.Emit(x86.JMP, x86.RAX)
}

// returnToCaller emits the return to the caller.
func (c *assembly) returnToCaller() {
	c.storeNumber()
	c.a.Emit(x86.RET)
}

// storeNumber stores the number of the link that runs, for the caller.
func (c *assembly) storeNumber() {
	a := c.a
	a.Emit(x86.MOV, x86.RCX, arg(argLink))
	a.Emit(x86.MOV, x86.RCX, x86.At(x86.RCX, offNumber))
	a.Emit(x86.MOV, arg(argNumber), x86.RCX)
}

// nextWave continues with the next wave, or exits to the caller if there is none.
func (c *terminator) nextWave() {
	a, none := c.a, c.a.NewLabel()
	a.Emit(x86.MOV, x86.RAX, arg(argNext))
	c.storeNumber()
	a.Emit(x86.TEST, x86.RAX, x86.RAX)
	a.Emit(x86.JE, x86.To(none))
	a.Emit(x86.MOV, x86.At(x86.RDI, code.OffWhat).Size(4), x86.Imm(-1))
	a.Emit(x86.MOV, x86.R32(1), x86.At(x86.RDI, code.OffMXCSR))
	a.Emit(x86.MOV, x86.RDI, x86.RAX)
	a.Emit(x86.MOV, x86.At(x86.RDI, code.OffMXCSR).Size(4), x86.R32(1))
	a.Emit(x86.MOV, x86.RCX, arg(argLink))
	a.Emit(x86.JMP, x86.At(x86.RCX, int32(unsafe.Offsetof(link{}.at))))
	a.Bind(none)
	a.Emit(x86.RET)
}

// way moves rcx from the first successor of the block's link to the one that is taken.
func (c *terminator) way(back, over, found x86.Label) {
	a, e := c.a, &c.b.Ending
	second, chosen := a.NewLabel(), a.NewLabel()
	cond := x86.At(regWords, 8*e.Cond.At)
	switch e.Kind {
	case lower.TermIfBit:
		a.Emit(x86.TEST, cond.Size(4), x86.Imm(1))
		a.Emit(x86.JNE, x86.To(chosen))
	case lower.TermIfNone, lower.TermIfAgreed, lower.TermIfWhole, lower.TermRetire:
		parts := back
		if c.divergesHere() {
			parts = a.NewLabel()
			defer func() {
				a.Emit(x86.JMP, x86.To(found))
				a.Bind(parts)
				c.diverge(back, found)
			}()
		}
		if e.Kind == lower.TermIfWhole {
			a.Emit(x86.MOV, x86.RAX, execMask)
			a.Emit(x86.CMP, x86.RAX, x86.At(x86.RDI, code.OffLive))
			a.Emit(x86.JNE, x86.To(parts))
		}
		c.condMask()
		a.Emit(x86.TEST, x86.RAX, x86.RAX)
		if e.Kind == lower.TermIfNone {
			a.Emit(x86.JNE, x86.To(back))
			break
		}
		a.Emit(x86.JE, x86.To(second))
		a.Emit(x86.CMP, x86.RAX, execMask)
		if e.Stack {
			some := a.NewLabel()
			a.Emit(x86.JNE, x86.To(some))
			defer func() {
				a.Emit(x86.JMP, x86.To(found))
				a.Bind(some)
				c.retireLanes(back, found)
			}()
		} else {
			a.Emit(x86.JNE, x86.To(parts))
		}
		if e.Kind == lower.TermRetire {
			a.Emit(x86.CMP, x86.RAX, x86.At(x86.RDI, code.OffLive))
			a.Emit(x86.JE, x86.To(over))
			a.Emit(x86.JMP, x86.To(back))
			break
		}
		a.Emit(x86.JMP, x86.To(chosen))
	}
	a.Bind(second)
	if e.Kind != lower.TermJump {
		a.Emit(x86.ADD, x86.RCX, x86.Imm(int64(2*sizeWay)))
	}
	a.Bind(chosen)
	a.Emit(x86.MOV, regRun, execMask)
	c.selectWay(back)
}
