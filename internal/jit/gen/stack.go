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

// Steps of the control stack, as exec.State.Leave does them. Those that fault, that lie between quadon and quadpop, or
// whose target no wave has reached yet, are left to the caller. So nothing is changed before all that is known.
//
// Rcx points to the link, and then to the successor less offWays; rax holds the lanes that take the step, and then the
// successor's code; r8 the lanes that run after the step; r9 the number of tokens, r10 points to a token that was
// searched for, r11 to the place of the next one.
var (
	regRun    = x86.R8
	regTokens = x86.R9
	regFound  = x86.R10
	regNext   = x86.R11
)

// Offsets in a token.
const (
	offKind   = int32(unsafe.Offsetof(exec.Token{}.Kind))
	offPC     = int32(unsafe.Offsetof(exec.Token{}.PC))
	offRan    = int32(unsafe.Offsetof(exec.Token{}.Mask))
	offParked = int32(unsafe.Offsetof(exec.Token{}.Parked))

	sizeToken = int32(unsafe.Sizeof(exec.Token{}))
	tokenBits = 5 // the logarithm of the token's size
)

// minTokens is the least capacity of the control stack.
const minTokens = 8

// lendStack gives code access to the control stack of a wave, or to the PCs of its waiting lanes.
func lendStack(c *code.Context, st *exec.State) {
	depth := st.Machine.StackDepth
	switch st.Machine.Control {
	case ir.LowestPC:
		c.Tokens = unsafe.Pointer(unsafe.SliceData(st.LanePC))
		return
	case ir.MaskData:
		return
	}
	if cap(st.Stack) < min(depth, minTokens) {
		st.Stack = append(make([]exec.Token, 0, minTokens), st.Stack...)
	}
	c.Tokens = unsafe.Pointer(unsafe.SliceData(st.Stack))
	c.Args[argTokens], c.Args[argDepth] = uint64(len(st.Stack)), uint64(min(depth, cap(st.Stack)))
}

// returnStack sets the length of the state's stack to what the code has left.
func returnStack(c *code.Context, st *exec.State) {
	if st.Machine.Control == ir.MaskStack {
		st.Stack = st.Stack[:c.Args[argTokens]]
	}
}

// farSuccessors are successors at addresses that the block does not name: that of a token, the PC of waiting lanes, one
// that is computed. Where an address is cached depends on its bits alone; see farIndex.
type farSuccessors [1 << farBits]cachedSuccessor

const farBits = 4

type cachedSuccessor struct {
	pc   uint64
	ways [portable.Ways / 2]way
	_    uint64
}

const (
	offFar     = int32(unsafe.Offsetof(link{}.successors))
	offFarPC   = int32(unsafe.Offsetof(cachedSuccessor{}.pc))
	offFarWays = int32(unsafe.Offsetof(cachedSuccessor{}.ways))
	farShift   = 6 // the logarithm of the size of a cachedSuccessor
)

// farIndex returns where the successor at an address is cached.
func farIndex(pc uint64) uint64 { return (pc>>farBits ^ pc) >> minCodeBits & (1<<farBits - 1) }

// minCodeBits is how many low bits of addresses of code are mostly zero.
const minCodeBits = 2

// JoinFar implements portable.CodeRunner.
func (w *worker) JoinFar(from portable.Link, pc uint64, lanes int, to portable.Link, rarely bool) {
	f := from.(*link)
	if f.successors == nil {
		f.successors = new(farSuccessors)
	}
	s := &f.successors[farIndex(pc)]
	if s.pc != pc {
		*s = cachedSuccessor{pc: pc}
	}
	s.ways[lanes] = wayTo(to, rarely)
}

// controlStep emits a step of the control stack: it moves rcx to the successor, loads its code into rax, and continues
// at found.
func (c *terminator) controlStep(back, found x86.Label) {
	a, e, none := c.a, &c.b.Ending, c.a.NewLabel()
	a.Emit(x86.MOV, regRun, execMask)
	switch e.Step {
	case ir.CtlPush, ir.CtlPushBreak, ir.CtlPushReturn:
		kind := map[ir.ControlKind]exec.TokenKind{ir.CtlPush: exec.TokenMeet, ir.CtlPushBreak: exec.TokenBreak, ir.CtlPushReturn: exec.TokenCall}
		c.push(kind[e.Step], 0, back)
		a.Emit(x86.JMP, x86.To(found))
		return
	case ir.CtlJoin:
		c.joinLanes(back, found)
		return
	}
	c.condMask()
	a.Emit(x86.AND, x86.RAX, regRun)
	a.Emit(x86.JE, x86.To(none))
	switch e.Step {
	case ir.CtlDiverge:
		parts := a.NewLabel()
		a.Emit(x86.CMP, x86.RAX, regRun)
		a.Emit(x86.JNE, x86.To(parts))
		c.takeWay(0, back)
		a.Emit(x86.JMP, x86.To(found))
		a.Bind(parts)
		a.Emit(x86.MOV, regRun, x86.RAX)
		c.push(exec.TokenBranch, 1, back)
	case ir.CtlCall:
		a.Emit(x86.MOV, regRun, x86.RAX)
		c.push(exec.TokenCall, 1, back)
	case ir.CtlBreak:
		c.parkLanes(back, found, exec.TokenBreak, exec.TokenBreak)
	case ir.CtlReturn:
		c.parkLanes(back, found, exec.TokenCall, exec.TokenCallLimited)
	}
	a.Emit(x86.JMP, x86.To(found))
	a.Bind(none)
	c.takeWay(1, back)
	a.Emit(x86.JMP, x86.To(found))
}

// condMask loads the mask of the terminator into rax.
func (c *terminator) condMask() {
	a, e := c.a, &c.b.Ending
	a.Emit(x86.MOV, x86.RAX, x86.At(regWords, 8*e.Cond.At))
	if e.Cond.Kind == lower.InWord {
		a.Emit(x86.AND, x86.RAX, x86.Imm(1))
		a.Emit(x86.NEG, x86.RAX)
		a.Emit(x86.AND, x86.RAX, arg(argFull))
	}
}

// takeWay moves rcx to one of the block's two ways, for the lanes in r8. If that is not linked it exits to back.
func (c *terminator) takeWay(way int, back x86.Label) {
	if way > 0 {
		c.a.Emit(x86.ADD, x86.RCX, x86.Imm(int64(2*sizeWay)))
	}
	c.selectWay(back)
}

// selectWay moves rcx to the way for waves with all lanes active, if r8 has all lanes. If the way is not linked, or the
// wave yields there, it exits to back. Otherwise the wave takes the way: nothing after it exits.
func (c *terminator) selectWay(back x86.Label) {
	a, sparse := c.a, c.a.NewLabel()
	a.Emit(x86.CMP, regRun, arg(argFull))
	a.Emit(x86.JNE, x86.To(sparse))
	a.Emit(x86.ADD, x86.RCX, x86.Imm(int64(sizeWay)))
	a.Bind(sparse)
	a.Emit(x86.MOV, x86.RAX, x86.At(x86.RCX, offWays+offAt))
	a.Emit(x86.TEST, x86.RAX, x86.RAX)
	a.Emit(x86.JE, x86.To(back))
	if c.b.Ending.Rarely {
		a.Emit(x86.MOV, regWords, arg(argPlaces))
		a.Emit(x86.SUB, regWords, x86.At(x86.RCX, offWays+offRarely))
		a.Emit(x86.JE, x86.To(back))
		a.Emit(x86.MOV, arg(argPlaces), regWords)
	}
}

// loadTokens loads the number of tokens into r9 and the address of the next one into r11.
func (c *terminator) loadTokens() {
	c.a.Emit(x86.MOV, regTokens, arg(argTokens))
	c.a.Emit(x86.MOV, regNext, regTokens)
	c.a.Emit(x86.SHL, regNext, x86.Imm(tokenBits))
	c.a.Emit(x86.ADD, regNext, x86.At(x86.RDI, code.OffTokens))
}

// unlessFull jumps to full if there is no room for another token, or the top token is that of quadon.
func (c *terminator) unlessFull(full x86.Label) {
	a, empty := c.a, c.a.NewLabel()
	c.loadTokens()
	a.Emit(x86.CMP, regTokens, arg(argDepth))
	a.Emit(x86.JAE, x86.To(full))
	a.Emit(x86.TEST, regTokens, regTokens)
	a.Emit(x86.JE, x86.To(empty))
	c.ifTopToken(exec.TokenQuad, full)
	a.Bind(empty)
}

// ifTopToken jumps if the top token, which must exist, has the kind.
func (c *terminator) ifTopToken(k exec.TokenKind, to x86.Label) {
	c.a.Emit(x86.CMP, x86.At(regNext, offKind-sizeToken).Size(1), x86.Imm(int64(k)))
	c.a.Emit(x86.JE, x86.To(to))
}

// push pushes a token with the address of a way; the lanes in r8 take the other way, the others wait in the token.
func (c *terminator) push(k exec.TokenKind, way int, back x86.Label) {
	a, e := c.a, &c.b.Ending
	c.unlessFull(back)
	c.takeWay(1-way, back)
	a.Emit(x86.MOV, x86.At(regNext, offKind).Size(4), x86.Imm(int64(k)))
	a.Emit(x86.MOV, x86.RDX, x86.Imm(int64(e.To[way])))
	a.Emit(x86.MOV, x86.At(regNext, offPC), x86.RDX)
	a.Emit(x86.MOV, x86.RDX, execMask)
	a.Emit(x86.MOV, x86.At(regNext, offRan), x86.RDX)
	a.Emit(x86.XOR, x86.RDX, regRun)
	a.Emit(x86.MOV, x86.At(regNext, offParked), x86.RDX)
	a.Emit(x86.ADD, arg(argTokens).Size(8), x86.Imm(1))
	a.Emit(x86.MOV, execMask, regRun)
}

// findToken loads the address of the innermost token of two kinds into r10; the stack is not empty. If there is no
// such token it jumps to none.
func (c *terminator) findToken(x, y exec.TokenKind, none x86.Label) {
	a, again, found := c.a, c.a.NewLabel(), c.a.NewLabel()
	a.Emit(x86.MOV, regFound, regNext)
	a.Bind(again)
	a.Emit(x86.SUB, regFound, x86.Imm(int64(sizeToken)))
	a.Emit(x86.CMP, regFound, x86.At(x86.RDI, code.OffTokens))
	a.Emit(x86.JB, x86.To(none))
	for _, k := range []exec.TokenKind{x, y} {
		a.Emit(x86.CMP, x86.At(regFound, offKind).Size(1), x86.Imm(int64(k)))
		a.Emit(x86.JE, x86.To(found))
	}
	a.Emit(x86.JMP, x86.To(again))
	a.Bind(found)
}

// parkLanes makes the lanes in rax wait in the innermost token of two kinds. If these are all that run, that token must
// be the top one, whose lanes run then.
func (c *terminator) parkLanes(back, found x86.Label, x, y exec.TokenKind) {
	a, all, top := c.a, c.a.NewLabel(), c.a.NewLabel()
	a.Emit(x86.MOV, x86.RDX, x86.RAX)
	c.loadTokens()
	a.Emit(x86.TEST, regTokens, regTokens)
	a.Emit(x86.JE, x86.To(back))
	c.ifTopToken(exec.TokenQuad, back)
	a.Emit(x86.CMP, x86.RDX, regRun)
	a.Emit(x86.JE, x86.To(all))
	a.Emit(x86.XOR, regRun, x86.RDX)
	c.findToken(x, y, back)
	c.takeWay(1, back)
	a.Emit(x86.OR, x86.At(regFound, offParked), x86.RDX)
	a.Emit(x86.MOV, execMask, regRun)
	a.Emit(x86.JMP, x86.To(found))
	a.Bind(all)
	c.ifTopToken(x, top)
	c.ifTopToken(y, top)
	a.Emit(x86.JMP, x86.To(back))
	a.Bind(top)
	a.Emit(x86.OR, regRun, x86.At(regNext, offParked-sizeToken))
	a.Emit(x86.AND, regRun, x86.At(x86.RDI, code.OffLive))
	a.Emit(x86.JE, x86.To(back))
	a.Emit(x86.MOV, x86.RDX, x86.At(regNext, offPC-sizeToken))
	c.cachedWay(back)
	a.Emit(x86.SUB, arg(argTokens).Size(8), x86.Imm(1))
	a.Emit(x86.MOV, execMask, regRun)
}

// joinLanes makes all lanes wait in the innermost reconvergence token. If that is the top token, the lanes that wait
// there continue after the join, otherwise those that wait in the top token.
func (c *terminator) joinLanes(back, found x86.Label) {
	a, e := c.a, &c.b.Ending
	meet, next := a.NewLabel(), a.NewLabel()
	c.loadTokens()
	a.Emit(x86.TEST, regTokens, regTokens)
	a.Emit(x86.JE, x86.To(back))
	c.ifTopToken(exec.TokenMeet, meet)
	a.Emit(x86.CMP, x86.At(regNext, offKind-sizeToken).Size(1), x86.Imm(int64(exec.TokenBranch)))
	a.Emit(x86.JNE, x86.To(back))
	c.findToken(exec.TokenMeet, exec.TokenMeet, back)
	a.Emit(x86.MOV, regRun, x86.At(regNext, offParked-sizeToken))
	a.Emit(x86.AND, regRun, x86.At(x86.RDI, code.OffLive))
	a.Emit(x86.JE, x86.To(back))
	a.Emit(x86.MOV, x86.RDX, x86.At(regNext, offPC-sizeToken))
	c.cachedWay(back)
	a.Emit(x86.MOV, x86.RDX, x86.Imm(int64(e.To[1])))
	a.Emit(x86.MOV, x86.At(regFound, offPC), x86.RDX)
	a.Emit(x86.MOV, x86.RDX, execMask)
	a.Emit(x86.OR, x86.At(regFound, offParked), x86.RDX)
	a.Emit(x86.JMP, x86.To(next))
	a.Bind(meet)
	a.Emit(x86.OR, regRun, x86.At(regNext, offParked-sizeToken))
	a.Emit(x86.AND, regRun, x86.At(x86.RDI, code.OffLive))
	c.takeWay(1, back)
	a.Bind(next)
	a.Emit(x86.SUB, arg(argTokens).Size(8), x86.Imm(1))
	a.Emit(x86.MOV, execMask, regRun)
	a.Emit(x86.JMP, x86.To(found))
}

// cachedWay moves rcx to the successor at the address in rdx, for the lanes in r8.
func (c *terminator) cachedWay(back x86.Label) {
	a := c.a
	a.Emit(x86.MOV, x86.RCX, x86.At(x86.RCX, offFar))
	a.Emit(x86.TEST, x86.RCX, x86.RCX)
	a.Emit(x86.JE, x86.To(back))
	a.Emit(x86.MOV, x86.RAX, x86.RDX)
	a.Emit(x86.SHR, x86.RAX, x86.Imm(farBits))
	a.Emit(x86.XOR, x86.RAX, x86.RDX)
	a.Emit(x86.SHR, x86.RAX, x86.Imm(minCodeBits))
	a.Emit(x86.AND, x86.RAX, x86.Imm(1<<farBits-1))
	a.Emit(x86.SHL, x86.RAX, x86.Imm(farShift))
	a.Emit(x86.ADD, x86.RCX, x86.RAX)
	a.Emit(x86.CMP, x86.RDX, x86.At(x86.RCX, offFarPC))
	a.Emit(x86.JNE, x86.To(back))
	a.Emit(x86.ADD, x86.RCX, x86.Imm(int64(offFarWays-offWays)))
	c.selectWay(back)
}

// retireLanes terminates the lanes in rax, which must be neither all that run nor all that are live: lane-operations up
// to here count for the lanes that were live. Rax may have lanes that have terminated, if a program sets its execution
// mask.
func (c *terminator) retireLanes(back, found x86.Label) {
	a, e, empty := c.a, &c.b.Ending, c.a.NewLabel()
	a.Emit(x86.MOV, regRun, execMask)
	a.Emit(x86.AND, x86.RAX, regRun)
	a.Emit(x86.XOR, regRun, x86.RAX)
	a.Emit(x86.JE, x86.To(back))
	a.Emit(x86.MOV, x86.RDX, x86.RAX)
	a.Emit(x86.NOT, x86.RDX)
	a.Emit(x86.AND, x86.RDX, x86.At(x86.RDI, code.OffLive))
	a.Emit(x86.JE, x86.To(back))
	c.loadTokens()
	a.Emit(x86.TEST, regTokens, regTokens)
	a.Emit(x86.JE, x86.To(empty))
	c.ifTopToken(exec.TokenQuad, back)
	a.Bind(empty)
	c.takeWay(0, back)
	a.Emit(x86.POPCNT, regTokens, x86.At(x86.RDI, code.OffLive))
	a.Emit(x86.MOV, regFound, arg(argLaneOps))
	a.Emit(x86.ADD, regFound, x86.Imm(int64(e.LaneOps)))
	a.Emit(x86.IMUL, regFound, regTokens)
	a.Emit(x86.ADD, arg(argEarlier), regFound)
	a.Emit(x86.MOV, arg(argLaneOps).Size(8), x86.Imm(-int64(e.LaneOps)))
	a.Emit(x86.MOV, x86.At(x86.RDI, code.OffLive), x86.RDX)
	a.Emit(x86.MOV, execMask, regRun)
	a.Emit(x86.JMP, x86.To(found))
}

// unlessFaults continues at a label if a check of a control step cannot fail.
func (c *terminator) unlessFaults(k ir.ControlKind, to x86.Label) {
	a, no := c.a, c.a.NewLabel()
	switch k {
	case ir.CtlPush, ir.CtlPushBreak, ir.CtlPushReturn, ir.CtlCall, ir.CtlDiverge:
		c.unlessFull(no)
	case ir.CtlJoin:
		top := a.NewLabel()
		c.loadTokens()
		a.Emit(x86.TEST, regTokens, regTokens)
		a.Emit(x86.JE, x86.To(no))
		c.ifTopToken(exec.TokenMeet, to)
		c.ifTopToken(exec.TokenBranch, top)
		a.Emit(x86.JMP, x86.To(no))
		a.Bind(top)
		c.findToken(exec.TokenMeet, exec.TokenMeet, no)
	default:
		return
	}
	a.Emit(x86.JMP, x86.To(to))
	a.Bind(no)
}
