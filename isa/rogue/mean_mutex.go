package rogue

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// Mutexes. docs/reference/rogue.md 5.8.

var (
	lockedCell = ir.Cell{File: FileLocked}
	heldCell   = ir.Cell{File: FileHeld}
	asleepCell = ir.Cell{File: FileAsleep}
)

// Operations of MUTEX by code.
const (
	mutexRelease = iota
	mutexSleep
	mutexWakeup
	mutexLock
)

// mutex locks or releases one, if the group is about an instance.
func mutex(l *isa.Lift) {
	id := uint16(l.In.Get(nameID))
	m := mutexLift{l: l, bit: l.I32(1 << id), woken: ir.Cell{File: FileWoken, Index: id}, locked: l.Get(lockedCell, ir.I32), held: l.Get(heldCell, ir.I32)}
	if !data(l).all {
		m.about = mask(l).Any(l.Live())
	}
	switch l.In.Get(nameOp) {
	case mutexLock:
		m.lock()
	case mutexSleep:
		m.sleep()
	default:
		m.release(l.In.Get(nameOp) == mutexWakeup)
	}
}

// A mutexLift is the lift of an operation on a mutex.
type mutexLift struct {
	l            *isa.Lift
	about        V       // whether the group is about an instance; nothing: it is
	bit          V       // of the mutex in what follows
	locked, held V       // by a task of the work-group, by this one
	woken        ir.Cell // of the mutex
}

// when is a value if the group is about an instance, else another.
func (m *mutexLift) when(yes, no V) V {
	if m.about.Valid() {
		return m.about.Select(yes, no)
	}
	return yes
}

// set sets a cell of the task, which holds old, if the group is about an instance.
func (m *mutexLift) set(c ir.Cell, old, v V) { m.l.Set(c, m.when(v, old), V{}) }

// stay lets the task come here again while a condition holds, after others have had their turn, and else go on.
func (m *mutexLift) stay(while V) {
	m.l.Branch(m.when(while, m.l.I1(false)), m.l.Bundle.Addr(), m.l.Next)
}

// lock takes the mutex if it is free, else the task waits for it.
func (m *mutexLift) lock() {
	taken := m.locked.And(m.bit)
	free := taken.Eq(taken.K(0))
	m.set(heldCell, m.held, free.Select(m.held.Or(m.bit), m.held))
	m.set(lockedCell, m.locked, m.locked.Or(m.bit))
	m.stay(free.Not())
}

// mine faults unless the task has locked the mutex, or the condition does not hold: it reads what lies behind the cell of those that it has
// locked. No source says what a release does to a mutex that is free or that another task has locked.
func (m *mutexLift) mine(cond V) {
	has := m.held.And(m.bit)
	none := has.Eq(has.K(0))
	if cond.Valid() {
		none = none.And(cond)
	}
	outside := m.when(none, m.l.I1(false)).Select(m.l.I32(1), m.l.I32(0))
	m.l.GetX(heldCell, outside, V{}, ir.I32)
}

// release lets go of the mutex, and wakes those that sleep at it. These have their turn first: PCO's barrier in a loop needs it, whose
// counter must not count again before all have seen that it is 0.
func (m *mutexLift) release(wakes bool) {
	m.mine(V{})
	if wakes {
		n := m.l.Get(m.woken, ir.I32)
		m.set(m.woken, n, n.Add(n.K(1)))
	}
	m.set(heldCell, m.held, m.held.And(m.bit.Not()))
	m.set(lockedCell, m.locked, m.locked.And(m.bit.Not()))
	if wakes {
		m.l.Yield(m.l.Next)
	}
}

// sleep lets go of the mutex, and the task comes here again until others have woken those that sleep at it.
func (m *mutexLift) sleep() {
	asleep, n := m.l.Get(asleepCell, ir.I32), m.l.Get(m.woken, ir.I32)
	now := n.Add(n).Or(n.K(1))
	begins := asleep.Eq(asleep.K(0))
	m.mine(begins)
	wakes := begins.Not().And(asleep.Ne(now))
	m.set(asleepCell, asleep, wakes.Select(n.K(0), begins.Select(now, asleep)))
	m.set(heldCell, m.held, begins.Select(m.held.And(m.bit.Not()), m.held))
	m.set(lockedCell, m.locked, begins.Select(m.locked.And(m.bit.Not()), m.locked))
	m.stay(wakes.Not())
}
