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

// mutex locks or releases a mutex, if the group has an active lane.
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
	about        V       // whether the group's mask has a live lane; invalid: the group ignores Pe
	bit          V       // bit of the mutex in the masks below
	locked, held V       // mutexes locked by any task of the workgroup, and by this task
	woken        ir.Cell // wake count of the mutex
}

// when is yes if the group's mask has a lane, else no.
func (m *mutexLift) when(yes, no V) V {
	if m.about.Valid() {
		return m.about.Select(yes, no)
	}
	return yes
}

// set sets a cell of the task, whose value is old, if the group's mask has a lane.
func (m *mutexLift) set(c ir.Cell, old, v V) { m.l.Set(c, m.when(v, old), V{}) }

// stay executes the instruction again while a condition holds, after other tasks have had their turn; else the task
// continues.
func (m *mutexLift) stay(while V) {
	m.l.Branch(m.when(while, m.l.I1(false)), m.l.Bundle.Addr(), m.l.Next)
}

// lock takes the mutex if it is free; else the task waits for it.
func (m *mutexLift) lock() {
	taken := m.locked.And(m.bit)
	free := taken.Eq(taken.K(0))
	m.set(heldCell, m.held, free.Select(m.held.Or(m.bit), m.held))
	m.set(lockedCell, m.locked, m.locked.Or(m.bit))
	m.stay(free.Not())
}

// mine faults unless the task has locked the mutex or the condition does not hold: it reads past the cell of the
// mutexes that the task has locked. No source says what releasing a mutex does that is free or locked by another task.
func (m *mutexLift) mine(cond V) {
	has := m.held.And(m.bit)
	none := has.Eq(has.K(0))
	if cond.Valid() {
		none = none.And(cond)
	}
	outside := m.when(none, m.l.I1(false)).Select(m.l.I32(1), m.l.I32(0))
	m.l.GetX(heldCell, outside, V{}, ir.I32)
}

// release unlocks the mutex and wakes the tasks that sleep on it. These run first: PCO's barrier in a loop needs it,
// because its counter must not count again before all tasks have seen that it is 0.
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

// sleep unlocks the mutex; the task executes the instruction again until another task has woken those that sleep on it.
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
