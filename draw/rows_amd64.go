package draw

import (
	"unsafe"

	"github.com/heddle-gpu/heddle/ir"
)

// fillRows fills rows, each pitch words after the previous one, with one word. wide is how many words of each are
// filled, a multiple of 16.
//
//go:noescape
func fillRows(to unsafe.Pointer, pitch, wide, rows int, v uint32)

// fetchRows prefetches such rows, which will be read or written soon, to the second-level cache.
//
//go:noescape
func fetchRows(from unsafe.Pointer, pitch, wide, rows int)

//go:noescape
func byteRow(to []uint32, channels *[4][]uint32, truncate bool)

//go:noescape
func clampRow(to []float32, low, high float32)

//go:noescape
func scaleRow(to, from []uint32, factors []float32)

// spreadRow is plainSpread for a row of eights, pixelsRow plainPixels of quads for all of it, and lowestRow
// plainLowest.
//
//go:noescape
func spreadRow(to []uint32, lanes uint64)

//go:noescape
func pixelsRow(to []uint32, quads *[ir.MaxLanes / 4]quad)

//go:noescape
func lowestRow(from *[ir.MaxLanes]uint32) (lanes uint64)

// byteWide is byteRow, and scaleWide scaleRow, on processors with hasWide.
//
//go:noescape
func byteWide(to []uint32, channels *[4][]uint32, truncate bool)

//go:noescape
func scaleWide(to, from []uint32, factors []float32)

// spreadWide is plainSpread, lowestWide plainLowest and pixelsWide plainPixels, likewise.
//
//go:noescape
func spreadWide(to []uint32, lanes uint64)

//go:noescape
func lowestWide(from *[ir.MaxLanes]uint32) (lanes uint64)

//go:noescape
func pixelsWide(to []uint32, quads *[ir.MaxLanes / 4]quad, lanes int)
