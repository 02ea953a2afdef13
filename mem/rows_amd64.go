package mem

import "github.com/heddle-gpu/heddle/internal/jit/cpu"

// hasRows reports whether the processor has the instructions of the functions below.
func hasRows() bool { return cpu.Host().Has(cpu.Level2) }

// logRows computes the level of detail without bias of each quad of the lanes of need, as logOfPlane does, if the
// slope is above 0 and finite. Otherwise the logarithm is undefined, and the slope shows this. width and height are
// of level 0. Slopes that are not above least may have 0 as their logarithm.
//
//go:noescape
func logRows(l *logs, x, y *[rowLanes]uint32, width, height, least float32, need uint64)

// alongRows finds the places along one axis of lanes of need, eight at a time. odd are those of them that it does
// not support, or that have no texel.
//
//go:noescape
func alongRows(p *places, s *steps, x *[rowLanes]uint32, need uint64) (odd uint64)

// hasWideRows reports whether the processor has the instructions of logWide and the other wide functions.
func hasWideRows() bool { return cpu.Host().Has(cpu.Level512) }

// nearestRows reads texels at valid places, in rows that are width texels apart. With a weight per lane it blends them
// with those of t.
//
//go:noescape
func nearestRows(t *[4][rowLanes]uint32, data *byte, width uint32, x, y *places, weight *[rowLanes]float32, need uint64)

// fourRows is the same for texels blended of four, for the first count components, at least one. Rows are pitch texels
// apart. axes means MixAxes.
//
//go:noescape
func fourRows(t *[4][rowLanes]uint32, data *byte, width, height uint32, x, y *places, weight *[rowLanes]float32, need uint64, count int, pitch uint32, axes bool)

// viewRows finds the views of the quads of lanes of need, and weights of all lanes, from the results of logRows.
//
//go:noescape
func viewRows(v *views, l *logs, u *limits, weights *[rowLanes]float32, need uint64)

// logWide is logRows, viewWide viewRows, alongWide alongRows and fourWide fourRows of all components, with vectors
// of twice the lanes.
//
//go:noescape
func logWide(l *logs, x, y *[rowLanes]uint32, width, height, least float32, need uint64)

//go:noescape
func alongWide(p *places, s *steps, x *[rowLanes]uint32, need uint64) (odd uint64)

//go:noescape
func fourWide(t *[4][rowLanes]uint32, data *byte, width, height uint32, x, y *places, weight *[rowLanes]float32, need uint64)

//go:noescape
func viewWide(v *views, l *logs, u *limits, weights *[rowLanes]float32, need uint64)
