package launch

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/heddle-gpu/heddle/exec"
)

// A Snapshot is the saved state of a group in flight: its waves, whose turn it is, group memory and the memory that
// only one wave can access. It does not include memory that groups share, nor what a Target has created for a group.
type Snapshot struct {
	group  uint64
	next   int
	came   []arrival
	local  []byte
	states []*exec.State
	waves  []Wave // without State; own.segment and own.private hold copies
}

// Snapshot returns the present state of the group. Later changes do not affect it.
func (w *Slot) Snapshot() *Snapshot {
	x := &Snapshot{group: w.Group.Index, next: w.next, came: slices.Clone(w.came), local: bytes.Clone(w.bytes)}
	for i := range w.Waves {
		v := w.Waves[i]
		v.Env.Faults = cloneLog(&v.Env.Faults)
		x.states = append(x.states, v.State.Snapshot())
		x.waves = append(x.waves, Wave{Env: v.Env, Waiting: v.Waiting, At: v.At, own: v.own.clone()})
	}
	return x
}

// Restore sets the group to the saved state. It returns an error if the snapshot is of another session.
func (w *Slot) Restore(x *Snapshot) error {
	if w.Group.Index != x.group || len(w.Waves) != len(x.waves) || len(w.bytes) != len(x.local) {
		return fmt.Errorf("launch: a snapshot of group %d with %d waves; group %d with %d is in the slot",
			x.group, len(x.waves), w.Group.Index, len(w.Waves))
	}
	w.next, w.came = x.next, append(w.came[:0], x.came...)
	copy(w.bytes, x.local)
	for i := range w.Waves {
		v, old := &w.Waves[i], &x.waves[i]
		v.State.Restore(x.states[i])
		v.Env.Count, v.Env.Faults = old.Env.Count, cloneLog(&old.Env.Faults)
		v.Waiting, v.At = old.Waiting, old.At
		v.own.restore(&old.own)
	}
	return nil
}

func cloneLog(l *exec.FaultLog) exec.FaultLog {
	return exec.FaultLog{List: slices.Clone(l.List), Count: l.Count}
}
