package vectors

import (
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
)

// A Test is one instruction run once.
type Test struct {
	Name     string // the text of the instruction
	Index    int    // in its file
	ISA      string // gcn:gfx8
	Stage    string // in sets with decoding by stage
	Encoding string // the layout, and the opcode in it: VOP3 0x101
	Bytes    []byte // nil: there is no public encoding, and Name is the instruction
	Lanes    int    // lanes that exist
	Fidelity string // "": exact
	ULP      int    // bound of an approximate test, if one is published
	Options  []string
	Initial  State
	Final    State // what has changed or may have
	Line     int   // in the file that it was read from
}

// A State is the state before or after a test.
type State struct {
	PC    []uint64 // of the active lanes, or one per lane if they have diverged; nil: no lane continues
	Wait  uint64   // lanes without a pc in such a list
	Regs  []Reg
	RAM   memory
	Stack []exec.Token
	Ended uint64   // lanes that have ended
	In    []Passed // in the state before: values from the previous stage
	Out   []Passed // in the state after
}

// A Reg is a register: one value per lane, or one.
type Reg struct {
	Name   string
	Lanes  bool
	Values []uint64
}

// regs returns registers of a state, in the order of the cells, with the execution mask first.
func (s *setting) regs(st *exec.State, cells []ir.Cell, exec bool, lanes int) (list []Reg, err error) {
	if exec {
		for _, name := range s.names.execNames() {
			r, err := s.names.find(name)
			if err != nil {
				return nil, err
			}
			v := r.Get(st, 0)
			if s.machine.Widths[0] > 32 {
				list = append(list, Reg{name, false, []uint64{v}})
				continue
			}
			list = append(list, Reg{name, true, spread(v, lanes)})
		}
	}
	for _, c := range cells {
		e := Reg{Name: s.names.of(c), Lanes: s.machine.Kind(c).PerLane()}
		n := 1
		if e.Lanes {
			n = lanes
		}
		for lane := range n {
			e.Values = append(e.Values, uint64(st.Get(c, lane)))
		}
		list = append(list, e)
	}
	return list, nil
}

// spread returns a mask as one bit per lane.
func spread(mask uint64, lanes int) []uint64 {
	list := make([]uint64, lanes)
	for lane := range list {
		list[lane] = mask >> lane & 1
	}
	return list
}

// gather is the inverse of spread.
func gather(list []uint64) (mask uint64) {
	for lane, v := range list {
		mask |= v & 1 << lane
	}
	return mask
}

// place sets where lanes of a state continue.
func (s *setting) place(st *exec.State, lanes int, to *State) {
	to.Ended = ones(lanes) &^ st.Live
	if st.Ended() {
		return
	}
	to.PC = []uint64{st.At.Key.PC}
	if s.machine.Control == ir.MaskStack {
		to.Stack = append([]exec.Token(nil), st.Stack...)
	}
	if s.machine.Control != ir.LowestPC || st.Live == st.Exec {
		return
	}
	to.PC = make([]uint64, lanes)
	for lane := range lanes {
		switch {
		case st.Exec>>lane&1 != 0:
			to.PC[lane] = st.At.Key.PC
		case st.Live>>lane&1 != 0:
			to.PC[lane] = st.LanePC[lane]
		default:
			to.Wait |= 1 << lane
		}
	}
}
