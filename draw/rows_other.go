//go:build !amd64

package draw

import (
	"unsafe"

	"github.com/heddle-gpu/heddle/ir"
)

func fetchRows(unsafe.Pointer, int, int, int) { panic("draw: there are no functions for rows") }

func fillRows(unsafe.Pointer, int, int, int, uint32) { panic("draw: there are no functions for rows") }

func byteRow(to []uint32, channels *[4][]uint32, truncate bool) { plainBytes(to, channels, truncate) }

func clampRow(to []float32, low, high float32) { plainClamp(to, low, high) }

func scaleRow(to, from []uint32, factors []float32) { plainScale(to, from, factors) }

func spreadRow(to []uint32, lanes uint64) { plainSpread(to, lanes) }

func pixelsRow(to []uint32, quads *[ir.MaxLanes / 4]quad) { plainPixels(to, quads, len(to)) }

func lowestRow(from *[ir.MaxLanes]uint32) (lanes uint64) { return plainLowest(from) }

func byteWide(to []uint32, channels *[4][]uint32, truncate bool) { plainBytes(to, channels, truncate) }

func scaleWide(to, from []uint32, factors []float32) { plainScale(to, from, factors) }

func spreadWide(to []uint32, lanes uint64) { plainSpread(to, lanes) }

func lowestWide(from *[ir.MaxLanes]uint32) (lanes uint64) { return plainLowest(from) }

func pixelsWide(to []uint32, quads *[ir.MaxLanes / 4]quad, lanes int) { plainPixels(to, quads, lanes) }
