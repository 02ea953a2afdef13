package portable

import (
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/lower"
	"github.com/heddle-gpu/heddle/ir"
)

// Inputs that are fetched when a wave begins: see lower.EarlyInputs.

// earlyInputs returns the early inputs of a program.
func earlyInputs(p *exec.Program) (*lower.EarlyInputs, error) {
	return exec.FormsOf(p, "portable early inputs", func(*exec.Program, ir.Key) (*lower.EarlyInputs, error) {
		return &lower.EarlyInputs{}, nil
	}).Get(ir.Key{})
}

// An early is an input that is fetched early.
type early struct {
	exec.IOCall
	row int // the first row of the runner
}

// maskedRow copies a row in the lanes of a mask; the others get 0.
func maskedRow(r *runner, o *op) bool {
	r.writeResult(r.row(o.d), r.row(o.a), r.mask(o.mask))
	return true
}

// fetchInputs fetches the inputs of a code that the runner has not fetched yet; false if one fails.
func (r *runner) fetchInputs(list []lower.EarlyInput) bool {
next:
	for _, w := range list {
		for _, e := range r.early {
			if e.row == w.Row {
				continue next
			}
		}
		e := &early{row: w.Row}
		e.IOAttr, e.Type, e.Width, e.One = w.IO, w.Type, r.st.Lanes, true
		fill(&e.Slot, w.Slot, ir.MaxLanes)
		if r.early = append(r.early, e); !r.fetch(e) {
			return false
		}
	}
	return true
}

// fetch fetches an input for the current wave; false if that fails.
func (r *runner) fetch(e *early) bool {
	if e.Lanes = r.st.Live; e.Lanes == 0 {
		return true
	}
	e.Value = (*exec.IOValue)(r.rows[e.row : e.row+ir.MaxComponents]) // more rows follow those of early inputs
	refused, err := r.env.Input(&e.IOCall)
	return refused == 0 && err == nil
}

// fetchEarly fetches the inputs of the wave that begins or continues. If one fails, the op that reads it reports the
// error.
func (r *runner) fetchEarly() {
	for _, e := range r.early {
		if !r.fetch(e) {
			r.stopFetching()
			return
		}
	}
}

// stopFetching makes the ops from here on fetch the inputs.
func (r *runner) stopFetching() {
	r.noFetch, r.early = true, nil
	r.configure(r.st.Lanes, lower.RecordingOf(r.env.Footprint))
}
