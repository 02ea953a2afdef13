package draw

import "github.com/heddle-gpu/heddle/ir"

// depthRuns is plainDepths, and clamps them: the low bound of the viewport is not above the high one. It and those
// below process eight lanes at a time, on processors with hasVectors, those named Wide sixteen, with hasWide.
//
//go:noescape
func depthRuns(w *Wave)

// weightRuns is plainWeights.
//
//go:noescape
func weightRuns(w *Wave)

// shareRuns is plainShares.
//
//go:noescape
func shareRuns(w *Wave)

// mixRuns is plainVector for a varying, given the vector of vertex 0 and the distance in bytes to the next vertex.
//
//go:noescape
func mixRuns(w *Wave, to *vector, first *Vec4, stride int)

// firstRuns is shareRuns and then mixRuns, interleaved, as the divisions have a long latency.
//
//go:noescape
func firstRuns(w *Wave, to *vector, first *Vec4, stride int)

//go:noescape
func depthWide(w *Wave)

//go:noescape
func weightWide(w *Wave)

//go:noescape
func shareWide(w *Wave)

//go:noescape
func mixWide(w *Wave, to *vector, first *Vec4, stride int)

// firstWide is shareWide and then mixWide.
//
//go:noescape
func firstWide(w *Wave, to *vector, first *Vec4, stride int)

// planeRows is plainPlanes.
//
//go:noescape
func planeRows(to *PlaneSet, s *Setup, v0, v1, v2 *Vec4)

// centreRows is plainCentres.
//
//go:noescape
func centreRows(x, y *[ir.MaxLanes]uint32, quads *[ir.MaxLanes / 4]quad, n int)
