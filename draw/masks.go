package draw

import "github.com/heddle-gpu/heddle/ir"

// Spread fills a row with bits: 1 in the lanes, 0 in the others.
func Spread(to []uint32, lanes uint64) {
	switch {
	case rounded(to):
		spreadWide(to, lanes)
	case eights(to):
		spreadRow(to, lanes)
	default:
		plainSpread(to, lanes)
	}
}

// Lowest returns the lanes whose lowest bit is 1.
func Lowest(from *[ir.MaxLanes]uint32) (lanes uint64) {
	switch {
	case wideHere:
		return lowestWide(from)
	case vectorsHere:
		return lowestRow(from)
	}
	return plainLowest(from)
}

// Pixels fills a row with the positions of fragments, x in the low half, y in the high one; lanes beyond the
// fragments become 0.
func (w *Wave) Pixels(to []uint32) {
	switch {
	case rounded(to):
		pixelsWide(to, w.quads, w.Lanes)
	case eights(to):
		pixelsRow(to, w.quads)
		clear(to[w.Lanes:])
	default:
		plainPixels(to, w.quads, w.Lanes)
	}
}

// vectorsHere and wideHere are hasVectors and hasWide, for functions without a wave.
var vectorsHere, wideHere = hasVectors(), hasWide()

// rounded reports whether functions that process sixteen lanes at a time can fill a row.
func rounded(row []uint32) bool { return wideHere && len(row) > 0 && len(row)%16 == 0 }

// eights reports whether functions that process eight can.
func eights(row []uint32) bool { return vectorsHere && len(row) > 0 && len(row)%8 == 0 }

func plainSpread(to []uint32, lanes uint64) {
	for lane := range to {
		to[lane] = uint32(lanes >> lane & 1)
	}
}

func plainLowest(from *[ir.MaxLanes]uint32) (lanes uint64) {
	for lane, v := range from {
		lanes |= uint64(v&1) << lane
	}
	return lanes
}

func plainPixels(to []uint32, quads *[ir.MaxLanes / 4]quad, lanes int) {
	clear(to[lanes:])
	for n := range lanes / 4 {
		at := uint32(quads[n].x)&0xffff | uint32(quads[n].y)<<16 // x is even
		*(*[4]uint32)(to[4*n:]) = [4]uint32{at, at + 1, at + 1<<16, at + 1<<16 + 1}
	}
}
