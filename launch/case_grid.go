package launch

import (
	"context"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
)

// runGrid runs the groups of a case in their order.
func (k *Case) runGrid(ctx context.Context, e exec.Engine, limits exec.Limits) error {
	l := &Launch{Program: k.program, Entry: k.Waves[0].State.At.Key, Engine: e, Grid: *k.grid, Lanes: k.Waves[0].State.Lanes,
		Target: (*caseTarget)(k), Env: exec.Env{Spaces: k.spaces}, GroupBytes: k.front.Groups.Bytes, Limits: limits, Counted: true}
	s, err := l.Begin(ctx)
	if err != nil {
		return err
	}
	slot := s.NewSlot()
	for i := range s.Groups() {
		if err := k.runGroup(slot, i); err != nil {
			return err
		}
	}
	s.End()
	return nil
}

// runGroup runs a group and keeps what its waves leave.
func (k *Case) runGroup(slot *Slot, index uint64) error {
	defer slot.End()
	if err := slot.Begin(index); err != nil {
		return err
	}
	var fault error
	for wave, ok := slot.Next(); ok && fault == nil; wave, ok = slot.Next() {
		if stop := slot.Turn(wave, exec.Budget{}); stop.Reason == exec.StopFault {
			fault = stop.Fault
		}
	}
	for i := range slot.Waves {
		w := &k.Waves[int(index)*slot.Group.Waves+i]
		w.State.Restore(slot.Waves[i].State)
		w.Env.Count = slot.Waves[i].Env.Count
	}
	return fault
}

// A caseTarget begins the groups of a case.
type caseTarget Case

func (k *caseTarget) NewGroup(g *Group, env *exec.Env) error {
	return k.front.Groups.Memory(g, k.grid, env)
}

func (k *caseTarget) InitWave(g *Group, wave int, st *exec.State, env *exec.Env) error {
	w := &k.Waves[int(g.Index)*g.Waves+wave]
	st.Restore(w.State)
	own := env.Spaces[ir.GroupSpace]
	env.Spaces, env.Resources = w.Env.Spaces, w.Env.Resources
	env.Spaces[ir.GroupSpace] = own
	return nil
}
