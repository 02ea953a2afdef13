package portable

import (
	"github.com/heddle-gpu/heddle/internal/lower"
	"github.com/heddle-gpu/heddle/ir"
)

// laneBlock is how many lanes functions compute at a time.
const laneBlock = 4

// A row is a value of up to 32 bits per lane, zero-extended.
type row = lower.Row

var laneNumbers = func() (ids row) {
	for i := range ids {
		ids[i] = uint32(i)
	}
	return ids
}()

// Places are where a runner has them: of kind InWord or InMask in runner.words; InRow in the state, or in runner.rows;
// InVec in runner.vecs.

// row returns the row at a place of kind InRow.
func (r *runner) row(at int32) *row {
	if at < 0 {
		return &r.rows[^at]
	}
	i := int(at) * r.st.Stride
	return (*row)(r.v[i : i+ir.MaxLanes])
}

// mask returns a condition as a lane mask, whether it is per lane or uniform.
func (r *runner) mask(p lower.Place) uint64 {
	m := r.words[p.At]
	if p.Kind == lower.InWord {
		m = -(m & 1) & r.full
	}
	return m
}

// addresses returns a 64-bit value per lane.
func (r *runner) addresses(p lower.Place) *ir.Vec {
	if p.Kind == lower.InVec {
		return &r.vecs[p.At]
	}
	v := &r.lanes.Slots[0]
	fill64(v, r.words[p.At])
	return v
}
