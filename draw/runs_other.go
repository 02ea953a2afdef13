//go:build !amd64

package draw

import "github.com/heddle-gpu/heddle/ir"

func depthRuns(w *Wave) { panic("draw: there is no assembly") }

func weightRuns(w *Wave) { plainWeights(w) }

func shareRuns(w *Wave) { plainShares(w) }

func mixRuns(w *Wave, to *vector, first *Vec4, stride int) { panic("draw: there is no assembly") }

func firstRuns(w *Wave, to *vector, first *Vec4, stride int) { panic("draw: there is no assembly") }

func depthWide(w *Wave) { panic("draw: there is no assembly") }

func weightWide(w *Wave) { plainWeights(w) }

func shareWide(w *Wave) { plainShares(w) }

func mixWide(w *Wave, to *vector, first *Vec4, stride int) { panic("draw: there is no assembly") }

func firstWide(w *Wave, to *vector, first *Vec4, stride int) { panic("draw: there is no assembly") }

func planeRows(to *PlaneSet, s *Setup, v0, v1, v2 *Vec4) { plainPlanes(to, s, v0, v1, v2) }

func centreRows(x, y *[ir.MaxLanes]uint32, quads *[ir.MaxLanes / 4]quad, n int) {
	plainCentres(x, y, quads, n)
}
