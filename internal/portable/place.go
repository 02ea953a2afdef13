package portable

import (
	"github.com/heddle-gpu/heddle/internal/lower"
	"github.com/heddle-gpu/heddle/ir"
)

// group is how many lanes functions compute at a time.
const group = 4

// A row is a value of up to 32 bits per lane, zero-extended.
type row = lower.Row

// laneIDs is the row of the runner with the lane numbers.
const laneIDs = lower.LaneRow

var laneNumbers = func() (ids row) {
	for i := range ids {
		ids[i] = uint32(i)
	}
	return ids
}()

// A place is the location of a value.
type place struct {
	kind kind
	at   int32
}

type kind = lower.Kind

const (
	inWord = lower.InWord // runner.words[at]: uniform
	inMask = lower.InMask // runner.words[at]: a lane mask
	inRow  = lower.InRow  // the Lane32 cell of the state with that index; negative: runner.rows[^at]
	inVec  = lower.InVec  // runner.vecs[at]
)

// row returns the row at a place of kind inRow.
func (r *runner) row(at int32) *row {
	if at < 0 {
		return &r.rows[^at]
	}
	i := int(at) * r.st.Stride
	return (*row)(r.v[i : i+ir.MaxLanes])
}

// mask returns a condition as a lane mask, whether it is per lane or uniform.
func (r *runner) mask(p place) uint64 {
	m := r.words[p.at]
	if p.kind == inWord {
		m = -(m & 1) & r.full
	}
	return m
}

// addresses returns a 64-bit value per lane.
func (r *runner) addresses(p place) *ir.Vec {
	if p.kind == inVec {
		return &r.vecs[p.at]
	}
	v := &r.lanes.Slots[0]
	for i := range v {
		v[i] = r.words[p.at]
	}
	return v
}
