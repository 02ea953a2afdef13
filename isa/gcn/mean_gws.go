package gcn

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// Semantics of global wave sync: barriers and semaphores of all waves of a launch. docs/reference/gcn.md 8.3.
//
// A resource is 64 bits of memory: a counter in the low half, and above it the number of waves that wait for a
// semaphore, and a flag that a barrier inverts when it is complete. An instruction reads it, computes the new value,
// and stores it by compare-and-swap; if another wave has changed it, or while the wave has to wait, the instruction
// is restarted, and other waves of the workgroup run. What a wave waits for is in a hardware register that code
// cannot see.

// A gwsState is a resource before or after an instruction.
type gwsState struct{ counter, queue, flag V } // i32; flag is 0 or 1

// What a wave waits for: gwsNone, a position in a semaphore's queue, or a barrier, with the flag at the wave's
// arrival.
const (
	gwsNone    = 0
	gwsQueued  = 1
	gwsFlagged = 2 // 2 or 3
)

// A gwsStep computes the new state of a resource from the old one, what the wave waits for from what it waited for,
// and whether it may continue. value is the operand of the lowest active lane.
type gwsStep func(s gwsState, waits, value V) (next gwsState, waiting, done V)

// gws is an instruction of global wave sync: ds_gws_barrier addr offset:N gds.
func gws(step gwsStep) eff {
	return func(l *isa.Lift) {
		value := l.I32(0)
		if l.In.Has(nameAddr) {
			value = l.Get(VGPR(field(l, nameAddr)), ir.I32).ReadFirst(l.Exec())
		}
		at := gwsPlace(l)
		m := ir.Mem{Space: ir.GlobalSpace, Bank: BankGDS, Elem: 8, Count: 1, Align: 8, Load: ir.Volatile}
		checkAtomic(l, m, at, V{})
		old := l.Load(m, ir.I64, at, V{})[0]
		waits := l.Get(CellSync, ir.I32)
		next, waiting, done := step(unpackGWS(old), waits, value)
		m.Atomic, m.Load = ir.AtomicCmpSwap, 0
		mine := l.Atomic(m, at, packGWS(next), old, V{}).Eq(old)
		l.Set(CellSync, mine.Select(waiting, waits), V{})
		l.Issue(queueGDS, nil, nil)
		l.Branch(mine.And(done), l.Next, l.In.Addr)
	}
}

// gwsPlace returns the address of the resource: M0[21:16] + offset, modulo their number.
func gwsPlace(l *isa.Lift) V {
	base := l.Get(CellM0, ir.I32).ShrU(l.I32(16))
	rid := base.Add(l.I32(uint32(l.In.Get(nameOffset)))).And(l.I32(63))
	return rid.Shl(l.I32(3)).Add(l.I32(GWSBase))
}

func unpackGWS(x V) gwsState {
	counter, hi := x.Unpack(ir.I32)
	return gwsState{counter, hi.ShrU(hi.K(1)), hi.And(hi.K(1))}
}

func packGWS(s gwsState) V {
	return s.counter.Pack(s.queue.Shl(s.queue.K(1)).Or(s.flag), ir.I64)
}

// atOnce is the result of a step that does not wait.
func atOnce(s gwsState, waits V) (gwsState, V, V) { return s, waits.K(gwsNone), waits.B().I1(true) }

func gwsInit(s gwsState, waits, value V) (gwsState, V, V) {
	s.counter, s.flag = value, value.K(0)
	return atOnce(s, waits)
}

func gwsRaise(s gwsState, waits, _ V) (gwsState, V, V) {
	s.counter = s.counter.Add(s.counter.K(1))
	return atOnce(s, waits)
}

func gwsRaiseBy(s gwsState, waits, value V) (gwsState, V, V) {
	s.counter = s.counter.Add(value)
	return atOnce(s, waits)
}

func gwsRelease(s gwsState, waits, _ V) (gwsState, V, V) {
	s.counter = s.queue
	return atOnce(s, waits)
}

// gwsPass queues the wave until the counter is above 0, and decrements it.
func gwsPass(s gwsState, waits, _ V) (gwsState, V, V) {
	zero, one := waits.K(0), waits.K(1)
	open := zero.SLt(s.counter)
	s.counter = open.Select(s.counter.Sub(one), s.counter)
	s.queue = open.Select(s.queue.Sub(waits), s.queue.Add(one.Sub(waits)))
	return s, open.Select(waits.K(gwsNone), waits.K(gwsQueued)), open
}

// gwsBarrier: the wave that finds the counter at 0 inverts the flag and sets the counter for the next barrier; the
// others wait until the flag differs from that at their arrival.
func gwsBarrier(s gwsState, waits, value V) (gwsState, V, V) {
	zero, one := waits.K(0), waits.K(1)
	arrives := waits.Eq(zero)
	last := arrives.And(s.counter.SLe(zero))
	turned := s.flag.Ne(waits.And(one))
	saw := s.flag.Or(waits.K(gwsFlagged))
	done := arrives.Select(last, turned)
	waiting := done.Select(zero, arrives.Select(saw, waits))
	s.flag = last.Select(s.flag.Xor(one), s.flag)
	s.counter = last.Select(value, arrives.Select(s.counter.Sub(one), s.counter))
	return s, waiting, done
}
