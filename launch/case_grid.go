package launch

import (
	"context"
	"slices"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/pass"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/mem"
)

// runGrid runs the groups of a case in their order.
func (k *Case) runGrid(ctx context.Context, e exec.Engine, limits exec.Limits) error {
	l := &Launch{Program: k.program, Entry: k.Waves[0].State.At.Key, Engine: e, Grid: *k.grid, Lanes: k.Waves[0].State.Lanes,
		Target: (*caseTarget)(k), Env: exec.Env{Spaces: k.spaces, Windows: k.windows}, GroupBytes: k.groupBytes(), GroupBanks: k.platform.Cases.Groups.Banks,
		Private: k.private(), PrivateUnit: privateUnit, Limits: limits, Counted: true, Watcher: k.Watcher}
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

// runGroup runs a group and keeps the final state of its waves.
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

// groupBytes returns the number of bytes of group memory.
func (k *Case) groupBytes() int {
	if k.shared != nil {
		return len(k.shared.Data)
	}
	return k.platform.Cases.Groups.Bytes
}

// A caseTarget starts the groups of a case.
type caseTarget Case

func (k *caseTarget) NewGroup(g *Group, env *exec.Env) error {
	if k.shared != nil {
		copy(env.Space(ir.GroupSpace, 0).Segments()[0].Data, k.shared.Data)
	}
	if k.platform.Cases.Groups.Memory == nil {
		return nil
	}
	return k.platform.Cases.Groups.Memory(g, k.grid, env)
}

func (k *caseTarget) InitWave(g *Group, wave int, st *exec.State, env *exec.Env) error {
	w := &k.Waves[int(g.Index)*g.Waves+wave]
	st.Restore(w.State)
	own := env.Spaces[ir.GroupSpace]
	env.Spaces, env.Resources = w.Env.Spaces, w.Env.Resources
	env.Spaces[ir.GroupSpace] = own
	return nil
}

// privateUnit is the unit by which private memory of a case's lanes is interleaved.
const privateUnit = 4

// private returns the private memory of a lane of the case; empty if its code uses none.
func (k *Case) private() (e mem.Extent) {
	if n := k.platform.Cases.Private; n > 0 && Uses(k.program, k.Waves[0].State.At.Key, ir.PrivateSpace) {
		e = mem.Extent{Size: uint64(n), Rights: mem.ReadWrite}
	}
	return e
}

// Uses reports whether a program may access memory of a space. It returns true if code cannot be found statically.
func Uses(p *exec.Program, entry ir.Key, space ir.SpaceID) bool {
	g, err := p.Graph(entry)
	if err != nil {
		return true
	}
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if n.Exit.Open == pass.OpenMode || n.Exit.Open == pass.OpenJump || slices.ContainsFunc(n.Block.Ops, func(in ir.Inst) bool {
			return (in.Op == ir.Load || in.Op == ir.Store || in.Op == ir.AtomicRMW) && in.Mem.Space == space
		}) {
			return true
		}
	}
	return false
}

// Writes reports whether a program may write to memory that waves share. It returns true if code cannot be found
// statically.
func Writes(p *exec.Program, entry ir.Key) bool {
	g, err := p.Graph(entry)
	if err != nil {
		return true
	}
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if n.Exit.Open != 0 || slices.ContainsFunc(n.Block.Ops, func(in ir.Inst) bool { return in.Op == ir.Store || in.Op == ir.AtomicRMW }) {
			return true
		}
	}
	return false
}
