package launch

import (
	"bytes"
	"cmp"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
)

// A program for a machine with a shadow (ir.Shadowing) gets memory for it, and a shadow of the registers in which a
// wave starts.

// shadowing returns the shadow of the launch's machine; nil: it has none.
func (l *Launch) shadowing() *ir.Shadowing { return l.Program.Machine().Shadow }

// newGroup lets the target begin the group in the slot, in zeroed memory, and sets the shadow of that memory: what the
// target does not write is undefined. Which bytes those are is found as for registers: see undefine.
func (w *Slot) newGroup(env *exec.Env) error {
	if w.s.l.shadowing() == nil || w.local == nil {
		return w.s.l.Target.NewGroup(&w.Group, env)
	}
	shadow := w.bytes[w.shadowAt:]
	if x := &w.shadowed; x.bytes != nil && x.size == w.Group.Size {
		copy(shadow, x.bytes)
		return w.s.l.Target.NewGroup(&w.Group, env)
	}
	before := *env
	if err := w.s.l.Target.NewGroup(&w.Group, env); err != nil {
		return err
	}
	kept := bytes.Clone(w.bytes[:w.shadowAt])
	exec.Undefine(w.bytes[:w.shadowAt])
	if err := w.s.l.Target.NewGroup(&w.Group, &before); err != nil {
		return err
	}
	for i, v := range kept {
		shadow[i] = w.bytes[i] ^ v
	}
	copy(w.bytes, kept)
	if w.restartable {
		w.shadowed = groupShadow{w.Group.Size, bytes.Clone(shadow)}
	}
	return nil
}

// A groupShadow is the shadow of the memory of groups of that size when they begin, if the target is Restartable.
type groupShadow struct {
	size  [3]uint32
	bytes []byte // nil: not known
}

// startKey names waves that start with the same undefined bits, if the target is Restartable.
type startKey struct {
	wave int
	size [3]uint32 // of the group
}

// undefine sets the shadow of the registers of a wave that has been initialised: each bit that its target does not
// set is undefined. Which those are is found by initialising another wave, whose registers hold ones before. env is
// what the wave can access, before that.
func (w *Slot) undefine(i int, st *exec.State, env *exec.Env) error {
	s, key := w.s.l.shadowing(), startKey{i, w.Group.Size}
	if s == nil {
		return nil
	}
	if u := w.undefined[key]; u != nil {
		st.Undefine(u)
		return nil
	}
	if w.ones == nil {
		w.ones = w.layout.NewState()
	}
	w.ones.Reset()
	w.ones.FillUnset()
	w.ones.Start(w.s.l.Entry.PC, st.Live)
	if err := w.s.l.Target.InitWave(&w.Group, i, w.ones, env); err != nil {
		return err
	}
	p := cmp.Or(w.s.l.unwatched, w.s.l.Program)
	if w.s.l.unread {
		p = nil
	}
	u := st.Undefined(w.ones, p)
	if w.restartable && len(w.undefined) < maxUndefined {
		if w.undefined == nil {
			w.undefined = map[startKey]*exec.Undefined{}
		}
		w.undefined[key] = u
	}
	st.Undefine(u)
	return nil
}

// maxUndefined is for how many waves a slot remembers which bits are undefined at their start.
const maxUndefined = 256
