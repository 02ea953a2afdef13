package stepping

import (
	"fmt"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
)

// A Change is a register whose value has changed, or that is shown on its own.
type Change struct {
	Name   string
	Lanes  bool     // one value per lane
	Mask   bool     // one bit per lane, in Values[0]
	Values []uint64 // by lane, or one
}

// LookAt returns a cell with its current value. d may be nil.
func LookAt(st *exec.State, d ir.Described, c ir.Cell) Change {
	r := Change{Name: st.Machine.CellName(c)}
	if d != nil {
		r.Name = d.ValueName(c)
	}
	switch st.Machine.Kind(c) {
	case ir.Lane32:
		r.Lanes = true
		for lane := range st.Lanes {
			r.Values = append(r.Values, uint64(st.Get(c, lane)))
		}
	case ir.Lane1, ir.ExecMask:
		r.Mask, r.Values = true, []uint64{st.Mask(c)}
	default:
		r.Values = []uint64{uint64(st.Get(c, 0))}
	}
	return r
}

// eachCell calls f with all cells but those of a shadow, and of an observer.
func eachCell(m *ir.Machine, f func(c ir.Cell)) {
	if m.Shadow != nil {
		m = m.Shadow.Of
	}
	for i := range m.Files {
		for n := 0; n < m.Files[i].Count && !m.Files[i].Observer; n++ {
			f(ir.Cell{File: uint8(i), Index: uint16(n)})
		}
	}
}

// Changes returns the registers that differ, sorted by file and index; the lanes of a wave that has ended are not
// compared.
func Changes(before, after *exec.State, d ir.Described) (list []Change) {
	eachCell(after.Machine, func(c ir.Cell) {
		if !before.Same(after, c) && !(after.Ended() && after.Machine.Kind(c) == ir.ExecMask) {
			list = append(list, LookAt(after, d, c))
		}
	})
	return list
}

// zero reports whether a cell is zero in all lanes.
func zero(st *exec.State, c ir.Cell) bool {
	if st.Machine.Kind(c) == ir.Lane32 {
		at := st.Index(c) * st.Stride
		return !slices.ContainsFunc(st.V[at:at+st.Lanes], func(v uint32) bool { return v != 0 })
	}
	return st.Look(c, 0) == 0
}

// A LaneRange is the lanes whose values are shown.
type LaneRange struct{ First, Last int }

// SomeLanes are the lanes shown by default.
var SomeLanes = LaneRange{0, 3}

// Text returns NAME=VALUE, or NAME[0-3]=VALUE,VALUE,... for lanes with different values.
func (r *Change) Text(of LaneRange) string {
	if !r.Lanes || !slices.ContainsFunc(r.Values, func(v uint64) bool { return v != r.Values[0] }) {
		return fmt.Sprintf("%s=%#x", r.Name, r.Values[0])
	}
	last := min(of.Last, len(r.Values)-1)
	if of.First > last {
		return fmt.Sprintf("%s=(no lane %d)", r.Name, of.First)
	}
	var values []string
	for _, v := range r.Values[of.First : last+1] {
		values = append(values, fmt.Sprintf("%#x", v))
	}
	lanes := fmt.Sprint(of.First)
	if last > of.First {
		lanes = fmt.Sprintf("%d-%d", of.First, last)
	}
	return fmt.Sprintf("%s[%s]=%s", r.Name, lanes, strings.Join(values, ","))
}

// value returns the value for JSON: one string, or one per lane.
func (r *Change) value(of LaneRange) any {
	if !r.Lanes {
		return fmt.Sprintf("%#x", r.Values[0])
	}
	last := min(of.Last, len(r.Values)-1)
	list := []string{}
	for lane := of.First; lane <= last; lane++ {
		list = append(list, fmt.Sprintf("%#x", r.Values[lane]))
	}
	return list
}
