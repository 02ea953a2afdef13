package teslarun

import (
	"fmt"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/isa/tesla"
)

// Programs of docs/reference/tesla.md 8. $r1 is the number of the thread.

// threads returns a warp whose $r1 is the number of the thread.
func threads(t *testing.T, variant, stage int) *warp {
	w := newWarp(t, variant, stage)
	w.set(1, thread)
	return w
}

// TestLoops: each thread runs the inner loop as often as its low two bits + 1, and that as often as its upper three
// bits.
func TestLoops(t *testing.T) {
	w := threads(t, tesla.G80, tesla.CP)
	w.program(`
		and b32 $r2 $r1 0x3
		add b32 $r2 $r2 0x1
		shr u32 $r3 $r1 0x2
		mov b32 $r4 0x0
		mov b32 $r6 0x0
		breakaddr behind
	outer:	sub b32 $c0 # $r4 $r3
		(ge $c0) break
		mov b32 $r5 0x0
		breakaddr next
	inner:	add b32 $r6 $r6 0x1
		add b32 $r5 $r5 0x1
		sub b32 $c1 # $r5 $r2
		(ge $c1) break
		bra inner
	next:	add b32 $r4 $r4 0x1
		bra outer
	behind:	add b32 $r7 $r6 0x64
		exit nop`)
	count := func(lane int) uint32 { return uint32(lane&3+1) * uint32(lane>>2) }
	w.want(6, count)
	w.want(7, func(lane int) uint32 { return count(lane) + 100 })
}

// TestBranches: threads diverge and reconverge twice; a join with a false predicate still joins.
func TestBranches(t *testing.T) {
	w := threads(t, tesla.G80, tesla.CP)
	w.set(8, always(1))
	w.program(`
		and b32 $c0 # $r1 $r8
		joinat end
		(e $c0) bra even
		shr u32 $r2 $r1 0x1
		and b32 $c1 # $r2 $r8
		joinat inner
		(e $c1) bra low
		add b32 $r3 $r3 0x3
		bra inner
	low:	add b32 $r3 $r3 0x5
	inner:	join (never) nop
		add b32 $r3 $r3 0x10
		bra end
	even:	add b32 $r3 $r3 0x7
	end:	join (never) nop
		add b32 $r3 $r3 0x100
		exit nop`)
	w.want(3, func(lane int) uint32 {
		switch {
		case lane&1 == 0:
			return 0x107
		case lane&2 == 0:
			return 0x115
		}
		return 0x113
	})
}

// TestJoinInstruction: an instruction with a join runs once for each side, before the sides reconverge.
func TestJoinInstruction(t *testing.T) {
	w := threads(t, tesla.G80, tesla.CP)
	w.set(8, always(4))
	w.program(`
		and b32 $c0 # $r1 $r8
		joinat end
		(e $c0) bra end
		mov b32 $r5 0x9
	end:	join long add b32 $r3 $r3 $r8
		exit nop`)
	w.want(3, always(4))
}

// TestCalls: a function that diverges and from which threads return separately, called by some threads, and calling
// another.
func TestCalls(t *testing.T) {
	w := threads(t, tesla.G80, tesla.CP)
	w.set(8, always(8))
	w.program(`
		call f
		add b32 $r3 $r3 0x1
		exit nop
	f:	and b32 $c0 # $r1 $r8
		(e $c0) ret
		call g
		add b32 $r3 $r3 0x10
		shl b32 $r4 $r8 0x1
		and b32 $c1 # $r1 $r4
		(lg $c1) ret
		add b32 $r3 $r3 0x100
		ret
	g:	add b32 $r3 $r3 0x1000
		ret`)
	w.want(3, func(lane int) uint32 {
		switch {
		case lane&8 == 0:
			return 1
		case lane&16 == 0:
			return 0x1111
		}
		return 0x1011
	})
}

// TestRecursion: 100 nested calls, also with limited calls.
func TestRecursion(t *testing.T) {
	for _, lim := range []string{"", "lim "} {
		w := threads(t, tesla.G80, tesla.CP)
		w.program(`
		mov b32 $r2 0x64
		mov b32 $r4 0x1
		call ` + lim + `f
		exit nop
	f:	add b32 $r3 $r3 $r1
		long sub b32 $c0 $r2 $r2 $r4
		(e $c0) ret
		call ` + lim + `f
		ret`)
		w.want(3, func(lane int) uint32 { return uint32(100 * lane) })
	}
}

// TestReturnWithoutCall: without a call, threads that return end, and the others continue.
func TestReturnWithoutCall(t *testing.T) {
	w := threads(t, tesla.G80, tesla.CP)
	w.set(8, always(1))
	w.program(`
		and b32 $c0 # $r1 $r8
		joinat end
		(e $c0) ret
		mov b32 $r3 0x2
	end:	join (never) nop
		add b32 $r3 $r3 0x3
		ret`)
	w.want(3, func(lane int) uint32 { return uint32(lane&1) * 5 })
}

// TestReturnAddress: preret pushes the target of ret.
func TestReturnAddress(t *testing.T) {
	w := threads(t, tesla.GT215, tesla.CP)
	w.program(`
		preret back
		add b32 $r2 $r2 0x1
		bra f
		add b32 $r2 $r2 0x10
	back:	add b32 $r2 $r2 0x100
		exit nop
	f:	add b32 $r2 $r2 0x1000
		ret`)
	w.want(2, always(0x1101))
}

// TestBranchThroughMemory: each thread branches to the address that it loads.
func TestBranchThroughMemory(t *testing.T) {
	w := threads(t, tesla.GT215, tesla.CP)
	src := `
		and b32 $r2 $r1 0x3
		shl $a1 $r2 0x2
		joinat end
		bra c3[$a1+0x40]
	one:	mov b32 $r3 0x1
		bra end
	two:	mov b32 $r3 0x2
		bra end
	three:	mov b32 $r3 0x3
	end:	join (never) nop
		add b32 $r3 $r3 0x10
		exit nop`
	// Addresses: 0x20 one, 0x30 two, 0x40 three, 0x48 end.
	for i, at := range []uint32{0x20, 0x30, 0x40, 0x48} {
		putWord(w.consts(3), 0x40+4*i, at)
	}
	w.program(src)
	w.want(3, func(lane int) uint32 { return []uint32{0x11, 0x12, 0x13, 0x10}[lane&3] })
}

// TestExits: threads exit while others wait at a join; the rest continues. An exit whose predicate is false is not an
// instruction of its own: the modifier applies.
func TestExits(t *testing.T) {
	w := threads(t, tesla.G80, tesla.CP)
	w.set(8, always(3))
	w.set(9, always(1))
	w.program(`
		long and b32 $c0 $r2 $r1 $r8
		sub b32 $c1 # $r2 $r9
		joinat end
		(e $c0) bra gone
		(lg $c1) bra end
		exit mov b32 $r3 $r8
	gone:	exit (never) mov b32 $r3 $r9
	end:	join (never) nop
		mov b32 $r3 0x77
		exit nop`)
	w.want(3, func(lane int) uint32 { return []uint32{0, 3, 0x77, 0x77}[lane&3] })
	w = threads(t, tesla.G80, tesla.CP)
	w.program("mov b32 $r3 0x1\nexit (never) nop\nmov b32 $r3 0x2\nexit nop")
	w.want(3, always(1))
}

// TestLoopExits: in a loop some threads exit, some break; the loop ends when all have left it.
func TestLoopExits(t *testing.T) {
	w := threads(t, tesla.G80, tesla.CP)
	w.set(8, always(1))
	w.set(9, always(31))
	w.program(`
		long and b32 $c0 # $r1 $r8
		breakaddr out
	top:	sub b32 $c1 # $r2 $r1
		(l $c1) bra more
		(e $c0) break
		exit mov b32 $r3 $r2
	more:	add b32 $r2 $r2 0x1
		bra top
	out:	add b32 $r3 $r2 0x100
		exit nop`)
	w.want(3, func(lane int) uint32 {
		if lane&1 == 0 {
			return uint32(lane) + 0x100
		}
		return uint32(lane)
	})
}

// TestQuads: threads that have exited run between quadon and quadpop, and not afterwards.
func TestQuads(t *testing.T) {
	w := threads(t, tesla.G80, tesla.FP)
	w.set(8, always(5))
	w.program(`
		cvt rn f32 $r4 u32 $r1
		long and b32 $c0 # $r1 $r8
		joinat end
		(lg $c0) bra end
		quadon
		add b32 $r5 $r5 0x1
		quadop f32 sub subr sub subr $r6 dx $r4 $r4
		quadpop
		add b32 $r5 $r5 0x10
	end:	join (never) nop
		exit nop`)
	inQuad := func(lane int) bool { // a thread of its quad has neither bit 0 nor bit 2
		return lane&4 == 0
	}
	w.want(5, func(lane int) uint32 {
		switch {
		case lane&5 == 0:
			return 0x11
		case inQuad(lane):
			return 1
		}
		return 0
	})
	w.want(6, func(lane int) uint32 {
		if inQuad(lane) {
			return one32
		}
		return 0
	})
}

// TestDiscard: a discarded fragment no longer runs.
func TestDiscard(t *testing.T) {
	w := threads(t, tesla.G80, tesla.FP)
	w.set(8, always(2))
	w.program(`
		long and b32 $c0 # $r1 $r8
		(e $c0) discard
		add b32 $r3 $r3 0x1
		exit nop`)
	w.want(3, func(lane int) uint32 { return uint32(lane) >> 1 & 1 })
}

// TestVotes: over the active threads, of the predicate.
func TestVotes(t *testing.T) {
	for _, c := range []struct {
		name string
		of   func(lane int) bool
	}{{"none", func(int) bool { return false }}, {"all", func(int) bool { return true }}, {"one", func(lane int) bool { return lane == 19 }},
		{"all but one", func(lane int) bool { return lane != 4 }}, {"those that run", func(lane int) bool { return lane&1 != 0 }},
		{"those that do not", func(lane int) bool { return lane&1 == 0 }}} {
		w := threads(t, tesla.G200, tesla.CP)
		w.setFlags(2, func(lane int) uint8 {
			if c.of(lane) {
				return flagC
			}
			return flagO | flagZ
		})
		w.set(8, always(1))
		w.program(`
		long and b32 $c0 # $r1 $r8
		(e $c0) bra end
		(c $c2) vote any $c1
		(c $c2) vote all $c3
		mov $r4 $c1
		mov $r5 $c3
	end:	exit nop`)
		some, every := false, true
		for lane := 1; lane < tesla.Lanes; lane += 2 {
			some, every = some || c.of(lane), every && c.of(lane)
		}
		w.want(4, voted(some))
		w.want(5, voted(every))
		if t.Failed() {
			t.Fatal(c.name)
		}
	}
}

// voted returns the result of a vote in the odd threads. docs/reference/tesla.md 12 no. 6.
func voted(yes bool) func(lane int) uint32 {
	return func(lane int) uint32 {
		switch {
		case lane&1 == 0:
			return 0
		case yes:
			return flagS
		}
		return flagZ
	}
}

// TestStackFaults: invalid stack operations are faults that name the instruction.
func TestStackFaults(t *testing.T) {
	for _, c := range []struct{ src, at, says string }{
		{"top: joinat end\nbra top\nend: join nop\nexit nop", "joinat 0x10", "full"},
		{"top: breakaddr end\nbra top\nend: exit nop", "breakaddr 0x10", "full"},
		{"top: call top\nexit nop", "call 0x0", "full"},
		{"break\nexit nop", "break", "without a place to break to"},
		{"join nop\nexit nop", "join nop", "without a reconvergence point"},
		{"quadpop\nexit nop", "quadpop", "without a quadon"},
		{"call f\nexit nop\nf: break\nret", "break", "without a place to break to"},
		{"mov b32 $r8 0x1\nand b32 $c0 # $r1 $r8\nquadon\n(e $c0) bra end\nend: quadpop\nexit nop", "bra 0x20", "between quadon and quadpop"},
	} {
		w := threads(t, tesla.G80, tesla.CP)
		w.wantFault(c.src, c.at, c.says)
	}
	w := threads(t, tesla.GT215, tesla.CP)
	w.wantFault("top: preret end\nbra top\nend: exit nop", "preret 0x10", "full")
}

// TestDeepestStack: a full stack is no fault.
func TestDeepestStack(t *testing.T) {
	w := threads(t, tesla.G80, tesla.CP)
	w.program(fmt.Sprintf("%send: join (never) nop\nadd b32 $r2 $r2 0x1\nexit nop", strings.Repeat("joinat end\n", tesla.StackDepth)))
	w.want(2, always(1))
}
