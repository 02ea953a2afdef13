package eval

import (
	"fmt"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
)

// A Status is a register that is no cell of the machine but part of the wave's control state.
type Status struct {
	Name  string
	Bits  int
	Lanes bool // one value per lane
	Get   func(w *Wave, lane int) uint64
	Set   func(w *Wave, lane int, v uint64) // nil: read-only
	// Fits reports whether a machine has the register; nil: all have it.
	Fits func(m *ir.Machine) bool
}

// statuses are the status registers of all machines. docs/waves.md describes them.
var statuses = []Status{
	{Name: "pc", Bits: 64, Get: func(w *Wave, _ int) uint64 { return w.PC() }, Set: func(w *Wave, _ int, v uint64) { w.SetPC(v) }},
	{Name: "lane_pc", Bits: 64, Lanes: true, Get: (*Wave).lanePC, Set: (*Wave).setLanePC, Fits: func(m *ir.Machine) bool { return m.Control == ir.LowestPC }},
	{Name: "lane_pc", Bits: 64, Lanes: true, Get: (*Wave).lanePC},
	{Name: "exec", Bits: 64, Get: func(w *Wave, _ int) uint64 { return w.State.Exec }, Set: func(w *Wave, _ int, v uint64) { w.State.Exec = v & w.State.Full }},
	{Name: "live", Bits: 64, Get: func(w *Wave, _ int) uint64 { return w.State.Live | w.over }},
	{Name: "stack_depth", Bits: 32, Get: func(w *Wave, _ int) uint64 { return uint64(len(w.State.Stack)) },
		Fits: func(m *ir.Machine) bool { return m.Control == ir.MaskStack }},
}

// LookupStatus finds a status register of the wave's machine by name. Registers of the set take precedence, see Lookup.
func (w *Wave) LookupStatus(name string) (*Status, bool) {
	for i := range statuses {
		if s := &statuses[i]; s.Name == name && (s.Fits == nil || s.Fits(w.State.Machine)) {
			return s, true
		}
	}
	return nil, false
}

// Statuses returns the names of the status registers of the wave's machine.
func (w *Wave) Statuses() (names []string) {
	for i := range statuses {
		if s, ok := w.LookupStatus(statuses[i].Name); ok && s == &statuses[i] {
			names = append(names, s.Name)
		}
	}
	return names
}

// PC returns the address of the next instruction of the active lanes.
func (w *Wave) PC() uint64 { return w.State.At.PC(w.code) }

// SetPC moves the active lanes to an address. A wave that has ended restarts with all its initial lanes.
func (w *Wave) SetPC(pc uint64) {
	if w.State.Ended() {
		w.State.Start(pc, w.lanes)
		w.over = 0
	}
	w.State.Goto(pc)
}

// lanePC returns the address of a lane's next instruction, 0 if the lane has ended.
func (w *Wave) lanePC(lane int) uint64 {
	st := w.State
	if pc, waits := st.WaitsAt(lane); waits {
		return pc
	}
	switch {
	case w.over>>lane&1 != 0:
		return uint64(len(w.Program.Code))
	case st.Live>>lane&1 != 0:
		return w.PC()
	}
	return 0
}

// setLanePC moves a lane to an address, whether it is active, waiting or ended.
func (w *Wave) setLanePC(lane int, pc uint64) {
	w.State.SetLanePC(lane, w.PC(), pc)
	w.over &^= 1 << lane
}

// A Saved is the state of a wave without its memory. It is immutable.
type Saved struct {
	state *exec.State
	over  uint64
	pc    uint64
}

// Save copies the state of the wave.
func (w *Wave) Save() *Saved { return &Saved{w.State.Snapshot(), w.over, w.PC()} }

// Restore restores the state of this wave, or of another with the same machine and lane count.
func (w *Wave) Restore(s *Saved) error {
	if s.state.Machine != w.State.Machine || s.state.Lanes != w.State.Lanes {
		return fmt.Errorf("what was saved is a wave of %s with %d lanes; this is one of %s with %d", s.state.Machine.Name, s.state.Lanes,
			w.State.Machine.Name, w.State.Lanes)
	}
	w.State.Restore(s.state)
	w.over = s.over
	if b, err := w.code.Block(w.State.At.Key); err != nil || w.State.At.Mark >= len(b.Marks) || w.PC() != s.pc {
		w.State.Goto(s.pc) // the code differs
	}
	return nil
}
